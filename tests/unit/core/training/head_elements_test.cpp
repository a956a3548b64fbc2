// Work elements of a harvester's head against sessions made from a list of elements.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "unit/core/training/element_sessions.hpp"

namespace knuckleboom::elements_test {
namespace {

constexpr double kUpright = 1.5707963;

// Writes the signals of crane and head tree by tree.
class HeadMaker : Writer {
 public:
  HeadMaker(unsigned seed, bool noise) : Writer(seed, noise) {}

  Made make(int trees) {
    made_.head = true;
    still(Element::kIdle, seconds(2.5, 6.0));
    for (int i = 0; i < trees; ++i) {
      out();
      if (chance(0.15)) {
        still(Element::kIdle, seconds(2.8, 12.0));
        out();
      }
      tree(i);
      if (chance(0.3)) arrange(i);
    }
    out();
    still(Element::kIdle, seconds(2.5, 8.0));
    made_.truth.push_back({Track::kDrive, Element::kIdle, 0, now()});
    if (noise_) add_noise(&ElementSample::feed_m_s, 1.0);
    merge(made_.truth);
    return made_;
  }

 private:
  void put(Element element, int begin) {
    made_.truth.push_back({Track::kCrane, element, begin, now()});
  }
  void add(double speed, bool moves = true) {
    at_.moves = moves || at_.saw || std::fabs(at_.feed_m_s) > 0.1;
    write(speed);
  }
  void still(Element element, int n) {
    const int begin = now();
    for (int i = 0; i < n; ++i) add(0.0, false);
    put(element, begin);
  }
  void out() {
    const int n = seconds(0.6, 20.0), begin = now();
    for (int i = 0; i < n; ++i) {
      at_.gap_m = i + 10 > n ? 0.2 : i % 90 > 80 ? 0.25 : 2.0;  // other trees are passed
      at_.opening = std::min(1.0, at_.opening + 0.03);
      add(std::min({1.5, 0.12 + 0.03 * i, 0.12 + 0.03 * (n - i)}));
    }
    put(Element::kOut, begin);
  }
  void close(int n) {
    for (int i = 0; i < n; ++i) {
      at_.opening = std::max(0.0, at_.opening - 0.02);
      add(0.03);
    }
  }
  void tree(int number) {
    const int begin = now();
    close(seconds(0.3, 1.0));
    at_.stem = number;
    at_.standing = true;
    at_.tilt_rad = kUpright;
    close(seconds(0.3, 8.0));
    put(Element::kGrip, begin);
    fell();
    if (chance(0.4))
      bring();
    else if (chance(0.5))
      part(Element::kThink, 0.0, false, seconds(0.7, 4.0));
    for (int logs = 1 + static_cast<int>(uniform(0.0, 4.0)); logs > 0; --logs) log();
    part(Element::kProc, 0.0, false, seconds(0.3, 2.0));
    release(Element::kProc);
  }
  void fell() {
    const int begin = now();
    at_.saw = true;
    for (int i = seconds(0.5, 4.0); i > 0; --i) add(0.02);
    at_.saw = at_.standing = false;
    const int n = seconds(1.0, 4.0), kind = static_cast<int>(uniform(0.0, 3.0));
    fed_ = kind == 1;
    const bool crane_moves = chance(0.5);
    for (int i = 0; i < n; ++i) {
      at_.tilt_rad = kUpright - (kUpright - 0.30) * i / n;
      add(0.02, crane_moves);
    }
    put(Element::kFell, begin);
    if (kind == 0) at_.on_ground = true;
    if (kind != 1) at_.tilt_rad = 0.1;
    if (kind == 1) part(Element::kFeed, 2.0, false, seconds(0.4, 2.0));
    at_.tilt_rad = 0.1;
  }
  void bring() {
    const int begin = now(), n = seconds(1.5, 15.0);
    if (!fed_ && chance(0.3))
      for (int i = 0; i < 40; ++i) add(0.0, false);  // looks first
    for (int i = 0; i < n; ++i) add(0.9);
    put(fed_ ? Element::kProc : Element::kBring, begin);
  }
  void part(Element element, double feed, bool saw, int n) {
    const int begin = now();
    const bool chatters = noise_ && n > 60 && chance(0.3) && element != Element::kThink;
    at_.saw = saw;
    for (int i = 0; i < n; ++i) {
      const ElementSample was = at_;
      at_.feed_m_s =
          std::copysign(std::min({std::fabs(feed), 0.15 + 0.3 * i, 0.15 + 0.3 * (n - i)}), feed);
      if (feed == 0.0) at_.feed_m_s = 0.0;
      if (chatters && i > 30 && i < 37) {
        at_.stem = -1;
        at_.tilt_rad = 0.0;
      }
      add(0.0, element != Element::kThink);
      at_.stem = was.stem;
      at_.tilt_rad = was.tilt_rad;
    }
    at_.feed_m_s = 0.0;
    at_.saw = false;
    put(element, begin);
  }
  void log() {
    part(Element::kFeed, 4.0, false, seconds(0.4, 6.0));
    if (chance(0.3)) part(Element::kBack, -1.5, false, seconds(0.3, 2.0));
    if (chance(0.3)) part(Element::kThink, 0.0, false, seconds(0.7, 12.0));
    if (chance(0.2)) part(Element::kProc, 0.0, false, seconds(0.3, 6.0));
    part(Element::kCut, 0.0, true, seconds(0.4, 2.0));
  }
  void release(Element element) {
    const int begin = now();
    at_.stem = at_.held = -1;
    at_.on_ground = false;
    at_.tilt_rad = 0.0;
    for (int i = seconds(0.4, 2.0); i > 0; --i) {
      at_.opening = std::min(1.0, at_.opening + 0.02);
      add(0.03);
    }
    put(element, begin);
  }
  void arrange(int number) {
    out();
    int begin = now();
    close(seconds(0.4, 2.0));
    put(Element::kGrip, begin);
    begin = now();
    at_.held = number;
    for (int i = seconds(1.0, 10.0); i > 0; --i) add(0.7);
    put(Element::kArrange, begin);
    release(Element::kArrange);
  }
  bool fed_ = false;
};

TEST(HeadElements, OfMadeSessionsAreTheirs) {
  expect_accepted(compare(made<HeadMaker>(11, false)), 0.98);
}
TEST(HeadElements, OfNoisySessionsAreTheirs) {
  expect_accepted(compare(made<HeadMaker>(11, true)), 0.95);
}
TEST(HeadElements, AreTheSameAtEachRate) { expect_same_at_each_rate(HeadMaker(3, true).make(15)); }
TEST(HeadElements, OfCutOffSessionsLeaveNoGap) { expect_no_gap(HeadMaker(5, true).make(6)); }

// A session with everything a quarter within and a quarter beyond each threshold.
struct HeadEdges {
  std::vector<ElementSample> samples;
  ElementSample at;

  void go(double seconds, double speed, bool moves = true) {
    for (int i = 0; i < std::lround(seconds * kHz); ++i) {
      at.tip_m_s[0] = speed;
      at.tip_m[0] += speed / kHz;
      at.moves = moves;
      at.tick = static_cast<std::int64_t>(samples.size()) + 1;
      samples.push_back(at);
    }
  }
  void jaws(double seconds, double rate, double gap) {
    at.gap_m = gap;
    for (int i = 0; i < std::lround(seconds * kHz); ++i) {
      at.opening += rate / kHz;
      go(1.0 / kHz, 0.04);
    }
  }
  void feed(double seconds, double speed) {
    at.feed_m_s = speed;
    go(seconds, 0.0);
    at.feed_m_s = 0.0;
  }
  void cut(double seconds) {
    at.saw = true;
    go(seconds, 0.0);
    at.saw = false;
  }
  void take(int stem) {
    jaws(0.5, -0.8, 0.1);
    at.stem = stem;
    at.standing = true;
    at.tilt_rad = kUpright;
    go(0.5, 0.0);
    cut(1.0);
    at.standing = false;
    at.tilt_rad = 1.0;
    go(0.5, 0.0);
  }
  void lie() {
    at.tilt_rad = 0.1;
    go(0.04, 0.0);
  }
  void let_go() {
    at.stem = -1;
    at.tilt_rad = 0.0;
    jaws(0.5, 0.8, 0.5);
    at.gap_m = 2.0;
    go(1.0, 0.6);
  }
};

TEST(HeadElements, HalfAsMuchMoreOrLessOfEachThresholdIsSeen) {
  HeadEdges e;
  e.at.gap_m = 3.0;
  e.at.opening = 1.0;
  e.go(3.0, 0.0, false);
  e.go(0.5, 0.075);  // leaves
  e.go(1.0, 0.125);
  e.jaws(0.4, -0.8, 0.37);  // near a stem
  e.jaws(0.4, 0.8, 2.0);
  e.go(0.5, 0.5);
  e.jaws(0.4, -0.8, 0.22);
  e.jaws(0.4, 0.0, 0.6);  // away
  e.jaws(0.4, 0.8, 0.9);
  e.go(0.5, 0.5);
  e.jaws(0.4, -0.015, 0.1);  // closes
  e.jaws(0.4, 0.0, 2.0);
  e.jaws(0.4, -0.025, 0.1);
  e.jaws(0.4, 0.8, 2.0);
  e.go(1.0, 0.6);
  e.go(1.5, 0.0, false);  // rest
  e.go(1.0, 0.6);
  e.go(2.6, 0.0, false);
  e.go(1.0, 0.6);
  e.go(4.0, 0.03, false);  // its way
  e.go(1.0, 0.6);
  e.go(4.0, 0.05, false);
  e.go(1.0, 0.6);
  e.take(1);
  e.at.tilt_rad = 0.32;  // fallen
  e.go(0.5, 0.0);
  e.at.tilt_rad = 0.2;
  e.go(0.5, 0.0);
  e.feed(0.5, 0.075);  // feeds
  e.go(0.5, 0.0);
  e.feed(0.5, 0.125);
  e.go(0.5, 0.0);
  e.go(0.38, 0.0, false);  // thinks
  e.go(0.5, 0.0);
  e.go(0.62, 0.0, false);
  e.go(0.5, 0.0);
  e.cut(0.16);  // short
  e.go(0.5, 0.0);
  e.cut(0.26);
  e.go(0.5, 0.0);
  for (const double gone : {0.14, 0.26}) {  // held
    e.at.stem = -1;
    e.go(gone, 0.0);
    e.at.stem = 1;
    e.go(0.5, 0.0);
    e.feed(0.5, 1.0);
  }
  e.let_go();
  e.take(2);
  e.feed(0.5, 0.15);  // fed while it falls
  e.feed(0.5, 0.25);
  e.lie();
  e.let_go();
  for (const double way : {0.4, 0.6}) {  // brought
    e.take(3);
    e.lie();
    e.go(way, 1.0);
    e.feed(0.5, 2.0);
    e.let_go();
  }
  const Outcome should = outcome(e.samples, true, {});
  EXPECT_TRUE(should.pieces.starts_with(
      "IDLE 176 OUT 291 GRIP 329 OUT 416 GRIP 434 OUT 631 IDLE 761 OUT 811 IDLE 1011 OUT 1311 "
      "GRIP 1361 FELL 1461 PROC 1536 PROC_FEED 1561 PROC 1630 PROC_THINK 1661 "))
      << should.pieces;
  expect_seen(e.samples, true,
              {&ElementLimits::short_s, &ElementLimits::rest_way_m, &ElementLimits::rest_s,
               &ElementLimits::held_s, &ElementLimits::leaves_m_s, &ElementLimits::away_m,
               &ElementLimits::near_stem_m, &ElementLimits::closes_per_s,
               &ElementLimits::fallen_rad, &ElementLimits::fell_feed_m_s, &ElementLimits::bring_m,
               &ElementLimits::feeds_m_s, &ElementLimits::think_s});
}

}  // namespace
}  // namespace knuckleboom::elements_test
