// The linear model of a simulation as plain numbers, for the module.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "knuckleboom.h"

namespace knuckleboom::python {

struct LinearTable {
  struct Quantity {
    std::string name, unit;
  };
  double t_s = 0.0, tick_s = 0.0;
  std::vector<Quantity> states, inputs, outputs;
  std::vector<double> y0, u0, z0, f0;  // values at the instant, rates of the states
  std::vector<double> A, B, C, D;      // by rows
  std::vector<std::complex<double>> roots;
  std::vector<std::string> remarks;
};

// The model of the tick that comes next, with what is held; at_rest: with all valves closed, without dry friction
// and end stops.
LinearTable linear_table(const kb_simulation& simulation, bool at_rest);

}  // namespace knuckleboom::python
