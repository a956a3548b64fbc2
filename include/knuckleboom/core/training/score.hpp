// What an attempt is judged by. Pure: reads snapshots only, so that live, headless and replayed runs
// agree. docs/reference/figures.md defines each figure.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

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
};
static_assert(std::is_trivially_copyable_v<Score>);

struct Figure {
  std::string name;  // key in files: "time_s"
  std::string label;
  std::string unit;
  std::string description;
  double (*read)(const Score& score);
};
const std::vector<Figure>& figures();

}  // namespace knuckleboom::training
