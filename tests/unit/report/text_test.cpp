#include "report/text.hpp"

#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace knuckleboom::report {
namespace {

using testing::ElementsAre;

TEST(ReportText, EscapesWhatMarkupIsMadeOf) {
  EXPECT_EQ(escaped("<script>alert('1 & \"2\"')</script>"),
            "&lt;script&gt;alert(&#39;1 &amp; &quot;2&quot;&#39;)&lt;/script&gt;");
  EXPECT_EQ(escaped("Åsa Öberg, 斧, 🌲"), "Åsa Öberg, 斧, 🌲");
}

TEST(ReportText, ReplacesWhatXmlDoesNotAllow) {
  EXPECT_EQ(escaped(std::string("a\0b", 3)),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(escaped("bell \x07 esc \x1B[2J"), "bell \xEF\xBF\xBD esc \xEF\xBF\xBD[2J");
  EXPECT_EQ(escaped("cut \xE2\x82"), "cut \xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(escaped("\xEF\xBF\xBE"), "\xEF\xBF\xBD");                  // U+FFFE
  EXPECT_EQ(escaped("gpj\xE2\x80\xAE.html"), "gpj\xEF\xBF\xBD.html");  // right-to-left override
}

TEST(ReportText, SaysQuantitiesInThreeDigits) {
  EXPECT_EQ(quantity(0.0, ""), "0");
  EXPECT_EQ(quantity(3.0, ""), "3");
  EXPECT_EQ(quantity(1.9234, ""), "1.92");
  EXPECT_EQ(quantity(0.04912, "m"), "0.049 m");
  EXPECT_EQ(quantity(34.251, "m"), "34.3 m");
  EXPECT_EQ(quantity(12345.0, "N s"), "12345 N s");
  EXPECT_EQ(quantity(822'400.0, "J"), "822 kJ");
  EXPECT_EQ(quantity(3.2e6, "J"), "3.2 MJ");
  EXPECT_EQ(quantity(999.9, "J"), "1 kJ");
  EXPECT_EQ(quantity(0.1, "rad"), "5.73°");
  EXPECT_EQ(quantity(59.96, "s"), "60 s");
  EXPECT_EQ(quantity(259.4, "s"), "4:19.4 min");
  EXPECT_EQ(quantity(277.9, "s", false), "278 s");
  EXPECT_EQ(quantity(-0.0, "m"), "0 m");
  EXPECT_EQ(quantity(std::nan(""), "m"), "–");
  EXPECT_EQ(quantity(std::numeric_limits<double>::infinity(), "s"), "–");
}

TEST(ReportText, TellsTimes) {
  EXPECT_EQ(clock_text(7.46), "0:07.5");
  EXPECT_EQ(clock_text(59.96), "1:00.0");
  EXPECT_EQ(clock_text(-2.0), "-0:02.0");
  EXPECT_EQ(clock_text(-0.01), "0:00.0");
  EXPECT_EQ(date_text("2026-11-28T06:40:12Z"), "2026-11-28 06:40 UTC");
  EXPECT_EQ(date_text("yesterday"), "yesterday");
  EXPECT_EQ(date_text(""), "");
}

TEST(ReportText, MarksAxesWithRoundNumbers) {
  EXPECT_THAT(ticks(0.0, 25.0, 4), ElementsAre(0.0, 10.0, 20.0));
  EXPECT_THAT(ticks(-1.0, 1.0, 3), ElementsAre(-1.0, 0.0, 1.0));
  EXPECT_THAT(tick_labels(ticks(-0.5, 0.5, 5)), ElementsAre("-0.4", "-0.2", "0.0", "0.2", "0.4"));
  EXPECT_THAT(time_ticks(0.0, 300.0, 10),
              ElementsAre(0, 30, 60, 90, 120, 150, 180, 210, 240, 270, 300));
  EXPECT_THAT(ticks(2.0, 2.0, 4), ElementsAre(2.0));
  EXPECT_LE(ticks(0.0, 1e300, 4).size(), 4U);
}

}  // namespace
}  // namespace knuckleboom::report
