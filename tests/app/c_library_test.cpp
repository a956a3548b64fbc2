// libknuckleboom.so gives the bits of the program, for every machine and scenario that is shipped.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom.h"
#include "knuckleboom/io/config_folders.hpp"
#include "program.hpp"
#include "support/long_run.hpp"

namespace knuckleboom::test {
namespace {

struct Close {
  void operator()(kb_setup* setup) const { kb_setup_free(setup); }
  void operator()(kb_simulation* simulation) const { kb_close(simulation); }
};

// The hash after the whole scenario; empty if it does not fit the machine.
std::string hash_by_library(const std::string& scenario, const std::string& machine,
                            kb_fidelity fidelity) {
  const std::unique_ptr<kb_setup, Close> setup(kb_setup_new());
  EXPECT_EQ(kb_setup_scenario(setup.get(), scenario.c_str(), nullptr), KB_OK);
  if (!machine.empty()) {
    EXPECT_EQ(kb_setup_machine(setup.get(), machine.c_str(), nullptr), KB_OK);
  }
  EXPECT_EQ(kb_setup_fidelity(setup.get(), fidelity), KB_OK);
  const std::unique_ptr<kb_simulation, Close> simulation(kb_open(setup.get()));
  if (!simulation) return {};
  EXPECT_EQ(kb_step(simulation.get(), kb_tick_count(simulation.get())), KB_OK) << kb_last_error();
  return kb_state_hash(simulation.get());
}

std::string hash_by_program(const std::string& scenario, const std::string& machine,
                            const char* fidelity, const TemporaryFolder& folder) {
  const std::string file = (folder / "summary.json").string();
  std::vector<std::string> arguments = {"run", scenario, "--fidelity", fidelity, "--summary", file};
  if (!machine.empty()) arguments.insert(arguments.end(), {"--machine", machine});
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  std::string quoted = json_value(content_of(file), "state_hash");
  std::erase(quoted, '"');
  return quoted;
}

TEST(CLibrary, givesTheBitsOfRunForEveryScenarioAndModel) {
  const TemporaryFolder folder;
  const std::vector<std::string> scenarios = io::scenario_names();
  ASSERT_GE(scenarios.size(), 16U);
  const std::vector<std::pair<kb_fidelity, std::string>> models = {
      {KB_FIDELITY_REDUCED, "reduced"}, {KB_FIDELITY_FULL, "full"}, {KB_FIDELITY_PAPER, "paper"}};
  // Each scenario in each model by KNUCKLEBOOM_LONG=1; else in one of them by turns.
  for (std::size_t i = 0; i < scenarios.size(); ++i)
    for (std::size_t j = 0; j < models.size(); ++j) {
      if (i % models.size() != j && !long_run()) continue;
      EXPECT_EQ(hash_by_library(scenarios[i], "", models[j].first),
                hash_by_program(scenarios[i], "", models[j].second.c_str(), folder))
          << scenarios[i] << ", " << models[j].second;
    }
}

// The machines that a scenario was not written for, wherever it fits.
TEST(CLibrary, givesTheBitsOfRunForEveryMachine) {
  const TemporaryFolder folder;
  int pairs = 0;
  for (const std::string& machine : io::machine_names())
    for (const std::string scenario : {"stick_sine", "tip_circle"}) {
      const std::string hash = hash_by_library(scenario, machine, KB_FIDELITY_REDUCED);
      if (hash.empty()) continue;
      ++pairs;
      EXPECT_EQ(hash, hash_by_program(scenario, machine, "reduced", folder))
          << scenario << " on " << machine;
      if (!long_run()) break;  // one of the two
    }
  EXPECT_GE(pairs, 8);
}

}  // namespace
}  // namespace knuckleboom::test
