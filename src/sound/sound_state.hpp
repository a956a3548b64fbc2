// What one hears of a session: a few numbers that go from the picture's thread to the sound device's.
#pragma once

#include <cstdint>
#include <type_traits>

#include "knuckleboom/core/training/session_snapshot.hpp"

namespace knuckleboom::sound {

// Knocks are counted and not flagged, so that none is missed when a state is skipped; strength: of the
// newest. A count that goes back (after a restart) knocks at nothing.
struct SoundState {
  double pump_power_W = 0.0;
  double relief = 0.0;  // 0: no relief valve open .. 1: several
  std::int64_t stop_hits = 0;
  double stop_speed = 0.0;  // of the actuator when it reached its end [m/s, rad/s]
  std::int64_t collisions = 0;
  double collision_speed = 0.0;  // approach [m/s]
  double volume = 0.7;           // 0 to 1
  bool silent = false;           // muted or paused
};
static_assert(std::is_trivially_copyable_v<SoundState>);

// Follows the snapshots of a session, as often as there is a picture.
class SoundFollower {
 public:
  // Sets all of state but volume and silent.
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
