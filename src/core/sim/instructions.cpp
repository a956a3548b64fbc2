#include "knuckleboom/core/sim/instructions.hpp"

namespace knuckleboom::sim {

bool available(Instructions instructions) {
  if (instructions == Instructions::kBaseline) return true;
#ifdef KNUCKLEBOOM_HAS_V3
  return __builtin_cpu_supports("x86-64-v3") != 0;
#else
  return false;
#endif
}

Instructions fastest_instructions() {
  return available(Instructions::kV3) ? Instructions::kV3 : Instructions::kBaseline;
}

}  // namespace knuckleboom::sim
