// A machine that is open, for those who look into it: its controllers, its equations. No part of the C interface.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "knuckleboom.h"
#include "knuckleboom/core/control/pid.hpp"
#include "knuckleboom/core/sim/simulation.hpp"

namespace knuckleboom {

struct JointController {
  std::string joint, unit;  // rad or m
  double direction = 1.0;   // sign of the actuator's Jacobian
  control::PidGains gains;
};

// Those with gains, in the order of the actuators.
std::vector<JointController> controllers_of(const kb_simulation& simulation);

// A simulation and a copy of its state, in which what is held at the actuators stands as commands.
struct OpenedEngine {
  const sim::Simulation* simulation;  // of the one that is open
  std::unique_ptr<sim::SimState> state;
};
OpenedEngine engine_of(const kb_simulation& simulation);

}  // namespace knuckleboom
