// The controllers of a machine that is open, for those who step them alone. No part of the C interface.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom.h"
#include "knuckleboom/core/control/pid.hpp"

namespace knuckleboom {

struct JointController {
  std::string joint, unit;  // rad or m
  double direction = 1.0;   // sign of the actuator's Jacobian
  control::PidGains gains;
};

// Those with gains, in the order of the actuators.
std::vector<JointController> controllers_of(const kb_simulation& simulation);

}  // namespace knuckleboom
