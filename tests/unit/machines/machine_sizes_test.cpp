// The forwarder and the wheeled harvester are as large and as strong as they were sized, and their pump
// shares its flow as a hand computation says: docs/theory/machines.md.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "felt_run.hpp"
#include "knuckleboom/analysis/modes.hpp"
#include "knuckleboom/core/machine/mechanism.hpp"

namespace knuckleboom::felt {
namespace {

constexpr double kGravity = 9.81;
constexpr const char* kForwarderName = "forwarder";
constexpr const char* kHarvesterName = "harvester_wheeled";

struct Arm {
  double boom, stick, telescope;
};

std::string set(const char* key, double value) {
  char text[80];
  std::snprintf(text, sizeof text, "%s=%.9g", key, value);
  return text;
}

// At rest in a pose, the unloaded sides of the cylinders empty.
sim::SimState at_rest(const machine::MachineModel& machine, const Arm& arm) {
  std::vector<io::Override> overrides;
  for (const std::string& text :
       {set("initial.boom.position_rad", arm.boom), set("initial.stick.position_rad", arm.stick),
        set("initial.extension.position_m", arm.telescope),
        std::string("unset initial.boom.port_b_bar"), std::string("unset initial.stick.port_a_bar"),
        std::string("unset initial.extension.port_a_bar")})
    overrides.push_back(io::parse_override(text));
  const std::string file = std::string(KNUCKLEBOOM_SOURCE_DIR) + "/tests/data/feel/pose.toml";
  const sim::Simulation simulation(machine, io::read_scenario(file, overrides).scenario);
  return simulation.initial_state(machine::Fidelity::kFull);
}

// Sizes are without the pressure of the return line.
machine::MachineModel with_grapple_of(const char* name, double more_kg) {
  const double own = name == kForwarderName ? 290.0 : 1200.0;
  return model({name,
                machine::Fidelity::kFull,
                0.0,
                {set("body.grapple.mass_kg", own + more_kg), "supply.tank_bar=0"}});
}

// Load below the boom's tip that takes a cylinder's loaded side to the pump's pressure [kg].
double net_load(const char* name, const Arm& arm, int actuator, int side) {
  const machine::MachineModel empty = with_grapple_of(name, 0.0);
  const double p0 = at_rest(empty, arm).machine.actuator[actuator].p[side];
  const double p1 = at_rest(with_grapple_of(name, 500.0), arm).machine.actuator[actuator].p[side];
  return 500.0 * (empty.supply.pump_Pa - p0) / (p1 - p0);
}

double reach(const char* name, const Arm& arm) {
  const machine::MachineModel machine = with_grapple_of(name, 0.0);
  return machine::tip_position(machine, at_rest(machine, arm).machine.q).x();
}

// Torque of the pump's pressure on the boom where its lever arm is longest, the rod side empty.
double gross_lift(const char* name) {
  const machine::MachineModel machine = with_grapple_of(name, 0.0);
  double strongest = 0.0;
  for (double angle = -0.3; angle < 0.5; angle += 0.02) {
    const sim::SimState state = at_rest(machine, {angle, -1.2, 1.0});
    const double lever = machine::displacement(machine, 1, state.machine.q).J;
    double force[kMaxActuators], load[kMaxLinks];
    machine::static_loads(machine, state.machine.inertia, state.machine.q, state.machine.dependent,
                          force, load);
    const double area = force[1] / state.machine.actuator[1].p[0];
    strongest = std::fmax(strongest, machine.supply.pump_Pa * area * lever);
  }
  return strongest;
}

// Torque of the pump's pressure between the ports of the slewing drive.
double slewing_torque(const char* name) {
  const Drive run = drive({name, machine::Fidelity::kFull, 0.0, {}}, {{"swing", 5}}, 0.6, 0.1);
  const double pump_Pa = with_grapple_of(name, 0.0).supply.pump_Pa;
  return pump_Pa * run.swing_torque.at(0.5) / run.swing_drop.at(0.5);
}

#define EXPECT_SIZED(value, sized) EXPECT_NEAR(value, sized, 0.03 * (sized))

// A dealer's figures of this class: lift 134 to 159 kNm, slew 38 to 45 kNm, reach 9.5 to 10.5 m.
TEST(MachineSizes, Forwarder) {
  EXPECT_SIZED(gross_lift(kForwarderName), 145e3);
  EXPECT_SIZED(slewing_torque(kForwarderName), 40e3);
  const Arm far{0.02, -0.14, 3.70}, eight{0.02, -0.14, 1.719}, seven{0.02, -0.14, 0.712};
  EXPECT_SIZED(reach(kForwarderName, far), 9.97);
  EXPECT_NEAR(reach(kForwarderName, eight), 8.0, 0.01);
  EXPECT_NEAR(reach(kForwarderName, seven), 7.0, 0.01);
  EXPECT_SIZED(net_load(kForwarderName, far, 1, 0), 706.0);
  EXPECT_SIZED(net_load(kForwarderName, far, 2, 1), 580.0);
  EXPECT_SIZED(net_load(kForwarderName, eight, 1, 0), 1008.0);
  EXPECT_SIZED(net_load(kForwarderName, eight, 2, 1), 1090.0);
  EXPECT_SIZED(net_load(kForwarderName, seven, 1, 0), 1222.0);
  EXPECT_SIZED(net_load(kForwarderName, seven, 2, 1), 1584.0);
}

// Published for this class: lift 250 to 300 kNm, slew 50 to 70 kNm, reach 10 to 11 m.
TEST(MachineSizes, Harvester) {
  EXPECT_SIZED(gross_lift(kHarvesterName), 258e3);
  EXPECT_SIZED(slewing_torque(kHarvesterName), 55e3);
  const Arm far{0, -0.15, 2.40}, eight{0, -0.15, 0.397}, straight{0.09, -0.15, 2.40};
  EXPECT_SIZED(reach(kHarvesterName, far), 10.05);
  EXPECT_NEAR(reach(kHarvesterName, eight), 8.0, 0.01);
  EXPECT_SIZED(net_load(kHarvesterName, far, 1, 0), 720.0);
  EXPECT_SIZED(net_load(kHarvesterName, straight, 2, 1), 657.0);
  EXPECT_SIZED(net_load(kHarvesterName, eight, 1, 0), 1292.0);
}

// Frequency of the mode in which boom and stick swing together, against the hanging head [Hz].
double vertical_mode(const char* name, const Arm& arm) {
  const machine::MachineModel machine = with_grapple_of(name, 0.0);
  const int boom = machine.tree.find_joint("boom");
  double strongest = 0.0, frequency = 0.0;
  for (const analysis::Mode& mode :
       analysis::closed_valve_modes(machine, at_rest(machine, arm).machine)) {
    if (!mode.oscillates || mode.frequency_Hz > 4.0) continue;
    const double share = std::fabs(mode.shape[static_cast<std::size_t>(boom)]);
    if (share > strongest) strongest = share, frequency = mode.frequency_Hz;
  }
  return frequency;
}

TEST(MachineSizes, VerticalModes) {
  EXPECT_SIZED(vertical_mode(kForwarderName, {0.325, -1.22, 1.85}), 1.97);
  EXPECT_SIZED(vertical_mode(kForwarderName, {1.025, -0.356, 3.33}), 1.26);
  EXPECT_SIZED(vertical_mode(kHarvesterName, {0.375, -1.225, 1.20}), 1.61);
}

// Flows into the pump's edges between 0.7 and 1.1 s, pump and margin, in l/min and bar.
struct Shared {
  double swing, boom, stick, telescope, rotator, pump, margin;
};
Shared shared(const char* name, machine::Fidelity fidelity, const std::vector<Lever>& levers,
              const std::vector<std::string>& overrides = {}) {
  const Drive run = drive({name, fidelity, 0.0, overrides}, levers, 1.5, 0.1);
  const auto flow = [&](const char* joint) { return 6e4 * run.flow.at(joint).mean(0.7, 1.1); };
  return {flow("swing"),
          flow("boom"),
          flow("stick"),
          flow("extension"),
          flow("rotator"),
          6e4 * run.pump_flow.mean(0.7, 1.1),
          1e-5 * (run.pump.mean(0.7, 1.1) - run.load_signal.mean(0.7, 1.1))};
}

class PumpShare : public testing::TestWithParam<machine::Fidelity> {};

// 240 l/min at 1500 rpm; at 80 bar 1480 rpm and 1.6 l/min leakage leave 235.
TEST_P(PumpShare, OfTheForwarder) {
  const double pump = 235.0;
  const Shared one = shared(kForwarderName, GetParam(), {{"extension", -10}});
  EXPECT_SIZED(one.telescope, 58.0);
  EXPECT_SIZED(one.margin, 22.0);
  const Shared two = shared(kForwarderName, GetParam(), {{"extension", -10}, {"stick", -10}});
  EXPECT_SIZED(two.telescope, 58.0);
  EXPECT_SIZED(two.stick, 115.0);
  EXPECT_SIZED(two.margin, 22.0);
  // Telescope and stick are light and get theirs, the boom what is left: 235 - 88 - 140.
  const Shared three =
      shared(kForwarderName, GetParam(), {{"extension", 10}, {"stick", 10}, {"boom", 10}});
  EXPECT_SIZED(three.telescope, 88.0);
  EXPECT_SIZED(three.stick, 140.0);
  EXPECT_NEAR(three.boom, 7.0, 0.03 * pump);
  EXPECT_SIZED(three.pump, pump);
  EXPECT_LT(three.margin, 5.0);
  // The rotator is light as well.
  const Shared four = shared(kForwarderName, GetParam(),
                             {{"extension", 10}, {"stick", 10}, {"boom", 10}, {"rotator", 8}});
  EXPECT_SIZED(four.telescope, 88.0);
  EXPECT_SIZED(four.stick, 140.0);
  EXPECT_NEAR(four.rotator, 7.0, 0.03 * pump);
  EXPECT_NEAR(four.boom, 0.0, 0.03 * pump);
  EXPECT_SIZED(four.pump, pump);
}

// 275 l/min at 1600 rpm.
TEST_P(PumpShare, OfTheHarvester) {
  const double pump = 274.0;
  const Shared one = shared(kHarvesterName, GetParam(), {{"extension", -10}});
  EXPECT_SIZED(one.telescope, 70.0);
  EXPECT_SIZED(one.margin, 25.0);
  const Shared two = shared(kHarvesterName, GetParam(), {{"extension", -10}, {"stick", -10}});
  EXPECT_SIZED(two.telescope, 70.0);
  EXPECT_SIZED(two.stick, 124.0);
  EXPECT_SIZED(two.margin, 25.0);
  // The load pulls stick and telescope out of the way: they take all the pump gives.
  const Shared three =
      shared(kHarvesterName, GetParam(), {{"extension", 10}, {"stick", 10}, {"boom", 10}});
  EXPECT_SIZED(three.stick, 150.0);
  EXPECT_SIZED(three.telescope, pump - 150.0);
  EXPECT_NEAR(three.boom, 0.0, 0.03 * pump);
  EXPECT_SIZED(three.pump, pump);
  const Shared four = shared(kHarvesterName, GetParam(),
                             {{"extension", 10}, {"stick", 10}, {"boom", 10}, {"rotator", 8}});
  EXPECT_SIZED(four.stick, 150.0);
  EXPECT_SIZED(four.telescope, pump - 150.0);
  EXPECT_NEAR(four.boom, 0.0, 0.03 * pump);
  EXPECT_NEAR(four.rotator, 0.0, 0.03 * pump);
  EXPECT_SIZED(four.pump, pump);
}

// The same valves post-compensated: the pump's margin is the drop of all edges, and where it cannot deliver
// enough all functions slow down alike, by the pump's flow over the sum of theirs. All loads resist here; one
// that pulls has its port below the tank's pressure, sees more drop and takes more.
TEST_P(PumpShare, OfFlowSharingBlocks) {
  struct Case {
    const char* machine;
    std::vector<const char*> valves;
    double pump, boom, stick, telescope;
  };
  for (const Case& c :
       {Case{kForwarderName, {"slew", "lift", "tilt", "telescope", "rotator"}, 235, 120, 115, 58},
        Case{kHarvesterName, {"slew", "lift", "jib", "slide", "rotator"}, 268, 155, 124, 70}}) {
    SCOPED_TRACE(c.machine);
    std::vector<std::string> sharing{"supply.margin_bar=10"};
    for (const char* valve : c.valves)
      sharing.push_back(std::string("valve.") + valve +
                        ".compensator={kind=\"flow_sharing\", lag_ms=3}");
    const Shared three =
        shared(c.machine, GetParam(), {{"extension", -10}, {"stick", -10}, {"boom", 10}}, sharing);
    // The gallery gives some oil of its own while the pressure falls.
    const double given = three.boom + three.stick + three.telescope;
    EXPECT_NEAR(given, c.pump, 0.1 * c.pump);
    const double share = given / (c.boom + c.stick + c.telescope);
    EXPECT_NEAR(three.boom, share * c.boom, 0.03 * c.pump);
    EXPECT_NEAR(three.stick, share * c.stick, 0.03 * c.pump);
    EXPECT_NEAR(three.telescope, share * c.telescope, 0.03 * c.pump);
    EXPECT_SIZED(three.pump, c.pump);
    const Shared four =
        shared(c.machine, GetParam(),
               {{"extension", -10}, {"stick", -10}, {"boom", 10}, {"swing", 5}}, sharing);
    EXPECT_GT(four.boom, 0.5 * c.boom);  // no boom stands still
  }
}

INSTANTIATE_TEST_SUITE_P(Models, PumpShare,
                         testing::Values(machine::Fidelity::kReduced, machine::Fidelity::kFull),
                         [](const auto& info) { return machine::word_of(info.param); });

}  // namespace
}  // namespace knuckleboom::felt
