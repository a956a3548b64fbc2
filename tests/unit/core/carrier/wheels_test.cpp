// Wheels on the ground against hand calculation.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "knuckleboom/core/carrier/carrier.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/multibody/ball.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/scenario_file.hpp"

namespace knuckleboom::wheels_test {
namespace {

constexpr double kMass = 4000.0, kHeight = 1.6;          // kg; of its centre over the ground [m]
constexpr double kBase = 3.0, kTrack = 2.0, kAft = 0.4;  // m; centre of mass behind the middle
constexpr double kRadius = 0.6, kGravity = 9.81;
constexpr double kInertia = 20.0;  // of a wheel [kg m^2]

// A cart of one body on four narrow wheels, x forward. Wheel 0 and 1 are in front, 0 and 2 on the left.
struct Cart {
  double peak = 0.8, sliding = 0.5;
  double rolling = 0.0, stiffness = 2e6, width = 0.1;
};

machine::MachineModel cart(const Cart& c) {
  std::string text = fmt::format(R"(name = "cart"
source = "test"
gravity_m_per_s2 = 9.81
[[body]]
name = "frame"
position_m = [0, 0, 0]
mass_kg = {}
com_m = [{}, 0, {}]
inertia_kg_m2 = [2000, 4000, 5000]
joint = {{ name = "root", type = "free" }}
)",
                                 kMass, -kAft, kHeight);
  for (int i = 0; i < 4; ++i)
    text += fmt::format(R"([[wheel]]
name = "w{}"
body = "frame"
position_m = [{}, {}, {}]
axis = [0, 2, 0]
radius_m = {}
width_m = {}
stiffness_N_per_m = {}
damping_kN_s_per_m = 20
grip_stiffness_kN_per_m = 1000
grip_damping_kN_s_per_m = 20
grip = [[0, 0], [0.1, {}], [0.3, {}], [1, {}]]
inertia_kg_m2 = {}
rolling_resistance = {}
brake_kN_m = 30
)",
                        i, (i < 2 ? 0.5 : -0.5) * kBase, (i % 2 == 0 ? 0.5 : -0.5) * kTrack,
                        kRadius, kRadius, c.width, c.stiffness, c.peak, c.sliding, c.sliding,
                        kInertia, c.rolling);
  return io::read_machine_text(text, "cart.toml", {}).model;
}

command::Scenario scenario(const std::string& more) {
  return io::read_scenario_text("name = \"s\"\nmachine = \"cart\"\nduration_s = 30\n" + more,
                                "s.toml", {})
      .scenario;
}

std::string slope(double x, double y) {
  return fmt::format("[ground]\nlevel_radius_m = 0\nsize_m = 400\nslope_x = {}\nslope_y = {}\n", x,
                     y);
}
constexpr char kReleased[] =
    "[[carrier]]\ninput = \"parking_brake\"\nterms = [{ kind = \"hold\", value = 0 }]\n";

void run(const sim::Simulation& simulation, sim::SimState& state, double seconds) {
  const auto ticks = std::llround(seconds / simulation.tick_s());
  for (std::int64_t k = 0; k < ticks; ++k) simulation.step(state);
}

const double* place(const sim::SimState& state) { return state.machine.q; }
double speed(const sim::SimState& state) { return vec(state.machine.v).norm(); }

// On a slope, by the balance of moments. How an axle's load and a side's go together on four wheels depends on the
// tyres; each of the two sums does not.
TEST(Wheels, CarryTheirLoadsOnTheFlatAndOnSlopes) {
  for (const auto& [x, y] : {std::pair{0.0, 0.0}, {0.0, 0.2}, {0.2, 0.0}, {-0.2, 0.0}}) {
    const sim::Simulation simulation(cart({}), scenario(slope(x, y)));
    sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
    const double h = kHeight - 0.25 * kMass * kGravity / 2e6;
    const double weight = kMass * kGravity / std::sqrt(1.0 + x * x + y * y);
    const double front = weight * (0.5 - (kAft + h * x) / kBase);
    const double left = weight * (0.5 - h * y / kTrack);
    const carrier::WheelState* const w = state.carrier.wheel;
    const double start = w[0].load;
    const Vec3 at = vec(place(state));
    run(simulation, state, 3.0);
    EXPECT_NEAR(w[0].load + w[1].load, front, 0.02 * front) << x << ' ' << y;
    EXPECT_NEAR(w[2].load + w[3].load, weight - front, 0.02 * (weight - front)) << x << ' ' << y;
    EXPECT_NEAR(w[0].load + w[2].load, left, 0.02 * left) << x << ' ' << y;
    EXPECT_NEAR(w[1].load + w[3].load, weight - left, 0.02 * (weight - left)) << x << ' ' << y;
    // It starts at rest.
    EXPECT_NEAR(start, w[0].load, 0.005 * w[0].load) << x << ' ' << y;
    EXPECT_LT((vec(place(state)) - at).norm(), 1e-3);
  }
}

TEST(Wheels, ParkedTheyStandOnASlopeWithoutCreep) {
  const sim::Simulation simulation(cart({}), scenario(slope(0.2, 0.1)));
  sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
  run(simulation, state, 5.0);
  const Vec3 before = vec(place(state));
  run(simulation, state, 10.0);
  EXPECT_LT((vec(place(state)) - before).norm(), 1e-6);
  EXPECT_LT(speed(state), 1e-7);
}

// Whether the cart has left its slope of so much after some seconds.
bool tips(double x, double y) {
  const sim::Simulation simulation(cart({.peak = 1.5, .sliding = 1.5}), scenario(slope(x, y)));
  sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
  const Vec3 up = multibody::orientation(place(state) + 3) * Vec3::UnitZ();
  // The search for its rest may end on the edge: from upright on the slope it has to show.
  run(simulation, state, 6.0);
  return (multibody::orientation(place(state) + 3) * Vec3::UnitZ()).dot(up) < 0.9 ||
         up.z() < 0.75 / std::sqrt(1.0 + x * x + y * y);
}

TEST(Wheels, TipOverWhereTheCentreOfMassPassesThem) {
  const double side = 0.5 * kTrack / kHeight, rear = (0.5 * kBase - kAft) / kHeight;
  EXPECT_FALSE(tips(0.0, 0.97 * side));
  EXPECT_TRUE(tips(0.0, 1.03 * side));
  EXPECT_FALSE(tips(0.97 * rear, 0.0));
  EXPECT_TRUE(tips(1.03 * rear, 0.0));
}

TEST(Wheels, SlideWhereGripEnds) {
  const double x = 0.5;
  const sim::Simulation simulation(cart({.peak = 0.4, .sliding = 0.3}), scenario(slope(x, 0.0)));
  sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
  run(simulation, state, 1.0);
  const double v1 = speed(state);
  run(simulation, state, 1.0);
  const double wanted = kGravity * (x - 0.3) / std::sqrt(1.0 + x * x);
  EXPECT_NEAR(speed(state) - v1, wanted, 0.02 * wanted);
  EXPECT_EQ(state.carrier.wheel[0].spin, 0.0);  // the brake holds
  // A little less steep than the grip it stays.
  const sim::Simulation still(cart({.peak = 0.4, .sliding = 0.3}), scenario(slope(0.37, 0.0)));
  state = still.initial_state(machine::Fidelity::kReduced);
  run(still, state, 3.0);
  EXPECT_LT(speed(state), 1e-4);
}

TEST(Wheels, RollDownByWeightLessRollingResistance) {
  const double x = -0.1;
  const sim::Simulation simulation(cart({.rolling = 0.03}), scenario(slope(x, 0.0) + kReleased));
  sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
  run(simulation, state, 2.0);
  const double v1 = speed(state);
  run(simulation, state, 2.0);
  const double r = kRadius - 0.25 * kMass * kGravity / 2e6;
  const double wanted = kGravity * (-x - 0.03 * kRadius / r) / std::sqrt(1.0 + x * x) /
                        (1.0 + 4.0 * kInertia / (r * r) / kMass);
  EXPECT_NEAR((speed(state) - v1) / 2.0, wanted, 0.02 * wanted);
  EXPECT_GT(place(state)[0], 0.0);
  EXPECT_NEAR(state.carrier.wheel[0].spin * r, speed(state), 0.01 * speed(state));
  // On the flat it does not begin to roll.
  const sim::Simulation flat(cart({.rolling = 0.03}), scenario(kReleased));
  state = flat.initial_state(machine::Fidelity::kReduced);
  run(flat, state, 2.0);
  EXPECT_LT(speed(state), 1e-9);
}

TEST(Wheels, LockedTheyStopByTheirSlidingGrip) {
  const sim::Simulation simulation(cart({}), scenario(""));
  sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
  const double v0 = 5.0;
  state.machine.v[0] = v0;
  for (int i = 0; i < 4; ++i) state.carrier.wheel[i].spin = v0 / kRadius;
  const double from = place(state)[0];
  run(simulation, state, 3.0);
  EXPECT_LT(speed(state), 1e-4);
  // The spins are stopped within a tenth of a second.
  const double wanted = v0 * v0 / (2.0 * 0.5 * kGravity);
  EXPECT_NEAR(place(state)[0] - from, wanted, 0.05 * wanted);
}

// Along y at a small angle, the wheels' grip is their curve's.
TEST(Wheels, GripFollowsItsCurveOverSlip) {
  const sim::Simulation simulation(cart({}), scenario(kReleased));
  sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
  const double v = 20.0, angle = 0.06;  // slip: its sine
  state.machine.v[0] = v * std::cos(angle);
  state.machine.v[1] = v * std::sin(angle);
  for (int i = 0; i < 4; ++i) state.carrier.wheel[i].spin = v * std::cos(angle) / kRadius;
  run(simulation, state, 0.05);
  double force[4] = {}, wanted[4] = {};
  for (int k = 0; k < 100; ++k) {
    simulation.step(state);
    for (int i = 0; i < 4; ++i) {
      const carrier::WheelState& w = state.carrier.wheel[i];
      force[i] += 1e6 * vec(w.bristle).norm();
      wanted[i] += 8.0 * w.slip * w.load;  // 0.8 at 0.1
      ASSERT_LT(w.slip, 0.1);
    }
  }
  for (int i = 0; i < 4; ++i) {
    EXPECT_GT(wanted[i], 2e4) << i;
    EXPECT_NEAR(force[i], wanted[i], 0.05 * wanted[i]) << i;
  }
}

double energy(const sim::Simulation& simulation, const sim::SimState& state) {
  const multibody::Energy e = multibody::energy(simulation.model().tree, state.machine.inertia,
                                                state.machine.q, state.machine.v);
  return e.kinetic + e.potential + simulation.carrier().stored_energy(state.carrier);
}

TEST(Wheels, FallOntoTheGroundAndComeToRest) {
  const sim::Simulation simulation(
      cart({.stiffness = 4e5}),
      scenario("[initial.root]\nrpy_deg = [6, -4, 30]\n[initial.root_z]\nposition_m = 0.5\n"));
  sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
  double most = energy(simulation, state);
  const double start = most;
  for (int k = 0; k < 8000; ++k) {
    simulation.step(state);
    most = std::max(most, energy(simulation, state));
  }
  EXPECT_LT(most - start, 1e-3 * kMass * kGravity * 0.5);
  EXPECT_LT(speed(state), 1e-3);
  for (int i = 0; i < 4; ++i) EXPECT_GT(state.carrier.wheel[i].load, 1000.0);
  EXPECT_NEAR(place(state)[2], -0.25 * kMass * kGravity / 4e5, 0.01);
}

// Over a stump, through a ditch and over bumps: the ground carries the weight, and nothing sinks in.
TEST(Wheels, DriveOverStumpAndDitch) {
  const sim::Simulation simulation(
      cart({.rolling = 0.02, .stiffness = 4e5}),
      scenario(
          std::string("[ground]\nlevel_radius_m = 0\nsize_m = 100\nspacing_m = 0.3\nseed = 4\n"
                      "bump_height_m = 0.03\n") +
          "[[ground.ditch]]\nposition_m = [12, 0]\nheading_rad = 1.3\nwidth_m = 3\ndepth_m = 0.4\n"
          "[[ground.stump]]\nposition_m = [5, 1]\nradius_m = 0.2\nheight_m = 0.25\n" +
          kReleased));
  sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
  state.machine.v[0] = 6.0;
  for (int i = 0; i < 4; ++i) state.carrier.wheel[i].spin = 6.0 / kRadius;
  const double start = energy(simulation, state);
  double lift = 0.0, least = 1e9, loads = 0.0, most = 0.0;
  const double rise = state.machine.v[2];
  int ticks = 0;
  while (place(state)[0] < 18.0 && ++ticks < 12000) {
    simulation.step(state);
    lift = std::max(lift, place(state)[2]);
    least = std::min(least, place(state)[2]);
    for (int i = 0; i < 4; ++i) loads += state.carrier.wheel[i].load;
    most = std::max(most, energy(simulation, state));
  }
  EXPECT_GE(place(state)[0], 18.0);
  EXPECT_GT(lift, 0.03);
  EXPECT_GT(least, -0.6);
  EXPECT_LT(most, start + 1e-3 * kMass * kGravity);
  // Loads across the ground, which is steep in the ditch alone.
  const double weight = kMass * (kGravity * ticks + (state.machine.v[2] - rise) * 1000.0);
  EXPECT_NEAR(loads, weight, 0.02 * weight);
}

TEST(Wheels, ACopyOfTheStateContinuesWithTheSameBits) {
  const sim::Simulation simulation(cart({.stiffness = 4e5}),
                                   scenario(slope(0.1, 0.05) + kReleased));
  sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
  run(simulation, state, 0.7);
  sim::SimState copy = state;
  run(simulation, state, 0.5);
  run(simulation, copy, 0.5);
  EXPECT_EQ(state::hash(state), state::hash(copy));
  copy.carrier.wheel[1].bristle[2] += 1e-12;
  EXPECT_NE(state::hash(state), state::hash(copy));
}

}  // namespace
}  // namespace knuckleboom::wheels_test
