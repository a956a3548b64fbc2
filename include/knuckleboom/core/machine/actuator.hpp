// A cylinder or motor of a machine, with its circuit. Apart from the model, because few who read a model look
// into its circuits.
#pragma once

#include <optional>
#include <string>

#include "knuckleboom/core/friction/parameters.hpp"
#include "knuckleboom/core/hydraulics/parameters.hpp"
#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/pneumatics/cylinder.hpp"

namespace knuckleboom::machine {

// How the machine's computer makes a valve command of a lever; [0] towards larger joint positions,
// [1] towards smaller ones.
struct ValveDriver {
  double start_V[2] = {0.0, 0.0};  // where the lever leaves its dead zone
  double largest_V[2] = {kNoLimit, kNoLimit};

  static constexpr double kNoLimit = 1e300;
};

// A pneumatic cylinder, in place of a circuit.
struct AirCylinder {
  pneumatics::Cylinder cylinder;
  pneumatics::Valve valve;
  double retracted = 0.0;                    // displacement with the piston fully in [m]
  double P_start[2] = {101325.0, 101325.0};  // cap, rod [Pa absolute]
};

struct Actuator {
  std::string name;
  int link = 0;  // joint it moves
  Linkage linkage;
  hydraulics::Circuit circuit;
  // On air: of the circuit then only areas, B and overlap, full and lag of the valve count, whose volts are
  // those about the middle. By finish(): the stops' ends are the cylinder's.
  std::optional<AirCylinder> air;
  ValveDriver driver;
  EndStops stops;
  friction::FrictionModel friction;  // dry, at the displacement; the viscous part is circuit.B
};

}  // namespace knuckleboom::machine
