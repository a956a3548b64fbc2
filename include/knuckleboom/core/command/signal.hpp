// Time functions of a scenario.
#pragma once

#include <vector>

#include "knuckleboom/core/math/table.hpp"
#include "knuckleboom/core/math/trig.hpp"

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

inline constexpr double kTurn = 6.283185307179586;

// Largest integer not beyond, towards 0.
template <class T>
inline T whole(T x) {
  if constexpr (kIsLanes<T>) {
    return truncated(x) + 0.0;  // never -0
  } else {
    return static_cast<double>(static_cast<long long>(x));
  }
}

// kSine over a type of number (math/lanes.hpp). term: as Term.
template <class T, class Term>
inline T sine_value(const Term& term, T t) {
  const T s = t - term.start_s;
  const MaskOf<T> before = s < 0.0;
  if (all(before)) return 0.0;
  const T fade = select(term.fade_in_s > T(0.0), smaller(T(1.0), s / term.fade_in_s), 1.0);
  // Whole turns are subtracted first: the argument of the sine stays small in a long run.
  const T turns = term.frequency_Hz * s;
  const T part = turns - whole(turns);
  return select(before, T(0.0), term.value * fade * sin_cos<T>(kTurn * part + term.phase_rad).sin);
}

// Sum of its terms.
struct Signal {
  std::vector<Term> terms;
};

double value(const Signal& signal, double t);
bool constant(const Signal& signal);  // whether the value never changes
double smoothstep(double s);          // s^2 (3 - 2 s), clamped

}  // namespace knuckleboom::command
