// The page is well-formed, needs nothing from outside, shows the right numbers, and no text can break it.
#include "report/page.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/charts.hpp"
#include "report/text.hpp"
#include "xml_check.hpp"

namespace knuckleboom::report {
namespace {

using test::XmlElement;
using test::XmlResult;
using testing::HasSubstr;
using testing::Not;

// A square of 2 m by 2 m at a height of 1 m, in 8 s.
Attempt square_attempt() {
  Attempt a;
  a.title = "Square";
  a.learner = "Åsa Öberg";
  a.started = "2026-11-28T06:40:12Z";
  a.exercise = "square";
  a.machine = "harvester_grapple";
  a.levers = "nordic";
  a.build = "knuckleboom 0.1.0 (abc)";
  a.source = "square.h5";
  a.outcome = Outcome::kFailed;
  a.duration_s = 8.0;
  a.figures = {{"time_s", "Time", "s", 8.0, {}, 60.0},
               {"path_ratio", "Path over shortest", "", 1.5, {}, 1.2},
               {"placed", "Done", "", 4.0, 4.0, {}},
               {"energy_J", "Pump work", "J", 123'456.0, {}, {}}};
  a.events = {{0.0, EventKind::kTask, "begun", 0.0},
              {2.5, EventKind::kCollision, "stem", 0.0},
              {3.0, EventKind::kRelief, "boom", 0.5},
              {4.0, EventKind::kBookmark, "look here", 0.0}};
  const std::vector<Point> corners = {{4, 0, 1}, {6, 0, 1}, {6, 2, 1}, {4, 2, 1}, {4, 0, 1}};
  for (std::size_t side = 0; side < 4; ++side)
    for (int i = 0; i < 100; ++i) {
      const Point &p = corners[side], &q = corners[side + 1];
      const double share = 0.01 * i;
      a.tip.push_back({p.x + share * (q.x - p.x), p.y + share * (q.y - p.y), 1.0});
      a.t_s.push_back(0.02 * static_cast<double>(a.t_s.size()));
    }
  a.tip.push_back(corners.back());
  a.t_s.push_back(8.0);
  a.ideal = corners;
  a.ideal_label = "the square";
  a.pump_Pa.assign(a.t_s.size(), 20e6);
  Pressures boom{"boom", a.pump_Pa, a.pump_Pa, 25e6};
  boom.a_Pa[150] = 26e6;
  a.pressures = {boom};
  a.levers_moved = {{"left x: swing", "", std::vector<double>(a.t_s.size(), 0.5)}};
  a.joints = {{"swing", "rad", std::vector<double>(a.t_s.size(), 0.1)}};
  a.health = {{"Late ticks", "0"}};
  return a;
}

Content square() {
  Content c;
  c.judged = square_attempt();
  c.same_session = {c.judged};
  c.build = "knuckleboom 0.1.0 (def)";
  return c;
}

XmlResult read(const Content& content) {
  XmlResult xml = test::read_xml(page(content));
  EXPECT_EQ(xml.fault, "");
  return xml;
}

std::vector<Pixel> points_of(const XmlElement& element) {
  std::istringstream text(element.attributes.at("points"));
  std::vector<Pixel> out;
  for (Pixel p; text >> p.x && text.ignore(1) && text >> p.y;) out.push_back(p);
  return out;
}

std::vector<XmlElement> of_class(const XmlResult& xml, const std::string& name,
                                 const std::string& classes) {
  std::vector<XmlElement> out;
  for (const XmlElement& element : xml.elements)
    if (const auto found = element.attributes.find("class");
        element.name == name && found != element.attributes.end() && found->second == classes)
      out.push_back(element);
  return out;
}

TEST(ReportPage, IsWellFormedAndNeedsNothing) {
  const std::string html = page(square());
  EXPECT_EQ(test::read_xml(html).fault, "");
  for (const char* outside :
       {"http:", "https:", "//", "url(", "@import", "<script", "<link", "src=", "href=", "onload"})
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  EXPECT_THAT(html, HasSubstr("<!DOCTYPE html>\n<html lang=\"en\">"));
  EXPECT_THAT(html, HasSubstr("<meta charset=\"utf-8\"/>"));
  EXPECT_THAT(html, HasSubstr("size: A4"));
}

TEST(ReportPage, SaysWhoWhatAndHowItWent) {
  const std::string html = page(square());
  for (const char* text :
       {"<h1>Square</h1>", "✘ Not passed", "Åsa Öberg", "2026-11-28 06:40 UTC", "harvester_grapple",
        "1 of 3 limits is not kept.", "✘ not kept", "✔ kept", "at most 1.2", "at least 4", "123 kJ",
        "<span class=\"t\">0:02.5</span> Collision: stem",
        "<span class=\"t\">0:03.0</span> At relief: boom, for 0.5 s", "Bookmark: look here"})
    EXPECT_THAT(html, HasSubstr(text));
}

TEST(ReportPage, LeavesDetailsForTheEnd) {
  Content c = square();
  c.judged.figures.push_back({"ldlj", "Smoothness", "", -6.25, {}, {}, true});
  c.judged.figures.push_back({"swing", "Head swing", "rad", 0.1, {}, 0.2, true});  // judged
  const XmlResult xml = read(c);
  const std::size_t more = xml.text.find("More figures");
  ASSERT_NE(more, std::string::npos);
  EXPECT_GT(xml.text.find("Smoothness"), more);
  EXPECT_THAT(xml.text, HasSubstr("-6.25"));
  EXPECT_LT(xml.text.find("Head swing"), more);
  EXPECT_THAT(xml.text, HasSubstr("at most 11.5°"));
}

TEST(ReportPage, DrawsAKnownSquareWhereItIs) {
  const Content c = square();
  const XmlResult xml = read(c);
  const auto ideal = of_class(xml, "polyline", "ideal");
  ASSERT_EQ(ideal.size(), 2U);  // from above, from the side
  const std::vector<Pixel> above = points_of(ideal[0]);
  ASSERT_EQ(above.size(), 5U);
  const PlanScale scale = path_scale(c.judged, {}, PathView::kAbove);
  const double side = scale.length(2.0);
  EXPECT_GT(side, 60.0);
  EXPECT_NEAR(above[1].x - above[0].x, side, 0.11);  // forward is to the right
  EXPECT_NEAR(above[1].y, above[0].y, 0.11);
  EXPECT_NEAR(above[1].y - above[2].y, side, 0.11);  // left is up
  EXPECT_NEAR(above[4].x, above[0].x, 0.11);
  for (const Pixel& p : above) {
    EXPECT_GT(p.x, 0.0);
    EXPECT_LT(p.x, kPathWidth);
    EXPECT_GT(p.y, 0.0);
    EXPECT_LT(p.y, scale.height());
  }
  for (const Pixel& p : points_of(ideal[1])) EXPECT_NEAR(p.y, points_of(ideal[1])[0].y, 0.11);

  // The path that was driven has the same corners.
  const std::vector<Pixel> own = points_of(of_class(xml, "polyline", "own").at(0));
  for (const Pixel& corner : above) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const Pixel& p : own)
      nearest = std::min(nearest, std::hypot(p.x - corner.x, p.y - corner.y));
    EXPECT_LT(nearest, 1.0);
  }
}

// Nearly simultaneous events are placed one below the other, and no words overlap.
TEST(ReportPage, KeepsTheWordsOfTheTimelineApart) {
  Attempt a = square_attempt();
  a.t_s = {0.0, 300.0};
  a.tip.clear();
  a.events = {{60.0, EventKind::kFault, "boom cylinder leak", 240.0},
              {62.0, EventKind::kFault, "air in oil", 100.0},
              {63.0, EventKind::kFault, "swing sticking spool", 237.0},
              {63.5, EventKind::kFault, "worn pump", 5.0},
              {100.0, EventKind::kMessage, "KEEP THE BOOM LOW WWWWWW", 0.0},
              {104.0, EventKind::kMessage, "Stop at the next stem, please", 0.0},
              {130.0, EventKind::kBookmark, "bookmark", 0.0},
              {131.0, EventKind::kBookmark, "bookmark", 0.0},
              {299.0, EventKind::kMessage, "Well done, that is enough", 0.0}};
  const std::string svg = timeline_chart(a);
  struct Box {
    double left, right, y;
    std::string text;
  };
  std::vector<Box> boxes;
  const std::regex text(
      "<text class=\"small (halo|inside)\" x=\"([-0-9.]+)\" y=\"([-0-9.]+)\" "
      "text-anchor=\"(start|end)\">([^<]*)</text>");
  for (auto it = std::sregex_iterator(svg.begin(), svg.end(), text); it != std::sregex_iterator();
       ++it) {
    // As wide as the letters are in a wide font, but for the capitals of the one message.
    const std::string words = (*it)[5];
    const double width =
        (words.starts_with("KEEP") ? 8.3 : 5.6) * static_cast<double>(words.size());
    const double x = std::stod((*it)[2]);
    const bool end = (*it)[4] == "end";
    boxes.push_back({end ? x - width : x, end ? x : x + width, std::stod((*it)[3]), words});
  }
  ASSERT_EQ(boxes.size(), a.events.size()) << svg;
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_TRUE(boxes[i].right <= boxes[j].left || boxes[j].right <= boxes[i].left ||
                  std::abs(boxes[i].y - boxes[j].y) >= 10.0)
          << boxes[i].text << " and " << boxes[j].text;
}

TEST(ReportPage, KeepsALineOfAKeyWithItsWords) {
  Content content = square();
  content.judged.ideal_label = "a <square>";
  const std::string html = page(content);
  EXPECT_THAT(html, HasSubstr("</svg>a &lt;square&gt;</span>"));
  EXPECT_THAT(html, HasSubstr("</svg>relief valve opens</span>"));
}

TEST(ReportPage, TellsAnIntegralInSeconds) {
  Content content = square();
  Figure effort{"control_effort_s", "Control effort", "s", 277.9, {}, {}};
  effort.passes = false;
  content.judged.figures.push_back(effort);
  const std::string html = page(content);
  EXPECT_THAT(html, HasSubstr(">278 s<"));
  EXPECT_THAT(html, Not(HasSubstr("4:37.9")));
}

TEST(ReportPage, ShowsAPressurePeakAboveTheRelief) {
  const XmlResult xml = read(square());
  double relief = 0.0;
  for (const XmlElement& line : of_class(xml, "line", "limit"))
    if (line.attributes.at("x1") == "44") relief = std::stod(line.attributes.at("y1"));
  ASSERT_GT(relief, 0.0);
  double highest = std::numeric_limits<double>::infinity();
  // Curves of the pressure drawing: those after the two paths.
  for (const Pixel& p : points_of(of_class(xml, "polyline", "own").at(2)))
    highest = std::min(highest, p.y);
  EXPECT_LT(highest, relief);
}

TEST(ReportPage, NoTextCanBreakIt) {
  const std::string evil =
      "</title></style><script>alert(1)</script>\" onload=\"x\" &nbsp; ' \x01\xFF";
  Content c = square();
  Attempt& a = c.judged;
  for (std::string* text : {&a.title, &a.learner, &a.started, &a.exercise, &a.machine, &a.levers,
                            &a.build, &a.source, &a.tip_label, &a.ideal_label, &c.build})
    *text = evil;
  for (Figure& figure : a.figures) figure.name = figure.label = figure.unit = evil;
  for (Event& event : a.events) event.text = evil;
  a.pressures[0].label = a.levers_moved[0].label = a.joints[0].label = a.joints[0].unit = evil;
  a.targets = {{evil, {5, 1, 1}, 0.3}};
  a.stems = {{evil, {5, 1, 1}, 0.3}};
  a.health = {{evil, evil}};
  a.remarks = {evil};
  a.of = 2;
  c.same_session = {a, a};
  c.others = {a};
  c.others[0].learner = evil + "2";
  c.expert = a;
  c.earlier = {{evil, Outcome::kPassed, {{evil, 1.0}}}};
  const std::string html = page(c);
  EXPECT_EQ(test::read_xml(html).fault, "");
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("\" onload")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;"));
}

TEST(ReportPage, SaysInASentenceWhatThereIsNot) {
  Content c;
  c.judged.started = "2026-11-28T06:40:12Z";
  const XmlResult nothing = read(c);
  EXPECT_THAT(nothing.text, HasSubstr("The session has ended before anything happened"));
  EXPECT_THAT(nothing.text, HasSubstr("No figures were recorded."));
  EXPECT_THAT(nothing.text, HasSubstr("No path was recorded."));
  EXPECT_THAT(nothing.text, HasSubstr("not named"));

  c = square();
  c.judged.outcome = Outcome::kNotBegun;
  EXPECT_THAT(read(c).text, HasSubstr("There is nothing to judge."));
  c.judged.outcome = Outcome::kBrokenOff;
  const XmlResult broken_off = read(c);
  EXPECT_THAT(broken_off.text, HasSubstr("The attempt was broken off"));
  EXPECT_THAT(broken_off.text, HasSubstr("✘ not kept"));   // the path ratio, for good
  EXPECT_THAT(broken_off.text, Not(HasSubstr("✔ kept")));  // may still be lost

  c.judged.t_s.resize(20);
  c.judged.tip.resize(20);
  EXPECT_THAT(read(c).text, HasSubstr("lasted 0.38 s only."));
  c.judged.t_s.resize(1);
  c.judged.tip.resize(1);
  EXPECT_THAT(read(c).text, HasSubstr("No pressures were recorded."));
}

TEST(ReportPage, TakesValuesThatAreNoNumbers) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  Content c = square();
  for (Figure& figure : c.judged.figures) figure.value = none;
  for (std::size_t i = 0; i < c.judged.tip.size(); i += 3) c.judged.tip[i] = {none, none, none};
  for (std::size_t i = 0; i < c.judged.tip.size(); i += 2) c.judged.pressures[0].a_Pa[i] = none;
  c.judged.joints[0].value.assign(c.judged.t_s.size(), none);
  c.earlier = {{"", Outcome::kFailed, {{"time_s", none}}}};
  const XmlResult xml = read(c);
  EXPECT_THAT(xml.text, HasSubstr("3 of 3 limits are not kept."));
  for (const XmlElement& element : xml.elements)
    for (const auto& [key, value] : element.attributes) {
      EXPECT_THAT(value, Not(HasSubstr("nan"))) << element.name << " " << key;
      EXPECT_THAT(value, Not(HasSubstr("inf"))) << element.name << " " << key;
    }
}

TEST(ReportPage, ComparesWithOthersAndTheExpert) {
  Content c = square();
  c.others = {c.judged};
  c.others[0].started = "2026-11-21T06:40:12Z";
  c.others[0].figures[0].value = 10.0;
  std::string html = page(c);
  EXPECT_THAT(html, HasSubstr("2026-11-21 06:40 UTC"));
  EXPECT_THAT(html, HasSubstr("−2 s (-20 %)"));  // 8 s after 10 s
  EXPECT_THAT(html, HasSubstr("class=\"other o1\""));
  EXPECT_THAT(html, Not(HasSubstr("class=\"other expert\"")));

  c.expert = c.judged;
  c.expert->learner = "Bo";
  html = page(c);
  EXPECT_THAT(html, HasSubstr("Expert: Bo, 2026-11-28 06:40 UTC"));
  EXPECT_THAT(html, HasSubstr("class=\"other expert\""));

  c.expert->exercise = "circle";
  html = page(c);
  EXPECT_THAT(html, HasSubstr("is of another exercise (circle)"));
  EXPECT_THAT(html, Not(HasSubstr("class=\"other expert\"")));
  EXPECT_EQ(test::read_xml(html).fault, "");
}

TEST(ReportPage, DrawsTheLearningCurve) {
  Content c = square();
  c.earlier = {{"2026-11-01T08:00:00Z", Outcome::kFailed, {{"time_s", 32.0}}},
               {"2026-11-08T08:00:00Z", Outcome::kPassed, {{"time_s", 16.0}}}};
  const std::string html = page(c);
  EXPECT_THAT(
      html,
      HasSubstr(
          "3 attempts at this exercise under these conditions, 1 of them passed (●; ○ not passed), "
          "0 broken off (not drawn)"));
  const XmlResult xml = test::read_xml(html);
  ASSERT_EQ(xml.fault, "");
  const std::vector<CurvePoint> points = {{32.0, false}, {16.0, true}, {8.0, false}};
  const XmlResult chart =
      test::read_xml(learning_chart(c.judged.figures[0], points, true, "a", "b"));
  ASSERT_EQ(chart.fault, "");
  const std::vector<Pixel> line = points_of(of_class(chart, "polyline", "own").at(0));
  ASSERT_EQ(line.size(), 3U);
  EXPECT_NEAR(line[1].x - line[0].x, line[2].x - line[1].x, 0.11);
  EXPECT_NEAR((line[2].y - line[0].y) / (line[1].y - line[0].y), 24.0 / 16.0, 0.02);
  EXPECT_EQ(of_class(chart, "circle", "spot").size(), 1U);  // the one that was passed
}

// Attempts are numbered, days do not lie on each other, and half a collision has no tick.
TEST(ReportPage, LabelsTheLearningCurve) {
  Figure collisions;
  collisions.label = "Collisions";
  collisions.most = 0.0;
  const std::vector<CurvePoint> points = {{1.0, false}, {0.0, true}};
  const auto texts = [&](const std::string& first, const std::string& last) {
    const std::string svg = learning_chart(collisions, points, true, first, last);
    std::vector<std::string> out;
    const std::regex text("<text[^>]*>([^<]*)</text>");
    for (auto it = std::sregex_iterator(svg.begin(), svg.end(), text); it != std::sregex_iterator();
         ++it)
      out.push_back((*it)[1]);
    return out;
  };
  EXPECT_THAT(texts("2026-11-01", "2026-11-01"),
              testing::ElementsAre("0", "1", "at most", "1", "2", "2026-11-01", "attempt"));
  EXPECT_THAT(texts("2026-11-01", "2026-11-08"),
              testing::IsSupersetOf({"2026-11-01", "2026-11-08"}));
}

// One unit of pressure through the page: the one that operators say.
TEST(ReportPage, TellsPressuresInBar) {
  EXPECT_EQ(axis_unit("Pa").unit, "bar");
  EXPECT_NEAR(25e6 * axis_unit("Pa").factor, 250.0, 1e-9);
  EXPECT_EQ(quantity(25.04e6, "Pa"), "250 bar");
  EXPECT_EQ(quantity(1.234e6, "Pa"), "12.3 bar");
  EXPECT_THAT(page(square()), Not(HasSubstr("MPa")));
}

TEST(ReportPage, ListsTheAttemptsOfASession) {
  Content c = square();
  c.judged.of = 2;
  c.judged.number = 2;
  Attempt first = c.judged;
  first.number = 1;
  first.outcome = Outcome::kBrokenOff;
  c.same_session = {first, c.judged};
  const XmlResult xml = read(c);
  EXPECT_THAT(xml.text, HasSubstr("2 of 2 in this session"));
  EXPECT_THAT(xml.text, HasSubstr("2 (this report)"));
  EXPECT_THAT(xml.text, HasSubstr("Broken off"));
}

TEST(ReportPage, StaysSmallForALongSession) {
  Content c = square();
  Attempt& a = c.judged;
  const std::size_t n = 180'000;  // an hour at 50 Hz
  a.t_s.resize(n);
  a.tip.resize(n);
  std::vector<double> noise(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double t = 0.02 * static_cast<double>(i);
    a.t_s[i] = t;
    noise[i] = std::sin(7.0 * t) * std::sin(1.3 * t) + 0.1 * std::sin(91.0 * t);
    a.tip[i] = {5.0 + noise[i], 3.0 * std::sin(0.31 * t), 2.0 + std::sin(0.77 * t)};
  }
  a.pump_Pa = noise;
  a.pressures.assign(6, {"boom", noise, noise, 25e6});
  a.levers_moved.assign(8, {"left x: swing", "", noise});
  a.joints.assign(6, {"swing", "rad", noise});
  for (int i = 0; i < 5000; ++i) a.events.push_back({0.7 * i, EventKind::kCollision, "stem", 0.0});
  const std::string html = page(c);
  EXPECT_LT(html.size(), 2'000'000U);
  EXPECT_EQ(test::read_xml(html).fault, "");
  EXPECT_THAT(html, HasSubstr("more events are not listed"));
}

}  // namespace
}  // namespace knuckleboom::report
