// Checks that a replay of a session and one of an emulation have in common.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::runtime {

// Remarks on a recording by another build, or on another kind of processor.
void remark_on_origin(const auto& header, std::vector<std::string>& remarks) {
  if (header.program != io::this_program())
    remarks.push_back(
        fmt::format("recorded by {}; this is {}", header.program, io::this_program()));
  if (header.processor != io::this_processor())
    remarks.push_back(fmt::format("recorded on a processor of another kind, {}; this is {}",
                                  header.processor, io::this_processor()));
}

// Recorded hashes beside those of the state that runs again.
struct HashCheck {
  std::int64_t compared = 0, equal = 0;
  // Ticks run before the first hash that differed, and before the last that agreed until then; -1: none.
  std::int64_t first_difference = -1, equal_up_to = -1;

  // The one that was recorded after so many ticks, if any. hashes: by rising ticks.
  static std::optional<std::uint64_t> recorded(const std::vector<io::StateHash>& hashes,
                                               std::int64_t tick) {
    const auto found = std::ranges::lower_bound(hashes, tick, {}, &io::StateHash::tick);
    if (found == hashes.end() || found->tick != tick) return std::nullopt;
    return found->value;
  }
  void count(std::int64_t tick, bool same) {
    ++compared;
    equal += same ? 1 : 0;
    if (first_difference < 0) (same ? equal_up_to : first_difference) = tick;
  }
};

}  // namespace knuckleboom::runtime
