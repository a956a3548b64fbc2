#include "knuckleboom/recording/session_reader.hpp"

int main() { knuckleboom::io::run_session_reader(); }
