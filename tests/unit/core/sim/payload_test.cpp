// Bodies taken up and let go between ticks, as a grapple does.
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/machine/tip.hpp"
#include "knuckleboom/core/math/cholesky.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "support/error_norm.hpp"
#include "support/machines.hpp"
#include "support/same_bytes.hpp"
#include "support/variants.hpp"

namespace knuckleboom {
namespace {

using machine::Fidelity;
using machine::MachineModel;
using sim::SimState;
using sim::Simulation;

constexpr int kStick = 2;

// 300 kg at the tip of the stick, a short log.
multibody::LinkInertia log_of(const MachineModel& model, double mass) {
  const multibody::Body& tip = model.tree.body(model.tip_body);
  return multibody::to_link_inertia(
      {mass, model.tip_B, Vec3(0.02 * mass, 0.3 * mass, 0.3 * mass).asDiagonal()}, tip.in_link);
}

test::Vector momentum(const MachineModel& model, const SimState& state) {
  multibody::MassAndBias system;
  multibody::mass_and_bias(model.tree, state.machine.inertia, state.machine.q, state.machine.v,
                           system);
  const int n = model.joint_count();
  return test::to_matrix(system.M, n) * test::to_vector(state.machine.v, n);
}

// Position in which the locked cylinders' oil carries the weight: load_k(q) / J_k = F_k - K_k
// (x_k(q) - x_k0), Newton on boom and stick; K = A1^2/C1 + A2^2/C2 (eq. 24).
struct Rest {
  double q[kMaxLinks];
  double p[2][2];  // boom, stick
};
Rest static_rest(const MachineModel& model, const SimState& start,
                 const multibody::LinkInertia* inertia) {
  Rest out{};
  const double zero[kMaxLinks] = {};
  for (int i = 0; i < 3; ++i) out.q[i] = start.machine.q[i];
  const auto left_over = [&](const double* q, double(&r)[2]) {
    double load[kMaxLinks];
    multibody::inverse_dynamics(model.tree, inertia, q, zero, zero, load);
    for (const int k : {1, 2}) {
      const hydraulics::Circuit& c = model.actuators[static_cast<std::size_t>(k)].circuit;
      const machine::ActuatorState& a = start.machine.actuator[k];
      const machine::LinkageState s = machine::displacement(model, k, q[k]);
      const double dx = s.x - machine::displacement(model, k, start.machine.q[k]).x;
      out.p[k - 1][0] = a.p[0] - c.A1 / c.line1.C * dx;
      out.p[k - 1][1] = a.p[1] + c.A2 / c.line2.C * dx;
      r[k - 1] = s.J * (c.A1 * out.p[k - 1][0] - c.A2 * out.p[k - 1][1]) - load[k];
    }
  };
  double r[2];
  for (int iteration = 0; iteration < 20; ++iteration) {
    left_over(out.q, r);
    double A[2][2];
    for (int j = 0; j < 2; ++j) {
      double moved[kMaxLinks], up[2];
      for (int i = 0; i < 3; ++i) moved[i] = out.q[i];
      moved[j + 1] += 1e-6;
      left_over(moved, up);
      for (int i = 0; i < 2; ++i) A[i][j] = (up[i] - r[i]) / 1e-6;
    }
    const double det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    out.q[1] -= (A[1][1] * r[0] - A[0][1] * r[1]) / det;
    out.q[2] -= (A[0][0] * r[1] - A[1][0] * r[0]) / det;
  }
  left_over(out.q, r);
  EXPECT_LT(std::fabs(r[0]) + std::fabs(r[1]), 1e-2);
  return out;
}

MachineModel quiet_machine(const test::Variant& variant) {
  MachineModel model = test::reference_machine(variant);
  for (const int k : {1, 2})
    model.actuators[static_cast<std::size_t>(k)].circuit.B = 3e6;  // the bounce dies away
  return model;
}

TEST(Payload, OilTakesItsWeight) {
  for (const test::Variant& variant : test::kVariants) {
    SCOPED_TRACE(variant.name);
    const MachineModel model = quiet_machine(variant);
    const Simulation simulation(model, test::locked(1.0));
    const SimState start = simulation.initial_state(variant.fidelity);
    SimState state = start;
    const int slot =
        simulation.attach(state, kStick, log_of(model, 300.0), Vec3::Zero(), Vec3::Zero());
    ASSERT_EQ(slot, 0);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(state.machine.v[i], 0.0);  // at rest on both sides
    const Rest rest = static_rest(model, start, state.machine.inertia);
    for (int k = 0; k < 20000; ++k) simulation.step(state);
    for (const int k : {1, 2}) {
      EXPECT_NEAR(state.machine.q[k], rest.q[k], 1e-7);
      for (const int s : {0, 1})
        EXPECT_NEAR(state.machine.actuator[k].p[s], rest.p[k - 1][s], 200.0);
    }
    const double dip = machine::tip_position(model, start.machine.q).z() -
                       machine::tip_position(model, state.machine.q).z();
    std::printf("%-22s tip dips by %.2f mm, boom P1 %.3f -> %.3f MPa\n", variant.name, 1e3 * dip,
                1e-6 * start.machine.actuator[1].p[0], 1e-6 * state.machine.actuator[1].p[0]);
    EXPECT_GT(dip, 5e-3);

    simulation.detach(state, slot);
    for (int k = 0; k < 20000; ++k) simulation.step(state);
    for (const int k : {1, 2}) {
      EXPECT_NEAR(state.machine.q[k], start.machine.q[k], 1e-7);
      for (const int s : {0, 1})
        EXPECT_NEAR(state.machine.actuator[k].p[s], start.machine.actuator[k].p[s], 200.0);
    }
    EXPECT_LT(std::fabs(simulation.energy_residual(state)), 1.0);
  }
}

TEST(Payload, MomentumIsKept) {
  const MachineModel model = test::reference_machine();
  command::Scenario scenario = test::locked(3.0);
  scenario.programs[0].signal = {{test::smooth(1.5, 0.0, 1.0)}};
  scenario.programs[1].signal = {{test::constant(-1.5)}};
  const Simulation simulation(model, scenario);
  for (const Fidelity fidelity : {Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper}) {
    SimState state = simulation.initial_state(fidelity);
    for (int k = 0; k < 1000; ++k) simulation.step(state);
    const SimState before = state;
    const multibody::LinkInertia log = log_of(model, 400.0);

    // From rest, and caught in flight: J^T of its own momentum is added.
    for (const Vec3& v : {Vec3(0.0, 0.0, 0.0), Vec3(0.3, -1.0, 0.5)}) {
      state = before;
      ASSERT_EQ(simulation.attach(state, kStick, log, v, Vec3::Zero()), 0);
      const multibody::Kinematics kinematics =
          multibody::forward_kinematics(model.tree, before.machine.q, before.machine.v);
      const multibody::PointMotion com =
          multibody::point_motion(model.tree, kinematics, model.tip_body, model.tip_B);
      test::Vector expected = momentum(model, before);
      for (int i = 0; i < 3; ++i)
        expected(i) += 400.0 * com.J_W[static_cast<std::size_t>(i)].dot(v);
      EXPECT_LT(test::relative_error(momentum(model, state), expected), 1e-10);
      EXPECT_NEAR(simulation.energy_residual(state), simulation.energy_residual(before), 1e-6);
    }

    // Let go, it flies on as it moved, and the machine's rates stay.
    for (int k = 0; k < 200; ++k) simulation.step(state);
    const multibody::PointMotion held = multibody::point_motion(
        model.tree, multibody::forward_kinematics(model.tree, state.machine.q, state.machine.v),
        model.tip_body, model.tip_B);
    const SimState carrying = state;
    const multibody::FreeMotion motion = simulation.detach(state, 0);
    EXPECT_LT((motion.p_com_W - held.p_W).norm(), 1e-9);
    EXPECT_LT((motion.v_com_W - held.v_W).norm(), 1e-9);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(state.machine.v[i], carrying.machine.v[i]);
    EXPECT_NEAR(simulation.energy_residual(state), simulation.energy_residual(carrying), 1e-6);
    EXPECT_EQ(state.payload[0].event, sim::kSlotFree);
  }
}

TEST(Payload, SlotsAreCountedAndEventsKeepTheirs) {
  const MachineModel model = test::reference_machine();
  command::Scenario scenario = test::locked(1.0);
  command::Event event;
  event.kind = command::EventKind::kAttach;
  event.name = "log";
  event.target = "head";
  event.mass_kg = 50.0;
  event.at_s = 0.01;
  scenario.events = {event};
  event.kind = command::EventKind::kDetach;
  event.at_s = 0.02;
  scenario.events.push_back(event);
  const Simulation simulation(model, scenario);
  SimState state = simulation.initial_state(Fidelity::kReduced);
  const multibody::LinkInertia log = log_of(model, 10.0);
  ASSERT_EQ(simulation.attach(state, kStick, log, Vec3::Zero(), Vec3::Zero()), 0);
  for (int k = 0; k < 30; ++k) {
    simulation.step(state);
    EXPECT_EQ(state.payload[0].event, sim::kNoEvent);
    if (k == 15) {
      EXPECT_EQ(state.payload[1].event, 0);
    }
  }
  EXPECT_EQ(state.payload[1].event, sim::kSlotFree);
  for (int slot = 1; slot < sim::kMaxPayloads; ++slot)
    EXPECT_EQ(simulation.attach(state, kStick, log, Vec3::Zero(), Vec3::Zero()), slot);
  const SimState full = state;
  EXPECT_EQ(simulation.attach(state, kStick, log, Vec3::Zero(), Vec3::Zero()), -1);
  EXPECT_TRUE(test::same_bytes(full, state));
  simulation.detach(state, 3);
  EXPECT_EQ(simulation.attach(state, kStick, log, Vec3::Zero(), Vec3::Zero()), 3);
}

}  // namespace
}  // namespace knuckleboom
