// Layouts of states in files of released programs that did not describe them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "knuckleboom/io/state_record.hpp"

namespace knuckleboom::io {

// An emulation's states: which format, how many bytes, and a hash over places in memory.
struct ReleasedLayout {
  std::uint32_t version;
  std::uint64_t bytes, places;
};
inline constexpr std::uint32_t kSimFormat6 = 6;  // of state files
inline constexpr std::uint32_t kSimBytes6 = 8472;
inline constexpr std::uint32_t kSession6 = 6;  // of a session's states
inline constexpr ReleasedLayout kLoop1{1, 31432, 0x891324cd991fbb34U};

// type: "sim::SimState" or "emulation::LoopState", as those programs held it.
StateDescription released_layout(std::string_view type);
// The hash that those programs took: XXH3-64 over the bytes of such a record. Nothing: the state holds what
// they did not know.
std::optional<std::uint64_t> hash_of_bytes(const StateDescription& record,
                                           const state::Struct& type, const void* state);

}  // namespace knuckleboom::io
