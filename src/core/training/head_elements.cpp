// Work elements of a crane with a harvester's head: docs/theory/judging.md, "Work elements".
#include <algorithm>
#include <cmath>
#include <iterator>

#include "element_parts.hpp"

namespace knuckleboom::training::parts {
namespace {

constexpr std::int32_t kFirstStem = 1 << 16;  // among what is held: logs have numbers below
constexpr Mask kProcessing = bit(Element::kProc) | bit(Element::kFeed) | bit(Element::kBack) |
                             bit(Element::kCut) | bit(Element::kThink);

class HeadRules : CraneRules {
 public:
  using CraneRules::CraneRules;

  void follow() {
    measure();
    const std::int32_t held = at_.stem >= 0 ? kFirstStem + at_.stem : at_.held;
    if (changes(held)) {
      if (s_.held >= 0) let_go(s_.changed);
      if (held >= 0) take(held, s_.changed);
      s_.held = held;
      s_.changed = -1;
    }
    if (s_.held < 0) follow_empty();
    // A stem that is lost for a moment has no signals.
    if (s_.held >= kFirstStem && held == s_.held) follow_stem();
    // A tree that falls is waited for; who processes, thinks.
    follow_rest(s_.base != Element::kFell && !processes());
  }

 private:
  bool processes() const { return (bit(s_.base) & kProcessing) != 0; }
  bool works_on_stem() const { return std::fabs(at_.feed_m_s) > limits_.feeds_m_s || at_.saw; }

  void go_on(Element element, std::int64_t tick) {
    s_.part = tick;
    enter(element, tick);
  }

  void take(std::int32_t held, std::int64_t tick) {
    s_.taken = tick;
    if (held < kFirstStem)
      go_on(Element::kArrange, tick);
    else if (s_.base != Element::kGrip)
      go_on(Element::kGrip, tick);
  }
  void let_go(std::int64_t tick) {
    s_.release = tick;
    s_.felled = 0;
  }

  void follow_empty() {
    switch (s_.base) {
      case Element::kOut:
        if (at_.gap_m < limits_.near_stem_m && opening_ < -limits_.closes_per_s)
          go_on(Element::kGrip, at_.tick);
        return;
      case Element::kGrip:
        if (at_.gap_m > limits_.away_m) go_on(Element::kOut, then());
        return;
      default:
        if (speed_ > limits_.leaves_m_s) go_on(Element::kOut, std::max(s_.release, then()));
        return;
    }
  }

  void follow_stem() {
    switch (s_.base) {
      case Element::kGrip:
        if (at_.standing && at_.saw) go_on(Element::kFell, at_.tick);
        if (!at_.standing && works_on_stem()) process();
        return;
      case Element::kFell:
        if (at_.tilt_rad > limits_.fallen_rad && !at_.on_ground &&
            std::fabs(at_.feed_m_s) < limits_.fell_feed_m_s)
          return;
        s_.felled = at_.tick;
        std::copy_n(std::begin(at_.tip_m), 2, std::begin(s_.felled_m));
        return go_on(Element::kProc, at_.tick);
      case Element::kBring:
        if (works_on_stem()) process();
        return;
      default:
        if (processes()) follow_felled();
        if (processes()) process();
        return;
    }
  }

  // The time after a fall is bringing if the head goes far enough before it feeds.
  void follow_felled() {
    if (s_.felled == 0) return;
    if (!works_on_stem()) {
      const double x = at_.tip_m[0] - s_.felled_m[0], y = at_.tip_m[1] - s_.felled_m[1];
      if (!(x * x + y * y > limits_.bring_m * limits_.bring_m)) return;
      track_.rename(s_.felled, at_.tick, kProcessing, Element::kBring);
      go_on(Element::kBring, at_.tick);
    }
    s_.felled = 0;
  }

  void process() {
    Element now = Element::kProc;
    std::int64_t since = at_.tick;
    if (at_.saw) {
      now = Element::kCut;
    } else if (std::fabs(at_.feed_m_s) > limits_.feeds_m_s) {
      now = at_.feed_m_s > 0.0 ? Element::kFeed : Element::kBack;
    } else if (s_.calm >= 0 && !at_.moves) {
      const std::int64_t still = std::max(s_.calm, s_.base == Element::kThink ? 0 : s_.part);
      if (s_.base == Element::kThink || at_.tick - still >= ticks_of(limits_.think_s, dt_)) {
        now = Element::kThink;
        since = still;
      }
    }
    if (now != s_.base) go_on(now, since);
  }
};

}  // namespace

void follow_head(double dt, const ElementLimits& limits, const ElementSample& at,
                 ElementState& state, Editor& track) {
  HeadRules(dt, limits, at, state, track).follow();
}

}  // namespace knuckleboom::training::parts
