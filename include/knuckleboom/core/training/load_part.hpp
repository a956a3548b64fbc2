// Sides of a machine's load space where logs belong, in place of a bunk as kLoadSpace is for all of it.
#pragma once

#include "knuckleboom/core/training/exercise.hpp"

namespace knuckleboom::training {

inline constexpr int kLoadLeft = -3;  // as seen from the crane
inline constexpr int kLoadRight = -4;

inline bool is_load_space(int bunk) { return bunk <= kLoadSpace && bunk >= kLoadRight; }
inline bool into_load_space(const LogTask& task) {
  return task.place < 0 && is_load_space(task.bunk);
}
// 1: left, -1: right, 0: anywhere in it.
inline double side_of_load(int bunk) {
  return bunk == kLoadLeft ? 1.0 : bunk == kLoadRight ? -1.0 : 0.0;
}

}  // namespace knuckleboom::training
