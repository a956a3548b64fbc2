// Keys of contacts, and waking of logs.
#pragma once

#include "knuckleboom/core/world/world.hpp"

namespace knuckleboom::world {

inline constexpr int kFeatures = 16;  // places at which two bodies may touch at once
inline constexpr std::int32_t kGroundKey = 1;
inline constexpr std::int32_t kFirstLogKey = 2;
inline constexpr std::int32_t kFirstFixedKey = 32;
inline constexpr int kMaxFixed = 1024;
inline constexpr std::int32_t kFirstPartKey = kFirstFixedKey + kMaxFixed;

inline std::int32_t log_key(int log) { return kFirstLogKey + log; }
inline std::int32_t fixed_key(int i) { return kFirstFixedKey + i; }
inline std::int32_t part_key(std::int32_t id) { return kFirstPartKey + id; }
inline std::int32_t with_feature(std::int32_t key, int feature) {
  return key * kFeatures + feature;
}

inline std::int32_t body_a(const ContactState& c) { return c.key_a; }
inline std::int32_t body_b(const ContactState& c) { return c.key_b / kFeatures; }
// Log of the key; -1: none.
inline int log_of(std::int32_t key) {
  return key >= kFirstLogKey && key < kFirstLogKey + kMaxLogs ? key - kFirstLogKey : -1;
}

inline bool takes_part(PartRole role) { return role != PartRole::kCarrier; }

// Whether a part meets another one of the same machine: what hangs below the crane may hit the carrier,
// and a log between the jaws the crane itself.
inline bool minds(PartRole role, PartRole other) {
  const bool hangs =
      role == PartRole::kHead || role == PartRole::kJaw || role == PartRole::kHeldLog;
  return (hangs && other == PartRole::kCarrier) ||
         (role == PartRole::kHeldLog && (other == PartRole::kBoom || other == PartRole::kStick));
}

// Wakes a resting log and all logs resting with it, from contact to contact.
inline void wake(int log, int count, WorldState& state) {
  std::int32_t waiting[kMaxLogs];
  int n = 0;
  const auto rouse = [&state, &waiting, &n](int i) {
    if (state.log[i].status != LogStatus::kResting) return;
    state.log[i].status = LogStatus::kFree;
    state.log[i].calm_ticks = 0;
    waiting[n++] = i;
  };
  if (log < count) rouse(log);
  for (int next = 0; next < n; ++next)
    for (const ContactState& c : state.contact) {
      const int a = log_of(body_a(c));
      const int b = log_of(body_b(c));
      if (a < 0 || b < 0) continue;
      if (a == waiting[next]) rouse(b);
      if (b == waiting[next]) rouse(a);
    }
}

}  // namespace knuckleboom::world
