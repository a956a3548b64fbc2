// Keys of contacts, and waking of logs.
#pragma once

#include <array>
#include <cstdint>

#include "knuckleboom/core/world/world.hpp"

namespace knuckleboom::world {

inline constexpr int kFeatures = 16;  // places at which two bodies may touch at once
inline constexpr std::int32_t kGroundKey = 1;
// Those of further logs lie above all others, so that stored contacts keep their meaning.
inline constexpr int kLowLogs = 16;
inline constexpr std::int32_t kFirstLogKey = 2;
inline constexpr std::int32_t kFirstHighLogKey = 8192;
inline constexpr std::int32_t kFirstFixedKey = 32;
inline constexpr int kMaxFixed = 1024;
inline constexpr std::int32_t kFirstPartKey = kFirstFixedKey + kMaxFixed;

inline std::int32_t log_key(int log) {
  return log < kLowLogs ? kFirstLogKey + log : kFirstHighLogKey + log;
}
inline std::int32_t fixed_key(int i) { return kFirstFixedKey + i; }
inline std::int32_t part_key(std::int32_t id) { return kFirstPartKey + id; }
inline std::int32_t with_feature(std::int32_t key, int feature) {
  return key * kFeatures + feature;
}

inline std::int32_t body_a(const ContactState& c) { return c.key_a; }
inline std::int32_t body_b(const ContactState& c) { return c.key_b / kFeatures; }
// Log of the key; -1: none.
inline int log_of(std::int32_t key) {
  if (key >= kFirstLogKey && key < kFirstLogKey + kLowLogs) return key - kFirstLogKey;
  return key >= kFirstHighLogKey + kLowLogs && key < kFirstHighLogKey + kMaxLogs
             ? key - kFirstHighLogKey
             : -1;
}

constexpr bool is_tree(PartRole role) {
  return role == PartRole::kTree || role == PartRole::kTreeInHead;
}
constexpr bool is_wood(PartRole role) { return is_tree(role) || role == PartRole::kLyingTree; }
constexpr bool takes_part(PartRole role) {
  return !is_of_carrier(role) && role != PartRole::kLyingTree;
}
inline bool meets(const MachinePart& part, Obstacle fixed) {
  return takes_part(part.role) || (part.rides && fixed == Obstacle::kStem);
}

// Whether a part meets another one of the same machine: what hangs below the crane may hit the carrier,
// a log between the jaws the crane itself, and all of the crane the load space. A tree meets all of the machine,
// but not the head that holds it, and of another one that moves; what lies is met by all that moves.
constexpr bool minds(PartRole role, PartRole other) {
  if (is_tree(role) && is_tree(other)) return true;
  if (role == PartRole::kLyingTree || is_tree(other)) return false;
  if (role == PartRole::kTree) return true;
  if (role == PartRole::kTreeInHead)
    return other != PartRole::kHead && other != PartRole::kJaw && other != PartRole::kHeldLog;
  if (other == PartRole::kLyingTree) return takes_part(role);
  const bool hangs =
      role == PartRole::kHead || role == PartRole::kJaw || role == PartRole::kHeldLog;
  return (hangs && other == PartRole::kCarrier) || (takes_part(role) && is_load_space(other)) ||
         (role == PartRole::kHeldLog && (other == PartRole::kBoom || other == PartRole::kStick));
}
// The same as sets of roles, one bit each: all pairs of parts are asked in every tick.
constexpr std::uint32_t bit_of(PartRole role) { return 1U << static_cast<unsigned>(role); }
inline constexpr auto kMinded = [] {
  constexpr int kRoles = static_cast<int>(PartRole::kLyingTree) + 1;
  std::array<std::uint32_t, kRoles> out{};
  for (int a = 0; a < kRoles; ++a)
    for (int b = 0; b < kRoles; ++b)
      if (minds(static_cast<PartRole>(a), static_cast<PartRole>(b)))
        out[static_cast<std::size_t>(a)] |= bit_of(static_cast<PartRole>(b));
  return out;
}();

inline void trim_extent(WorldState& state) {
  std::int64_t& end = state.contacts.end;
  while (end > 0 && state.contact[end - 1].key_a == 0) --end;
}

// Wakes a resting log and all logs resting with it, from contact to contact.
inline void wake(int log, int count, WorldState& state) {
  LogSet woken;
  const auto rouse = [&state, &woken](int i) {
    if (state.log[i].status != LogStatus::kResting) return false;
    state.log[i].status = LogStatus::kFree;
    state.log[i].calm_ticks = 0;
    woken.add(i);
    return true;
  };
  for (bool more = log < count && rouse(log); more;) {
    more = false;
    for (std::int64_t n = 0; n < state.contacts.end; ++n) {
      const int a = log_of(body_a(state.contact[n]));
      const int b = a < 0 ? -1 : log_of(body_b(state.contact[n]));
      if (b < 0 || woken.has(a) == woken.has(b)) continue;
      more |= rouse(woken.has(a) ? b : a);
    }
  }
}

}  // namespace knuckleboom::world
