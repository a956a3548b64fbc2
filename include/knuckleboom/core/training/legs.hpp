// Figures of the legs of an attempt: smoothness, functions at work together, movements. The exercise fixes
// the legs and with them the weights, so that what is added in between adds no weight; it worsens the leg
// that it falls into. docs/theory/judging.md
#pragma once

#include <cstdint>

#include "knuckleboom/core/math/vector.hpp"
#include "knuckleboom/core/sim/operator_control.hpp"
#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::training {

inline constexpr double kLegSample = 0.02;  // s, between two samples of a leg
inline constexpr int kLegBins = 240;        // in which an actuator moved; of 0.5 s each
inline constexpr int kProminences = 16;     // of speed peaks that are told apart
inline constexpr int kWaySamples = 25;      // 0.5 s

// The tip since some moment.
struct LegMotion {
  double duration_s, jerk2;  // from the first motion on; integral of the squared jerk [m2/s5]
  double peak;               // highest speed [m/s]
  double end_duration_s, end_jerk2;  // up to the last fall below the threshold of motion
  double movements, way_m;           // completed; way of the one under way
  double furthest[kProminences];     // speed of the last turning point, for each prominence
  double peaks[kProminences];
  std::int32_t rising;       // a bit for each prominence
  std::int32_t begun, fast;  // 1: has moved; is above the threshold of motion
  std::int32_t unmeasured;   // 1: a part of it is unknown
};
constexpr auto state_fields(const LegMotion* /*type*/) {
  using namespace knuckleboom::state;
  using S = LegMotion;
  return state::fields_of<S>(KB_FIELD(duration_s), KB_FIELD(jerk2), KB_FIELD(peak),
                             KB_FIELD(end_duration_s), KB_FIELD(end_jerk2), KB_FIELD(movements),
                             KB_FIELD(way_m), KB_FIELD(furthest), KB_FIELD(peaks),
                             KB_FIELD(rising, kKey), KB_FIELD(begun, kFlag), KB_FIELD(fast, kFlag),
                             KB_FIELD(unmeasured, kFlag));
}

// How far each function was in half a second: its least and its largest travel from the start of the leg,
// in milliseconds at full speed.
struct LegBin {
  std::int16_t low[sim::kMaxLeverFunctions], high[sim::kMaxLeverFunctions];
};
constexpr auto state_fields(const LegBin* /*type*/) {
  using namespace knuckleboom::state;
  using S = LegBin;
  return state::fields_of<S>(KB_FIELD(low, kLever, Along::kLeverFunctions),
                             KB_FIELD(high, kLever, Along::kLeverFunctions));
}

// Where the leg was at some moment.
struct LegPlace {
  double tip_W[3];
  double travel_s[sim::kMaxLeverFunctions];
  std::int32_t bins;   // completed up to there
  std::int32_t valid;  // 1: there was such a moment
};
constexpr auto state_fields(const LegPlace* /*type*/) {
  using namespace knuckleboom::state;
  using S = LegPlace;
  return state::fields_of<S>(KB_FIELD(tip_W, kPosition),
                             KB_FIELD(travel_s, kNumber, Along::kLeverFunctions),
                             KB_FIELD(bins, kCounter32), KB_FIELD(valid, kFlag));
}

struct LegState {
  LegMotion leg, since,
      at_release;           // of the leg; since the last release in it; from its start to there
  double way[kWaySamples];  // steps of the last half second [m]
  double way_sum_m;
  LegPlace start, apex;            // of the leg; where the tip was highest in it
  LegPlace release, release_apex;  // of the last release; where it was highest before
  LegBin bin[kLegBins];            // completed ones
  LegBin filling;
  double travel_s[sim::kMaxLeverFunctions];  // at the last sample
  std::int64_t way_next;
  std::int32_t bins, samples;       // samples: in the bin that is filling
  std::int32_t higher;              // 1: the tip reached its highest point in it
  std::int32_t carrying, overflow;  // since the start of the leg; more bins than there is room for
  std::int32_t moved;  // a bit for each function whose actuator moved at the last sample
  double smooth_weight, smooth_sum;  // over the completed legs
  double together_weight, together_sum;
  double movements, submovements, measured;  // measured: legs in them
  double left_out;                           // legs with a part unknown
};
constexpr auto state_fields(const LegState* /*type*/) {
  using namespace knuckleboom::state;
  using S = LegState;
  return state::fields_of<S>(
      KB_FIELD(leg), KB_FIELD(since), KB_FIELD(at_release), KB_FIELD(way), KB_FIELD(way_sum_m),
      KB_FIELD(start), KB_FIELD(apex), KB_FIELD(release), KB_FIELD(release_apex), KB_FIELD(bin),
      KB_FIELD(filling), KB_FIELD(travel_s, kNumber, Along::kLeverFunctions),
      KB_FIELD(way_next, kCounter), KB_FIELD(bins, kCounter32), KB_FIELD(samples, kCounter32),
      KB_FIELD(higher, kFlag), KB_FIELD(carrying, kFlag), KB_FIELD(overflow, kFlag),
      KB_FIELD(moved, bits(sim::kMaxLeverFunctions)), KB_FIELD(smooth_weight), KB_FIELD(smooth_sum),
      KB_FIELD(together_weight), KB_FIELD(together_sum), KB_FIELD(movements),
      KB_FIELD(submovements), KB_FIELD(measured), KB_FIELD(left_out));
}

// One sample of the tip and the functions' travel, both 0.02 s after the last.
struct LegSample {
  double tip_W[3];         // low-passed [m]
  double speed[3];         // of the tip; [1], [2]: one and two samples before [m/s]
  const double* travel_s;  // of each function: its position over its full speed [s]
  bool unmeasured;         // a part of it is interpolated
};

// Begins the first leg at rest.
void start_legs(const double (&tip_W)[3], const double* travel_s, bool held, LegState& state);
// True: an actuator moved at more than 2 % of its full speed.
bool follow_leg(const LegSample& at, LegState& state);
// The log in the grapple is released: if nothing is gripped before the leg is completed, the leg ended here.
void note_release(const double (&tip_W)[3], LegState& state);
// Where the leg ends, should it end now: at the last release in it if nothing is held, else here.
inline bool ends_at_release(bool held, const LegState& state) {
  return !held && state.release.valid != 0;
}
// The leg has ended, there. weight_m: its straight length. The next one begins there.
void complete_leg(const double (&tip_W)[3], double weight_m, bool held, LegState& state);

// Means over the completed legs; 0: there is none with such a thing.
double smoothness(const LegState& state);
double together(const LegState& state);
double movements_per_leg(const LegState& state);
double submovements_per_leg(const LegState& state);

}  // namespace knuckleboom::training
