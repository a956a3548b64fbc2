// How far an operator is with an exercise. Pure: a task sees snapshots only.
#pragma once

#include <cstdint>
#include <type_traits>

#include "knuckleboom/core/training/exercise.hpp"
#include "knuckleboom/core/training/session_snapshot.hpp"

namespace knuckleboom::training {

struct TaskState {
  TaskPhase phase;
  std::int32_t step;
  std::int64_t start_tick;  // of the first lever movement
  std::int64_t end_tick;    // when it was passed or failed
  double dwell_s;
  double progress;  // path: arc length reached [m]
  double error_sum, error_count;
  double placed_error;
  std::int64_t reserved[4];
};
static_assert(std::is_trivially_copyable_v<TaskState>);

struct ScoreState {
  Score score;
  double last_tip_W[3];
  double last_axis[command::kLeverAxes];  // turning points of the levers
  std::int32_t direction[command::kLeverAxes];
  std::int32_t primed, in_use;
  double in_use_sum, in_use_ticks;
  double start_pump_J;
  std::int64_t start_collisions[world::kObstacles];
  double start_impulse[world::kObstacles];
  std::int64_t start_stop_hits, start_relief_ticks;
};
static_assert(std::is_trivially_copyable_v<ScoreState>);

class Task {
 public:
  // Throws std::invalid_argument with one sentence for an exercise that cannot be done.
  explicit Task(const Exercise& exercise);

  TaskState initial_state() const;
  ScoreState initial_score() const;

  // One tick: snapshot.task and snapshot.score are filled in from what stands in the rest of it. Nothing
  // changes any more after the task has ended.
  void observe(double dt, SessionSnapshot& snapshot, TaskState& task, ScoreState& score) const;

 private:
  const Exercise& exercise_;
};

// Whether a score is within the limits; the first broken limit, -1: none.
int broken_limit(const Exercise& exercise, const Score& score);

}  // namespace knuckleboom::training
