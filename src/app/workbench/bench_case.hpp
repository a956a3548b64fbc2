// The machine on a workbench: one from any file that describes one, and the scenario that it starts by.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom/core/command/scenario.hpp"
#include "knuckleboom/io/load_case.hpp"

namespace knuckleboom::app {

struct BenchCase {
  // The scenario of a machine alone or a URDF has neither programs nor an end.
  io::LoadedCase loaded;
  bool has_scenario = false;  // a scenario file was named
  // The file names no actuator and no drive: each joint has got a drive here, which holds it until it is driven.
  bool made_drives = false;

  const machine::MachineModel& model() const { return loaded.machine.model; }
};

// subject: a machine, a URDF or a scenario, by name or file. start: joint positions in place of its own; empty: none.
// Throws io::FileError or UserError.
BenchCase load_bench_case(const std::string& subject, const std::string& machine,
                          const std::vector<std::string>& assignments,
                          const std::vector<command::InitialJoint>& start = {});

}  // namespace knuckleboom::app
