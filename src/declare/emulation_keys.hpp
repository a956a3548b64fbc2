// Keys of emulation files.
#pragma once

#include "declare/scenario_keys.hpp"
#include "knuckleboom/core/emulation/emulation.hpp"
#include "knuckleboom/declare/key.hpp"

namespace knuckleboom::declare::keys {

namespace rates {
using emulation::EmulationPlan;
using emulation::Integrator;
inline constexpr Word kIntegrators[] = {
    word("real_time_step", Integrator::kRealTimeStep),
    word("explicit_euler", Integrator::kExplicitEuler, "for machines without hydraulics")};
inline constexpr Key all[] = {
    number("tick", D::kTime, {1e-4, 4e-3}, "of the host's control").to<&EmulationPlan::tick_s>(),
    whole("plant_substeps", 1, 64, "steps of the host's plant and of the contact in a tick")
        .to<&EmulationPlan::plant_substeps>(),
    whole("emulated_every", 1, 16, "ticks in a step of the emulated machine")
        .to<&EmulationPlan::emulated_every>(),
    word_of("emulated_integrator", kIntegrators, "").to<&EmulationPlan::integrator>(),
};
inline constexpr KeyTable table{"emulation.rates", "[rates]", all};
}  // namespace rates

namespace site {
using emulation::ContactLaw;
using emulation::SiteKind;
using emulation::Worksite;
inline constexpr Range kSmall{0.0, 10.0, true};  // m
inline constexpr Word kKinds[] = {word("plane", SiteKind::kPlane), word("hole", SiteKind::kHole)};
inline constexpr Key hole_radius =
    number("hole_radius", D::kLength, kSmall, "").just("hole").must().to<&Worksite::hole_radius>();
inline constexpr Key depth =
    number("depth", D::kLength, kSmall, "").just("hole").must().to<&Worksite::depth>();
inline constexpr Key all[] = {
    kind_of(kKinds, "").to<&Worksite::kind>(),
    hole_radius,
    number("chamfer", D::kLength, {0.0, 1.0}, "as wide as deep")
        .just("hole")
        .must()
        .to<&Worksite::chamfer>(),
    depth,
    number("stiffness", D::kStiffness, {1.0, 1e9}, "of the contact")
        .must()
        .to<&Worksite::law, &ContactLaw::stiffness>(),
    number("relaxation", D::kTime, {0.0, 1.0}, "damping over stiffness")
        .to<&Worksite::law, &ContactLaw::relaxation_s>(),
    plain("friction", {0.0, 2.0}, "Coulomb").to<&Worksite::law, &ContactLaw::friction>(),
};
inline constexpr KeyTable table{"emulation.site", "[site]", all};
}  // namespace site

namespace peg {
using emulation::EmulationPlan;
using emulation::Peg;
inline constexpr Key start =
    vector(
        "start", D::kLength,
        "where its end starts, seen from the site: z points into the material, so it is negative")
        .must()
        .to<&EmulationPlan::start_S>();
inline constexpr Key misalignment =
    vector("misalignment", D::kAngle, "rotation of the peg against the site, about the site's axes")
        .to<&EmulationPlan::misalignment_S>()
        .otherwise("none");
inline constexpr Key all[] = {
    number("radius", D::kLength, site::kSmall, "").must().to<&EmulationPlan::peg, &Peg::radius>(),
    number("length", D::kLength, site::kSmall, "").must().to<&EmulationPlan::peg, &Peg::length>(),
    start,
    misalignment,
};
inline constexpr KeyTable table{"emulation.peg", "[peg]", all};
}  // namespace peg

namespace sensor {
using emulation::ForceSensor;
using emulation::Wrench;
inline constexpr Key all[] = {
    number("force_noise", D::kForce, kNonNegative, "standard deviation of each axis")
        .to<&ForceSensor::force_noise>(),
    number("moment_noise", D::kTorque, kNonNegative, "standard deviation of each axis")
        .to<&ForceSensor::moment_noise>(),
    vector("force_bias", D::kForce, "three numbers")
        .to<&ForceSensor::bias, &Wrench::force>()
        .otherwise("0"),
    vector("moment_bias", D::kTorque, "three numbers")
        .to<&ForceSensor::bias, &Wrench::moment>()
        .otherwise("0"),
    whole("delay_ticks", 0, emulation::kMaxSensorDelay, "").to<&ForceSensor::delay>(),
    whole("seed", 0, std::numeric_limits<int>::max(), "of the noise").to<&ForceSensor::seed>(),
};
inline constexpr KeyTable table{"emulation.sensor", "[sensor]", all};
}  // namespace sensor

namespace joint_sensors {
using emulation::JointSensors;
using emulation::SensorError;
inline constexpr Key all[] = {
    number("position_noise", D::kAngle, kNonNegative, "standard deviation")
        .to<&JointSensors::position, &SensorError::noise>(),
    number("position_step", D::kAngle, kNonNegative, "of the encoder; 0: none")
        .to<&JointSensors::position, &SensorError::step>(),
    number("position_offset", D::kAngle, {-1.0, 1.0}, "of every joint")
        .to<&JointSensors::position, &SensorError::offset>(),
    number("speed_noise", D::kAngularSpeed, kNonNegative, "standard deviation")
        .to<&JointSensors::speed, &SensorError::noise>(),
    number("speed_step", D::kAngularSpeed, kNonNegative, "0: none")
        .to<&JointSensors::speed, &SensorError::step>(),
    number("speed_offset", D::kAngularSpeed, {-1.0, 1.0}, "")
        .to<&JointSensors::speed, &SensorError::offset>(),
    number("pressure_noise", D::kPressure, kNonNegative, "standard deviation")
        .to<&JointSensors::pressure, &SensorError::noise>(),
    number("pressure_step", D::kPressure, kNonNegative, "of the converter; 0: none")
        .to<&JointSensors::pressure, &SensorError::step>(),
    number("pressure_offset", D::kPressure, {-1e7, 1e7}, "of every port")
        .to<&JointSensors::pressure, &SensorError::offset>(),
};
inline constexpr KeyTable table{"emulation.joint_sensors", "[joint_sensors]", all};
}  // namespace joint_sensors

namespace delays {
using emulation::PathDelay;
using emulation::PathDelays;
inline constexpr Range kDelay{0.0, 0.02};   // s
inline constexpr Range kJitter{0.0, 0.01};  // s
inline constexpr Key all[] = {
    number("joint_sensors", D::kTime, kDelay,
           "of the host's joints and pressures on their way to its control")
        .to<&PathDelays::joint_sensors, &PathDelay::delay_s>(),
    number("joint_sensors_jitter", D::kTime, kJitter, "more than that at most, by chance")
        .to<&PathDelays::joint_sensors, &PathDelay::jitter_s>(),
    number("force", D::kTime, kDelay, "of the measured wrench, besides `sensor.delay_ticks`")
        .to<&PathDelays::force, &PathDelay::delay_s>(),
    number("force_jitter", D::kTime, kJitter, "likewise")
        .to<&PathDelays::force, &PathDelay::jitter_s>(),
    number("valves", D::kTime, kDelay, "of the commands to the host's drives")
        .to<&PathDelays::valves, &PathDelay::delay_s>(),
    number("valves_jitter", D::kTime, kJitter, "likewise")
        .to<&PathDelays::valves, &PathDelay::jitter_s>(),
    number("emulated", D::kTime, kDelay,
           "of the emulated tip's motion on its way to the host's control")
        .to<&PathDelays::emulated, &PathDelay::delay_s>(),
    number("emulated_jitter", D::kTime, kJitter, "likewise")
        .to<&PathDelays::emulated, &PathDelay::jitter_s>(),
};
inline constexpr KeyTable table{"emulation.delays", "[delays]", all};
}  // namespace delays

namespace tip_control {
using emulation::EmulationPlan;
using emulation::Scheme;
using emulation::TipGains;
inline constexpr Range kBandwidth{0.0, 500.0}, kDamping{0.0, 10.0};
inline constexpr Word kSchemes[] = {word("acceleration", Scheme::kAcceleration),
                                    word("position", Scheme::kPosition)};
inline constexpr Key all[] = {
    word_of("scheme", kSchemes, "").to<&EmulationPlan::scheme>(),
    number("bandwidth", D::kFrequency, kBandwidth, "of the acceleration scheme's drift feedback")
        .to<&EmulationPlan::gains, &TipGains::bandwidth_Hz>(),
    plain("damping", kDamping, "of the same").to<&EmulationPlan::gains, &TipGains::damping>(),
    number("position_bandwidth", D::kFrequency, kBandwidth, "of the position scheme")
        .to<&EmulationPlan::position_gains, &TipGains::bandwidth_Hz>(),
    plain("position_damping", kDamping, "of the same")
        .to<&EmulationPlan::position_gains, &TipGains::damping>(),
    number("torque_bandwidth", D::kFrequency, {1.0, 500.0}, "of the host's pressure loops")
        .to<&EmulationPlan::torque_bandwidth_Hz>(),
    flag("prediction", "carries the measured force forward over the loop's delay")
        .to<&EmulationPlan::prediction>(),
    number("prediction_filter", D::kTime, {0.0, 1.0}, "of the slope that this takes")
        .to<&EmulationPlan::prediction_filter_s>(),
    number("observer", D::kFrequency, {0.1, 500.0},
           "below it the force sensor is believed, above it the host's joints")
        .to<&EmulationPlan::observer_Hz>(),
    plain("friction_share", {0.0, 2.0},
          "of the seals' friction by its law that the host's control counts on; 0: only what it "
          "finds")
        .to<&EmulationPlan::friction_share>(),
};
inline constexpr KeyTable table{"emulation.control", "[control]", all};
}  // namespace tip_control

namespace accommodation {
inline constexpr Key speed =
    number("speed", D::kSpeed, kNonNegative, "by which it gives way").must();
inline constexpr Key force = number("force", D::kForce, kPositive, "at this force").must();
inline constexpr Key turn =
    number("turn", D::kAngularSpeed, kNonNegative, "by which it turns").must();
inline constexpr Key moment = number("moment", D::kTorque, kPositive, "at this moment").must();
inline constexpr Key all[] = {
    speed,
    force,
    turn,
    moment,
    number("filter", D::kFrequency, {0.01, 500.0}, "of the force")
        .to<&emulation::Accommodation::filter_Hz>(),
};
inline constexpr KeyTable table{"emulation.accommodation", "[accommodation]", all};
}  // namespace accommodation

namespace safety {
using emulation::SafetyLimits;
inline constexpr Range kTime{1e-3, 3600.0};
inline constexpr Key all[] = {
    number("most_force", D::kForce, kPositive,
           "of the measured force; in the shipped emulations 400 N to 5 kN")
        .to<&SafetyLimits::most_force>()
        .otherwise("none"),
    number("most_tip_error", D::kLength, kPositive, "between the host's tip and where it should be")
        .to<&SafetyLimits::most_tip_error>(),
    number("late_tick", D::kTime, kTime, "of a tick that starts late in real time")
        .to<&SafetyLimits::late_tick_s>(),
    number("console", D::kTime, kTime, "without a sign of life of the console")
        .to<&SafetyLimits::console_s>(),
    number("stale_stop", D::kTime, kTime, "that a hold because of a silent signal may last")
        .to<&SafetyLimits::stale_stop_s>(),
    number("swing", D::kLength, kPositive,
           "of the host's tip about the emulated one, from peak to peak, in an oscillation that "
           "lasts or grows for three periods")
        .to<&SafetyLimits::swing>(),
    plain("force_share", {0.0, 10.0, true},
          "of `most_force`, the same of the measured force, from 10 Hz on")
        .to<&SafetyLimits::force_share>(),
    number("energy_budget", D::kEnergy, kPositive,
           "that the loop may add at once; from half of it on the emulated tip is damped")
        .to<&SafetyLimits::energy_budget>(),
    number("let_go_force", D::kForce, kPositive,
           "a stop at more than this moves the host away from the contact before its brakes close")
        .to<&SafetyLimits::let_go_force>(),
};
inline constexpr KeyTable table{"emulation.safety", "[safety]", all};
}  // namespace safety

namespace phase {
using emulation::Phase;
inline constexpr Key all[] = {
    text("name", "").must().to<&Phase::name>(),
    number("duration", D::kTime, {0.0, 1e4, true}, "the longest it takes")
        .must()
        .to<&Phase::duration_s>(),
    vector("velocity", D::kSpeed, "of the emulated tip, seen from the site")
        .must()
        .to<&Phase::velocity_S>(),
    number("until_depth", D::kLength, kAny, "it ends when the peg's end is that deep")
        .to<&Phase::until_depth>()
        .otherwise("none"),
    number("until_force", D::kForce, kPositive, "or when that pushes against it")
        .to<&Phase::until_force>()
        .otherwise("none"),
};
inline constexpr KeyTable table{"emulation.phase", "[[phase]]", all};
}  // namespace phase

namespace emulation_file {
using emulation::EmulationPlan;
inline constexpr Key host = text("host",
                                 "machine with six joints one after the other; each has a motor of "
                                 "its own, or none has any: torques are then perfect")
                                .must();
inline constexpr Key emulated =
    text("emulated",
         "machine whose tip is played. Each joint has a hydraulic actuator, or a spring whose far "
         "end is its motor. From six joints on its tip's orientation is played as well; with fewer "
         "the host's tool keeps the one it starts with")
        .must();
inline constexpr Key plant =
    texts("plant", kMaxEntries,
          "the host as it is, where it differs from its file, which its control goes by: "
          "assignments to keys of that file, as `body.hand.mass_kg=15`; `--set plant.KEY=VALUE` "
          "adds one");
inline constexpr Key host_start =
    named("host_start", initial::table, "as `[initial.JOINT]` of a scenario");
inline constexpr Key emulated_start = named("emulated_start", initial::table, "likewise");
inline constexpr Key rates = table("rates", keys::rates::table, "below");
inline constexpr Key site = table("site", keys::site::table, "below").must();
inline constexpr Key peg = table("peg", keys::peg::table, "below").must();
inline constexpr Key sensor = table("sensor", keys::sensor::table, "below");
inline constexpr Key joint_sensors =
    table("joint_sensors", keys::joint_sensors::table, "of the host, below");
inline constexpr Key delays = table("delays", keys::delays::table, "below");
inline constexpr Key control = table("control", tip_control::table, "below");
inline constexpr Key accommodation = table("accommodation", keys::accommodation::table, "below");
inline constexpr Key safety = table("safety", keys::safety::table, "below");
inline constexpr Key phases = tables("phase", phase::table, kMaxEntries, "one after the other");
inline constexpr Key all[] = {
    keys::name("").to<&EmulationPlan::name>(),
    description().to<&EmulationPlan::description>(),
    host,
    emulated,
    plant,
    number("operator_acceleration", D::kAcceleration, kPositive,
           "how fast the operator's speed changes")
        .usually(1e-4, 100.0, "slower takes hours, faster than any hand")
        .to<&EmulationPlan::operator_acceleration>(),
    host_start,
    emulated_start,
    rates,
    site,
    peg,
    sensor,
    joint_sensors,
    delays,
    control,
    accommodation,
    safety,
    phases,
};
inline constexpr KeyTable table{"emulation", "", all};
}  // namespace emulation_file

}  // namespace knuckleboom::declare::keys
