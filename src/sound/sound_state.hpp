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
  double engine_rad_per_s = 0.0;  // 0: none is modelled, its speed follows the power
  double relief = 0.0;            // 0: no relief valve open .. 1: several
  std::int64_t stop_hits = 0;
  double stop_speed = 0.0;  // of the actuator at the impact [m/s, rad/s]
  std::int64_t collisions = 0;
  double collision_speed = 0.0;  // approach [m/s]
  double chain = 0.0;            // of the saw: 0 stands, 1 runs
  double cut = 0.0;              // 0: beside the wood, 1: in it
  double feed_m_s = 0.0;         // of the stem by the rollers
  std::int64_t whorls = 0;       // that knives have cut off
  double whorl_speed = 0.0;      // of the stem then [m/s]
  std::int64_t falls = 0;        // trees that have come upon ground or stems
  double fall_speed = 0.0;       // of the tip before [m/s]
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
  std::int32_t stem_ = -1;  // in the head
  double bare_to_ = 0.0;
  std::int64_t whorls_ = 0, falls_ = 0;
  double whorl_speed_ = 0.0, fall_speed_ = 0.0;
  double tip_peak_ = 0.0, tip_before_ = 0.0;  // of a tree just now, and then in full [m/s]

  void follow_timber(const training::SessionSnapshot& snapshot, double dt);
};

}  // namespace knuckleboom::sound
