// The head of harvester_grapple hangs from the stick's tip by two joints without actuator: it comes
// to rest straight down, swings as a compound pendulum, and the pressures of boom and stick show
// it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/machine/tip.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "support/error_norm.hpp"
#include "support/machines.hpp"
#include "support/paths.hpp"
#include "support/variants.hpp"

namespace knuckleboom::hanging_head_test {
namespace {

using machine::MachineModel;
using sim::SimState;
using sim::Simulation;

constexpr int kBoom = 1, kStick = 2, kPitch = 3, kRoll = 4;
constexpr double kTicks[] = {1.0 / 250.0, 1.0 / 1000.0, 1.0 / 2000.0};

MachineModel grapple_machine(const test::Variant& variant) {
  MachineModel model = io::read_machine(std::filesystem::path(KNUCKLEBOOM_SOURCE_DIR) / "config" /
                                        "machines" / "harvester_grapple" / "machine.toml")
                           .model;
  model.closed_valve = variant.closed;
  return model;
}

// All valves shut.
command::Scenario shut(double tick_s, double boom, double stick) {
  command::Scenario scenario = test::locked(1.0);
  scenario.tick_s = tick_s;
  scenario.initial[1].position = boom;
  scenario.initial[2].position = stick;
  scenario.programs.push_back({"rotator", command::JointMode::kVoltage, {}});
  return scenario;
}

void displace(command::Scenario& scenario, const char* joint, double position) {
  scenario.initial.emplace_back();
  scenario.initial.back().joint = joint;
  scenario.initial.back().position = position;
}

// The hanging bodies about an axis: first and second moment of mass. Distances below the axis.
struct Pendulum {
  double moment = 0.0;   // kg m
  double inertia = 0.0;  // kg m^2
  void add(double mass, double below, double about_com) {
    moment += mass * below;
    inertia += mass * below * below + about_com;
  }
  double period() const { return 2.0 * std::numbers::pi * std::sqrt(inertia / (moment * 9.81)); }
};
// By hand from the file's numbers: link, rotator body, grapple.
Pendulum pitching() {
  Pendulum p;
  p.add(25.0, 0.125, 0.2);
  p.add(60.0, 0.40, 0.9);
  p.add(250.0, 1.10, 22.0);
  return p;
}
Pendulum rolling() {
  Pendulum p;
  p.add(60.0, 0.15, 0.9);
  p.add(250.0, 0.85, 24.0);
  return p;
}

// Mean period between rising passages through `rest`, and the largest deviations between them.
struct Swing {
  double period = 0.0;
  std::vector<double> peak;
};
Swing swing_of(const std::vector<double>& x, double rest, double h) {
  Swing out;
  double first = -1.0, last = -1.0, peak = 0.0;
  for (std::size_t k = 1; k < x.size(); ++k) {
    peak = std::max(peak, std::fabs(x[k] - rest));
    if (!(x[k - 1] < rest && x[k] >= rest)) continue;
    last = h * (static_cast<double>(k) - (x[k] - rest) / (x[k] - x[k - 1]));
    if (first < 0.0)
      first = last;
    else
      out.peak.push_back(peak);
    peak = 0.0;
  }
  out.period = (last - first) / static_cast<double>(out.peak.size());
  return out;
}

TEST(HangingHead, StartsAtRestAndHangsStraight) {
  for (const test::Variant& variant : test::kVariants)
    for (const double h : kTicks)
      for (const auto& [boom, stick] : {std::pair{0.5, -1.3}, {0.9, -0.6}, {0.2, -0.9}}) {
        const Simulation simulation(grapple_machine(variant), shut(h, boom, stick));
        const SimState start = simulation.initial_state(variant.fidelity);
        EXPECT_NEAR(boom + stick + start.machine.q[kPitch], 0.0, 1e-9);
        EXPECT_NEAR(start.machine.q[kRoll], 0.0, 1e-9);
        SimState state = start;
        for (int k = 0; k < static_cast<int>(2.0 / h); ++k) simulation.step(state);
        for (int i = 0; i < 6; ++i) EXPECT_NEAR(state.machine.q[i], start.machine.q[i], 1e-8);
        EXPECT_EQ(state.machine.health.newton_unconverged, 0);
      }
}

TEST(HangingHead, StaysWhereTheScenarioPutsIt) {
  command::Scenario scenario = shut(1e-3, 0.5, -1.3);
  displace(scenario, "head_pitch", 1.1);
  const Simulation simulation(grapple_machine(test::kVariants[0]), scenario);
  EXPECT_EQ(simulation.initial_state(machine::Fidelity::kFull).machine.q[kPitch], 1.1);
}

TEST(HangingHead, SwingsAsACompoundPendulum) {
  for (const test::Variant& variant : test::kVariants)
    for (const double h : kTicks) {
      SCOPED_TRACE(variant.name);
      command::Scenario scenario = shut(h, 0.5, -1.3);
      displace(scenario, "head_pitch", 0.8 + 0.1);
      displace(scenario, "head_roll", 0.1);
      const MachineModel model = grapple_machine(variant);
      const Simulation simulation(model, scenario);
      SimState state = simulation.initial_state(variant.fidelity);
      std::vector<double> pitch, roll;
      double residual = 0.0;
      for (int k = 0; k < static_cast<int>(9.0 / h); ++k) {
        simulation.step(state);
        // From the vertical: the arm yields slightly.
        pitch.push_back(state.machine.q[1] + state.machine.q[2] + state.machine.q[kPitch]);
        roll.push_back(state.machine.q[kRoll]);
        test::keep_worst(residual, std::fabs(simulation.energy_residual(state)));
      }
      const Swing p = swing_of(pitch, 0.0, h), r = swing_of(roll, 0.0, h);
      std::printf(
          "%-22s %4.0f Hz: pitch %.4f s (pinned %.4f), roll %.4f s (pinned %.4f), decay %.3f, "
          "residual %.1e J\n",
          variant.name, 1.0 / h, p.period, pitching().period(), r.period, rolling().period(),
          p.peak[1] / p.peak[0], residual);
      // The tip is no fixed pin: oil and swing give way like springs, which makes a pendulum slower.
      EXPECT_NEAR(p.period, pitching().period(), 0.03 * pitching().period());
      EXPECT_NEAR(r.period, rolling().period(), 0.06 * rolling().period());
      // Viscous damping: the amplitude falls by exp(-d T / (2 I)) in a period.
      const double decay = std::exp(-120.0 * p.period / (2.0 * pitching().inertia));
      EXPECT_NEAR(p.peak[1] / p.peak[0], decay, 0.03);
      if (variant.closed == machine::ClosedValveModel::kDynamic) {
        EXPECT_LT(residual, 1e-3 * state.machine.energy.friction);
      }
      EXPECT_EQ(state.machine.health.newton_unconverged, 0);
      EXPECT_EQ(state.machine.health.non_finite, 0);
    }
}

// Amplitude of a signal at one frequency, its mean and slow drift taken off by the window.
double amplitude_at(const std::vector<double>& x, double frequency_Hz, double h) {
  const double n = static_cast<double>(x.size());
  double mean = 0.0, weight = 0.0;
  const auto window = [&](std::size_t k) {
    return 0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * static_cast<double>(k) / (n - 1.0));
  };
  for (std::size_t k = 0; k < x.size(); ++k) {
    mean += window(k) * x[k];
    weight += window(k);
  }
  mean /= weight;
  double c = 0.0, s = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double phase = 2.0 * std::numbers::pi * frequency_Hz * h * static_cast<double>(k);
    c += window(k) * (x[k] - mean) * std::cos(phase);
    s += window(k) * (x[k] - mean) * std::sin(phase);
  }
  return 2.0 * std::hypot(c, s) / weight;
}

// The pin pulls at the tip with H = sum(m r) theta'', level: a moment H z at a joint z below the tip, and
// P1 of the locked cylinder changes by A1/C1 / K of its force.
TEST(HangingHead, TheOilFeelsItSwing) {
  constexpr double h = 1e-3;
  for (const test::Variant& variant : test::kVariants) {
    SCOPED_TRACE(variant.name);
    constexpr double boom = 0.9, stick = -1.4;
    command::Scenario scenario = shut(h, boom, stick);
    displace(scenario, "head_pitch", -(boom + stick) + 0.15);
    MachineModel model = grapple_machine(variant);
    // The jolt of the start makes the arm bounce as well; let that die away.
    for (const int k : {kBoom, kStick})
      model.actuators[static_cast<std::size_t>(k)].circuit.B = 3e5;
    const Simulation simulation(model, scenario);
    SimState state = simulation.initial_state(variant.fidelity);
    std::vector<double> angle, pressure[2];
    for (int k = 0; k < 12000; ++k) {
      simulation.step(state);
      if (k < 1500) continue;
      angle.push_back(state.machine.q[1] + state.machine.q[2] + state.machine.q[kPitch]);
      pressure[0].push_back(state.machine.actuator[kBoom].p[0]);
      pressure[1].push_back(state.machine.actuator[kStick].p[0]);
    }
    const Pendulum p = pitching();
    const double f = 1.0 / swing_of(angle, 0.0, h).period;
    const double omega = 2.0 * std::numbers::pi * f;
    const double pull = p.moment * omega * omega * amplitude_at(angle, f, h);
    const Vec3 tip = machine::tip_position(model, state.machine.q);
    const double height[2] = {tip.z() - 1.9, -3.2 * std::sin(-(boom + stick))};
    for (const int k : {0, 1}) {
      const hydraulics::Circuit& c = model.actuators[static_cast<std::size_t>(k) + 1].circuit;
      const double J = machine::displacement(model, k + 1, state.machine.q[k + 1]).J;
      const double expected = std::fabs(pull * height[k] / J) * (c.A1 / c.line1.C) /
                              (c.A1 * c.A1 / c.line1.C + c.A2 * c.A2 / c.line2.C);
      const double seen = amplitude_at(pressure[k], f, h);
      std::printf("%-22s %s P1 swings by %.1f kPa at %.3f Hz (expected %.1f kPa)\n", variant.name,
                  k == 0 ? "boom " : "stick", 1e-3 * seen, f, 1e-3 * expected);
      EXPECT_NEAR(seen, expected, 0.15 * expected);
      EXPECT_GT(seen, 10e3);
    }
  }
}

// A swing of the crane sets the head swinging, and the motion dies away.
TEST(HangingHead, ASwingOfTheCraneMovesIt) {
  for (const test::Variant& variant : test::kVariants) {
    SCOPED_TRACE(variant.name);
    command::Scenario scenario = shut(1e-3, 0.5, -1.3);
    scenario.programs[0].signal = {{test::smooth(2.0, 0.5, 3.0)}};
    const Simulation simulation(grapple_machine(variant), scenario);
    SimState state = simulation.initial_state(variant.fidelity);
    std::vector<double> after;
    double largest = 0.0;
    for (int k = 0; k < 30000; ++k) {
      simulation.step(state);
      largest = std::max(largest, std::fabs(state.machine.q[kRoll]));
      if (k >= 6000) after.push_back(state.machine.q[kRoll]);
    }
    const Swing roll = swing_of(after, 0.0, 1e-3);
    std::printf("%-22s rolls by up to %.3f rad, then with %.3f s\n", variant.name, largest,
                roll.period);
    EXPECT_GT(largest, 0.05);
    EXPECT_LT(largest, 1.0);
    // The swing's ports have drained by now, and a motor without preload gives way more.
    EXPECT_NEAR(roll.period, rolling().period(), 0.1 * rolling().period());
    EXPECT_LT(roll.peak.back(), 0.1 * roll.peak.front());
    EXPECT_LT(std::fabs(simulation.energy_residual(state)), 1e-3 * state.machine.energy.pump);
    EXPECT_EQ(state.machine.health.newton_unconverged, 0);
    EXPECT_EQ(state.machine.health.non_finite, 0);
  }
}

// At full lever; without load the two edges and the friction share the pump's pressure.
TEST(HangingHead, TheRotatorTurnsIt) {
  for (const test::Variant& variant : test::kVariants) {
    command::Scenario scenario = shut(1e-3, 0.5, -1.3);
    scenario.programs.back().signal = {{test::constant(10.0)}};
    const MachineModel model = grapple_machine(variant);
    const Simulation simulation(model, scenario);
    SimState state = simulation.initial_state(variant.fidelity);
    for (int k = 0; k < 5000; ++k) simulation.step(state);
    const hydraulics::Circuit& c = model.actuators[3].circuit;
    // 2 Q^2 / K^2 + 2 R Q + B Q / D^2 = P_pump, leakage left out.
    double Q = 0.0;
    for (int i = 0; i < 50; ++i) {
      const double K = c.valve.edge[0].scale;
      const double excess = 2.0 * Q * Q / (K * K) + (2.0 * c.line1.R + c.B / (c.D_m * c.D_m)) * Q -
                            model.supply.pump_Pa;
      Q -= excess / (4.0 * Q / (K * K) + 2.0 * c.line1.R + c.B / (c.D_m * c.D_m));
    }
    std::printf("%-22s rotator at %.3f rad/s (%.3f without leakage)\n", variant.name,
                state.machine.v[5], Q / c.D_m);
    EXPECT_NEAR(state.machine.v[5], Q / c.D_m, 0.05 * Q / c.D_m);
    EXPECT_NEAR(state.machine.v[5], 1.5, 0.15);
    EXPECT_NEAR(state.machine.q[kRoll], 0.0, 0.02);
  }
}

// Thrown against its stops, by a torque from outside and let go: they hold it, at every rate.
TEST(HangingHead, StopsHoldIt) {
  for (const test::Variant& variant : test::kVariants)
    for (const double h : kTicks)
      for (const int joint : {kPitch, kRoll})
        for (const double torque : {-3000.0, 3000.0}) {
          SCOPED_TRACE(variant.name);
          const MachineModel model = grapple_machine(variant);
          const Simulation simulation(model, shut(h, 0.5, -1.3));
          SimState state = simulation.initial_state(variant.fidelity);
          double force[kMaxLinks] = {};
          const machine::EndStops& stops = model.joint_stops[static_cast<std::size_t>(joint)];
          double least = 0.0, most = 0.0, residual = 0.0;
          bool back = false;
          for (int k = 0; k < static_cast<int>(20.0 / h); ++k) {
            const double t = h * k;
            force[joint] = t < 1.5 ? torque : 0.0;
            simulation.step(state, simulation.scenario_input(state), force);
            least = std::min(least, state.machine.q[joint] - stops.x_min);
            most = std::max(most, state.machine.q[joint] - stops.x_max);
            const bool beyond = least < 0.0 || most > 0.0;
            back = back || (beyond && t > 1.5 && state.machine.q[joint] > stops.x_min &&
                            state.machine.q[joint] < stops.x_max);
            test::keep_worst(residual, std::fabs(simulation.energy_residual(state)));
          }
          EXPECT_TRUE(back);
          EXPECT_TRUE(least < 0.0 || most > 0.0);
          EXPECT_GT(least, -0.3);
          EXPECT_LT(most, 0.3);
          EXPECT_GT(state.machine.energy.stops, 0.0);
          EXPECT_LT(residual, (h > 1e-3 ? 5e-2 : 5e-3) * state.machine.energy.external);
          EXPECT_EQ(state.machine.health.newton_unconverged, 0);
          EXPECT_EQ(state.machine.health.non_finite, 0);
          EXPECT_LT(std::fabs(state.machine.v[joint]), 0.3);
        }
}

// Tip control goes by the joints it is given, wherever the head hangs.
TEST(HangingHead, TipControlLeavesItAlone) {
  MachineModel model = grapple_machine(test::kVariants[1]);
  for (const bool on_grapple : {false, true}) {
    if (on_grapple) model.tip_body = model.tree.find_body("grapple");
    const Simulation simulation(model, test::tip_circle());
    SimState state = simulation.initial_state(machine::Fidelity::kReduced);
    for (int k = 0; k < 6000; ++k) {
      const double pitch = state.machine.q[kPitch], roll = state.machine.q[kRoll];
      simulation.step(state);
      if (on_grapple) {
        ASSERT_EQ(state.tip_joints[0][kPitch], pitch);
        ASSERT_EQ(state.tip_joints[0][kRoll], roll);
      }
    }
    EXPECT_EQ(state.tip_unreachable, 0);
    EXPECT_EQ(state.machine.health.non_finite, 0);
  }
}

}  // namespace
}  // namespace knuckleboom::hanging_head_test
