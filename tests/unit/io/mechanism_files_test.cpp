// Loops, pins, drives and assembly in files: the shipped machines load, and errors are reported
// with their place.
#include <string>

#include <gtest/gtest.h>

#include "io_test_support.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/scenario_file.hpp"

namespace knuckleboom {
namespace {

using test::config;
using test::faults;
using test::replaced;
using test::slurp;

struct Mistake {
  const char* what;
  const char* file;
  const char* from;
  const char* to;
  const char* fragment;
};

std::ostream& operator<<(std::ostream& stream, const Mistake& m) { return stream << m.what; }

class MechanismMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(MechanismMistakes, AreToldWithTheirPlace) {
  const Mistake& m = GetParam();
  const std::string text =
      replaced(slurp(config(std::string("machines/") + m.file + "/machine.toml")), m.from, m.to);
  const std::vector<io::Diagnostic> told =
      faults([&] { io::read_machine_text(text, "m.toml", {}); });
  ASSERT_FALSE(told.empty());
  EXPECT_NE(told.front().message.find(m.fragment), std::string::npos) << told.front().message;
  EXPECT_EQ(told.front().file, "m.toml");
  EXPECT_GT(told.front().line, 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, MechanismMistakes,
    testing::Values(Mistake{"unknown body", "four_bar", "body_a = \"bar2\"", "body_a = \"bar\"",
                            "is on body 'bar', which does not exist"},
                    Mistake{"same body twice", "four_bar", "body_b = \"bar3\"", "body_b = \"bar2\"",
                            "both ends of loop 'CP' are on one body"},
                    Mistake{"kind", "four_bar", "point_point", "weld", "'kind'"},
                    Mistake{"no direction", "crank_slider", "direction_b = [1, 0, 0]",
                            "direction_b = [0, 0, 0]", "has no direction"},
                    Mistake{"out of reach", "four_bar", "position_m = [1, 0, 0]",
                            "position_m = [3, 0, 0]", "no position of its joints closes it"},
                    Mistake{"drive on nothing", "four_bar", "joint = \"J1\"\n\n[tip]",
                            "joint = \"J9\"\n\n[tip]",
                            "names the joint 'J9', which does not exist"},
                    Mistake{"drive's unit", "puma", "torque_limit_N_m = 97.6",
                            "torque_limit_N = 97.6", "torque_limit"}));

TEST(MechanismFiles, ShippedMechanismsRunTheirScenarios) {
  const char* const cases[3][2] = {{"four_bar", "four_bar_torque"},
                                   {"crank_slider", "crank_slider_torque"},
                                   {"puma", "puma_assembly"}};
  for (const auto& names : cases) {
    SCOPED_TRACE(names[0]);
    const io::MachineFile machine =
        io::read_machine(config(std::string("machines/") + names[0] + "/machine.toml"));
    const io::ScenarioFile scenario =
        io::read_scenario(config(std::string("scenarios/") + names[1] + ".toml"));
    EXPECT_TRUE(io::check_against(scenario.scenario, machine.model, scenario.places).empty());
    const sim::Simulation simulation(machine.model, scenario.scenario);
    sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
    for (std::int64_t k = 0; k < simulation.tick_count(); ++k) simulation.step(state);
    EXPECT_EQ(state.machine.health.non_finite, 0);
    EXPECT_EQ(state.machine.health.open_loop_ticks, 0);
    EXPECT_EQ(state.machine.absent, 0);
    EXPECT_LT(std::fabs(simulation.energy_residual(state)), 0.1);
    EXPECT_LT(machine.model.loop_system.gap(machine.model.tree, state.machine.q), 1e-12);
  }
}

std::vector<io::Diagnostic> against(const std::string& machine, const std::string& text) {
  const io::MachineFile file = io::read_machine(config("machines/" + machine + "/machine.toml"));
  const io::ScenarioFile scenario = io::read_scenario_text(text, "s.toml");
  return io::check_against(scenario.scenario, file.model, scenario.places);
}

TEST(MechanismFiles, AssemblyThatCannotBeIsTold) {
  const std::string head = "name = \"s\"\nmachine = \"puma\"\nduration_s = 5\n";
  auto told =
      against("puma", head + "[[event]]\nkind = \"assemble\"\nat_s = 1\nbody = \"wrist\"\n");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].message.find("body 'hand' is attached to 'wrist'"), std::string::npos);
  EXPECT_EQ(told[0].line, 7);
  told = against("puma", head +
                             "[[event]]\nkind = \"assemble\"\nat_s = 1\nbody = \"flange\"\n"
                             "[[event]]\nkind = \"assemble\"\nat_s = 2\nbody = \"hand\"\n");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].message.find("there is nothing to fix it to"), std::string::npos);
  told = against("four_bar", head + "[[event]]\nkind = \"assemble\"\nat_s = 1\nbody = \"bar3\"\n");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].message.find("part of a loop"), std::string::npos);
}

TEST(MechanismFiles, SpeedNeedsADrive) {
  const auto told = against("four_bar",
                            "name = \"s\"\nmachine = \"four_bar\"\nduration_s = 5\n[[joint]]\n"
                            "name = \"J1\"\nmode = \"speed\"\n"
                            "terms = [{ kind = \"hold\", value_rad_per_s = 1 }]\n");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].message.find("has no drive that could follow a speed"), std::string::npos);
}

TEST(MechanismFiles, TorqueOfATurningJointIsNoForce) {
  const auto told = against("four_bar",
                            "name = \"s\"\nmachine = \"four_bar\"\nduration_s = 5\n[[joint]]\n"
                            "name = \"J1\"\nmode = \"torque\"\n"
                            "terms = [{ kind = \"hold\", value_N = 1 }]\n");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].message.find("give its torque in N_m"), std::string::npos);
}

}  // namespace
}  // namespace knuckleboom
