// The table of figures: docs/reference/figures.md.
#include "knuckleboom/core/training/score.hpp"

#include <cmath>

#include "knuckleboom/core/training/observation.hpp"
#include "knuckleboom/core/training/task.hpp"

namespace knuckleboom::training {

bool counts_as_collision(TaskKind kind, world::Obstacle obstacle) {
  switch (obstacle) {
    case world::Obstacle::kStem:
    case world::Obstacle::kCarrier:
      return true;
    case world::Obstacle::kGround:
    case world::Obstacle::kBunk:
      return kind == TaskKind::kReach || kind == TaskKind::kPath || kind == TaskKind::kHead;
    case world::Obstacle::kLog:
      break;
  }
  return false;
}

const std::vector<Figure>& figures() {
  constexpr std::uint32_t kCycle = kObservedTip | kObservedGrip;
  constexpr std::uint32_t kPart = kCycle | kObservedCalm;
  constexpr std::uint32_t kWay = kObservedTip | kObservedWay;
  constexpr std::uint32_t kDense = kObservedTip | kObservedDense | kObservedCalm;
  static const std::vector<Figure> table = {
      {"time_s", "Time", "s", "from the first lever movement on",
       [](const Score& s) { return s.time_s; }},
      {"path_m", "Tip path", "m", "way that the tip travelled",
       [](const Score& s) { return s.path_m; }, kWay},
      {"shortest_m", "Shortest path", "m",
       "straight lines between the places where the tip did its work",
       [](const Score& s) { return s.shortest_m; }, kObservedTip | kObservedGrip},
      {"path_ratio", "Path over shortest", "",
       "tip path over shortest path, up to the last target done",
       [](const Score& s) { return s.path_ratio; }, kWay | kObservedGrip, false, true},
      {"collisions", "Collisions", "", "contacts begun with what is not to be touched",
       [](const Score& s) { return s.collisions; }, kObservedContacts},
      {"collision_impulse_Ns", "Collision impulse", "N s", "momentum passed on in these contacts",
       [](const Score& s) { return s.collision_impulse_Ns; }, kObservedImpulse},
      {"end_stop_hits", "End stop hits", "", "times that an actuator ran into its end stop",
       [](const Score& s) { return s.end_stop_hits; }, kObservedStops},
      {"relief_s", "Time at relief", "s", "time with at least one relief valve open",
       [](const Score& s) { return s.relief_s; }, kObservedRelief},
      {"lever_reversals", "Lever reversals", "", "changes of direction of the levers",
       [](const Score& s) { return s.lever_reversals; }, kObservedLevers},
      {"functions_mean", "Functions together", "", "functions in use, mean over the time any is",
       [](const Score& s) { return s.functions_mean; }, kObservedDemand, false, true},
      {"energy_J", "Pump work", "J", "work of the pump", [](const Score& s) { return s.energy_J; },
       kObservedPump},
      {"placed", "Done", "", "targets reached, or logs in their bunks",
       [](const Score& s) { return s.placed; }, kObservedTask},
      {"error_m", "Mean error", "m",
       "mean distance from the targets when reached, or from the path",
       [](const Score& s) { return s.error_m; }, kObservedTask},
      {"overshoot_m", "Overshoot", "m", "mean way beyond the target, along the approach",
       [](const Score& s) { return s.overshoot_m; }, kObservedTask, true},
      {"cycles", "Log cycles", "", "logs taken up, carried and let go",
       [](const Score& s) { return s.cycles; }, kCycle, true},
      {"cycle_s", "Cycle time", "s", "mean over the log cycles",
       [](const Score& s) { return s.cycle_s; }, kCycle, true, true},
      {"reach_s", "Reaching", "s", "mean of a cycle: empty on the way to the log",
       [](const Score& s) { return s.reach_s; }, kPart, true, true},
      {"grip_s", "Gripping", "s", "mean of a cycle: standing over the log",
       [](const Score& s) { return s.grip_s; }, kPart, true, true},
      {"move_s", "Moving", "s", "mean of a cycle: on the way with the log",
       [](const Score& s) { return s.move_s; }, kPart, true, true},
      {"release_s", "Releasing", "s", "mean of a cycle: standing where the log is let go",
       [](const Score& s) { return s.release_s; }, kPart, true, true},
      {"tip_movements", "Tip movements", "", "movements of the tip from rest to rest",
       [](const Score& s) { return s.tip_movements; }, kDense, true},
      {"ldlj", "Smoothness (LDLJ)", "", "log dimensionless jerk, mean over the tip's movements",
       [](const Score& s) { return s.ldlj; }, kDense, true, true},
      {"speed_peaks", "Speed peaks", "", "peaks of the tip's speed, mean over its movements",
       [](const Score& s) { return s.speed_peaks; }, kDense, true, true},
      {"swing_peak_rad", "Head swing, peak", "rad", "largest angle of the head from the vertical",
       [](const Score& s) { return s.swing_peak_rad; }, kObservedHead, true},
      {"swing_rms_rad", "Head swing, rms", "rad", "rms angle of the head from the vertical",
       [](const Score& s) { return s.swing_rms_rad; }, kObservedHead, true},
      {"lever_movements", "Lever movements", "", "movements of the levers out of neutral",
       [](const Score& s) { return s.lever_movements; }, kObservedLevers, true},
      {"reversals_per_cycle", "Reversals per cycle", "", "lever reversals for each log cycle",
       [](const Score& s) { return s.reversals_per_cycle; }, kCycle | kObservedLevers, true, true},
      {"movements_per_cycle", "Movements per cycle", "", "lever movements for each log cycle",
       [](const Score& s) { return s.movements_per_cycle; }, kCycle | kObservedLevers, true, true},
      {"control_effort_s", "Control effort", "s", "integral of the squares of the lever positions",
       [](const Score& s) { return s.control_effort_s; }, kObservedLevers, true},
      {"idle_share", "Idle share", "", "share of the time in which no function is in use",
       [](const Score& s) { return s.idle_share; }, kObservedDemand, true},
      {"energy_per_cycle_J", "Pump work per cycle", "J", "work of the pump for each log cycle",
       [](const Score& s) { return s.energy_per_cycle_J; }, kCycle | kObservedPump, true, true},
  };
  return table;
}

bool is_undefined(const Figure& figure, double value) {
  return !std::isfinite(value) || (figure.mean && value == 0.0);
}

int broken_limit(const Exercise& exercise, const Score& score) {
  for (std::size_t i = 0; i < exercise.limits.size(); ++i) {
    const Limit& limit = exercise.limits[i];
    for (const Figure& figure : figures()) {
      if (figure.name != limit.figure) continue;
      const double value = figure.read(score);
      if (is_undefined(figure, value) || (limit.has_most && value > limit.most) ||
          (limit.has_least && value < limit.least))
        return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace knuckleboom::training
