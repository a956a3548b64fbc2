#include "app/commands/cli.hpp"

int main(int argc, char** argv) { return knuckleboom::app::run_program(argc, argv); }
