// Levers to drives: modes, limits and changes of mode on the reference machine.

#include "knuckleboom/core/sim/operator_control.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/equations.hpp"
#include "support/machines.hpp"
#include "support/random_tree.hpp"
#include "support/same_bytes.hpp"
#include "support/variants.hpp"

namespace knuckleboom {
namespace {

using command::ControlMode;
using command::LeverAxis;
using command::LeverFunction;
using command::LeverPattern;
using command::LeverTarget;
using machine::Fidelity;
using sim::OperatorControl;
using sim::OperatorState;
using sim::SimState;
using sim::Simulation;

constexpr std::array kModes = {ControlMode::kValve, ControlMode::kJointRate, ControlMode::kBoomTip};
constexpr std::array kFidelities = {Fidelity::kReduced, Fidelity::kFull};

LeverFunction function(LeverAxis axis, LeverTarget target, const char* joint, double full) {
  LeverFunction f;
  f.axis = axis;
  f.target = target;
  f.joint = joint;
  f.full = full;
  f.ramp = {2.5, 5.0};
  return f;
}

// Levers straight, left: swing and stick, right: boom, rotator and grapple.
LeverPattern joints() {
  LeverPattern pattern;
  pattern.name = "joints";
  pattern.functions = {function(LeverAxis::kLeftX, LeverTarget::kJoint, "swing", 6.0),
                       function(LeverAxis::kLeftY, LeverTarget::kJoint, "stick", 10.0),
                       function(LeverAxis::kRightY, LeverTarget::kJoint, "boom", 10.0),
                       function(LeverAxis::kRightX, LeverTarget::kJoint, "rotator", 8.0),
                       function(LeverAxis::kRightRocker, LeverTarget::kGrapple, "", 1.0)};
  return pattern;
}

LeverPattern tip() {
  LeverPattern pattern = joints();
  pattern.name = "tip";
  pattern.functions[1] = function(LeverAxis::kLeftY, LeverTarget::kTipReach, "", 1.0);
  pattern.functions[2] = function(LeverAxis::kRightY, LeverTarget::kTipHeight, "", 1.0);
  return pattern;
}

command::Scenario start(double boom, double stick) {
  command::Scenario scenario = test::standstill(100.0);
  scenario.initial[1].position = boom;
  scenario.initial[2].position = stick;
  scenario.initial[2].port_a_Pa = 5e6;
  return scenario;
}

struct Rig {
  Simulation simulation;
  OperatorControl control;
  SimState sim;
  OperatorState state;
  command::OperatorInput input{};

  Rig(const LeverPattern& pattern, ControlMode mode, Fidelity fidelity = Fidelity::kReduced,
      double boom = 0.5, double stick = -1.3,
      const machine::MachineModel& model = test::reference_machine())
      : simulation(model, start(boom, stick)),
        control(simulation, pattern),
        sim(simulation.initial_state(fidelity)),
        state(control.initial_state(sim, mode)) {}

  void lever(LeverAxis axis, double value) { input.axis[static_cast<std::size_t>(axis)] = value; }
  sim::OperatorDemand tick() {
    const sim::OperatorDemand demand = control.drive(input, sim, state);
    simulation.step(sim, demand.input);
    return demand;
  }
  void run(double seconds) {
    for (int k = 0; k < static_cast<int>(std::lround(seconds / 1e-3)); ++k) tick();
  }
  double volts(int k) const { return sim.machine.actuator[k].command_V; }
  Vec3 tip_W() const { return machine::tip_position(simulation.model(), sim.machine.q); }
  double radius() const { return std::hypot(tip_W().x(), tip_W().y()); }
};

TEST(OperatorControl, LeavesOutWhatTheMachineLacks) {
  const Simulation simulation(test::reference_machine(), test::standstill(1.0));
  const OperatorControl control(simulation, joints());
  EXPECT_EQ(control.missing(), (std::vector<std::string>{"rotator", "grapple"}));
  LeverPattern none = joints();
  none.functions = {none.functions[3], none.functions[4]};
  EXPECT_THROW(OperatorControl(simulation, none), std::invalid_argument);
  LeverPattern wrong = joints();
  wrong.functions[0].full_rate = 0.3;
  wrong.functions[0].full_rate_is_angular = false;
  EXPECT_THROW(OperatorControl(simulation, wrong), std::invalid_argument);
  LeverPattern many = joints();
  many.functions.resize(sim::kMaxLeverFunctions + 1, many.functions[0]);
  EXPECT_THROW(OperatorControl(simulation, many), std::invalid_argument);
}

TEST(OperatorControl, ValveModeIsLeverToSpool) {
  Rig rig(joints(), ControlMode::kValve);
  rig.lever(LeverAxis::kLeftX, -0.5);
  rig.lever(LeverAxis::kRightY, 1.0);
  rig.tick();
  // One tick of the ramp.
  EXPECT_DOUBLE_EQ(rig.volts(0), -2.5e-3 * 6.0);
  EXPECT_DOUBLE_EQ(rig.volts(1), 2.5e-3 * 10.0);
  EXPECT_EQ(rig.volts(2), 0.0);
  rig.run(0.6);
  EXPECT_DOUBLE_EQ(rig.volts(0), -3.0);
  EXPECT_DOUBLE_EQ(rig.volts(1), 10.0);
  EXPECT_GT(rig.sim.machine.v[1], 0.1);
  EXPECT_LT(rig.sim.machine.v[0], -0.1);
}

// A cylinder mounted in reverse: the lever still moves the joint in the same direction.
TEST(OperatorControl, PositiveIsALargerJointPositionWhateverTheLinkage) {
  machine::MachineModel turned = test::reference_machine();
  turned.actuators[2].linkage.rod_pin *= -1.0;
  turned.actuators[2].stops.enabled = false;
  ASSERT_TRUE(machine::finish(turned).empty());
  ASSERT_NE(turned.actuators[2].linkage.sign, test::reference_machine().actuators[2].linkage.sign);
  for (const machine::MachineModel& model : {test::reference_machine(), turned})
    for (const ControlMode mode : kModes) {
      Rig rig(joints(), mode, Fidelity::kReduced, 0.5, -1.3, model);
      rig.lever(LeverAxis::kLeftY, 0.4);
      rig.run(0.6);
      EXPECT_GT(rig.sim.machine.q[2], -1.28) << static_cast<int>(mode);
    }
}

TEST(OperatorControl, GrappleFollowsItsLeverOnlyWhereThereIsOne) {
  Rig without(joints(), ControlMode::kValve);
  without.lever(LeverAxis::kRightRocker, 1.0);
  EXPECT_EQ(without.tick().grapple, 0.0);
  machine::MachineModel model = test::reference_machine();
  model.grapple.present = true;
  Rig with(joints(), ControlMode::kBoomTip, Fidelity::kReduced, 0.5, -1.3, model);
  with.lever(LeverAxis::kRightRocker, -1.0);
  with.run(1.0);
  EXPECT_EQ(with.tick().grapple, -1.0);
}

TEST(OperatorControl, JointRateReachesTheSpeedAskedFor) {
  double worst = 0.0;
  for (const Fidelity fidelity : kFidelities)
    for (const double lever : {0.1, 0.3, -0.1, -0.3})
      for (const std::size_t n : {1u, 2u}) {
        LeverPattern pattern = joints();
        pattern.functions[n].full_rate = 0.4;
        Rig rig(pattern, ControlMode::kJointRate, fidelity);
        EXPECT_EQ(rig.control.full_rate(n), 0.4);
        const int link = n == 1 ? 2 : 1;
        rig.lever(pattern.functions[n].axis, lever);
        rig.run(1.0);
        const double from = rig.sim.machine.q[link];
        rig.run(1.0);
        const double speed = rig.sim.machine.q[link] - from;
        worst = std::max(worst, std::fabs(speed / (0.4 * lever) - 1.0));
        // The others hold.
        EXPECT_LT(std::fabs(rig.sim.machine.q[link == 1 ? 2 : 1] - (link == 1 ? -1.3 : 0.5)), 0.01);
      }
  std::printf("joint rate mode: worst error of the speed %.1f %%\n", 100.0 * worst);
  EXPECT_LT(worst, 0.03);
}

// By default, full lever asks for the unloaded speed of the full valve: from 0.35 to 1.1 rad the boom's
// cylinder needs the time that its stroke takes at that flow.
TEST(OperatorControl, FullRateFollowsFromTheValve) {
  const Simulation simulation(test::reference_machine(), test::standstill(1.0));
  const OperatorControl control(simulation, joints());
  const machine::MachineModel& model = simulation.model();
  const hydraulics::Circuit& c = model.actuators[1].circuit;
  const double g = 3e-6;
  const double K = (c.A1 * c.A1 * c.A1 + c.A2 * c.A2 * c.A2) * (1.0 / (g * g) + c.line1.R);
  // B v + K v^2 = A P, the smaller of both directions.
  const auto speed = [&](double force) {
    return (-c.B + std::sqrt(c.B * c.B + 4.0 * K * force)) / (2.0 * K);
  };
  const auto x = [&](double q) { return machine::displacement(model, 1, q).x; };
  const double mean = (x(1.10) - x(-0.35)) / 1.45;
  EXPECT_NEAR(control.full_rate(2), speed(c.A2 * 20e6) / mean, 1e-9);
}

TEST(OperatorControl, TipMovesAsAsked) {
  double worst_speed = 0.0, worst_aside = 0.0;
  for (const Fidelity fidelity : kFidelities)
    for (const bool height : {false, true})
      for (const double lever : {0.5, -0.5}) {
        Rig rig(tip(), ControlMode::kBoomTip, fidelity, height ? 0.5 : 0.4,
                height        ? -1.2
                : lever > 0.0 ? -1.8
                              : -0.9);
        const double r0 = rig.radius();
        const double z0 = rig.tip_W().z();
        rig.lever(height ? LeverAxis::kRightY : LeverAxis::kLeftY, lever);
        double aside = 0.0;
        double from = 0.0;
        for (int k = 0; k < 2500; ++k) {
          rig.tick();
          if (k == 999) from = height ? rig.tip_W().z() : rig.radius();
          aside = std::max(aside, std::fabs(height ? rig.radius() - r0 : rig.tip_W().z() - z0));
        }
        const double speed = ((height ? rig.tip_W().z() : rig.radius()) - from) / 1.5;
        worst_speed = std::max(worst_speed, std::fabs(speed / lever - 1.0));
        worst_aside = std::max(worst_aside, aside);
        EXPECT_EQ(rig.state.at_reach_limit, 0);
        EXPECT_LT(std::fabs(rig.sim.machine.q[0]), 1e-3);
      }
  std::printf("boom-tip mode: worst speed error %.1f %%, worst deviation %.1f cm\n",
              100.0 * worst_speed, 100.0 * worst_aside);
  EXPECT_LT(worst_speed, 0.05);
  EXPECT_LT(worst_aside, 0.03);
}

// A controller too weak to reach over the valve's overlap within the lead of the reference: the tip goes on all the same.
TEST(OperatorControl, TipMovesWithControllersThatDoNotCrossTheOverlap) {
  machine::MachineModel weak = test::reference_machine();
  for (std::size_t k = 0; k < weak.actuators.size(); ++k) {
    const double overlap = weak.actuators[k].circuit.valve.overlap_V;
    ASSERT_GT(overlap, 0.0);
    weak.controllers[k].Kp = 0.5 * overlap / 0.03;
    weak.controllers[k].Ki = 0.0;
  }
  for (const double lever : {0.3, -0.3}) {
    Rig rig(tip(), ControlMode::kBoomTip, Fidelity::kReduced, 0.4, -1.3, weak);
    const double r0 = rig.radius(), z0 = rig.tip_W().z();
    // References far ahead of joints at rest, as after a push against something that has gone.
    rig.lever(LeverAxis::kLeftY, lever);
    rig.tick();
    for (int i = 0; i < weak.joint_count(); ++i)
      rig.state.reference[i] += lever > 0.0 ? 0.03 : -0.03;
    rig.run(2.0);
    EXPECT_GT((rig.radius() - r0) / lever, 1.0);
    EXPECT_LT(std::fabs(rig.tip_W().z() - z0), 0.2);
  }
}

TEST(OperatorControl, StickAndBoomLeversAreReachAndHeightWhereNoneAreGiven) {
  Rig by_joints(joints(), ControlMode::kBoomTip, Fidelity::kReduced, 0.4, -1.6);
  by_joints.lever(LeverAxis::kLeftY, 0.4);
  const double z = by_joints.tip_W().z();
  const double r = by_joints.radius();
  by_joints.run(2.0);
  EXPECT_GT(by_joints.radius() - r, 0.5);
  EXPECT_LT(std::fabs(by_joints.tip_W().z() - z), 0.03);
  // The reverse: a tip pattern in valve mode moves stick and boom.
  Rig by_tip(tip(), ControlMode::kValve);
  by_tip.lever(LeverAxis::kLeftY, 0.5);
  by_tip.lever(LeverAxis::kRightY, -0.5);
  by_tip.run(1.0);
  EXPECT_DOUBLE_EQ(by_tip.volts(2), 5.0 * by_tip.simulation.model().actuators[2].linkage.sign);
  EXPECT_DOUBLE_EQ(by_tip.volts(1), -5.0);
}

TEST(OperatorControl, SwingInTipModeIsARate) {
  Rig rig(tip(), ControlMode::kBoomTip);
  rig.lever(LeverAxis::kLeftX, 0.1);
  rig.run(8.0);  // until its own mode of 1 Hz has decayed
  EXPECT_NEAR(rig.state.reference_rate[0], 0.1 * rig.control.full_rate(0), 1e-12);
  const double from = rig.sim.machine.q[0];
  rig.run(8.0);
  EXPECT_NEAR((rig.sim.machine.q[0] - from) / 8.0, 0.1 * rig.control.full_rate(0), 0.01);
}

TEST(OperatorControl, NeutralLeversHoldStill) {
  for (const Fidelity fidelity : kFidelities)
    for (const ControlMode mode : kModes) {
      Rig rig(tip(), mode, fidelity);
      double fastest = 0.0;
      for (int k = 0; k < 10000; ++k) {
        rig.tick();
        for (int i = 0; i < 3; ++i) fastest = std::max(fastest, std::fabs(rig.sim.machine.v[i]));
      }
      EXPECT_LT(fastest, 1e-3);
      for (int i = 0; i < 3; ++i) EXPECT_EQ(rig.volts(i), 0.0);
    }
}

// After a stop the valves are shut, so what is left is the oil's own swing, which dies away.
TEST(OperatorControl, ComesToRestAfterAMove) {
  for (const Fidelity fidelity : kFidelities)
    for (const ControlMode mode : {ControlMode::kJointRate, ControlMode::kBoomTip}) {
      Rig rig(tip(), mode, fidelity);
      rig.lever(LeverAxis::kLeftX, 0.2);
      rig.lever(LeverAxis::kLeftY, 0.3);
      rig.lever(LeverAxis::kRightY, 0.2);
      rig.run(1.0);
      rig.input = {};
      rig.run(1.0);
      for (int i = 0; i < 3; ++i) EXPECT_EQ(rig.volts(i), 0.0);
      const auto fastest = [&](double seconds) {
        double v = 0.0;
        for (int k = 0; k < static_cast<int>(seconds * 1e3); ++k) {
          rig.tick();
          for (int i = 0; i < 3; ++i) v = std::max(v, std::fabs(rig.sim.machine.v[i]));
        }
        return v;
      };
      double last = fastest(4.0);
      for (int window = 0; window < 5; ++window) {
        const double now = fastest(4.0);
        EXPECT_LT(now, last);
        last = now;
      }
      fastest(100.0);
      EXPECT_LT(fastest(10.0), 1e-3);
    }
}

TEST(OperatorControl, KeepsJointLimitsAndABoundedLead) {
  for (const ControlMode mode : {ControlMode::kJointRate, ControlMode::kBoomTip})
    for (const double lever : {1.0, -1.0}) {
      Rig rig(tip(), mode, Fidelity::kReduced);
      rig.lever(LeverAxis::kLeftY, lever);
      rig.lever(LeverAxis::kRightY, lever);
      double lead = 0.0, beyond = 0.0;
      const multibody::Tree& tree = rig.simulation.model().tree;
      for (int k = 0; k < 8000; ++k) {
        rig.tick();
        for (int i = 0; i < 3; ++i) {
          const multibody::Body& body = tree.body(tree.link(i).body);
          const double q = rig.sim.machine.q[i];
          lead = std::max(lead, std::fabs(rig.state.reference[i] - q));
          if (body.upper > body.lower) beyond = std::max({beyond, body.lower - q, q - body.upper});
        }
      }
      EXPECT_LT(lead, 0.03 + 1e-3);  // the joint has moved by a tick since
      EXPECT_LT(beyond, 0.02);       // as far as the end stop gives way
      // Away from there it goes at once.
      rig.lever(LeverAxis::kLeftY, -0.4 * lever);
      rig.lever(LeverAxis::kRightY, -0.4 * lever);
      const double boom = rig.sim.machine.q[1];
      const double stick = rig.sim.machine.q[2];
      rig.run(1.0);
      EXPECT_GT(
          std::max(std::fabs(rig.sim.machine.q[1] - boom), std::fabs(rig.sim.machine.q[2] - stick)),
          0.05);
    }
}

// Something the pump cannot move: what stands against the joint must not be run into harder and harder.
TEST(OperatorControl, ABlockedJointDoesNotWindUp) {
  Rig rig(joints(), ControlMode::kJointRate);
  rig.sim.machine.pump_Pa = 1e6;
  rig.lever(LeverAxis::kRightY, 0.5);
  rig.run(5.0);
  const double sum = rig.sim.pid[1].integral;
  rig.run(20.0);
  EXPECT_LE(std::fabs(rig.sim.pid[1].integral - sum), 1e-3);
  EXPECT_LE(std::fabs(rig.state.reference[1] - rig.sim.machine.q[1]), 0.03 + 1e-12);
  rig.sim.machine.pump_Pa = 20e6;
  rig.lever(LeverAxis::kRightY, -0.5);
  rig.run(1.0);
  EXPECT_LT(rig.sim.machine.v[1], -0.1);
}

// Straight to the edge of what a long stick reaches and beyond.
TEST(OperatorControl, ThroughAStretchedArmNothingGoesAstray) {
  machine::MachineModel model = test::reference_machine();
  multibody::Tree tree;
  for (int i = 0; i < model.tree.body_count(); ++i) {
    multibody::Body body = model.tree.body(i);
    body.link = multibody::kBase;
    if (body.joint_name == "stick") body.upper = 0.05;
    tree.add_body(body);
  }
  model.tree = tree;
  model.actuators[2].stops.x_max = model.actuators[2].stops.x_min = 0.0;
  ASSERT_TRUE(machine::finish(model).empty());
  for (const Fidelity fidelity : kFidelities) {
    Rig rig(tip(), ControlMode::kBoomTip, fidelity, 0.2, -0.6, model);
    rig.lever(LeverAxis::kLeftY, 1.0);
    double fastest = 0.0;
    for (int k = 0; k < 8000; ++k) {
      rig.tick();
      for (int i = 1; i < 3; ++i)
        fastest = std::max(fastest, std::fabs(rig.state.reference_rate[i]));
    }
    EXPECT_GT(rig.state.at_reach_limit, 1000);
    EXPECT_LT(fastest, 1.2);
    EXPECT_LT(std::fabs(rig.sim.machine.v[1]) + std::fabs(rig.sim.machine.v[2]), 0.15);
    const double reach = rig.radius();
    rig.lever(LeverAxis::kLeftY, -0.5);
    rig.run(2.0);
    EXPECT_LT(rig.radius(), reach - 0.3);
  }
}

struct Bump {
  double at_switch = 0.0, before = 0.0;  // largest change of a valve command in one tick [V]
  double speed_at_switch = 0.0;          // largest change of a joint speed in that tick
};

Bump bump(ControlMode from, ControlMode to, Fidelity fidelity, double lever) {
  Rig rig(tip(), from, fidelity, 0.4, -1.5);
  for (const LeverAxis axis : {LeverAxis::kLeftX, LeverAxis::kLeftY, LeverAxis::kRightY})
    rig.lever(axis, lever);
  Bump result;
  double last[3] = {};
  const auto change = [&] {
    double most = 0.0;
    for (int k = 0; k < 3; ++k) {
      most = std::max(most, std::fabs(rig.volts(k) - last[k]));
      last[k] = rig.volts(k);
    }
    return most;
  };
  for (int k = 0; k < 1000; ++k) {
    rig.tick();
    result.before = std::max(result.before, change());
  }
  const SimState was = rig.sim;
  rig.control.set_mode(to, rig.sim, rig.state);
  rig.tick();
  result.at_switch = change();
  for (int i = 0; i < 3; ++i)
    result.speed_at_switch =
        std::max(result.speed_at_switch, std::fabs(rig.sim.machine.v[i] - was.machine.v[i]));
  return result;
}

TEST(OperatorControl, ModesChangeWithoutABump) {
  double worst = 0.0;
  for (const Fidelity fidelity : kFidelities)
    for (const ControlMode from : kModes)
      for (const ControlMode to : kModes) {
        if (from == to) continue;
        SCOPED_TRACE(std::to_string(static_cast<int>(from)) + " to " +
                     std::to_string(static_cast<int>(to)));
        const Bump b = bump(from, to, fidelity, 0.5);
        EXPECT_LE(b.at_switch, b.before);
        EXPECT_LT(b.speed_at_switch, 0.005);
        worst = std::max(worst, b.at_switch);
      }
  std::printf("largest change of a valve command in the tick of a change of mode: %.4f V\n", worst);
  EXPECT_LT(worst, 0.05);
}

// With the levers let go, and again and again.
TEST(OperatorControl, ChangesOfModeInAnyTickStaySmooth) {
  test::Random random(4);
  for (const Fidelity fidelity : kFidelities) {
    Rig rig(tip(), ControlMode::kValve, fidelity, 0.4, -1.5);
    double last[3] = {};
    double worst = 0.0;
    for (int k = 0; k < 20000; ++k) {
      if (k % 500 == 0)
        for (const LeverAxis axis : {LeverAxis::kLeftX, LeverAxis::kLeftY, LeverAxis::kRightY})
          rig.lever(axis, random.chance(0.3) ? 0.0 : random.uniform(-0.5, 0.5));
      const bool change = random.chance(0.01);
      if (change)
        rig.control.set_mode(kModes[static_cast<std::size_t>(random.index(3))], rig.sim, rig.state);
      rig.tick();
      for (int i = 0; i < 3; ++i) {
        if (change) worst = std::max(worst, std::fabs(rig.volts(i) - last[i]));
        last[i] = rig.volts(i);
      }
    }
    EXPECT_LT(worst, 0.3);
    EXPECT_EQ(rig.sim.machine.health.non_finite, 0);
  }
}

TEST(OperatorControl, AnyInputGivesNumbers) {
  test::Random random(9);
  for (const Fidelity fidelity : kFidelities) {
    Rig rig(tip(), ControlMode::kBoomTip, fidelity);
    for (int k = 0; k < 50000; ++k) {
      if (random.chance(0.01))
        rig.control.set_mode(kModes[static_cast<std::size_t>(random.index(3))], rig.sim, rig.state);
      if (random.chance(0.05))
        for (double& axis : rig.input.axis) {
          const double kind = random.uniform(0.0, 1.0);
          axis = kind < 0.1   ? std::nan("")
                 : kind < 0.2 ? HUGE_VAL
                 : kind < 0.3 ? -1e300
                 : kind < 0.5 ? 0.0
                              : random.uniform(-1.5, 1.5);
        }
      const sim::OperatorDemand demand = rig.tick();
      for (const sim::ActuatorCommand& drive : demand.input.actuator) {
        ASSERT_TRUE(std::isfinite(drive.value));
        ASSERT_TRUE(std::isfinite(drive.feed_forward_V));
      }
      ASSERT_LE(std::fabs(demand.grapple), 1.0);
    }
    EXPECT_EQ(rig.sim.machine.health.non_finite, 0);
  }
}

TEST(OperatorControl, SameInputsSameBits) {
  const auto run = [](OperatorState& out) {
    Rig rig(tip(), ControlMode::kBoomTip, Fidelity::kFull);
    test::Random random(1);
    for (int k = 0; k < 3000; ++k) {
      if (k % 100 == 0)
        for (double& axis : rig.input.axis) axis = random.uniform(-1.0, 1.0);
      if (k == 1500) rig.control.set_mode(ControlMode::kJointRate, rig.sim, rig.state);
      rig.tick();
    }
    out = rig.state;
    return rig.sim;
  };
  OperatorState a, b;
  const SimState first = run(a);
  const SimState second = run(b);
  EXPECT_TRUE(test::same_bytes(first, second));
  EXPECT_TRUE(test::same_bytes(a, b));
}

}  // namespace
}  // namespace knuckleboom
