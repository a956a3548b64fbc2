// Texts of a replay.
#include "app/replay/replay_texts.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/session/notes.hpp"

namespace knuckleboom::app {
namespace {

using training::TaskKind;
using view::panels::MarkKind;

io::SessionEvent event(const char* kind, const char* text) {
  io::SessionEvent out;
  out.kind = kind;
  out.text = text;
  return out;
}

TEST(ReplayTexts, TellMistakesFromTheInstructorsMarks) {
  const EventWords bookmark = words_of(event("bookmark", "bookmark"), TaskKind::kLogs);
  EXPECT_EQ(bookmark.text, "bookmark");
  EXPECT_EQ(bookmark.kind, MarkKind::kInstructor);
  const EventWords message = words_of(event("message", "slow down"), TaskKind::kLogs);
  EXPECT_EQ(message.text, "instructor: slow down");
  EXPECT_EQ(message.kind, MarkKind::kInstructor);
  io::SessionEvent fault = event("fault", "boom_cylinder_leak");
  fault.value[1] = 1.0;
  EXPECT_EQ(words_of(fault, TaskKind::kLogs).text, "fault boom cylinder leak begins");
  EXPECT_EQ(words_of(fault, TaskKind::kLogs).kind, MarkKind::kInstructor);
  EXPECT_EQ(words_of(event("end_stop", ""), TaskKind::kLogs).kind, MarkKind::kBad);
  EXPECT_EQ(words_of(event("grip", "red_1"), TaskKind::kLogs).text, "gripped red 1");
  EXPECT_EQ(words_of(event("grip", "red_1"), TaskKind::kLogs).kind, MarkKind::kEvent);
}

TEST(ReplayTexts, SayWhoWasInDanger) {
  io::SessionEvent danger = event("danger", "vehicle");
  danger.value[0] = 1.0;
  danger.value[1] = 41.3;
  danger.value[2] = 2.0;
  const EventWords words = words_of(danger, TaskKind::kFell);
  EXPECT_EQ(words.text, "The saw ran with a vehicle 41 m away in the plane of its chain.");
  EXPECT_EQ(words.kind, MarkKind::kBad);
}

// Beside the file: it says nothing of them.
TEST(ReplayTexts, NotesStandAmongTheEvents) {
  io::SessionRecord record;
  record.end.end_tick = 400;
  record.events = {event("grip", "red_1"), event("bookmark", "bookmark")};
  record.events[0].tick = 100;
  record.events[1].tick = 300;
  const std::string when = "2026-11-28T08:00:00Z";
  // The others are of a database that was changed by hand.
  const std::vector<io::SessionEvent> events =
      with_notes(record, {{7, "a", "", 200, when, "too fast"},
                          {8, "a", "", -5, when, "before"},
                          {9, "a", "", 401, when, "after"},
                          {10, "a", "", 400, when, "two\nlines\u202e" + std::string(10'000, 'x')}});
  ASSERT_EQ(events.size(), 4U);
  EXPECT_THAT(events[3].text, testing::StartsWith("two\\x0alines\\u202exxx"));
  EXPECT_LT(events[3].text.size(), 200U);
  EXPECT_EQ(events[1].tick, 200);
  EXPECT_EQ(words_of(events[1], TaskKind::kLogs).text, "note: too fast");
  EXPECT_EQ(words_of(events[1], TaskKind::kLogs).kind, MarkKind::kInstructor);
}

// A curve of time over time is useless.
TEST(ReplayTexts, OfferEveryChannelButTime) {
  io::SessionHeader header;
  EXPECT_EQ(next_channel(header, 0, 1), 0U);
  header.channels = {{"t_s", "s", ""}, {"swing_rad", "rad", ""}, {"boom_rad", "rad", ""}};
  EXPECT_EQ(next_channel(header, 0, 1), 1U);
  EXPECT_EQ(next_channel(header, 1, 1), 2U);
  EXPECT_EQ(next_channel(header, 2, 1), 1U);
  EXPECT_EQ(next_channel(header, 1, -1), 2U);
  header.channels.resize(1);
  EXPECT_EQ(next_channel(header, 0, 1), 0U);
}

}  // namespace
}  // namespace knuckleboom::app
