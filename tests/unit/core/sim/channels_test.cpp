#include "knuckleboom/core/sim/channels.hpp"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/machine/tip.hpp"
#include "knuckleboom/core/sim/parts.hpp"
#include "support/machines.hpp"

namespace knuckleboom {
namespace {

using machine::Fidelity;
using machine::MachineModel;
using sim::Channel;

std::vector<std::string> names(const std::vector<Channel>& channels) {
  std::vector<std::string> out;
  out.reserve(channels.size());
  for (const Channel& channel : channels) out.push_back(channel.name);
  return out;
}

TEST(Channels, NamesInTheirOrder) {
  std::vector<std::string> expected = {"t_s"};
  for (const std::string joint : {"swing", "boom", "stick"})
    for (const char* what :
         {"_rad", "_rad_s", "_ref_rad", "_valve_V", "_port_a_Pa", "_port_b_Pa", "_valve_open"})
      expected.push_back(joint + what);
  for (const char* tip : {"tip_x_m", "tip_y_m", "tip_z_m"}) expected.emplace_back(tip);
  EXPECT_EQ(names(sim::channels(test::reference_machine())), expected);
}

// A channel names every part of a snapshot that it is read from.
TEST(Channels, AreReadFromTheirPartsAlone) {
  for (const MachineModel& model : {test::reference_machine(), test::pump_machine()}) {
    const sim::Simulation simulation(model, test::boom_pulse());
    sim::SimState state = simulation.initial_state(Fidelity::kFull);
    for (int k = 0; k < 1500; ++k) simulation.step(state);
    const sim::Snapshot whole = sim::take_snapshot(simulation, state);
    int few = 0;
    for (const Channel& channel : sim::all_channels(model)) {
      sim::Snapshot part{};
      sim::take_snapshot(simulation, state, sim::parts_of(channel), part);
      EXPECT_EQ(channel.value(part), channel.value(whole)) << channel.name;
      few += (sim::parts_of(channel) & sim::kOtherPart) == 0 ? 1 : 0;
    }
    EXPECT_GT(few, 30);
  }
}

TEST(Channels, APumpAddsItsOwn) {
  const std::vector<std::string> plain = names(sim::channels(test::reference_machine()));
  std::vector<std::string> all = names(sim::channels(test::pump_machine()));
  EXPECT_EQ(
      std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(plain.size()), all.end()),
      (std::vector<std::string>{"supply_Pa", "load_signal_Pa", "pump_flow_m3_s",
                                "main_relief_flow_m3_s", "engine_rad_s"}));
}

TEST(Channels, EachHasItsUnitAndWords) {
  std::set<std::string> seen;
  for (const Channel& channel : sim::channels(test::reference_machine())) {
    EXPECT_TRUE(seen.insert(channel.name).second) << channel.name;
    EXPECT_FALSE(channel.description.empty()) << channel.name;
    // The unit ends the name; a flag has none.
    if (channel.unit.empty()) {
      EXPECT_NE(channel.name.find("_open"), std::string::npos);
      continue;
    }
    std::string ending = "_" + channel.unit;
    if (ending.ends_with("/s")) ending.replace(ending.size() - 2, 2, "_s");
    EXPECT_TRUE(channel.name.ends_with(ending)) << channel.name << ' ' << channel.unit;
  }
}

// A mast that slides, an arm on it that hangs free.
MachineModel sliding_machine() {
  MachineModel model;
  multibody::Body mast;
  mast.name = mast.joint_name = "mast";
  mast.type = multibody::JointType::kPrismatic;
  mast.upper = 2.0;
  mast.inertia.mass = 100.0;
  model.tree.add_body(mast);
  multibody::Body arm;
  arm.name = arm.joint_name = "arm";
  arm.parent = 0;
  arm.type = multibody::JointType::kRevolute;
  arm.axis_B = Vec3::UnitY();
  arm.inertia.mass = 10.0;
  arm.inertia.com = Vec3(0.0, 0.0, -0.5);
  model.tree.add_body(arm);
  machine::Actuator lift;
  lift.name = "lift";
  lift.circuit = test::reference_cylinder(0.06, 0.04, 7e-12, 6e-12);
  model.actuators = {lift};
  model.controllers.resize(1);
  model.tip_body = 1;
  EXPECT_TRUE(machine::finish(model).empty());
  return model;
}

TEST(Channels, SlidingJointsAreInMetres) {
  const std::vector<Channel> channels = sim::channels(sliding_machine());
  EXPECT_EQ(channels[1].name, "mast_m");
  EXPECT_EQ(channels[1].unit, "m");
  EXPECT_EQ(channels[2].name, "mast_m_s");
  EXPECT_EQ(channels[2].unit, "m/s");
  EXPECT_EQ(channels[3].name, "mast_ref_m");
  EXPECT_EQ(channels[3].unit, "m");
  EXPECT_EQ(channels[8].name, "arm_rad");
}

TEST(Channels, ReadTheState) {
  const MachineModel model = test::reference_machine();
  const sim::Simulation simulation(model, test::boom_pulse());
  sim::SimState state = simulation.initial_state(Fidelity::kFull);
  for (int k = 0; k < 1700; ++k) simulation.step(state);
  const sim::Snapshot snapshot = sim::take_snapshot(simulation, state);
  std::vector<double> expected = {1.7};
  for (int i = 0; i < 3; ++i) {
    const machine::ActuatorState& a = state.machine.actuator[i];
    for (const double value : {state.machine.q[i], state.machine.v[i], state.reference[i],
                               a.command_V, a.p[0], a.p[1], static_cast<double>(a.open)})
      expected.push_back(value);
  }
  const Vec3 tip = machine::tip_position(model, state.machine.q);
  for (int c = 0; c < 3; ++c) expected.push_back(tip(c));
  const std::vector<Channel> channels = sim::channels(model);
  ASSERT_EQ(channels.size(), expected.size());
  for (std::size_t k = 0; k < channels.size(); ++k)
    EXPECT_DOUBLE_EQ(channels[k].value(snapshot), expected[k]) << channels[k].name;
  EXPECT_EQ(expected[4 + 7], 4.0);  // the boom's volts, open
  EXPECT_EQ(expected[7 + 7], 1.0);
}

TEST(Channels, APassiveJointHasZerosForItsActuator) {
  const sim::Simulation simulation(sliding_machine(), [] {
    command::Scenario scenario;
    scenario.duration_s = 1.0;
    scenario.initial = {{"mast", 1.0}, {"arm", 0.5}};
    return scenario;
  }());
  sim::SimState state = simulation.initial_state(Fidelity::kFull);
  for (int k = 0; k < 200; ++k) simulation.step(state);
  const sim::Snapshot snapshot = sim::take_snapshot(simulation, state);
  for (const Channel& channel : sim::channels(simulation.model())) {
    if (!channel.name.starts_with("arm")) continue;
    const bool motion = channel.name == "arm_rad" || channel.name == "arm_rad_s";
    if (motion) {
      EXPECT_NE(channel.value(snapshot), 0.0) << channel.name;
    } else if (channel.name != "arm_ref_rad") {
      EXPECT_EQ(channel.value(snapshot), 0.0) << channel.name;
    }
  }
  EXPECT_NEAR(snapshot.joint[1].position, 0.5, 0.4);
}

}  // namespace
}  // namespace knuckleboom
