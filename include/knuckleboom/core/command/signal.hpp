// Time functions of a scenario.
#pragma once

#include <vector>

#include "knuckleboom/core/math/table.hpp"

namespace knuckleboom::command {

enum class TermKind {
  kConstant,  // value
  kSine,    // value min(1, (t - start)/fade_in) sin(2 pi frequency (t - start) + phase), t >= start
  kRamp,    // 0 before start, linear to value at end, value after
  kSmooth,  // 0 before start, value S((t - start)/(end - start)), value after; S(s) = s^2 (3 - 2 s)
  kPulse,   // value for start <= t < end, else 0
  kTable,   // value times the table, linear between its points or held until the next one
};

struct Term {
  TermKind kind = TermKind::kConstant;
  double value = 0.0;
  double start_s = 0.0, end_s = 0.0;
  double frequency_Hz = 0.0, phase_rad = 0.0, fade_in_s = 0.0;
  Table table;        // time [s] -> factor
  bool held = false;  // a point of the table holds until the next one
};

// Sum of its terms.
struct Signal {
  std::vector<Term> terms;
};

double value(const Signal& signal, double t);
bool constant(const Signal& signal);  // whether the value never changes
double smoothstep(double s);          // s^2 (3 - 2 s), clamped

}  // namespace knuckleboom::command
