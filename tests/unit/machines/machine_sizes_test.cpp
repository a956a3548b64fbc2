// The forwarder and the wheeled harvester are as large and as strong as they were sized, and their pump
// shares its flow as a hand computation says: docs/theory/machines.md.
#include <cmath>
#include <string>
#include <utility>

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
  double boom, stick, telescope;  // how far its end is out: twice what its cylinder is
};

std::string set(const char* key, double value) {
  char text[80];
  std::snprintf(text, sizeof text, "%s=%.9g", key, value);
  return text;
}

// At rest in a pose, the unloaded sides of the cylinders empty.
sim::Simulation still(const machine::MachineModel& machine, const Arm& arm) {
  std::vector<io::Override> overrides;
  for (const std::string& text :
       {set("initial.boom.position_rad", arm.boom), set("initial.stick.position_rad", arm.stick),
        set("initial.extension.position_m", 0.5 * arm.telescope),
        std::string("unset initial.boom.port_b_bar"), std::string("unset initial.stick.port_a_bar"),
        std::string("unset initial.extension.port_a_bar")})
    overrides.push_back(io::parse_override(text));
  const std::string file = std::string(KNUCKLEBOOM_SOURCE_DIR) + "/tests/data/feel/pose.toml";
  return sim::Simulation(machine, io::read_scenario(file, overrides).scenario);
}

sim::SimState at_rest(const machine::MachineModel& machine, const Arm& arm) {
  return still(machine, arm).initial_state(machine::Fidelity::kFull);
}

// Sizes are without the pressure of the return line.
machine::MachineModel with_grapple_of(const char* name, double more_kg) {
  const double own = name == kForwarderName ? 110.0 : 1030.0;  // without its jaws
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

// The chain: the cylinder bears twice what hangs at the tip along the booms, half as far.
TEST(MachineSizes, TelescopesBearTwiceTheLoadAtTheTip) {
  constexpr double kLoad = 500.0, kGravity = 9.81;
  const auto ring = [](double bore, double rod) { return M_PI / 4.0 * (bore * bore - rod * rod); };
  for (const auto& [name, area] : {std::pair(kForwarderName, ring(0.063, 0.040)),
                                   std::pair(kHarvesterName, 2.0 * ring(0.060, 0.040))}) {
    SCOPED_TRACE(name);
    const Arm arm{0.3, -1.2, 1.6};
    const machine::MachineModel empty = with_grapple_of(name, 0.0);
    const sim::SimState without = at_rest(empty, arm);
    const sim::SimState with = at_rest(with_grapple_of(name, kLoad), arm);
    const double more = area * (with.machine.actuator[3].p[1] - without.machine.actuator[3].p[1]);
    const double pull = kLoad * kGravity * std::sin(-(arm.boom + arm.stick));
    EXPECT_NEAR(more, 2.0 * pull, 1e-3 * pull);
    sim::SimState extended = without;
    const int first = empty.tree.find_joint("extension");
    const int second = empty.tree.find_joint("extension_2");
    EXPECT_EQ(extended.machine.q[second], extended.machine.q[first]);
    extended.machine.q[first] += 0.1;
    extended.machine.q[second] += 0.1;
    EXPECT_NEAR((machine::tip_position(empty, extended.machine.q) -
                 machine::tip_position(empty, without.machine.q))
                    .norm(),
                0.2, 1e-12);
  }
}

// Frequency of the mode in which boom and stick swing together, against the hanging head [Hz].
double vertical_mode(const char* name, const Arm& arm) {
  const machine::MachineModel machine = with_grapple_of(name, 0.0);
  const int boom = machine.tree.find_joint("boom");
  double strongest = 0.0, frequency = 0.0;
  const sim::Simulation simulation = still(machine, arm);
  for (const analysis::Mode& mode : analysis::closed_valve_modes(
           simulation, simulation.initial_state(machine::Fidelity::kFull))) {
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

// Flows into the pump's edges between 0.7 and 1.3 s, pump and margin, in l/min and bar.
struct Shared {
  double swing, boom, stick, telescope, rotator, pump, margin;
};
Shared shared(const char* name, machine::Fidelity fidelity, const std::vector<Lever>& levers,
              const std::vector<std::string>& overrides = {}) {
  const Drive run = drive({name, fidelity, 0.0, overrides}, levers, 1.5, 0.1);
  const auto flow = [&](const char* joint) { return 6e4 * run.flow.at(joint).mean(0.7, 1.3); };
  return {flow("swing"),
          flow("boom"),
          flow("stick"),
          flow("extension"),
          flow("rotator"),
          6e4 * run.pump_flow.mean(0.7, 1.3),
          1e-5 * (run.pump.mean(0.7, 1.3) - run.load_signal.mean(0.7, 1.3))};
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
  // The load pulls stick and telescope out of the way: they take all but all that the pump gives.
  const Shared three =
      shared(kHarvesterName, GetParam(), {{"extension", 10}, {"stick", 10}, {"boom", 10}});
  EXPECT_SIZED(three.stick, 150.0);
  EXPECT_SIZED(three.telescope, 120.0);
  EXPECT_NEAR(three.boom, 0.0, 0.03 * pump);
  EXPECT_SIZED(three.pump, pump);
  const Shared four = shared(kHarvesterName, GetParam(),
                             {{"extension", 10}, {"stick", 10}, {"boom", 10}, {"rotator", 8}});
  EXPECT_SIZED(four.stick, 150.0);
  EXPECT_SIZED(four.telescope, 120.0);
  EXPECT_NEAR(four.boom, 0.0, 0.03 * pump);
  EXPECT_NEAR(four.rotator, 0.0, 0.03 * pump);
  EXPECT_SIZED(four.pump, pump);
}

// On a flow-sharing block, all loads resisting. The crane surges, and the drop with it.
TEST_P(PumpShare, OfFlowSharingBlocks) {
  struct Case {
    const char* machine;
    double pump, boom, stick, telescope;
  };
  for (const Case& c : {Case{"forwarder_sharing", 235, 120, 115, 58},
                        Case{"harvester_sharing", 268, 155, 124, 70}}) {
    SCOPED_TRACE(c.machine);
    const Shared three =
        shared(c.machine, GetParam(), {{"extension", -10}, {"stick", -10}, {"boom", 10}});
    const double given = three.boom + three.stick + three.telescope;
    EXPECT_NEAR(given, c.pump, 0.1 * c.pump);
    const double share = given / (c.boom + c.stick + c.telescope);
    EXPECT_NEAR(three.boom, share * c.boom, 0.03 * c.pump);
    EXPECT_NEAR(three.stick, share * c.stick, 0.03 * c.pump);
    EXPECT_NEAR(three.telescope, share * c.telescope, 0.03 * c.pump);
    EXPECT_SIZED(three.pump, c.pump);
    const Shared four = shared(c.machine, GetParam(),
                               {{"extension", -10}, {"stick", -10}, {"boom", 10}, {"swing", 5}});
    EXPECT_GT(four.boom, 0.5 * c.boom);  // no boom stands still
  }
}

// --- One to four functions by hand: no number of this part comes from the program -----------------------------

struct Function {
  const char* joint;
  double volts;
  double rated;  // flow over its full edge at 10 bar [l/min]
};

struct Crane {
  const char* machine;  // with pre-compensated valves
  const char* sharing;  // with a flow-sharing block
  double litres;        // of the pump in a turn of its shaft
  double ratio;         // turns of it for one of the engine
  double rpm, droop, most_Nm;
  double margin;                   // with pre-compensated valves [bar]
  double boom;                     // pressure that lifts the boom [bar]
  std::vector<Function> function;  // telescope out, stick in, boom up, rotator
  std::vector<std::size_t> light;  // the same by their loads, the lightest first
};

const Crane kCranes[] = {
    // 59 kN m / 0.378 m, 6 kN of friction and 7 bar in the return x 104 cm2 on 154 cm2
    {"forwarder",
     "forwarder_sharing",
     0.160,
     1.0,
     1500,
     0.06,
     1000,
     22,
     111,
     {{"extension", 10, 88}, {"stick", 10, 140}, {"boom", 10, 120}, {"rotator", 8, 12}},
     {0, 1, 3, 2}},
    // 142 kN m / 0.522 m, 11 kN of friction and 11 bar in the return x 124 cm2 on 190 cm2
    {"harvester_wheeled",
     "harvester_sharing",
     0.145,
     1.185,
     1600,
     0.04,
     1237,
     25,
     156,
     {{"extension", 10, 120}, {"stick", 10, 150}, {"boom", 10, 155}, {"rotator", 8, 15}},
     {0, 1, 3, 2}}};

// The flow of the pump [l/min] at a pressure: torque slows the engine, 0.02 l/min a bar leak, its drag is 15 N m.
double most_of(const Crane& c, double bar) {
  const double torque = c.ratio * (100.0 * bar * c.litres / (2.0 * M_PI) + 15.0);
  return c.litres * c.ratio * c.rpm * (1.0 - c.droop * torque / c.most_Nm) - 0.02 * bar;
}

// Drop over an edge that passes a share of its rated flow [bar].
double drop(double share) { return 10.0 * share * share; }

struct ByHand {
  std::vector<double> flow;  // [l/min]
  double margin;             // [bar]
  bool starved;              // nothing is left of the margin
};

// The lightest take their own, the next one what is left of the pump.
ByHand pre_compensated(const Crane& c, std::size_t count) {
  ByHand out{std::vector<double>(count, 0.0), c.margin, false};
  double left = most_of(c, count > 2 ? c.boom : c.margin);  // the others need next to none
  for (const std::size_t i : c.light)
    if (i < count) {
      out.flow[i] = std::fmin(left, c.function[i].rated);
      left -= out.flow[i];
      out.starved |= out.flow[i] < c.function[i].rated;
    }
  return out;
}

// All edges have the same drop: the margin of 10 bar, or what makes them take just what the pump gives.
ByHand flow_sharing(const Crane& c, std::size_t count) {
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) sum += c.function[i].rated;
  const double share = std::fmin(1.0, most_of(c, c.boom) / sum);
  ByHand out{{}, drop(share), false};
  for (std::size_t i = 0; i < count; ++i) out.flow.push_back(share * c.function[i].rated);
  return out;
}

// Full levers from the arm drawn in and the stick out, until the first surge is over.
Drive long_way(const char* machine, machine::Fidelity fidelity, const Crane& c, std::size_t count) {
  const double start = 0.2 * middle_of_telescope(model({machine, fidelity}));
  std::vector<Lever> levers;
  for (std::size_t i = 0; i < count; ++i)
    levers.push_back({c.function[i].joint, c.function[i].volts});
  return drive(
      {machine,
       fidelity,
       0.0,
       {},
       {set("initial.stick.position_rad", -0.6), set("initial.extension.position_m", start)}},
      levers, 2.6, 0.1);
}

class OneToFour : public testing::TestWithParam<machine::Fidelity> {
 protected:
  void expect_by_hand(const char* machine, const Crane& c, const ByHand& hand, double more) {
    const std::size_t count = hand.flow.size();
    SCOPED_TRACE(std::string(machine) + ", " + std::to_string(count) + " functions");
    const Drive run = long_way(machine, GetParam(), c, count);
    const auto mean = [](const Series& series) { return series.mean(1.8, 2.5); };
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_NEAR(6e4 * mean(run.flow.at(c.function[i].joint)), hand.flow[i],
                  std::fmax(0.03 * hand.flow[i], more))
          << c.function[i].joint;
    const double margin = 1e-5 * (mean(run.pump) - mean(run.load_signal));
    if (hand.starved)
      EXPECT_LT(margin, 0.03 * c.margin);
    else
      EXPECT_SIZED(margin, hand.margin);
  }
};

TEST_P(OneToFour, PreCompensated) {
  const Crane& forwarder = kCranes[0];
  const Crane& harvester = kCranes[1];
  for (std::size_t count = 1; count <= 4; ++count)
    expect_by_hand(forwarder.machine, forwarder, pre_compensated(forwarder, count), 0.03 * 235);
  // Loads that pull empty their ports; their compensators keep 10 bar over the edges all the same.
  for (std::size_t count = 1; count <= 4; ++count)
    expect_by_hand(harvester.machine, harvester, pre_compensated(harvester, count), 0.03 * 268);
}

// All slow down alike, loads that pull as well as those that resist: no function starves.
TEST_P(OneToFour, FlowSharing) {
  for (const Crane& c : kCranes)
    for (std::size_t count = 1; count <= 4; ++count)
      expect_by_hand(c.sharing, c, flow_sharing(c, count), 0.5);
}

INSTANTIATE_TEST_SUITE_P(Models, OneToFour,
                         testing::Values(machine::Fidelity::kReduced, machine::Fidelity::kFull),
                         [](const auto& info) { return machine::word_of(info.param); });

INSTANTIATE_TEST_SUITE_P(Models, PumpShare,
                         testing::Values(machine::Fidelity::kReduced, machine::Fidelity::kFull),
                         [](const auto& info) { return machine::word_of(info.param); });

}  // namespace
}  // namespace knuckleboom::felt
