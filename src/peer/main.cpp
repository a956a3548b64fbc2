#include "peer/program.hpp"

int main(int argc, char** argv) { return knuckleboom::peer::run_program(argc, argv); }
