#include "knuckleboom/core/machine/joint_law.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "knuckleboom/core/integration/fitted_theta.hpp"

namespace knuckleboom::joint_law_test {
namespace {

using machine::Fidelity;
using machine::MachineModel;
using machine::MachineState;

constexpr double kMass = 4.0, kStep = 1e-3, kDamping = 900.0, kStop = 8000.0;

// A mass on a level slide with a damper, past the end of its way.
MachineModel slide() {
  MachineModel model;
  multibody::Body body;
  body.name = body.joint_name = "slide";
  body.type = multibody::JointType::kPrismatic;
  body.axis_B = Vec3::UnitX();
  body.inertia.mass = kMass;
  body.lower = -1.0;
  body.upper = 0.0;
  body.damping = kDamping;
  body.stop_stiffness = 1e5;
  body.stop_damping = kStop;
  model.tree.add_body(body);
  EXPECT_TRUE(machine::finish(model).empty());
  return model;
}

MachineState moving(const MachineModel& model, double q, double v) {
  MachineState state{};
  state.q[0] = q;
  state.v[0] = v;
  state.inertia[0] = nth(model.tree.link_inertias(), 0);
  return state;
}

// At a stop that is fast within a step all laws of the joint act with the weights that it has chosen: those of
// start and end add up to one.
TEST(JointLaw, WeightsAddUpToOneAtAStop) {
  const MachineModel model = slide();
  for (const Fidelity fidelity : {Fidelity::kReduced, Fidelity::kPaper}) {
    const double q = 0.02, v = 0.3;
    MachineState state = moving(model, q, v);
    machine::Stepper(model, kStep).step(fidelity, state);
    const double theta = integration::fitted_theta(kStep * kStop / kMass);
    ASSERT_GT(theta, 0.6);
    const auto force = [&](double at, double speed) {
      return machine::stop_force(nth(model.joint_stops, 0), at, speed, 0.0).force -
             kDamping * speed;
    };
    const double end = q + kStep * ((1.0 - theta) * v + theta * state.v[0]);
    EXPECT_NEAR(state.q[0], end, 1e-15);
    EXPECT_NEAR(kMass * (state.v[0] - v) / kStep,
                (1.0 - theta) * force(q, v) + theta * force(end, state.v[0]), 1e-9);
  }
}

// What the laws take is what the bodies lose; over a blow against the stop, to the error of the step.
TEST(JointLaw, BooksABlow) {
  const MachineModel model = slide();
  for (const Fidelity fidelity : {Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper}) {
    MachineState state = moving(model, -0.001, 2.0);
    const machine::Stepper stepper(model, 1e-4);
    const double before = 0.5 * kMass * 2.0 * 2.0;
    for (int k = 0; k < 1000; ++k) stepper.step(fidelity, state);
    const double after = 0.5 * kMass * state.v[0] * state.v[0];
    EXPECT_LT(after, 0.01 * before);
    EXPECT_GT(state.energy.stops, 0.1 * before);
    EXPECT_GT(state.energy.friction, 0.1 * before);
    EXPECT_NEAR(state.energy.stops + state.energy.friction, before - after, 0.01 * before);
  }
}

}  // namespace
}  // namespace knuckleboom::joint_law_test
