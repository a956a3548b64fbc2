// Filed data of a session.
#include "app/session/filing.hpp"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/recording/session_journal.hpp"
#include "knuckleboom/runtime/session_recorder.hpp"
#include "knuckleboom/runtime/session_ticker.hpp"
#include "support/session_recording.hpp"
#include "support/temporary_folder.hpp"

namespace knuckleboom::app {
namespace {

// Killed in the middle of an attempt: restarts and lever movements up to 2 s, then nothing more.
learners::FiledSession killed(const std::string& exercise, bool restart_at_end) {
  const test::TemporaryFolder folder;
  const test::DescribedSession described = test::described_session(exercise);
  const auto file = folder / "one.h5";
  {
    runtime::SessionTicker ticker(*described.session);
    runtime::RecorderSettings settings;
    settings.own_thread = false;
    runtime::SessionRecorder recorder(io::SessionJournal(file, described.header),
                                      *described.session, ticker.state(), settings);
    ticker.record_into(&recorder);
    training::SessionSnapshot snapshot{};
    const auto restart = [&](std::int64_t tick) {
      ticker.apply({training::CommandKind::kRestart, 0});
      training::InputEvent event{};
      event.tick = tick;
      event.kind = training::InputEventKind::kCommand;
      event.command.kind = training::CommandKind::kRestart;
      ticker.record(event);
    };
    for (std::int64_t tick = 0; tick < 2000; ++tick) {
      if (tick == 800) restart(tick);
      if (tick == 1990 && restart_at_end) restart(tick);
      command::OperatorInput input{};
      if (tick % 800 > 100 && tick < 1990) input.axis[0] = 0.5;
      ticker.tick(input, snapshot);
    }
    recorder.drain();
  }
  const std::filesystem::path recovered = io::recover_session(file.string() + ".journal");
  const io::SessionRecord record = io::read_session(recovered);
  return filed_session(record, examine(record, Check::kTrustOwn));
}

TEST(FiledSession, HasTheAttemptThatWasCutOff) {
  const learners::FiledSession filed = killed("reach", false);
  ASSERT_EQ(filed.results.size(), 2U);
  for (const learners::Result& result : filed.results) {
    EXPECT_FALSE(result.finished);
    EXPECT_FALSE(result.passed);
    ASSERT_FALSE(result.figures.empty());
    EXPECT_EQ(result.figures[0].first, "time_s");
  }
  EXPECT_EQ(filed.results[1].attempt, 2);
  EXPECT_NEAR(filed.results[0].figures[0].second, 0.7, 0.01);
  EXPECT_NEAR(filed.results[1].figures[0].second, 1.1, 0.03);  // of the last row
  EXPECT_FALSE(filed.passed);
}

// Somebody else's session, or one's own once more, under an id that was changed.
TEST(FiledSession, IsKnownUnderAnotherId) {
  const test::TemporaryFolder folder;
  learners::Database database(folder / "learners.db", learners::Access::kWrite);
  const learners::Learner anna = database.add("Anna");
  learners::FiledSession hers;
  hers.recording = "one";
  hers.file = "/x/one.h5";
  hers.results = {{1, true, true, {{"time_s", 61.234}, {"error_m", std::nan("")}}, "k", "c"}};
  database.file(anna, hers);
  EXPECT_FALSE(original_of(database, hers));
  learners::FiledSession copy = hers;
  copy.recording = "two";
  copy.started = "2027-01-01T00:00:00Z";
  ASSERT_TRUE(original_of(database, copy));
  EXPECT_EQ(original_of(database, copy)->file, "/x/one.h5");
  copy.results[0].figures[0].second = 61.235;
  EXPECT_FALSE(original_of(database, copy));
  copy.results.clear();
  EXPECT_FALSE(original_of(database, copy));
}

TEST(FiledSession, HasNoAttemptThatWasNotBegun) {
  EXPECT_EQ(killed("reach", true).results.size(), 2U);
  EXPECT_TRUE(killed("free_play", false).results.empty());
}

}  // namespace
}  // namespace knuckleboom::app
