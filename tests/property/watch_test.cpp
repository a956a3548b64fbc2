// Nothing that is shipped does what no real machine does: no false alarm, and no true one without a word.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "support/paths.hpp"

namespace knuckleboom::watch_property_test {
namespace {

TEST(Watch, SeesNothingInShippedScenarios) {
  const std::filesystem::path folder =
      std::filesystem::path(KNUCKLEBOOM_SOURCE_DIR) / "config/scenarios";
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".toml") continue;
    const io::LoadedCase loaded = io::load_case(entry.path().string(), {}, {});
    const sim::Simulation simulation(loaded.machine.model, loaded.scenario.scenario);
    for (const auto fidelity : {machine::Fidelity::kFull, machine::Fidelity::kReduced}) {
      sim::SimState state = simulation.initial_state(fidelity);
      for (std::int64_t k = 0; k < simulation.tick_count(); ++k) simulation.step(state);
      for (int i = 0; i < machine::kOddities; ++i)
        EXPECT_EQ(state.machine.watch.finding[i].lasted_s, 0.0)
            << entry.path() << ", " << machine::word_of(fidelity) << ", oddity " << i;
    }
    ++seen;
  }
  EXPECT_GT(seen, 10);
}

}  // namespace
}  // namespace knuckleboom::watch_property_test
