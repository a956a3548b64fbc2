// A machine's equations near one instant: y' = f0 + A (y - y0) + B (u - u0), z = z0 + C (y - y0) + D (u - u0),
// with valves as they stand there. docs/theory/linear_models.md
#pragma once

#include <complex>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "knuckleboom/core/control/pid.hpp"
#include "knuckleboom/core/sim/simulation.hpp"

namespace knuckleboom::analysis {

struct LinearQuantity {
  std::string name, unit;
  double value = 0.0;  // at the instant
};

// A joint's controller at the instant; its law about there is linear but for its limit.
struct LinearController {
  std::string joint;
  int input = 0;   // the voltage that it sets, among the inputs
  int output = 0;  // the position that it reads, among the outputs
  control::PidGains gains;
  double sign = 1.0;     // of the voltage that moves the joint up
  bool fed = false;      // with a feed-forward from outside in place of its own
  bool limited = false;  // its voltage stands at its limit and answers to nothing
  double slope = 1.0;    // of the voltage by the sum of its parts: overlap compensation
  bool dead = false;     // its valve is closed: its voltage moves nothing
};

struct LinearModel {
  double t_s = 0.0, tick_s = 0.0;
  std::vector<LinearQuantity> states, inputs, outputs;
  Eigen::VectorXd f0;  // rates of the states at the instant
  Eigen::MatrixXd A, B, C, D;
  std::vector<LinearController> controllers;  // those at work
  struct Valve {
    std::string joint;
    bool open = false;
    double spool_V = 0.0, overlap_V = 0.0;
  };
  std::vector<Valve> valves;
  // Where the slopes are those of one side, or none; sentences.
  std::vector<std::string> remarks;

  // -1: there is none.
  int find_state(std::string_view name) const;
  int find_input(std::string_view name) const;
  int find_output(std::string_view name) const;
};

// The model of the tick that starts at this state.
LinearModel linearise(const sim::Simulation& simulation, const sim::SimState& state);
// The model of the machine at rest in this state with all valves closed, without dry friction and end stops.
LinearModel linearise_at_rest(const sim::Simulation& simulation, const sim::SimState& state);

struct LinearMode {
  std::complex<double> root;  // 1/s; of a pair the one above the axis
  // Share of each state in the motion, 1 in all; none: the root does not tell itself from others.
  std::vector<double> participation;
  // Motion of each state and output, to a common scale and phase.
  std::vector<std::complex<double>> states, outputs;

  bool oscillates() const { return root.imag() != 0.0; }
  double frequency_Hz() const;   // of the undamped motion
  double damping_ratio() const;  // of any root: 1 decays without swinging, below 0 it grows
};

// Below this a root is a zero with rounding errors [1/s].
inline constexpr double kZeroRoot = 1e-3;

// Roots of A, slowest first.
std::vector<LinearMode> modes_of(const LinearModel& model);
// Eigenvalues alone, of any matrix, balanced first.
Eigen::VectorXcd roots_of(const Eigen::MatrixXd& A);
// Scales the states so that rows and columns have like sums (Osborne, by powers of two): x = scale x'.
Eigen::VectorXd balance(Eigen::MatrixXd& A);

}  // namespace knuckleboom::analysis
