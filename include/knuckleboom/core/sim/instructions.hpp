// The instruction sets for which the tick is compiled. Each gives the same bits (docs/decisions/0007-instructions.md).
#pragma once

namespace knuckleboom::sim {

enum class Instructions {
  kBaseline,  // x86-64: every processor
  kV3,        // x86-64-v3: AVX2, without fused multiply-add
};
inline constexpr Instructions kAllInstructions[] = {Instructions::kBaseline, Instructions::kV3};

constexpr const char* word_of(Instructions instructions) {
  return instructions == Instructions::kV3 ? "x86-64-v3" : "x86-64";
}

// Whether this build has the tick for them and this processor runs it.
bool available(Instructions instructions);
Instructions fastest_instructions();

}  // namespace knuckleboom::sim
