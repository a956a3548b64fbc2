// A track of work elements while it is changed, and what the rules of all cranes share. Of elements.cpp and
// head_elements.cpp alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/training/elements.hpp"

namespace knuckleboom::training::parts {

using Mask = std::uint32_t;
constexpr Mask bit(Element element) { return 1U << static_cast<int>(element); }
inline constexpr Mask kNotIdle = ~bit(Element::kIdle);

inline std::int64_t ticks_of(double seconds, double dt) { return std::llround(seconds / dt); }

// One that follows another of its kind is the same.
template <class Counts>
void count_piece(Element element, std::int32_t& last, Counts& pieces) {
  const auto number = static_cast<std::int32_t>(element);
  if (last != number + 1) ++nth(pieces, number);
  last = number + 1;
}

inline double length(const double (&v)[3]) {
  return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// Since when something holds.
inline void since(bool holds, std::int64_t tick, std::int64_t& from) {
  from = !holds ? -1 : from < 0 ? tick : from;
}

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

// Common to the rules of all cranes.
class CraneRules {
 public:
  CraneRules(double dt, const ElementLimits& limits, const ElementSample& at, ElementState& state,
             Editor& track)
      : dt_(dt),
        limits_(limits),
        at_(at),
        s_(state),
        track_(track),
        sample_(ticks_of(kElementSample, dt)) {}

 protected:
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
    opening_ = (at_.opening - s_.opening) / kElementSample;
    s_.opening = at_.opening;
  }

  void enter(Element element, std::int64_t tick) {
    s_.base = element;
    if (s_.resting == 0) track_.begin(tick, element);
  }

  // Whether something else is held for certain, since s_.changed. -1: nothing.
  bool changes(std::int32_t held) {
    if (held == s_.held) {
      s_.candidate = s_.held;
      s_.changed = -1;
      return false;
    }
    if (s_.changed < 0 || held != s_.candidate) {
      s_.candidate = held;
      s_.changed = at_.tick;
    }
    return at_.tick - s_.changed >= ticks_of(limits_.held_s, dt_);
  }

  // may: whether rest is idle at all.
  void follow_rest(bool may) {
    since(!at_.moves, at_.tick, s_.calm);
    const bool rests = may && !at_.moves && length(s_.way_m) < limits_.rest_way_m;
    const std::int64_t half = ticks_of(0.5, dt_);
    const bool began = s_.rest < 0;
    since(rests, at_.tick, s_.rest);
    if (rests && began) s_.rest = std::max({s_.calm, at_.tick - half, s_.part, std::int64_t{0}});
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

// A harvester's head: head_elements.cpp.
void follow_head(double dt, const ElementLimits& limits, const ElementSample& at,
                 ElementState& state, Editor& track);

}  // namespace knuckleboom::training::parts
