// A replay gives the same bits, says where it does not, and can be taken over at any instant.
#include "knuckleboom/runtime/replayer.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/io/state_file.hpp"
#include "knuckleboom/recording/session_journal.hpp"
#include "knuckleboom/runtime/session_ticker.hpp"
#include "support/long_run.hpp"
#include "support/same_bytes.hpp"
#include "support/session_recording.hpp"

namespace knuckleboom::runtime {
namespace {

using training::InputEvent;
using training::InputEventKind;
using training::SessionSnapshot;
using training::SessionState;

// One session for all of these tests.
class Replay : public testing::Test {
 protected:
  static constexpr std::int64_t kTicks = 12345;

  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder();
    const test::DescribedSession described = test::described_session("logs");
    last_ = new SessionState(
        test::record_session(described, test::random_input(11, kTicks), *folder_ / "session.h5"));
  }
  static void TearDownTestSuite() {
    delete folder_;
    delete last_;
    folder_ = nullptr;
    last_ = nullptr;
  }
  static io::SessionRecord record() { return io::read_session(*folder_ / "session.h5"); }

  static test::TemporaryFolder* folder_;
  static SessionState* last_;
};
test::TemporaryFolder* Replay::folder_ = nullptr;
SessionState* Replay::last_ = nullptr;

TEST_F(Replay, GivesTheSameBits) {
  Replayer replayer(record());
  EXPECT_THAT(replayer.remarks(), testing::IsEmpty());
  while (replayer.step()) {
  }
  EXPECT_EQ(replayer.tick(), kTicks);
  EXPECT_EQ(replayer.hashes_compared(), 1 + kTicks / 100);
  EXPECT_EQ(replayer.hashes_equal(), replayer.hashes_compared());
  EXPECT_EQ(replayer.mismatch_count(), 0);
  EXPECT_TRUE(replayer.end_is_equal());
  EXPECT_TRUE(test::same_bytes(replayer.state(), *last_));
}

TEST_F(Replay, SeeksToAnyInstant) {
  Replayer straight(record());
  std::vector<std::int64_t> instants = {0, 1, 999, 1000, 1001, kTicks - 1, kTicks};
  std::mt19937 random(5);
  for (int i = 0; i < 30; ++i)
    instants.push_back(std::uniform_int_distribution<std::int64_t>(0, kTicks)(random));
  std::vector<std::int64_t> ascending = instants;
  std::sort(ascending.begin(), ascending.end());
  std::vector<std::pair<std::int64_t, std::uint64_t>> hashes;
  for (const std::int64_t instant : ascending) {
    while (straight.tick() < instant && straight.step()) {
    }
    hashes.emplace_back(instant, state::hash(straight.state()));
  }
  Replayer jumping(record());
  for (const std::int64_t instant : instants) {
    jumping.seek(instant);
    EXPECT_EQ(jumping.tick(), instant);
    const auto wanted = std::find_if(hashes.begin(), hashes.end(),
                                     [&](const auto& one) { return one.first == instant; });
    EXPECT_EQ(state::hash(jumping.state()), wanted->second) << instant;
  }
  EXPECT_EQ(jumping.mismatch_count(), 0);
  jumping.seek(-5);
  EXPECT_EQ(jumping.tick(), 0);
  jumping.seek(kTicks + 5);
  EXPECT_EQ(jumping.tick(), kTicks);
}

// The recorded input is falsified at one place: the replay says where, and goes on from the stored state.
TEST_F(Replay, NamesTheFirstDifferenceAndGoesOnFromTheStoredState) {
  io::SessionRecord falsified = record();
  constexpr std::int64_t kWrong = 5232;
  for (InputEvent& event : falsified.inputs)
    if (event.tick >= kWrong && event.tick < kWrong + 300)
      event.input.axis[static_cast<int>(command::LeverAxis::kLeftX)] = 1.0;
  Replayer replayer(std::move(falsified));
  while (replayer.step()) {
  }
  ASSERT_EQ(replayer.mismatch_count(), 1);
  const ReplayMismatch& m = replayer.mismatches().front();
  EXPECT_EQ(m.tick, 5300);
  EXPECT_EQ(m.equal_tick, 5200);
  EXPECT_EQ(m.resumed_tick, 6000);
  // Rows are 20 ticks apart; the lever moved at 5232, so the row at 5240 is the first to show it.
  EXPECT_EQ(m.channel_tick, 5240);
  EXPECT_FALSE(m.channel.empty());
  EXPECT_NE(m.recorded, m.computed);
  EXPECT_TRUE(test::same_bytes(replayer.state(), *last_));
  EXPECT_TRUE(replayer.end_is_equal());
  // All hashes but those from the difference to the stored state were compared.
  EXPECT_EQ(replayer.hashes_equal(), 1 + kTicks / 100 - 8);
}

TEST_F(Replay, FindsADifferenceThatNoStoredChannelShows) {
  io::SessionRecord falsified = record();
  for (io::StateHash& hash : falsified.hashes)
    if (hash.tick == 3100) hash.value ^= 1;
  Replayer replayer(std::move(falsified));
  while (replayer.step()) {
  }
  ASSERT_EQ(replayer.mismatch_count(), 1);
  EXPECT_EQ(replayer.mismatches().front().tick, 3100);
  EXPECT_TRUE(replayer.mismatches().front().channel.empty());
  EXPECT_EQ(replayer.mismatches().front().resumed_tick, 4000);
}

TEST_F(Replay, SaysThatAnotherBuildRecorded) {
  io::SessionRecord other = record();
  other.header.program = "knuckleboom 9.9 (somewhere)";
  other.header.processor = "abacus";
  Replayer replayer(std::move(other));
  ASSERT_EQ(replayer.remarks().size(), 2U);
  EXPECT_THAT(replayer.remarks()[0], testing::HasSubstr("9.9"));
  EXPECT_THAT(replayer.remarks()[1], testing::HasSubstr("abacus"));
  while (replayer.step()) {
  }
  EXPECT_EQ(replayer.mismatch_count(), 0);
}

TEST_F(Replay, ShowsChannelsWhereTheStatesAreForeign) {
  io::SessionRecord other = record();
  other.states = {};
  Replayer replayer(other);
  EXPECT_EQ(replayer.source(), Replayer::Source::kChannels);
  EXPECT_THAT(replayer.remarks().back(), testing::HasSubstr("stored channels"));
  Replayer simulated(record());
  const auto channels = training::session_channels(simulated.session());
  for (const std::int64_t tick : {0L, 4000L, 4013L, 12340L}) {
    replayer.seek(tick);
    simulated.seek(tick - tick % 20);
    EXPECT_EQ(replayer.tick(), tick);
    for (int i = 0; i < simulated.session().machine().joint_count(); ++i)
      EXPECT_FLOAT_EQ(static_cast<float>(replayer.snapshot().sim.joint[i].position),
                      static_cast<float>(simulated.snapshot().sim.joint[i].position));
    EXPECT_NEAR(replayer.snapshot().sim.tip_W[2], simulated.snapshot().sim.tip_W[2], 1e-5);
  }
  EXPECT_TRUE(replayer.step());
}

// Taken over at 100 random instants and driven on with the same input, as a new session with a parent:
// each ends in the bits of the uninterrupted one, and is itself replayed with equal hashes.
// At 25 instants; at 100 by KNUCKLEBOOM_LONG=1.
TEST_F(Replay, CanBeTakenOverAtAnyInstantWithTheSameBits) {
  const io::SessionRecord parent = record();
  Replayer replayer(record());
  std::mt19937 random(100);
  const test::TemporaryFolder folder;
  const int takeovers = test::long_run() ? 100 : 25;
  for (int i = 0; i < takeovers; ++i) {
    const auto tick = std::uniform_int_distribution<std::int64_t>(0, kTicks - 1)(random);
    replayer.seek(tick);
    io::SessionHeader header = parent.header;
    io::describe(replayer.session(), header);
    header.parent_id = parent.header.id;
    header.parent_tick = tick;
    header.first_tick = tick;

    SessionTicker ticker(replayer.session(), replayer.state());
    // Ten of them are recorded; all go on to the end.
    const bool recorded = i % 10 == 0;
    RecorderSettings settings;
    settings.own_thread = false;
    std::unique_ptr<SessionRecorder> recorder;
    const std::filesystem::path file = folder / ("take_over_" + std::to_string(i) + ".h5");
    if (recorded)
      recorder = std::make_unique<SessionRecorder>(io::SessionJournal(file, header),
                                                   replayer.session(), replayer.state(), settings);
    ticker.record_into(recorder.get());
    training::InputPlayback playback(parent.inputs, tick);
    InputEvent event{};
    event.tick = tick;
    event.input = playback.input();
    ticker.record(event);
    SessionSnapshot snapshot{};
    std::size_t next = 0;
    while (parent.inputs[next].tick < tick) ++next;
    for (std::int64_t t = tick; t < kTicks; ++t) {
      for (; parent.inputs[next].tick == t; ++next) ticker.record(parent.inputs[next]);
      ticker.tick(playback.advance(t, [&](const auto& command) { ticker.apply(command); }),
                  snapshot);
    }
    ASSERT_TRUE(test::same_bytes(ticker.state(), *last_)) << "taken over at " << tick;
    if (!recorded) continue;
    EXPECT_EQ(recorder->finish(ticker.state()).fault, "");
    Replayer again(io::read_session(file));
    EXPECT_EQ(again.first_tick(), tick);
    EXPECT_EQ(again.record().header.parent_id, parent.header.id);
    while (again.step()) {
    }
    EXPECT_EQ(again.mismatch_count(), 0);
    EXPECT_TRUE(again.end_is_equal());
    EXPECT_TRUE(test::same_bytes(again.state(), *last_));
  }
}

}  // namespace
}  // namespace knuckleboom::runtime
