// Sensors of a host's joints: offset, noise and steps of a converter.
#pragma once

#include <cmath>
#include <cstdint>

#include "knuckleboom/core/math/hash.hpp"

namespace knuckleboom::emulation {

// In the unit of the signal.
struct SensorError {
  double noise = 0.0;  // standard deviation
  double step = 0.0;   // of the converter; 0: none
  double offset = 0.0;
};

struct JointSensors {
  SensorError position;  // rad
  SensorError speed;     // rad/s
  SensorError pressure;  // of the motors' ports [Pa]
};

// number: of this sample of this signal, for its noise.
inline double sensed(const SensorError& error, double value, std::uint64_t number) {
  double out = value;
  if (error.offset != 0.0) out += error.offset;
  if (error.noise != 0.0) out += error.noise * gaussian(number);
  if (error.step != 0.0) out = error.step * std::round(out / error.step);
  return out;
}

}  // namespace knuckleboom::emulation
