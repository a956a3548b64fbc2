#include "knuckleboom/core/command/lever_pattern.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "knuckleboom/core/math/logarithm.hpp"

namespace knuckleboom::command {
namespace {

double limit(double per_s) { return per_s > 0.0 ? per_s : std::numeric_limits<double>::infinity(); }

}  // namespace

double shape(double axis, const AxisShape& settings) {
  if (!std::isfinite(axis)) return 0.0;
  const double magnitude = std::min(std::fabs(axis), 1.0);
  if (magnitude <= settings.dead_zone || settings.dead_zone >= 1.0) return 0.0;
  const double travel = (magnitude - settings.dead_zone) / (1.0 - settings.dead_zone);
  const double curved = settings.curve.x.empty() ? power(travel, settings.exponent)
                                                 : evaluate(settings.curve, travel).value;
  return std::copysign(curved, axis) * settings.sign * settings.gain;
}

double ramp(double target, double dt, const RampLimits& limits, double value) {
  double left = dt;
  if (value != 0.0 && value * target < 0.0) {
    // Towards zero first; the remaining time goes into the rise on the other side.
    const double fall = limit(limits.fall_per_s);
    const double needed = std::fabs(value) / fall;
    if (needed >= left) return value - std::copysign(fall * left, value);
    left -= needed;
    value = 0.0;
  }
  const bool away = std::fabs(target) > std::fabs(value);
  const double rate = limit(away ? limits.rise_per_s : limits.fall_per_s);
  const double gap = target - value;
  if (!(std::fabs(gap) > rate * left)) return target;
  return value + std::copysign(rate * left, gap);
}

}  // namespace knuckleboom::command
