#include "sound/sound_state.hpp"

#include <algorithm>
#include <cmath>

namespace knuckleboom::sound {

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
}

}  // namespace knuckleboom::sound
