#include "knuckleboom/core/training/legs.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/logarithm.hpp"

namespace knuckleboom::training {
namespace {

// Thresholds; docs/theory/judging.md.
constexpr double kMoving = 0.02;       // m/s; the first and the last motion of a leg
constexpr double kLongestEdge = 3.0;   // s, below it at either end
constexpr double kRest = 0.02;         // m in half a second; less is rest
constexpr double kMovement = 0.05;     // m; a shorter way is none
constexpr double kLeastPeak = 0.03;    // m/s, prominence of a speed peak
constexpr double kPeakShare = 0.1;     // of the leg's highest speed
constexpr double kStep = 1.189207115;  // fourth root of 2: from one prominence to the next
constexpr double kInUse = 0.02;        // of full speed
constexpr double kLeastTravel =
    0.1;  // s at full speed; a function that has less to do does not count
constexpr double kLeastTogether =
    1.05;                           // functions that a leg needs at once, if all are to be together
constexpr double kLeastRise = 0.3;  // m above both ends; a carry is then a lift and a lowering
constexpr int kBinSamples = 25;     // 0.5 s
constexpr int kFunctions = sim::kMaxLeverFunctions;

constexpr std::array<double, kProminences> kProminence = [] {
  std::array<double, kProminences> out{};
  double least = kLeastPeak;
  for (double& one : out) {
    one = least;
    least *= kStep;
  }
  return out;
}();

void copy(const double* from, double* to, int count) { std::copy(from, from + count, to); }

double between(const double (&a)[3], const double (&b)[3]) { return (vec(a) - vec(b)).norm(); }

// --- The tip's motion -----------------------------------------------------------

// The part of a motion below kMoving, assumed to have constant jerk from or to rest: with the speed v and
// the rate a there, it lasts 2 v / a, and its jerk is a^2 / (2 v).
struct Edge {
  double duration_s, jerk2;
};
Edge edge_at(const LegSample& at) {
  const double v = 0.5 * (at.speed[0] + at.speed[1]);
  const double a = std::fabs(at.speed[0] - at.speed[1]) / kLegSample;
  const double jerk = a * a / (2.0 * v);
  const double duration = std::min(2.0 * v / a, kLongestEdge) + 0.5 * kLegSample;
  return {duration, jerk * jerk * duration};
}

void begin_motion(const LegSample& at, LegMotion& motion) {
  if (at.speed[0] < kMoving) return;
  const bool cut = at.speed[1] >= kMoving;  // it goes on from the leg before
  const Edge edge = cut ? Edge{} : edge_at(at);
  motion.duration_s = edge.duration_s;
  motion.jerk2 = edge.jerk2;
  motion.begun = 1;
}

void follow_jerk(const LegSample& at, LegMotion& motion) {
  motion.fast = at.speed[0] >= kMoving ? 1 : 0;
  if (motion.begun == 0) return begin_motion(at, motion);
  if (at.speed[0] < kMoving && at.speed[1] >= kMoving) {  // may be the last motion
    const Edge edge = edge_at(at);
    motion.end_duration_s = motion.duration_s + edge.duration_s;
    motion.end_jerk2 = motion.jerk2 + edge.jerk2;
  }
  const double jerk = (at.speed[0] - 2.0 * at.speed[1] + at.speed[2]) / (kLegSample * kLegSample);
  motion.duration_s += kLegSample;
  motion.jerk2 += jerk * jerk * kLegSample;
}

// A peak is a maximum from which the speed falls by its prominence, after it rose by as much.
void follow_peaks(double speed, LegMotion& motion) {
  for (int n = 0; n < kProminences; ++n) {
    const std::int32_t bit = std::int32_t{1} << n;
    const bool rising = (motion.rising & bit) != 0;
    const double further = (rising ? 1.0 : -1.0) * (speed - motion.furthest[n]);
    if (further > 0.0) {
      motion.furthest[n] = speed;
    } else if (-further > nth(kProminence, n)) {
      if (rising) motion.peaks[n] += 1.0;
      motion.rising ^= bit;
      motion.furthest[n] = speed;
    }
  }
}

void follow_way(double step_m, bool resting, LegMotion& motion) {
  if (!resting) {
    motion.way_m += step_m;
    return;
  }
  if (motion.way_m >= kMovement) motion.movements += 1.0;
  motion.way_m = 0.0;
}

void follow_motion(const LegSample& at, bool resting, LegMotion& motion) {
  follow_jerk(at, motion);
  motion.peak = std::max(motion.peak, at.speed[0]);
  follow_peaks(at.speed[0], motion);
  follow_way(at.speed[0] * kLegSample, resting, motion);
  if (at.unmeasured) motion.unmeasured = 1;
}

// Speeds count from that of the leg's start.
LegMotion fresh_motion() {
  LegMotion motion{};
  motion.rising = (std::int32_t{1} << kProminences) - 1;
  return motion;
}

double movements_of(const LegMotion& motion) {
  return motion.movements + (motion.way_m >= kMovement ? 1.0 : 0.0);
}

double submovements_of(const LegMotion& motion) {
  const double wanted = std::max(kLeastPeak, kPeakShare * motion.peak);
  int n = 0;
  while (n + 1 < kProminences && nth(kProminence, n) < wanted * (1.0 - 1e-9)) ++n;
  const bool open =
      (motion.rising & (std::int32_t{1} << n)) != 0 && motion.furthest[n] >= nth(kProminence, n);
  return motion.peaks[n] + (open ? 1.0 : 0.0);
}

void count_motion(double weight_m, const LegMotion& motion, LegState& state) {
  if (motion.begun == 0) return;
  if (motion.unmeasured != 0) {
    state.left_out += 1.0;
    return;
  }
  state.measured += 1.0;
  state.movements += movements_of(motion);
  state.submovements += submovements_of(motion);
  const double d = motion.fast != 0 ? motion.duration_s : motion.end_duration_s;
  const double jerk2 = motion.fast != 0 ? motion.jerk2 : motion.end_jerk2;
  if (!(jerk2 > 0.0) || !(weight_m > 0.0)) return;
  state.smooth_weight += weight_m;
  state.smooth_sum -= weight_m * logarithm(d * d * d * jerk2 / (motion.peak * motion.peak));
}

// --- The functions' progress ----------------------------------------------------

double travel_of(std::int16_t milliseconds) { return 1e-3 * milliseconds; }

std::int16_t to_milliseconds(double seconds) {
  constexpr double kMost = 32767.0;
  return static_cast<std::int16_t>(std::lround(std::clamp(1e3 * seconds, -kMost, kMost)));
}

void fresh_bin(LegState& state) {
  for (int f = 0; f < kFunctions; ++f)
    state.filling.low[f] = state.filling.high[f] =
        to_milliseconds(state.travel_s[f] - state.start.travel_s[f]);
  state.samples = state.higher = 0;
}

void note(LegPlace& place, const double (&tip_W)[3], const LegState& state) {
  copy(tip_W, place.tip_W, 3);
  copy(state.travel_s, place.travel_s, kFunctions);
  place.bins = state.bins;
  place.valid = 1;
}

bool has_moved(const LegBin& bin) {
  return !std::equal(std::begin(bin.low), std::end(bin.low), std::begin(bin.high));
}

// One in which nothing moved is not kept: it holds no progress.
void complete_bin(LegState& state) {
  const bool any = has_moved(state.filling);
  if (any && state.bins == kLegBins) state.overflow = 1;
  if (any && state.bins < kLegBins) state.bin[state.bins++] = state.filling;
  if (state.higher != 0) {
    copy(state.travel_s, state.apex.travel_s, kFunctions);
    state.apex.bins = state.bins;
    state.apex.valid = 1;
  }
  fresh_bin(state);
}

bool follow_travel(const LegSample& at, LegState& state) {
  std::int32_t moved = 0;
  for (int f = 0; f < kFunctions; ++f) {
    if (std::fabs(at.travel_s[f] - state.travel_s[f]) > kInUse * kLegSample)
      moved |= std::int32_t{1} << f;
    state.travel_s[f] = at.travel_s[f];
    const std::int16_t from_start = to_milliseconds(at.travel_s[f] - state.start.travel_s[f]);
    state.filling.low[f] = std::min(state.filling.low[f], from_start);
    state.filling.high[f] = std::max(state.filling.high[f], from_start);
  }
  if (state.apex.valid == 0 || at.tip_W[2] > state.apex.tip_W[2]) {
    copy(at.tip_W, state.apex.tip_W, 3);
    state.apex.valid = 1;
    state.higher = 1;
  }
  // A bin begins with a motion, so that a pause does not move the motions after it from bin to bin.
  if (has_moved(state.filling) && ++state.samples == kBinSamples) complete_bin(state);
  state.moved = moved;
  return moved != 0;
}

// Work of the functions in each bin, in seconds at full speed: its sum over them, and that of the squares.
struct BinWork {
  double sum[kLegBins], squares[kLegBins];
};

// Adds the progress of one function over its way between two places. Only what it passed once counts: what
// was done, undone and done again belongs to no bin.
void add_progress(const LegState& state, const LegPlace& from, const LegPlace& to, int f,
                  double way, BinWork& work) {
  const double shift = state.start.travel_s[f] - from.travel_s[f];
  const auto share = [&](const LegBin& bin, bool further) {
    const std::int16_t at = further == (way > 0.0) ? bin.high[f] : bin.low[f];
    return std::clamp((travel_of(at) + shift) / way, 0.0, 1.0);
  };
  double kept[kLegBins + 2];  // never fell below it from this bin on
  kept[to.bins] = kept[to.bins + 1] = 1.0;
  for (int b = to.bins - 1; b >= from.bins; --b)
    kept[b] = std::min(kept[b + 1], share(state.bin[b], false));
  double reached = 0.0;
  for (int b = from.bins; b < to.bins; ++b) {
    const double before = reached;
    reached = std::max(reached, share(state.bin[b], true));
    // A bin's length for the last passage: a joint that rings at the end of a bin has not gone back.
    const double once = std::min(reached, kept[b + 2]) - std::max(before, kept[b]);
    const double progress = std::fabs(way) * std::max(0.0, once);
    work.sum[b] += progress;
    work.squares[b] += progress * progress;
  }
}

// Share of the functions that worked together between two places; below 0: fewer than two had work.
double together_between(const LegPlace& from, const LegPlace& to, const LegState& state) {
  BinWork work{};
  double sum = 0.0, squares = 0.0;
  for (int f = 0; f < kFunctions; ++f) {
    const double way = to.travel_s[f] - from.travel_s[f];
    if (std::fabs(way) < kLeastTravel) continue;
    sum += std::fabs(way);
    squares += way * way;
    add_progress(state, from, to, f, way, work);
  }
  const double all = squares > 0.0 ? sum * sum / squares : 0.0;
  if (all < kLeastTogether) return -1.0;
  double counted = 0.0, weighted = 0.0;
  for (int b = from.bins; b < to.bins; ++b) {
    if (!(work.squares[b] > 0.0)) continue;
    counted += work.sum[b];
    weighted += work.sum[b] * work.sum[b] * work.sum[b] / work.squares[b];
  }
  const double mean = (weighted + std::max(0.0, sum - counted)) / sum;  // the rest was done alone
  return std::clamp((mean - 1.0) / (all - 1.0), 0.0, 1.0);
}

void count_together(double weight_m, const LegPlace& apex, const LegPlace& end, LegState& state) {
  const LegPlace& start = state.start;
  const double up = between(start.tip_W, apex.tip_W), down = between(apex.tip_W, end.tip_W);
  const bool lift = state.carrying != 0 && apex.valid != 0 &&
                    apex.tip_W[2] > std::max(start.tip_W[2], end.tip_W[2]) + kLeastRise;
  double share = -1.0;
  if (lift) {
    const double first = together_between(start, apex, state),
                 then = together_between(apex, end, state);
    const double a = first < 0.0 ? 0.0 : up, b = then < 0.0 ? 0.0 : down;
    if (a + b > 0.0) share = (a * std::max(first, 0.0) + b * std::max(then, 0.0)) / (a + b);
  } else {
    share = together_between(start, end, state);
  }
  if (share < 0.0 || !(weight_m > 0.0)) return;
  state.together_weight += weight_m;
  if (state.overflow == 0) state.together_sum += weight_m * share;
}

// --------------------------------------------------------------------------------

// The next leg begins at a place of this one; what came after it belongs to the next.
void begin_at(LegPlace place, LegMotion since, LegState& state) {
  const int kept = state.bins - place.bins;
  for (int b = 0; b < kept; ++b)
    for (int f = 0; f < kFunctions; ++f) {
      const double moved = state.start.travel_s[f] - place.travel_s[f];
      const LegBin& from = state.bin[place.bins + b];
      state.bin[b].low[f] = to_milliseconds(travel_of(from.low[f]) + moved);
      state.bin[b].high[f] = to_milliseconds(travel_of(from.high[f]) + moved);
    }
  for (int b = kept; b < state.bins; ++b) state.bin[b] = LegBin{};
  state.bins = kept;
  state.leg = since;
  state.start = place;
  state.start.bins = 0;
  state.apex = state.release = state.release_apex = LegPlace{};
  state.since = state.at_release = LegMotion{};
  state.overflow = 0;
  fresh_bin(state);
}

// The rest after a gap in a log: what came before is left out.
void begin_anew(const double (&tip_W)[3], LegState& state) {
  state.left_out += 1.0;
  complete_bin(state);
  LegPlace here{};
  note(here, tip_W, state);
  begin_at(here, fresh_motion(), state);
}

double mean(double sum, double count) { return count > 0.0 ? sum / count : 0.0; }

}  // namespace

void start_legs(const double (&tip_W)[3], const double* travel_s, bool held, LegState& state) {
  state = LegState{};
  copy(travel_s, state.travel_s, kFunctions);
  note(state.start, tip_W, state);
  state.leg = fresh_motion();
  state.carrying = held ? 1 : 0;
  copy(tip_W, state.apex.tip_W, 3);
  fresh_bin(state);
}

bool follow_leg(const LegSample& at, LegState& state) {
  const double step_m = at.speed[0] * kLegSample;
  double& oldest = state.way[state.way_next++ % kWaySamples];
  state.way_sum_m += step_m - oldest;
  oldest = step_m;
  const bool resting = state.way_sum_m < kRest;
  if (resting && state.leg.unmeasured != 0 && !at.unmeasured) begin_anew(at.tip_W, state);
  follow_motion(at, resting, state.leg);
  if (state.release.valid != 0) follow_motion(at, resting, state.since);
  return follow_travel(at, state);
}

void note_release(const double (&tip_W)[3], LegState& state) {
  complete_bin(state);
  note(state.release, tip_W, state);
  state.release_apex = state.apex;
  state.at_release = state.leg;
  state.since = fresh_motion();
}

void complete_leg(const double (&tip_W)[3], double weight_m, bool held, LegState& state) {
  complete_bin(state);
  if (ends_at_release(held, state)) {
    count_motion(weight_m, state.at_release, state);
    count_together(weight_m, state.release_apex, state.release, state);
    begin_at(state.release, state.since, state);
  } else {
    LegPlace end{};
    note(end, tip_W, state);
    count_motion(weight_m, state.leg, state);
    count_together(weight_m, state.apex, end, state);
    begin_at(end, fresh_motion(), state);
  }
  state.carrying = held ? 1 : 0;
}

double smoothness(const LegState& state) { return mean(state.smooth_sum, state.smooth_weight); }
double together(const LegState& state) { return mean(state.together_sum, state.together_weight); }
double movements_per_leg(const LegState& state) { return mean(state.movements, state.measured); }
double submovements_per_leg(const LegState& state) {
  return mean(state.submovements, state.measured);
}

}  // namespace knuckleboom::training
