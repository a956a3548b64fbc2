// Audible data of a session: a few numbers passed from the main thread to the audio thread.
#pragma once

#include <cstdint>
#include <type_traits>

#include "knuckleboom/core/training/session_snapshot.hpp"

namespace knuckleboom::sound {

// Knocks are counted, not flagged, so that none is missed when a state is skipped; strength: of the
// newest. A decreasing count (after a restart) causes no knock.
struct SoundState {
  double pump_power_W = 0.0;
  double relief = 0.0;  // 0: no relief valve open .. 1: several
  std::int64_t stop_hits = 0;
  double stop_speed = 0.0;  // of the actuator at the impact [m/s, rad/s]
  std::int64_t collisions = 0;
  double collision_speed = 0.0;  // approach [m/s]
  double volume = 0.7;           // 0 to 1
  bool silent = false;           // muted or paused
};
static_assert(std::is_trivially_copyable_v<SoundState>);

// Follows the snapshots of a session, once per frame.
class SoundFollower {
 public:
  // Sets all of state except volume and silent.
  void follow(const training::SessionSnapshot& snapshot, SoundState& state);

 private:
  bool primed_ = false;
  std::int64_t stop_hits_ = 0;
  double t_s_ = 0.0;
  double displacement_[kMaxActuators]{};
  double speed_[kMaxActuators]{};  // while it last moved
  double strength_ = 0.0;
};

}  // namespace knuckleboom::sound
