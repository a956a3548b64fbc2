// Values of an emulation that may be changed during a run. They are part of the state, so that a
// run with recorded changes can be replayed.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::emulation {

struct EmulationPlan;

struct Tuning {
  double acceleration_scheme;  // 1; 0: the position is tracked
  double bandwidth_Hz, damping;
  double position_bandwidth_Hz, position_damping;
  double torque_bandwidth_Hz;
  double prediction;  // 1 or 0
  double prediction_filter_s;
  double observer_Hz;
  double friction_share;
  double accommodation_translation;  // m/(s N)
  double accommodation_rotation;     // rad/(s N m)
  double accommodation_filter_Hz;
  double operator_acceleration;  // m/s^2
  double site_stiffness;         // N/m
  double site_relaxation_s;
  double site_friction;
  double sensor_delay;  // samples
  double sensor_force_noise, sensor_moment_noise;
};
constexpr auto state_fields(const Tuning* /*type*/) {
  using S = Tuning;
  return state::fields_of<S>(
      KB_FIELD(acceleration_scheme), KB_FIELD(bandwidth_Hz), KB_FIELD(damping),
      KB_FIELD(position_bandwidth_Hz), KB_FIELD(position_damping), KB_FIELD(torque_bandwidth_Hz),
      KB_FIELD(prediction), KB_FIELD(prediction_filter_s), KB_FIELD(observer_Hz),
      KB_FIELD(friction_share), KB_FIELD(accommodation_translation),
      KB_FIELD(accommodation_rotation), KB_FIELD(accommodation_filter_Hz),
      KB_FIELD(operator_acceleration), KB_FIELD(site_stiffness), KB_FIELD(site_relaxation_s),
      KB_FIELD(site_friction), KB_FIELD(sensor_delay), KB_FIELD(sensor_force_noise),
      KB_FIELD(sensor_moment_noise));
}

Tuning tuning_of(const EmulationPlan& plan);

// One of them, named as in the emulation file, with its SI unit.
struct TuningField {
  const char* name;
  const char* unit;
  const char* description;
  double least, most;
  bool whole;
  double Tuning::*value;
};
const std::vector<TuningField>& tuning_fields();

}  // namespace knuckleboom::emulation
