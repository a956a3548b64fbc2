// The controller's law over a type of number (math/lanes.hpp). gains: as PidGains; state: as PidState.
#pragma once

#include "knuckleboom/core/control/pid.hpp"
#include "knuckleboom/core/math/lanes.hpp"

namespace knuckleboom::control::law {

template <class T, class Gains>
inline T compensated(const Gains& gains, T output_V) {
  const MaskOf<T> none = gains.overlap_compensation_V == 0.0;
  if (all(none)) return output_V;
  return select(none, output_V,
                output_V + gains.overlap_compensation_V *
                               clamped(output_V / gains.compensation_width_V, -1.0, 1.0));
}

// Proportional, integral and derivative part.
template <class T, class Gains, class State>
inline T feedback(const Gains& gains, T dt, T reference, T position, State& state) {
  const MaskOf<T> fresh = state.primed == 0;
  if (any(fresh)) {
    state.last_reference = select(fresh, reference, state.last_reference);
    state.last_position = select(fresh, position, state.last_position);
    raise_where(fresh, state.primed);
  }
  T command = gains.Kp * (reference - position) + gains.Ki * state.integral;
  const MaskOf<T> damped = gains.Kd != 0.0;
  if (any(damped)) {
    const T rate = (position - state.last_position) / dt;
    state.derivative =
        select(damped,
               state.derivative + (rate - state.derivative) * dt / (gains.derivative_filter_s + dt),
               state.derivative);
    command = select(damped, command - gains.Kd * state.derivative, command);
  }
  return command;
}

// Limits the output and updates the sum.
template <class T, class Gains, class State>
inline T finish(const Gains& gains, T dt, T direction, T raw, T reference, T position,
                State& state) {
  const T error = reference - position;
  const T limited = clamped(raw, -gains.output_limit_V, gains.output_limit_V);
  switch (gains.anti_windup) {
    case AntiWindup::kNone:
      state.integral += error * dt;
      break;
    case AntiWindup::kConditional:
      state.integral = select(raw == limited, state.integral + error * dt, state.integral);
      break;
    case AntiWindup::kBackCalculation: {
      const T back = select(gains.Ki != 0.0,
                            direction * (limited - raw) / (gains.Ki * gains.tracking_time_s), 0.0);
      state.integral += (error + back) * dt;
      break;
    }
  }
  state.last_reference = reference;
  state.last_position = position;
  state.output_V = limited;
  return limited;
}

template <class T, class Gains, class State>
inline T sample(const Gains& gains, T dt, T direction, T reference, T position, State& state) {
  T command = feedback(gains, dt, reference, position, state);
  const MaskOf<T> forward = gains.feed_forward != 0.0;
  if (any(forward))
    command = select(
        forward, command + gains.feed_forward * (reference - state.last_reference) / dt, command);
  return finish(gains, dt, direction, compensated(gains, T(direction * command)), reference,
                position, state);
}

}  // namespace knuckleboom::control::law
