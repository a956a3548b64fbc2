// The drive of forwarder_8w: speeds, traction, stopping, the engine under it.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/scenario_file.hpp"
#include "support/paths.hpp"

namespace knuckleboom::driveline_test {
namespace {

machine::MachineModel forwarder(double grip) {
  std::vector<io::Override> overrides;
  for (const char* end : {"front", "rear"})
    for (const char* side : {"left", "right"})
      for (const int i : {1, 2})
        overrides.push_back({fmt::format("wheel.{}_{}_{}.grip", end, side, i),
                             fmt::format("[[0, 0], [0.1, {0}], [1, {0}]]", grip)});
  return io::read_machine(KNUCKLEBOOM_SOURCE_DIR "/config/machines/forwarder_8w/machine.toml",
                          overrides)
      .model;
}

// More: further tables of the scenario.
command::Scenario driving(double drive, const std::string& more) {
  return io::read_scenario_text(
             fmt::format(
                 "name = \"s\"\nmachine = \"forwarder_8w\"\nduration_s = 60\n"
                 "[initial.boom]\nposition_rad = 0.5\n[initial.stick]\nposition_rad = -1.9\n"
                 "[initial.extension]\nposition_m = 0.25\n[[carrier]]\ninput = \"drive\"\n"
                 "terms = [{{ kind = \"pulse\", value = {}, start_s = 0, end_s = 12 }}]\n{}",
                 drive, more),
             "s.toml", {})
      .scenario;
}
constexpr char kHighGear[] =
    "[[carrier]]\ninput = \"gear\"\nterms = [{ kind = \"hold\", value = 1 }]\n";

std::string pull(double force) {
  return fmt::format(
      "[[joint]]\nname = \"root_x\"\nmode = \"torque\"\nterms = [{{ kind = \"ramp\", start_s = 0, "
      "end_s = 3, value_N = {} }}]\n",
      force);
}

void run(const sim::Simulation& simulation, sim::SimState& state, double seconds) {
  for (int k = 0; k < static_cast<int>(1000.0 * seconds); ++k) simulation.step(state);
}

TEST(Driveline, ReachesTheSpeedsOfBothGears) {
  for (const bool high : {false, true}) {
    const sim::Simulation simulation(forwarder(0.65), driving(1.0, high ? kHighGear : ""));
    sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
    run(simulation, state, high ? 11.5 : 6.0);
    const double wanted = (high ? 23.0 : 7.5) / 3.6;
    EXPECT_NEAR(-state.machine.v[0], wanted, 0.05 * wanted) << high;
    if (high) continue;
    // In neutral it stops within a metre and a half: the pump's stroke goes back in 0.8 s.
    run(simulation, state, 6.0);
    const double from = state.machine.q[0];
    run(simulation, state, 3.0);
    EXPECT_LT(from - state.machine.q[0], 1.5);
    EXPECT_LT(vec(state.machine.v).norm(), 0.02);
  }
}

// Beyond 44 degrees the cylinder comes to its dead point and would fold the frames.
TEST(Driveline, SteersToItsStopsAndNoFurther) {
  for (const double volts : {10.0, -10.0}) {
    const sim::Simulation simulation(
        forwarder(0.65),
        driving(0.0, fmt::format("[[joint]]\nname = \"steer\"\nmode = \"voltage\"\n"
                                 "terms = [{{ kind = \"hold\", value_V = {} }}]\n",
                                 volts)));
    sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
    run(simulation, state, 7.0);
    const double angle = state.machine.q[simulation.model().tree.find_joint("steer")];
    EXPECT_NEAR(std::copysign(1.0, volts) * angle, 0.768, 0.02) << volts;
  }
}

// Pulled backwards it still climbs against what its drive can, and no more.
TEST(Driveline, PullsAsTheReliefAllows) {
  for (const double force : {185e3, 228e3}) {
    const sim::Simulation simulation(forwarder(2.5), driving(1.0, pull(force)));
    sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
    run(simulation, state, 6.0);
    const double at = state.machine.q[0];
    run(simulation, state, 2.0);
    if (force < 200e3)
      EXPECT_LT(state.machine.q[0], at);
    else
      EXPECT_GT(state.machine.q[0], at);
    EXPECT_GT(state.carrier.pressure, 0.8 * simulation.model().driveline.relief_Pa) << force;
    // The engine gives and gives back; it does not stall.
    EXPECT_LT(state.carrier.engine_speed, 0.99 * simulation.model().supply.pump.engine.speed);
    EXPECT_GT(state.carrier.engine_speed, 0.78 * simulation.model().supply.pump.engine.speed);
    EXPECT_LT(
        std::fabs(simulation.energy_residual(state)),
        1e-3 * machine::energy_turned_over(state.machine.energy, simulation.stored_change(state)));
  }
}

// Pulled backwards with more than the ground holds: with open differentials wheels with little load turn as they are
// dragged, locked all turn alike, forwards.
TEST(Driveline, TheLockLetsAllWheelsTurnAlike) {
  for (const bool lock : {false, true}) {
    const sim::Simulation simulation(
        forwarder(0.3),
        driving(1.0, pull(120e3) + (lock ? "[[carrier]]\ninput = \"differential_lock\"\nterms = [{ "
                                           "kind = \"hold\", value = 1 }]\n"
                                         : "")));
    sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
    run(simulation, state, 6.0);
    EXPECT_GT(state.machine.v[0], 0.5);
    double low = 1e9, high = -1e9;
    for (int i = 0; i < 8; ++i) {
      low = std::min(low, state.carrier.wheel[i].spin);
      high = std::max(high, state.carrier.wheel[i].spin);
    }
    EXPECT_GT(high, 1.0) << lock;
    if (lock)
      EXPECT_GT(low, high - 0.3);
    else
      EXPECT_LT(low, high - 1.0);
  }
}

}  // namespace
}  // namespace knuckleboom::driveline_test
