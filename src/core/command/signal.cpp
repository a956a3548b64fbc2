#include "knuckleboom/core/command/signal.hpp"

#include <algorithm>

namespace knuckleboom::command {
namespace {

double progress(const Term& term, double t) {
  if (t <= term.start_s) return 0.0;
  if (t >= term.end_s) return 1.0;
  return (t - term.start_s) / (term.end_s - term.start_s);
}

double value(const Term& term, double t) {
  switch (term.kind) {
    case TermKind::kConstant:
      return term.value;
    case TermKind::kSine:
      return sine_value(term, t);
    case TermKind::kRamp:
      return term.value * progress(term, t);
    case TermKind::kSmooth:
      return term.value * smoothstep(progress(term, t));
    case TermKind::kPulse:
      return t >= term.start_s && t < term.end_s ? term.value : 0.0;
    case TermKind::kTable:
      return term.value * (term.held ? held_value(term.table, t) : evaluate(term.table, t).value);
  }
  return 0.0;
}

}  // namespace

double smoothstep(double s) {
  const double c = std::clamp(s, 0.0, 1.0);
  return c * c * (3.0 - 2.0 * c);
}

double value(const Signal& signal, double t) {
  double sum = 0.0;
  for (const Term& term : signal.terms) sum += value(term, t);
  return sum;
}

bool constant(const Signal& signal) {
  return std::all_of(signal.terms.begin(), signal.terms.end(),
                     [](const Term& term) { return term.kind == TermKind::kConstant; });
}

}  // namespace knuckleboom::command
