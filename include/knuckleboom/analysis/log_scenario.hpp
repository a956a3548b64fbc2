// A machine driven as a log says: valve commands and supply pressures are those that were measured.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "knuckleboom/core/command/scenario.hpp"
#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/io/log_file.hpp"
#include "knuckleboom/io/trace.hpp"

namespace knuckleboom::analysis {

// Columns that drive: of each joint with an actuator its valve_V, and pump_Pa and tank_Pa.
std::vector<io::KnownColumn> drive_columns(const machine::MachineModel& model);

// Those, and all channels of a run.
std::vector<io::KnownColumn> log_columns(const machine::MachineModel& model);

// By actuator, from delays of its command's column. Throws UserError for a column that is no command.
std::vector<double> delays(const machine::MachineModel& model,
                           const std::vector<std::pair<std::string, double>>& of_columns);

struct LogRun {
  double rest_s = 0.5;  // the log's first part shows the machine at rest
  // Positions of joints that the log does not show [rad, m].
  std::vector<std::pair<std::string, double>> start;
  double tick_s = 1e-3;
  std::vector<double> delay_s;  // of each actuator's command; empty: none
};

// The scenario that does to the model what the log did to the machine. It starts where the log's first part
// has the joints (their angles, or the lengths of their cylinders) and the pressures at port b. Joints
// without a command hold their valve shut. Throws UserError with a sentence if the log drives nothing or
// does not say where a joint starts.
command::Scenario log_scenario(const machine::MachineModel& model, const io::Trace& log,
                               const LogRun& run);

}  // namespace knuckleboom::analysis
