// Vibrations of a machine at rest with all valves closed: the oscillation of its oil.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom/core/sim/simulation.hpp"

namespace knuckleboom::analysis {

struct Mode {
  bool oscillates = false;
  double frequency_Hz = 0.0;     // oscillating: of the undamped motion
  double damping_ratio = 0.0;    // oscillating
  double time_constant_s = 0.0;  // not oscillating: of its decay; below zero it grows
  // Share of each joint in the motion, the largest is 1; of an oscillating mode.
  std::vector<double> shape;
};

// Those of the linear model (linear_model.hpp) about a state at rest. Left out: end stops, dry friction, and the
// zero eigenvalues of trapped oil and free joints. Slowest first.
std::vector<Mode> closed_valve_modes(const sim::Simulation& simulation, const sim::SimState& state);

}  // namespace knuckleboom::analysis
