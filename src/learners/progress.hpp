// Change over a learner's attempts.
#pragma once

#include <span>

namespace knuckleboom::learners {

// Values of a figure, one for each attempt in the order of time; nan: it was broken off, or not measured.
enum class Change { kTooFew, kLess, kSame, kMore };

// The smallest change between two attempts that is more than their scatter, with a confidence of 95 %:
// 1.96 sqrt(2) s, where s^2 is half the variance of successive differences, so that a steady improvement is
// no scatter. 0 below three values.
double detectable_change(std::span<const double> values);

// From the first value to the last, where it is beyond the detectable change; kTooFew: below three values.
Change change_of(std::span<const double> values);

}  // namespace knuckleboom::learners
