// Work elements against sessions made from a list of elements, whose boundaries are known.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "unit/core/training/element_sessions.hpp"

namespace knuckleboom::elements_test {
namespace {

// Writes the crane's signals piece by piece; the drive's run beside them.
class Maker : Writer {
 public:
  Maker(unsigned seed, bool noise) : Writer(seed, noise) {}

  Made make(int cycles) {
    rest(seconds(2.5, 6.0));
    for (int i = 0; i < cycles; ++i) cycle();
    rest(seconds(2.5, 8.0));
    add_drive();
    if (noise_) add_noise(&ElementSample::carrier_m_s, 0.3);
    merge(made_.truth);
    return made_;
  }

 private:
  void put(Element element, int begin, int end) {
    made_.truth.push_back({Track::kCrane, element, begin, end});
  }
  ElementSample& add(double speed, double gap) {
    at_.moves = true;
    at_.gap_m = gap;
    return write(speed);
  }
  // From one speed to another over n samples, up to a highest one between.
  void travel(int n, double from, double to, double top, double gap_from, double gap_to) {
    const double rise = 1.5 / kHz;
    for (int i = 0; i < n; ++i) {
      const double v = std::min({top, from + rise * (i + 1), to + rise * (n - i)});
      const double share = (i + 1.0) / n;
      const double gap = n - i > 4 && i > 1
                             ? std::max(0.8, 0.8 + 4.0 * std::min(share, 1.0 - share))
                         : i <= 1 ? gap_from
                                  : gap_to;
      add(v, gap);
    }
  }
  void rest(int n) {
    put(Element::kIdle, now(), now() + n);
    for (int i = 0; i < n; ++i) {
      add(0.0, made_.samples.empty() ? 3.0 : made_.samples.back().gap_m).moves = false;
    }
  }
  void out() {
    const int n = seconds(0.4, 20.0), begin = now();
    travel(n, 0.12, 0.29, uniform(0.6, 2.0), 0.2, 0.35);
    put(Element::kOut, begin, begin + n);
  }
  // again: what comes before the jaws hold belongs to another element, from that sample on.
  void grip(int log, bool box, int again = -1) {
    int begin = now();
    const int n = seconds(0.5, 12.0);
    const int closes = std::max(1, n - seconds(0.25, 3.0));
    at_.in_box = box;
    for (int i = 0; i < n; ++i) {
      if (i == closes) {
        at_.held = log;
        at_.on_ground = true;
        if (again >= 0) put(Element::kRegrip, again, begin = now());
      }
      add(std::max(0.05, 0.28 - 0.02 * i), 0.3);
    }
    put(Element::kGrip, begin, now());
    at_.on_ground = false;
  }
  void level() {
    const int n = seconds(0.5, 6.0), begin = now();
    at_.on_ground = true;
    for (int i = 0; i < n; ++i) {
      at_.tilt_rad = 0.90 - (0.90 - 0.53) * i / n;
      add(0.3, 2.0);
    }
    put(Element::kLevel, begin, now());
    at_.on_ground = false;
    at_.tilt_rad = 0.0;
  }
  // Until it is slow over where the log goes.
  void carry(int n, bool box, bool counts) {
    const int begin = now();
    const int log = at_.held;
    const bool chatters = noise_ && n > 60 && chance(0.3);
    for (int i = 0; i < n; ++i) {
      const double v = std::min({1.2, 0.3 + 0.03 * (i + 1), 0.2 + 0.03 * (n - i)});
      at_.in_box = box && i > n - 4;
      at_.held = chatters && i > 30 && i < 30 + chatter_ ? -1 : log;
      add(v, 2.0);
    }
    at_.held = log;
    if (counts) put(Element::kIn, begin, now());
  }
  // Slow with the log, let go, and slow until the empty grapple leaves.
  int release(bool box) {
    at_.in_box = box;
    const int first = seconds(0.3, 4.0), rest_of = seconds(0.3, 3.0);
    for (int i = 0; i < first; ++i) add(0.06 + 0.12 * std::exp(-0.3 * i), 2.0);
    const int at = now();
    at_.held = -1;
    for (int i = 0; i < rest_of; ++i) add(0.06, 0.2);
    return at;
  }
  void cycle() {
    const int log = log_++;
    out();
    if (chance(0.15)) rest_inside(Element::kOut);
    grip(log, false);
    const double kind = uniform(0.0, 1.0);
    if (kind < 0.12) {  // let go outside, and taken again
      carry(seconds(0.6, 1.2), false, true);
      const int begin = now();
      const int let_go = release(false);
      put(Element::kRelease, begin, let_go);
      grip(log, false, let_go);
    } else if (kind < 0.24) {  // put down outside; another one comes next
      const int begin = now();
      carry(seconds(2.0, 8.0), false, false);
      const int let_go = release(false);
      put(Element::kSort, begin, let_go);
      put(Element::kRelease, let_go, now());
      at_.in_box = false;
      return;
    } else if (kind < 0.36) {
      carry(seconds(0.6, 3.0), false, true);
      level();
    }
    carry(seconds(0.5, 20.0), true, true);
    const int begin = now();
    release(true);
    put(Element::kRelease, begin, now());
    if (chance(0.15)) {  // in the box
      out();
      grip(log, true);
      const int from = now();
      carry(seconds(0.6, 4.0), true, false);
      const int let_go = release(true);
      put(Element::kTidy, from, let_go);
      put(Element::kRelease, let_go, now());
    }
    at_.in_box = false;
    if (chance(0.2)) rest(seconds(2.6, 30.0));
  }
  // At the end of a piece; it goes on afterwards.
  void rest_inside(Element element) {
    const int n = seconds(2.8, 12.0);
    rest(n);
    const int begin = now();
    travel(seconds(1.0, 3.0), 0.12, 0.29, 0.8, 0.9, 0.35);
    put(element, begin, now());
  }
  void add_drive() {
    int i = 0;
    const int n = now();
    while (i < n) {
      const int stand = std::min(n - i, seconds(0.7, 30.0));
      made_.truth.push_back({Track::kDrive, Element::kIdle, i, i + stand});
      i += stand;
      const int drive = std::min(n - i, seconds(1.5, 20.0));
      for (int k = 0; k < drive; ++k)
        made_.samples[static_cast<std::size_t>(i + k)].carrier_m_s =
            std::min({1.4, 0.13 + 0.03 * k, 0.06 + 0.03 * (drive - k)});
      if (drive > 0) made_.truth.push_back({Track::kDrive, Element::kMove, i, i + drive});
      i += drive;
    }
  }

  int log_ = 0, chatter_ = 7;
};

TEST(Elements, OfMadeSessionsAreTheirs) { expect_accepted(compare(made<Maker>(7, false)), 0.98); }
TEST(Elements, OfNoisySessionsAreTheirs) { expect_accepted(compare(made<Maker>(7, true)), 0.95); }
TEST(Elements, AreTheSameAtEachRate) { expect_same_at_each_rate(Maker(3, true).make(15)); }
TEST(Elements, OfCutOffSessionsLeaveNoGap) { expect_no_gap(Maker(5, true).make(6)); }

// How often an element was is the number of its pieces.
TEST(Elements, ALoadThatIsThereAtTheBeginningIsCarried) {
  ElementState s = start_elements();
  ElementSample at{};
  at.held = -1;
  for (at.tick = 1; at.tick <= 100; ++at.tick) {
    at.load = at.tick < 5 ? 0 : 30;  // it comes to rest first
    follow_elements(1.0 / kHz, at, s);
  }
  EXPECT_EQ(s.phase, LoadPhase::kLoaded);
  EXPECT_EQ(s.phase_ticks[static_cast<int>(LoadPhase::kEmpty)], 0);
  EXPECT_EQ(s.phase_ticks[static_cast<int>(LoadPhase::kLoaded)], 100);
}

// A pile where nothing can be loaded, as a tower is, is no load.
TEST(Elements, WithoutALoadSpaceNoLoadHasPhases) {
  const auto phases = [](const Made& made, bool no_load) {
    ElementState s = start_elements(false, no_load);
    for (const ElementSample& at : made.samples) follow_elements(kElementSample, at, s);
    finish_elements(kElementSample, made.samples.back().tick, s);
    return std::vector<std::int64_t>(std::begin(s.phase_ticks), std::end(s.phase_ticks));
  };
  Made tower = Maker(11, true).make(12);
  for (ElementSample& at : tower.samples) at.in_box = false;
  const auto all = static_cast<std::int64_t>(tower.samples.size());
  EXPECT_EQ(phases(tower, true), (std::vector<std::int64_t>{all, 0, 0, 0}));
  const std::vector<std::int64_t> loads = phases(Maker(11, true).make(12), false);
  EXPECT_GT(loads[1], all / 2);
  EXPECT_EQ(loads[0] + loads[1] + loads[2] + loads[3], all);
}

TEST(Elements, AreCounted) {
  const Made made = Maker(7, true).make(12);
  ElementState state = start_elements();
  std::vector<FinalPiece> pieces;
  for (ElementSample at : made.samples) {
    at.tick *= 20;
    follow_elements(1e-3, at, state, &pieces);
  }
  const ElementTicks open = element_pieces(state.track[0]);
  finish_elements(1e-3, state.end, state, &pieces);
  std::int64_t counted[kTracks][kElements] = {};
  Element last[kTracks] = {Element::kMove, Element::kOut};  // not those of the track
  for (const FinalPiece& piece : pieces) {
    const auto track = static_cast<std::size_t>(piece.track);
    if (piece.element != last[track]) ++counted[track][static_cast<std::size_t>(piece.element)];
    last[track] = piece.element;
  }
  for (std::size_t t = 0; t < kTracks; ++t)
    for (std::size_t e = 0; e < kElements; ++e) {
      EXPECT_EQ(element_pieces(state.track[t])[e], counted[t][e]) << t << ", " << e;
      EXPECT_EQ(state.track[t].pieces[e], counted[t][e]);
    }
  EXPECT_EQ(open, element_pieces(state.track[0]));
  EXPECT_GT(counted[0][static_cast<std::size_t>(Element::kGrip)], 10);
}

// A session with everything a quarter within and a quarter beyond each threshold.
struct Edges {
  std::vector<ElementSample> samples;
  ElementSample at;

  void go(double seconds, double speed, double gap) {
    for (int i = 0; i < std::lround(seconds * kHz); ++i) {
      at.tip_m_s[0] = speed;
      at.gap_m = gap;
      at.moves = true;
      at.tick = static_cast<std::int64_t>(samples.size()) + 1;
      samples.push_back(at);
    }
  }
  void still(double seconds, double creep = 0.0) {
    const std::size_t first = samples.size();
    go(seconds, creep, at.gap_m);
    for (std::size_t i = first; i < samples.size(); ++i) samples[i].moves = false;
  }
  void tilt(double seconds, double degrees) {
    at.tilt_rad = degrees * 0.01745329252;
    at.on_ground = true;
    go(seconds, 0.5, 2.0);
    at.tilt_rad = 0.0;
    at.on_ground = false;
  }
  void open(double seconds, double rate) {
    for (int i = 0; i < std::lround(seconds * kHz); ++i) {
      at.opening += rate / kHz;
      go(1.0 / kHz, 0.3, 2.0);
    }
  }
  void drive(double seconds, double speed) {
    at.carrier_m_s = speed;
    still(seconds);
    at.carrier_m_s = 0.0;
  }
  void take(int log) {  // from OUT; lifted
    go(0.6, 0.2, 0.4);
    at.held = log;
    at.on_ground = true;
    go(0.4, 0.1, 0.4);
    at.on_ground = false;
    go(0.6, 0.6, 2.0);
  }
  // Out of the load space and onto a heap; what is left in it.
  void unload(int log) {
    go(0.6, 0.6, 2.0);
    at.in_box = true;
    go(0.6, 0.2, 0.4);
    at.held = log;
    --at.load;
    go(0.4, 0.1, 0.4);
    go(0.6, 0.6, 2.0);
    at.in_box = false;
    go(0.5, 0.1, 2.0);
    at.held = -1;
    go(0.5, 0.06, 0.1);
    go(0.6, 0.6, 2.0);
  }
  int now() const { return static_cast<int>(samples.size()); }
  void set(bool box) {
    at.in_box = box;
    go(0.5, 0.1, 2.0);
    at.held = -1;
    at.load += box ? 1 : 0;
    go(0.5, 0.06, 0.1);
    go(0.6, 0.6, 2.0);
    at.in_box = false;
  }
};

// Driven out, three logs at two stops, driven back and unloaded: its phases add up to the session, and begin and end within
// 0.3 s of where they do.
TEST(Elements, PhasesOfALoadAreItsTime) {
  Edges e;
  e.still(3.0);
  e.drive(30.0, 1.0);
  const int out = e.now();
  e.take(1);
  const int first_grip = out + 30;  // 0.6 s on
  e.set(true);
  e.drive(20.0, 1.0);  // to the next stop; nearer than 30 m
  e.take(2);
  e.set(true);
  e.take(3);
  e.set(true);
  const int loaded = e.now() - 55;  // the jaws opened 1.1 s before
  e.drive(40.0, 1.0);
  const int unloads = e.now() + 60;
  e.unload(1);
  e.drive(6.0, 1.0);  // to the next heap
  e.unload(2);
  e.unload(3);
  const int empty = e.now() - 55;
  e.drive(5.0, 1.0);
  const Outcome is = outcome(e.samples, false, {});
  const int begins[] = {0, first_grip, loaded, unloads, empty, e.now()};
  const int should[] = {begins[1] + begins[5] - begins[4], begins[2] - begins[1],
                        begins[3] - begins[2], begins[4] - begins[3]};
  std::int64_t sum = 0;
  for (std::size_t p = 0; p < kLoadPhases; ++p) {
    EXPECT_NEAR(static_cast<double>(is.phases[p]), should[p], 30.0) << kLoadPhaseNames[p];
    sum += is.phases[p];
  }
  EXPECT_EQ(sum, e.now());
}

std::vector<ElementSample> edges() {
  Edges e;
  e.still(3.0);
  e.go(0.5, 0.075, 3.0);  // leaves
  e.go(1.0, 0.125, 3.0);
  e.go(0.6, 0.2, 0.6);   // near
  e.go(0.6, 0.37, 0.4);  // arrives
  e.go(0.6, 0.22, 0.4);
  e.go(0.6, 0.2, 0.6);  // away
  e.go(0.6, 0.2, 0.9);
  e.go(0.6, 0.2, 0.4);
  e.at.held = 1;  // dragged
  e.at.on_ground = true;
  e.go(0.3, 0.1, 0.4);
  e.go(0.22, 0.6, 0.4);
  e.go(0.4, 0.05, 0.4);
  e.go(0.34, 0.6, 0.4);
  e.go(0.3, 0.05, 0.4);
  e.at.on_ground = false;
  e.go(1.0, 0.6, 2.0);
  e.at.held = -1;  // held
  e.go(0.14, 0.6, 2.0);
  e.at.held = 1;
  e.go(1.0, 0.6, 2.0);
  e.at.held = -1;
  e.go(0.26, 0.6, 2.0);
  e.at.held = 1;
  e.at.on_ground = true;
  e.go(0.4, 0.1, 2.0);
  e.at.on_ground = false;
  e.go(1.0, 0.6, 2.0);
  e.tilt(1.0, 34.0);  // on end
  e.go(1.0, 0.6, 2.0);
  e.tilt(1.0, 56.0);  // levelled
  e.tilt(1.0, 37.0);
  e.tilt(1.0, 22.0);
  e.go(1.0, 0.6, 2.0);
  e.tilt(0.16, 80.0);  // short
  e.go(1.0, 0.6, 2.0);
  e.tilt(0.26, 80.0);
  e.go(1.0, 0.6, 2.0);
  e.still(1.5);  // rest
  e.go(1.0, 0.6, 2.0);
  e.still(2.6);
  e.go(1.0, 0.6, 2.0);
  e.still(4.0, 0.03);  // way
  e.go(1.0, 0.6, 2.0);
  e.still(4.0, 0.05);
  e.go(1.0, 0.6, 2.0);
  e.at.in_box = true;  // sets
  e.go(1.0, 0.25, 2.0);
  e.set(true);
  for (const double way : {1.5, 2.5}) {  // regrip
    e.take(7);
    e.set(false);
    e.at.tip_m[0] += way;
    e.take(7);
    e.set(true);
  }
  e.take(9);  // opens
  e.at.in_box = true;
  e.go(0.5, 0.1, 2.0);
  e.at.held = -1;
  e.open(0.5, 0.025);
  e.open(0.5, 0.015);
  e.at.in_box = false;
  e.go(0.6, 0.6, 2.0);
  e.drive(1.0, 0.075);  // drives
  e.still(1.0);
  e.drive(1.0, 0.125);
  e.still(1.0);
  e.drive(0.38, 1.0);  // for how long
  e.still(1.0);
  e.drive(0.62, 1.0);
  e.drive(1.0, 0.06);  // stops
  e.drive(1.0, 0.04);
  e.go(1.0, 0.6, 2.0);
  e.drive(11.0, 2.0);  // the next place
  e.go(1.0, 0.6, 2.0);
  e.take(8);
  e.set(true);
  e.drive(19.0, 2.0);
  e.go(1.0, 0.6, 2.0);
  return e.samples;
}

TEST(Elements, HalfAsMuchMoreOrLessOfEachThresholdIsSeen) {
  const std::vector<ElementSample> samples = edges();
  const Outcome should = outcome(samples, false, {});
  EXPECT_TRUE(should.pieces.starts_with("IDLE 176 OUT 254 GRIP 344 OUT 374 GRIP 451 IN "))
      << should.pieces;
  expect_seen(samples, false,
              {&ElementLimits::short_s, &ElementLimits::rest_way_m, &ElementLimits::rest_s,
               &ElementLimits::held_s, &ElementLimits::opens_per_s, &ElementLimits::leaves_m_s,
               &ElementLimits::near_m, &ElementLimits::arrives_m_s, &ElementLimits::away_m,
               &ElementLimits::sets_m_s, &ElementLimits::drag_s, &ElementLimits::on_end_rad,
               &ElementLimits::levelled_rad, &ElementLimits::regrip_m, &ElementLimits::drives_m_s,
               &ElementLimits::drive_s, &ElementLimits::stops_m_s, &ElementLimits::next_place_m});
}

}  // namespace
}  // namespace knuckleboom::elements_test
