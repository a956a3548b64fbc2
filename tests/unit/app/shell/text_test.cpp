#include "app/shell/text.hpp"

#include <gtest/gtest.h>

namespace knuckleboom::app {
namespace {

// Texts from files and devices reach the terminal as text only.
TEST(Text, ShowsBytesThatAreNoTextAsNumbers) {
  EXPECT_EQ(printable("a\xFF\xFE"), "a\\xff\\xfe");
  EXPECT_EQ(printable("a\x1B[2J"), "a\\x1b[2J");
  EXPECT_EQ(printable("\xC2\x9B"), "\\x9b");  // a control character of its own
  EXPECT_EQ(printable("m\xC3\xA5l\n\t"), "m\xC3\xA5l\n\t");
}

// A name from a database that somebody changed forges neither the line below nor the text beside it.
TEST(Text, KeepsAValueOnItsLine) {
  EXPECT_EQ(one_line("Bo\nAnna: 5 passed\t"), "Bo\\x0aAnna: 5 passed\\x09");
  EXPECT_EQ(printable("Bo \u202Edessap"), "Bo \\u202edessap");
  EXPECT_EQ(one_line("Bo\u200F\u200B\u2028"), "Bo\\u200f\\u200b\\u2028");
  // Persian wants the non-joiner.
  EXPECT_EQ(one_line("\u0645\u06CC\u200C\u062E"), "\u0645\u06CC\u200C\u062E");
  EXPECT_EQ(padded("B\n", 6), "B\\x0a ");
}

TEST(Text, PutsRowsInColumns) {
  EXPECT_EQ(
      in_columns({{"", "a", "long head"}, {"alone, and as long as it likes"}, {"Bo", "12", "x"}},
                 "lrl"),
      "     a  long head\nalone, and as long as it likes\nBo  12  x\n");
  EXPECT_EQ(in_columns({{"Öberg", "1"}, {"Bo", "22"}}, "lr"), "Öberg   1\nBo     22\n");
}

}  // namespace
}  // namespace knuckleboom::app
