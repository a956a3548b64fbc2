#include "knuckleboom/io/utf8.hpp"

#include <string>

#include <gtest/gtest.h>

namespace knuckleboom::io {
namespace {

// Values of RFC 3629, section 7, and the Unicode standard, table 3-7.
TEST(Utf8, ReadsWhatTheStandardShows) {
  EXPECT_EQ(decode_utf8("A", 0).code, U'A');
  EXPECT_EQ(decode_utf8("\xE2\x89\xA2", 0).code, U'\u2262');
  EXPECT_EQ(decode_utf8("\xE2\x89\xA2", 0).length, 3U);
  EXPECT_EQ(decode_utf8("\xF0\xA3\x8E\xB4", 0).code, U'\U000233B4');
  EXPECT_EQ(decode_utf8("\xF4\x8F\xBF\xBF", 0).code, U'\U0010FFFF');
}

TEST(Utf8, RefusesWhatIsNone) {
  EXPECT_EQ(decode_utf8("\xFF\xFE", 0).length, 0U);
  EXPECT_EQ(decode_utf8("\x80", 0).length, 0U);              // a tail alone
  EXPECT_EQ(decode_utf8("\xC0\x80", 0).length, 0U);          // longer than needed
  EXPECT_EQ(decode_utf8("\xED\xA0\x80", 0).length, 0U);      // surrogate
  EXPECT_EQ(decode_utf8("\xF4\x90\x80\x80", 0).length, 0U);  // beyond the last
  EXPECT_EQ(decode_utf8("\xE2\x89", 0).length, 0U);          // cut off
}

TEST(Utf8, WritesWhatItReads) {
  for (const char32_t code : {U'A', U'\u00E5', U'\uFFFD', U'\U0010FFFF'}) {
    std::string text;
    append_utf8(code, text);
    EXPECT_EQ(decode_utf8(text, 0).code, code);
    EXPECT_EQ(decode_utf8(text, 0).length, text.size());
  }
}

}  // namespace
}  // namespace knuckleboom::io
