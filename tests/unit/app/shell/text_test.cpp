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

}  // namespace
}  // namespace knuckleboom::app
