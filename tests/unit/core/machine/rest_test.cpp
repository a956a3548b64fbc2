#include "knuckleboom/core/machine/rest.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "knuckleboom/core/sim/simulation.hpp"

namespace knuckleboom {
namespace {

using machine::MachineModel;
using multibody::Body;
using multibody::JointType;

// A point mass on a rod of 2 m about a level axis; q = 0 is level, up positive.
Body rod(double stop_stiffness = 0.0) {
  Body body;
  body.name = body.joint_name = "rod";
  body.type = JointType::kRevolute;
  body.axis_B = -Vec3::UnitY();
  body.inertia = {10.0, Vec3(2.0, 0.0, 0.0), Vec3(1.0, 1.0, 1.0).asDiagonal()};
  if (stop_stiffness > 0.0) {
    body.lower = -1.0;
    body.upper = 1.0;
    body.stop_stiffness = stop_stiffness;
  }
  return body;
}

MachineModel machine_of(const std::vector<Body>& bodies) {
  MachineModel model;
  for (const Body& body : bodies) model.tree.add_body(body);
  EXPECT_TRUE(machine::finish(model).empty());
  return model;
}

TEST(Rest, HangsDownFromAnywhere) {
  const MachineModel model = machine_of({rod()});
  const bool free[kMaxLinks] = {true};
  for (const double start : {0.0, -1.5, 3.0, 10.0, 0.5 * std::numbers::pi}) {
    double q[kMaxLinks] = {start};
    ASSERT_EQ(machine::find_rest(model, free, q), -1);
    EXPECT_NEAR(std::cos(q[0]), 0.0, 1e-11) << start;
    EXPECT_LT(std::sin(q[0]), 0.0) << start;
  }
}

TEST(Rest, LeansOnItsStop) {
  // Lower than its stop by the angle at which the spring carries the weight.
  const MachineModel model = machine_of({rod(5000.0)});
  const bool free[kMaxLinks] = {true};
  double q[kMaxLinks] = {0.3};
  ASSERT_EQ(machine::find_rest(model, free, q), -1);
  EXPECT_LT(q[0], -1.0);
  EXPECT_NEAR(5000.0 * (-1.0 - q[0]), 10.0 * 9.81 * 2.0 * std::cos(q[0]), 1e-7);
}

TEST(Rest, OthersStay) {
  Body upper = rod();
  Body lower = rod();
  lower.name = lower.joint_name = "lower";
  lower.parent = 0;
  lower.in_parent.p = Vec3(2.0, 0.0, 0.0);
  const MachineModel model = machine_of({upper, lower});
  const bool free[kMaxLinks] = {false, true};
  double q[kMaxLinks] = {0.7, 0.0};
  ASSERT_EQ(machine::find_rest(model, free, q), -1);
  EXPECT_EQ(q[0], 0.7);
  EXPECT_NEAR(q[0] + q[1], -0.5 * std::numbers::pi, 1e-11);
}

TEST(Rest, ATurntableStaysWhereItIs) {
  Body table = rod();
  table.axis_B = Vec3::UnitZ();
  const MachineModel model = machine_of({table});
  const bool free[kMaxLinks] = {true};
  double q[kMaxLinks] = {0.4};
  EXPECT_EQ(machine::find_rest(model, free, q), -1);
  EXPECT_EQ(q[0], 0.4);
}

TEST(Rest, AFallingSliderHasNone) {
  Body slider = rod();
  slider.type = JointType::kPrismatic;
  slider.axis_B = Vec3::UnitZ();
  const MachineModel model = machine_of({slider});
  const bool free[kMaxLinks] = {true};
  double q[kMaxLinks] = {0.0};
  EXPECT_EQ(machine::find_rest(model, free, q), 0);
  EXPECT_THROW(sim::Simulation(model, command::Scenario{}), std::invalid_argument);
  command::Scenario given;
  given.initial.emplace_back();
  given.initial.back().joint = "rod";
  EXPECT_NO_THROW(sim::Simulation(model, given));
}

}  // namespace
}  // namespace knuckleboom
