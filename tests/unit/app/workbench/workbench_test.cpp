// A machine under the hand, without its window.
#include "app/workbench/workbench.hpp"

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/workbench/bench_commands.hpp"
#include "app/workbench/bench_history.hpp"
#include "app/workbench/bench_levers.hpp"
#include "app/workbench/bench_panel.hpp"
#include "app/workbench/bench_results.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "knuckleboom/io/config_folders.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/state_file.hpp"
#include "knuckleboom/io/user_error.hpp"
#include "support/temporary_folder.hpp"

namespace knuckleboom::app {
namespace {

using testing::HasSubstr;

// Two links that hang, and a slide, as a drawing program would write them.
constexpr const char* kStrangersArm = R"(<robot name="stranger">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.2 0 0"/><mass value="3"/>
    <inertia ixx="0.01" iyy="0.05" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0.15 0 0"/><mass value="2"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tool"><inertial><mass value="0.5"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="0.4 0 0"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="slide" type="prismatic"><parent link="lower"/><child link="tool"/>
    <origin xyz="0.3 0 0"/><axis xyz="1 0 0"/><limit lower="0" upper="0.2" effort="1" velocity="1"/></joint>
</robot>)";

Workbench bench_of(const std::string& subject, const std::vector<std::string>& assignments = {}) {
  return Workbench({subject, {}, assignments, machine::Fidelity::kReduced});
}

void run(Workbench& bench, double seconds) {
  const auto ticks = std::llround(seconds / bench.simulation().tick_s());
  for (long long i = 0; i < ticks; ++i) bench.step();
}

void obey(Workbench& bench, const std::string& line) { do_deed(bench, parse_bench_command(line)); }

std::string refusal(Workbench& bench, const std::string& line) {
  const std::string before = io::state_hash(bench.state().sim);
  try {
    obey(bench, line);
  } catch (const std::exception& error) {
    EXPECT_EQ(io::state_hash(bench.state().sim), before) << line;
    return error.what();
  }
  return "nothing refused";
}

double at(const Workbench& bench, const std::string& joint) {
  return bench.state().sim.machine.q[bench.joint(joint)];
}

TEST(Workbench, RewindsToTheSameBits) {
  Workbench bench = bench_of("puma");
  obey(bench, "drive J2 speed 0.2");
  obey(bench, "drive J3 torque 4");
  run(bench, 0.5);
  obey(bench, "attach load forearm 2 0 0.1 0");
  run(bench, 0.25);
  const std::string there = io::state_hash(bench.state().sim);
  run(bench, 0.35);
  const std::string end = io::state_hash(bench.state().sim);
  EXPECT_DOUBLE_EQ(bench.rewind(0.4), 0.7);
  run(bench, 0.05);
  EXPECT_EQ(io::state_hash(bench.state().sim), there);
  run(bench, 0.35);
  EXPECT_EQ(io::state_hash(bench.state().sim), end);
  // Beyond the load: it is not there any more.
  EXPECT_DOUBLE_EQ(bench.rewind(0.8), 0.3);
  EXPECT_TRUE(bench.payloads().empty());
  EXPECT_TRUE(bench.deeds().empty());
}

// By the core alone: a machine that has had the key from its start, put where the other one was.
TEST(Workbench, AKeyChangedLiveActsAsIfItHadAlwaysBeenThere) {
  const std::string key = "body.forearm.mass_kg=9";
  Workbench bench = bench_of("puma");
  obey(bench, "drive J1 torque 3");
  obey(bench, "drive J2 torque -8");
  obey(bench, "drive J3 torque 2");
  run(bench, 0.4);
  const sim::SimState before = bench.state().sim;

  std::filesystem::path path;
  const machine::MachineModel heavy =
      io::load_machine("puma", path, {io::parse_override(key)}).model;
  command::Scenario scenario = bench.simulation().scenario();
  const sim::Simulation other(heavy, scenario);
  sim::SimState state = other.initial_state(before.fidelity);
  for (int i = 0; i < heavy.joint_count(); ++i) {
    state.machine.q[i] = before.machine.q[i];
    state.machine.v[i] = before.machine.v[i];
    state.machine.a[i] = before.machine.a[i];
  }
  obey(bench, "set " + key);
  for (int tick = 0; tick < 300; ++tick) {
    bench.step();
    sim::TickInput input = other.scenario_input(state);
    for (const auto& [joint, torque] : {std::pair{"J1", 3.0}, {"J2", -8.0}, {"J3", 2.0}})
      input.joint[heavy.tree.find_joint(joint)] = {torque, sim::JointCommandMode::kTorque};
    for (const char* joint : {"J4", "J5", "J6"})
      input.joint[heavy.tree.find_joint(joint)] = {0.0, sim::JointCommandMode::kSpeed};
    other.step(state, input);
  }
  for (int i = 0; i < heavy.joint_count(); ++i)
    EXPECT_EQ(bench.state().sim.machine.q[i], state.machine.q[i]) << heavy.joint_name(i);
  // It mattered, and a rewind beyond it takes it back.
  EXPECT_NE(bench.state().sim.machine.q[1], before.machine.q[1]);
  bench.rewind(0.5);
  EXPECT_TRUE(bench.assignments().empty());
  EXPECT_EQ(bench.model().tree.link_inertias()[2].mass, 4.8);
}

// The torque that holds the arm is that of statics; without it J2 sinks by its load over its gain.
TEST(Workbench, SpeedControlHoldsAgainstGravity) {
  Workbench bench = bench_of("puma");
  const int j2 = bench.joint("J2");
  obey(bench, "place J2 -0.3");
  for (const char* joint : {"J1", "J2", "J3", "J4", "J5", "J6"})
    obey(bench, std::string("drive ") + joint + " speed 0");
  run(bench, 2.0);
  EXPECT_LT(std::fabs(bench.state().sim.machine.v[j2]), 1e-9);
  EXPECT_NEAR(at(bench, "J2"), -0.3, 1e-9);
  const machine::MachineModel& model = bench.model();
  double q[kMaxLinks], zero[kMaxLinks] = {}, torque[kMaxLinks];
  std::copy_n(bench.state().sim.machine.q, model.joint_count(), q);
  multibody::inverse_dynamics(model.tree, model.tree.link_inertias().data(), q, zero, zero, torque);
  const sim::Snapshot shot = sim::take_snapshot(bench.simulation(), bench.state().sim);
  EXPECT_NEAR(shot.joint_applied[j2], torque[j2], 1e-6 * std::fabs(torque[j2]));
  EXPECT_GT(std::fabs(torque[j2]), 10.0);

  obey(bench, "set drive.J2.holds_load=false");
  run(bench, 0.5);
  const double gain = bench.drive_of(j2)->speed_gain;
  EXPECT_NEAR(bench.state().sim.machine.v[j2], -torque[j2] / gain,
              0.02 * std::fabs(torque[j2] / gain));
}

TEST(Workbench, CarriesPayloadsAndHoldsThem) {
  Workbench bench = bench_of("puma");
  for (const char* joint : {"J1", "J2", "J3", "J4", "J5", "J6"})
    obey(bench, std::string("drive ") + joint + " speed 0");
  obey(bench, "attach block forearm 5 0 -0.2 0");
  run(bench, 1.0);
  EXPECT_LT(std::fabs(bench.state().sim.machine.v[bench.joint("J2")]), 1e-9);
  // A change of the machine keeps it.
  obey(bench, "set body.hand.mass_kg=0.5");
  EXPECT_THAT(bench.payloads(), testing::ElementsAre("block"));
  run(bench, 0.5);
  EXPECT_LT(std::fabs(bench.state().sim.machine.v[bench.joint("J2")]), 1e-9);
  EXPECT_THAT(refusal(bench, "attach block hand 1"), HasSubstr("attached already"));
  obey(bench, "detach block");
  run(bench, 0.5);
  EXPECT_LT(std::fabs(bench.state().sim.machine.v[bench.joint("J2")]), 1e-9);
}

// Bodies taken off and put on again leave the machine as it was, and its energy in balance.
TEST(Workbench, BodiesGoAndComeBack) {
  Workbench bench = bench_of("puma");
  for (const char* joint : {"J1", "J2", "J3", "J4", "J5", "J6"})
    obey(bench, std::string("drive ") + joint + " torque 0");
  run(bench, 0.1);
  EXPECT_THAT(refusal(bench, "remove hand"), HasSubstr("another body hangs on it"));
  EXPECT_THAT(refusal(bench, "assemble hand"), HasSubstr("there already"));
  obey(bench, "remove flange");
  obey(bench, "remove hand");
  const double stood = at(bench, "J5");
  EXPECT_THAT(refusal(bench, "assemble flange"), HasSubstr("assemble that first"));
  run(bench, 0.2);
  EXPECT_EQ(at(bench, "J5"), stood);
  obey(bench, "assemble hand");
  obey(bench, "assemble flange");
  run(bench, 0.2);
  EXPECT_NE(at(bench, "J5"), stood);
  const sim::SimState& state = bench.state().sim;
  EXPECT_EQ(state.machine.absent, 0);
  for (int i = 0; i < bench.model().joint_count(); ++i)
    EXPECT_NEAR(state.machine.inertia[i].mass,
                bench.model().tree.link_inertias()[static_cast<std::size_t>(i)].mass, 1e-12);
  EXPECT_LT(std::fabs(bench.simulation().energy_residual(state)), 2e-3);
}

TEST(Workbench, ASavedScenarioRunsToTheSamePlace) {
  const test::TemporaryFolder folder;
  Workbench bench = bench_of("puma");
  obey(bench, "drive J1 speed 0.3");
  obey(bench, "drive J2 position -0.5");
  obey(bench, "drive J3 speed 0");
  run(bench, 0.4);
  obey(bench, "attach load forearm 1.5 0 -0.3 0");
  obey(bench, "drive J1 speed -0.2");
  run(bench, 0.6);
  const std::filesystem::path file = folder / "mine.toml";
  save_bench_scenario(bench, file);
  const io::LoadedCase loaded = io::load_case(file.string(), "", {});
  const sim::Simulation again(loaded.machine.model, loaded.scenario.scenario);
  sim::SimState state = again.initial_state(machine::Fidelity::kReduced);
  while (state.tick < again.tick_count()) again.step(state);
  EXPECT_EQ(state.tick, bench.state().sim.tick);
  for (int i = 0; i < bench.model().joint_count(); ++i)
    EXPECT_NEAR(state.machine.q[i], bench.state().sim.machine.q[i], 1e-12)
        << bench.model().joint_name(i);
}

TEST(Workbench, AnUnseenUrdfIsHeldDrivenAndSaved) {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("stranger.urdf", kStrangersArm).string();
  Workbench bench = bench_of(file);
  EXPECT_TRUE(bench.bench_case().made_drives);
  run(bench, 1.0);
  EXPECT_NEAR(at(bench, "shoulder"), 0.0, 1e-9);
  obey(bench, "drive shoulder position -0.8");
  obey(bench, "drive slide position 0.1");
  run(bench, 3.0);
  EXPECT_NEAR(at(bench, "shoulder"), -0.8, 1e-4);
  EXPECT_NEAR(at(bench, "slide"), 0.1, 1e-4);
  const std::filesystem::path saved = folder / "arm.toml";
  save_bench_scenario(bench, saved);
  const io::LoadedCase loaded = io::load_case(saved.string(), "", {});
  const sim::Simulation again(loaded.machine.model, loaded.scenario.scenario);
  sim::SimState state = again.initial_state(machine::Fidelity::kReduced);
  while (state.tick < again.tick_count()) again.step(state);
  EXPECT_NEAR(state.machine.q[0], at(bench, "shoulder"), 1e-9);
}

// Each stands, runs with something asked of it, has a look, levers and curves.
TEST(Workbench, TakesEveryShippedMachine) {
  for (const std::string& name : io::machine_names()) {
    SCOPED_TRACE(name);
    Workbench bench = bench_of(name);
    BenchHistory history;
    history.follow(bench.model());
    const BenchLevers levers(bench, "");
    int driven = 0;
    for (int i = 0; i < bench.model().joint_count() && driven < 3; ++i)
      for (const DemandKind kind : {DemandKind::kValve, DemandKind::kSpeed, DemandKind::kTorque})
        if (bench.can(i, kind)) {
          bench.demand(i, kind, 0.2 * bench.reach(i, kind).high);
          ++driven;
          break;
        }
    run(bench, 0.1);
    history.add(sim::take_snapshot(bench.simulation(), bench.state().sim));
    BenchCurves curves;
    curves.choose(bench, history);
    EXPECT_FALSE(curves.plots(history).empty());
    EXPECT_EQ(bench.state().sim.machine.health.non_finite, 0);
    EXPECT_GT(driven, 0);
    EXPECT_GT(bench_scene(bench).size, 0.2);
    EXPECT_GT(levers.lines(bench).size(), 0U);
  }
}

TEST(Workbench, LeversOfTheRescueLegAreMade) {
  Workbench bench = bench_of("rescue_leg");
  BenchLevers levers(bench, "");
  EXPECT_EQ(levers.name(), "made for this machine");
  command::OperatorInput input{};
  EXPECT_TRUE(levers.demands(bench, input).empty());
  input.axis[static_cast<int>(command::LeverAxis::kLeftX)] = 0.5;
  const std::vector<JointDemand> demands = levers.demands(bench, input);
  ASSERT_EQ(demands.size(), 1U);
  const double before = bench.state().sim.machine.q[demands[0].joint];
  bench.demand(demands[0].joint, demands[0].kind, demands[0].value);
  run(bench, 0.3);
  EXPECT_GT(bench.state().sim.machine.q[demands[0].joint], before);
  input = {};
  EXPECT_EQ(levers.demands(bench, input).front().value, 0.0);
}

TEST(Workbench, SaysWhatCannotBe) {
  Workbench bench = bench_of("puma");
  EXPECT_THAT(refusal(bench, "drive J7 speed 1"), HasSubstr("there is no joint 'J7'"));
  EXPECT_THAT(refusal(bench, "drive J2 valve 1"), HasSubstr("it has no actuator"));
  EXPECT_THAT(refusal(bench, "drive J2 sped 1"), HasSubstr("did you mean 'speed'?"));
  EXPECT_THAT(refusal(bench, "set body.forearm.mas_kg=9"), HasSubstr("mas_kg"));
  EXPECT_THAT(refusal(bench, "set body.forearm.mass_kg=-9"), HasSubstr("mass"));
  EXPECT_THAT(refusal(bench, "remove shulder"), HasSubstr("did you mean 'shoulder'?"));
  EXPECT_THAT(refusal(bench, "attach x forearm -2"), HasSubstr("mass above 0"));
  EXPECT_THAT(refusal(bench, "detach x"), HasSubstr("'x' is not attached"));
  Workbench bar = bench_of("four_bar");
  EXPECT_THAT(refusal(bar, "place J2 0.3"), HasSubstr("follows others through its loop"));
  EXPECT_THAT(refusal(bar, "remove bar2"), HasSubstr("part of a loop"));
  try {
    bench_of("pumma");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'puma'?"));
  }
}

TEST(Workbench, CurvesGoBackWithTheMachine) {
  Workbench bench = bench_of("four_bar_torque");
  BenchHistory history;
  history.follow(bench.model());
  const auto rows = [&](double seconds) {
    for (int i = 0; i < static_cast<int>(100.0 * seconds); ++i) {
      run(bench, 0.01);
      history.add(sim::take_snapshot(bench.simulation(), bench.state().sim));
    }
  };
  rows(0.5);
  bench.rewind(0.2);
  rows(0.1);
  EXPECT_EQ(history.rows(), 40U);
  EXPECT_NEAR(history.time().back(), 0.4, 1e-9);
  EXPECT_GE(history.find("CP_force_x_N"), 0);
  EXPECT_GE(history.find("J1_applied_Nm"), 0);
}

}  // namespace
}  // namespace knuckleboom::app
