#include "knuckleboom/core/machine/bench.hpp"

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/math/trig.hpp"

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

}  // namespace

MachineModel make_bench(const MachineModel& machine, const Bench& bench,
                        std::vector<std::string>& faults) {
  MachineModel rig;
  rig.name = machine.name;
  rig.description = machine.description;
  rig.supply = machine.supply;
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
  const EndStops stops = actuator != nullptr ? actuator->stops : EndStops{};
  rig.tree.add_body(load_body(bench, stops));
  rig.joint_friction = {bench.friction};
  if (actuator != nullptr) {
    const bool direct = actuator->linkage.kind == LinkageKind::kDirect;
    rig.actuators = {*actuator};
    rig.actuators[0].link = 0;
    rig.actuators[0].linkage = Linkage{};
    control::PidGains gains = machine.controllers[index];
    if (!direct) gains.Kp = gains.Ki = gains.Kd = gains.feed_forward = 0.0;
    rig.controllers = {bench.controller.value_or(gains)};
  }
  for (std::string& fault : finish(rig)) faults.push_back("the bench: " + std::move(fault));
  return rig;
}

}  // namespace knuckleboom::machine
