// Joint controller: PID on the joint position, output in volts to the valve.
//
// Sampled: at sample k the error is e_k = reference - position; the output uses the sum of e_j dt over
// j < k, and the sum is updated after it.
#pragma once

#include <cstdint>

#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::control {

enum class AntiWindup {
  kNone,             // the sum continues while the output is limited
  kConditional,      // the sum is frozen while the output is limited
  kBackCalculation,  // the sum is driven back by (limited - raw output) / tracking time
};

struct PidGains {
  double Kp = 0.0;  // V/rad (V/m)
  double Ki = 0.0;  // V/(rad s)
  double Kd = 0.0;  // V s/rad, on the measured rate, low-pass filtered
  double derivative_filter_s = 0.01;
  double feed_forward = 0.0;            // V s/rad on the reference rate
  double overlap_compensation_V = 0.0;  // added in the direction of the output
  double compensation_width_V = 0.05;   // output over which the compensation fades in
  double output_limit_V = 10.0;
  double tracking_time_s = 1.0;  // of the back calculation
  AntiWindup anti_windup = AntiWindup::kConditional;
  int period_ticks = 1;  // sample period in ticks; the output is held between
};
constexpr auto state_fields(const PidGains* /*type*/) {
  using namespace knuckleboom::state;
  using S = PidGains;
  return state::fields_of<S>(KB_FIELD(Kp), KB_FIELD(Ki), KB_FIELD(Kd),
                             KB_FIELD(derivative_filter_s), KB_FIELD(feed_forward),
                             KB_FIELD(overlap_compensation_V), KB_FIELD(compensation_width_V),
                             KB_FIELD(output_limit_V), KB_FIELD(tracking_time_s),
                             KB_FIELD(anti_windup, below(3)), KB_FIELD(period_ticks, kCounter32));
}

struct PidState {
  double integral = 0.0;    // of the error [rad s]
  double derivative = 0.0;  // filtered rate [rad/s]
  double last_reference = 0.0;
  double last_position = 0.0;
  double output_V = 0.0;
  std::int32_t primed = 0;  // 0 before the first sample
  std::int32_t reserved = 0;
};
constexpr auto state_fields(const PidState* /*type*/) {
  using namespace knuckleboom::state;
  using S = PidState;
  return state::fields_of<S>(KB_FIELD(integral), KB_FIELD(derivative), KB_FIELD(last_reference),
                             KB_FIELD(last_position), KB_FIELD(output_V), KB_FIELD(primed, kFlag),
                             KB_FIELD(reserved, kZero));
}

// One sample. direction: +1 or -1, sign of the actuator Jacobian. Returns the output in volts.
double sample(const PidGains& gains, double dt, double direction, double reference, double position,
              PidState& state);

// The same with an external feed-forward, in the valve's sign, instead of the controller's own and
// its overlap compensation. hold_sum: the sum is frozen, for a reference that waits for a joint
// that cannot follow.
double sample_fed(const PidGains& gains, double dt, double direction, double reference,
                  double position, double feed_forward_V, bool hold_sum, PidState& state);

// Sets the integral so that the next sample gives output_V as far as Ki and the limits allow.
void start_bumpless(const PidGains& gains, double direction, double reference, double position,
                    double output_V, PidState& state);

}  // namespace knuckleboom::control
