// The table of figures and how they are gathered: docs/reference/figures.md.
#include "knuckleboom/core/training/score.hpp"

#include <cmath>

#include "scorer.hpp"

namespace knuckleboom::training {
namespace {

double distance(const double (&a)[3], const double (&b)[3]) {
  const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return std::sqrt(x * x + y * y + z * z);
}

void copy(const double (&from)[3], double (&to)[3]) {
  for (int c = 0; c < 3; ++c) to[c] = from[c];
}

}  // namespace

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

namespace {

// A lever turns when it comes back from its furthest point by more than the hysteresis.
void follow_lever(double axis, double& furthest, std::int32_t& direction, double& reversals) {
  const double moved = axis - furthest;
  if (direction != 0 && moved * direction > 0.0) {
    furthest = axis;
  } else if (std::fabs(moved) > kReversal) {
    if (direction != 0) reversals += 1.0;
    direction = moved > 0.0 ? 1 : -1;
    furthest = axis;
  }
}

void gather_levers(const SessionSnapshot& snapshot, ScoreState& state) {
  for (int i = 0; i < command::kLeverAxes; ++i)
    follow_lever(snapshot.input.axis[i], state.last_axis[i], state.direction[i],
                 state.score.lever_reversals);
  int in_use = 0;
  for (const double demand : snapshot.shaped)
    if (std::fabs(demand) > kFunctionInUse) ++in_use;
  if (in_use == 0) return;
  state.in_use_sum += in_use;
  state.in_use_ticks += 1.0;
  state.score.functions_mean = state.in_use_sum / state.in_use_ticks;
}

}  // namespace

void set_start(const SessionSnapshot& snapshot, ScoreState& state) {
  copy(snapshot.sim.tip_W, state.last_tip_W);
  copy(snapshot.sim.tip_W, state.leg_from_W);
  for (int i = 0; i < command::kLeverAxes; ++i) state.last_axis[i] = snapshot.input.axis[i];
  for (int i = 0; i < world::kObstacles; ++i) {
    state.start_collisions[i] = snapshot.collisions[i];
    state.start_impulse[i] = snapshot.impulse[i];
  }
  state.start_pump_J = snapshot.pump_work_J;
  state.start_stop_hits = snapshot.sim.health.stop_hits;
  state.start_relief_ticks = snapshot.sim.health.relief_ticks;
  state.primed = 1;
}

void gather(TaskKind kind, double dt, std::int64_t ticks, const SessionSnapshot& snapshot,
            ScoreState& state) {
  Score& score = state.score;
  score.time_s = dt * static_cast<double>(ticks);
  score.path_m += distance(snapshot.sim.tip_W, state.last_tip_W);
  copy(snapshot.sim.tip_W, state.last_tip_W);
  score.collisions = score.collision_impulse_Ns = 0.0;
  for (int i = 0; i < world::kObstacles; ++i) {
    if (!counts_as_collision(kind, static_cast<world::Obstacle>(i))) continue;
    score.collisions += static_cast<double>(snapshot.collisions[i] - state.start_collisions[i]);
    score.collision_impulse_Ns += snapshot.impulse[i] - state.start_impulse[i];
  }
  const machine::Health& health = snapshot.sim.health;
  score.end_stop_hits = static_cast<double>(health.stop_hits - state.start_stop_hits);
  score.relief_s = dt * static_cast<double>(health.relief_ticks - state.start_relief_ticks);
  score.energy_J = snapshot.pump_work_J - state.start_pump_J;
  gather_levers(snapshot, state);
}

double straight_leg(const double (&tip_W)[3], const ScoreState& state) {
  return distance(tip_W, state.leg_from_W);
}

void finish_leg(const double (&tip_W)[3], double path_m, double straight, ScoreState& state) {
  state.score.shortest_m += straight;
  copy(tip_W, state.leg_from_W);
  if (state.score.shortest_m > 0.0) state.score.path_ratio = path_m / state.score.shortest_m;
}

const std::vector<Figure>& figures() {
  static const std::vector<Figure> table = {
      {"time_s", "Time", "s", "from the first lever movement on",
       [](const Score& s) { return s.time_s; }},
      {"path_m", "Tip path", "m", "way that the tip travelled",
       [](const Score& s) { return s.path_m; }},
      {"shortest_m", "Shortest path", "m",
       "straight lines between the places where the tip did its work",
       [](const Score& s) { return s.shortest_m; }},
      {"path_ratio", "Path over shortest", "",
       "tip path over shortest path, up to the last target done",
       [](const Score& s) { return s.path_ratio; }},
      {"collisions", "Collisions", "", "contacts begun with what is not to be touched",
       [](const Score& s) { return s.collisions; }},
      {"collision_impulse_Ns", "Collision impulse", "N s", "momentum passed on in these contacts",
       [](const Score& s) { return s.collision_impulse_Ns; }},
      {"end_stop_hits", "End stop hits", "", "times that an actuator ran into its end stop",
       [](const Score& s) { return s.end_stop_hits; }},
      {"relief_s", "Time at relief", "s", "time with at least one relief valve open",
       [](const Score& s) { return s.relief_s; }},
      {"lever_reversals", "Lever reversals", "", "changes of direction of the levers",
       [](const Score& s) { return s.lever_reversals; }},
      {"functions_mean", "Functions together", "", "functions in use, mean over the time any is",
       [](const Score& s) { return s.functions_mean; }},
      {"energy_J", "Pump work", "J", "work of the pump", [](const Score& s) { return s.energy_J; }},
      {"placed", "Done", "", "targets reached, or logs in their bunks",
       [](const Score& s) { return s.placed; }},
      {"error_m", "Mean error", "m",
       "mean distance from the targets when reached, or from the path",
       [](const Score& s) { return s.error_m; }},
  };
  return table;
}

int broken_limit(const Exercise& exercise, const Score& score) {
  for (std::size_t i = 0; i < exercise.limits.size(); ++i) {
    const Limit& limit = exercise.limits[i];
    for (const Figure& figure : figures()) {
      if (figure.name != limit.figure) continue;
      const double value = figure.read(score);
      if ((limit.has_most && value > limit.most) || (limit.has_least && value < limit.least))
        return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace knuckleboom::training
