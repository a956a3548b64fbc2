// The shipped machines and scenarios say what the physics reference says, to the last digit.

#include <cmath>
#include <numbers>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "io_test_support.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/io/lever_file.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/scenario_file.hpp"

namespace knuckleboom::shipped_files_test {
namespace {

using test::config;

machine::MachineModel harvester() {
  return io::read_machine(config("machines/harvester/machine.toml")).model;
}
machine::MachineModel paper() {
  return io::read_machine(config("machines/harvester_paper/machine.toml")).model;
}

void expect_vector(const Vec3& actual, double x, double y, double z) {
  EXPECT_EQ(actual.x(), x);
  EXPECT_EQ(actual.y(), y);
  EXPECT_EQ(actual.z(), z);
}

void expect_bodies(const machine::MachineModel& m) {
  ASSERT_EQ(m.tree.body_count(), 4);
  ASSERT_EQ(m.joint_count(), 3);
  expect_vector(m.tree.gravity_W, 0.0, 0.0, -9.81);
  EXPECT_EQ(m.joint_name(0), "swing");
  EXPECT_EQ(m.joint_name(1), "boom");
  EXPECT_EQ(m.joint_name(2), "stick");

  const multibody::Body& swing = m.tree.body(0);
  expect_vector(swing.axis_B, 0.0, 0.0, 1.0);
  EXPECT_EQ(swing.inertia.about_com(2, 2), 15000.0);
  EXPECT_EQ(swing.inertia.com.x(), 0.0);
  EXPECT_EQ(swing.inertia.com.y(), 0.0);
  EXPECT_EQ(swing.lower, swing.upper);

  const multibody::Body& boom = m.tree.body(1);
  expect_vector(boom.in_parent.p, 0.35, 0.0, 1.9);
  expect_vector(boom.axis_B, 0.0, -1.0, 0.0);
  EXPECT_EQ(boom.inertia.mass, 1400.0);
  expect_vector(boom.inertia.com, 2.3, 0.0, 0.25);
  expect_vector(boom.inertia.about_com.diagonal(), 90.0, 3200.0, 3200.0);
  EXPECT_EQ(boom.lower, -0.35);
  EXPECT_EQ(boom.upper, 1.10);

  const multibody::Body& stick = m.tree.body(2);
  expect_vector(stick.in_parent.p, 5.0, 0.0, 0.0);
  expect_vector(stick.axis_B, 0.0, -1.0, 0.0);
  EXPECT_EQ(stick.inertia.mass, 650.0);
  expect_vector(stick.inertia.com, 1.3, 0.0, 0.05);
  expect_vector(stick.inertia.about_com.diagonal(), 30.0, 700.0, 700.0);
  EXPECT_EQ(stick.lower, -2.10);
  EXPECT_EQ(stick.upper, -0.50);

  const multibody::Body& head = m.tree.body(3);
  EXPECT_EQ(head.type, multibody::JointType::kFixed);
  EXPECT_EQ(head.parent, 2);
  expect_vector(head.in_parent.p, 3.2, 0.0, 0.0);
  EXPECT_EQ(head.inertia.mass, 800.0);
  EXPECT_TRUE(head.inertia.com.isZero(0.0));
  EXPECT_TRUE(head.inertia.about_com.isZero(0.0));

  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(m.tree.body(i).damping, 0.0);
    EXPECT_TRUE(m.tree.body(i).in_parent.R.isIdentity(0.0));
  }
  EXPECT_EQ(m.tip_body, 2);
  expect_vector(m.tip_B, 3.2, 0.0, 0.0);
}

void expect_lines(const hydraulics::Circuit& c, double I, double C1, double C2, double R) {
  EXPECT_EQ(c.line1.I, I);
  EXPECT_EQ(c.line2.I, I);
  EXPECT_EQ(c.line1.C, C1);
  EXPECT_EQ(c.line2.C, C2);
  EXPECT_EQ(c.line1.R, R);
  EXPECT_EQ(c.line2.R, R);
}

void expect_hydraulics(const machine::MachineModel& m) {
  EXPECT_EQ(m.supply.pump_Pa, 20e6);
  EXPECT_EQ(m.supply.tank_Pa, 0.0);
  EXPECT_EQ(m.closed_valve, machine::ClosedValveModel::kDynamic);
  EXPECT_EQ(m.tau_Q, 0.01);
  ASSERT_EQ(m.actuators.size(), 3u);
  ASSERT_EQ(m.controllers.size(), 3u);
  using std::numbers::pi;

  const hydraulics::Circuit& swing = m.actuators[0].circuit;
  EXPECT_EQ(m.actuators[0].name, "swing");
  EXPECT_EQ(m.actuators[0].link, 0);
  EXPECT_EQ(m.actuators[0].linkage.kind, machine::LinkageKind::kDirect);
  EXPECT_EQ(swing.kind, hydraulics::ActuatorKind::kMotor);
  EXPECT_EQ(swing.D_m, 1.1456e-5);
  EXPECT_EQ(swing.N, 160.0);
  EXPECT_EQ(swing.B, 1500.0);
  expect_lines(swing, 1.2e7, 2e-12, 2e-12, 2e8);
  EXPECT_EQ(swing.leak_internal, 1.0 / 2e12);
  EXPECT_EQ(swing.leak_external1, 1.0 / 8e12);
  EXPECT_EQ(swing.leak_external2, 1.0 / 8e12);

  const machine::Actuator& boom = m.actuators[1];
  EXPECT_EQ(boom.link, 1);
  EXPECT_EQ(boom.linkage.kind, machine::LinkageKind::kTriangle);
  expect_vector(boom.linkage.base_pin, 0.55, 0.0, -0.75);
  expect_vector(boom.linkage.rod_pin, 1.9, 0.0, 0.30);
  EXPECT_DOUBLE_EQ(boom.circuit.A1, pi / 4.0 * 0.14 * 0.14);
  EXPECT_DOUBLE_EQ(boom.circuit.A2, pi / 4.0 * (0.14 * 0.14 - 0.09 * 0.09));
  EXPECT_EQ(boom.circuit.B, 2e4);
  expect_lines(boom.circuit, 1.5e7, 9e-12, 7e-12, 4e10);

  const machine::Actuator& stick = m.actuators[2];
  EXPECT_EQ(stick.link, 2);
  expect_vector(stick.linkage.base_pin, -1.9, 0.0, 0.70);
  expect_vector(stick.linkage.rod_pin, -0.55, 0.0, 0.35);
  EXPECT_DOUBLE_EQ(stick.circuit.A1, pi / 4.0 * 0.125 * 0.125);
  EXPECT_DOUBLE_EQ(stick.circuit.A2, pi / 4.0 * (0.125 * 0.125 - 0.08 * 0.08));
  EXPECT_EQ(stick.circuit.B, 2e4);
  expect_lines(stick.circuit, 1.5e7, 7e-12, 6e-12, 4e10);

  for (int k = 0; k < 3; ++k) {
    const hydraulics::Valve& valve = m.actuators[static_cast<std::size_t>(k)].circuit.valve;
    EXPECT_EQ(valve.overlap_V, 0.5);
    EXPECT_EQ(valve.full_V, 10.0);
    EXPECT_EQ(valve.min_conductance_ratio, 1e-4);
    EXPECT_EQ(valve.spool_time_constant_s, 0.0);
    for (const hydraulics::Conductance& edge : valve.edge) {
      EXPECT_EQ(edge.scale, 3e-6);
      EXPECT_EQ(edge.polynomial[0], 0.6);
      EXPECT_EQ(edge.polynomial[1], 0.4);
      EXPECT_EQ(edge.polynomial[2], 0.0);
      EXPECT_TRUE(edge.table.x.empty());
    }
    const control::PidGains& gains = m.controllers[static_cast<std::size_t>(k)];
    EXPECT_EQ(gains.Kp, 40.0);
    EXPECT_EQ(gains.Ki, 10.0);
    EXPECT_EQ(gains.Kd, 0.0);
    EXPECT_EQ(gains.feed_forward, 0.0);
    EXPECT_EQ(gains.overlap_compensation_V, 0.0);
    EXPECT_EQ(gains.output_limit_V, 10.0);
    EXPECT_EQ(gains.anti_windup, control::AntiWindup::kConditional);
    EXPECT_EQ(gains.period_ticks, 1);
  }
}

TEST(ShippedMachines, HarvesterIsTheReferenceMachine) {
  const machine::MachineModel m = harvester();
  EXPECT_EQ(m.name, "harvester");
  expect_bodies(m);
  expect_hydraulics(m);
}

TEST(ShippedMachines, PaperVariantIsTheReferenceMachine) {
  const machine::MachineModel m = paper();
  EXPECT_EQ(m.name, "harvester_paper");
  expect_bodies(m);
  expect_hydraulics(m);
}

TEST(ShippedMachines, ProtectionAndEndStopsAreOnInTheHarvesterOnly) {
  const machine::MachineModel m = harvester();
  for (const machine::Actuator& actuator : m.actuators) {
    const hydraulics::Protection& p = actuator.circuit.protection;
    EXPECT_TRUE(p.enabled);
    EXPECT_EQ(p.relief_Pa, 250e5);
    EXPECT_EQ(p.anti_cavitation_Pa, -0.1e5);
    EXPECT_EQ(p.anti_cavitation_conductance, 3e-7);
    // The largest flow the pumps of such a machine give overshoots the setting by less than 5 %.
    EXPECT_LT(0.015 / p.relief_conductance, 0.05 * p.relief_Pa);
  }
  EXPECT_FALSE(m.actuators[0].stops.enabled);
  for (std::size_t k = 1; k < 3; ++k) {
    EXPECT_TRUE(m.actuators[k].stops.enabled);
    EXPECT_EQ(m.actuators[k].stops.cushion, 0.06);
    EXPECT_LT(m.actuators[k].stops.x_min, m.actuators[k].stops.x_max);
  }
  for (const machine::Actuator& actuator : paper().actuators) {
    EXPECT_FALSE(actuator.circuit.protection.enabled);
    EXPECT_FALSE(actuator.stops.enabled);
  }
}

TEST(ShippedMachines, TwoMachinesHaveTwoHashes) {
  const auto a = io::read_machine(config("machines/harvester/machine.toml")).hash;
  const auto b = io::read_machine(config("machines/harvester_paper/machine.toml")).hash;
  EXPECT_EQ(a.hex.size(), 32u);
  EXPECT_NE(a, b);
  EXPECT_EQ(a, io::read_machine(config("machines/harvester/machine.toml")).hash);
}

command::Scenario scenario(const std::string& name) {
  return io::read_scenario(config("scenarios/" + name + ".toml")).scenario;
}

const command::JointProgram& program(const command::Scenario& s, const std::string& joint) {
  for (const command::JointProgram& p : s.programs)
    if (p.joint == joint) return p;
  throw std::runtime_error("no program for " + joint);
}

double smooth(double s) {
  s = std::fmin(1.0, std::fmax(0.0, s));
  return s * s * (3.0 - 2.0 * s);
}

const char* const kScenarios[] = {"stick_sine", "boom_sine", "boom_pulse", "swing_pulse",
                                  "tip_circle"};

TEST(ShippedScenarios, AllStartFromTheSameRest) {
  for (const char* name : kScenarios) {
    SCOPED_TRACE(name);
    const command::Scenario s = scenario(name);
    EXPECT_EQ(s.name, name);
    EXPECT_EQ(s.machine, "harvester");
    EXPECT_EQ(s.tick_s, 1e-3);
    // tip_circle changes gains, and that at the start.
    for (const command::Event& event : s.events) {
      EXPECT_EQ(event.kind, command::EventKind::kGain);
      EXPECT_EQ(event.at_s, 0.0);
    }
    ASSERT_EQ(s.initial.size(), 3u);
    for (const command::InitialJoint& joint : s.initial) {
      const bool swing = joint.joint == "swing";
      const bool boom = joint.joint == "boom";
      EXPECT_EQ(joint.position, swing ? 0.0 : boom ? 0.5 : -1.3);
      EXPECT_EQ(joint.port_a_given, !swing && !boom);
      EXPECT_EQ(joint.port_b_given, swing || boom);
      EXPECT_EQ(swing  ? joint.port_b_Pa
                : boom ? joint.port_b_Pa
                       : joint.port_a_Pa,
                swing  ? 5e6
                : boom ? 3e6
                       : 1e6);
    }
  }
}

TEST(ShippedScenarios, FitBothMachines) {
  for (const machine::MachineModel& m : {harvester(), paper()}) {
    for (const char* name : kScenarios) {
      const io::ScenarioFile file =
          io::read_scenario(config(std::string("scenarios/") + name + ".toml"));
      EXPECT_EQ(test::joined(io::check_against(file.scenario, m, file.places)), "") << name;
    }
  }
}

TEST(ShippedScenarios, Durations) {
  EXPECT_EQ(scenario("stick_sine").duration_s, 40.0);
  EXPECT_EQ(scenario("boom_sine").duration_s, 40.0);
  EXPECT_EQ(scenario("boom_pulse").duration_s, 12.0);
  EXPECT_EQ(scenario("swing_pulse").duration_s, 20.0);
}

TEST(ShippedScenarios, SinesFollowTheirFormula) {
  const command::Scenario stick = scenario("stick_sine");
  const command::Scenario boom = scenario("boom_sine");
  for (int i = 0; i <= 400; ++i) {
    const double t = 0.1 * i;
    const double wave = std::fmin(1.0, t / 2.0) * std::sin(2.0 * std::numbers::pi * 0.1 * t);
    EXPECT_NEAR(command::value(program(stick, "stick").signal, t), -1.3 + 0.35 * wave, 1e-12);
    EXPECT_EQ(command::value(program(stick, "boom").signal, t), 0.5);
    EXPECT_EQ(command::value(program(stick, "swing").signal, t), 0.0);
    EXPECT_NEAR(command::value(program(boom, "boom").signal, t), 0.5 + 0.25 * wave, 1e-12);
    EXPECT_EQ(command::value(program(boom, "stick").signal, t), -1.3);
  }
}

TEST(ShippedScenarios, PulsesAreOpenLoop) {
  const command::Scenario boom = scenario("boom_pulse");
  const command::Scenario swing = scenario("swing_pulse");
  for (const command::Scenario& s : {boom, swing})
    for (const command::JointProgram& p : s.programs)
      EXPECT_EQ(p.mode, command::JointMode::kVoltage);
  for (int i = 0; i <= 2000; ++i) {
    const double t = 0.01 * i;
    const double pulse = t >= 1.0 && t < 2.5 ? 4.0 : t >= 5.0 && t < 6.5 ? -2.0 : 0.0;
    EXPECT_EQ(command::value(program(boom, "boom").signal, t), pulse) << t;
    EXPECT_EQ(command::value(program(boom, "stick").signal, t), 0.0);
    EXPECT_NEAR(command::value(program(swing, "swing").signal, t),
                1.5 * (smooth((t - 1.0) / 4.0) - smooth((t - 8.0) / 4.0)), 1e-12);
  }
}

// Closed-form inverse kinematics of the reference crane.
bool reachable(const Vec3& p) {
  const double r = std::hypot(p.x(), p.y()) - 0.35;
  const double h = p.z() - 1.9;
  const double c = (r * r + h * h - 25.0 - 10.24) / 32.0;
  if (std::fabs(c) > 1.0) return false;
  const double stick = -std::acos(c);
  const double boom =
      std::atan2(h, r) - std::atan2(3.2 * std::sin(stick), 5.0 + 3.2 * std::cos(stick));
  return boom > -0.35 && boom < 1.10 && stick > -2.10 && stick < -0.50;
}

TEST(ShippedScenarios, TipCircleStaysWithinReach) {
  const command::Scenario s = scenario("tip_circle");
  for (const command::JointProgram& p : s.programs) EXPECT_EQ(p.mode, command::JointMode::kTip);
  const Vec3 start(0.35 + 5.0 * std::cos(0.5) + 3.2 * std::cos(-0.8), 0.0,
                   1.9 + 5.0 * std::sin(0.5) + 3.2 * std::sin(-0.8));
  EXPECT_LE(command::duration(s.tip_path), s.duration_s);
  bool circle_seen = false;
  double side = 0.0;
  for (double t = 0.0; t <= s.duration_s; t += 0.01) {
    const Vec3 offset = command::offset(s.tip_path, t - s.tip_start_s);
    EXPECT_TRUE(reachable(start + offset)) << t;
    side = std::fmax(side, std::fabs(offset.y()));
  }
  for (const command::Segment& segment : s.tip_path.segments) {
    if (segment.kind != command::SegmentKind::kCircle) continue;
    circle_seen = true;
    EXPECT_NEAR(segment.center_W.norm(), 1.0, 1e-12);
    EXPECT_EQ(segment.center_W.y(), 0.0);
    EXPECT_NEAR(std::fabs(segment.axis_W.y()), 1.0, 1e-12);
  }
  EXPECT_TRUE(circle_seen);
  EXPECT_GT(side, 2.0);
  EXPECT_LT(side, 3.0);
}

TEST(ShippedLevers, AllLoadAndMoveEveryFunction) {
  for (const char* name : {"excavator", "backhoe", "nordic", "boom_tip"}) {
    SCOPED_TRACE(name);
    const command::LeverPattern pattern =
        io::read_levers(config(std::string("levers/") + name + ".toml")).pattern;
    EXPECT_EQ(pattern.name, name);
    ASSERT_EQ(pattern.functions.size(), 6u);
    const command::LeverFunction& swing = pattern.functions[0];
    EXPECT_EQ(swing.joint, "swing");
    EXPECT_EQ(swing.axis, command::LeverAxis::kLeftX);
    // Lever to the right turns right: about -z.
    EXPECT_LT(command::shape(1.0, swing.shape), 0.0);
    std::set<std::string> moved;
    for (const command::LeverFunction& function : pattern.functions) {
      EXPECT_EQ(command::shape(0.03, function.shape), 0.0);
      EXPECT_EQ(std::fabs(command::shape(1.0, function.shape)), 1.0);
      EXPECT_GT(function.ramp.rise_per_s, 0.0);
      const bool reach = function.target == command::LeverTarget::kTipReach;
      const bool height = function.target == command::LeverTarget::kTipHeight;
      const bool grapple = function.target == command::LeverTarget::kGrapple;
      moved.insert(reach ? "stick" : height ? "boom" : grapple ? "grapple" : function.joint);
    }
    EXPECT_EQ(moved,
              (std::set<std::string>{"swing", "boom", "stick", "extension", "rotator", "grapple"}));
  }
}

TEST(ShippedLevers, ExcavatorAndBackhoeExchangeBoomAndStick) {
  const auto axis = [](const char* file, const std::string& joint) {
    for (const auto& f : io::read_levers(config(file)).pattern.functions)
      if (f.joint == joint) return f.axis;
    return command::LeverAxis::kLeftPedal;
  };
  EXPECT_EQ(axis("levers/excavator.toml", "stick"), command::LeverAxis::kLeftY);
  EXPECT_EQ(axis("levers/excavator.toml", "boom"), command::LeverAxis::kRightY);
  EXPECT_EQ(axis("levers/backhoe.toml", "boom"), command::LeverAxis::kLeftY);
  EXPECT_EQ(axis("levers/backhoe.toml", "stick"), command::LeverAxis::kRightY);
}

}  // namespace
}  // namespace knuckleboom::shipped_files_test
