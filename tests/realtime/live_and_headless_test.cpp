// A live session and its recorded input run again without a clock end in the same bits.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "knuckleboom/core/training/session.hpp"
#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/input_file.hpp"
#include "knuckleboom/io/lever_file.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/state_file.hpp"
#include "knuckleboom/runtime/session_ticker.hpp"
#include "knuckleboom/runtime/simulation_thread.hpp"
#include "support/paths.hpp"
#include "support/same_bytes.hpp"

namespace knuckleboom::runtime {
namespace {

using command::ControlMode;
using command::OperatorInput;
using machine::Fidelity;
using training::Command;
using training::CommandKind;
using training::InputEvent;
using training::Session;
using training::SessionSnapshot;
using training::SessionState;

class LiveAndHeadless : public testing::Test {
 protected:
  LiveAndHeadless() {
    const std::filesystem::path config = std::filesystem::path(KNUCKLEBOOM_SOURCE_DIR) / "config";
    session_ = std::make_unique<Session>(
        io::read_machine(config / "machines/harvester/machine.toml").model,
        io::read_levers(config / "levers/excavator.toml").pattern,
        io::read_exercise(config / "exercises/free_play.toml").exercise);
  }

  // An operator at the levers of a thread with real-time pace; what was recorded.
  std::vector<InputEvent> drive(SessionTicker& ticker, double seconds) const {
    SimulationThread thread(ticker, {});
    std::vector<InputEvent> recording;
    thread.start();
    const std::int64_t begin_ns = monotonic_clock().now_ns();
    const auto now_s = [&] {
      return static_cast<double>(monotonic_clock().now_ns() - begin_ns) * 1e-9;
    };
    const std::vector<Happening> happenings = {
        {0.15, Command{CommandKind::kFidelity, static_cast<std::int32_t>(Fidelity::kFull)}},
        {0.30,
         Command{CommandKind::kControlMode, static_cast<std::int32_t>(ControlMode::kBoomTip)}},
        {0.45, Command{CommandKind::kFidelity, static_cast<std::int32_t>(Fidelity::kReduced)}},
        {0.55, Command{CommandKind::kRestart, 0}},
        {0.70,
         Command{CommandKind::kControlMode, static_cast<std::int32_t>(ControlMode::kJointRate)}},
        {0.80, Command{CommandKind::kControlMode, static_cast<std::int32_t>(ControlMode::kValve)}},
    };
    std::size_t next = 0;
    for (double t = now_s(); t < seconds; t = now_s()) {
      OperatorInput input{};
      for (int i = 0; i < command::kLeverAxes; ++i)
        input.axis[i] = 0.9 * std::sin((1.0 + 0.7 * i) * t + i);
      thread.set_input(input, monotonic_clock().now_ns());
      if (next < happenings.size() && t > happenings[next].at * seconds)
        thread.post(happenings[next++].command);
      if (next == 3) {  // a pause and single steps in the middle
        thread.pause();
        thread.step_once();
        thread.step_once();
        thread.resume();
      }
      thread.drain(recording);
      std::this_thread::sleep_for(std::chrono::microseconds(3700));
    }
    thread.stop();
    thread.drain(recording);
    EXPECT_TRUE(thread.recording_valid());
    EXPECT_EQ(next, happenings.size());
    thread.refresh();
    const ThreadHealth& health = thread.published().health;
    std::printf("%lld ticks, %.1f us each, worst %.0f us; %lld overruns, %.3f s lost\n",
                static_cast<long long>(health.ticks), health.tick_mean_us, health.tick_max_us,
                static_cast<long long>(health.overruns), health.lost_s);
    return recording;
  }

  SessionState headless(const std::vector<InputEvent>& events, SessionSnapshot& snapshot) const {
    SessionTicker ticker(*session_);
    training::InputPlayback playback(events);
    const std::int64_t end = playback.end_tick();
    const auto apply = [&](const Command& command) { ticker.apply(command); };
    for (std::int64_t k = 0; k < end; ++k) ticker.tick(playback.advance(k, apply), snapshot);
    playback.advance(end, apply);
    return ticker.state();
  }

  struct Happening {
    double at;  // share of the time
    Command command;
  };
  std::unique_ptr<Session> session_;
};

TEST_F(LiveAndHeadless, EndInTheSameBits) {
  const auto live = std::make_unique<SessionTicker>(*session_);
  const std::vector<InputEvent> recording = drive(*live, 4.0);
  ASSERT_GT(recording.size(), 100U);
  EXPECT_EQ(recording.back().tick, live->state().tick);

  SessionSnapshot snapshot{};
  const SessionState again = headless(recording, snapshot);
  EXPECT_TRUE(test::same_bytes(again, live->state()));
  EXPECT_EQ(io::state_hash(again), io::state_hash(live->state()));
  EXPECT_GT(again.sim.tick, 0);
  EXPECT_GT(snapshot.score.path_m, 0.1) << "the machine has not moved";

  // By way of a file.
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("knuckleboom_input_" + std::to_string(::getpid()) + ".csv");
  io::InputWriter writer(path, {});
  writer.write(recording);
  writer.close();
  const std::vector<InputEvent> read = io::read_input(path).events;
  std::filesystem::remove(path);
  EXPECT_TRUE(test::same_bytes(headless(read, snapshot), live->state()));

  // Live again, from the recording.
  const auto replayed = std::make_unique<SessionTicker>(*session_);
  ThreadSettings settings;
  settings.playback = read;
  SimulationThread thread(*replayed, settings);
  thread.start();
  for (thread.refresh(); !thread.published().played_out; thread.refresh())
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  thread.stop();
  EXPECT_TRUE(test::same_bytes(replayed->state(), live->state()));
}

// Another input ends elsewhere: the comparison above is able to fail.
TEST_F(LiveAndHeadless, ATinyDifferenceOfTheInputShows) {
  std::vector<InputEvent> events(2);
  events[0].input.axis[3] = 0.5;
  events[1].tick = 300;
  events[1].kind = training::InputEventKind::kEnd;
  SessionSnapshot snapshot{};
  const SessionState one = headless(events, snapshot);
  events[0].input.axis[3] = std::nextafter(0.5, 1.0);
  const SessionState other = headless(events, snapshot);
  EXPECT_FALSE(test::same_bytes(one, other));
  EXPECT_NE(io::state_hash(one), io::state_hash(other));
}

}  // namespace
}  // namespace knuckleboom::runtime
