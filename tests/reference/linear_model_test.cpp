// Linear models against closed forms, against CVODE on the same equations, and against the nonlinear machine.
#include <cmath>
#include <complex>
#include <numbers>

#include <Eigen/Eigenvalues>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unsupported/Eigen/MatrixFunctions>

#include "knuckleboom/analysis/linear_loops.hpp"
#include "knuckleboom/analysis/modes.hpp"
#include "knuckleboom/core/machine/equations.hpp"
#include "reference/converged.hpp"
#include "support/machines.hpp"
#include "support/mechanisms.hpp"
#include "support/telescope.hpp"

namespace knuckleboom {
namespace {

using analysis::LinearModel;
using machine::Fidelity;
using Complex = std::complex<double>;

constexpr double kTurn = 2.0 * std::numbers::pi;

// Largest distance of a root from the nearest expected one, relative to its size.
double worst_root(const Eigen::VectorXcd& roots, const Eigen::VectorXcd& expected) {
  double worst = 0.0;
  for (const Complex root : expected) {
    double nearest = INFINITY;
    for (const Complex other : roots) nearest = std::min(nearest, std::abs(root - other));
    worst = std::max(worst, nearest / std::max(1.0, std::abs(root)));
  }
  return worst;
}

// --- Closed forms -------------------------------------------------------------

// A rod on a pivot with friction: I s^2 + d s + m g l / 2 = 0.
TEST(LinearModel, RodSwingsAsAPendulum) {
  constexpr double kLength = 1.7, kMass = 3.0, kDamping = 0.8;
  machine::MachineModel model;
  model.name = "rod";
  multibody::Body rod = test::bar("rod", multibody::kBase, Vec3::Zero(), kLength, kMass);
  rod.damping = kDamping;
  model.tree.add_body(rod);
  finish(model);
  command::Scenario scenario;
  scenario.duration_s = 1.0;
  const sim::Simulation simulation(model, scenario);
  const LinearModel linear =
      analysis::linearise(simulation, simulation.initial_state(Fidelity::kFull));
  const double I = kMass * kLength * kLength / 3.0, k = 0.5 * kMass * 9.81 * kLength;
  const Complex expected =
      -0.5 * kDamping / I + Complex(0.0, std::sqrt(k / I - std::pow(0.5 * kDamping / I, 2)));
  ASSERT_EQ(linear.states.size(), 2U);
  EXPECT_EQ(linear.states[0].name, "rod_rad");
  const std::vector<analysis::LinearMode> modes = analysis::modes_of(linear);
  ASSERT_EQ(modes.size(), 1U);
  EXPECT_LT(std::abs(modes[0].root - expected), 1e-7 * std::abs(expected));
  EXPECT_NEAR(modes[0].participation[0], 0.5, 1e-6);
  // Upright it falls: the same with the weight's sign turned.
  scenario.initial = {{"rod", 0.5 * std::numbers::pi, false, false, 0.0, 0.0}};
  const sim::Simulation upright(model, scenario);
  const double falls = -0.5 * kDamping / I + std::sqrt(k / I + std::pow(0.5 * kDamping / I, 2));
  const Eigen::VectorXcd roots =
      analysis::roots_of(analysis::linearise(upright, upright.initial_state(Fidelity::kFull)).A);
  EXPECT_LT(worst_root(roots, Eigen::VectorXcd::Constant(1, falls)), 1e-7);
}

// A mass on the oil of a cylinder with equal areas and equal lines: sqrt(4 beta A^2 / (V m)), V the oil of both.
TEST(LinearModel, ShutCylinderIsAHydraulicSpring) {
  constexpr double kBulk = 1.2e9, kVolume = 8e-3, kArea = 4e-3, kMass = 900.0, kB = 1500.0;
  machine::MachineModel model;
  model.name = "slide";
  model.tree.add_body(test::sliding("slide", multibody::kBase, kMass));
  test::add_cylinder(model, 0);
  hydraulics::Circuit& c = model.actuators[0].circuit;
  c.A1 = c.A2 = kArea;
  c.B = kB;
  c.line1.C = c.line2.C = 0.5 * kVolume / kBulk;
  finish(model);
  command::Scenario scenario;
  scenario.duration_s = 1.0;
  scenario.initial = {{"slide", 1.0, false, false, 0.0, 0.0}};
  scenario.programs = {{"slide", command::JointMode::kVoltage, {{test::constant(0.0)}}}};
  const sim::Simulation simulation(model, scenario);
  const double omega = std::sqrt(4.0 * kBulk * kArea * kArea / (kVolume * kMass));
  const double half = 0.5 * kB / kMass;
  const Complex expected = -half + Complex(0.0, std::sqrt(omega * omega - half * half));
  for (const Fidelity fidelity : {Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper}) {
    const LinearModel linear = analysis::linearise(simulation, simulation.initial_state(fidelity));
    ASSERT_EQ(linear.states.size(), 4U);
    EXPECT_LT(worst_root(analysis::roots_of(linear.A), Eigen::VectorXcd::Constant(1, expected)),
              1e-6);
    EXPECT_TRUE(linear.B.col(linear.find_input("slide_valve_V")).isZero(0.0));
  }
}

struct Slide {
  machine::MachineModel model;
  std::unique_ptr<sim::Simulation> simulation;
  sim::SimState state;
};

// Goes along at a steady speed with its valve open: the equations about it do not change with time.
Slide steady_slide(Fidelity fidelity, double voltage) {
  Slide out;
  out.model.name = "slide";
  multibody::Body body = test::sliding("slide", multibody::kBase, 2000.0);
  body.upper = 50.0;
  out.model.tree.add_body(body);
  test::add_cylinder(out.model, 0);
  finish(out.model);
  command::Scenario scenario;
  scenario.duration_s = 20.0;
  scenario.initial = {{"slide", 1.0, false, false, 0.0, 0.0}};
  scenario.programs = {{"slide", command::JointMode::kVoltage, {{test::constant(voltage)}}}};
  out.simulation = std::make_unique<sim::Simulation>(out.model, scenario);
  out.state = out.simulation->initial_state(fidelity);
  reference::ConvergedSolver solver(*out.simulation, {1e-12, false});
  while (out.simulation->time(out.state) < 4.0) solver.step(out.state);
  return out;
}

// The paper's equations 13, 18, 19 and A6, differentiated by hand.
TEST(LinearModel, OpenCylinderHasTheJacobianWrittenByHand) {
  constexpr double kVoltage = 2.4;
  for (const Fidelity fidelity : {Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper}) {
    SCOPED_TRACE(machine::word_of(fidelity));
    const Slide slide = steady_slide(fidelity, kVoltage);
    const LinearModel linear = analysis::linearise(*slide.simulation, slide.state);
    const hydraulics::Circuit& c = slide.model.actuators[0].circuit;
    const hydraulics::Orifices o = hydraulics::orifices(
        c.valve, kVoltage, slide.model.supply.pump_Pa, slide.model.supply.tank_Pa);
    const double m = 2000.0, v = slide.state.machine.v[0];
    ASSERT_GT(v, 0.05);
    const double line = 2.0 * v * (c.line1.R * std::pow(c.A1, 3) + c.line2.R * std::pow(c.A2, 3));
    const double Q1 = c.A1 * v, Q2 = -c.A2 * v;  // steady
    Eigen::MatrixXd A;
    Eigen::VectorXd b;
    // C_R by the voltage: C_R = 1 / g^2.
    const auto by_voltage = [&](hydraulics::Edge edge, double C_R) {
      const hydraulics::Conductance& g = c.valve.edge[edge];
      const double range = c.valve.full_V - c.valve.overlap_V;
      const double s = (kVoltage - c.valve.overlap_V) / range;
      const double slope =
          g.scale * (g.polynomial[0] + 2.0 * g.polynomial[1] * s + 3.0 * g.polynomial[2] * s * s);
      return -2.0 * std::pow(C_R, 1.5) * slope / range;
    };
    const double dR1 = by_voltage(hydraulics::kPumpToA, o.C_R1),
                 dR2 = by_voltage(hydraulics::kBToTank, o.C_R2);
    if (fidelity == Fidelity::kFull) {
      A = Eigen::MatrixXd::Zero(6, 6);  // x, v, P1, P2, Q1, Q2
      A(0, 1) = 1.0;
      A.row(1) << 0.0, -(line + c.B) / m, c.A1 / m, -c.A2 / m, 0.0, 0.0;
      A.row(2) << 0.0, -c.A1 / c.line1.C, 0.0, 0.0, 1.0 / c.line1.C, 0.0;
      A.row(3) << 0.0, c.A2 / c.line2.C, 0.0, 0.0, 0.0, 1.0 / c.line2.C;
      A(4, 2) = -1.0 / c.line1.I;
      A(4, 4) = -2.0 * o.C_R1 * std::fabs(Q1) / c.line1.I;
      A(5, 3) = -1.0 / c.line2.I;
      A(5, 5) = -2.0 * o.C_R2 * std::fabs(Q2) / c.line2.I;
      b = Eigen::VectorXd::Zero(6);
      b(4) = -dR1 * Q1 * std::fabs(Q1) / c.line1.I;
      b(5) = -dR2 * Q2 * std::fabs(Q2) / c.line2.I;
    } else if (fidelity == Fidelity::kReduced) {
      A = Eigen::MatrixXd::Zero(4, 4);
      A(0, 1) = 1.0;
      A.row(1) << 0.0, -(line + c.B) / m, c.A1 / m, -c.A2 / m;
      A.row(2) << 0.0, -c.A1 / c.line1.C, -0.5 / (o.C_R1 * std::fabs(Q1)) / c.line1.C, 0.0;
      A.row(3) << 0.0, c.A2 / c.line2.C, 0.0, -0.5 / (o.C_R2 * std::fabs(Q2)) / c.line2.C;
      b = Eigen::VectorXd::Zero(4);
      b(2) = -0.5 * Q1 * dR1 / o.C_R1 / c.line1.C;
      b(3) = -0.5 * Q2 * dR2 / o.C_R2 / c.line2.C;
    } else {
      A = Eigen::MatrixXd::Zero(2, 2);
      A(0, 1) = 1.0;
      A(1, 1) =
          -(2.0 * v * (o.C_R1 * std::pow(c.A1, 3) + o.C_R2 * std::pow(c.A2, 3)) + line + c.B) / m;
      b = Eigen::VectorXd::Zero(2);
      b(1) = (-c.A1 * dR1 * Q1 * std::fabs(Q1) + c.A2 * dR2 * Q2 * std::fabs(Q2)) / m;
    }
    ASSERT_EQ(linear.A.rows(), A.rows());
    const double apart = worst_root(analysis::roots_of(linear.A), analysis::roots_of(A));
    EXPECT_LT(apart, 1e-6);
    const Eigen::VectorXd B = linear.B.col(linear.find_input("slide_valve_V"));
    for (Eigen::Index i = 0; i < b.size(); ++i)
      EXPECT_NEAR(B(i), b(i), 1e-6 * b.cwiseAbs().maxCoeff())
          << linear.states[static_cast<std::size_t>(i)].name;
    std::printf("%s: roots within %.1e of the Jacobian by hand\n", machine::word_of(fidelity),
                apart);
  }
}

// --- Modes --------------------------------------------------------------------

// The swing against the oil of both its lines is one mass on one spring; leakage adds a little damping
// and lets the common pressure go.
TEST(Modes, ofTheSwingAreThoseOfAMassOnASpring) {
  const machine::MachineModel model = test::reference_machine();
  command::Scenario scenario;
  scenario.duration_s = 1.0;
  scenario.initial = {{"swing", 0.0}, {"boom", 0.5}, {"stick", -1.3}};
  const sim::Simulation simulation(model, scenario);
  const sim::SimState state = simulation.initial_state(machine::Fidelity::kFull);
  const std::vector<analysis::Mode> modes = analysis::closed_valve_modes(simulation, state);

  multibody::MassAndBias body;
  multibody::mass_and_bias(model.tree, state.machine.inertia, state.machine.q, state.machine.v,
                           body);
  const hydraulics::Circuit& c = model.actuators[0].circuit;
  const double expected =
      std::sqrt(hydraulics::closed_stiffness(c) / body.M[0][0]) / (2.0 * std::numbers::pi);

  ASSERT_EQ(modes.size(), 4U);  // the pressures' decay, then one mode for each joint
  EXPECT_FALSE(modes[0].oscillates);
  EXPECT_NEAR(modes[0].time_constant_s, c.line1.C / c.leak_external1, 0.05);
  EXPECT_TRUE(modes[1].oscillates);
  EXPECT_NEAR(modes[1].frequency_Hz, expected, 0.01 * expected);
  EXPECT_EQ(modes[1].shape[0], 1.0);
  EXPECT_GT(modes[1].damping_ratio, 0.0);
  // The oscillation of the oil: 2 to 6 Hz, and hardly damped.
  EXPECT_GT(modes[2].frequency_Hz, 2.0);
  EXPECT_LT(modes[2].frequency_Hz, 6.0);
  EXPECT_LT(modes[2].damping_ratio, 0.02);
}

// --- CVODE --------------------------------------------------------------------

double* place_of(const std::string& name, machine::MachineState& s) {
  static constexpr const char* kJoints[3] = {"swing", "boom", "stick"};
  for (int i = 0; i < 3; ++i) {
    const std::string joint = kJoints[i];
    if (name == joint + "_rad") return s.q + i;
    if (name == joint + "_rad_s") return s.v + i;
    for (int side = 0; side < 2; ++side) {
      const std::string end = side == 0 ? "_a" : "_b";
      if (name == joint + "_line" + end + "_Pa") return s.actuator[i].P_C + side;
      if (name == joint + "_flow" + end + "_m3_s") return s.actuator[i].Q + side;
    }
  }
  return nullptr;
}

// A tick by CVODE makes exp(A h) of small differences. Its eigenvalues are those of A in another way, with
// no slope of the equations taken.
TEST(LinearModel, RootsAreThoseOfATickByCvode) {
  command::Scenario scenario = test::locked(1.0);
  const sim::Simulation simulation(test::reference_machine(false), scenario);
  sim::SimState rest = simulation.initial_state(Fidelity::kFull);
  const LinearModel linear = analysis::linearise(simulation, rest);
  const auto n = static_cast<Eigen::Index>(linear.states.size());
  ASSERT_EQ(n, 12);
  reference::ConvergedSolver solver(simulation, {1e-12, false});
  constexpr int kTicks = 20;
  const auto after = [&](const std::string& name, double by) {
    sim::SimState state = rest;
    *place_of(name, state.machine) += by;
    for (int i = 0; i < kTicks; ++i) solver.step(state);
    Eigen::VectorXd out(n);
    for (Eigen::Index i = 0; i < n; ++i)
      out(i) = *place_of(linear.states[static_cast<std::size_t>(i)].name, state.machine);
    return out;
  };
  Eigen::MatrixXd moved(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const std::string& name = linear.states[static_cast<std::size_t>(j)].name;
    const double by = name.ends_with("_Pa") ? 1e4 : name.ends_with("_s") ? 1e-3 : 1e-4;
    const auto difference = [&](double h) -> Eigen::VectorXd {
      return (after(name, h) - after(name, -h)) / (2.0 * h);
    };
    // The lines' loss v|v| has no second derivative at rest: what it adds to the damping grows with the
    // difference, and two of them cancel it. Smaller ones end in the noise of CVODE, 1e-12 of the position.
    moved.col(j) = 2.0 * difference(by) - difference(2.0 * by);
  }
  const Eigen::VectorXcd z = analysis::roots_of(moved);
  Eigen::VectorXcd roots(n);
  for (Eigen::Index i = 0; i < n; ++i) roots(i) = std::log(z(i)) / (kTicks * simulation.tick_s());
  double worst = 0.0;
  for (const Complex root : analysis::roots_of(linear.A)) {
    if (std::abs(root) < 1.0) continue;  // of trapped and leaking oil
    double nearest = INFINITY;
    for (const Complex other : roots) nearest = std::min(nearest, std::abs(root - other));
    worst = std::max(worst, nearest / std::abs(root));
  }
  std::printf("roots within %.1e of those of %d ticks by CVODE\n", worst, kTicks);
  EXPECT_LT(worst, 1e-6);
}

// --- The nonlinear machine ----------------------------------------------------

// Deviations from the undisturbed motion over a while, relative to the largest of them.
double worst_deviation(const sim::Simulation& simulation, const sim::SimState& start,
                       const std::string& joint, double by, int ticks) {
  const LinearModel linear = analysis::linearise(simulation, start);
  sim::SimState straight = start, moved = start;
  *place_of(joint + "_rad", moved.machine) += by;
  const Eigen::MatrixXd tick = (simulation.tick_s() * linear.A).exp();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(linear.A.rows());
  x(linear.find_state(joint + "_rad")) = by;
  double worst = 0.0, largest = 0.0;
  for (int i = 0; i < ticks; ++i) {
    simulation.step(straight);
    simulation.step(moved);
    x = tick * x;
    for (int j = 0; j < 3; ++j) {
      const double apart = moved.machine.q[j] - straight.machine.q[j];
      const char* const names[3] = {"swing_rad", "boom_rad", "stick_rad"};
      largest = std::max(largest, std::fabs(apart));
      worst = std::max(worst, std::fabs(apart - x(linear.find_state(names[j]))));
    }
  }
  return worst / largest;
}

// One millimetre at the tip.
TEST(LinearModel, FollowsTheMachineAfterAMillimetre) {
  constexpr double kMillimetre = 1e-3;
  const sim::Simulation shut(test::reference_machine(false), test::locked(1.0));
  const sim::Simulation moving(test::reference_machine(false), [] {
    command::Scenario scenario = test::locked(3.0);
    for (command::JointProgram& program : scenario.programs)
      if (program.joint == "stick") program.signal = {{test::constant(2.0)}};
    return scenario;
  }());
  for (const Fidelity fidelity : {Fidelity::kFull, Fidelity::kReduced}) {
    const double closed =
        worst_deviation(shut, shut.initial_state(fidelity), "stick", kMillimetre / 3.2, 500);
    sim::SimState state = moving.initial_state(fidelity);
    while (moving.time(state) < 1.0) moving.step(state);
    const double open = worst_deviation(moving, state, "stick", kMillimetre / 3.2, 200);
    std::printf(
        "%s: after 1 mm at the tip within %.2f %% with valves shut for 0.5 s, %.2f %% with one "
        "open for 0.2 s\n",
        machine::word_of(fidelity), 100.0 * closed, 100.0 * open);
    EXPECT_LT(closed, 0.01);
    EXPECT_LT(open, 0.01);
  }
}

// The same by the reference of its controller, which samples.
TEST(LinearModel, FollowsTheControllerAfterAMillimetre) {
  const sim::Simulation simulation(test::reference_machine(false), test::stick_sine());
  for (const Fidelity fidelity : {Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper}) {
    sim::SimState state = simulation.initial_state(fidelity);
    while (simulation.time(state) < 12.0) simulation.step(state);
    const LinearModel linear = analysis::linearise(simulation, state);
    const analysis::Loops loops(linear);
    constexpr int kTicks = 120;
    constexpr double kBy = 1e-3 / 3.2;
    ASSERT_EQ(linear.controllers.size(), 3U);
    const std::vector<double> expected = loops.step(2, linear.find_output("stick_rad"), kTicks + 1);
    sim::SimState straight = state, moved = state;
    double worst = 0.0, largest = 0.0;
    for (int i = 0; i < kTicks; ++i) {
      simulation.step(straight);
      sim::TickInput input = simulation.scenario_input(moved);
      input.actuator[2].value += kBy;
      simulation.step(moved, input);
      const double apart = moved.machine.q[2] - straight.machine.q[2];
      largest = std::max(largest, std::fabs(apart));
      worst = std::max(worst, std::fabs(apart - kBy * expected[static_cast<std::size_t>(i) + 1]));
    }
    EXPECT_GT(largest, 0.2 * kBy);
    std::printf("%s: a reference moved by 1 mm at the tip: within %.2f %% over 0.12 s\n",
                machine::word_of(fidelity), 100.0 * worst / largest);
    EXPECT_LT(worst, 0.01 * largest);
  }
}

// --- Loops --------------------------------------------------------------------

// q'' T + q' = k u, sampled; both margins in closed form.
LinearModel servo(double k, double T, double Kp, double Kd = 0.0) {
  LinearModel m;
  m.tick_s = 0.01;
  m.states = {{"q", "rad", 0.0}, {"w", "rad/s", 0.0}};
  m.inputs = {{"u", "V", 0.0}};
  m.outputs = {{"q", "rad", 0.0}};
  m.f0 = Eigen::Vector2d::Zero();
  m.A = (Eigen::Matrix2d() << 0.0, 1.0, 0.0, -1.0 / T).finished();
  m.B = Eigen::Vector2d(0.0, k / T);
  m.C = Eigen::RowVector2d(1.0, 0.0);
  m.D = Eigen::MatrixXd::Zero(1, 1);
  analysis::LinearController c;
  c.joint = "q";
  c.gains.Kp = Kp;
  c.gains.Kd = Kd;
  m.controllers = {c};
  return m;
}

TEST(Loops, MarginsOfASampledServoByHand) {
  constexpr double k = 2.0, T = 0.05, h = 0.01, Kp = 4.0;
  const double p = std::exp(-h / T), b1 = h - T * (1.0 - p), b0 = T * (1.0 - p) - h * p;
  // (z - 1)(z - p) + K (b1 z + b0) has two roots on the circle when their product p + K b0 is one.
  const LinearModel model = servo(k, T, Kp);
  const analysis::Loops loops(model);
  const analysis::LoopMargins margins = loops.margins(0);
  ASSERT_TRUE(margins.gain && margins.phase);
  const double limit = (1.0 - p) / b0 / k;
  EXPECT_NEAR(margins.gain->value, limit / Kp, 1e-9 * limit / Kp);
  const double cosine = 0.5 * (1.0 + p - limit * k * b1);
  EXPECT_NEAR(margins.gain->frequency_Hz, std::acos(cosine) / (kTurn * h), 1e-8);
  // L at the crossing of gain one, from the transfer function itself.
  const Complex z = std::polar(1.0, kTurn * h * margins.phase->frequency_Hz);
  const Complex L = Kp * k * (b1 * z + b0) / ((z - 1.0) * (z - p));
  EXPECT_NEAR(std::abs(L), 1.0, 1e-9);
  EXPECT_NEAR(margins.phase->value, 180.0 + std::arg(L) * 360.0 / kTurn, 1e-7);
  EXPECT_TRUE(loops.settles());
  EXPECT_FALSE(analysis::Loops(servo(k, T, 1.01 * limit)).settles());
  EXPECT_TRUE(analysis::Loops(servo(k, T, 0.99 * limit)).settles());
}

// The law of the model is that of the controller itself, sample by sample.
TEST(Loops, StepIsThatOfTheController) {
  LinearModel model = servo(2.0, 0.05, 3.0, 0.1);
  control::PidGains& gains = model.controllers[0].gains;
  gains.Ki = 5.0;
  gains.feed_forward = 0.2;
  gains.derivative_filter_s = 0.03;
  gains.output_limit_V = 1e3;  // far from it: the law is linear
  const analysis::Loops loops(model);
  const std::vector<double> expected = loops.step(0, 0, 200);
  const analysis::Sampled machine = analysis::sample(model, model.tick_s);
  control::PidState pid;
  control::sample(gains, model.tick_s, 1.0, 0.0, 0.0, pid);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(2);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(x(0), expected[i], 1e-10);
    const double u = control::sample(gains, model.tick_s, 1.0, 1.0, x(0), pid);
    x = machine.A * x + machine.B * u;
  }
}

// --- Edges --------------------------------------------------------------------

TEST(LinearModel, TellsWhereItsSlopesHaveOneSide) {
  using testing::Contains;
  using testing::HasSubstr;
  machine::MachineModel model;
  model.name = "slide";
  model.tree.add_body(test::sliding("slide", multibody::kBase, 500.0));
  test::add_cylinder(model, 0);
  finish(model);
  command::Scenario scenario;
  scenario.duration_s = 5.0;
  scenario.initial = {{"slide", 1.0, false, false, 0.0, 0.0}};
  const double overlap = model.actuators[0].circuit.valve.overlap_V;
  scenario.programs = {{"slide", command::JointMode::kVoltage, {{test::constant(overlap)}}}};
  const sim::Simulation at_overlap(model, scenario);
  const LinearModel edge =
      analysis::linearise(at_overlap, at_overlap.initial_state(Fidelity::kReduced));
  EXPECT_THAT(edge.remarks, Contains(HasSubstr("stands at its overlap")));
  EXPECT_TRUE(edge.B.col(edge.find_input("slide_valve_V")).isZero(0.0));

  // Held by a blow, with its valve open: the lines fill up to their sources.
  scenario.programs = {{"slide", command::JointMode::kVoltage, {{test::constant(3.0)}}}};
  model.actuators[0].friction = {.kind = friction::Kind::kCoulomb, .F_c = 1e6, .F_s = 1e6};
  const sim::Simulation stuck(model, scenario);
  sim::SimState state = stuck.initial_state(Fidelity::kReduced);
  while (stuck.time(state) < 2.0) stuck.step(state);
  const LinearModel held = analysis::linearise(stuck, state);
  EXPECT_THAT(held.remarks, Contains(HasSubstr("dry friction holds joint 'slide'")));
  EXPECT_THAT(held.remarks, Contains(HasSubstr("no pressure drops across the edge of 'slide'")));
  // Nothing small moves it.
  EXPECT_LT(std::fabs(held.B(1, held.find_input("slide_force_N"))), 1e-9);
}

}  // namespace
}  // namespace knuckleboom
