// Recordings killed or on a full disk: flushed data is preserved, at most a second is lost, and no
// other session is changed.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "knuckleboom/recording/session_file.hpp"
#include "knuckleboom/recording/session_journal.hpp"
#include "knuckleboom/runtime/replayer.hpp"
#include "knuckleboom/runtime/session_recorder.hpp"
#include "knuckleboom/runtime/session_ticker.hpp"
#include "knuckleboom/runtime/simulation_thread.hpp"
#include "support/session_recording.hpp"
#include "support/small_disk.hpp"

namespace knuckleboom::runtime {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Data shared by a running child process.
struct Told {
  std::atomic<std::int64_t> ticks{0};
  std::atomic<std::int64_t> fault_tick{-1};
};

class Shared {
 public:
  explicit Shared(std::size_t count) : count_(count) {
    void* const memory = ::mmap(nullptr, count * sizeof(Told), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    told_ = static_cast<Told*>(memory);
    for (std::size_t i = 0; i < count; ++i) new (told_ + i) Told();
  }
  ~Shared() { ::munmap(told_, count_ * sizeof(Told)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  Told& operator[](std::size_t i) { return told_[i]; }

 private:
  std::size_t count_;
  Told* told_;
};

void wait_for_the_first_tick(const Told& told) {
  for (int i = 0; i < 2000 && told.ticks.load() == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

class SessionSurvival : public testing::Test {
 protected:
  SessionSurvival() : described_(test::described_session("logs")) {}

  // A session that was finished before, and must stay as it is.
  fs::path make_bystander() {
    fs::path file = folder_ / "bystander.h5";
    test::record_session(described_, test::random_input(1, 3000), file);
    return file;
  }

  // Drives in real time until it is killed.
  [[noreturn]] void drive(std::uint32_t seed, Told& told) {
    io::SessionHeader header = described_.header;
    io::describe(*described_.session, header);
    SessionTicker ticker(*described_.session);
    SessionRecorder recorder(io::SessionJournal::in_folder(folder_.path(), header),
                             *described_.session, ticker.state());
    ticker.record_into(&recorder);
    ThreadSettings settings;
    settings.record = false;
    settings.ask_for_priority = false;
    settings.playback = test::random_input(seed, 60000);
    SimulationThread thread(ticker, settings);
    thread.start();
    for (;;) {
      thread.refresh();
      told.ticks.store(thread.published().newer.sim.tick, std::memory_order_relaxed);
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
  }

  // Opens it, replays it; returns how many ticks it has.
  std::int64_t check_cut_off(const fs::path& file) {
    io::SessionRecord record = io::read_session(file);
    EXPECT_FALSE(record.end.complete);
    EXPECT_EQ(record.end.lost, 0);
    Replayer replayer(std::move(record));
    while (replayer.step()) {
    }
    EXPECT_EQ(replayer.mismatch_count(), 0);
    // Killed before the first flush there is the header alone.
    if (replayer.end_tick() > 0) {
      EXPECT_EQ(replayer.hashes_equal(), 1 + replayer.end_tick() / 100);
    }
    return replayer.end_tick();
  }

  test::TemporaryFolder folder_;
  test::DescribedSession described_;
};

TEST_F(SessionSurvival, KilledAtFiftyMoments) {
  const fs::path bystander = make_bystander();
  const std::string before = content_of(bystander);
  constexpr int kKills = 50, kTogether = 10;
  std::mt19937 random(2024);
  std::int64_t worst = 0;
  int checked = 0;
  for (int batch = 0; batch < kKills / kTogether; ++batch) {
    // Ten at once in one folder: their names must not collide.
    Shared told(kTogether);
    pid_t child[kTogether];
    for (int i = 0; i < kTogether; ++i) {
      child[i] = ::fork();
      ASSERT_GE(child[i], 0);
      if (child[i] == 0)
        drive(static_cast<std::uint32_t>(batch * kTogether + i), told[static_cast<std::size_t>(i)]);
    }
    std::int64_t ticks[kTogether];
    for (int i = 0; i < kTogether; ++i) {
      // The first of a batch may not even have begun to record; on a busy computer nor may others,
      // so they are waited for.
      if (i > 0) wait_for_the_first_tick(told[static_cast<std::size_t>(i)]);
      std::this_thread::sleep_for(std::chrono::milliseconds(
          std::uniform_int_distribution<int>(20, i == 0 ? 900 : 200)(random)));
      ::kill(child[i], SIGKILL);
      ::waitpid(child[i], nullptr, 0);
      ticks[i] = told[static_cast<std::size_t>(i)].ticks.load();
    }
    const std::vector<fs::path> journals = io::abandoned_journals(folder_.path());
    std::vector<std::int64_t> kept;
    for (const fs::path& journal : journals) {
      const std::int64_t direct = check_cut_off(journal);
      const fs::path session = io::recover_session(journal);
      EXPECT_FALSE(fs::exists(journal));
      EXPECT_EQ(check_cut_off(session), direct);
      kept.push_back(direct);
      fs::remove(session);
      ++checked;
    }
    // Those killed before they had begun to record left nothing.
    std::vector<std::int64_t> driven;
    for (const std::int64_t t : ticks)
      if (t > 0) driven.push_back(t);
    ASSERT_GE(kept.size(), driven.size());
    std::sort(kept.rbegin(), kept.rend());
    std::sort(driven.rbegin(), driven.rend());
    for (std::size_t i = 0; i < driven.size(); ++i) {
      EXPECT_LE(driven[i] - kept[i], 1000);
      worst = std::max(worst, driven[i] - kept[i]);
    }
  }
  EXPECT_GE(checked, kKills * 9 / 10);
  EXPECT_EQ(content_of(bystander), before);
  std::printf("%d killed recordings opened, at most %lld ms lost\n", checked,
              static_cast<long long>(worst));
}

// Killed while the journal becomes a session file: one of the two is whole.
TEST_F(SessionSurvival, KilledWhileItIsCompleted) {
  const auto input = test::random_input(3, 20000);
  std::mt19937 random(7);
  int finished = 0, cut = 0;
  for (int i = 0; i < 20; ++i) {
    const fs::path file = folder_ / ("session_" + std::to_string(i) + ".h5");
    Shared told(1);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      SessionTicker ticker(*described_.session);
      RecorderSettings settings;
      settings.own_thread = false;
      SessionRecorder recorder(io::SessionJournal(file, described_.header), *described_.session,
                               ticker.state(), settings);
      training::SessionSnapshot snapshot{};
      command::OperatorInput levers{};
      ticker.record_into(&recorder);
      ticker.record({});
      for (int k = 0; k < 20000; ++k) ticker.tick(levers, snapshot);
      told[0].ticks = 1;
      recorder.finish(ticker.state());
      told[0].ticks = 2;
      ::_exit(0);
    }
    while (told[0].ticks.load() == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
    std::this_thread::sleep_for(
        std::chrono::microseconds(std::uniform_int_distribution<int>(0, 60000)(random)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    fs::path journal = file;
    journal += io::kJournalSuffix;
    const bool there = fs::exists(file);
    ++(there ? finished : cut);
    const io::SessionRecord record = io::read_session(file);  // or its journal
    // Cut off before the last block the recording is only as long as the last flush.
    EXPECT_TRUE(record.end.complete ? record.end.end_tick == 20000 : record.end.end_tick >= 0);
    if (fs::exists(journal)) {
      EXPECT_EQ(io::recover_session(journal), file);
      EXPECT_FALSE(fs::exists(journal));
      EXPECT_EQ(io::read_session(file).end.end_tick, record.end.end_tick);
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_.path()))
      EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
  }
  std::printf("killed while completing: %d before, %d after the session file had its name\n", cut,
              finished);
}

// --- Full disks ----------------------------------------------------------------

TEST_F(SessionSurvival, DiskFullAtTwentyMoments) {
  const fs::path bystander = make_bystander();
  const std::string before = content_of(bystander);
  const auto input = test::random_input(9, 20000);
  const fs::path whole = folder_ / "whole.h5";
  test::record_session(described_, input, whole);
  std::mt19937 random(31);
  std::int64_t worst = 0;
  int while_driving = 0, while_completing = 0, enough = 0, mounted = 0;
  for (int i = 0; i < 20; ++i) {
    const fs::path disk_folder = folder_ / ("disk_" + std::to_string(i));
    const auto bytes = std::uniform_int_distribution<std::size_t>(200'000, 2'200'000)(random);
    const test::SmallDisk disk(disk_folder, bytes / 4096 * 4096);
    mounted += disk.mounted() ? 1 : 0;
    const fs::path file = disk_folder / "session.h5";
    Shared told(1);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      disk.limit();
      SessionTicker ticker(*described_.session);
      RecorderSettings settings;
      settings.own_thread = false;
      SessionRecorder recorder(io::SessionJournal(file, described_.header), *described_.session,
                               ticker.state(), settings);
      ticker.record_into(&recorder);
      training::InputPlayback playback(input);
      training::SessionSnapshot snapshot{};
      std::size_t next = 0;
      std::string fault;
      for (std::int64_t k = 0; k < 20000; ++k) {
        for (; input[next].tick == k; ++next) ticker.record(input[next]);
        ticker.tick(playback.advance(k, [&](const auto& command) { ticker.apply(command); }),
                    snapshot);
        if (k % 200 != 0) continue;
        recorder.drain();
        if (fault = recorder.take_fault(); !fault.empty()) {
          told[0].fault_tick = k + 1;
          break;
        }
      }
      const RecordingEnd end = recorder.finish(ticker.state());
      // The user is told, with the place where the session is kept.
      const bool says = end.fault.find("session") != std::string::npos;
      ::_exit(end.fault.empty() ? 0 : says ? 1 : 2);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << status;
    std::int64_t fault_tick = told[0].fault_tick.load();
    if (WEXITSTATUS(status) == 0) {
      ++enough;
      EXPECT_EQ(io::read_session(file).end.end_tick, 20000);
      continue;
    }
    EXPECT_EQ(WEXITSTATUS(status), 1);
    EXPECT_FALSE(fs::exists(file)) << "half a session file has its name";
    const io::SessionRecord record = io::read_session(file);         // the journal beside it
    if (!record.end.complete && fault_tick < 0) fault_tick = 20000;  // the last flush of all
    if (fault_tick >= 0) {
      ++while_driving;
      EXPECT_LE(fault_tick - record.end.end_tick, 1000);
      worst = std::max(worst, fault_tick - record.end.end_tick);
      EXPECT_EQ(check_cut_off(file), record.end.end_tick);
    } else {
      ++while_completing;
      EXPECT_TRUE(record.end.complete);
      EXPECT_EQ(record.end.end_tick, 20000);
    }
    // Once there is room it becomes a session file.
    fs::path journal = file;
    journal += io::kJournalSuffix;
    const fs::path elsewhere = folder_ / ("moved_" + std::to_string(i) + ".h5.journal");
    fs::copy_file(journal, elsewhere);
    EXPECT_EQ(io::read_session(io::recover_session(elsewhere)).end.end_tick, record.end.end_tick);
  }
  EXPECT_EQ(content_of(bystander), before);
  EXPECT_GT(while_driving, 0);
  std::printf(
      "disk full: %d while driving (at most %lld ms lost), %d while completing, %d had room; "
      "%s\n",
      while_driving, static_cast<long long>(worst), while_completing, enough,
      mounted > 0 ? "small file systems" : "limits on file size");
}

}  // namespace
}  // namespace knuckleboom::runtime
