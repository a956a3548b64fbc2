// Figures of an attempt. Pure: reads observations only, so that live, headless, replayed runs and
// logs of real machines agree. docs/reference/figures.md defines each figure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::training {

struct SessionSnapshot;

// Figures of an attempt so far.
struct Score {
  double time_s;      // from the first lever movement on
  double path_m;      // travelled by the tip
  double shortest_m;  // straight from target to target
  double path_ratio;  // path / shortest; 0 while there is no shortest path
  double collisions;  // contacts begun between machine (or held log) and stems, bunks, carrier,
                      // ground and logs that are not meant to be touched
  double collision_impulse_Ns;
  double end_stop_hits;
  double relief_s;         // time with a relief valve open
  double lever_reversals;  // changes of direction of a lever, over all levers
  double functions_mean;   // functions in use together, mean over the time any is
  double energy_J;         // work of the pump
  double placed;           // targets reached, logs in their bunks
  double error_m;          // mean placement or path error
  double overshoot_m;      // mean travel beyond the target

  double cycles;     // logs gripped, carried and released
  double cycle_s;    // mean over the cycles, as are its parts
  double reach_s;    // travelling empty
  double grip_s;     // stationary over the log
  double move_s;     // travelling with the log
  double release_s;  // stationary at the release

  double tip_movements;                  // of the tip, from rest to rest
  double ldlj;                           // log dimensionless jerk, mean over the movements
  double speed_peaks;                    // mean over the movements
  double swing_peak_rad, swing_rms_rad;  // of the hanging head from the vertical; no head: nan

  double lever_movements;  // out of neutral, over all levers
  double reversals_per_cycle, movements_per_cycle;
  double control_effort_s;  // integral of the squares of all lever positions
  double idle_share;        // of the time in which no function is in use
  double energy_per_cycle_J;
};
constexpr auto state_fields(const Score* /*type*/) {
  using namespace knuckleboom::state;
  using S = Score;
  return state::fields_of<S>(
      KB_FIELD(time_s), KB_FIELD(path_m), KB_FIELD(shortest_m), KB_FIELD(path_ratio),
      KB_FIELD(collisions), KB_FIELD(collision_impulse_Ns), KB_FIELD(end_stop_hits),
      KB_FIELD(relief_s), KB_FIELD(lever_reversals), KB_FIELD(functions_mean), KB_FIELD(energy_J),
      KB_FIELD(placed), KB_FIELD(error_m), KB_FIELD(overshoot_m), KB_FIELD(cycles),
      KB_FIELD(cycle_s), KB_FIELD(reach_s), KB_FIELD(grip_s), KB_FIELD(move_s), KB_FIELD(release_s),
      KB_FIELD(tip_movements), KB_FIELD(ldlj), KB_FIELD(speed_peaks),
      KB_FIELD(swing_peak_rad, kPerhaps), KB_FIELD(swing_rms_rad, kPerhaps),
      KB_FIELD(lever_movements), KB_FIELD(reversals_per_cycle), KB_FIELD(movements_per_cycle),
      KB_FIELD(control_effort_s), KB_FIELD(idle_share), KB_FIELD(energy_per_cycle_J));
}

struct Figure {
  std::string name;  // key in files: "time_s"
  std::string label;
  std::string unit;
  std::string description;
  double (*read)(const Score& score);
  std::uint32_t needs = 0;  // bits of Observed required by the figure
  bool detail = false;      // for reports only, not shown while driving
  bool mean = false;        // a mean: 0 if there was nothing to average
};
const std::vector<Figure>& figures();

// Undefined: a mean over nothing, or NaN. It violates every limit.
bool is_undefined(const Figure& figure, double value);

}  // namespace knuckleboom::training
