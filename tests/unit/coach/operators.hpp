// Operators made up for the coach: a crane that loads log after log, with habits of known strength. They give the
// signals of a session at 50 Hz, not what the rules look at.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <random>

#include "coach/habits.hpp"
#include "coach/observer.hpp"

namespace knuckleboom::coach_test {

using coach::Habit;
using coach::kHabits;

// How strong each habit is, over its threshold: 0: none, 1: at the threshold.
using Severity = std::array<double, kHabits>;

struct Style {
  Severity severity{};
  int cycles = 48;  // a load
  // The habit whose share of occasions, or median, is as given; each occasion of the others is drawn. -1: of all.
  int exact = -1;
  double noise_m = 0.002;  // of the tip
};

coach::Told all_told();
// Feeds the samples of a session.
void work(const Style& style, std::uint64_t seed,
          const std::function<void(const coach::Sample&)>& to);

// Functions together in the median leg for a given overlap of the moves, 0 to 1, and its inverse.
double overlap_for(double together);

}  // namespace knuckleboom::coach_test
