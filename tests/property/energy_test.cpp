// The energy ledger closes: the input of pump, events and changes of equations equals heat and the
// energy in bodies and oil.
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "support/error_norm.hpp"
#include "support/machines.hpp"
#include "support/variants.hpp"

namespace knuckleboom {
namespace {

using sim::SimState;
using sim::Simulation;

void check_scenarios(const test::Variant& variant, double allowed) {
  for (const bool protection : {true, false})
    for (const command::Scenario& scenario : test::reference_scenarios()) {
      SCOPED_TRACE(scenario.name + (protection ? "" : ", no protection"));
      const Simulation simulation(test::reference_machine(variant, protection), scenario);
      SimState state = simulation.initial_state(variant.fidelity);
      double worst = 0.0, pump = 0.0;
      for (std::int64_t k = 0; k < simulation.tick_count(); ++k) {
        simulation.step(state);
        test::keep_worst(worst, std::fabs(simulation.energy_residual(state)));
        pump = std::fmax(pump, state.machine.energy.pump);
      }
      std::printf("%-22s %-12s protection %d: pump %9.0f J, worst residual %8.3g J (%.1e)\n",
                  variant.name, scenario.name.c_str(), protection ? 1 : 0, pump, worst,
                  worst / pump);
      EXPECT_LT(worst, allowed * pump);
      EXPECT_EQ(state.machine.health.newton_unconverged, 0);
      EXPECT_EQ(state.machine.health.non_finite, 0);
    }
}

TEST(Energy, BalancesInTheFullModel) { check_scenarios(test::kVariants[0], 1e-3); }
TEST(Energy, BalancesInTheReducedModel) { check_scenarios(test::kVariants[1], 1e-3); }
// Does not conserve momentum while closed: the ledger has an entry for the energy of that.
TEST(Energy, BalancesWithQuasiStaticClosedValves) { check_scenarios(test::kVariants[2], 1e-3); }

}  // namespace
}  // namespace knuckleboom
