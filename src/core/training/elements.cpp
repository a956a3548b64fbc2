#include "knuckleboom/core/training/elements.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "element_parts.hpp"

namespace knuckleboom::training {
namespace {

using namespace parts;

constexpr Mask kCarrying = bit(Element::kIn) | bit(Element::kRelease);

// --- The crane ----------------------------------------------------------------

double apart(const double (&a)[3], const double (&b)[3]) {
  const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return length(d);
}

// Rules of a forwarder, and of any crane with a grapple.
class Crane : CraneRules {
 public:
  using CraneRules::CraneRules;

  void follow() {
    measure();
    since(speed_ < limits_.sets_m_s, then(), s_.slow);
    since(speed_ > limits_.sets_m_s && at_.on_ground, then(), s_.dragged);
    since(at_.held >= 0 && !at_.on_ground, at_.tick, s_.lifted);
    follow_held();
    if (s_.held >= 0)
      follow_loaded();
    else
      follow_empty();
    follow_rest(true);
  }

 private:
  void follow_held() {
    if (at_.held == s_.held && s_.held >= 0) s_.from_box = (s_.from_box & 1) | (at_.in_box ? 2 : 0);
    if (!changes(at_.held)) return;
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
    if (s_.phase == LoadPhase::kEmpty && !at_.in_box && s_.no_load == 0)
      s_.phase = LoadPhase::kLoading;
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

ElementState start_elements(bool head, bool no_load) {
  ElementState s{};
  s.head = head ? 1 : 0;
  s.no_load = no_load ? 1 : 0;
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
  if (s.head != 0)
    follow_head(dt, limits, at, s, crane);
  else
    Crane(dt, limits, at, s, crane).follow();
  follow_drive(dt, limits, at, s, drive);
  // Rest is known after its time and its window; a log that was let go outside, with the next grip; a fall, with
  // what comes after it.
  const std::int64_t known = at.tick - ticks_of(limits.rest_s + 1.0, dt);
  const bool waits = s.carry >= 0 && (s.held >= 0 || s.undecided != 0);
  crane.settle(s.felled > 0 ? std::min(known, s.felled) : waits ? std::min(known, s.carry) : known);
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
