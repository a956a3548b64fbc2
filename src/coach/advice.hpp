// Advice on an attempt: which rules have enough evidence, and which of them matter most.
// docs/reference/coach.md
#pragma once

#include <string>
#include <vector>

#include "coach/observer.hpp"

namespace knuckleboom::coach {

inline constexpr int kLeastOccasions = 8;
inline constexpr int kMostAdvice = 2, kMostMarks = 3;

enum class Verdict {
  kOff,      // the rule is not on
  kNotFed,   // a signal is missing
  kTooFew,   // occasions
  kQuiet,    // not beyond its threshold for certain
  kPraised,  // well within it for certain
  kAdvised,  // beyond it for certain
};

struct Finding {
  Habit habit = Habit::kFarOut;
  Verdict verdict = Verdict::kOff;
  int occasions = 0, counted = 0;
  double figure = 0.0;  // share or median
  double bound =
      0.0;  // what the figure exceeds with 80 % confidence; of a median that is too small, what it is below
  double lost_s = 0.0;
  std::vector<double>
      marks_s;  // of advice: the worst occasions in the order of time, since the first sample
  std::string missing;  // signals, by name
};

struct Advice {
  std::vector<Finding> findings;             // by rule
  std::vector<const Finding*> said() const;  // the most time lost first; kMostAdvice at most
  const Finding* praise() const;             // null: none
};

Advice advise(const Occasions& occasions, const Told& told);

// The rule's sentence with the numbers of the attempt.
std::string advice_text(const Finding& finding);

// Lower (-1) or upper (1) bound of a share, one-sided, 80 % (Wilson).
double share_bound(int counted, int occasions, int side);
// The same of a median, by resampling with a fixed seed.
double median_bound(std::vector<double> values, int side);

}  // namespace knuckleboom::coach
