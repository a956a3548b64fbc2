// A machine driven by a log, with the measured channels.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/analysis/log_scenario.hpp"
#include "knuckleboom/core/machine/state.hpp"
#include "knuckleboom/core/machine/watch.hpp"
#include "knuckleboom/io/trace.hpp"

namespace knuckleboom::analysis {

// A logger does this to a channel before it writes it, in this order. All zero: nothing.
struct Logger {
  double lag_s = 0.0;   // of first order
  double dead_s = 0.0;  // dead time
  double hold_s =
      0.0;  // it reads so often, from the log's start on, and holds the value in between
  double dead_band = 0.0;  // it leaves out changes that are not larger [SI]
};

// result = scale * value + offset, for a column of the log or a compared channel; there after the logger.
struct Correction {
  std::string column;
  double scale = 1.0, offset = 0.0;  // SI
  Logger logger;                     // of a compared channel
};

// y over increasing t, linear in between and standing still before, as a logger would have it.
void pass_through(const Logger& logger, std::span<const double> t, std::span<double> y);

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
