// A machine driven by a log: with the measured valve commands and supply pressures.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "knuckleboom/core/command/scenario.hpp"
#include "knuckleboom/io/log_file.hpp"
#include "knuckleboom/io/trace.hpp"

namespace knuckleboom::machine {
struct MachineModel;
}
namespace knuckleboom::sim {
class Simulation;
struct SimState;
}  // namespace knuckleboom::sim

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
  // Speeds of joints of a log that begins in motion [rad/s, m/s]. With any the log is not at rest at first: its start
  // is that of the straight line through the first part, in place of the mean.
  std::vector<std::pair<std::string, double>> speed;
  double tick_s = 1e-3;
  std::vector<double> delay_s;  // of each actuator's command; empty: none
};

// Value of a column at the start of its log, as LogRun says; none if the log does not have it.
std::optional<double> at_start(const io::Trace& log, const std::string& column, const LogRun& run);

// The scenario that applies the log's inputs to the model. It starts from the joints of the log's
// first part (their angles, or the lengths of their cylinders) and its pressures at port b. Joints
// without a command keep their valve shut. Throws UserError with a message if the log drives
// nothing or gives no start of a joint.
command::Scenario log_scenario(const machine::MachineModel& model, const io::Trace& log,
                               const LogRun& run);

// For a log that begins in motion (LogRun::speed), from the start of its scenario: joints at their speeds, ports at
// their logged pressures, oil flowing as the pistons go, spools where their commands are.
void set_in_motion(const sim::Simulation& simulation, const io::Trace& log, const LogRun& run,
                   sim::SimState& state);

}  // namespace knuckleboom::analysis
