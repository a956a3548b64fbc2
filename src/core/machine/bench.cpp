#include "knuckleboom/core/machine/bench.hpp"

#include <algorithm>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/math/trig.hpp"
#include "linkage.hpp"

namespace knuckleboom::machine {
namespace {

multibody::Body load_body(const Bench& bench, const EndStops& stops) {
  multibody::Body body;
  body.name = body.joint_name = kBenchJoint;
  body.axis_B = Vec3::UnitX();
  body.damping = bench.viscous;
  body.stiffness = bench.spring;
  body.rest = bench.spring_rest;
  body.type = bench.turning ? multibody::JointType::kRevolute : multibody::JointType::kPrismatic;
  body.inertia.mass = bench.load;
  body.inertia.about_com = bench.load * Mat3::Identity();
  if (stops.enabled) {
    body.lower = stops.x_min;
    body.upper = stops.x_max;
  }
  if (bench.wall) {
    constexpr double kFar = 1e6;  // m, rad: the other side is open
    body.lower = stops.enabled ? stops.x_min : bench.wall_position - kFar;
    body.upper = bench.wall_position;
    body.stop_stiffness = bench.wall_stiffness;
    body.stop_damping = bench.wall_damping;
  }
  return body;
}

// Ends of a cylinder that has none in its machine: as far as it goes there, and metal on metal that yields by a
// millimetre under the pump's pressure.
EndStops stroke_of(const MachineModel& machine, const Actuator& actuator) {
  EndStops stops = actuator.stops;
  if (stops.enabled || actuator.circuit.kind != hydraulics::ActuatorKind::kCylinder) return stops;
  const multibody::Body& body = machine.tree.body(machine.tree.link(actuator.link).body);
  const Linkage& linkage = actuator.linkage;
  if (linkage.kind == LinkageKind::kPins) {
    stops.x_min = linkage.length_min;
    stops.x_max = linkage.length_max;
  } else if (body.upper > body.lower) {
    const double a = linkage_at(linkage, body.lower).x, b = linkage_at(linkage, body.upper).x;
    stops.x_min = std::min(a, b);
    stops.x_max = std::max(a, b);
  }
  if (!(stops.x_max > stops.x_min)) return stops;
  constexpr double kYield = 1e-3;    // m
  constexpr double kSettles = 1e-3;  // s, of the spring and its damper
  stops.enabled = true;
  stops.stiffness = machine.supply.pump_Pa * hydraulics::area1(actuator.circuit) / kYield;
  stops.damping = stops.stiffness * kSettles;
  return stops;
}

}  // namespace

MachineModel make_bench(const MachineModel& machine, const Bench& bench,
                        std::vector<std::string>& faults) {
  MachineModel rig;
  rig.name = machine.name;
  rig.description = machine.description;
  rig.supply = machine.supply;
  rig.air = machine.air;
  rig.closed_valve = machine.closed_valve;
  rig.tau_Q = machine.tau_Q;
  rig.sources = machine.sources;
  const double gravity = machine.tree.gravity_W.norm();
  const SinCos slope = sin_cos(bench.slope);
  rig.tree.gravity_W = Vec3(-gravity * slope.sin, 0.0, -gravity * slope.cos);

  const Actuator* actuator = nullptr;
  std::size_t index = 0;
  for (std::size_t k = 0; k < machine.actuators.size(); ++k)
    if (machine.actuators[k].name == bench.actuator) {
      actuator = &machine.actuators[k];
      index = k;
    }
  if (actuator == nullptr && !bench.actuator.empty()) {
    faults.push_back("machine '" + machine.name + "' has no actuator '" + bench.actuator +
                     "' to put on the bench");
    return rig;
  }
  if (actuator != nullptr) {
    const bool motor = actuator->circuit.kind == hydraulics::ActuatorKind::kMotor;
    if (motor != bench.turning) {
      faults.push_back("actuator '" + actuator->name +
                       (motor ? "' is a motor and turns its load; give the load's inertia (kg_m2)"
                              : "' is a cylinder and slides its load; give the load's mass (kg)"));
      return rig;
    }
  }
  const EndStops stops = actuator != nullptr ? stroke_of(machine, *actuator) : EndStops{};
  rig.tree.add_body(load_body(bench, stops));
  rig.joint_friction = {bench.friction};
  if (actuator != nullptr) {
    const bool direct = actuator->linkage.kind == LinkageKind::kDirect;
    rig.actuators = {*actuator};
    rig.actuators[0].link = 0;
    rig.actuators[0].stops = stops;
    rig.actuators[0].linkage = Linkage{};
    control::PidGains gains = machine.controllers[index];
    if (!direct) gains.Kp = gains.Ki = gains.Kd = gains.feed_forward = 0.0;
    rig.controllers = {bench.controller.value_or(gains)};
  }
  for (std::string& fault : finish(rig)) faults.push_back("the bench: " + std::move(fault));
  return rig;
}

}  // namespace knuckleboom::machine
