// The simulation thread at its real rate: nothing the other side does reaches it.
#include "knuckleboom/runtime/simulation_thread.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "heap_counter.hpp"
#include "knuckleboom/runtime/lateness_probe.hpp"

namespace knuckleboom::runtime {
namespace {

using namespace std::chrono_literals;
using command::OperatorInput;
using training::Command;
using training::SessionSnapshot;

class CountingTicker : public Ticker {
 public:
  void apply(const Command&) override { ++commands; }
  void tick(const OperatorInput& input, SessionSnapshot& out) override {
    // The count begins with the first tick and ends in tick `until`, so that everything between the
    // ticks is in it.
    if (ticks_ == 0) heap_ = std::make_unique<test::HeapCounter>();
    if (ticks_ == until) {
      heap_calls = heap_->calls();
      heap_.reset();
    }
    ++ticks_;
    observe(out);
    out.input = input;
  }
  void observe(SessionSnapshot& out) override { out.sim.tick = ticks_; }

  std::int64_t until = -1;
  long heap_calls = -1;
  std::int64_t commands = 0;

 private:
  std::int64_t ticks_ = 0;
  std::unique_ptr<test::HeapCounter> heap_;
};

void wait_for_tick(SimulationThread& thread, std::int64_t tick) {
  for (thread.refresh(); thread.published().newer.sim.tick < tick; thread.refresh())
    std::this_thread::sleep_for(1ms);
}

TEST(SimulationThread, AsksNothingOfTheHeapWhileItRuns) {
  CountingTicker ticker;
  ticker.until = 1500;
  SimulationThread thread(ticker, {});
  thread.start();
  std::vector<training::InputEvent> recording;
  recording.reserve(10'000);
  for (int i = 0; i < 1000; ++i) {
    OperatorInput input{};
    input.axis[0] = 1e-3 * i;
    thread.set_input(input, monotonic_clock().now_ns());
    if (i % 10 == 0) thread.post({training::CommandKind::kRestart, 0});
    if (i % 100 == 50) {
      thread.pause();
      thread.step_once();
      thread.resume();
    }
    thread.refresh();
    thread.drain(recording);
    std::this_thread::sleep_for(1ms);
  }
  wait_for_tick(thread, 1510);
  thread.stop();
  EXPECT_EQ(ticker.heap_calls, 0);
  EXPECT_EQ(ticker.commands, 100);
}

TEST(SimulationThread, DoesNotNoticeAViewThatStopsForFiveSeconds) {
  CountingTicker ticker;
  SimulationThread thread(ticker, {});
  thread.start();
  for (int frame = 0; frame < 30; ++frame) {
    thread.refresh();
    std::this_thread::sleep_for(16ms);
  }
  thread.refresh();
  const Published before = thread.published();
  const std::int64_t stop_ns = monotonic_clock().now_ns();
  std::this_thread::sleep_for(5s);
  const double stopped_s = static_cast<double>(monotonic_clock().now_ns() - stop_ns) * 1e-9;
  EXPECT_TRUE(thread.refresh());
  const Published& after = thread.published();
  const auto ticks = static_cast<double>(after.newer.sim.tick - before.newer.sim.tick);
  const double lost_s = after.health.lost_s - before.health.lost_s;
  std::printf("%.0f ticks in %.3f s, %.3f s lost, %lld overruns, lateness max %.0f us\n", ticks,
              stopped_s, lost_s, static_cast<long long>(after.health.overruns),
              after.health.lateness.max_us);
  // From one deadline to the other there is a tick for each period; where the machine stood still beyond
  // the catch-up limit, the time is counted as lost.
  const double due_s = static_cast<double>(after.newer_due_ns - before.newer_due_ns) * 1e-9;
  EXPECT_NEAR(ticks * 1e-3 + lost_s, due_s, 1e-6);
  EXPECT_EQ(after.newer.sim.tick, after.older.sim.tick + 1);
  EXPECT_TRUE(thread.recording_valid());
}

// Measured, not judged: what a machine under test is doing besides decides.
TEST(SimulationThread, MeasuresItselfBesideABareLoop) {
  CountingTicker ticker;
  LatenessProbe probe(1000.0);
  SimulationThread thread(ticker, {});
  thread.start();
  for (int i = 0; i < 400; ++i) {
    OperatorInput input{};
    input.axis[i % 3] = i % 2 == 0 ? 0.5 : -0.5;
    thread.set_input(input, monotonic_clock().now_ns());
    std::this_thread::sleep_for(std::chrono::microseconds(4000 + 37 * (i % 29)));
  }
  thread.stop();
  probe.stop();
  thread.refresh();
  const ThreadHealth& health = thread.published().health;
  const auto show = [](const char* what, const TimeSummary& t) {
    std::printf("%s lateness p50 %.0f, p99 %.0f, p99.9 %.0f, max %.0f us\n", what, t.p50_us,
                t.p99_us, t.p99_9_us, t.max_us);
  };
  show("simulation thread:", health.lateness);
  show("bare loop:        ", probe.result().lateness);
  std::printf("priority %s, memory %s\n", health.priority_granted ? "granted" : "refused",
              health.memory_locked ? "locked" : "not locked");
  std::printf("lever to tick: mean %.0f, max %.0f us over %lld events\n", health.input_mean_us,
              health.input_max_us, static_cast<long long>(health.inputs));
  std::printf("handing over a snapshot: mean %.2f us of %zu bytes; empty tick %.2f us\n",
              health.publish_mean_us, sizeof(Published), health.tick_mean_us);
  EXPECT_GT(health.inputs, 0);
  EXPECT_LE(health.inputs, 400);
  EXPECT_LE(health.input_mean_us, health.input_max_us);
}

// Levers at rest, and a button: a replay needs both its press and its release.
TEST(SimulationThread, RecordsAButtonBesideStillLevers) {
  CountingTicker ticker;
  SimulationThread thread(ticker, {});
  thread.start();
  std::int64_t tick = 10;
  for (const std::int64_t buttons : {0, 4, 0}) {
    OperatorInput input{};
    input.axis[0] = 0.25;
    input.buttons = buttons;
    thread.set_input(input);
    wait_for_tick(thread, tick);
    thread.refresh();
    tick = thread.published().newer.sim.tick + 10;
  }
  thread.stop();
  std::vector<training::InputEvent> recording;
  thread.drain(recording);
  std::vector<std::int64_t> buttons;
  for (const training::InputEvent& event : recording)
    // Ticks before the first input have levers at rest.
    if (event.kind == training::InputEventKind::kInput && event.input.axis[0] != 0.0)
      buttons.push_back(event.input.buttons);
  EXPECT_EQ(buttons, (std::vector<std::int64_t>{0, 4, 0}));
}

// Each input is used by the first tick that starts after it was set.
TEST(SimulationThread, UsesAnInputInTheNextTick) {
  class TimedTicker : public Ticker {
   public:
    TimedTicker() { ticks.reserve(100'000); }
    void apply(const Command&) override {}
    void tick(const OperatorInput& input, SessionSnapshot& out) override {
      ticks.push_back({monotonic_clock().now_ns(), input.axis[0]});
      observe(out);
    }
    void observe(SessionSnapshot& out) override {
      out.sim.tick = static_cast<std::int64_t>(ticks.size());
    }
    struct Tick {
      std::int64_t start_ns;
      double axis;
    };
    std::vector<Tick> ticks;
  };
  TimedTicker ticker;
  SimulationThread thread(ticker, {});
  thread.start();
  struct Move {
    std::int64_t done_ns;
    double axis;
  };
  std::vector<Move> moves;
  for (int i = 1; i <= 300; ++i) {
    OperatorInput input{};
    input.axis[0] = i * 1e-3;
    thread.set_input(input);
    moves.push_back({monotonic_clock().now_ns(), input.axis[0]});
    std::this_thread::sleep_for(std::chrono::microseconds(700 + 53 * (i % 41)));
  }
  thread.refresh();
  wait_for_tick(thread, thread.published().newer.sim.tick + 5);
  thread.stop();
  for (const Move& move : moves) {
    // The levers are read right before a tick's start is noted: a tick that starts just after may have
    // read them just before, the one after it cannot.
    auto tick = std::find_if(ticker.ticks.begin(), ticker.ticks.end(),
                             [&](const TimedTicker::Tick& t) { return t.start_ns > move.done_ns; });
    ASSERT_NE(tick, ticker.ticks.end());
    ++tick;
    ASSERT_NE(tick, ticker.ticks.end());
    EXPECT_GE(tick->axis, move.axis);
  }
}

}  // namespace
}  // namespace knuckleboom::runtime
