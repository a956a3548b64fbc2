#include "knuckleboom/core/machine/equations.hpp"

#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "knuckleboom/core/integration/fitted_theta.hpp"
#include "knuckleboom/core/machine/joint_law.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "support/error_norm.hpp"
#include "support/machines.hpp"
#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

using hydraulics::LineModel;
using machine::EndStops;
using machine::StopForce;

EndStops stops() {
  EndStops s;
  s.enabled = true;
  s.x_min = 1.0;
  s.x_max = 2.0;
  s.cushion = 0.1;
  s.cushion_damping = 4e5;
  s.stiffness = 5e7;
  s.damping = 5e5;
  return s;
}

TEST(EndStop, ByHand) {
  const EndStops s = stops();
  // Free in between, and off altogether.
  EXPECT_EQ(machine::stop_force(s, 1.5, 3.0, 0.0).force, 0.0);
  EndStops off = s;
  off.enabled = false;
  EXPECT_EQ(machine::stop_force(off, 3.0, 3.0, 0.0).force, 0.0);
  // Half into the cushion: half its damping, on the way in only.
  EXPECT_NEAR(machine::stop_force(s, 1.95, 0.2, 0.0).force, -0.5 * 4e5 * 0.2, 1e-6);
  EXPECT_EQ(machine::stop_force(s, 1.95, -0.2, 0.0).force, 0.0);
  EXPECT_NEAR(machine::stop_force(s, 1.05, -0.2, 0.0).force, 0.5 * 4e5 * 0.2, 1e-6);
  EXPECT_FALSE(machine::stop_force(s, 1.95, 0.2, 0.0).active);
  // Beyond: spring, damper and the whole cushion.
  const StopForce deep = machine::stop_force(s, 2.01, 0.1, 0.0);
  EXPECT_TRUE(deep.active);
  EXPECT_NEAR(deep.force, -(5e7 * 0.01 + 5e5 * 0.1 + 4e5 * 0.1), 1e-3);
  EXPECT_NEAR(machine::stop_force(s, 0.99, -0.1, 0.0).force, -deep.force, 1e-3);
  // On the way out the damper does not pull.
  EXPECT_EQ(machine::stop_force(s, 2.001, -1.0, 0.0).force, 0.0);
  EXPECT_NEAR(machine::stop_force(s, 2.01, -0.5, 0.0).force, -(5e5 - 2.5e5), 1e-3);
}

TEST(EndStop, SlopeAgreesWithDifferences) {
  const EndStops s = stops();
  test::Random random(1);
  const double g = 3e-4;
  for (int k = 0; k < 20000; ++k) {
    const double x_star = random.uniform(0.95, 2.05), x_dot = random.uniform(-0.5, 0.5);
    const auto at = [&](double v) { return machine::stop_force(s, x_star + g * v, v, g); };
    const double d = 1e-7;
    const StopForce low = at(x_dot - d), high = at(x_dot + d), here = at(x_dot);
    const bool kink = low.active != high.active || (low.force == 0.0) != (high.force == 0.0) ||
                      std::fabs(x_dot) < 1e-6;
    if (kink) continue;
    // The cushion's own growth with x is left out of the slope: at most damping times speed per depth.
    const double slack = 4e5 / 0.1 * g * std::fabs(x_dot) + 1.0;
    ASSERT_NEAR(here.dforce, (high.force - low.force) / (2.0 * d), slack) << x_star << ' ' << x_dot;
    ASSERT_LE(here.dforce, 0.0);
  }
}

// The powers balance: the sources' power less the losses goes to the piston and into the oil.
TEST(Powers, Balance) {
  test::Random random(2);
  double worst = 0.0;
  for (const LineModel model :
       {LineModel::kDynamic, LineModel::kResistive, LineModel::kFilling, LineModel::kClosed})
    for (int k = 0; k < 20000; ++k) {
      hydraulics::Circuit c = random.chance(0.5)
                                  ? test::reference_motor()
                                  : test::reference_cylinder(0.125, 0.08, 7e-12, 6e-12);
      // Tight, or the balance shows what the port iteration leaves.
      const auto constants = hydraulics::make_stage(c, 0.0, 1e-6);
      hydraulics::StageInput in{};
      for (int s = 0; s < 2; ++s) {
        in.P_star[s] = random.uniform(-1e5, 26e6);
        in.Q_star[s] = random.uniform(-1e-3, 1e-3);
        in.P_S[s] = random.chance(0.5) ? 20e6 : 0.0;
        in.C_R[s] = random.log_uniform(1e11, 1e15);
      }
      const double x_dot = random.uniform(-0.3, 0.3);
      const double start[2] = {in.P_star[0], in.P_star[1]};
      hydraulics::StageResult out{};
      hydraulics::evaluate_stage(model, constants, in, x_dot, start, out);
      const machine::Powers w = machine::powers(constants, in, out, x_dot);
      double stored = 0.0;
      if (model != LineModel::kResistive)
        for (int s = 0; s < 2; ++s) {
          const double Q = model == LineModel::kClosed ? 0.0 : out.Q[s];
          stored += out.P_C[s] * (Q - out.o_R[s] - out.bypass_C[s]);
          if (model == LineModel::kDynamic)
            stored += Q * (in.P_S[s] - in.C_R[s] * signed_square(Q) - out.P_C[s]);
        }
      const double lost = w.valve + w.line + w.relief + w.leakage;
      const double left = w.pump - lost - out.force * x_dot - stored;
      const double size = std::fabs(w.pump) + std::fabs(lost) + std::fabs(out.force * x_dot) +
                          std::fabs(stored) + 1e-3;
      test::keep_worst(worst, std::fabs(left) / size);
      for (const double loss : {w.valve, w.line, w.relief, w.leakage, w.friction})
        ASSERT_GE(loss, -1e-9 * size);
    }
  std::printf("worst relative balance %.1e\n", worst);
  EXPECT_LT(worst, 1e-9);
}

TEST(Powers, FrictionIsViscous) {
  const auto constants = hydraulics::make_stage(test::reference_motor(), 0.0);
  const hydraulics::StageInput in{};
  const hydraulics::StageResult out{};
  EXPECT_DOUBLE_EQ(machine::powers(constants, in, out, -0.5).friction, 1500.0 * 0.25);
}

TEST(QuasiSteadySpeed, MovesAgainstTheLoadItHeld) {
  // Eq. 17: as much force as the sources have above the load, over the resistances.
  const hydraulics::Circuit c = test::reference_cylinder(0.14, 0.09, 9e-12, 7e-12);
  hydraulics::StageInput in{};
  in.P_S[0] = 20e6;
  in.C_R[0] = in.C_R[1] = 1e13;
  const double D = (1e13 + 4e10) * (std::pow(c.A1, 3) + std::pow(c.A2, 3));
  EXPECT_NEAR(machine::quasi_steady_speed(c, in, 1e5), std::sqrt((20e6 * c.A1 - 1e5) / D), 1e-12);
  EXPECT_EQ(machine::quasi_steady_speed(c, in, 20e6 * c.A1), 0.0);
  EXPECT_LT(machine::quasi_steady_speed(c, in, 20e6 * c.A1 + 1.0), 0.0);
}

constexpr double kSlideMass = 4.0, kSlideStep = 1e-3, kSlideDamping = 900.0,
                 kSlideStopDamping = 8000.0;

// A mass on a level slide with a damper, past the end of its way.
machine::MachineModel damped_slide() {
  machine::MachineModel model;
  multibody::Body body;
  body.name = body.joint_name = "slide";
  body.type = multibody::JointType::kPrismatic;
  body.axis_B = Vec3::UnitX();
  body.inertia.mass = kSlideMass;
  body.lower = -1.0;
  body.upper = 0.0;
  body.damping = kSlideDamping;
  body.stop_stiffness = 1e5;
  body.stop_damping = kSlideStopDamping;
  model.tree.add_body(body);
  EXPECT_TRUE(machine::finish(model).empty());
  return model;
}

machine::MachineState moving(const machine::MachineModel& model, double q, double v) {
  machine::MachineState state{};
  state.q[0] = q;
  state.v[0] = v;
  state.inertia[0] = nth(model.tree.link_inertias(), 0);
  return state;
}

// At a stop that is fast within a step all laws of the joint act with the weights that it has chosen: those of
// start and end add up to one.
TEST(JointLaw, WeightsAddUpToOneAtAStop) {
  const machine::MachineModel model = damped_slide();
  for (const machine::Fidelity fidelity :
       {machine::Fidelity::kReduced, machine::Fidelity::kPaper}) {
    const double q = 0.02, v = 0.3;
    machine::MachineState state = moving(model, q, v);
    machine::Stepper(model, kSlideStep).step(fidelity, state);
    const double theta = integration::fitted_theta(kSlideStep * kSlideStopDamping / kSlideMass);
    ASSERT_GT(theta, 0.6);
    const auto force = [&](double at, double speed) {
      return machine::stop_force(nth(model.joint_stops, 0), at, speed, 0.0).force -
             kSlideDamping * speed;
    };
    const double end = q + kSlideStep * ((1.0 - theta) * v + theta * state.v[0]);
    EXPECT_NEAR(state.q[0], end, 1e-15);
    EXPECT_NEAR(kSlideMass * (state.v[0] - v) / kSlideStep,
                (1.0 - theta) * force(q, v) + theta * force(end, state.v[0]), 1e-9);
  }
}

// The laws take what the bodies lose; over a blow against the stop, to the error of the step.
TEST(JointLaw, BooksABlow) {
  const machine::MachineModel model = damped_slide();
  for (const machine::Fidelity fidelity :
       {machine::Fidelity::kFull, machine::Fidelity::kReduced, machine::Fidelity::kPaper}) {
    machine::MachineState state = moving(model, -0.001, 2.0);
    const machine::Stepper stepper(model, 1e-4);
    const double before = 0.5 * kSlideMass * 2.0 * 2.0;
    for (int k = 0; k < 1000; ++k) stepper.step(fidelity, state);
    const double after = 0.5 * kSlideMass * state.v[0] * state.v[0];
    EXPECT_LT(after, 0.01 * before);
    EXPECT_GT(state.energy.stops, 0.1 * before);
    EXPECT_GT(state.energy.friction, 0.1 * before);
    EXPECT_NEAR(state.energy.stops + state.energy.friction, before - after, 0.01 * before);
  }
}

}  // namespace
}  // namespace knuckleboom
