#include "knuckleboom/core/training/elements.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "knuckleboom/core/math/arrays.hpp"

namespace knuckleboom::training {
namespace {

using Mask = std::uint32_t;
constexpr Mask bit(Element element) { return 1U << static_cast<int>(element); }
constexpr Mask kAll = ~0U;
constexpr Mask kNotIdle = ~bit(Element::kIdle);
constexpr Mask kCarrying = bit(Element::kIn) | bit(Element::kRelease);

std::int64_t ticks_of(double seconds, double dt) { return std::llround(seconds / dt); }

// One that follows another of its kind is the same.
template <class Counts>
void count_piece(Element element, std::int32_t& last, Counts& pieces) {
  const auto number = static_cast<std::int32_t>(element);
  if (last != number + 1) ++nth(pieces, number);
  last = number + 1;
}

// --- A track ------------------------------------------------------------------

// One track while it is changed.
class Editor {
 public:
  Editor(double dt, const ElementLimits& limits, Track which, ElementState& state,
         std::vector<FinalPiece>* done)
      : short_(ticks_of(limits.short_s, dt)),
        which_(which),
        track_(state.track[static_cast<int>(which)]),
        done_(done) {}

  // The element from a tick on; what was there after it is forgotten.
  void begin(std::int64_t tick, Element element) {
    while (track_.count > 1 && last().begin >= tick) --track_.count;
    if (track_.count > 0 && last().begin >= tick)
      last().element = element;
    else
      append(tick, element);
    tidy();
  }
  // Pieces from a tick to another one that are in the mask become this element.
  void rename(std::int64_t from, std::int64_t to, Mask mask, Element element) {
    split(from);
    split(to);
    for (int i = 0; i < track_.count; ++i) {
      ElementPiece& piece = track_.open[i];
      if (piece.begin >= from && piece.begin < to && (bit(piece.element) & mask) != 0)
        piece.element = element;
    }
    tidy();
  }
  // Pieces that ended before a tick is final; two pieces stay.
  void settle(std::int64_t tick) {
    while (track_.count > 2 && track_.open[1].begin <= tick) settle_first();
  }
  void finish(std::int64_t end) {
    while (track_.count > 1) settle_first();
    if (track_.count == 1) settle_piece(track_.open[0], end);
    track_.count = 0;
  }

 private:
  ElementPiece& last() { return track_.open[track_.count - 1]; }
  void append(std::int64_t tick, Element element) {
    if (track_.count == kOpenPieces) settle_first();
    track_.open[track_.count++] = {tick, element, 0};
  }
  void remove(int i) {
    std::copy(track_.open + i + 1, track_.open + track_.count, track_.open + i);
    --track_.count;
  }
  void settle_first() {
    settle_piece(track_.open[0], track_.open[1].begin);
    remove(0);
  }
  void settle_piece(const ElementPiece& piece, std::int64_t end) {
    track_.ticks[static_cast<int>(piece.element)] += end - piece.begin;
    if (end > piece.begin) count_piece(piece.element, track_.last, track_.pieces);
    if (done_ != nullptr && end > piece.begin)
      done_->push_back({which_, piece.element, piece.begin, end});
  }
  // A boundary at this tick, if it is inside an open piece.
  void split(std::int64_t tick) {
    if (track_.count == 0 || tick <= track_.open[0].begin) return;
    if (track_.count == kOpenPieces) settle_first();
    int i = track_.count - 1;
    while (i > 0 && track_.open[i].begin > tick) --i;
    if (track_.open[i].begin >= tick) return;
    std::copy_backward(track_.open + i + 1, track_.open + track_.count,
                       track_.open + track_.count + 1);
    track_.open[i + 1] = {tick, track_.open[i].element, 0};
    ++track_.count;
  }
  // Equal neighbours are one piece; a short one that has ended goes to the one before.
  void tidy() {
    for (int i = 1; i < track_.count;) {
      const bool equal = track_.open[i].element == track_.open[i - 1].element;
      const bool brief =
          i + 1 < track_.count && track_.open[i + 1].begin - track_.open[i].begin < short_;
      if (equal || brief)
        remove(i);
      else
        ++i;
    }
  }

  std::int64_t short_;
  Track which_;
  ElementTrack& track_;
  std::vector<FinalPiece>* done_;
};

// --- The crane ----------------------------------------------------------------

double length(const double (&v)[3]) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }
double apart(const double (&a)[3], const double (&b)[3]) {
  const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return length(d);
}

// Since when something holds.
void since(bool holds, std::int64_t tick, std::int64_t& from) {
  from = !holds ? -1 : from < 0 ? tick : from;
}

class Crane {
 public:
  Crane(double dt, const ElementLimits& limits, const ElementSample& at, ElementState& state,
        Editor& track)
      : dt_(dt),
        limits_(limits),
        at_(at),
        s_(state),
        track_(track),
        sample_(ticks_of(kElementSample, dt)) {}

  void follow() {
    measure();
    follow_held();
    if (s_.held >= 0)
      follow_loaded();
    else
      follow_empty();
    follow_rest();
  }

 private:
  // The mean of five samples is that of two samples ago.
  std::int64_t then() const { return std::max<std::int64_t>(0, at_.tick - 2 * sample_); }

  void measure() {
    const int way = static_cast<int>(s_.samples % static_cast<int>(std::size(s_.step_m)));
    for (int c = 0; c < 3; ++c) {
      const double step = kElementSample * at_.tip_m_s[c];
      s_.way_m[c] += step - s_.step_m[way][c];
      s_.step_m[way][c] = step;
    }
    s_.speed_m_s[s_.samples % 5] = length(at_.tip_m_s);
    ++s_.samples;
    double sum = 0.0;
    for (const double speed : s_.speed_m_s) sum += speed;
    speed_ = sum / static_cast<double>(std::size(s_.speed_m_s));
    since(speed_ < limits_.sets_m_s, then(), s_.slow);
    since(speed_ > limits_.sets_m_s && at_.on_ground, then(), s_.dragged);
    opening_ = (at_.opening - s_.opening) / kElementSample;
    s_.opening = at_.opening;
    since(at_.held >= 0 && !at_.on_ground, at_.tick, s_.lifted);
  }

  void enter(Element element, std::int64_t tick) {
    s_.base = element;
    if (s_.resting == 0) track_.begin(tick, element);
  }

  void follow_held() {
    if (at_.held == s_.held) {
      if (s_.held >= 0) s_.from_box = (s_.from_box & 1) | (at_.in_box ? 2 : 0);
      s_.candidate = s_.held;
      s_.changed = -1;
      return;
    }
    if (s_.changed < 0 || at_.held != s_.candidate) {
      s_.candidate = at_.held;
      s_.changed = at_.tick;
    }
    if (at_.tick - s_.changed < ticks_of(limits_.held_s, dt_)) return;
    if (s_.held >= 0) let_go(s_.changed);
    if (at_.held >= 0) take(s_.changed);
    s_.held = at_.held;
    s_.changed = -1;
  }

  void take(std::int64_t tick) {
    if (s_.undecided != 0) {
      if (at_.held == s_.last_log && apart(at_.tip_m, s_.grip_m) < limits_.regrip_m)
        track_.rename(s_.release, tick, kNotIdle, Element::kRegrip);
      else
        track_.rename(s_.carry, s_.release, kCarrying, Element::kSort);
      s_.undecided = 0;
    }
    std::copy(std::begin(at_.tip_m), std::end(at_.tip_m), s_.grip_m);
    s_.from_box = at_.in_box ? 3 : 0;
    s_.carry = -1;
    s_.taken = tick;
    s_.driven_m = 0.0;
    if (s_.base != Element::kGrip) enter(Element::kGrip, tick);
    if (s_.phase == LoadPhase::kEmpty && !at_.in_box) s_.phase = LoadPhase::kLoading;
    if (s_.phase == LoadPhase::kLoaded && at_.in_box) s_.phase = LoadPhase::kUnloading;
  }

  void let_go(std::int64_t tick) {
    s_.last_log = s_.held;
    s_.left = 0;
    s_.driven_m = 0.0;
    s_.release = tick;
    if (s_.carry < 0) return;  // never lifted
    // The grip of an empty grapple is elsewhere.
    const bool from_box = (s_.from_box & 1) != 0, to_box = (s_.from_box & 2) != 0;
    if (s_.base != Element::kRelease) {
      const std::int64_t slow = s_.slow < 0 ? tick : std::min(tick, s_.slow);
      enter(Element::kRelease, std::max(s_.carry, slow));
    }
    if (from_box && to_box) track_.rename(s_.carry, tick, kCarrying, Element::kTidy);
    s_.undecided = !from_box && !to_box ? 1 : 0;
    const bool counts = to_box == (s_.phase == LoadPhase::kLoading);
    if (counts) s_.phase_end = at_.tick;
    if (s_.phase == LoadPhase::kUnloading && at_.load == 0) s_.phase = LoadPhase::kEmpty;
  }

  void follow_loaded() {
    const bool on_end = at_.tilt_rad > limits_.on_end_rad && at_.on_ground;
    switch (s_.base) {
      case Element::kGrip: {
        const bool dragged =
            s_.dragged >= 0 && at_.tick - s_.dragged >= ticks_of(limits_.drag_s, dt_);
        if (s_.lifted < 0 && !dragged) return;
        s_.carry = std::max(s_.taken, s_.lifted >= 0 ? s_.lifted : s_.dragged);
        return enter(Element::kIn, s_.carry);
      }
      case Element::kIn:
        if (on_end) return enter(Element::kLevel, at_.tick);
        if (at_.in_box && (s_.from_box & 1) == 0 && speed_ < limits_.sets_m_s)
          enter(Element::kRelease, std::max(s_.carry, then()));
        return;
      case Element::kRelease:
        if (on_end) return enter(Element::kLevel, at_.tick);
        if (!at_.in_box && speed_ > limits_.arrives_m_s) enter(Element::kIn, then());
        return;
      case Element::kLevel:
        if (at_.tilt_rad < limits_.levelled_rad) enter(Element::kIn, at_.tick);
        return;
      default:
        return;
    }
  }

  void follow_empty() {
    if (at_.gap_m > limits_.near_m) s_.left = 1;
    switch (s_.base) {
      case Element::kGrip:
        if (at_.gap_m > limits_.away_m || speed_ > 2.0 * limits_.arrives_m_s)
          enter(Element::kOut, then());
        return;
      case Element::kOut:
        if (s_.left != 0 && at_.gap_m < limits_.near_m && speed_ < limits_.arrives_m_s)
          enter(Element::kGrip, then());
        return;
      default:
        if (opening_ < limits_.opens_per_s && speed_ > limits_.leaves_m_s)
          enter(Element::kOut, std::max(s_.release, then()));
        return;
    }
  }

  void follow_rest() {
    since(!at_.moves, at_.tick, s_.calm);
    const bool rests = !at_.moves && length(s_.way_m) < limits_.rest_way_m;
    const std::int64_t half = ticks_of(0.5, dt_);
    const bool began = s_.rest < 0;
    since(rests, at_.tick, s_.rest);
    if (rests && began) s_.rest = std::max({s_.calm, at_.tick - half, std::int64_t{0}});
    if (rests && s_.resting == 0 && at_.tick - s_.rest > ticks_of(limits_.rest_s, dt_)) {
      track_.begin(s_.rest, Element::kIdle);
      s_.resting = 1;
    } else if (!rests && s_.resting != 0) {
      s_.resting = 0;
      track_.begin(at_.tick, s_.base);
    }
  }

  double dt_;
  const ElementLimits& limits_;
  const ElementSample& at_;
  ElementState& s_;
  Editor& track_;
  std::int64_t sample_;
  double speed_ = 0.0, opening_ = 0.0;  // of the tip [m/s], of the jaws [1/s]
};

// --- The carrier --------------------------------------------------------------

void follow_drive(double dt, const ElementLimits& limits, const ElementSample& at, ElementState& s,
                  Editor& track) {
  const double speed = std::fabs(at.carrier_m_s);
  since(speed > limits.drives_m_s, at.tick, s.fast);
  if (s.driving == 0 && s.fast >= 0 && at.tick - s.fast >= ticks_of(limits.drive_s, dt)) {
    s.driving = 1;
    track.begin(s.fast, Element::kMove);
  } else if (s.driving != 0 && speed < limits.stops_m_s) {
    s.driving = 0;
    track.begin(at.tick, Element::kIdle);
  }
  if (at.moves) s.driven_m = 0.0;
  s.driven_m += s.driving != 0 ? kElementSample * speed : 0.0;
  const bool over = s.phase == LoadPhase::kLoading || s.phase == LoadPhase::kUnloading;
  if (!over || s.driven_m < limits.next_place_m || s.phase_end == 0) return;
  // The phase has ended with the last release.
  const std::int64_t later = at.tick - s.phase_end;
  s.phase_ticks[static_cast<int>(s.phase)] -= later;
  s.phase = s.phase == LoadPhase::kLoading ? LoadPhase::kLoaded : LoadPhase::kEmpty;
  s.phase_ticks[static_cast<int>(s.phase)] += later;
}

}  // namespace

ElementState start_elements() {
  ElementState s{};
  for (std::int64_t* none : {&s.calm, &s.rest, &s.changed, &s.fast, &s.slow, &s.dragged, &s.lifted,
                             &s.taken, &s.carry, &s.release})
    *none = -1;
  s.held = s.candidate = s.last_log = -1;
  s.base = Element::kIdle;
  s.left = 1;
  for (ElementTrack& track : s.track) {
    track.open[0] = {0, Element::kIdle, 0};
    track.count = 1;
  }
  return s;
}

void wait_elements(std::int64_t ticks, ElementState& s) {
  for (ElementTrack& track : s.track) track.ticks[static_cast<int>(Element::kIdle)] += ticks;
  s.phase_ticks[static_cast<int>(s.phase)] += ticks;
}

void follow_elements(double dt, const ElementSample& at, ElementState& s,
                     std::vector<FinalPiece>* done, const ElementLimits& limits) {
  Editor crane(dt, limits, Track::kCrane, s, done), drive(dt, limits, Track::kDrive, s, done);
  s.phase_ticks[static_cast<int>(s.phase)] += at.tick - s.end;
  // Logs that lie there before any is held were there from the beginning.
  if (s.phase == LoadPhase::kEmpty && at.load > 0 && s.last_log < 0 && s.held < 0 && at.held < 0) {
    s.phase = LoadPhase::kLoaded;
    std::swap(s.phase_ticks[static_cast<int>(LoadPhase::kEmpty)],
              s.phase_ticks[static_cast<int>(LoadPhase::kLoaded)]);
  }
  s.end = at.tick;
  s.gap_m = at.gap_m;
  s.tilt_rad = at.tilt_rad;
  s.load = at.load;
  s.signals = signals_of(at);
  Crane(dt, limits, at, s, crane).follow();
  follow_drive(dt, limits, at, s, drive);
  // Rest is known after its time and its window; a log that was let go outside, with the next grip.
  const std::int64_t known = at.tick - ticks_of(limits.rest_s + 1.0, dt);
  const bool waits = s.carry >= 0 && (s.held >= 0 || s.undecided != 0);
  crane.settle(waits ? std::min(known, s.carry) : known);
  drive.settle(known);
}

void finish_elements(double dt, std::int64_t ticks, ElementState& s, std::vector<FinalPiece>* done,
                     const ElementLimits& limits) {
  Editor crane(dt, limits, Track::kCrane, s, done), drive(dt, limits, Track::kDrive, s, done);
  s.phase_ticks[static_cast<int>(s.phase)] += ticks - s.end;
  s.end = ticks;
  if (s.undecided != 0) crane.rename(s.carry, s.release, kCarrying, Element::kSort);
  s.undecided = 0;
  crane.finish(ticks);
  drive.finish(ticks);
}

ElementTicks element_ticks(const ElementTrack& track, std::int64_t end) {
  ElementTicks sums;
  std::copy(std::begin(track.ticks), std::end(track.ticks), sums.begin());
  for (int i = 0; i < track.count; ++i)
    nth(sums, static_cast<int>(track.open[i].element)) +=
        (i + 1 < track.count ? track.open[i + 1].begin : end) - track.open[i].begin;
  return sums;
}

ElementTicks element_pieces(const ElementTrack& track) {
  ElementTicks pieces;
  std::copy(std::begin(track.pieces), std::end(track.pieces), pieces.begin());
  std::int32_t last = track.last;
  for (int i = 0; i < track.count; ++i) count_piece(track.open[i].element, last, pieces);
  return pieces;
}

std::vector<FinalPiece> single_list(std::span<const FinalPiece> pieces) {
  std::vector<FinalPiece> drives, out;
  std::copy_if(pieces.begin(), pieces.end(), std::back_inserter(drives),
               [](const FinalPiece& p) { return p.track == Track::kDrive; });
  const auto add = [&out](Element element, std::int64_t begin, std::int64_t end) {
    if (end <= begin) return;
    if (!out.empty() && out.back().element == element)
      out.back().end = end;
    else
      out.push_back({Track::kCrane, element, begin, end});
  };
  for (const FinalPiece& piece : pieces) {
    if (piece.track != Track::kCrane) continue;
    if (piece.element != Element::kIdle) {
      add(piece.element, piece.begin, piece.end);
      continue;
    }
    for (const FinalPiece& drive : drives)
      add(drive.element, std::max(piece.begin, drive.begin), std::min(piece.end, drive.end));
  }
  return out;
}

}  // namespace knuckleboom::training
