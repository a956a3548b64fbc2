#include "knuckleboom/core/emulation/tuning.hpp"

#include "knuckleboom/core/emulation/emulation.hpp"

namespace knuckleboom::emulation {

Tuning tuning_of(const EmulationPlan& plan) {
  Tuning t{};
  t.acceleration_scheme = plan.scheme == Scheme::kAcceleration ? 1.0 : 0.0;
  t.bandwidth_Hz = plan.gains.bandwidth_Hz;
  t.damping = plan.gains.damping;
  t.position_bandwidth_Hz = plan.position_gains.bandwidth_Hz;
  t.position_damping = plan.position_gains.damping;
  t.torque_bandwidth_Hz = plan.torque_bandwidth_Hz;
  t.prediction = plan.prediction ? 1.0 : 0.0;
  t.prediction_filter_s = plan.prediction_filter_s;
  t.observer_Hz = plan.observer_Hz;
  t.friction_share = plan.friction_share;
  t.accommodation_translation = plan.accommodation.translation;
  t.accommodation_rotation = plan.accommodation.rotation;
  t.accommodation_filter_Hz = plan.accommodation.filter_Hz;
  t.operator_acceleration = plan.operator_acceleration;
  t.site_stiffness = plan.site.law.stiffness;
  t.site_relaxation_s = plan.site.law.relaxation_s;
  t.site_friction = plan.site.law.friction;
  t.sensor_delay = plan.sensor.delay;
  t.sensor_force_noise = plan.sensor.force_noise;
  t.sensor_moment_noise = plan.sensor.moment_noise;
  return t;
}

const std::vector<TuningField>& tuning_fields() {
  static const std::vector<TuningField> table = {
      {"control.scheme", "1", "1: acceleration, 0: position", 0.0, 1.0, true,
       &Tuning::acceleration_scheme},
      {"control.bandwidth_Hz", "Hz", "of the drift feedback", 0.0, 500.0, false,
       &Tuning::bandwidth_Hz},
      {"control.damping", "1", "of the drift feedback", 0.0, 10.0, false, &Tuning::damping},
      {"control.position_bandwidth_Hz", "Hz", "of the position scheme", 0.0, 500.0, false,
       &Tuning::position_bandwidth_Hz},
      {"control.position_damping", "1", "of the position scheme", 0.0, 10.0, false,
       &Tuning::position_damping},
      {"control.torque_bandwidth_Hz", "Hz", "of the host's pressure loops", 1.0, 500.0, false,
       &Tuning::torque_bandwidth_Hz},
      {"control.prediction", "1", "1: the force is carried forward over the delays", 0.0, 1.0, true,
       &Tuning::prediction},
      {"control.prediction_filter_s", "s", "of the force's slope", 0.0, 1.0, false,
       &Tuning::prediction_filter_s},
      {"control.observer_Hz", "Hz", "below it the sensor is believed, above it the host's joints",
       0.1, 500.0, false, &Tuning::observer_Hz},
      {"control.friction_share", "1", "of the seals' friction by its law that is counted on", 0.0,
       2.0, false, &Tuning::friction_share},
      {"accommodation.m_per_s_per_N", "m/(s N)", "speed that a force gives", 0.0, 1.0, false,
       &Tuning::accommodation_translation},
      {"accommodation.rad_per_s_per_N_m", "rad/(s N m)", "rate that a moment gives", 0.0, 10.0,
       false, &Tuning::accommodation_rotation},
      {"accommodation.filter_Hz", "Hz", "of the force", 0.01, 500.0, false,
       &Tuning::accommodation_filter_Hz},
      {"operator_acceleration_m_per_s2", "m/s^2", "of the operator's speed", 1e-4, 100.0, false,
       &Tuning::operator_acceleration},
      {"site.stiffness_N_per_m", "N/m", "of the contact", 1.0, 1e9, false, &Tuning::site_stiffness},
      {"site.relaxation_s", "s", "of the contact", 0.0, 1.0, false, &Tuning::site_relaxation_s},
      {"site.friction", "1", "of the contact", 0.0, 2.0, false, &Tuning::site_friction},
      {"sensor.delay_ticks", "ticks", "of the force sensor", 0.0, kMaxSensorDelay, true,
       &Tuning::sensor_delay},
      {"sensor.force_noise_N", "N", "standard deviation of each axis", 0.0, 1e4, false,
       &Tuning::sensor_force_noise},
      {"sensor.moment_noise_N_m", "N m", "standard deviation of each axis", 0.0, 1e4, false,
       &Tuning::sensor_moment_noise},
  };
  return table;
}

}  // namespace knuckleboom::emulation
