// Noise has the size that is asked for, samples come out when they are due, and the seed decides all.
#include "knuckleboom/core/emulation/force_sensor.hpp"

#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

namespace knuckleboom {
namespace {

using emulation::ForceSensor;
using emulation::ForceSensorState;
using emulation::measure;
using emulation::Wrench;

ForceSensorState fresh() {
  ForceSensorState state;
  std::memset(&state, 0, sizeof state);
  return state;
}

TEST(ForceSensor, DelaysByWholeSamples) {
  for (const int delay : {0, 1, 7, emulation::kMaxSensorDelay}) {
    ForceSensor sensor;
    sensor.delay = delay;
    sensor.bias.force.x() = 0.5;
    ForceSensorState state = fresh();
    for (int k = 0; k < 200; ++k) {
      const Wrench out = measure(sensor, {Vec3(k, 2.0 * k, 0.0), Vec3(0.0, 0.0, -k)}, state);
      if (k < delay) {
        EXPECT_EQ(out.force.norm(), 0.0);
        continue;
      }
      EXPECT_EQ(out.force.x(), k - delay + 0.5);
      EXPECT_EQ(out.force.y(), 2.0 * (k - delay));
      EXPECT_EQ(out.moment.z(), delay - k);
    }
  }
}

TEST(ForceSensor, NoiseHasItsSpreadAndItsSeed) {
  ForceSensor sensor;
  sensor.force_noise = 0.3;
  sensor.moment_noise = 0.01;
  ForceSensorState one = fresh(), two = fresh(), other = fresh();
  ForceSensor reseeded = sensor;
  reseeded.seed = 2;
  double sum = 0.0, squares = 0.0, cross = 0.0, moments = 0.0;
  const int n = 20000;
  int same = 0;
  for (int k = 0; k < n; ++k) {
    const Wrench w = measure(sensor, {}, one);
    EXPECT_EQ(w.force.x(), measure(sensor, {}, two).force.x());
    same += w.force.x() == measure(reseeded, {}, other).force.x() ? 1 : 0;
    sum += w.force.x();
    squares += w.force.x() * w.force.x();
    cross += w.force.x() * w.force.y();
    moments += w.moment.z() * w.moment.z();
  }
  EXPECT_EQ(same, 0);
  EXPECT_NEAR(sum / n, 0.0, 4.0 * 0.3 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(squares / n), 0.3, 0.01);
  EXPECT_NEAR(cross / n, 0.0, 4.0 * 0.09 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(moments / n), 0.01, 3e-4);
}

}  // namespace
}  // namespace knuckleboom
