#include "knuckleboom/core/control/pid.hpp"

#include <cmath>

#include "knuckleboom/core/control/pid_law.hpp"

namespace knuckleboom::control {
double sample(const PidGains& gains, double dt, double direction, double reference, double position,
              PidState& state) {
  return law::sample(gains, dt, direction, reference, position, state);
}

double sample_fed(const PidGains& gains, double dt, double direction, double reference,
                  double position, double feed_forward_V, bool hold_sum, PidState& state) {
  const double command = law::feedback(gains, dt, reference, position, state);
  const double sum = state.integral;
  const double output_V = law::finish(gains, dt, direction, direction * command + feed_forward_V,
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
