// Results of a workbench: its run as a scenario, and its channels as a trace.
#pragma once

#include <filesystem>

#include "app/workbench/bench_history.hpp"
#include "app/workbench/workbench.hpp"

namespace knuckleboom::app {

// A scenario that gives valves and drives what they were given, tick by tick, from a table beside it (FILE.csv), and
// after drives that were made here a machine file as well (FILE_machine.toml). Throws UserError or io::FileError.
void save_bench_scenario(const Workbench& bench, const std::filesystem::path& file);

void save_bench_trace(const Workbench& bench, const BenchHistory& history,
                      const std::filesystem::path& file);

}  // namespace knuckleboom::app
