// The tick thread of a running emulation: commands at their ticks, watchdogs, what goes out at the end.
#include "app/emulation/live_thread.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/emulation/load_emulation.hpp"
#include "support/paths.hpp"
#include "support/same_bytes.hpp"

namespace knuckleboom::app {
namespace {

using emulation::HilBench;
using emulation::HilCommandKind;
using emulation::HilMode;
using emulation::HilReason;

emulation::EmulationPlan plan() {
  EmulateOptions options;
  options.scenario = KNUCKLEBOOM_SOURCE_DIR "/config/emulations/peg_on_plane.toml";
  return load_emulation(options).plan;
}

TimedCommand at(std::int64_t tick, HilCommandKind kind, int index = 0, double value = 0.0) {
  return {tick, {LiveCommand::Kind::kBench, 0, {kind, index, value}}};
}
TimedCommand quit(std::int64_t tick) { return {tick, {LiveCommand::Kind::kQuit, 0, {}}}; }

// Time passes only by waiting, and once by a jump.
class JumpingClock : public runtime::Clock {
 public:
  explicit JumpingClock(std::int64_t jump_at = -1, std::int64_t jump = 0)
      : jump_at_(jump_at), jump_(jump) {}
  std::int64_t now_ns() override { return now_; }
  void sleep_until_ns(std::int64_t time) override {
    now_ = time;
    if (jump_at_ >= 0 && now_ >= jump_at_) {
      now_ += jump_;
      jump_at_ = -1;
    }
  }

 private:
  std::atomic<std::int64_t> now_{1};
  std::int64_t jump_at_, jump_;
};

std::vector<LiveNotice> notices_of(LiveThread& live, LiveNotice::Kind kind) {
  std::vector<LiveNotice> out;
  LiveNotice notice;
  while (live.take(notice))
    if (notice.kind == kind) out.push_back(notice);
  return out;
}

LiveSettings without_priority() {
  LiveSettings out;
  out.ask_for_priority = false;
  return out;
}

// The thread ends by itself at the quit of the schedule.
void run_to_end(LiveThread& live) {
  live.start();
  while (!live.over()) std::this_thread::yield();
  live.stop();
}

TEST(LiveThread, DoesTimedCommandsAtTheirTicks) {
  const HilBench bench(plan());
  LiveThread live(bench, nullptr, nullptr, nullptr,
                  {at(10, HilCommandKind::kRun), at(25, HilCommandKind::kHold),
                   at(25, HilCommandKind::kStop), at(30, HilCommandKind::kRun), quit(40)},
                  without_priority());
  while (live.tick()) {
  }
  EXPECT_EQ(live.state().tick, 40);
  LiveNotice notice;
  std::vector<std::pair<std::int64_t, HilMode>> modes;
  std::vector<std::string> refused;
  while (live.take(notice)) {
    if (notice.kind == LiveNotice::Kind::kMode) modes.emplace_back(notice.tick, notice.mode);
    if (notice.kind == LiveNotice::Kind::kRefused) refused.emplace_back(notice.sentence);
  }
  const std::vector<std::pair<std::int64_t, HilMode>> wanted = {
      {10, HilMode::kRunning}, {25, HilMode::kHolding}, {25, HilMode::kStopped}};
  EXPECT_EQ(modes, wanted);
  EXPECT_EQ(refused, std::vector<std::string>{"it is stopped; reset it first"});
}

// With a thread, and without: the same bits.
TEST(LiveThread, PacedAndUnpacedAreTheSame) {
  const HilBench bench(plan());
  const std::vector<TimedCommand> schedule = {at(3, HilCommandKind::kRun),
                                              at(300, HilCommandKind::kHold), quit(500)};
  LiveThread fast(bench, nullptr, nullptr, nullptr, schedule, without_priority());
  while (fast.tick()) {
  }
  JumpingClock clock;
  LiveThread paced(bench, nullptr, nullptr, nullptr, schedule, without_priority(), clock);
  run_to_end(paced);
  EXPECT_EQ(paced.state().tick, 500);
  EXPECT_TRUE(test::same_bytes(fast.state(), paced.state()));
}

TEST(LiveThread, StopsWhenATickStartsTooLate) {
  emulation::EmulationPlan late = plan();
  late.safety.late_tick_s = 0.02;
  const HilBench bench(late);
  for (const std::int64_t jump : {15'000'000, 25'000'000}) {  // ns
    JumpingClock clock(50'000'000, jump);
    LiveThread live(bench, nullptr, nullptr, nullptr, {at(0, HilCommandKind::kRun), quit(200)},
                    without_priority(), clock);
    run_to_end(live);
    const std::vector<LiveNotice> modes = notices_of(live, LiveNotice::Kind::kMode);
    if (jump < 20'000'000) {
      EXPECT_EQ(live.state().mode, HilMode::kRunning);
      continue;
    }
    ASSERT_EQ(modes.size(), 2U);
    EXPECT_EQ(modes[1].reason, HilReason::kLateTick);
    EXPECT_NEAR(modes[1].value, 0.025, 1e-6);
    EXPECT_EQ(live.state().stops, 1);
  }
}

TEST(LiveThread, StopsWhenTheConsoleIsSilent) {
  const HilBench bench(plan());
  JumpingClock clock;
  LiveThread live(bench, nullptr, nullptr, nullptr, {at(0, HilCommandKind::kRun), quit(2100)},
                  without_priority(), clock);
  run_to_end(live);  // without a beat but the first
  const std::vector<LiveNotice> modes = notices_of(live, LiveNotice::Kind::kMode);
  ASSERT_EQ(modes.size(), 2U);
  EXPECT_EQ(modes[1].reason, HilReason::kConsoleSilent);
  EXPECT_NEAR(static_cast<double>(modes[1].tick), 2001.0, 2.0);
}

TEST(LiveThread, CopiesTheStateOfTheInstant) {
  const HilBench bench(plan());
  const LiveCommand copy{LiveCommand::Kind::kCopy, 7, {}};
  LiveThread live(bench, nullptr, nullptr, nullptr,
                  {at(0, HilCommandKind::kRun), {20, copy}, quit(50)}, without_priority());
  while (live.tick()) {
  }
  const LiveCopy* const taken = live.copy();
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->id, 7);
  EXPECT_EQ(taken->state.tick, 20);
  live.drop_copy();
  EXPECT_EQ(live.copy(), nullptr);
}

io::SignalFile echo_file(const std::string& udp) {
  return io::read_signals_text("udp = \"" + udp + R"("
[[signal]]
name = "operator.x"
direction = "in"
least = -0.1
most = 0.1
[[signal]]
name = "host.base.valve"
direction = "out"
least = -2
most = 10
[[signal]]
name = "tip.z"
direction = "out"
safe_state = "hold"
)",
                               "echo");
}

// However it ends, the last values sent are the safe ones; nothing is sent beyond its range.
TEST(LiveThread, SaysTheSafeValuesLast) {
  const io::SignalFile signals = echo_file("udp:127.0.0.1:47731");
  const HilBench bench(plan(), incoming_rules(signals));
  endpoint::UdpSettings other = endpoint::udp_settings("udp:127.0.0.1:47732@127.0.0.1:47731");
  other.receives = 2;
  endpoint::UdpEndpoint hardware(other);
  exchange::SignalFrame heard{};
  double least = 0.0, most = 0.0;
  {
    LiveEndpoints endpoints(signals, bench, nullptr, true, {});
    LiveThread live(bench, &endpoints, nullptr, nullptr, {at(0, HilCommandKind::kRun)},
                    without_priority());
    for (int k = 0; k < 300; ++k) {
      hardware.send(std::vector<double>{0.05}, k * 1'000'000);
      ASSERT_TRUE(live.tick());
      hardware.receive(k * 1'000'000, heard);
      least = std::min(least, heard.value[0]);
      most = std::max(most, heard.value[0]);
    }
    EXPECT_EQ(live.state().exchange.signal[0].stale, 0);
  }
  EXPECT_GE(least, -2.0);
  EXPECT_NE(heard.value[0], 0.0);
  const double z = heard.value[1];
  hardware.receive(300'000'000, heard);
  EXPECT_EQ(heard.value[0], 0.0);
  EXPECT_EQ(heard.value[1], z);
  EXPECT_GE(hardware.counters().session.arrivals.received, 302);  // without the first, challenged
}

// The last speed of a diverged target must not be sent to a platform until somebody notices.
TEST(LiveThread, SaysSafeValuesOnceTheStateHasLeftTheRealNumbers) {
  const io::SignalFile signals = io::read_signals_text(R"(udp = "udp:127.0.0.1:47733"
[[signal]]
name = "target.vx"
direction = "out"
least = -5
most = 5
[[signal]]
name = "mode"
direction = "out"
least = 0
most = 3
safe_value = 3
)",
                                                       "platform");
  emulation::EmulationPlan wild = plan();
  wild.tick_s = 4e-3;
  wild.emulated_every = 16;
  wild.integrator = emulation::Integrator::kExplicitEuler;
  wild.safety.most_force = wild.safety.most_tip_error = 1e12;
  wild.safety.energy_budget = wild.safety.swing = 1e12;
  // A start with so late a loop is refused on hard walls: they become hard afterwards.
  const double hard = wild.site.law.stiffness;
  wild.site.law.stiffness = 1.0;
  const HilBench bench(wild, incoming_rules(signals));
  const auto is_stiffness = [](const emulation::Tunable& one) {
    return one.name == "site.stiffness_N_per_m";
  };
  const auto stiffness = static_cast<int>(
      std::find_if(bench.tunables().begin(), bench.tunables().end(), is_stiffness) -
      bench.tunables().begin());
  endpoint::UdpSettings other = endpoint::udp_settings("udp:127.0.0.1:47734@127.0.0.1:47733");
  other.receives = 2;
  endpoint::UdpEndpoint platform(other);
  LiveEndpoints endpoints(signals, bench, nullptr, true, {});
  LiveThread live(
      bench, &endpoints, nullptr, nullptr,
      {at(0, HilCommandKind::kRun), at(1, HilCommandKind::kTune, stiffness, hard), quit(2000)},
      without_priority());
  exchange::SignalFrame heard{};
  double fastest = 0.0, after = 0.0;
  for (std::int64_t k = 0; live.tick(); ++k) {
    platform.receive(k * 4'000'000, heard);
    (live.state().reason == HilReason::kNotFinite ? after : fastest) = std::max(
        live.state().reason == HilReason::kNotFinite ? after : fastest, std::fabs(heard.value[0]));
  }
  ASSERT_EQ(live.state().reason, HilReason::kNotFinite);
  EXPECT_EQ(fastest, 5.0);  // it did run away
  EXPECT_EQ(after, 0.0);
  EXPECT_EQ(heard.value[1], 3.0);
}

TEST(LiveThread, KnowsOnlyTheEmulationsSignals) {
  const HilBench bench(plan());
  const auto fault = [&bench](const std::string& name, const char* direction) {
    const io::SignalFile signals = io::read_signals_text(
        "[[signal]]\ndirection = \"" + std::string(direction) + "\"\nname = \"" + name + "\"\n",
        "f");
    try {
      check_signals(signals, "f.toml", bench.signals());
    } catch (const io::FileError& error) {
      return std::string(error.what());
    }
    return std::string("good");
  };
  EXPECT_EQ(fault("operator.x", "in"), "good");
  EXPECT_EQ(fault("operator.x", "out"), "good");
  EXPECT_EQ(fault("operater.x", "in"),
            "f.toml:3: the emulation has no signal 'operater.x'; did you mean 'operator.x'?");
  EXPECT_NE(fault("tip.x", "in").find("f.toml:3: signal 'tip.x' is only observed"),
            std::string::npos);
}

}  // namespace
}  // namespace knuckleboom::app
