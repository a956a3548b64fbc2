#include "coach/observer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "knuckleboom/core/math/angle.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/training/scorer.hpp"

namespace knuckleboom::coach {
namespace {

using training::Element;
using training::kElementSample;

// From the rules' definitions in the table.
constexpr double kLongLeg = 2.0, kLeg = 1.0;   // m
constexpr double kArrived = 0.5, kNear = 1.0;  // m from the leg's end
constexpr double kLeastTurn = 0.1;  // s of the rotator at full speed, as in functions together
constexpr double kLeastPeak = 0.03, kPeakShare = 0.1;  // as in speed peaks per leg
constexpr int kMostTurned = 4;
constexpr double kOverTheMiddle = 0.1;  // of a lever
constexpr double kLeastLevel = 0.2;     // s
constexpr double kLegShare = 0.25;      // of its time, lost by one function after the other
constexpr double kUsualApproach = 2.0, kMostLost = 8.0;  // s
constexpr double kSame = 0.3;                      // s, between a grab and the end of its REGRIP
constexpr std::size_t kLooks = 150;                // 3 s
constexpr double kCloses = 0.02 * kElementSample;  // of the opening, in a sample

double between(const double (&a)[3], const double (&b)[3]) {
  const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

double swing_of(const training::Observation& at) {
  const Vec3 hang = vec(at.hang_W);
  return hang.isZero(0.0) ? 0.0 : angle_between_lines(hang, Vec3::UnitZ());
}

}  // namespace

double Observer::now_s() const { return kElementSample * static_cast<double>(samples_); }

void Observer::note(Habit habit, double begin_s, double value, bool counts, double lost_s) {
  nth(occasions_, static_cast<int>(habit))
      .push_back({begin_s, now_s(), value, counts, counts ? lost_s : 0.0});
}

void Observer::add(const Sample& sample) {
  training::Observation seen = sample.seen;
  seen.dt = kElementSample;
  seen.ticks = samples_;
  if (samples_ == 0) {
    training::set_start(seen, score_);
  } else {
    const double legs = score_.score.legs;
    const double weight = score_.legs.together_weight, sum = score_.legs.together_sum;
    training::gather(told_.free, seen, score_);
    follow_levers(seen);
    follow_leg();
    const auto share = [&] {
      const double more = score_.legs.together_weight - weight;
      return more > 0.0 ? (score_.legs.together_sum - sum) / more : -1.0;
    };
    if (score_.score.legs > legs) end_leg(share());
    while (!told_.free && score_.score.legs < seen.legs) {
      training::end_leg(score_);
      end_leg(share());
    }
  }
  if ((told_.signals & kWork) != 0) follow_work(sample);
  ++samples_;
}

// --- Legs ---------------------------------------------------------------------

void Observer::follow_levers(const training::Observation& at) {
  for (int i = 0; i < command::kLeverAxes; ++i) {
    if (std::fabs(at.axis[i]) < kOverTheMiddle) continue;
    const std::int32_t side = at.axis[i] > 0.0 ? 1 : -1;
    if (side_[i] == -side) ++turned_;
    side_[i] = side;
  }
}

void Observer::follow_leg() {
  const training::MotionState& motion = score_.motion;
  const double turn = told_.rotator >= 0 ? score_.legs.travel_s[told_.rotator] : 0.0;
  leg_.push_back(
      {{motion.p_W[0], motion.p_W[1], motion.p_W[2]}, motion.speed[0], turn, turned_, now_s()});
  const bool held = score_.cycle.held >= 0;
  if (held) released_ = 0;
  // The last release in it; a log that is taken again takes its release back.
  if (!held && released_ == 0 && score_.legs.release.valid != 0) released_ = leg_.size();
}

// share: of functions together in it; below 0: none had to be.
void Observer::end_leg(double share) {
  const bool at_release = released_ > 0;
  const std::size_t end = (at_release ? released_ : leg_.size()) - 1;
  if (!leg_.empty()) {
    const double length = between(leg_.front().tip_W, leg_[end].tip_W);
    const double lasted = leg_[end].s - leg_.front().s;
    const Rule& together = rule_of(Habit::kOneByOne);
    const std::uint32_t needs = kTip | kTravel;
    if (length > kLongLeg && share >= 0.0 && (told_.signals & needs) == needs)
      note(Habit::kOneByOne, leg_.front().s, share, share < together.limit, kLegShare * lasted);
    look_at_turn(end, length);
    look_at_approach(end, length);
    // Who drives along a road lets the crane rest.
    if (grabs_.empty() && (told_.signals & kDriving) == 0) rest_in_leg(leg_.front().s);
    leg_.erase(leg_.begin(), leg_.begin() + static_cast<std::ptrdiff_t>(end));
  }
  released_ = 0;
}

void Observer::look_at_turn(std::size_t end, double length) {
  if (told_.rotator < 0 || length <= kLeg) return;
  const double from = leg_.front().rotator, way = leg_[end].rotator - from;
  if (std::fabs(way) < kLeastTurn) return;
  std::size_t arrival = end;
  while (arrival > 0 && between(leg_[arrival - 1].tip_W, leg_[end].tip_W) <= kArrived) --arrival;
  double done = 0.0;
  for (std::size_t i = 0; i < arrival; ++i)
    done = std::max(done, std::clamp((leg_[i].rotator - from) / way, 0.0, 1.0));
  const double late = 1.0 - done;
  note(Habit::kLateTurn, leg_[arrival].s, late, late > rule_of(Habit::kLateTurn).limit,
       late * std::fabs(way));
}

void Observer::look_at_approach(std::size_t end, double length) {
  if ((told_.signals & kTip) == 0 || length <= kLeg) return;
  std::size_t near = end;
  while (near > 0 && between(leg_[near - 1].tip_W, leg_[end].tip_W) <= kNear) --near;
  double top = 0.0;
  for (std::size_t i = 0; i <= end; ++i) top = std::max(top, leg_[i].speed);
  const double prominence = std::max(kLeastPeak, kPeakShare * top);
  int peaks = 0;
  bool rising = false;
  double furthest = leg_[near].speed;
  for (std::size_t i = near; i <= end; ++i) {
    const double further = (rising ? 1.0 : -1.0) * (leg_[i].speed - furthest);
    if (further > 0.0) {
      furthest = leg_[i].speed;
    } else if (-further > prominence) {
      peaks += rising ? 1 : 0;
      rising = !rising;
      furthest = leg_[i].speed;
    }
  }
  const int turned = leg_[end].turned - leg_[near].turned;
  const bool hunts = peaks > rule_of(Habit::kHunts).limit || turned > kMostTurned;
  const double lasted = leg_[end].s - leg_[near].s;
  note(Habit::kHunts, leg_[near].s, std::max(peaks, turned), hunts,
       std::clamp(lasted - kUsualApproach, 0.0, kMostLost));
}

// --- Work elements --------------------------------------------------------------

void Observer::follow_work(const Sample& sample) {
  training::ElementSample at = sample.work;
  at.tick = samples_;
  training::follow_elements(kElementSample, at, elements_, &pieces_);
  if (looks_.size() < kLooks) looks_.resize(kLooks);
  looks_[static_cast<std::size_t>(samples_) % kLooks] = {at.opening, swing_of(sample.seen)};
  follow_rest(at);
  if (elements_.held != held_) {
    if (held_ >= 0) let_go();
    held_ = elements_.held;
    if (held_ >= 0) grab(sample);
  }
  if (held_ < 0) return;
  if (at.on_ground && !at.in_box) {
    const double way = std::hypot(at.tip_m_s[0], at.tip_m_s[1]) * kElementSample;
    if (dragged_m_ == 0.0) drag_begin_s_ = now_s();
    dragged_m_ += way;
    if (way > 0.1 * kElementSample) dragged_s_ += kElementSample;
  }
  if (elements_.base == Element::kLevel) {
    if (levelled_s_ == 0.0) level_begin_s_ = now_s();
    levelled_s_ += kElementSample;
  }
}

double Observer::swing_at_closing(std::int64_t taken) const {
  const auto look = [this](std::int64_t sample) -> const Look& {
    return looks_[static_cast<std::size_t>(sample) % kLooks];
  };
  const std::int64_t oldest =
      std::max<std::int64_t>(1, samples_ - static_cast<std::int64_t>(kLooks) + 1);
  std::int64_t at = std::max(taken, oldest);
  while (at > oldest && look(at - 1).opening > look(at).opening + kCloses) --at;
  return look(at).swing;
}

void Observer::grab(const Sample& sample) {
  // From here on a cycle is from grab to grab, and no leg.
  if (grabs_.empty()) nth(occasions_, static_cast<int>(Habit::kHesitates)).clear();
  grabs_.push_back({elements_.taken, now_s()});
  const bool from_box = (elements_.from_box & 1) != 0;
  const std::uint32_t reach = kReach | kDriving;
  if (!from_box && (told_.signals & reach) == reach) {
    const double out = sample.reach_m;
    const Rule &far = rule_of(Habit::kFarOut), &close = rule_of(Habit::kTooClose);
    note(Habit::kFarOut, now_s(), out, out > far.limit, far.cost_s);
    note(Habit::kTooClose, now_s(), -out, out < close.limit, close.cost_s);
  }
  if ((told_.signals & kHead) != 0) {
    const Rule& swings = rule_of(Habit::kSwings);
    const double swing = swing_at_closing(elements_.taken);
    note(Habit::kSwings, now_s(), swing, swing > swings.limit, swings.cost_s);
  }
  if (grabs_.size() > 1 && crane_s_ > 0.0) {
    const Rule& rests = rule_of(Habit::kHesitates);
    const double share = rest_s_ / crane_s_;
    note(Habit::kHesitates, longest_begin_s_, share, share > rests.limit,
         rest_s_ - rests.limit * crane_s_);
  }
  crane_s_ = rest_s_ = this_rest_s_ = longest_rest_s_ = 0.0;
  longest_begin_s_ = now_s();
  dragged_m_ = dragged_s_ = levelled_s_ = 0.0;
}

void Observer::let_go() {
  if (elements_.carry < 0) return;  // never lifted
  const Rule &drags = rule_of(Habit::kDrags), &levels = rule_of(Habit::kLevels);
  note(Habit::kDrags, dragged_m_ > 0.0 ? drag_begin_s_ : now_s(), dragged_m_,
       dragged_m_ > drags.limit, dragged_s_);
  note(Habit::kLevels, levelled_s_ > 0.0 ? level_begin_s_ : now_s(), levelled_s_,
       levelled_s_ > kLeastLevel, levels.cost_s);
}

// Rest is known half a second after it began.
void Observer::follow_rest(const training::ElementSample& at) {
  if (elements_.driving != 0) {
    this_rest_s_ = 0.0;
    return;
  }
  crane_s_ += kElementSample;
  if (elements_.rest < 0) {
    this_rest_s_ = 0.0;
    return;
  }
  const double rested = kElementSample * static_cast<double>(at.tick - elements_.rest);
  rest_s_ += this_rest_s_ > 0.0 ? kElementSample : std::min(rested, crane_s_);
  this_rest_s_ = std::max(rested, kElementSample);
  if (this_rest_s_ > longest_rest_s_) {
    longest_rest_s_ = this_rest_s_;
    longest_begin_s_ = now_s() - this_rest_s_;
  }
}

void Observer::rest_in_leg(double begin_s) {
  const double crane_s = std::exchange(leg_crane_s_, crane_s_),
               rest_s = std::exchange(leg_rest_s_, rest_s_);
  const double lasted = crane_s_ - crane_s, rested = rest_s_ - rest_s;
  if (!(lasted > 0.0)) return;
  const double limit = rule_of(Habit::kHesitates).limit, share = rested / lasted;
  note(Habit::kHesitates, begin_s, share, share > limit, rested - limit * lasted);
}

Occasions Observer::finish() {
  if ((told_.signals & kWork) != 0) {
    training::finish_elements(kElementSample, samples_, elements_, &pieces_);
    const Rule& regrips = rule_of(Habit::kRegrips);
    for (const Grab& grab : grabs_) {
      const bool again = std::any_of(pieces_.begin(), pieces_.end(), [&](const auto& piece) {
        return piece.element == Element::kRegrip &&
               std::fabs(static_cast<double>(piece.end - grab.taken)) * kElementSample < kSame;
      });
      nth(occasions_, static_cast<int>(Habit::kRegrips))
          .push_back(
              {grab.at_s, grab.at_s, again ? 1.0 : 0.0, again, again ? regrips.cost_s : 0.0});
    }
  }
  return std::exchange(occasions_, {});
}

}  // namespace knuckleboom::coach
