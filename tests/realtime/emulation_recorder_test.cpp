// Recording an emulation: no heap on the tick thread, every loss reported, and valid data after a
// kill or on a full disk.
#include "knuckleboom/runtime/emulation_recorder.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heap_counter.hpp"
#include "knuckleboom/recording/emulation_recording.hpp"
#include "knuckleboom/runtime/emulation_replayer.hpp"
#include "support/hil_run.hpp"
#include "support/session_recording.hpp"
#include "support/small_disk.hpp"

namespace knuckleboom::runtime {
namespace {

namespace fs = std::filesystem;
using emulation::HilBench;
using emulation::HilState;
using testing::HasSubstr;

class EmulationRecording : public testing::Test {
 protected:
  EmulationRecording()
      : texts_(test::shipped_emulation_texts("peg_on_plane")), bench_(io::make_hil_bench(texts_)) {}

  io::EmulationRecordingWriter writer(const fs::path& file) const {
    return {file, io::emulation_recording_header(texts_, *bench_)};
  }
  // Records the next tick: commands before it, and its input.
  void tick(const test::OutsideRun& run, std::size_t& next, EmulationRecorder& recorder,
            HilState& state) const {
    const std::size_t k = static_cast<std::size_t>(state.tick) % run.inputs.size();
    for (; next < run.commands.size() && run.commands[next].tick == state.tick; ++next) {
      bench_->apply(run.commands[next].command, state);
      recorder.command(state.tick, run.commands[next].command);
    }
    recorder.input(state.tick, run.inputs[k]);
    bench_->step(state, run.inputs[k]);
    recorder.after_tick(state);
  }
  // Number of its ticks replayed with the same bits; all of them, or the test fails.
  static std::int64_t replayed(const fs::path& file) {
    EmulationReplayer replayer(io::read_emulation_recording(file));
    while (replayer.step()) {
    }
    EXPECT_EQ(replayer.first_difference(), -1);
    EXPECT_TRUE(replayer.end_is_equal());
    EXPECT_GE(replayer.hashes_equal(), replayer.state().tick / io::kEmulationHashTicks);
    return replayer.state().tick;
  }

  test::TemporaryFolder folder_;
  io::EmulationTexts texts_;
  std::unique_ptr<HilBench> bench_;
};

TEST_F(EmulationRecording, AsksNothingOfTheHeapOnTheTickThread) {
  constexpr std::int64_t kTicks = 12000;
  const test::OutsideRun run = test::outside_run(*bench_, kTicks, 11);
  const fs::path file = folder_ / "run.kbe";
  HilState state = bench_->initial_state();
  EmulationRecorder recorder(writer(file), state);
  std::size_t next = 0;
  long calls = 0;
  for (std::int64_t k = 0; k < kTicks; ++k) {
    const test::HeapCounter heap;
    tick(run, next, recorder, state);
    calls += heap.calls();
  }
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(recorder.finish(state, "").fault, "");
  EXPECT_EQ(io::read_emulation_recording(file).end.lost.count, 0);
  EXPECT_EQ(replayed(file), kTicks);
}

// A disk that stands still: here the recorder has no time to come by at all.
TEST_F(EmulationRecording, CountsWhatItLosesAndSaysFromWhereOn) {
  const fs::path file = folder_ / "run.kbe";
  HilState state = bench_->initial_state();
  EmulationRecorder recorder(writer(file), state);
  exchange::ExchangeInput input{};
  input.network.fresh = 1;
  // No ticks in between: faster than any writer.
  constexpr std::int64_t kFrames = 3'000'000;
  for (std::int64_t k = 0; k < kFrames; ++k) recorder.input(k, input);
  state.tick = kFrames;
  recorder.after_tick(state);
  const EmulationRecordingOutcome outcome = recorder.finish(state, "");
  const io::EmulationRecording got = io::read_emulation_recording(file);
  ASSERT_GT(got.end.lost.count, 0);
  EXPECT_EQ(got.end.lost.count + got.frames, kFrames);
  EXPECT_THAT(outcome.fault,
              HasSubstr("gaps from tick " + std::to_string(got.end.lost.first_tick)));
  // Everything before the first loss is there.
  io::EmulationFrames frames(got);
  for (std::int64_t k = 0; k < got.end.lost.first_tick; ++k)
    ASSERT_EQ(frames.at(k).network.fresh, 1U) << k;
  EXPECT_EQ(frames.at(got.end.lost.first_tick).network.fresh, 0U);
}

// --- Kills ----------------------------------------------------------------------

// Progress of a child process.
class SharedTick {
 public:
  SharedTick()
      : memory_(::mmap(nullptr, sizeof(std::atomic<std::int64_t>), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    tick_ = new (memory_) std::atomic<std::int64_t>(0);
  }
  ~SharedTick() { ::munmap(memory_, sizeof(std::atomic<std::int64_t>)); }
  SharedTick(const SharedTick&) = delete;
  SharedTick& operator=(const SharedTick&) = delete;
  std::atomic<std::int64_t>& operator*() { return *tick_; }

 private:
  void* memory_;
  std::atomic<std::int64_t>* tick_;
};

TEST_F(EmulationRecording, ReadsUpToTheLastSecondAfterAKill) {
  const test::OutsideRun run = test::outside_run(*bench_, 4000, 12);
  std::mt19937 random(2026);
  std::int64_t worst = 0, most = 0;
  constexpr int kKills = 20;
  for (int i = 0; i < kKills; ++i) {
    const fs::path file = folder_ / ("run_" + std::to_string(i) + ".kbe");
    SharedTick told;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      HilState state = bench_->initial_state();
      EmulationRecorder recorder(writer(file), state);
      std::size_t next = 0;
      auto due = std::chrono::steady_clock::now();
      for (;;) {
        tick(run, next, recorder, state);
        (*told).store(state.tick);
        std::this_thread::sleep_until(due += std::chrono::milliseconds(1));
      }
    }
    while ((*told).load() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(
        std::chrono::milliseconds(std::uniform_int_distribution<int>(0, 700)(random)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const io::EmulationRecording got = io::read_emulation_recording(file);
    EXPECT_FALSE(got.end.complete);
    EXPECT_EQ(got.end.lost.count, 0);
    EXPECT_EQ(replayed(file), got.end.end_tick);
    const std::int64_t lost = (*told).load() - got.end.end_tick;
    EXPECT_LE(lost, 1000);
    worst = std::max(worst, lost);
    most = std::max(most, got.end.end_tick);
  }
  EXPECT_GT(most, 200);
  std::printf("%d killed recordings opened, at most %lld ticks lost\n", kKills,
              static_cast<long long>(worst));
}

// --- Full disks -------------------------------------------------------------------

TEST_F(EmulationRecording, SaysThatTheDiskIsFullAndKeepsWhatIsOnIt) {
  const test::OutsideRun run = test::outside_run(*bench_, 4000, 13);
  std::mt19937 random(31);
  int ended = 0, none = 0;
  for (int i = 0; i < 12; ++i) {
    const fs::path folder = folder_ / ("disk_" + std::to_string(i));
    const auto bytes = i == 0 ? std::size_t{8192}
                              : std::uniform_int_distribution<std::size_t>(90'000, 400'000)(random);
    const test::SmallDisk disk(folder, bytes / 4096 * 4096);
    const fs::path file = folder / "run.kbe";
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      disk.limit();
      HilState state = bench_->initial_state();
      try {
        EmulationRecorderSettings settings;
        settings.own_thread = i % 2 == 0;
        EmulationRecorder recorder(writer(file), state, settings);
        std::size_t next = 0;
        // The run still continues to its end.
        while (state.tick < 4000) tick(run, next, recorder, state);
        const EmulationRecordingOutcome outcome = recorder.finish(state, "");
        const bool says = outcome.fault.find("not recorded any more") != std::string::npos &&
                          outcome.fault.find(file.string()) != std::string::npos;
        ::_exit(outcome.fault.empty() ? 0 : says ? 1 : 2);
      } catch (const io::FileError&) {
        ::_exit(3);
      }
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << status;
    if (WEXITSTATUS(status) == 3) {  // no room for its header: then there is nothing
      ++none;
      EXPECT_TRUE(fs::is_empty(folder));
      continue;
    }
    ASSERT_EQ(WEXITSTATUS(status), 1) << bytes;
    ++ended;
    const io::EmulationRecording got = io::read_emulation_recording(file);
    EXPECT_FALSE(got.end.complete);
    EXPECT_LT(got.end.end_tick, 4000);
    EXPECT_EQ(replayed(file), got.end.end_tick);
  }
  EXPECT_EQ(none, 1);
  EXPECT_EQ(ended, 11);
}

}  // namespace
}  // namespace knuckleboom::runtime
