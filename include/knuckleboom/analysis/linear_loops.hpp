// The controllers of a linear model, as they sample it: the voltages are held from tick to tick, which is
// represented exactly. Frequency responses, margins, and the roots with the loops closed.
// docs/theory/linear_models.md
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "knuckleboom/analysis/linear_model.hpp"

namespace knuckleboom::analysis {

// Whether a motion grows. One that does not swing and grows more slowly than kSlowGrowth [1/s] says little: the
// motion about which the model is has changed by then.
inline constexpr double kSlowGrowth = 0.1;
inline bool grows(std::complex<double> root) {
  return root.real() > (root.imag() > kZeroRoot ? kZeroRoot : kSlowGrowth);
}

// One frequency of a response.
struct Response {
  double frequency_Hz = 0.0;
  std::complex<double> value;
};

// z(jw) of the continuous model, all loops open.
std::complex<double> response(const LinearModel& model, int input, int output, double frequency_Hz);

// x+ = A x + B u, z = C x + D u at the ticks of the controllers: the machine with its inputs held over them.
struct Sampled {
  double dt = 0.0;  // s
  Eigen::MatrixXd A, B, C, D;
};
Sampled sample(const LinearModel& model, double dt);

struct Crossing {
  double frequency_Hz = 0.0;
  double value = 0.0;  // gain margin as a factor, or phase margin in degrees
};

// Margins of one loop, opened at its controller's output, with all others closed.
struct LoopMargins {
  std::string joint;
  bool acts = true;  // false: its valve is shut or its voltage limited; there is no loop
  // Factor on its gains at which it would swing evenly: the least above one; of loops that do not settle the
  // one below which they do.
  std::optional<Crossing> gain;
  std::optional<Crossing> floor;  // of loops that settle: below this factor they would not
  // Nearest to zero; below: it oscillates.
  std::optional<Crossing> phase;
  double delay_s = 0.0;      // dead time for which that suffices; with phase
  double sensitivity = 0.0;  // largest |1 / (1 + L)|
  double sensitivity_at_Hz = 0.0;
  std::vector<Response> open;  // L
};

class Loops {
 public:
  explicit Loops(const LinearModel& model);

  double dt() const { return machine_.dt; }
  // Sentences about what is left out.
  const std::vector<std::string>& remarks() const { return remarks_; }
  // L of a controller at a frequency below half the sampling rate.
  std::complex<double> open(int controller, double frequency_Hz) const;
  LoopMargins margins(int controller) const;
  // From the reference of a controller to an output, all loops closed.
  std::complex<double> follow(int controller, int output, double frequency_Hz) const;
  // The same over time: what an output does, at that many samples, after a step of the reference by one.
  std::vector<double> step(int controller, int output, int samples) const;
  // Roots with all loops closed, as continuous ones: log(z) / dt. Slowest first, of a pair the one above the axis.
  const std::vector<std::complex<double>>& closed_roots() const { return closed_roots_; }
  // None of them grows.
  bool settles() const;
  // Frequencies [Hz] for drawing and for finding margins: dense where the machine resonates.
  std::vector<double> frequencies() const;

 private:
  struct Closed;
  // without: a controller whose loop stays open; -1: none.
  Closed close(int without) const;

  const LinearModel& model_;
  Sampled machine_;
  std::vector<std::string> remarks_;
  std::vector<std::complex<double>> closed_roots_;
};

// Like frequencies of the model alone, between two.
std::vector<double> frequencies_of(const LinearModel& model, double low_Hz, double high_Hz);

}  // namespace knuckleboom::analysis
