// Eq. 10-12 on a host with perfect torques: it becomes a double integrator, and its tip follows.
#include "knuckleboom/core/emulation/tip_emulation.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/machine/stepper.hpp"
#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "support/paths.hpp"

namespace knuckleboom::tip_emulation_test {
namespace {

using emulation::joint_rates;
using emulation::rotation_error;
using emulation::Scheme;
using emulation::tip_command;
using emulation::tip_motion;
using emulation::TipCommand;
using emulation::TipGains;
using emulation::TipMotion;
using emulation::TipTarget;
using emulation::turned;
using emulation::Wrench;

// The host without its hydraulics: torques act on the joints as they are asked for.
machine::MachineModel ideal_host() {
  machine::MachineModel model = io::read_machine(std::string(KNUCKLEBOOM_SOURCE_DIR) +
                                                 "/config/machines/hydraulic_host/machine.toml")
                                    .model;
  model.actuators.clear();
  model.controllers.clear();
  return model;
}

constexpr double kTick = 1e-3;

struct Host {
  machine::MachineModel model = ideal_host();
  machine::Stepper stepper{model, kTick / 8};
  machine::MachineState state{};
  double acceleration[kMaxLinks] = {};

  Host() {
    const double q[6] = {0.2, 0.3, 0.1, 0.1, -0.3, 0.4};
    for (int i = 0; i < 6; ++i) {
      state.q[i] = q[i];
      state.inertia[i] = model.tree.link_inertias()[static_cast<std::size_t>(i)];
    }
  }
  TipMotion tip() const {
    TipMotion out;
    tip_motion(model, state.q, state.v, out);
    return out;
  }
  // One tick; wrench: on the tip, known to the controller as it is.
  TipCommand tick(Scheme scheme, const TipGains& gains, const TipTarget& target,
                  const Wrench& wrench = {}) {
    const TipCommand command = tip_command(model, state.inertia, state.q, state.v, acceleration,
                                           scheme, gains, target, wrench, kTick);
    for (int s = 0; s < 8; ++s) {
      const TipMotion at = tip();
      double force[kMaxLinks];
      for (std::size_t i = 0; i < 6; ++i)
        force[i] = command.torque[i] + at.J_v[i].dot(wrench.force) + at.J_w[i].dot(wrench.moment);
      stepper.step(machine::Fidelity::kFull, state, force);
    }
    for (int i = 0; i < 6; ++i) acceleration[i] = command.acceleration[i];
    return command;
  }
};

TEST(TipMotion, JacobianAndBiasAreDerivatives) {
  const machine::MachineModel model = ideal_host();
  const double q[6] = {0.3, -0.2, 0.4, 0.5, -0.6, 0.7};
  const double v[6] = {1.0, -0.5, 0.8, 0.3, -1.2, 0.9};
  const double h = 1e-6;
  double q_low[6], q_high[6];
  for (int i = 0; i < 6; ++i) {
    q_low[i] = q[i] - h * v[i];
    q_high[i] = q[i] + h * v[i];
  }
  TipMotion at, low, high;
  tip_motion(model, q, v, at);
  tip_motion(model, q_low, v, low);
  tip_motion(model, q_high, v, high);
  Vec3 v_J = Vec3::Zero(), w_J = Vec3::Zero();
  for (std::size_t i = 0; i < 6; ++i) {
    v_J += at.J_v[i] * v[i];
    w_J += at.J_w[i] * v[i];
  }
  const auto near = [](const Vec3& a, const Vec3& b, double tolerance) {
    EXPECT_LT((a - b).norm(), tolerance);
  };
  near(at.v, v_J, 1e-14);
  near(at.omega, w_J, 1e-14);
  near(at.v, (high.p - low.p) / (2.0 * h), 1e-8);
  near(at.omega, rotation_error(low.R, high.R) / (2.0 * h), 1e-8);
  near(at.a_bias, (high.v - low.v) / (2.0 * h), 1e-7);
  near(at.alpha_bias, (high.omega - low.omega) / (2.0 * h), 1e-7);
}

TEST(TipMotion, RatesGiveTheTwist) {
  const Host host;
  const TipMotion tip = host.tip();
  double rate[kMaxLinks];
  const Vec3 v(0.1, -0.2, 0.05), omega(0.3, 0.1, -0.2);
  ASSERT_TRUE(joint_rates(tip, 6, 6, v, omega, rate));
  TipMotion moving;
  tip_motion(host.model, host.state.q, rate, moving);
  EXPECT_LT((moving.v - v).norm() + (moving.omega - omega).norm(), 1e-12);
  ASSERT_TRUE(joint_rates(tip, 6, 3, v, omega, rate));
  tip_motion(host.model, host.state.q, rate, moving);
  EXPECT_LT((moving.v - v).norm(), 1e-12);
}

// Without feedback: accelerations come out as they go in, whatever pushes on the tip.
TEST(TipEmulation, HostIsADoubleIntegrator) {
  Host host;
  const Vec3 a(0.4, -0.3, 0.2), alpha(0.5, 0.2, -0.4);
  const TipMotion start = host.tip();
  TipTarget target;
  target.a = a;
  target.alpha = alpha;
  const Wrench wrench{Vec3(80.0, -50.0, 120.0), Vec3(3.0, -2.0, 1.0)};
  for (int k = 0; k < 500; ++k) host.tick(Scheme::kAcceleration, {0.0, 1.0}, target, wrench);
  const TipMotion end = host.tip();
  EXPECT_LT((end.v - 0.5 * a).norm(), 1e-3);  // 0.27 m/s: the drift that eq. 12 is for
  EXPECT_LT((end.p - start.p - 0.125 * a).norm(), 2e-4);
  EXPECT_LT((end.omega - 0.5 * alpha).norm(), 3e-3);
}

TEST(TipEmulation, FollowsFreeMotionToAMicrometre) {
  Host host;
  const TipMotion start = host.tip();
  double worst = 0.0, worst_angle = 0.0, way = 0.0;
  // Circles of the tip and rocking of the tool; speeds and positions of the target are the sums of its means.
  TipTarget target;
  target.R = start.R;
  target.p = start.p;
  for (int k = 0; k < 3000; ++k) {
    const SinCos s = sin_cos(6.0 * (k + 0.5) * kTick);
    target.a = Vec3(1.5 * s.cos, 1.0 * s.sin, -0.7 * s.cos);
    target.alpha = Vec3(2.0 * s.cos, 0.0, 1.0 * s.cos);
    host.tick(Scheme::kAcceleration, {2.0, 1.0}, target);
    target.p += kTick * target.v + 0.5 * kTick * kTick * target.a;
    target.R = turned(target.R, kTick * target.omega + 0.5 * kTick * kTick * target.alpha);
    target.v += kTick * target.a;
    target.omega += kTick * target.alpha;
    const TipMotion tip = host.tip();
    worst = std::max(worst, (tip.p - target.p).norm());
    worst_angle = std::max(worst_angle, rotation_error(tip.R, target.R).norm());
    way = std::max(way, (tip.p - start.p).norm());
  }
  EXPECT_GT(way, 0.1);
  EXPECT_LT(worst, 1e-6);
  EXPECT_LT(worst_angle, 2e-6);
}

// A position alone is followed with the lag of its filter: 2 damping / w at constant speed.
TEST(TipEmulation, PositionSchemeLags) {
  Host host;
  TipTarget target;
  target.R = host.tip().R;
  target.p = host.tip().p;
  const TipGains gains{5.0, 1.0};
  target.v = Vec3(0.1, 0.0, 0.05);
  for (int k = 0; k < 1500; ++k) {
    host.tick(Scheme::kPosition, gains, target);
    target.p += kTick * target.v;
  }
  const double lag_s = 2.0 / (2.0 * 3.14159265358979 * 5.0);
  EXPECT_LT((target.p - host.tip().p - (lag_s - 0.5 * kTick) * target.v).norm(), 1e-4);
}

}  // namespace
}  // namespace knuckleboom::tip_emulation_test
