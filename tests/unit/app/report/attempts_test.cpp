// The report of a recorded session agrees with its events.
#include "app/report/attempts.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/recording/session_journal.hpp"
#include "knuckleboom/runtime/session_recorder.hpp"
#include "knuckleboom/runtime/session_ticker.hpp"
#include "support/session_recording.hpp"

namespace knuckleboom::app {
namespace {

using report::EventKind;
using report::Outcome;
using training::CommandKind;

// Ticks the exercise "reach" by hand: a lever from 0.5 s on for 1 s, a restart at 2 s, then nothing for 1 s.
class RecordedReach : public testing::Test {
 protected:
  RecordedReach() { described_.header.learner = "Anna"; }

  io::SessionRecord record(bool finish) {
    const training::Session& session = *described_.session;
    training::SessionSnapshot snapshot{};
    runtime::RecorderSettings settings;
    settings.own_thread = false;
    runtime::SessionTicker ticker(session);
    runtime::SessionRecorder recorder(io::SessionJournal(file_, described_.header), session,
                                      ticker.state(), settings);
    ticker.record_into(&recorder);
    const auto command = [&](std::int64_t tick, training::Command what) {
      ticker.apply(what);
      training::InputEvent event{};
      event.tick = tick;
      event.kind = training::InputEventKind::kCommand;
      event.command = what;
      ticker.record(event);
    };
    for (std::int64_t tick = 0; tick < 3000; ++tick) {
      if (tick == 1000)
        command(tick, {CommandKind::kFidelity, static_cast<int>(machine::Fidelity::kFull)});
      if (tick == 2000) command(tick, {CommandKind::kRestart, 0});
      command::OperatorInput input{};
      if (tick >= 500 && tick < 1500) input.axis[0] = 0.5;
      ticker.tick(input, snapshot);
      if (tick < 2000) tips_.push_back(snapshot.sim.tip_W[1]);
      if (tick == 1200) recorder.note({0, "bookmark", {}, "look <here>"});
      recorder.drain();
    }
    if (finish) recorder.finish(ticker.state());
    const auto journal = file_.string() + io::kJournalSuffix;
    return io::read_session(finish ? file_ : std::filesystem::path(journal));
  }

  test::TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "one.h5";
  test::DescribedSession described_ = test::described_session("reach");
  std::vector<double> tips_;
};

TEST_F(RecordedReach, HasTwoAttempts) {
  const RecordedAttempts recorded(record(true));
  ASSERT_EQ(recorded.attempts().size(), 2U);
  const report::Attempt &first = recorded.attempts()[0], &second = recorded.attempts()[1];
  EXPECT_EQ(first.outcome, Outcome::kBrokenOff);
  EXPECT_EQ(second.outcome, Outcome::kNotBegun);
  EXPECT_EQ(first.of, 2);
  EXPECT_EQ(recorded.usual(), 1);
  EXPECT_EQ(first.learner, "Anna");
  EXPECT_EQ(first.exercise, "reach");
  EXPECT_NEAR(first.duration_s, 2.0, 1e-9);
  EXPECT_NEAR(second.duration_s, 1.0, 1e-9);
  const auto time = std::find_if(first.figures.begin(), first.figures.end(),
                                 [](const report::Figure& f) { return f.name == "time_s"; });
  ASSERT_NE(time, first.figures.end());
  EXPECT_NEAR(time->value, 1.5, 2e-3);  // from the lever on
  EXPECT_EQ(time->most, 180.0);         // of the exercise file
}

TEST_F(RecordedReach, CountsFromTheFirstLeverMovement) {
  const RecordedAttempts recorded(record(true));
  const report::Attempt a = recorded.complete(1);
  ASSERT_FALSE(a.t_s.empty());
  EXPECT_NEAR(a.t_s.front(), -0.5, 0.021);
  EXPECT_NEAR(a.t_s.back(), 1.5, 0.021);
  ASSERT_EQ(a.tip.size(), a.t_s.size());
  for (std::size_t i = 1; i < a.t_s.size(); ++i) {
    EXPECT_NEAR(a.t_s[i] - a.t_s[i - 1], 0.02, 1e-9);
    const auto tick = static_cast<std::size_t>(std::llround((a.t_s[i] + 0.5) * 1000.0));
    if (tick < 1 || tick > tips_.size()) continue;
    EXPECT_NEAR(a.tip[i].y, tips_[tick - 1], 1e-5) << i;  // as after that many ticks
  }
  ASSERT_EQ(a.levers_moved.size(), 1U);
  EXPECT_EQ(*std::max_element(a.levers_moved[0].value.begin(), a.levers_moved[0].value.end()), 0.5);
  EXPECT_EQ(a.pressures.size(), described_.session->machine().actuators.size());
  EXPECT_EQ(a.targets.size(), described_.session->exercise().targets.size());
  ASSERT_EQ(a.ideal.size(), a.targets.size() + 1);

  const auto find = [&a](EventKind kind) {
    return std::find_if(a.events.begin(), a.events.end(),
                        [kind](const report::Event& event) { return event.kind == kind; });
  };
  ASSERT_NE(find(EventKind::kBookmark), a.events.end());
  EXPECT_EQ(find(EventKind::kBookmark)->text, "look <here>");
  EXPECT_NEAR(find(EventKind::kBookmark)->t_s, 0.7, 3e-3);
  ASSERT_NE(find(EventKind::kControl), a.events.end());
  EXPECT_EQ(find(EventKind::kControl)->text, "Full model");
  EXPECT_NEAR(find(EventKind::kControl)->t_s, 0.5, 3e-3);
  ASSERT_NE(find(EventKind::kTask), a.events.end());
  EXPECT_EQ(find(EventKind::kTask)->text, "begun");
  EXPECT_NEAR(find(EventKind::kTask)->t_s, 0.001, 1e-9);
}

// A fault that stood when the session was taken over did not begin then, but it was there.
TEST(RecordedFaults, DoNotBeginWhereTheyOnlyGoOn) {
  const test::TemporaryFolder folder;
  test::DescribedSession described = test::described_session("reach");
  const training::Session& session = *described.session;
  training::SessionState state = session.initial_state();
  training::SessionSnapshot snapshot{};
  session.apply({CommandKind::kFault, 1}, state);
  for (int i = 0; i < 1500; ++i) session.step({}, state, snapshot);
  described.header.first_tick = 1500;
  described.header.parent_id = "somebody";
  described.header.parent_tick = 1500;
  runtime::RecorderSettings settings;
  settings.own_thread = false;
  runtime::SessionTicker ticker(session, state);
  runtime::SessionRecorder recorder(io::SessionJournal(folder / "two.h5", described.header),
                                    session, state, settings);
  ticker.record_into(&recorder);
  for (int i = 0; i < 1000; ++i) {
    ticker.tick({}, snapshot);
    if (i == 499) ticker.apply({CommandKind::kFault, 2});
    recorder.drain();
  }
  recorder.finish(ticker.state());
  const io::SessionRecord record = io::read_session(folder / "two.h5");
  std::vector<std::string> begun;
  for (const io::SessionEvent& event : record.events)
    if (event.kind == "fault") begun.push_back(event.text);
  EXPECT_EQ(begun, std::vector<std::string>{session.faults()[2].name});

  const report::Attempt attempt = RecordedAttempts(record).complete(1);
  std::vector<double> lasting;
  for (const report::Event& event : attempt.events)
    if (event.kind == EventKind::kFault) lasting.push_back(event.lasts_s);
  ASSERT_EQ(lasting.size(), 2U);
  EXPECT_NEAR(lasting[0], 1.0, 1e-9);
  EXPECT_NEAR(lasting[1], 0.5, 2e-3);
}

TEST(SessionRecorder, LeavesNothingWhereThereWasNoTick) {
  const test::TemporaryFolder folder;
  const test::DescribedSession described = test::described_session("reach");
  runtime::SessionRecorder recorder(io::SessionJournal(folder / "none.h5", described.header),
                                    *described.session, described.session->initial_state());
  EXPECT_TRUE(std::filesystem::exists(folder / "none.h5.journal"));
  recorder.discard();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(RecordedReach, ShowsTheRestOfOneThatWasCutOff) {
  const RecordedAttempts recorded(record(false));
  ASSERT_EQ(recorded.attempts().size(), 2U);
  EXPECT_EQ(recorded.attempts()[1].outcome, Outcome::kNotBegun);
  EXPECT_EQ(recorded.attempts()[1].figures.size(), recorded.attempts()[0].figures.size());
  const report::Attempt a = recorded.complete(2);
  EXPECT_THAT(a.remarks, testing::Contains(testing::HasSubstr("cut off")));
}

}  // namespace
}  // namespace knuckleboom::app
