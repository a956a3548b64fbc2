#include "knuckleboom/runtime/simulation_thread.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/runtime/interpolation.hpp"

namespace knuckleboom::runtime {
namespace {

using namespace std::chrono_literals;
using command::OperatorInput;
using training::Command;
using training::CommandKind;
using training::InputEvent;
using training::InputEventKind;
using training::SessionSnapshot;

// Counts, and writes down in which order it was asked for what.
class FakeTicker : public Ticker {
 public:
  void apply(const Command& command) override {
    log.push_back({true, command.value, 0.0});
    if (command.kind == CommandKind::kRestart) restarts_ += 1;
  }
  void tick(const OperatorInput& input, SessionSnapshot& out) override {
    if (cost.count() > 0) std::this_thread::sleep_for(cost);
    log.push_back({false, 0, input.axis[0]});
    ++ticks_;
    observe(out);
    out.input = input;
  }
  void observe(SessionSnapshot& out) override {
    out.sim.tick = ticks_;
    out.sim.t_s = static_cast<double>(ticks_);
    out.held_log = static_cast<std::int32_t>(restarts_);
  }

  struct Entry {
    bool command;
    int value;
    double axis;
  };
  std::vector<Entry> log;            // to be read after stop()
  std::chrono::nanoseconds cost{0};  // to be set before start()

 private:
  std::int64_t ticks_ = 0;
  std::int64_t restarts_ = 0;
};

ThreadSettings plain(double rate_Hz = 1000.0) {
  ThreadSettings settings;
  settings.rate_Hz = rate_Hz;
  settings.ask_for_priority = false;  // tests run beside each other
  return settings;
}

OperatorInput lever(double x) {
  OperatorInput input{};
  input.axis[0] = x;
  return input;
}

// Generous: a loaded machine is slow, a hung thread is slower still.
bool eventually(SimulationThread& thread, const std::function<bool(const Published&)>& condition) {
  for (int i = 0; i < 20'000; ++i) {
    thread.refresh();
    if (condition(thread.published())) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

bool reaches(SimulationThread& thread, std::int64_t tick) {
  return eventually(thread, [&](const Published& p) { return p.newer.sim.tick >= tick; });
}

bool pauses(SimulationThread& thread) {
  return eventually(thread, [](const Published& p) { return p.paused; });
}

std::vector<int> commands(const FakeTicker& ticker) {
  std::vector<int> out;
  for (const FakeTicker::Entry& entry : ticker.log)
    if (entry.command) out.push_back(entry.value);
  return out;
}

std::int64_t ticks(const FakeTicker& ticker) {
  std::int64_t n = 0;
  for (const FakeTicker::Entry& entry : ticker.log) n += entry.command ? 0 : 1;
  return n;
}

TEST(SimulationThread, runsAtItsRateAndLosesNoTick) {
  FakeTicker ticker;
  SimulationThread thread(ticker, plain(1000.0));
  const std::int64_t begin = monotonic_clock().now_ns();
  thread.start();
  ASSERT_TRUE(reaches(thread, 300));
  thread.stop();
  const double took_s = static_cast<double>(monotonic_clock().now_ns() - begin) * 1e-9;
  thread.refresh();
  const ThreadHealth& health = thread.published().health;
  EXPECT_GE(took_s, 0.299);
  // A tick is done or, beyond the catch-up limit, its time is counted as lost; never both, never more.
  EXPECT_LE(static_cast<double>(ticks(ticker)) * 1e-3 + health.lost_s, took_s + 1e-3);
  EXPECT_EQ(health.ticks, ticks(ticker));
  EXPECT_LE(health.lateness.p50_us, health.lateness.p99_us);
  EXPECT_LE(health.lateness.p99_us, health.lateness.p99_9_us);
  EXPECT_LE(health.lateness.p99_9_us, health.lateness.max_us);
  EXPECT_GT(health.tick_mean_us, 0.0);
  EXPECT_GE(health.tick_max_us, health.tick_mean_us);
}

TEST(SimulationThread, publishesTheTwoNewestWithTheirTimes) {
  FakeTicker ticker;
  SimulationThread thread(ticker, plain(500.0));
  thread.start();
  ASSERT_TRUE(reaches(thread, 50));
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(3ms);
    if (!thread.refresh()) continue;
    const Published& p = thread.published();
    EXPECT_EQ(p.newer.sim.tick, p.older.sim.tick + 1);
    EXPECT_EQ(p.interval_ns, 2'000'000);
    // Deadlines are a period apart, or more where time was lost.
    EXPECT_GE(p.newer_due_ns - p.older_due_ns, 1'999'999);
  }
}

TEST(SimulationThread, publishesEveryFewTicksIfAsked) {
  FakeTicker ticker;
  ThreadSettings settings = plain();
  settings.ticks_per_publication = 4;
  SimulationThread thread(ticker, settings);
  thread.start();
  ASSERT_TRUE(reaches(thread, 40));
  const Published& p = thread.published();
  EXPECT_EQ(p.newer.sim.tick % 4, 0);
  EXPECT_EQ(p.newer.sim.tick, p.older.sim.tick + 4);
  EXPECT_EQ(p.interval_ns, 4'000'000);
}

TEST(SimulationThread, latchesTheNewestInputAndRecordsIt) {
  FakeTicker ticker;
  SimulationThread thread(ticker, plain());
  thread.set_input(lever(0.25));
  thread.start();
  ASSERT_TRUE(reaches(thread, 5));
  thread.set_input(lever(-0.5));
  ASSERT_TRUE(eventually(thread, [](const Published& p) { return p.newer.input.axis[0] == -0.5; }));
  const std::int64_t seen_at = thread.published().newer.sim.tick;
  thread.set_input(lever(7.0));  // no lever can do that
  ASSERT_TRUE(eventually(thread, [](const Published& p) { return p.newer.input.axis[0] == 1.0; }));
  thread.set_input(lever(std::nan("")));
  ASSERT_TRUE(eventually(thread, [](const Published& p) { return p.newer.input.axis[0] == 0.0; }));
  thread.stop();

  std::vector<InputEvent> events;
  thread.drain(events);
  ASSERT_EQ(events.size(), 5U);
  EXPECT_TRUE(thread.recording_valid());
  EXPECT_EQ(events[0].tick, 0);
  EXPECT_LE(events[1].tick, seen_at - 1);
  EXPECT_EQ(events[4].kind, InputEventKind::kEnd);
  EXPECT_EQ(events[4].tick, ticks(ticker));
  // The recording equals the input of each tick.
  training::InputPlayback playback(events);
  for (std::size_t k = 0; k < ticker.log.size(); ++k) {
    const OperatorInput& input =
        playback.advance(static_cast<std::int64_t>(k), [](const Command&) {});
    ASSERT_EQ(input.axis[0], ticker.log[k].axis) << k;
  }
}

TEST(SimulationThread, measuresFromLeverEventToTheTickThatUsesIt) {
  FakeTicker ticker;
  ThreadSettings settings = plain();
  settings.start_paused = true;
  SimulationThread thread(ticker, settings);
  thread.start();
  // Moved while paused: waits for the operator, not for the thread.
  thread.set_input(lever(0.1), monotonic_clock().now_ns());
  ASSERT_TRUE(pauses(thread));
  thread.resume();
  ASSERT_TRUE(reaches(thread, 5));
  ASSERT_TRUE(eventually(thread, [](const Published& p) { return p.health.inputs == 0; }));
  constexpr std::int64_t kBefore_ns = 3'000'000;
  thread.set_input(lever(0.2), monotonic_clock().now_ns() - kBefore_ns);
  ASSERT_TRUE(eventually(thread, [](const Published& p) { return p.health.inputs == 1; }));
  EXPECT_GE(thread.published().health.input_max_us, 3000.0);
  // The same event again is not a new one.
  const std::int64_t tick = thread.published().newer.sim.tick;
  ASSERT_TRUE(reaches(thread, tick + 20));
  EXPECT_EQ(thread.published().health.inputs, 1);
  EXPECT_EQ(thread.published().health.input_mean_us, thread.published().health.input_max_us);
}

TEST(SimulationThread, doesNothingWhilePausedAndCountsNoLostTime) {
  FakeTicker ticker;
  ThreadSettings settings = plain();
  settings.catch_up_ticks = 5'000;
  SimulationThread thread(ticker, settings);
  thread.start();
  ASSERT_TRUE(reaches(thread, 10));
  thread.pause();
  ASSERT_TRUE(pauses(thread));
  const std::int64_t at = thread.published().newer.sim.tick;
  std::this_thread::sleep_for(150ms);
  EXPECT_FALSE(thread.refresh());
  const std::int64_t resumed_ns = monotonic_clock().now_ns();
  thread.resume();
  ASSERT_TRUE(reaches(thread, at + 20));
  const Published& p = thread.published();
  // Caught up with the pause, it would be 150 ticks ahead.
  EXPECT_LE(static_cast<double>(p.newer.sim.tick - at),
            1.0 + static_cast<double>(monotonic_clock().now_ns() - resumed_ns) * 1e-6);
  EXPECT_EQ(p.health.lost_s, 0.0);
}

TEST(SimulationThread, stepsOneTickAtATimeInOrderWithCommands) {
  FakeTicker ticker;
  ThreadSettings settings = plain();
  settings.start_paused = true;
  SimulationThread thread(ticker, settings);
  thread.step_once();
  thread.post({CommandKind::kFidelity, 1});
  thread.step_once();
  thread.step_once();
  thread.post({CommandKind::kFidelity, 2});
  thread.start();
  ASSERT_TRUE(reaches(thread, 3));
  thread.stop();
  ASSERT_EQ(ticker.log.size(), 5U);
  const bool is_command[] = {false, true, false, false, true};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(ticker.log[i].command, is_command[i]) << i;
  std::vector<InputEvent> events;
  thread.drain(events);
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[1].tick, 1);
  EXPECT_EQ(events[2].tick, 3);
  EXPECT_EQ(events[3].tick, 3);
}

TEST(SimulationThread, showsARestartWhilePaused) {
  FakeTicker ticker;
  SimulationThread thread(ticker, plain());
  thread.start();
  ASSERT_TRUE(reaches(thread, 5));
  thread.pause();
  thread.post({CommandKind::kRestart, 0});
  ASSERT_TRUE(eventually(thread, [](const Published& p) { return p.newer.held_log == 1; }));
  EXPECT_TRUE(thread.published().jumped);
  EXPECT_EQ(interpolation_share(thread.published(), thread.published().newer_due_ns), 1.0);
  thread.resume();
  ASSERT_TRUE(reaches(thread, 100));
  EXPECT_FALSE(thread.published().jumped);
}

TEST(SimulationThread, marksTheTickAfterARestart) {
  FakeTicker ticker;
  ThreadSettings settings = plain();
  settings.start_paused = true;
  SimulationThread thread(ticker, settings);
  thread.start();
  thread.step_once();
  ASSERT_TRUE(reaches(thread, 1));
  EXPECT_FALSE(thread.published().jumped);
}

// Far more than the queue holds, while the thread hangs in a tick.
TEST(SimulationThread, dropsNoEvent) {
  FakeTicker ticker;
  ticker.cost = 20ms;
  SimulationThread thread(ticker, plain());
  thread.start();
  constexpr int kCommands = 5000;
  for (int i = 0; i < kCommands; ++i) thread.post({CommandKind::kControlMode, i});
  EXPECT_GT(thread.waiting(), 0U);
  thread.stop();
  const std::vector<int> got = commands(ticker);
  ASSERT_EQ(got.size(), static_cast<std::size_t>(kCommands));
  for (int i = 0; i < kCommands; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)], i);
  std::vector<InputEvent> events;
  thread.drain(events);
  EXPECT_EQ(events.back().kind, InputEventKind::kEnd);
  EXPECT_EQ(events.back().tick, ticks(ticker));
}

TEST(SimulationThread, deliversWhatWaitedWithoutMoreEvents) {
  FakeTicker ticker;
  SimulationThread thread(ticker, plain());
  constexpr int kCommands = 1000;
  for (int i = 0; i < kCommands; ++i) thread.post({CommandKind::kRestart, i});
  EXPECT_GT(thread.waiting(), 0U);
  thread.start();
  EXPECT_TRUE(eventually(thread, [](const Published& p) { return p.newer.held_log == kCommands; }));
  EXPECT_EQ(thread.waiting(), 0U);
}

TEST(SimulationThread, stopsFromEveryState) {
  const auto ends_well = [](const std::function<void(SimulationThread&)>& before,
                            const ThreadSettings& settings = plain()) {
    FakeTicker ticker;
    SimulationThread thread(ticker, settings);
    before(thread);
    thread.stop();
    thread.stop();
    EXPECT_FALSE(thread.running());
    thread.start();  // does not come back
    EXPECT_FALSE(thread.running());
    const std::size_t entries = ticker.log.size();
    thread.post({CommandKind::kRestart, 0});
    EXPECT_EQ(ticker.log.size(), entries);
  };
  ThreadSettings paused = plain();
  paused.start_paused = true;
  ends_well([](SimulationThread&) {});
  ends_well([](SimulationThread& thread) { thread.start(); });
  ends_well([](SimulationThread& thread) { thread.start(); }, paused);
  ends_well([](SimulationThread& thread) {
    thread.start();
    thread.pause();
  });
  ends_well([](SimulationThread& thread) {
    thread.start();
    thread.pause();
    EXPECT_TRUE(pauses(thread));
  });
  ends_well([](SimulationThread& thread) {
    thread.start();
    thread.pause();
    EXPECT_TRUE(pauses(thread));
    thread.resume();
  });
  ends_well([](SimulationThread& thread) { thread.pause(); });
  ends_well([](SimulationThread& thread) {
    for (int i = 0; i < 1000; ++i) thread.post({CommandKind::kControlMode, i});
  });
  FakeTicker slow;
  slow.cost = 100ms;
  {
    SimulationThread thread(slow, plain());
    thread.start();
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_LE(ticks(slow), 2);
}

TEST(SimulationThread, pausesAndResumesThousandsOfTimes) {
  FakeTicker ticker;
  SimulationThread thread(ticker, plain(2000.0));
  thread.start();
  for (int i = 0; i < 3000; ++i) {
    thread.pause();
    if (i % 3 == 0) thread.step_once();
    if (i % 7 == 0) thread.set_input(lever(0.01 * (i % 100)));
    thread.post({CommandKind::kControlMode, i});
    thread.resume();
    if (i % 64 == 0) std::this_thread::sleep_for(1ms);
  }
  ASSERT_TRUE(eventually(thread, [&](const Published& p) { return p.newer.sim.tick >= 1000; }));
  thread.stop();
  EXPECT_EQ(commands(ticker).size(), 3000U);
}

TEST(SimulationThread, countsWhatTheRecordingHadNoRoomFor) {
  FakeTicker ticker;
  SimulationThread thread(ticker, plain());
  thread.start();
  ASSERT_TRUE(reaches(thread, 1));
  constexpr int kCommands = 40'000;
  for (int i = 0; i < kCommands; ++i) thread.post({CommandKind::kControlMode, i});
  thread.stop();
  EXPECT_EQ(commands(ticker).size(), static_cast<std::size_t>(kCommands));
  EXPECT_FALSE(thread.recording_valid());
  std::vector<InputEvent> events;
  thread.drain(events);
  thread.refresh();
  EXPECT_EQ(static_cast<std::int64_t>(events.size()) + thread.published().health.recording_lost,
            kCommands + 2);  // the levers at the start, and the end
}

TEST(SimulationThread, playsBackAndPausesAtTheEnd) {
  const auto input = [](std::int64_t tick, double x) {
    return InputEvent{tick, InputEventKind::kInput, {}, lever(x)};
  };
  ThreadSettings settings = plain(2000.0);
  settings.playback = {input(0, 0.5),
                       {3, InputEventKind::kCommand, {CommandKind::kFidelity, 9}, {}},
                       input(3, -0.25),
                       {8, InputEventKind::kEnd, {}, {}}};
  FakeTicker ticker;
  SimulationThread thread(ticker, settings);
  thread.set_input(lever(1.0));  // not listened to
  thread.start();
  ASSERT_TRUE(eventually(thread, [](const Published& p) { return p.played_out; }));
  EXPECT_TRUE(thread.published().paused);
  EXPECT_FALSE(thread.published().playing);
  EXPECT_EQ(thread.published().newer.sim.tick, 8);
  // Then the levers have it.
  thread.step_once();
  ASSERT_TRUE(reaches(thread, 9));
  EXPECT_EQ(thread.published().newer.input.axis[0], 1.0);
  thread.stop();
  ASSERT_EQ(ticker.log.size(), 10U);
  EXPECT_EQ(ticker.log[2].axis, 0.5);
  EXPECT_TRUE(ticker.log[3].command);
  EXPECT_EQ(ticker.log[4].axis, -0.25);
  // Recorded again it is the same.
  std::vector<InputEvent> events;
  thread.drain(events);
  ASSERT_EQ(events.size(), 5U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(events[i].tick, settings.playback[i].tick);
    EXPECT_EQ(events[i].kind, settings.playback[i].kind);
    EXPECT_EQ(events[i].input.axis[0], settings.playback[i].input.axis[0]);
  }
}

// To the tick, after every restart, and recorded like any command.
TEST(SimulationThread, followsItsPlanInEveryAttempt) {
  ThreadSettings settings = plain(2000.0);
  settings.playback = {{6, InputEventKind::kCommand, {CommandKind::kRestart, 0}, {}},
                       {14, InputEventKind::kEnd, {}, {}}};
  settings.plan = training::AttemptPlan({{3, {CommandKind::kFault, 1}},
                                         {5, {CommandKind::kClearFault, 2}},
                                         {7, {CommandKind::kFault, 3}}});
  FakeTicker ticker;
  SimulationThread thread(ticker, settings);
  thread.start();
  ASSERT_TRUE(eventually(thread, [](const Published& p) { return p.played_out; }));
  thread.stop();
  std::vector<InputEvent> events;
  thread.drain(events);
  std::vector<std::pair<std::int64_t, int>> faults;
  for (const InputEvent& event : events)
    if (event.kind == InputEventKind::kCommand && event.command.kind != CommandKind::kRestart)
      faults.emplace_back(event.tick, event.command.value);
  EXPECT_EQ(faults,
            (std::vector<std::pair<std::int64_t, int>>{{3, 1}, {5, 2}, {9, 1}, {11, 2}, {13, 3}}));
}

TEST(SimulationThread, refusesImpossibleSettings) {
  FakeTicker ticker;
  for (const double rate : {0.0, -1.0, std::nan("")})
    EXPECT_THROW(SimulationThread(ticker, plain(rate)), std::invalid_argument);
  ThreadSettings settings = plain();
  settings.ticks_per_publication = 0;
  EXPECT_THROW(SimulationThread(ticker, settings), std::invalid_argument);
}

}  // namespace
}  // namespace knuckleboom::runtime
