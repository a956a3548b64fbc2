// A mass on a slide with dry friction and nothing else: closed forms for both real-time models.
#include <cmath>
#include <cstring>
#include <memory>
#include <numbers>

#include <gtest/gtest.h>

#include "knuckleboom/core/friction/friction.hpp"
#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/machine/stepper.hpp"

namespace knuckleboom::step_friction_test {
namespace {

using friction::FrictionModel;
using friction::Kind;
using machine::Fidelity;

constexpr double kMass = 200.0;

FrictionModel coulomb(double F_c, double F_s) {
  FrictionModel m;
  m.kind = Kind::kCoulomb;
  m.F_c = F_c;
  m.F_s = F_s;
  return m;
}
FrictionModel stribeck(double F_c, double F_s, double v_s) {
  FrictionModel m = coulomb(F_c, F_s);
  m.kind = Kind::kStribeck;
  m.v_s = v_s;
  return m;
}
FrictionModel lugre(double F_c, double F_s, double v_s, double sigma_0, double sigma_1) {
  FrictionModel m = stribeck(F_c, F_s, v_s);
  m.kind = Kind::kLuGre;
  m.sigma_0 = sigma_0;
  m.sigma_1 = sigma_1;
  return m;
}

// A slide along x; weight acts along it.
struct Slide {
  machine::MachineModel model;
  std::unique_ptr<machine::Stepper> stepper;
  machine::MachineState state;
  Fidelity fidelity;

  Slide(const FrictionModel& dry, Fidelity f, double weight = 0.0, double h = 1e-3) : fidelity(f) {
    multibody::Body body;
    body.name = "load";
    body.joint_name = "slide";
    body.type = multibody::JointType::kPrismatic;
    body.axis_B = Vec3::UnitX();
    body.inertia.mass = kMass;
    model.tree.add_body(body);
    model.tree.gravity_W = Vec3(weight / kMass, 0.0, 0.0);
    model.joint_friction = {dry};
    EXPECT_TRUE(machine::finish(model).empty());
    std::memset(static_cast<void*>(&state), 0, sizeof state);
    state.inertia[0] = model.tree.link_inertias()[0];
    stepper = std::make_unique<machine::Stepper>(model, h);
    mark_start();
  }
  void mark_start() { state.energy.start = machine::stored_energy(model, state, fidelity); }
  void step(double force = 0.0) { stepper->step(fidelity, state, &force); }
  double residual() const {
    const machine::EnergyLedger& e = state.energy;
    return e.external - e.friction - (machine::stored_energy(model, state, fidelity) - e.start);
  }
  void expect_sound() const {
    EXPECT_EQ(state.health.newton_unconverged, 0);
    EXPECT_EQ(state.health.non_finite, 0);
    EXPECT_EQ(state.health.friction_unsettled, 0);
  }
};

class StepFriction : public ::testing::TestWithParam<Fidelity> {};
INSTANTIATE_TEST_SUITE_P(Both, StepFriction,
                         ::testing::Values(Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper),
                         [](const auto& info) { return machine::word_of(info.param); });

TEST_P(StepFriction, StickingHoldsAWeightToTheBit) {
  for (const FrictionModel& dry : {coulomb(300.0, 400.0), stribeck(300.0, 400.0, 0.01)}) {
    Slide slide(dry, GetParam(), 399.9);
    slide.state.q[0] = 0.123456789;
    for (int k = 0; k < 100000; ++k) slide.step();
    EXPECT_EQ(slide.state.q[0], 0.123456789);
    EXPECT_EQ(slide.state.v[0], 0.0);
    slide.expect_sound();
  }
}

TEST_P(StepFriction, BreaksAwayAtStaticFriction) {
  for (const FrictionModel& dry : {coulomb(300.0, 400.0), stribeck(300.0, 400.0, 0.01)})
    for (const double sign : {1.0, -1.0}) {
      Slide slide(dry, GetParam());
      const double rate = 100.0;  // N/s
      int k = 0;
      while (slide.state.v[0] == 0.0 && k < 10000) slide.step(sign * rate * 1e-3 * ++k);
      EXPECT_NEAR(rate * 1e-3 * k, 400.0, 0.11);
      EXPECT_GT(sign * slide.state.v[0], 0.0);
      slide.expect_sound();
    }
}

// From v_0 to rest by F_c: v_0^2 M / (2 F_c), and it stays there.
TEST_P(StepFriction, SlidesToRestInItsStoppingDistance) {
  for (const double v_0 : {1.0, -0.77}) {
    Slide slide(coulomb(300.0, 400.0), GetParam());
    slide.state.v[0] = v_0;
    slide.state.a[0] = std::copysign(300.0 / kMass, -v_0);
    slide.mark_start();
    for (int k = 0; k < 2000; ++k) slide.step();
    const double distance = std::copysign(v_0 * v_0 * kMass / 600.0, v_0);
    EXPECT_NEAR(slide.state.q[0], distance, 2e-6);
    EXPECT_EQ(slide.state.v[0], 0.0);
    EXPECT_EQ(slide.state.a[0], 0.0);
    EXPECT_NEAR(slide.residual(), 0.0, 1e-9 * kMass * v_0 * v_0);
    slide.expect_sound();
  }
}

// Pushed to and fro beyond static friction: it turns around without pausing longer than a tick.
TEST_P(StepFriction, TurnsAroundUnderAStrongForce) {
  Slide slide(coulomb(300.0, 400.0), GetParam());
  slide.state.v[0] = 0.5;
  slide.mark_start();
  double t_turn = 0.0;
  for (int k = 0; k < 400; ++k) {
    slide.step(-1000.0);
    if (slide.state.v[0] < 0.0 && t_turn == 0.0) t_turn = slide.state.v[0] / (-700.0 / kMass);
  }
  // 1300 N brake it for 1/13 s; then 700 N drive it.
  const double t_stop = 0.5 * kMass / 1300.0;
  const double t = 0.4 - t_stop;
  EXPECT_NEAR(slide.state.v[0], -700.0 / kMass * t, 700.0 / kMass * 1e-3);
  EXPECT_NEAR(slide.state.q[0], 0.25 * t_stop - 350.0 / kMass * t * t, 350.0 / kMass * 2e-3 * t);
  EXPECT_NEAR(slide.residual(), 0.0, 0.02);
  slide.expect_sound();
}

// A carriage of 1 kg rubs, 199 kg follow it on a stiff spring: what the carriage stops with is its own
// momentum, not that of all that it carries. Pushed to and fro it goes where one body of 200 kg would.
TEST_P(StepFriction, LightCarriageUnderAHeavyLoadTurnsAroundLikeOneBody) {
  for (const FrictionModel& dry : {coulomb(300.0, 300.0), stribeck(300.0, 400.0, 0.01)})
    for (const double spring : {1e8, 1e10}) {
      Slide one(dry, GetParam());
      Slide two(dry, GetParam());
      multibody::Body carriage = two.model.tree.body(0);
      carriage.inertia.mass = 1.0;
      multibody::Body load = carriage;
      load.name = "load";
      load.joint_name = "shift";
      load.parent = 0;
      load.inertia.mass = kMass - 1.0;
      load.stiffness = spring;
      load.damping = 0.02 * std::sqrt(spring * kMass);
      carriage.name = "carriage";
      two.model = machine::MachineModel{};
      two.model.tree.add_body(carriage);
      two.model.tree.add_body(load);
      two.model.tree.gravity_W = Vec3::Zero();
      two.model.joint_friction = {dry, FrictionModel{}};
      ASSERT_TRUE(machine::finish(two.model).empty());
      for (int i = 0; i < 2; ++i)
        two.state.inertia[i] = two.model.tree.link_inertias()[static_cast<std::size_t>(i)];
      two.stepper = std::make_unique<machine::Stepper>(two.model, 1e-3);
      two.mark_start();
      double apart = 0.0;
      for (int k = 0; k < 10000; ++k) {
        const double force = 900.0 * std::sin(2.0 * std::numbers::pi * 1e-3 * k);
        const double forces[2] = {force, 0.0};
        one.step(force);
        two.stepper->step(two.fidelity, two.state, forces);
        apart = std::fmax(apart, std::fabs(one.state.q[0] - two.state.q[0]));
      }
      // For strokes of 0.1 m; a tick at each of twenty turns is 1.5 mm.
      EXPECT_LT(apart, 8e-3) << spring;
      EXPECT_NEAR(two.state.energy.friction / one.state.energy.friction, 1.0, 0.01) << spring;
      EXPECT_NEAR(two.residual(), 0.0, 1e-3 * two.state.energy.friction) << spring;
      two.expect_sound();
    }
}

// The continuous law only resists: F_s / V_min is a damper, and the weight sinks at W V_min / F_s.
TEST_P(StepFriction, ContinuousFrictionCreepsAtItsRate) {
  Slide slide(friction::continuous_coulomb_viscous(300.0, 400.0, 0.0, 1e-3, 2.0), GetParam(),
              200.0);
  for (int k = 0; k < 1000; ++k) slide.step();
  const double from = slide.state.q[0];
  for (int k = 0; k < 10000; ++k) slide.step();
  EXPECT_NEAR((slide.state.q[0] - from) / 10.0, 200.0 * 1e-3 / 400.0, 1e-9);
  slide.expect_sound();
}

// LuGre's bristles are a spring below F_s: no creep under a constant weight, a shift of W / sigma_0.
TEST_P(StepFriction, BristlesHoldAConstantWeight) {
  Slide slide(lugre(300.0, 400.0, 0.01, 1e6, 2e4), GetParam(), 200.0);
  for (int k = 0; k < 20000; ++k) slide.step();
  const double from = slide.state.q[0];
  // While the bristles bend they also slip a little, so the shift is somewhat more.
  EXPECT_GT(from, 200.0 / 1e6);
  EXPECT_LT(from, 4.0 * 200.0 / 1e6);
  for (int k = 0; k < 10000; ++k) slide.step();
  EXPECT_NEAR(slide.state.q[0], from, 1e-12);
  EXPECT_NEAR(slide.state.bristle[0], 200.0 / 1e6, 1e-12);
  EXPECT_NEAR(slide.residual(), 0.0, 1e-4);
  slide.expect_sound();
}

// Steady sliding settles where the curve meets the force.
TEST_P(StepFriction, SteadySlidingIsOnTheCurve) {
  const double v_s = 0.05;
  for (const FrictionModel& dry :
       {stribeck(300.0, 400.0, v_s), lugre(300.0, 400.0, v_s, 1e6, 2e4)}) {
    Slide slide(dry, GetParam());
    slide.state.v[0] = 0.2;
    const double want = 0.08;  // on a stiff servo: force = gain (want - v)
    for (int k = 0; k < 5000; ++k) slide.step(1e4 * (want - slide.state.v[0]) + 320.0);
    const double level = friction::stribeck_level(dry, slide.state.v[0]).force;
    EXPECT_NEAR(1e4 * (want - slide.state.v[0]) + 320.0, level, 1e-6);
    slide.expect_sound();
  }
}

struct StickSlip {
  int starts = 0;
  double period = 0.0;  // s, mean
};

// Forty seconds behind a spring whose other end moves at V.
StickSlip stick_slip(Slide& slide, double k_spring, double V, double h) {
  StickSlip out;
  double first = 0.0, last = 0.0;
  bool moving = false;
  for (int k = 0; k < 200000; ++k) {
    const double t = h * (k + 0.5);
    slide.step(k_spring * (V * t - slide.state.q[0] - 0.5 * h * slide.state.v[0]));
    const bool moves = slide.state.v[0] != 0.0;
    if (moves && !moving) {
      last = t;
      if (out.starts++ == 0) first = t;
    }
    moving = moves;
  }
  out.period = (last - first) / (out.starts - 1);
  return out;
}

// Pulled by a spring whose other end moves at V: sticks until the spring has F_s, slips until its speed
// is zero again. Closed form: docs/theory/friction.md.
TEST_P(StepFriction, StickSlipHasTheClosedFormsPeriod) {
  const double F_c = 300.0, F_s = 400.0, k_spring = 2e4, V = 0.02, h = 2e-4;
  Slide slide(coulomb(F_c, F_s), GetParam(), 0.0, h);
  const double omega = std::sqrt(k_spring / kMass);
  const double slip =
      2.0 / omega * (std::numbers::pi - std::atan((F_s - F_c) * omega / (k_spring * V)));
  const double period = slip + 2.0 * (F_s - F_c) / (k_spring * V);
  const StickSlip slips = stick_slip(slide, k_spring, V, h);
  ASSERT_GT(slips.starts, 20);
  EXPECT_NEAR(slips.period / period, 1.0, 2e-3);
  slide.expect_sound();
}

// The same with Stribeck's curve, against the slip integrated in steps of 1 us.
TEST_P(StepFriction, StickSlipOnStribecksCurveHasTheIntegratedPeriod) {
  const double k_spring = 2e4, V = 0.02, h = 2e-4;
  const FrictionModel dry = stribeck(300.0, 400.0, 0.03);
  // Slip from the moment of breakaway: pull y of the spring, speed v (leapfrog).
  double y = dry.F_s, v = 0.0, slip = 0.0;
  const double dt = 1e-6;
  do {
    v += dt * (y - friction::stribeck_level(dry, v).force + 1e-9) / kMass;
    y += dt * k_spring * (V - v);
    slip += dt;
  } while (v > 0.0);
  const double period = slip + (dry.F_s - y) / (k_spring * V);
  Slide slide(dry, GetParam(), 0.0, h);
  const StickSlip slips = stick_slip(slide, k_spring, V, h);
  ASSERT_GT(slips.starts, 20);
  RecordProperty("relative_error", std::to_string(slips.period / period - 1.0));
  EXPECT_NEAR(slips.period / period, 1.0, 5e-3);
  slide.expect_sound();
}

// A falling curve that inertia cannot follow within a step must still not upset the solver.
TEST_P(StepFriction, StiffCurvesStayBounded) {
  const FrictionModel models[] = {
      friction::continuous_coulomb_viscous(300.0, 400.0, 0.0, 1e-6, 1.1),
      stribeck(300.0, 400.0, 1e-6), lugre(300.0, 400.0, 1e-6, 1e9, 1e3)};
  for (const FrictionModel& dry : models) {
    Slide slide(dry, GetParam());
    for (int k = 0; k < 20000; ++k) {
      slide.step(700.0 * std::sin(2.0 * std::numbers::pi * 2e-3 * k));
      ASSERT_LT(std::fabs(slide.state.v[0]), 0.5);
    }
    EXPECT_EQ(slide.state.health.newton_unconverged, 0);
    EXPECT_EQ(slide.state.health.friction_unsettled, 0);
    // The same motion as with true sticking, but for what the steep parts let through.
    Slide exact(coulomb(300.0, 400.0), GetParam());
    for (int k = 0; k < 20000; ++k) exact.step(700.0 * std::sin(2.0 * std::numbers::pi * 2e-3 * k));
    EXPECT_NEAR(slide.state.energy.friction, exact.state.energy.friction,
                0.03 * exact.state.energy.friction);
  }
}

}  // namespace
}  // namespace knuckleboom::step_friction_test
