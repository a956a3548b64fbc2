// Vibrations of a machine at rest with all valves closed: the oscillation of its oil.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/machine/state.hpp"

namespace knuckleboom::analysis {

struct Mode {
  bool oscillates = false;
  double frequency_Hz = 0.0;     // oscillating: of the undamped motion
  double damping_ratio = 0.0;    // oscillating
  double time_constant_s = 0.0;  // not oscillating: of its decay; below zero it grows
  // Share of each joint in the motion, the largest is 1; of an oscillating mode.
  std::vector<double> shape;
};

// Linearises the equations of the closed valves (joint positions and rates, two oil pressures for
// each actuator) about a state at rest and solves for its eigenvalues. Left out: end stops, and the
// zero eigenvalues of trapped oil and free joints. Slowest first.
std::vector<Mode> closed_valve_modes(const machine::MachineModel& model,
                                     const machine::MachineState& state);

}  // namespace knuckleboom::analysis
