#include "knuckleboom/core/emulation/force_sensor.hpp"

#include "knuckleboom/core/math/hash.hpp"

namespace knuckleboom::emulation {

Wrench measure(const ForceSensor& sensor, const Wrench& true_wrench, ForceSensorState& state) {
  constexpr std::int64_t kRing = kMaxSensorDelay + 1;
  double* const in = state.ring[state.samples % kRing];
  const std::uint64_t number =
      mixed_bits(sensor.seed) + 6U * static_cast<std::uint64_t>(state.samples);
  for (int i = 0; i < 3; ++i) {
    const auto axis = static_cast<std::uint64_t>(i);
    in[i] =
        true_wrench.force[i] + sensor.bias.force[i] + sensor.force_noise * gaussian(number + axis);
    in[3 + i] = true_wrench.moment[i] + sensor.bias.moment[i] +
                sensor.moment_noise * gaussian(number + 3U + axis);
  }
  const std::int64_t from = state.samples - sensor.delay;
  ++state.samples;
  if (from < 0) return {};
  const double* const out = state.ring[from % kRing];
  return {Vec3(out[0], out[1], out[2]), Vec3(out[3], out[4], out[5])};
}

}  // namespace knuckleboom::emulation
