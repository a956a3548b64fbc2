// A cylinder or motor of a machine, with its circuit. Apart from the model, because few who read a model look
// into its circuits.
#pragma once

#include <string>

#include "knuckleboom/core/friction/parameters.hpp"
#include "knuckleboom/core/hydraulics/parameters.hpp"
#include "knuckleboom/core/machine/model.hpp"

namespace knuckleboom::machine {

struct Actuator {
  std::string name;
  int link = 0;  // joint it moves
  Linkage linkage;
  hydraulics::Circuit circuit;
  EndStops stops;
  friction::FrictionModel friction;  // dry, at the displacement; the viscous part is circuit.B
};

}  // namespace knuckleboom::machine
