// A cylinder or motor of a machine, with its circuit. Apart from the model, because few who read a model look
// into its circuits.
#pragma once

#include <string>

#include "knuckleboom/core/friction/parameters.hpp"
#include "knuckleboom/core/hydraulics/parameters.hpp"
#include "knuckleboom/core/machine/model.hpp"

namespace knuckleboom::machine {

// How the machine's computer makes a valve command of a lever; [0] towards larger joint positions,
// [1] towards smaller ones.
struct ValveDriver {
  double start_V[2] = {0.0, 0.0};  // where the lever leaves its dead zone
  double largest_V[2] = {kNoLimit, kNoLimit};

  static constexpr double kNoLimit = 1e300;
};

struct Actuator {
  std::string name;
  int link = 0;  // joint it moves
  Linkage linkage;
  hydraulics::Circuit circuit;
  ValveDriver driver;
  EndStops stops;
  friction::FrictionModel friction;  // dry, at the displacement; the viscous part is circuit.B
};

}  // namespace knuckleboom::machine
