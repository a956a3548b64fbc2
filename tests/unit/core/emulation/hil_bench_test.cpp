// A running emulation: modes, what silence does, tuning, and that nothing but the recorded input matters.
#include "knuckleboom/core/emulation/hil_bench.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/core/emulation/hil_texts.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "support/hil_run.hpp"
#include "support/paths.hpp"
#include "support/same_bytes.hpp"

namespace knuckleboom::emulation {
namespace {

using exchange::ExchangeInput;
using exchange::SignalRule;
using exchange::Source;

constexpr int kStale = 50;  // ticks

// From the network, in a range that nothing here goes beyond.
SignalRule network(const std::string& name) {
  SignalRule rule;
  rule.name = name;
  rule.least = -1e9;
  rule.most = 1e9;
  rule.source = Source::kNetwork;
  if (name.starts_with("operator.")) {  // the speed that the start is judged by
    rule.least = -0.05;
    rule.most = 0.05;
  }
  return rule;
}

bool done(const char* answer) { return std::string(answer).empty(); }
HilCommand command(HilCommandKind kind, int index = 0, double value = 0.0) {
  return {kind, index, value};
}

// A peer that echoes what the loop's signals were in the last tick.
class Bench {
 public:
  Bench(EmulationPlan plan, std::vector<SignalRule> rules)
      : bench(std::move(plan), std::move(rules)), state(bench.initial_state()) {}

  bool apply(HilCommandKind kind, int index = 0, double value = 0.0) {
    return done(bench.apply(command(kind, index, value), state));
  }
  void step(int ticks = 1, bool echo = true) {
    for (int k = 0; k < ticks; ++k) {
      input.network.fresh = 0;
      for (int i = 0; echo && i < bench.exchange().signals(); ++i) {
        input.network.value[i] = truth(i);
        input.network.fresh |= std::uint64_t{1} << i;
      }
      bench.step(state, input);
    }
  }
  // Value that hardware equal to the simulated part would send.
  double truth(int incoming) const {
    const HilSignal& s = bench.signals()[static_cast<std::size_t>(bench.signal_of(incoming))];
    const machine::MachineState& host = state.emulation.host.machine;
    if (s.name.starts_with("emulated.")) return state.emulation.emulated.machine.q[s.joint] + sent;
    if (s.name.ends_with("position")) return host.q[s.joint];
    if (s.name.ends_with("speed")) return host.v[s.joint];
    if (s.name.find("pressure") != std::string::npos) return host.actuator[s.joint].p[s.part];
    return sent;
  }
  double tip(int axis) const { return bench.emulation().in_site(state.emulation.tip).p[axis]; }

  HilBench bench;
  HilState state;
  ExchangeInput input{};
  double sent = 0.0;
};

std::vector<SignalRule> all_host_sensors() {
  std::vector<SignalRule> rules;
  for (const char* joint : {"base", "shoulder", "elbow", "roll", "pitch", "turn"})
    for (const char* what : {"position", "speed", "pressure_a", "pressure_b"})
      rules.push_back(network(std::string("host.") + joint + "." + what));
  return rules;
}

TEST(HilBench, RunsAsTheEmulationDoes) {
  const EmulationPlan plan = test::shipped_emulation("peg_in_hole");
  const Emulation emulation(plan);
  EmulationState plain = emulation.initial_state();
  Bench bench(plan, {});
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  for (int k = 0; k < 3000; ++k) emulation.step(plain);
  bench.step(3000);
  EXPECT_TRUE(test::same_bytes(plain, bench.state.emulation));
}

TEST(HilBench, IsReadyHoldsAndGoesOn) {
  Bench bench(test::shipped_emulation("peg_on_plane"), {});
  EXPECT_FALSE(bench.apply(HilCommandKind::kHold));
  EXPECT_FALSE(bench.apply(HilCommandKind::kReset));
  const double start[2] = {bench.tip(0), bench.tip(2)};
  bench.step(1000);
  EXPECT_NEAR(bench.tip(0), start[0], 2e-5);
  EXPECT_NEAR(bench.tip(2), start[1], 2e-5);
  EXPECT_EQ(bench.state.emulation.phase_tick, 0);
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  EXPECT_FALSE(bench.apply(HilCommandKind::kRun));
  bench.step(2000);
  EXPECT_GT(bench.tip(0), start[0] + 0.02);
  ASSERT_TRUE(bench.apply(HilCommandKind::kHold));
  bench.step(500);
  const double held = bench.tip(0);
  bench.step(500);
  EXPECT_NEAR(bench.tip(0), held, 2e-5);
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  double last = bench.tip(0), fastest = 0.0;
  for (int k = 0; k < 1000; ++k) {
    bench.step();
    fastest = std::max(fastest, std::fabs(bench.tip(0) - last) / 1e-3);
    last = bench.tip(0);
  }
  EXPECT_GT(last, held + 0.005);
  EXPECT_LT(fastest, 0.02);  // 15 mm/s are asked for
}

TEST(HilBench, StopIsNeutralAndOnlyAResetLeadsOutOfIt) {
  Bench bench(test::shipped_emulation("peg_on_plane"), {});
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  bench.step(2000);
  const double at[2] = {bench.tip(0), bench.tip(2)};
  ASSERT_TRUE(bench.apply(HilCommandKind::kStop));
  bench.step(2000);
  for (const double volts : bench.state.emulation.commands.drive) EXPECT_EQ(volts, 0.0);
  // Its motors leak: without brakes it would sink by 30 mm/s.
  EXPECT_NEAR(bench.tip(0), at[0], 1e-3);
  EXPECT_NEAR(bench.tip(2), at[1], 3e-3);
  EXPECT_FALSE(bench.apply(HilCommandKind::kRun));
  EXPECT_FALSE(bench.apply(HilCommandKind::kHold));
  EXPECT_FALSE(bench.apply(HilCommandKind::kStop));
  EXPECT_EQ(sentence(bench.bench, bench.state), "stopped: as asked");
  ASSERT_TRUE(bench.apply(HilCommandKind::kReset));
  EXPECT_EQ(bench.state.mode, HilMode::kHolding);
  double worst = 0.0;
  for (int k = 0; k < 500; ++k) {
    bench.step();
    worst = std::max(worst, tip_error(bench.state.emulation));
  }
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  for (int k = 0; k < 1000; ++k) {
    bench.step();
    worst = std::max(worst, tip_error(bench.state.emulation));
  }
  EXPECT_LT(worst, 1e-3);  // the pressures have bled away meanwhile
}

TEST(HilBench, BrakesAHostWithoutHydraulics) {
  EmulationPlan plan = test::shipped_emulation("peg_on_plane");
  plan.host.model.actuators.clear();
  plan.host.model.controllers.clear();
  Bench bench(plan, {});
  ASSERT_GE(bench.bench.find_signal("host.base.torque"), 0);
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  bench.step(1500);
  const double moving = bench.state.emulation.tip.twist[0];
  ASSERT_TRUE(bench.apply(HilCommandKind::kStop));
  bench.step(500);
  double left = 0.0;
  for (int i = 0; i < 3; ++i) left += std::fabs(bench.state.emulation.tip.twist[i]);
  EXPECT_GT(std::fabs(moving), 0.005);
  EXPECT_LT(left, 1e-5);  // ten times the brake's time
}

TEST(HilBench, GuardsItself) {
  EmulationPlan plan = test::shipped_emulation("peg_on_plane");
  plan.start_S.z() = -1e-3;
  plan.phases.assign(1, {"press", 10.0, Vec3(0.0, 0.0, 8e-3)});
  plan.safety.most_force = 70.0;
  Bench bench(plan, {});
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  bench.step(4000);
  EXPECT_EQ(bench.state.mode, HilMode::kStopped);
  EXPECT_EQ(bench.state.reason, HilReason::kForce);
  EXPECT_GT(bench.state.reason_value, 70.0);
  EXPECT_LT(bench.state.reason_value, 70.0 + 8e-3 * 1e6 * 1e-3);  // what a tick adds at most
  EXPECT_NE(sentence(bench.bench, bench.state).find("beyond the limit of 70 N"), std::string::npos);

  plan.safety = {};
  plan.safety.most_tip_error = 1e-3;
  Bench pushed(plan, {});
  ASSERT_TRUE(pushed.apply(HilCommandKind::kRun));
  EmulationInput push{};
  push.push[0] = 5000.0;
  for (int k = 0; k < 500; ++k) pushed.bench.step(pushed.state, {}, push);
  EXPECT_EQ(pushed.state.reason, HilReason::kTipError);
}

// Without any limit given: nobody means a host that is a hand away.
TEST(HilBench, HasALimitOfItsOwn) {
  EmulationPlan plan = test::shipped_emulation("peg_on_plane");
  plan.safety = {};
  Bench bench(plan, {});
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  EmulationInput push{};
  push.push[0] = 40e3;
  for (int k = 0; k < 2000 && bench.state.mode == HilMode::kRunning; ++k)
    bench.bench.step(bench.state, {}, push);
  EXPECT_EQ(bench.state.reason, HilReason::kTipError);
  EXPECT_GT(bench.state.reason_value, 0.05);
  EXPECT_LT(bench.state.reason_value, 0.06);
}

TEST(HilBench, StopsWhatIsNoNumberAnyMore) {
  Bench bench(test::shipped_emulation("peg_on_plane"), {});
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  EmulationInput push{};
  push.push[0] = std::numeric_limits<double>::quiet_NaN();
  bench.bench.step(bench.state, {}, push);
  EXPECT_EQ(bench.state.reason, HilReason::kNotFinite);
  bench.step(10);
  EXPECT_EQ(bench.state.tick, 11);
  EXPECT_FALSE(bench.apply(HilCommandKind::kReset));
}

TEST(HilBench, WatchdogStops) {
  Bench bench(test::shipped_emulation("peg_on_plane"), {});
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  bench.step(10);
  EXPECT_FALSE(bench.apply(HilCommandKind::kWatchdog, static_cast<int>(HilReason::kForce)));
  ASSERT_TRUE(bench.apply(HilCommandKind::kWatchdog, static_cast<int>(HilReason::kLateTick), 0.25));
  EXPECT_EQ(sentence(bench.bench, bench.state), "stopped: a tick started 0.25 s late");
}

// A host whose joints are measured by hardware: blind before it is heard, stopped when it falls silent.
TEST(HilBench, HostInHardwareIsFollowedAndSilenceStops) {
  Bench bench(test::shipped_emulation("peg_on_plane"), all_host_sensors());
  bench.step(100, false);
  EXPECT_EQ(bench.state.mode, HilMode::kReady);
  EXPECT_FALSE(bench.apply(HilCommandKind::kRun));
  for (const double volts : bench.state.emulation.commands.drive) EXPECT_EQ(volts, 0.0);
  bench.step(500);
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  double worst = 0.0;
  for (int k = 0; k < 3000; ++k) {
    bench.step();
    worst = std::max(worst, tip_error(bench.state.emulation));
  }
  EXPECT_EQ(bench.state.mode, HilMode::kRunning);
  EXPECT_LT(worst, 1e-3);
  bench.step(kStale - 1, false);
  EXPECT_EQ(bench.state.mode, HilMode::kRunning);
  bench.step(1, false);
  EXPECT_EQ(bench.state.mode, HilMode::kStopped);
  EXPECT_EQ(sentence(bench.bench, bench.state), "stopped: signal 'host.base.position' is silent");
  for (const double volts : bench.state.emulation.commands.drive) EXPECT_EQ(volts, 0.0);
  EXPECT_FALSE(bench.apply(HilCommandKind::kReset));
  bench.step(1000);
  EXPECT_TRUE(bench.apply(HilCommandKind::kReset));
  EXPECT_TRUE(bench.apply(HilCommandKind::kRun));
}

// Where the tip is and what is done on it say its sensors, and not the simulated host, which knows nothing of
// what happens outside.
TEST(HilBench, HostInHardwareIsGuardedByItsSensors) {
  EmulationPlan plan = test::shipped_emulation("peg_on_plane");
  plan.safety.most_tip_error = 0.02;
  Bench bench(plan, all_host_sensors());
  bench.step(400);
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  bench.step(10);
  ASSERT_EQ(bench.state.mode, HilMode::kRunning);
  const double before = bench.tip(0);
  // Its base is pushed by 0.05 rad, its pressures stay.
  const int base = bench.bench.exchange().find("host.base.position");
  for (int k = 0; k < 5; ++k) {
    bench.input.network.fresh = 0;
    for (int i = 0; i < bench.bench.exchange().signals(); ++i) {
      bench.input.network.value[i] = bench.truth(i) + (i == base ? 0.05 : 0.0);
      bench.input.network.fresh |= std::uint64_t{1} << i;
    }
    bench.bench.step(bench.state, bench.input);
  }
  EXPECT_GT(std::fabs(bench.tip(0) - before) + std::fabs(bench.tip(1)), 0.02);
  EXPECT_EQ(bench.state.mode, HilMode::kStopped);
  EXPECT_EQ(bench.state.reason, HilReason::kTipError);
}

TEST(HilBench, SilentForceSensorHoldsThenStops) {
  Bench bench(test::shipped_emulation("peg_on_plane"), {network("sensor.force_z")});
  bench.step(300);
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  bench.step(500);
  bench.step(kStale, false);
  EXPECT_EQ(bench.state.mode, HilMode::kHolding);
  const std::int64_t since = bench.state.reason_tick;
  while (bench.state.mode == HilMode::kHolding && bench.state.tick < since + 2000)
    bench.step(1, false);
  EXPECT_EQ(bench.state.mode, HilMode::kStopped);
  EXPECT_EQ(bench.state.reason_tick - since, 500);
}

TEST(HilBench, StopButtonOutsideStopsPressedOrCut) {
  Bench bench(test::shipped_emulation("peg_on_plane"), {network("stop")});
  EXPECT_FALSE(bench.apply(HilCommandKind::kRun));
  bench.step(300);
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  bench.step(100);
  bench.sent = 1.0;
  bench.step();
  EXPECT_EQ(bench.state.reason, HilReason::kStopSignal);
  EXPECT_FALSE(bench.apply(HilCommandKind::kReset));
  bench.sent = 0.0;
  bench.step();
  ASSERT_TRUE(bench.apply(HilCommandKind::kReset));
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  bench.step(100);
  bench.step(kStale, false);
  EXPECT_EQ(sentence(bench.bench, bench.state), "stopped: signal 'stop' is silent");
}

TEST(HilBench, SilentOperatorIsNeutral) {
  Bench bench(test::shipped_emulation("peg_on_plane"), {network("operator.x")});
  bench.sent = 0.02;
  bench.step(300);
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  bench.step(2000);
  EXPECT_NEAR(bench.bench.emulation().in_site(bench.state.emulation.tip).v.x(), 0.02, 1e-3);
  bench.step(2000, false);
  EXPECT_EQ(bench.state.mode, HilMode::kRunning);
  EXPECT_EQ(bench.state.emulation.sensed.operator_twist[0], 0.0);
  EXPECT_NEAR(bench.bench.emulation().in_site(bench.state.emulation.tip).v.x(), 0.0, 1e-3);
}

TEST(HilBench, WhoSteersFromOutsideSteersAlone) {
  Bench bench(test::shipped_emulation("peg_on_plane"), {network("operator.x")});
  bench.sent = 0.01;
  bench.step(300);
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  const double before = bench.tip(1);
  bench.step(6000);  // the file's first phase, of 4 s, moves in x and y
  EXPECT_EQ(bench.state.emulation.phase, 0);
  EXPECT_EQ(bench.state.emulation.phase_tick, 0);
  EXPECT_NEAR(bench.tip(1), before, 1e-4);
  ASSERT_TRUE(bench.apply(HilCommandKind::kSource, 0, 0.0));
  bench.step(2000);
  EXPECT_EQ(bench.state.emulation.phase_tick, 2000);
  EXPECT_GT(bench.tip(1), before + 0.01);
}

// The pressures bleed away behind neutral spools, and the brakes take the weight: nothing presses harder.
TEST(HilBench, StopInContactDoesNotPressHarder) {
  Bench bench(test::shipped_emulation("peg_on_plane"), {});
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  while (bench.state.emulation.phase < 2) bench.step();
  bench.step(4000);
  const double pressed = bench.state.emulation.sensed.wrench[2];
  EXPECT_NEAR(std::fabs(pressed), 100.0, 5.0);
  ASSERT_TRUE(bench.apply(HilCommandKind::kStop));
  bench.step(4000);
  EXPECT_LT(std::fabs(bench.state.emulation.sensed.wrench[2]), 160.0);
  ASSERT_TRUE(bench.apply(HilCommandKind::kReset));
  double most = 0.0;
  for (int k = 0; k < 2000; ++k) {
    bench.step();
    most = std::max(most, std::fabs(bench.state.emulation.sensed.wrench[2]));
  }
  EXPECT_LT(most, 200.0);
}

TEST(HilBench, SilentCommandIsSafeAndHolds) {
  Bench bench(test::shipped_emulation("peg_on_plane"), {network("host.turn.valve")});
  bench.sent = 0.0;
  bench.step(300);
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  bench.sent = 0.3;
  bench.step(400);
  EXPECT_NEAR(bench.state.emulation.commands.drive[5], 0.3, 1e-9);
  bench.step(kStale, false);
  EXPECT_EQ(bench.state.mode, HilMode::kHolding);
  EXPECT_EQ(bench.state.emulation.commands.drive[5], 0.0);
}

// The stick's controller believes a sensor that jumps by a hundredth: the joint falls back by that much.
TEST(HilBench, EmulatedControllersSeeWhatIsMeasured) {
  EmulationPlan plan = test::shipped_emulation("crane_on_plane");
  const std::string machines = std::string(KNUCKLEBOOM_SOURCE_DIR) + "/config/machines/";
  plan.emulated.model = io::read_machine(machines + "harvester/machine.toml").model;  // stronger
  plan.start_S.z() = -1.0;
  plan.phases.assign(1, {"reach", 10.0, Vec3(0.03, 0.0, 0.0)});
  Bench right(plan, {network("emulated.stick.measured_position")});
  Bench wrong(plan, {network("emulated.stick.measured_position")});
  for (Bench* bench : {&right, &wrong}) {
    bench->step(300);
    ASSERT_TRUE(bench->apply(HilCommandKind::kRun));
    bench->step(3000);
    if (bench == &wrong) bench->sent = 0.01;
    bench->step(3000);
  }
  const auto stick = [](const Bench& bench) { return bench.state.emulation.emulated.machine.q[2]; };
  EXPECT_NEAR(stick(wrong), stick(right) - 0.01, 3e-3);
  right.step(kStale, false);
  EXPECT_EQ(right.state.mode, HilMode::kHolding);
}

// A rig whose commands come from elsewhere: braked until it is told otherwise, and again when nobody tells.
TEST(HilBench, BrakeIsACommandLikeAnother) {
  std::vector<SignalRule> rules;
  for (const char* joint : {"base", "shoulder", "elbow", "roll", "pitch", "turn"})
    rules.push_back(network(std::string("host.") + joint + ".valve"));
  rules.push_back(network("host.brake"));
  rules.back().least = 0.0;
  rules.back().most = rules.back().safe_value = 1.0;
  rules.back().blend_s = 0.0;
  Bench rig(test::shipped_emulation("peg_on_plane"), rules);
  const double start = rig.tip(2);
  rig.step(2000, false);
  EXPECT_EQ(rig.state.emulation.braked, 1);
  EXPECT_NEAR(rig.tip(2), start, 1e-4);
  rig.step(500);  // valves at 0 V, and the brake open
  EXPECT_EQ(rig.state.emulation.braked, 0);
  EXPECT_GT(rig.tip(2), start + 5e-3);  // it sinks: its motors leak
  const double sunk = rig.tip(2);
  rig.step(1000, false);
  EXPECT_EQ(rig.state.emulation.braked, 1);
  EXPECT_NEAR(rig.tip(2), sunk, 5e-3);
}

TEST(HilBench, SourceChangesWithoutABump) {
  Bench bench(test::shipped_emulation("peg_on_plane"), all_host_sensors());
  bench.step(500);
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  bench.step(1000);
  Bench undisturbed(test::shipped_emulation("peg_on_plane"), all_host_sensors());
  undisturbed.state = bench.state;
  for (const double to : {0.0, 2.0}) {
    for (int i = 0; i < bench.bench.exchange().signals(); ++i)
      ASSERT_TRUE(bench.apply(HilCommandKind::kSource, i, to));
    double worst = 0.0, usual = 0.0;
    for (int k = 0; k < 1000; ++k) {
      bench.step();
      undisturbed.step();
      worst = std::max(worst, tip_error(bench.state.emulation));
      usual = std::max(usual, tip_error(undisturbed.state.emulation));
    }
    EXPECT_EQ(bench.state.mode, HilMode::kRunning);
    EXPECT_LT(worst, usual + 1e-4) << to;
  }
}

TEST(HilBench, IsTunedWhileItRuns) {
  Bench bench(test::shipped_emulation("crane_on_plane"), {});
  const int stiffness = bench.bench.find_tunable("site.stiffness_N_per_m");
  const int delay = bench.bench.find_tunable("sensor.delay_ticks");
  const int gain = bench.bench.find_tunable("emulated.boom.kp");
  ASSERT_GE(stiffness, 0);
  ASSERT_GE(delay, 0);
  ASSERT_GE(gain, 0);
  EXPECT_EQ(bench.bench.tuned(bench.state, stiffness),
            bench.bench.emulation().plan().site.law.stiffness);
  EXPECT_GT(bench.bench.tuned(bench.state, gain), 0.0);
  EXPECT_TRUE(bench.apply(HilCommandKind::kTune, stiffness, 1e5));
  EXPECT_TRUE(bench.apply(HilCommandKind::kTune, delay, 3.0));
  EXPECT_TRUE(bench.apply(HilCommandKind::kTune, gain, 1.5));
  EXPECT_EQ(bench.state.emulation.tuning.site_stiffness, 1e5);
  EXPECT_EQ(bench.state.emulation.emulated.gains[1].Kp, 1.5);
  EXPECT_NEAR(bench.bench.emulation().loop_delay_s(bench.state.emulation),
              bench.bench.emulation().loop_delay_s() + 3e-3, 1e-12);
  EXPECT_FALSE(bench.apply(HilCommandKind::kTune, stiffness, -1.0));
  EXPECT_FALSE(
      bench.apply(HilCommandKind::kTune, stiffness, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(bench.apply(HilCommandKind::kTune, delay, 2.5));
  EXPECT_FALSE(bench.apply(HilCommandKind::kTune, -1, 1.0));
  EXPECT_FALSE(bench.apply(HilCommandKind::kTune, 10000, 1.0));
  EXPECT_EQ(bench.state.emulation.tuning.site_stiffness, 1e5);
}

// Commands, frames with no numbers in them, silence: all of it again gives all of it again.
TEST(HilBench, SameInputSameBits) {
  std::vector<SignalRule> rules = all_host_sensors();
  rules.push_back(network("operator.z"));
  struct Tick {
    ExchangeInput input;
    std::vector<HilCommand> commands;
  };
  std::vector<Tick> tape;
  Bench live(test::shipped_emulation("peg_in_hole"), rules);
  const int bandwidth = live.bench.find_tunable("control.bandwidth_Hz");
  for (int k = 0; k < 4000; ++k) {
    Tick tick;
    if (k == 400) tick.commands.push_back(command(HilCommandKind::kRun));
    if (k == 900) tick.commands.push_back(command(HilCommandKind::kTune, bandwidth, 3.0));
    if (k == 1500) tick.commands.push_back(command(HilCommandKind::kSource, 24, 0.0));
    if (k == 2000) tick.commands.push_back(command(HilCommandKind::kStop));
    if (k == 2500) tick.commands.push_back(command(HilCommandKind::kReset));
    if (k == 2600) tick.commands.push_back(command(HilCommandKind::kRun));
    const bool heard = k % 7 != 0 && !(k > 3500 && k < 3530);
    for (int i = 0; heard && i < live.bench.exchange().signals(); ++i) {
      const double value = i == 24 ? 0.004 : live.truth(i);
      tick.input.network.value[i] = k % 11 == 0 ? std::nan("") : value;
      tick.input.network.fresh |= std::uint64_t{1} << i;
    }
    for (const HilCommand& c : tick.commands) live.bench.apply(c, live.state);
    live.bench.step(live.state, tick.input);
    tape.push_back(std::move(tick));
  }
  EXPECT_EQ(live.state.mode, HilMode::kRunning);
  const HilBench again(test::shipped_emulation("peg_in_hole"), rules);
  HilState state = again.initial_state();
  for (const Tick& tick : tape) {
    for (const HilCommand& c : tick.commands) again.apply(c, state);
    again.step(state, tick.input);
  }
  EXPECT_TRUE(test::same_bytes(state, live.state));
}

// --- Watchdogs of the loop --------------------------------------------------------------------------

EmulationPlan pressing_at(double speed) {
  EmulationPlan plan = test::shipped_emulation("peg_on_plane");
  plan.start_S.z() = -5e-4;
  plan.phases.assign(1, {"press", 20.0, Vec3(0.0, 0.0, speed)});
  return plan;
}

double contact_force(const HilState& state) { return vec(state.emulation.contact_W).norm(); }

// Somebody shakes the host by eight kilonewtons.
TEST(HilBench, FindsAnOscillationBeforeForceOrTipErrorDo) {
  EmulationPlan plan = pressing_at(4e-3);
  plan.safety.most_force = 1e5;
  plan.safety.energy_budget = 1e3;
  plan.start_S.z() = -0.1;
  Bench bench(plan, {});
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  bench.step(500);
  ASSERT_EQ(bench.state.mode, HilMode::kRunning);
  constexpr double kFrequency = 94.0;
  EmulationInput push{};
  std::int64_t begun = -1;
  for (int k = 0; k < 500 && bench.state.mode == HilMode::kRunning; ++k) {
    push.push[0] = 8e3 * std::sin(2.0 * M_PI * kFrequency * 1e-3 * k);
    bench.bench.step(bench.state, {}, push);
    if (begun < 0 && tip_error(bench.state.emulation) > 2e-4) begun = bench.state.tick;
  }
  EXPECT_EQ(bench.state.reason, HilReason::kOscillation);
  EXPECT_NEAR(bench.state.reason_value, kFrequency, 8.0);
  EXPECT_LE(bench.state.tick - begun, 100);  // the host beats at first; even swings: SwingWatch
  EXPECT_THAT(sentence(bench.bench, bench.state), testing::HasSubstr("about the emulated one at"));
}

// A sensor that pulls the emulated tip to and fro; the host is moved by it, and meets nothing.
TEST(HilBench, StopsWithinTenMillisecondsOfItsEnergyBudget) {
  EmulationPlan plan = pressing_at(8e-3);
  plan.safety.energy_budget = 0.01;
  Bench bench(plan, {network("sensor.force_z")});
  bench.step(300);
  ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
  double before = 0.0;
  std::int64_t beyond = -1;
  for (int k = 0; k < 20000 && bench.state.mode == HilMode::kRunning; ++k) {
    // A sensor that pulls the emulated tip on into the wall.
    bench.sent = bench.state.emulation.tip.p[2] != 0.0 ? 30.0 * std::sin(0.05 * k) : 0.0;
    bench.step();
    const EmulationEnergy& energy = bench.state.emulation.energy;
    before = std::min(before, energy.emulated - energy.host);
    if (beyond < 0 && energy.emulated - energy.host - before > 1.1 * plan.safety.energy_budget)
      beyond = bench.state.tick;
  }
  EXPECT_EQ(bench.state.reason, HilReason::kEnergy);
  EXPECT_LE(bench.state.tick - (beyond < 0 ? bench.state.tick : beyond), 10);
}

// A stop while it presses: within half a second nothing is pressed any more, softly, and the brakes close.
TEST(HilBench, StopLetsGoOfTheContact) {
  for (const double stiffness : {1e5, 1e6}) {
    EmulationPlan plan = pressing_at(16e-3);
    plan.site.law.stiffness = stiffness;
    plan.safety.most_force = 300.0;
    Bench bench(plan, {});
    ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
    for (int k = 0; k < 20000 && bench.state.mode == HilMode::kRunning; ++k) bench.step();
    ASSERT_EQ(bench.state.reason, HilReason::kForce);
    double most = 0.0, fastest = 0.0;
    for (int k = 0; k < 1000; ++k) {
      bench.step();
      most = std::max(most, contact_force(bench.state));
      fastest = std::max(fastest, vec(bench.state.emulation.tip.twist).norm());
    }
    EXPECT_LT(most, 1.1 * 300.0);
    EXPECT_LT(fastest, 0.1);
    EXPECT_EQ(contact_force(bench.state), 0.0);
    EXPECT_EQ(bench.state.emulation.braked, 1);
    for (const double volts : bench.state.emulation.commands.drive) EXPECT_EQ(volts, 0.0);
    ASSERT_TRUE(bench.apply(HilCommandKind::kReset));
    bench.step(500);
    EXPECT_LT(contact_force(bench.state), 20.0);
  }
}

TEST(HilBench, RefusesToRunWhereItWouldKnock) {
  EmulationPlan plan = pressing_at(4e-3);
  Bench bench(plan, {});
  const double loop_s = bench.bench.emulation().loop_delay_s();
  EXPECT_NEAR(bench.bench.knock(bench.state), 1e6 * 4e-3 * 2.0 * loop_s, 1e-9);
  plan.phases[0].velocity_S.z() = 1.01 * 0.5 * 600.0 / (1e6 * 2.0 * loop_s);
  Bench fast(plan, {});
  EXPECT_THAT(fast.bench.apply(command(HilCommandKind::kRun), fast.state),
              testing::HasSubstr("at most half of safety.most_force"));
  EXPECT_EQ(fast.state.mode, HilMode::kReady);
}

// --- Paths that are late ----------------------------------------------------------------------------

// Each is named, and the pressure loops become slower where it is theirs.
TEST(HilBench, CountsOnThePathsOfItsPlan) {
  const EmulationPlan plan = pressing_at(4e-3);
  const double usual_s = Emulation(plan).loop_delay_s();
  for (PathDelay PathDelays::*const path : {&PathDelays::joint_sensors, &PathDelays::force,
                                            &PathDelays::valves, &PathDelays::emulated}) {
    EmulationPlan late = plan;
    late.delays.*path = {2e-3, 0.0};
    const Emulation emulation(late);
    EXPECT_GE(emulation.loop_delay_s(), usual_s + 2e-3 - 1e-12);
    const bool of_host = path == &PathDelays::joint_sensors || path == &PathDelays::valves;
    const double Hz = emulation.torque_bandwidth_Hz(emulation.initial_state(), 0.0);
    EXPECT_NEAR(Hz, of_host ? 0.75 / (2.0 * M_PI * 2e-3) : 80.0, 1e-9);
  }
}

// It holds, or it is stopped and lets go: in no case more than one and a half times the limit.
TEST(HilBench, PressesThroughPathsThatAreLateOrStops) {
  for (PathDelay PathDelays::*const path : {&PathDelays::joint_sensors, &PathDelays::force,
                                            &PathDelays::valves, &PathDelays::emulated}) {
    EmulationPlan plan = pressing_at(4e-3);
    plan.delays.*path = {2e-3, 0.0};
    Bench bench(plan, {});
    ASSERT_TRUE(bench.apply(HilCommandKind::kRun));
    double most = 0.0;
    for (int k = 0; k < 4000; ++k) {
      bench.step();
      most = std::max(most, contact_force(bench.state));
    }
    EXPECT_LT(most, 1.5 * plan.safety.most_force);
    if (bench.state.mode == HilMode::kRunning)
      EXPECT_NEAR(contact_force(bench.state), 100.0, 10.0);
    else
      EXPECT_LT(contact_force(bench.state), 30.0) << sentence(bench.bench, bench.state);
  }
}

TEST(HilBench, EverySignalHasANameOfItsOwnAndANumber) {
  for (const char* name : {"peg_in_hole", "crane_on_plane"}) {
    Bench bench(test::shipped_emulation(name), {});
    bench.apply(HilCommandKind::kRun);
    bench.step(100);
    for (std::size_t i = 0; i < bench.bench.signals().size(); ++i) {
      EXPECT_EQ(bench.bench.find_signal(bench.bench.signals()[i].name), static_cast<int>(i));
      EXPECT_TRUE(std::isfinite(bench.bench.value(bench.state, static_cast<int>(i))))
          << bench.bench.signals()[i].name;
    }
    EXPECT_NEAR(bench.bench.value(bench.state, bench.bench.find_signal("time")), 0.1, 1e-12);
  }
}

TEST(HilBench, RefusesInOneSentence) {
  const auto complaint = [](const std::vector<SignalRule>& rules) -> std::string {
    try {
      const HilBench bench(test::shipped_emulation("peg_on_plane"), rules);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(complaint({network("operator.x"), network("operator.y")}), "");
  EXPECT_EQ(complaint({network("operator.q")}), "the emulation has no signal 'operator.q'");
  EXPECT_EQ(complaint({network("tip.x")}),
            "signal 'tip.x' is only observed; it cannot come from outside");
  EXPECT_EQ(complaint({network("operator.x"), network("operator.x")}),
            "signal 'operator.x' comes in twice");
}

}  // namespace
}  // namespace knuckleboom::emulation
