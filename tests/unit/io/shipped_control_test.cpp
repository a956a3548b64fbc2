// The shipped lever patterns on the shipped machines, with the machines' own controllers.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "io_test_support.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/sim/operator_control.hpp"
#include "knuckleboom/io/lever_file.hpp"
#include "knuckleboom/io/machine_file.hpp"

namespace knuckleboom {
namespace {

using command::ControlMode;
using command::LeverAxis;
using machine::Fidelity;
using test::config;

constexpr const char* kPatterns[] = {"excavator", "backhoe", "nordic", "boom_tip"};

command::LeverPattern pattern(const std::string& name) {
  return io::read_levers(config("levers/" + name + ".toml")).pattern;
}

machine::MachineModel model(const std::string& name) {
  return io::read_machine(config("machines/" + name + "/machine.toml")).model;
}

command::Scenario start(const machine::MachineModel& machine, double boom, double stick,
                        double extension = 0.0) {
  command::Scenario scenario;
  scenario.name = "start";
  scenario.duration_s = 1.0;
  for (const machine::Actuator& actuator : machine.actuators) {
    command::InitialJoint joint;
    joint.joint = machine.joint_name(actuator.link);
    joint.position = joint.joint == "boom"        ? boom
                     : joint.joint == "stick"     ? stick
                     : joint.joint == "extension" ? extension
                                                  : 0.0;
    joint.port_a_given = joint.joint == "stick" || joint.joint == "extension";
    joint.port_b_given = !joint.port_a_given;
    joint.port_a_Pa = joint.joint == "stick" ? 1e6 : 4e5;
    joint.port_b_Pa = 5e6;
    scenario.initial.push_back(joint);
  }
  return scenario;
}

struct Rig {
  sim::Simulation simulation;
  sim::OperatorControl control;
  sim::SimState sim;
  sim::OperatorState state;
  command::OperatorInput input{};

  Rig(const machine::MachineModel& machine, const command::LeverPattern& levers, ControlMode mode,
      Fidelity fidelity, double boom, double stick, double extension = 0.0)
      : simulation(machine, start(machine, boom, stick, extension)),
        control(simulation, levers),
        sim(simulation.initial_state(fidelity)),
        state(control.initial_state(sim, mode)) {}

  void tick() { simulation.step(sim, control.drive(input, sim, state).input); }
  void run(double seconds) {
    for (int k = 0; k < static_cast<int>(std::lround(seconds / 1e-3)); ++k) tick();
  }
  // The crane's tip, without the hanging bodies.
  Vec3 tip_W() const {
    machine::PointPose pose;
    machine::locate(simulation.model(), control.tip(), sim.machine.q, pose);
    return pose.p_W;
  }
  double fastest_actuated(double seconds) {
    double v = 0.0;
    for (int k = 0; k < static_cast<int>(std::lround(seconds / 1e-3)); ++k) {
      tick();
      for (const machine::Actuator& a : simulation.model().actuators)
        v = std::max(v, std::fabs(sim.machine.v[a.link]));
    }
    return v;
  }
};

// A log held in the grapple (or at the stick's tip), as a slender rod across.
void hold_log(Rig& rig, double mass) {
  const multibody::Tree& tree = rig.simulation.model().tree;
  const int grapple = tree.find_body("grapple");
  const bool hangs = grapple != multibody::kBase;
  multibody::RigidInertia log;
  log.mass = mass;
  log.com = hangs ? Vec3(0.0, 0.0, -0.9) : Vec3(3.2, 0.0, 0.0);
  const double across = mass * 4.0 * 4.0 / 12.0;  // 4 m long
  log.about_com = Vec3(0.01 * across, across, across).asDiagonal();
  const int body = hangs ? grapple : tree.find_body("stick");
  const int link = tree.body(body).link;
  ASSERT_GE(
      rig.simulation.attach(rig.sim, link, multibody::to_link_inertia(log, tree.body(body).in_link),
                            Vec3::Zero(), Vec3::Zero()),
      0);
  rig.run(8.0);
}

TEST(ShippedControl, EveryPatternDrivesEveryFunctionOfTheGrappleMachine) {
  const sim::Simulation grapple(model("harvester_grapple"),
                                start(model("harvester_grapple"), 0.5, -1.3));
  const sim::Simulation plain(model("harvester"), start(model("harvester"), 0.5, -1.3));
  for (const char* name : kPatterns) {
    SCOPED_TRACE(name);
    EXPECT_EQ(sim::OperatorControl(grapple, pattern(name)).missing(),
              (std::vector<std::string>{"extension"}));
    EXPECT_EQ(sim::OperatorControl(plain, pattern(name)).missing(),
              (std::vector<std::string>{"extension", "rotator", "grapple"}));
    for (const ControlMode mode :
         {ControlMode::kValve, ControlMode::kJointRate, ControlMode::kBoomTip}) {
      Rig rig(grapple.model(), pattern(name), mode, Fidelity::kReduced, 0.5, -1.3);
      for (double& axis : rig.input.axis) axis = 0.6;
      const double before[4] = {rig.sim.machine.q[0], rig.sim.machine.q[1], rig.sim.machine.q[2],
                                rig.sim.machine.q[5]};
      rig.run(1.0);
      EXPECT_GT(std::fabs(rig.sim.machine.q[0] - before[0]), 0.05);
      EXPECT_GT(std::fabs(rig.sim.machine.q[1] - before[1]), 0.005);
      EXPECT_GT(std::fabs(rig.sim.machine.q[2] - before[2]), 0.05);
      EXPECT_GT(std::fabs(rig.sim.machine.q[5] - before[3]), 0.05);
      EXPECT_LT(rig.control.drive(rig.input, rig.sim, rig.state).grapple, -0.2);
    }
  }
}

// The two machines of the exercises: every function has its lever, and the lever moves it, in all modes.
TEST(ShippedControl, EveryPatternDrivesEveryFunctionOfTheSizedMachines) {
  for (const char* machine : {"harvester_wheeled", "forwarder"})
    for (const char* name : kPatterns)
      for (const ControlMode mode :
           {ControlMode::kValve, ControlMode::kJointRate, ControlMode::kBoomTip}) {
        SCOPED_TRACE(std::string(machine) + ", " + name);
        const machine::MachineModel crane = model(machine);
        for (const command::LeverFunction& function : pattern(name).functions) {
          if (function.target != command::LeverTarget::kJoint) continue;
          Rig rig(crane, pattern(name), mode, Fidelity::kReduced, 0.5, -1.3, 0.5);
          EXPECT_TRUE(rig.control.missing().empty());
          const int link = crane.tree.find_joint(function.joint);
          const double before = rig.sim.machine.q[link];
          rig.input.axis[static_cast<std::size_t>(function.axis)] =
              function.shape.sign > 0.0 ? 0.7 : -0.7;
          rig.run(1.0);
          EXPECT_GT(rig.sim.machine.q[link] - before, 0.02) << function.joint;
        }
      }
}

// In boom-tip mode the tip makes use of the telescope, unless that is moved by its own lever: both in one movement,
// without a jump of any valve's command when the lever takes over and lets go.
TEST(ShippedControl, ATelescopeWithItsOwnLeverStillServesTheTip) {
  const auto axis = [](Rig& rig, LeverAxis a) -> double& {
    return rig.input.axis[static_cast<std::size_t>(a)];
  };
  for (const char* machine : {"harvester_wheeled", "forwarder"}) {
    SCOPED_TRACE(machine);
    Rig rig(model(machine), pattern("boom_tip"), ControlMode::kBoomTip, Fidelity::kReduced, 0.5,
            -1.3, 0.5);
    const int link = rig.simulation.model().tree.find_joint("extension");
    const auto rate = [&] { return 2.0 * rig.sim.machine.v[link]; };  // of its end
    axis(rig, LeverAxis::kLeftY) = 0.6;
    rig.run(2.0);
    EXPECT_GT(rate(), 0.03);  // out by the tip's lever
    double jump = 0.0, last[kMaxActuators];
    const auto watch = [&](double seconds) {
      for (int n = 0; n < static_cast<int>(std::lround(seconds / 1e-3)); ++n) {
        for (std::size_t k = 0; k < rig.simulation.model().actuators.size(); ++k)
          last[k] = rig.sim.machine.actuator[k].command_V;
        rig.tick();
        for (std::size_t k = 0; k < rig.simulation.model().actuators.size(); ++k)
          jump = std::max(jump, std::fabs(rig.sim.machine.actuator[k].command_V - last[k]));
      }
    };
    axis(rig, LeverAxis::kLeftRocker) = -0.7;
    watch(1.0);
    EXPECT_LT(rate(), -0.1);  // in by its own
    axis(rig, LeverAxis::kLeftRocker) = 0.0;
    watch(1.0);
    EXPECT_GT(rate(), 0.03);
    std::printf("%-18s largest change of a command in a tick %.3f V\n", machine, jump);
    EXPECT_LT(jump, 1.3);  // across both overlaps, when a valve reverses
    axis(rig, LeverAxis::kLeftY) = 0.0;
    rig.run(6.0);
    EXPECT_LT(rig.fastest_actuated(2.0), 5e-3);
  }
}

struct Line {
  double aside_m;  // largest deviation of the other direction over the way
  double speed_m_per_s;
};

// Straight lever, half of 1 m/s, 3 m in or out.
Line reach_3m(const char* machine, Fidelity fidelity, double lever, double log_kg) {
  command::LeverPattern levers = pattern("boom_tip");
  for (command::LeverFunction& f : levers.functions) {
    f.shape = {};
    if (f.target == command::LeverTarget::kTipReach) f.full = 1.0;
  }
  Rig rig(model(machine), levers, ControlMode::kBoomTip, fidelity, lever > 0.0 ? 0.5 : 0.35,
          lever > 0.0 ? -2.0 : -0.8);
  if (log_kg > 0.0) hold_log(rig, log_kg);
  const auto radius = [&] { return std::hypot(rig.tip_W().x(), rig.tip_W().y()); };
  const double r0 = radius();
  const double z0 = rig.tip_W().z();
  Line line{0.0, 0.0};
  rig.input.axis[static_cast<std::size_t>(LeverAxis::kLeftY)] = lever;
  double seconds = 0.0;
  double r1 = r0;
  for (; std::fabs(radius() - r0) < 3.0 && seconds < 10.0; seconds += 1e-3) {
    rig.tick();
    line.aside_m = std::max(line.aside_m, std::fabs(rig.tip_W().z() - z0));
    if (std::fabs(seconds - 1.0) < 0.5e-3) r1 = radius();
  }
  line.speed_m_per_s = std::fabs(radius() - r1) / (seconds - 1.0);
  return line;
}

TEST(ShippedControl, APureReachDemandKeepsItsHeight) {
  for (const char* machine : {"harvester", "harvester_grapple", "harvester_ls"})
    for (const Fidelity fidelity : {Fidelity::kReduced, Fidelity::kFull})
      for (const double log_kg : {0.0, 300.0})
        for (const double lever : {0.5, -0.5}) {
          const Line line = reach_3m(machine, fidelity, lever, log_kg);
          std::printf("%-18s %-8s log %3.0f kg, 3 m %s: height within %.1f cm, %.3f m/s\n", machine,
                      machine::word_of(fidelity), log_kg, lever > 0.0 ? "out" : "in",
                      100.0 * line.aside_m, line.speed_m_per_s);
          // Compensated valves leave the boom's bounce next to no damping.
          EXPECT_LT(line.aside_m, std::string(machine) == "harvester_ls" ? 0.08 : 0.05);
          EXPECT_NEAR(line.speed_m_per_s, 0.5, 0.01);
        }
}

TEST(ShippedControl, NeutralHoldsStillWithAndWithoutALog) {
  for (const char* machine : {"harvester", "harvester_grapple", "harvester_ls"})
    for (const Fidelity fidelity : {Fidelity::kReduced, Fidelity::kFull})
      for (const double log_kg : {0.0, 300.0})
        for (const ControlMode mode : {ControlMode::kJointRate, ControlMode::kBoomTip}) {
          Rig rig(model(machine), pattern("nordic"), mode, fidelity, 0.5, -1.3);
          // A log that has just been taken up swings the oil for a while.
          if (log_kg > 0.0) {
            hold_log(rig, log_kg);
            rig.run(60.0);
          }
          EXPECT_LT(rig.fastest_actuated(10.0), 1e-3);
        }
}

// After a move the valves are shut; the oil's own swing dies away, and nothing keeps it up.
TEST(ShippedControl, NoLimitCycleAfterAStop) {
  for (const char* machine : {"harvester", "harvester_grapple", "harvester_ls"})
    for (const Fidelity fidelity : {Fidelity::kReduced, Fidelity::kFull})
      for (const double log_kg : {0.0, 300.0}) {
        Rig rig(model(machine), pattern("boom_tip"), ControlMode::kBoomTip, fidelity, 0.5, -1.5);
        if (log_kg > 0.0) hold_log(rig, log_kg);
        rig.input.axis[static_cast<std::size_t>(LeverAxis::kLeftX)] = 0.5;
        rig.input.axis[static_cast<std::size_t>(LeverAxis::kLeftY)] = 0.6;
        rig.run(2.0);
        rig.input = {};
        rig.run(1.0);
        const double first = rig.fastest_actuated(5.0);
        rig.run(20.0);
        const double later = rig.fastest_actuated(5.0);
        rig.run(80.0);
        const double last = rig.fastest_actuated(10.0);
        std::printf("%-18s %-8s log %3.0f kg: %.4f, after 25 s %.4f, after 110 s %.5f rad/s\n",
                    machine, machine::word_of(fidelity), log_kg, first, later, last);
        EXPECT_LT(later, 0.5 * first);
        EXPECT_LT(last, 1e-3);
      }
}

}  // namespace
}  // namespace knuckleboom
