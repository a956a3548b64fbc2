// Exported FMUs, run by a master that knows nothing but FMI.
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fmi/export.hpp"
#include "knuckleboom/core/training/session.hpp"
#include "knuckleboom/io/config_folders.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/load_exercise.hpp"
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

// In the full model and with all changes that --set can make, from a start time of its own.
TEST(Fmu, carriesModelAndAssignments) {
  fmi::ExportRequest request = fmu_request("boom_pulse");
  request.fidelity = "full";
  request.assignments = {"supply.pump_bar=180", "controller.boom.kp_V_per_rad*=1.1"};
  const UnpackedFmu fmu(request);
  const io::LoadedCase loaded = io::load_case("boom_pulse", "", request.assignments);
  for (const Version version : kBothVersions) {
    const std::unique_ptr<Slave> slave = fmu.slave(version);
    ASSERT_EQ(slave->initialise(7.5), 0);
    ASSERT_EQ(slave->step(7.5, 200 * fmu.tick_s), 0) << slave->told();
    EXPECT_EQ(fmu.hash(*slave), hash_of_engine(loaded, 200, "full"));
    double time = 0.0, channel = 0.0;
    EXPECT_EQ(slave->get(0, time), 0);
    EXPECT_EQ(slave->get(fmu.number.at("t_s"), channel), 0);
    EXPECT_DOUBLE_EQ(time, 7.5 + 200 * fmu.tick_s);
    EXPECT_DOUBLE_EQ(channel, 200 * fmu.tick_s);
  }
}

// Volts and references, held over the tick: as the engine with the same commands.
TEST(Fmu, holdsItsInputsOverTheTick) {
  for (const Inputs inputs : {Inputs::kVolts, Inputs::kReferences}) {
    const bool volts = inputs == Inputs::kVolts;
    const UnpackedFmu fmu(fmu_request("", "harvester", inputs));
    const io::LoadedCase loaded =
        io::load_case((fmu.folder.path() / fmi::kScenarioFile).string(), "harvester", {});
    const sim::Simulation simulation(loaded.machine.model, loaded.scenario.scenario);
    sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
    const unsigned boom = fmu.number.at(volts ? "input.boom_valve_V" : "input.boom_ref_rad");
    double boom_rad = 0.0;
    const auto asked = [&](int tick) {
      return volts ? 2.0 + 0.01 * tick : boom_rad + 0.001 * tick;
    };
    const std::unique_ptr<Slave> two = fmu.slave(Version::k2), three = fmu.slave(Version::k3);
    for (Slave* slave : {two.get(), three.get()}) {
      ASSERT_EQ(slave->initialise(), 0);
      if (!volts) {
        EXPECT_EQ(slave->get(boom, boom_rad), 0);
      }
    }
    EXPECT_EQ(boom_rad, volts ? 0.0 : state.machine.q[1]);
    for (int tick = 0; tick < 150; ++tick) {
      sim::TickInput input = simulation.scenario_input(state);
      for (std::size_t k = 0; k < 3; ++k)
        if (volts) input.actuator[k] = {0.0, sim::ActuatorMode::kVoltage, 0, 0.0};
      input.actuator[1].value = asked(tick);
      simulation.step(state, input);
      for (Slave* slave : {two.get(), three.get()}) {
        ASSERT_EQ(slave->set(boom, asked(tick)), 0);
        ASSERT_EQ(slave->step(tick * fmu.tick_s, fmu.tick_s), 0);
      }
    }
    EXPECT_EQ(fmu.hash(*two), io::state_hash(state));
    EXPECT_EQ(fmu.hash(*three), io::state_hash(state));
  }
}

// Levers that are moved all the time, each its own way; the first button now and then.
command::OperatorInput levers_at(int tick) {
  command::OperatorInput out{};
  for (int i = 0; i < command::kLeverAxes; ++i)
    out.axis[i] = std::sin(0.003 * (i + 1) * tick + 0.7 * i);
  out.buttons = tick % 400 < 50 ? 1 : 0;
  return out;
}

void expect_bits_of_session(const std::string& exercise, const std::string& machine, int ticks) {
  SCOPED_TRACE(exercise + " " + machine);
  fmi::ExportRequest request;
  request.exercise = exercise;
  request.machine = machine;
  request.inputs = Inputs::kLevers;
  const UnpackedFmu fmu(request);
  io::LoadedExercise loaded = io::load_exercise(exercise, machine, "");
  const training::Session session(std::move(loaded.machine.model), std::move(loaded.levers.pattern),
                                  std::move(loaded.exercise.exercise));
  const auto state = std::make_unique<training::SessionState>(session.initial_state());
  const auto seen = std::make_unique<training::SessionSnapshot>();
  EXPECT_EQ(fmu.tick_s, session.tick_s());
  const std::unique_ptr<Slave> two = fmu.slave(Version::k2), three = fmu.slave(Version::k3);
  for (Slave* slave : {two.get(), three.get()}) {
    ASSERT_TRUE(slave);
    ASSERT_EQ(slave->initialise(), 0) << slave->told();
  }
  EXPECT_EQ(fmu.hash(*two), io::state_hash(*state));
  void* half_way = nullptr;
  const auto do_ticks = [&](Slave& slave, int from, int to) {
    for (int tick = from; tick < to; ++tick) {
      const command::OperatorInput levers = levers_at(tick);
      for (int i = 0; i < command::kLeverAxes; ++i)
        ASSERT_EQ(
            slave.set(fmu.number.at(std::string("input.lever_") + command::kLeverAxisNames[i]),
                      levers.axis[i]),
            0);
      ASSERT_EQ(
          slave.set(fmu.number.at(std::string("input.button_") + command::kLeverButtonNames[0]),
                    static_cast<double>(levers.buttons)),
          0);
      ASSERT_EQ(slave.step(tick * fmu.tick_s, fmu.tick_s), 0) << slave.told();
    }
  };
  for (int tick = 0; tick < ticks; ++tick) session.step(levers_at(tick), *state, *seen);
  do_ticks(*two, 0, ticks / 2);
  ASSERT_EQ(two->save(half_way), 0) << two->told();
  do_ticks(*two, ticks / 2, ticks);
  do_ticks(*three, 0, ticks);
  EXPECT_EQ(fmu.hash(*two), io::state_hash(*state));
  EXPECT_EQ(fmu.hash(*three), io::state_hash(*state));
  ASSERT_EQ(two->restore(half_way), 0);
  EXPECT_NE(fmu.hash(*two), io::state_hash(*state));
  do_ticks(*two, ticks / 2, ticks);
  EXPECT_EQ(fmu.hash(*two), io::state_hash(*state));
  EXPECT_EQ(two->free(half_way), 0);
}

// Shaping, control modes, grapple, saw and wheels are within: an exercise with its levers, as `drive` runs it. All
// shipped ones by KNUCKLEBOOM_LONG=1.
TEST(Fmu, hasTheBitsOfASessionWithTheSameLevers) {
  expect_bits_of_session("reach", "", 600);
  expect_bits_of_session("felling", "", 200);                // with a species
  expect_bits_of_session("free_play", "forwarder_8w", 200);  // with another machine, on wheels
  if (!long_run()) return;
  for (const std::string& exercise : io::exercise_names())
    expect_bits_of_session(exercise, "", 2000);
}

// The numbers of the exercise and of its levers are parameters; no state of it has bytes.
TEST(Fmu, ofAnExerciseHasParametersAndNoBytes) {
  fmi::ExportRequest request;
  request.exercise = "reach";
  request.inputs = Inputs::kLevers;
  request.assignments = {"exercise.control_mode=boom_tip"};
  const UnpackedFmu fmu(request);
  EXPECT_TRUE(fmu.number.contains("levers.function.boom.full_V"));
  EXPECT_FALSE(fmu.number.contains("exercise.rate_Hz"));
  const std::unique_ptr<Slave> slave = fmu.slave(Version::k3);
  ASSERT_EQ(slave->initialise(), 0) << slave->told();
  void* state = nullptr;
  std::string bytes;
  ASSERT_EQ(slave->save(state), 0);
  EXPECT_NE(slave->write(state, bytes), 0);
  EXPECT_THAT(slave->told(), HasSubstr("the state of an exercise has no bytes"));
  EXPECT_EQ(slave->free(state), 0);
}

TEST(Fmu, takesParametersUntilItsInitializationEnds) {
  const UnpackedFmu fmu(fmu_request("stick_sine"));
  const unsigned pump = fmu.number.at("machine.supply.pump_MPa");
  const std::string as_told =
      hash_of_engine(io::load_case("stick_sine", "", {"machine.supply.pump_MPa=12.5"}), 100);
  const std::string as_exported = hash_of_engine(io::load_case("stick_sine", "", {}), 100);
  EXPECT_NE(as_told, as_exported);
  for (const Version version : kBothVersions) {
    const std::unique_ptr<Slave> slave = fmu.slave(version);
    ASSERT_EQ(slave->set(pump, 12.5), 0);
    ASSERT_EQ(slave->initialise(), 0) << slave->told();
    double value = 0.0;
    EXPECT_EQ(slave->get(fmu.number.at("pump_Pa"), value), 0);
    EXPECT_DOUBLE_EQ(value, 12.5e6);
    step_fmu_to(*slave, fmu.tick_s, 0, 100);
    EXPECT_EQ(fmu.hash(*slave), as_told);
    EXPECT_NE(slave->set(pump, 14.0), 0);
    EXPECT_THAT(slave->told(), HasSubstr("'machine.supply.pump_MPa' is fixed"));
    // An error ends it until it is reset; then all is as exported.
    EXPECT_NE(slave->step(100 * fmu.tick_s, fmu.tick_s), 0);
    ASSERT_EQ(slave->reset(), 0);
    ASSERT_EQ(slave->initialise(), 0);
    step_fmu_to(*slave, fmu.tick_s, 0, 100);
    EXPECT_EQ(fmu.hash(*slave), as_exported);
    EXPECT_EQ(slave->terminate(), 0);
    EXPECT_NE(slave->step(100 * fmu.tick_s, fmu.tick_s), 0);
    // A value that cannot be gets the sentence of --set.
    ASSERT_EQ(slave->reset(), 0);
    ASSERT_EQ(slave->set(fmu.number.at("scenario.duration_s"), -1.0), 0);
    EXPECT_NE(slave->initialise(), 0);
    EXPECT_THAT(slave->told(), HasSubstr("'duration_s' is -1"));
  }
}

TEST(Fmu, refusesStepsThatAreNoWholeTicksAndStaysAsItIs) {
  const UnpackedFmu fmu(fmu_request("stick_sine"));
  for (const Version version : kBothVersions) {
    const std::unique_ptr<Slave> slave = fmu.slave(version);
    ASSERT_EQ(slave->initialise(), 0);
    constexpr int kDiscarded = 2, kError = 3;
    for (const double length : {0.0015, 0.0, -0.001, 1e-9, 0.00101}) {
      EXPECT_EQ(slave->step(0.0, length), kDiscarded) << length;
    }
    EXPECT_THAT(slave->told(), HasSubstr("a step of 0.0015 s is no whole number of ticks; this FMU "
                                         "steps by multiples of 0.001 s"));
    // Sums of an importer are off by roundings.
    double now = 0.0;
    for (int i = 0; i < 300; ++i) {
      ASSERT_EQ(slave->step(now, 0.1 / 10.0 / 10.0), 0) << slave->told();
      now += 0.1 / 10.0 / 10.0;
    }
    EXPECT_EQ(fmu.hash(*slave), hash_of_engine(io::load_case("stick_sine", "", {}), 300));
    EXPECT_EQ(slave->step(0.5, 0.001), kError);
    EXPECT_THAT(slave->told(), HasSubstr("a step from 0.5 s is asked for, but the FMU is at 0.3"));
  }
}

TEST(Fmu, goesBackToStatesAndReadsThemFromBytes) {
  const UnpackedFmu fmu(fmu_request("", "harvester", Inputs::kVolts));
  const unsigned boom = fmu.number.at("input.boom_valve_V");
  std::string bytes_of[2], end_of[2];
  for (const Version version : kBothVersions) {
    const auto at = static_cast<std::size_t>(version == Version::k3);
    const std::unique_ptr<Slave> slave = fmu.slave(version);
    ASSERT_EQ(slave->initialise(), 0);
    ASSERT_EQ(slave->set(boom, 3.0), 0);
    step_fmu_to(*slave, fmu.tick_s, 0, 80);
    void* state = nullptr;
    ASSERT_EQ(slave->save(state), 0);
    ASSERT_EQ(slave->write(state, bytes_of[at]), 0) << slave->told();
    step_fmu_to(*slave, fmu.tick_s, 80, 160);
    end_of[at] = fmu.hash(*slave);
    // The input is part of the state.
    ASSERT_EQ(slave->set(boom, -3.0), 0);
    step_fmu_to(*slave, fmu.tick_s, 160, 170);
    ASSERT_EQ(slave->restore(state), 0) << slave->told();
    step_fmu_to(*slave, fmu.tick_s, 80, 160);
    EXPECT_EQ(fmu.hash(*slave), end_of[at]);
    EXPECT_EQ(slave->free(state), 0);
    EXPECT_EQ(state, nullptr);

    const std::unique_ptr<Slave> other = fmu.slave(version);
    ASSERT_EQ(other->read(bytes_of[at], state), 0) << other->told();
    ASSERT_EQ(other->restore(state), 0) << other->told();
    step_fmu_to(*other, fmu.tick_s, 80, 160);
    EXPECT_EQ(fmu.hash(*other), end_of[at]);
    EXPECT_EQ(other->free(state), 0);

    for (const std::size_t size : {std::size_t{0}, std::size_t{30}, bytes_of[at].size() - 1}) {
      const std::unique_ptr<Slave> third = fmu.slave(version);
      EXPECT_NE(third->read(bytes_of[at].substr(0, size), state), 0) << size;
      EXPECT_EQ(state, nullptr);
    }
    std::string forged = bytes_of[at];
    forged[forged.size() - 100] = static_cast<char>(forged[forged.size() - 100] ^ 0x55);
    const std::unique_ptr<Slave> third = fmu.slave(version);
    EXPECT_NE(third->read(forged, state), 0);
  }
  EXPECT_EQ(bytes_of[0], bytes_of[1]);
  EXPECT_EQ(end_of[0], end_of[1]);
}

TEST(Fmu, isInstantiatedWithItsOwnTokenAlone) {
  const UnpackedFmu fmu(fmu_request("stick_sine"));
  const UnpackedFmu other(fmu_request("boom_pulse"));
  EXPECT_NE(fmu.facts.token, other.facts.token);
  EXPECT_EQ(fmu.facts.token, UnpackedFmu(fmu_request("stick_sine")).facts.token);
  for (const Version version : kBothVersions) {
    std::string errors;
    EXPECT_EQ(
        instantiate(fmi::fmu_binary(), version, fmu.folder.path(), other.facts.token, &errors),
        nullptr);
    EXPECT_THAT(errors, HasSubstr("but is instantiated with " + other.facts.token));
    EXPECT_EQ(instantiate(fmi::fmu_binary(), version, "/nowhere", "", &errors), nullptr);
    EXPECT_THAT(errors, HasSubstr("/nowhere/part.txt: there is no such file"));
  }
}

}  // namespace
}  // namespace knuckleboom::test
