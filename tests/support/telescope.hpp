// Slides along one direction, and a telescope of two stages: a cylinder drives the first, a chain the second.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/machine/model.hpp"
#include "support/machines.hpp"

namespace knuckleboom::test {

inline multibody::Body sliding(const std::string& name, int parent, double mass,
                               const Vec3& along = Vec3::UnitX()) {
  multibody::Body body;
  body.name = body.joint_name = name;
  body.parent = parent;
  body.type = multibody::JointType::kPrismatic;
  body.axis_B = along;
  body.lower = 0.0;
  body.upper = 2.0;
  body.inertia.mass = mass;
  return body;
}

// A cylinder along a slide.
inline void add_cylinder(machine::MachineModel& model, int link) {
  machine::Actuator actuator;
  actuator.name = model.joint_name(link);
  actuator.link = link;
  actuator.circuit = reference_cylinder(0.09, 0.06, 7e-12, 6e-12);
  actuator.circuit.protection.enabled = false;
  model.actuators.push_back(actuator);
  control::PidGains gains;
  gains.Kp = 40.0;
  model.controllers.push_back(gains);
}

// Each stage moves on the one before; ratio 1: the tip moves twice as far as the cylinder.
inline machine::MachineModel telescope(double m1, double m2, const Vec3& along) {
  machine::MachineModel model;
  model.name = "telescope";
  model.tree.add_body(sliding("stage1", multibody::kBase, m1, along));
  model.tree.add_body(sliding("stage2", 0, m2, along));
  model.couplings.push_back({1, 0, 1.0, 0.0});
  add_cylinder(model, 0);
  model.tip_body = 1;
  finish(model);
  return model;
}

}  // namespace knuckleboom::test
