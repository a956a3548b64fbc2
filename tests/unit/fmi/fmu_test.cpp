// Exported FMUs, run by a master that knows nothing but FMI.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fmi/export.hpp"
#include "knuckleboom/io/config_folders.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/scratch_folder.hpp"
#include "knuckleboom/io/state_file.hpp"
#include "knuckleboom/io/user_error.hpp"
#include "support/fmu_master.hpp"
#include "support/long_run.hpp"

namespace knuckleboom::test {
namespace {

using fmi::Causality;
using fmi::Inputs;
using fmi::Version;
using ::testing::HasSubstr;

constexpr Version kBothVersions[] = {Version::k2, Version::k3};

// The resources as an importer unpacks them, and the variables by name.
struct UnpackedFmu {
  io::ScratchFolder folder;
  fmi::PartFacts facts;
  std::map<std::string, unsigned> number;
  double tick_s = 0.0;

  explicit UnpackedFmu(const fmi::ExportRequest& request)
      : facts(fmi::write_resources(request, folder.path())) {
    const std::unique_ptr<fmi::Part> part = fmi::open_part(folder.path(), facts);
    for (unsigned i = 0; i < part->variables().size(); ++i) number[part->variables()[i].name] = i;
    tick_s = part->tick_s();
  }
  std::unique_ptr<Slave> slave(Version version) const {
    return instantiate(fmi::fmu_binary(), version, folder.path(), facts.token);
  }
  std::string hash(Slave& slave) const { return slave.text(number.at("state_hash")); }
};

fmi::ExportRequest fmu_request(const std::string& scenario, const std::string& machine = "",
                               Inputs inputs = Inputs::kNone) {
  fmi::ExportRequest request;
  request.scenario = scenario;
  request.machine = machine;
  request.fidelity = "reduced";
  request.inputs = inputs;
  return request;
}

// In communication steps of 1, 2, ... ticks.
void step_fmu_to(Slave& slave, double tick_s, std::int64_t from, std::int64_t to) {
  for (std::int64_t at = from, chunk = 1; at < to; ++chunk) {
    const std::int64_t next = std::min(at + chunk, to);
    ASSERT_EQ(slave.step(static_cast<double>(at) * tick_s, static_cast<double>(next - at) * tick_s),
              0)
        << slave.told();
    at = next;
  }
}

// By the engine itself, as `knuckleboom run` does it.
std::string hash_of_engine(const io::LoadedCase& loaded, std::int64_t ticks,
                           const char* fidelity = "reduced") {
  const sim::Simulation simulation(loaded.machine.model, loaded.scenario.scenario);
  sim::SimState state = simulation.initial_state(
      std::string(fidelity) == "full" ? machine::Fidelity::kFull : machine::Fidelity::kReduced);
  for (std::int64_t i = 0; i < ticks; ++i) simulation.step(state);
  return io::state_hash(state);
}

// Every shipped machine, at a scenario of its own where there is one. Whole scenarios by KNUCKLEBOOM_LONG=1.
TEST(Fmu, hasTheHashOfRunForEveryShippedMachine) {
  std::map<std::string, std::vector<std::string>> scenarios;
  for (const std::string& name : io::scenario_names()) {
    const io::LoadedCase loaded = io::load_case(name, "", {});
    scenarios[loaded.machine.model.name].push_back(name);
  }
  int machines = 0;
  for (const std::string& machine : io::machine_names()) {
    std::vector<std::string> asked = scenarios[machine];
    if (asked.empty()) asked = {"stick_sine"};
    if (!long_run()) asked.resize(1);
    for (const std::string& scenario : asked) {
      SCOPED_TRACE(scenario + " on " + machine);
      std::optional<io::LoadedCase> loaded;
      std::string name = scenario;
      try {
        loaded = io::load_case(name, machine, {});
      } catch (const std::exception&) {
        name.clear();  // no scenario is made for it: it is asked for nothing
      }
      std::optional<UnpackedFmu> fmu;
      try {
        fmu.emplace(fmu_request(name, machine));
      } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("nowhere to rest"));
        continue;
      }
      if (!loaded)
        loaded = io::load_case((fmu->folder.path() / "scenario.toml").string(), machine, {});
      ++machines;
      const std::int64_t all = std::llround(loaded->scenario.scenario.duration_s / fmu->tick_s);
      const std::int64_t ticks = long_run() ? all : std::min<std::int64_t>(all, 60);
      const std::string expected = hash_of_engine(*loaded, ticks);
      for (const Version version : kBothVersions) {
        const std::unique_ptr<Slave> slave = fmu->slave(version);
        ASSERT_TRUE(slave);
        ASSERT_EQ(slave->initialise(), 0) << slave->told();
        step_fmu_to(*slave, fmu->tick_s, 0, ticks);
        EXPECT_EQ(fmu->hash(*slave), expected);
      }
    }
  }
  EXPECT_GE(machines, 20);
}

}  // namespace
}  // namespace knuckleboom::test
