// A six-axis force sensor at the tip: offset, noise and a delay of whole samples.
#pragma once

#include <cstdint>

#include "knuckleboom/core/emulation/contact.hpp"
#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::emulation {

inline constexpr int kMaxSensorDelay = 63;  // samples

struct ForceSensor {
  double force_noise = 0.0;   // standard deviation of each axis [N]
  double moment_noise = 0.0;  // N m
  Wrench bias;
  int delay = 0;  // samples, 0 to kMaxSensorDelay
  std::uint64_t seed = 1;
};

struct ForceSensorState {
  double ring[kMaxSensorDelay + 1][6];
  std::int64_t samples;
};
constexpr auto state_fields(const ForceSensorState* /*type*/) {
  using namespace knuckleboom::state;
  using S = ForceSensorState;
  return state::fields_of<S>(KB_FIELD(ring, kForce), KB_FIELD(samples, kCounter));
}

// Takes one sample; returns the delayed output. The first outputs are zero.
Wrench measure(const ForceSensor& sensor, const Wrench& true_wrench, ForceSensorState& state);

}  // namespace knuckleboom::emulation
