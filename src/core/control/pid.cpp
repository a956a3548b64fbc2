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

// Proportional, integral and derivative part.
double feedback(const PidGains& gains, double dt, double reference, double position,
                PidState& state) {
  if (state.primed == 0) {
    state.last_reference = reference;
    state.last_position = position;
    state.primed = 1;
  }
  double command = gains.Kp * (reference - position) + gains.Ki * state.integral;
  if (gains.Kd != 0.0) {
    const double rate = (position - state.last_position) / dt;
    state.derivative += (rate - state.derivative) * dt / (gains.derivative_filter_s + dt);
    command -= gains.Kd * state.derivative;
  }
  return command;
}

// Limits the output and updates the sum.
double finish(const PidGains& gains, double dt, double direction, double raw, double reference,
              double position, PidState& state) {
  const double error = reference - position;
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

}  // namespace

double sample(const PidGains& gains, double dt, double direction, double reference, double position,
              PidState& state) {
  double command = feedback(gains, dt, reference, position, state);
  if (gains.feed_forward != 0.0)
    command += gains.feed_forward * (reference - state.last_reference) / dt;
  return finish(gains, dt, direction, compensated(gains, direction * command), reference, position,
                state);
}

double sample_fed(const PidGains& gains, double dt, double direction, double reference,
                  double position, double feed_forward_V, bool hold_sum, PidState& state) {
  const double command = feedback(gains, dt, reference, position, state);
  const double sum = state.integral;
  const double output_V = finish(gains, dt, direction, direction * command + feed_forward_V,
                                 reference, position, state);
  if (hold_sum) state.integral = sum;
  return output_V;
}

void start_bumpless(const PidGains& gains, double direction, double reference, double position,
                    double output_V, PidState& state) {
  state = PidState{};
  state.last_reference = reference;
  state.last_position = position;
  state.primed = 1;
  state.output_V = output_V;
  if (gains.Ki != 0.0) {
    // The compensation is steep about zero; its share of the output is removed first.
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
