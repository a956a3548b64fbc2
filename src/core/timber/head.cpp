#include "knuckleboom/core/timber/head.hpp"

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/math/hash.hpp"

namespace knuckleboom::timber {
namespace {

constexpr double kFullSlip = 0.05;  // spikes hold with all they can from this slip on [m/s]
constexpr double kStill = 0.02;     // m/s
constexpr int kParts = 256;         // of a cut

double share(double x, double low, double high) {
  return std::clamp((x - low) / (high - low), 0.0, 1.0);
}

}  // namespace

double cutting_rate(const SawLaw& law, double width) {
  // Force along the chain times its speed is the power in the wood.
  const double pressed = law.feed_force / law.press_ratio * law.chain_speed / law.energy;
  return std::min({law.power / law.energy, pressed, law.tip_speed * width});
}

double cutting_time(const SawLaw& law, double diameter) {
  double time = 0.0;
  const double step = diameter / kParts;
  for (int i = 0; i < kParts; ++i) {
    const double y = (i + 0.5) * step;
    const double chord = 2.0 * std::sqrt(y * (diameter - y));
    time += chord * step / cutting_rate(law, chord);
  }
  return time;
}

double roller_press(const FeedLaw& law, double diameter) {
  return law.least_press + (law.most_press - law.least_press) *
                               share(diameter, law.least_diameter, law.most_diameter);
}

double slip_limit(const FeedLaw& law, double diameter) {
  return law.grip * law.rollers * roller_press(law, diameter);
}

double drive_force(const FeedLaw& law, double speed) {
  return std::min(law.rollers * law.force, law.power / std::max(std::fabs(speed), 1e-3));
}

double branch_force(const FeedLaw& law, const Whorl& whorl) {
  return law.branch_strength * whorl.branches * 0.25 * 3.14159265358979323846 * whorl.diameter *
         whorl.diameter;
}

double knife_drag(const FeedLaw& law, double diameter) {
  // The knives press as the rollers do.
  return law.knife_friction * law.knife_force * roller_press(law, diameter) / law.most_press;
}

void feed(const FeedLaw& law, const Tree& tree, double mass, double wanted, double dt,
          FeedState& s) {
  const double knives = s.at + law.knives_ahead;
  const double diameter = over_bark(tree.profile(), knives);
  const double most = slip_limit(law, diameter), limit = drive_force(law, s.roller);
  double drag = knife_drag(law, diameter);
  // The first whorl that still has branches, and how far it is cut through.
  const std::vector<Whorl>& whorls = tree.whorls();
  const auto count = static_cast<int>(whorls.size());
  while (s.whorl < count &&
         (s.cut_off >= law.branch_length ||
          whorls[static_cast<std::size_t>(s.whorl)].height + law.branch_length < knives)) {
    ++s.whorl;
    s.cut_off = 0.0;
  }
  const double into =
      s.whorl < count ? knives - whorls[static_cast<std::size_t>(s.whorl)].height : -1.0;
  if (into >= s.cut_off && (s.speed > 0.0 || (s.speed == 0.0 && wanted > 0.0)))
    drag += branch_force(law, whorls[static_cast<std::size_t>(s.whorl)]);
  s.cut_off = std::max(s.cut_off, std::min(into, law.branch_length));
  if (into >= 0.0) s.clear_at = s.at - into + law.branch_length;

  // The spikes hold in proportion to a small slip, up to their limit. Taken at the end of the tick, since the
  // slope is steep: with a roller that turns as told, and if its motor cannot, with all the motor has.
  const double slope = most / kFullSlip, held = s.speed > 0.0 ? drag : s.speed < 0.0 ? -drag : 0.0;
  const auto grip_at = [&](double slip, double give) {
    return std::clamp(slope * slip / (1.0 + dt * slope * give), -most, most);
  };
  double grip = grip_at(wanted - s.speed + dt * held / mass, 1.0 / mass);
  double drive = law.inertia * (wanted - s.roller) / dt + grip;
  if (std::fabs(drive) > limit) {
    drive = std::copysign(limit, drive);
    grip = grip_at(s.roller - s.speed + dt * (drive / law.inertia + held / mass),
                   1.0 / law.inertia + 1.0 / mass);
  }
  const double before = s.speed;
  s.roller += dt * (drive - grip) / law.inertia;
  // Drag stops a stem and holds it, and never turns it round.
  s.speed += dt * grip / mass;
  const double stopped = dt * drag / mass;
  s.speed = s.speed > stopped ? s.speed - stopped : s.speed < -stopped ? s.speed + stopped : 0.0;
  s.at = std::clamp(s.at + 0.5 * dt * (before + s.speed), 0.0, tree.height());
  s.slipped += dt * std::fabs(s.roller - s.speed);
  s.stalled_s = wanted > 0.0 && into >= 0.0 && s.speed < kStill ? s.stalled_s + dt : 0.0;
}

double wanted_speed(const FeedLaw& law, double target, FeedState& s) {
  // Held by branches: back, and at them again with a run-up.
  if (s.stalled_s > law.patience) {
    s.back_to = std::max(s.at - law.run_up, kStill);
    s.stalled_s = 0.0;
    s.runs_up = s.rams = true;
  }
  if (s.runs_up && s.at > s.back_to) return -0.5 * law.speed;
  s.runs_up = false;
  s.rams = s.rams && s.at < s.clear_at;
  if (s.rams) return law.speed;
  const double left = target - s.at;
  if (std::fabs(left) < 0.5 * law.window) return 0.0;
  const double far = std::max(std::fabs(left) - law.slow_length, 0.0);
  const double slow = std::min(law.slow_speed, 8.0 * std::fabs(left));
  const double fast = std::sqrt(slow * slow + 2.0 * law.braking * far);
  return std::copysign(std::min(fast, law.speed), left);
}

double measured_length(const MeasureLaw& law, double length, std::uint64_t log) {
  return length + law.reset_error * gaussian(2 * log) +
         law.drift * std::sqrt(std::max(length, 0.0)) * gaussian(2 * log + 1);
}

double measured_diameter(const MeasureLaw& law, double diameter, std::uint64_t log) {
  return std::max(diameter + law.diameter_error * gaussian(mixed_bits(log)), 0.0);
}

}  // namespace knuckleboom::timber
