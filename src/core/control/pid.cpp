#include "knuckleboom/core/control/pid.hpp"

#include <algorithm>
#include <cmath>

namespace knuckleboom::control {
namespace {

double compensated(const PidGains& gains, double output_V) {
  if (gains.overlap_compensation_V == 0.0) return output_V;
  return output_V + gains.overlap_compensation_V *
                        std::clamp(output_V / gains.compensation_width_V, -1.0, 1.0);
}

}  // namespace

double sample(const PidGains& gains, double dt, double direction, double reference, double position,
              PidState& state) {
  const double error = reference - position;
  if (state.primed == 0) {
    state.last_reference = reference;
    state.last_position = position;
    state.primed = 1;
  }
  double command = gains.Kp * error + gains.Ki * state.integral;
  if (gains.Kd != 0.0) {
    const double rate = (position - state.last_position) / dt;
    state.derivative += (rate - state.derivative) * dt / (gains.derivative_filter_s + dt);
    command -= gains.Kd * state.derivative;
  }
  if (gains.feed_forward != 0.0)
    command += gains.feed_forward * (reference - state.last_reference) / dt;
  const double raw = compensated(gains, direction * command);
  const double limited = std::clamp(raw, -gains.output_limit_V, gains.output_limit_V);
  switch (gains.anti_windup) {
    case AntiWindup::kNone:
      state.integral += error * dt;
      break;
    case AntiWindup::kConditional:
      if (raw == limited) state.integral += error * dt;
      break;
    case AntiWindup::kBackCalculation: {
      const double back =
          gains.Ki != 0.0 ? direction * (limited - raw) / (gains.Ki * gains.tracking_time_s) : 0.0;
      state.integral += (error + back) * dt;
      break;
    }
  }
  state.last_reference = reference;
  state.last_position = position;
  state.output_V = limited;
  return limited;
}

void start_bumpless(const PidGains& gains, double direction, double reference, double position,
                    double output_V, PidState& state) {
  state = PidState{};
  state.last_reference = reference;
  state.last_position = position;
  state.primed = 1;
  state.output_V = output_V;
  if (gains.Ki != 0.0) {
    // The compensation is steep about zero; its share of the output is taken out first.
    double base = output_V;
    if (gains.overlap_compensation_V != 0.0) {
      const double inner = gains.compensation_width_V + gains.overlap_compensation_V;
      base = std::fabs(output_V) <= inner
                 ? output_V * gains.compensation_width_V / inner
                 : output_V - std::copysign(gains.overlap_compensation_V, output_V);
    }
    state.integral = (direction * base - gains.Kp * (reference - position)) / gains.Ki;
  }
}

}  // namespace knuckleboom::control
