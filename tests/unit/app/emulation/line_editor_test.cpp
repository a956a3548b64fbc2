// Bytes of a terminal become lines.
#include "app/emulation/line_editor.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace knuckleboom::app {
namespace {

using Event = LineEditor::Event;

Event type(LineEditor& editor, std::string_view bytes) {
  Event last = Event::kNone;
  for (const char byte : bytes) last = editor.feed(byte);
  return last;
}

TEST(LineEditor, GivesTheLineAtEnter) {
  LineEditor editor;
  EXPECT_EQ(type(editor, "run\r"), Event::kLine);
  EXPECT_EQ(editor.taken(), "run");
  EXPECT_EQ(editor.line(), "");
}

TEST(LineEditor, SpaceStopsOnlyWhereNothingIsTyped) {
  LineEditor editor;
  EXPECT_EQ(type(editor, " "), Event::kSpace);
  EXPECT_EQ(editor.line(), "");
  EXPECT_EQ(type(editor, "log "), Event::kNone);
  EXPECT_EQ(type(editor, "on\n"), Event::kLine);
  EXPECT_EQ(editor.taken(), "log on");
}

TEST(LineEditor, EndsByControlDWhereNothingIsTyped) {
  LineEditor editor;
  EXPECT_EQ(type(editor, "\x04"), Event::kEnd);
  EXPECT_EQ(type(editor, "ab\x1b[D\x04"), Event::kNone);  // deletes instead
  EXPECT_EQ(editor.line(), "a");
}

TEST(LineEditor, EditsWithinTheLine) {
  LineEditor editor;
  type(editor,
       "stp\x1b[D"
       "o");
  EXPECT_EQ(editor.line(), "stop");
  EXPECT_EQ(editor.cursor(), 3U);
  type(editor, "\x1b[H\x1b[3~\x1bOF\x7f");
  EXPECT_EQ(editor.line(), "to");
  type(editor, "\x15");
  EXPECT_EQ(editor.line(), "");
  type(editor, "set a b\x17");
  EXPECT_EQ(editor.line(), "set a ");
}

TEST(LineEditor, RemembersLines) {
  LineEditor editor;
  type(editor, "run\rhold\rhold\r");
  type(editor, "\x1b[A");
  EXPECT_EQ(editor.line(), "hold");
  type(editor, "\x1b[A\x1b[A");
  EXPECT_EQ(editor.line(), "run");
  type(editor, "\x1b[B\x1b[B");
  EXPECT_EQ(editor.line(), "");
}

TEST(LineEditor, CompletesAsFarAsAllAgree) {
  LineEditor editor([](const std::string& line) {
    return line == "set c" ? std::vector<std::string>{"control.damping", "control.scheme"}
                           : std::vector<std::string>{"control.damping"};
  });
  type(editor, "set c\t");
  EXPECT_EQ(editor.line(), "set control.");
  type(editor, "d\t");
  EXPECT_EQ(editor.line(), "set control.damping ");
}

TEST(LineEditor, DropsWhatItDoesNotKnow) {
  LineEditor editor;
  type(editor, "r\x1b[15~u\x01\x05\xc3\xa4n\x1b[200~\r");
  EXPECT_EQ(editor.taken(), "run");
}

}  // namespace
}  // namespace knuckleboom::app
