// Valves shut in one tick at full speed: what a machine must live through on any day.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/actuator.hpp"
#include "support/machines.hpp"
#include "support/variants.hpp"

namespace knuckleboom {
namespace {

using sim::SimState;
using sim::Simulation;

struct Ride {
  double boom, stick;  // start
  double volts[3];     // while driven
  double driven_s;

  std::string text() const {
    char buffer[160];
    std::snprintf(buffer, sizeof buffer, "boom %.2f stick %.2f rad, volts %g %g %g for %.1f s",
                  boom, stick, volts[0], volts[1], volts[2], driven_s);
    return buffer;
  }
};

std::vector<Ride> rides() {
  std::vector<Ride> out;
  const double poses[][2] = {{0.5, -1.3}, {-0.25, -0.7}, {0.2, -1.9}, {1.0, -0.7}, {0.95, -1.8}};
  for (const auto& pose : poses)
    for (const double driven_s : {0.3, 0.8, 1.5})
      for (int code = 1; code < 27; ++code) {
        // One or two of three functions, each way.
        const int digits[3] = {code % 3, code / 3 % 3, code / 9};
        Ride ride{pose[0], pose[1], {0.0, 0.0, 0.0}, driven_s};
        int moving = 0;
        for (int i = 0; i < 3; ++i) {
          ride.volts[i] = digits[i] == 0 ? 0.0 : digits[i] == 1 ? 10.0 : -10.0;
          moving += digits[i] != 0 ? 1 : 0;
        }
        if (moving <= 2) out.push_back(ride);
      }
  return out;
}

struct Outcome {
  double highest = 0.0, lowest = 0.0;  // Pa, of all pressures
  double residual = 0.0;               // share of the pump's work
  bool finite = true;
  std::int64_t unconverged = 0;
};

Outcome drive(const test::Variant& variant, const Ride& ride) {
  command::Scenario scenario = test::locked(ride.driven_s + 3.0);
  scenario.initial[1].position = ride.boom;
  scenario.initial[2].position = ride.stick;
  for (std::size_t i = 0; i < 3; ++i)
    scenario.programs[i].signal = {{test::pulse(ride.volts[i], 0.0, ride.driven_s)}};
  const Simulation simulation(test::reference_machine(variant), scenario);
  SimState state = simulation.initial_state(variant.fidelity);
  Outcome out;
  for (std::int64_t k = 0; k < simulation.tick_count(); ++k) {
    simulation.step(state);
    for (int i = 0; i < 3; ++i) {
      const machine::ActuatorState& a = state.machine.actuator[i];
      for (const double P : {a.P_C[0], a.P_C[1], a.p[0], a.p[1]}) {
        out.finite = out.finite && std::isfinite(P);
        out.highest = std::max(out.highest, P);
        out.lowest = std::min(out.lowest, P);
      }
      out.finite = out.finite && std::isfinite(state.machine.q[i]);
    }
  }
  out.residual = std::fabs(simulation.energy_residual(state)) / state.machine.energy.pump;
  out.unconverged = state.machine.health.newton_unconverged;
  return out;
}

void survive(const test::Variant& variant) {
  const hydraulics::Protection protection;
  const double highest = 1.05 * protection.relief_Pa;
  Outcome worst;
  int failed = 0, count = 0;
  for (const Ride& ride : rides()) {
    const Outcome out = drive(variant, ride);
    ++count;
    worst.highest = std::max(worst.highest, out.highest);
    worst.lowest = std::min(worst.lowest, out.lowest);
    worst.residual = std::max(worst.residual, out.residual);
    const bool good = out.finite && out.highest <= highest && out.lowest >= -1e5 &&
                      out.residual <= 5e-3 && out.unconverged == 0;
    if (good) continue;
    ++failed;
    if (failed > 8) continue;
    ADD_FAILURE() << variant.name << ": " << ride.text() << ": pressures " << out.lowest << " to "
                  << out.highest << " Pa, energy residual " << out.residual
                  << " of the pump's work, unconverged " << out.unconverged
                  << (out.finite ? "" : ", not finite");
  }
  std::printf("%s: %d rides, %d failed; pressures %.4g to %.4g Pa, worst residual %.2e\n",
              variant.name, count, failed, worst.lowest, worst.highest, worst.residual);
  EXPECT_EQ(failed, 0);
}

TEST(Closure, FullModel) { survive(test::kVariants[0]); }
TEST(Closure, ReducedModel) { survive(test::kVariants[1]); }
TEST(Closure, ReducedModelQuasiStatic) { survive(test::kVariants[2]); }

}  // namespace
}  // namespace knuckleboom
