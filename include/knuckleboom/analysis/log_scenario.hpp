// A machine driven by a log: with the measured valve commands and supply pressures.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "knuckleboom/core/command/scenario.hpp"
#include "knuckleboom/io/log_file.hpp"
#include "knuckleboom/io/trace.hpp"

namespace knuckleboom::machine {
struct MachineModel;
}

namespace knuckleboom::analysis {

// Driving columns: valve_V of each joint with an actuator, and pump_Pa and tank_Pa.
std::vector<io::KnownColumn> drive_columns(const machine::MachineModel& model);

// The driving columns and all channels of a run.
std::vector<io::KnownColumn> log_columns(const machine::MachineModel& model);

// By actuator, from delays of its command's column. Throws UserError for a column that is not a
// command.
std::vector<double> delays(const machine::MachineModel& model,
                           const std::vector<std::pair<std::string, double>>& of_columns);

struct LogRun {
  double rest_s = 0.5;  // duration of the log's first part, with the machine at rest
  // Positions of joints that are not in the log [rad, m].
  std::vector<std::pair<std::string, double>> start;
  // Added to the mean at rest of these columns.
  std::vector<std::pair<std::string, double>> start_shift;
  double tick_s = 1e-3;
  std::vector<double> delay_s;  // of each actuator's command; empty: none
};

// The scenario that applies the log's inputs to the model. It starts from the joints of the log's
// first part (their angles, or the lengths of their cylinders) and its pressures at port b. Joints
// without a command keep their valve shut. Throws UserError with a message if the log drives
// nothing or gives no start of a joint.
command::Scenario log_scenario(const machine::MachineModel& model, const io::Trace& log,
                               const LogRun& run);

}  // namespace knuckleboom::analysis
