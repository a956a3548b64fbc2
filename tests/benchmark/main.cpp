// Like the library's own, but the program is also the process that reads session files.
#include <benchmark/benchmark.h>

#include "knuckleboom/recording/session_reader.hpp"

int main(int argc, char** argv) {
  if (knuckleboom::io::is_session_reader(argc, argv)) knuckleboom::io::run_session_reader();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
