#include "sound/sound_state.hpp"

#include <algorithm>
#include <cmath>

namespace knuckleboom::sound {
namespace {

// A tip that loses half of its speed in less than about this time has hit something.
constexpr double kBlow = 0.15;      // s
constexpr double kLeastBlow = 3.0;  // m/s
constexpr double kBarAtWood = 1.0;  // of the bar's way

}  // namespace

void SoundFollower::follow(const training::SessionSnapshot& snapshot, SoundState& state) {
  const sim::Snapshot& now = snapshot.sim;
  const double dt = now.t_s - t_s_;
  const bool goes_on = primed_ && dt >= 0.0 && now.health.stop_hits >= stop_hits_;
  int at_relief = 0;
  double fastest = 0.0;
  for (int i = 0; i < now.actuator_count; ++i) {
    const sim::ActuatorSnapshot& actuator = now.actuator[i];
    at_relief += actuator.at_relief != 0 ? 1 : 0;
    if (!goes_on)
      speed_[i] = 0.0;
    else if (actuator.at_stop != 0)
      fastest = std::max(fastest, speed_[i]);
    else if (dt > 0.0)
      speed_[i] = std::fabs(actuator.displacement - displacement_[i]) / dt;
    displacement_[i] = actuator.displacement;
  }
  if (goes_on && now.health.stop_hits > stop_hits_) strength_ = fastest;
  if (!goes_on) {
    stem_ = -1;
    tip_peak_ = 0.0;
  }
  follow_timber(snapshot, dt);
  primed_ = true;
  t_s_ = now.t_s;
  stop_hits_ = now.health.stop_hits;

  state.pump_power_W = snapshot.pump_power_W;
  state.relief = at_relief == 0 ? 0.0 : std::min(1.0, 0.6 + 0.2 * at_relief);
  state.stop_hits = stop_hits_;
  state.stop_speed = strength_;
  state.collisions = 0;
  for (const std::int64_t count : snapshot.collisions) state.collisions += count;
  state.collision_speed = snapshot.last_impact_speed;
  state.engine_rad_per_s = now.engine_rad_per_s;
  state.chain = snapshot.saw > 0.0 ? 1.0 : 0.0;
  state.cut = snapshot.saw >= kBarAtWood ? 1.0 : 0.0;
  state.feed_m_s = snapshot.feed_m_s;
  state.whorls = whorls_;
  state.whorl_speed = whorl_speed_;
  state.falls = falls_;
  state.fall_speed = fall_speed_;
}

void SoundFollower::follow_timber(const training::SessionSnapshot& snapshot, double dt) {
  const training::TreeSnapshot* held = training::tree_in_head(snapshot);
  if (held != nullptr && held->stem == stem_ && held->bare_to > bare_to_) {
    ++whorls_;
    whorl_speed_ = std::fabs(snapshot.feed_m_s);
  }
  stem_ = held != nullptr ? held->stem : -1;
  bare_to_ = held != nullptr ? held->bare_to : 0.0;

  double tip = 0.0;
  for (std::int64_t i = 0; i < snapshot.tree_count; ++i)
    tip = std::max(tip, snapshot.tree[i].tip_m_s);
  tip_peak_ *= std::exp(-std::max(dt, 0.0) / kBlow);
  if (tip >= tip_peak_) tip_peak_ = tip_before_ = tip;
  if (tip_peak_ < kLeastBlow || tip > 0.5 * tip_peak_) return;
  ++falls_;
  fall_speed_ = tip_before_;
  tip_peak_ = tip;
}

}  // namespace knuckleboom::sound
