// A machine driven by a log, with the measured channels.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/analysis/log_scenario.hpp"
#include "knuckleboom/core/machine/state.hpp"
#include "knuckleboom/core/machine/watch.hpp"
#include "knuckleboom/io/trace.hpp"

namespace knuckleboom::analysis {

// result = scale * value + offset, for a column of the log or a compared channel.
struct Correction {
  std::string column;
  double scale = 1.0, offset = 0.0;  // SI
};

inline constexpr std::size_t kAllRows = static_cast<std::size_t>(-1);

struct FreeRunSetup {
  std::vector<std::string> channels;  // compared channels
  machine::Fidelity fidelity = machine::Fidelity::kFull;
  LogRun log;
  std::vector<Correction> corrections;
  std::size_t rows = kAllRows;  // of the log that are run; later ones are NaN
};

// By channel, then by row of the log; the correction of a compared channel is on the run's side.
// Empty: the run became non-finite. watch (may be null): what no real machine does. Throws
// std::invalid_argument or UserError for an unsuitable machine.
std::vector<std::vector<double>> free_run(const machine::MachineModel& model, const io::Trace& log,
                                          const FreeRunSetup& setup,
                                          machine::Watch* watch = nullptr);

}  // namespace knuckleboom::analysis
