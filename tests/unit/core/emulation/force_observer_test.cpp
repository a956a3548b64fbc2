// The wrench from the host's own joints, and their friction, on a host with perfect torques.
#include "knuckleboom/core/emulation/force_observer.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "knuckleboom/core/emulation/tip_motion.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/machine/stepper.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "support/paths.hpp"

namespace knuckleboom {
namespace {

using emulation::ForceObserverState;
using emulation::fused_wrench;
using emulation::JointSample;
using emulation::TipMotion;
using emulation::Wrench;

constexpr double kTick = 1e-3;
constexpr int kSubsteps = 8;

machine::MachineModel host(bool with_actuators) {
  machine::MachineModel model = io::read_machine(std::string(KNUCKLEBOOM_SOURCE_DIR) +
                                                 "/config/machines/hydraulic_host/machine.toml")
                                    .model;
  if (!with_actuators) {
    model.actuators.clear();
    model.controllers.clear();
  }
  return model;
}

struct Rig {
  machine::MachineModel model = host(false);
  machine::Stepper stepper{model, kTick / kSubsteps};
  machine::MachineState state{};
  ForceObserverState observer{};

  Rig() {
    const double q[6] = {0.2, 0.3, 0.1, 0.1, -0.3, 0.4};
    for (int i = 0; i < 6; ++i) {
      state.q[i] = q[i];
      state.inertia[i] = model.tree.link_inertias()[static_cast<std::size_t>(i)];
    }
  }
  // A tick under torques that hold the weight, a wrench on the tip and a brake of `friction`; what is then known.
  Wrench tick(const Wrench& wrench, const Wrench& measured, int delay, const double* friction) {
    multibody::MassAndBias body;
    multibody::mass_and_bias(model.tree, state.inertia, state.q, state.v, body);
    for (int s = 0; s < kSubsteps; ++s) {
      TipMotion tip;
      emulation::tip_motion(model, state.q, state.v, tip);
      double force[kMaxLinks] = {};
      for (std::size_t i = 0; i < 6; ++i)
        force[i] = body.bias[i] - friction[i] + tip.J_v[i].dot(wrench.force) +
                   tip.J_w[i].dot(wrench.moment);
      stepper.step(machine::Fidelity::kFull, state, force);
    }
    JointSample now{};
    now.held = 1.0;
    for (int i = 0; i < 6; ++i) {
      now.q[i] = state.q[i];
      now.v[i] = state.v[i];
      now.torque[i] = body.bias[i];
    }
    return fused_wrench(model, state.inertia, now, measured, delay, 10.0, 1.0, kTick, observer);
  }
};

constexpr double kNone[6] = {};

// A push is known in the tick after, although the sensor tells it 20 ticks late.
TEST(ForceObserver, DoesNotWaitForTheSensor) {
  Rig rig;
  const Wrench push{Vec3(60.0, -40.0, 80.0), Vec3(2.0, -3.0, 1.0)};
  for (int k = 0; k < 5; ++k) rig.tick({}, {}, 20, kNone);
  rig.tick(push, {}, 20, kNone);
  const Wrench known = rig.tick(push, {}, 20, kNone);
  EXPECT_LT((known.force - push.force).norm(), 0.5);
  EXPECT_LT((known.moment - push.moment).norm(), 0.05);
}

// Friction of the joints is identified through the sensor, at the rate of the crossover.
TEST(ForceObserver, TellsFrictionFromForce) {
  Rig rig;
  const Wrench push{Vec3(0.0, 30.0, 50.0), Vec3(1.0, 0.0, 0.0)};
  const double friction[6] = {10.0, -12.0, 6.0, 3.0, -2.0, 1.0};
  Wrench known;
  for (int k = 0; k < 100; ++k) known = rig.tick(push, push, 0, friction);
  for (int i = 0; i < 6; ++i)
    EXPECT_NEAR(rig.observer.friction[i], friction[i], 0.02 * std::fabs(friction[i]) + 0.05) << i;
  EXPECT_LT((known.force - push.force).norm(), 1.0);
  // After 1/(2 pi f) the rest is 1/e.
  Rig again;
  for (int k = 0; k < 16; ++k) again.tick(push, push, 0, friction);
  EXPECT_NEAR(again.observer.friction[1] / friction[1], 1.0 - std::exp(-1.0), 0.1);
}

// LuGre: bristles that follow the measured motion slip at the Coulomb friction, and keep it at rest.
TEST(ForceObserver, KnowsTheSealsByTheirLaw) {
  const machine::MachineModel model = host(true);
  const friction::FrictionModel& law = model.actuators[1].friction;
  ASSERT_GT(law.sigma_0, 0.0);
  const int i = model.actuators[1].link;
  ForceObserverState state{};
  JointSample last{}, now{};
  for (int k = 0; k < 500; ++k) {
    now.v[i] = 0.5;  // far beyond the Stribeck speed
    emulation::friction_by_law(model, last, now, kTick, state);
    last = now;
  }
  EXPECT_NEAR(state.by_law[i], law.F_c, 1e-6 * law.F_c);
  now.v[i] = 0.0;
  emulation::friction_by_law(model, last, now, kTick, state);
  emulation::friction_by_law(model, now, now, kTick, state);
  EXPECT_NEAR(state.by_law[i], law.F_c, 0.05 * law.F_c);
}

}  // namespace
}  // namespace knuckleboom
