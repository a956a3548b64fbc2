// Sessions whose states this program cannot read, or must not believe.
#include "knuckleboom/runtime/recompute.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/recording/session_journal.hpp"
#include "knuckleboom/runtime/replayer.hpp"
#include "knuckleboom/runtime/session_ticker.hpp"
#include "recording/bytes.hpp"
#include "recording/journal_blocks.hpp"
#include "recording/session_header.hpp"
#include "support/forged_state.hpp"
#include "support/long_run.hpp"
#include "support/same_bytes.hpp"
#include "support/session_recording.hpp"

namespace knuckleboom::runtime {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using training::SessionSnapshot;
using training::SessionState;

constexpr std::int64_t kTicks = 4321;

using ChangeState = std::function<void(std::int64_t tick, std::string& record)>;

// A journal that its program left behind, as another program or a forger would have written it.
class Journals : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder();
    described_ = new test::DescribedSession(test::described_session("logs"));
    last_ = new SessionState();
    const training::Session& session = *described_->session;
    SessionState state = session.initial_state();
    SessionSnapshot snapshot = session.snapshot(state);
    {
      SessionRecorder recorder(io::SessionJournal(*folder_ / "torn.h5", described_->header),
                               session, state, {.own_thread = false});
      command::OperatorInput levers{};
      for (const training::InputEvent& event : test::random_input(21, kTicks)) {
        while (state.tick < event.tick) {
          session.step(levers, state, snapshot);
          recorder.after_tick(state, snapshot);
          if (state.tick % 500 == 0) recorder.drain();
        }
        if (event.kind == training::InputEventKind::kEnd) break;
        if (event.kind == training::InputEventKind::kInput) levers = event.input;
        if (event.kind == training::InputEventKind::kCommand) {
          recorder.before(event.command, state);
          session.apply(event.command, state);
        }
        recorder.input(event);
      }
      recorder.drain();
    }
    *last_ = state;
  }
  static void TearDownTestSuite() {
    delete folder_;
    delete described_;
    delete last_;
  }

  static fs::path torn() { return *folder_ / "torn.h5.journal"; }

  // The same journal with other states; the header follows.
  static fs::path rewritten(const std::string& name,
                            const std::function<void(io::SessionHeader&)>& change_header,
                            const ChangeState& change_state, float falsify = 0.0F) {
    io::JournalReader reader(torn(), "a journal");
    std::string payload, out;
    std::uint32_t kind = 0;
    std::uint64_t sequence = 0;
    int rows = 0;
    while (reader.next(kind, payload)) {
      const auto what = static_cast<io::JournalKind>(kind);
      if (what == io::JournalKind::kHeader) {
        io::SessionHeader header;
        EXPECT_TRUE(io::from_bytes(payload, header));
        change_header(header);
        payload = io::to_bytes(header);
      }
      if (what == io::JournalKind::kState) {
        std::int64_t tick = 0;
        std::memcpy(&tick, payload.data(), sizeof tick);
        std::string record = payload.substr(sizeof tick);
        change_state(tick, record);
        payload = payload.substr(0, sizeof tick) + record;
      }
      if (what == io::JournalKind::kRow && ++rows == 100) {
        float value = 0.0F;  // of the second channel, the first joint's position
        std::memcpy(&value, payload.data() + 12, sizeof value);
        value += falsify;
        std::memcpy(payload.data() + 12, &value, sizeof value);
      }
      out += io::journal_block(what, sequence++, payload);
    }
    const fs::path path = *folder_ / (name + ".h5.journal");
    std::ofstream(path, std::ios::binary) << out;
    return path;
  }

  // With one field more in the grapple than this program has.
  static std::string wider_fields() {
    std::string fields = described_->header.fields;
    const std::size_t line = fields.find("worksite::GrappleState ");
    fields.insert(fields.find('\n', line), ",heat f8=2.5");
    return fields;
  }
  static fs::path of_a_wider_program(const std::string& name, double heat, float falsify = 0.0F) {
    const io::StateDescription wide(wider_fields());
    return rewritten(
        name,
        [&](io::SessionHeader& header) {
          header.fields = wider_fields();
          header.layout.bytes = wide.record_bytes();
          header.program = "knuckleboom 9.9 (later)";
        },
        [&](std::int64_t, std::string& record) {
          std::string out(wide.record_bytes(), '\0');
          EXPECT_EQ(io::convert(io::StateDescription(described_->header.fields).type(),
                                record.data(), wide.type(), out.data()),
                    "");
          state::for_each_place(wide.type(), out.data(), {}, [&](const state::Place& place) {
            if (place.trail.text() == "grapple.heat") test::set_place(place, heat);
            return true;
          });
          record = out;
        },
        falsify);
  }
  static fs::path forged(const std::string& name, std::int64_t at,
                         const std::function<void(SessionState&)>& forge) {
    const state::Struct& type = state::struct_of<SessionState>();
    return rewritten(
        name,
        [&](io::SessionHeader& header) {
          header.fields = io::describe(type);
          header.layout.bytes = sizeof(SessionState);
        },
        [&](std::int64_t tick, std::string& record) {
          SessionState state;
          EXPECT_EQ(io::convert(io::StateDescription(described_->header.fields).type(),
                                record.data(), type, &state),
                    "");
          if (tick == at) forge(state);
          record.assign(reinterpret_cast<const char*>(&state), sizeof state);
        });
  }

  // Both equal all the way, hash by hash, and at instants that are sought.
  static void expect_whole(Replayer& replayer) {
    EXPECT_EQ(replayer.source(), Replayer::Source::kSimulation);
    EXPECT_EQ(replayer.end_tick(), kTicks);
    while (replayer.step()) {
    }
    EXPECT_EQ(replayer.hashes_compared(), 1 + kTicks / 100);
    EXPECT_EQ(replayer.hashes_equal(), replayer.hashes_compared());
    EXPECT_TRUE(test::same_bytes(replayer.state(), *last_));
  }
  // Taken over in the middle and driven on as recorded it ends as it ended.
  static void expect_take_over(Replayer& replayer) {
    constexpr std::int64_t kHere = 2718;
    replayer.seek(kHere);
    SessionTicker ticker(replayer.session(), replayer.state());
    training::InputPlayback playback(replayer.record().inputs, kHere);
    SessionSnapshot snapshot{};
    for (std::int64_t t = kHere; t < kTicks; ++t)
      ticker.tick(playback.advance(t, [&](const auto& command) { ticker.apply(command); }),
                  snapshot);
    EXPECT_TRUE(test::same_bytes(ticker.state(), *last_));
  }

  static test::TemporaryFolder* folder_;
  static test::DescribedSession* described_;
  static SessionState* last_;
};
test::TemporaryFolder* Journals::folder_ = nullptr;
test::DescribedSession* Journals::described_ = nullptr;
SessionState* Journals::last_ = nullptr;

TEST_F(Journals, OfAProgramWithOneMoreFieldThatIsOffReplay) {
  Replayer replayer(io::read_session(of_a_wider_program("off", 2.5)));
  expect_whole(replayer);
  expect_take_over(replayer);
}

TEST_F(Journals, OfAProgramWithOneMoreFieldAreComputedAgain) {
  const io::SessionRecord record = io::read_session(of_a_wider_program("more", 3.0));
  {
    const Replayer shown(record);
    EXPECT_EQ(shown.source(), Replayer::Source::kChannels);
    EXPECT_THAT(shown.remarks().back(),
                HasSubstr("in its state at tick 0 'grapple.heat', which this program does not "
                          "know, is 3: the stored channels are shown"));
  }
  const Recomputed again = recompute(record);
  EXPECT_THAT(again.sentence, HasSubstr("channels are as they were recorded"));
  EXPECT_EQ(again.record.path, record.path);
  EXPECT_EQ(again.record.header.id, record.header.id);
  EXPECT_EQ(again.record.attempts.size(), record.attempts.size());
  Replayer replayer(again.record);
  expect_whole(replayer);
  expect_take_over(replayer);
}

TEST_F(Journals, SayTheLargestDeviationFromTheStoredChannels) {
  const Recomputed again = recompute(io::read_session(of_a_wider_program("deviates", 3.0, 0.125F)));
  EXPECT_THAT(again.sentence, testing::ContainsRegex("largest deviation from the stored channels: "
                                                     "[a-z_]+_rad at tick 1980, recorded .*, "
                                                     "computed .*, 0.125 rad apart"));
  Replayer replayer(again.record);
  expect_take_over(replayer);
}

TEST_F(Journals, ComputedAgainCanBeStopped) {
  int asked = 0;
  EXPECT_THROW(recompute(io::read_session(torn()), [&asked] { return ++asked < 3; }),
               io::FileError);
  EXPECT_EQ(asked, 3);
}

TEST_F(Journals, WithoutReadableStatesShowTheStoredFigures) {
  io::SessionRecord record = io::read_session(torn());
  Replayer simulated(record);
  record.states = {};
  Replayer shown(std::move(record));
  for (const std::int64_t tick : {20L, 1020L, 2520L, 4320L}) {
    simulated.seek(tick);
    shown.seek(tick);
    for (const training::SessionChannel& channel :
         training::session_channels(simulated.session())) {
      const double wanted = channel.value(simulated.snapshot());
      const double got = channel.value(shown.snapshot());
      if (std::isnan(wanted)) {
        EXPECT_TRUE(std::isnan(got)) << channel.name;
        continue;
      }
      // Stored as 32-bit floats; forces follow from pressures that nearly balance.
      const double room =
          1e-5 * std::max(1.0, std::fabs(wanted)) + (channel.name.ends_with("_force") ? 10.0 : 0.0);
      EXPECT_NEAR(got, wanted, room) << channel.name << " at " << tick;
    }
  }
}

TEST_F(Journals, WhoseFirstStateIsForgedAreRefused) {
  const fs::path file = forged("zero", 0, [](SessionState& state) {
    std::memset(static_cast<void*>(&state), 0, sizeof state);
  });
  try {
    const Replayer replayer(io::read_session(file));
    FAIL() << "a state that is all zero was believed";
  } catch (const io::FileError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith(file.string() + ": its state at tick 0 cannot "
                                                                  "be one of this session: "));
  }
  // It is not needed for computing it again.
  Replayer again(recompute(io::read_session(file)).record);
  expect_whole(again);
}

TEST_F(Journals, WithAForgedStateInTheMiddleGoOnFromTheOneBefore) {
  const fs::path file = forged("middle", 3000, [](SessionState& state) { state.task.step = 77; });
  Replayer replayer(io::read_session(file));
  EXPECT_THAT(replayer.remarks(), testing::SizeIs(1));  // that it was cut off
  replayer.seek(3100);
  ASSERT_THAT(replayer.remarks(), testing::SizeIs(2));
  EXPECT_THAT(replayer.remarks()[1],
              HasSubstr("its state at tick 3000 cannot be one of this session: task.step is 77"));
  EXPECT_EQ(replayer.tick(), 3100);
  EXPECT_EQ(replayer.check_states(), 1);
  EXPECT_THAT(replayer.remarks(), testing::SizeIs(2));
  expect_take_over(replayer);
}

// 100 of them; 400 by KNUCKLEBOOM_LONG=1.
TEST_F(Journals, OfForgedSessionsNoneRunsInSilence) {
  const int count = test::long_run() ? 400 : 100;
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(count); ++seed) {
    test::Forgery forgery;
    const std::int64_t at = 1000 * static_cast<std::int64_t>(seed % 4);
    const fs::path file = forged(
        "forged", at, [&](SessionState& state) { forgery = test::forge(state, seed * 100); });
    bool said = false;
    try {
      Replayer replayer(io::read_session(file));
      const std::size_t remarks = replayer.remarks().size();
      replayer.seek(at + 20);
      said = replayer.remarks().size() > remarks || replayer.mismatch_count() > 0;
    } catch (const io::FileError& error) {
      said = true;
      EXPECT_THAT(error.what(), testing::StartsWith(file.string()));
    }
    refused += said ? 1 : 0;
    if (forgery.certain) {
      EXPECT_TRUE(said) << seed << ": " << forgery.what << " at " << at;
    }
  }
  std::printf("of %d sessions with a forged state %d say so\n", count, refused);
  EXPECT_GT(refused, 3 * count / 4);
}

}  // namespace
}  // namespace knuckleboom::runtime
