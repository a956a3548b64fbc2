// How far an operator is with an exercise. Pure: a task sees snapshots only.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "knuckleboom/core/training/exercise.hpp"
#include "knuckleboom/core/training/session_snapshot.hpp"

namespace knuckleboom::training {

struct TaskState {
  TaskPhase phase;
  std::int32_t step;        // targets reached, logs placed
  std::int64_t start_tick;  // the tick before the first lever movement's
  std::int64_t end_tick;    // when it was passed or failed
  double dwell_s;
  double progress;                // path: arc length reached [m]
  double error_sum, error_count;  // their ratio is Score::error_m
  double last_log_W[3];           // logs: centre of the current one, one tick before [m]
  std::int32_t carried;  // logs: the current one was gripped since it became the current one
  std::int32_t on_path;  // path: its start was reached
};
static_assert(std::is_trivially_copyable_v<TaskState>);

struct ScoreState {
  Score score;
  double last_tip_W[3];
  double leg_from_W[3];                   // tip where the leg to the next target began
  double leg_end_W[3];                    // logs: tip where the current one was let go
  double leg_end_path_m;                  // logs: tip path up to there
  double last_axis[command::kLeverAxes];  // turning points of the levers
  std::int32_t direction[command::kLeverAxes];
  std::int32_t primed, reserved;
  double in_use_sum, in_use_ticks;
  double start_pump_J;
  std::int64_t start_collisions[world::kObstacles];
  double start_impulse[world::kObstacles];
  std::int64_t start_stop_hits, start_relief_ticks;
};
static_assert(std::is_trivially_copyable_v<ScoreState>);
// No padding: equal states have equal bytes.
static_assert(sizeof(TaskState) == 9 * sizeof(double) + 4 * sizeof(std::int32_t));
static_assert(sizeof(ScoreState) ==
              sizeof(Score) + (15 + command::kLeverAxes + 2 * world::kObstacles) * sizeof(double) +
                  (command::kLeverAxes + 2) * sizeof(std::int32_t));
static_assert(sizeof(Score) == 13 * sizeof(double));

class Task {
 public:
  // The exercise must outlive it. Throws std::invalid_argument with one sentence for an exercise that
  // cannot be done.
  explicit Task(const Exercise& exercise);

  TaskState initial_state() const;
  ScoreState initial_score() const;

  // One tick: snapshot.task and snapshot.score are filled in from what stands in the rest of it. Nothing
  // changes any more after the task has ended. No heap, no exception.
  void observe(double dt, SessionSnapshot& snapshot, TaskState& task, ScoreState& score) const;
  // As it is, without moving it on.
  void show(double dt, const TaskState& task, const ScoreState& score,
            SessionSnapshot& snapshot) const;

 private:
  struct Bunk {
    Vec3 centre_W;  // in the middle of the stakes
    Vec3 along_W;   // direction of the logs
  };

  void advance(double dt, const SessionSnapshot& snapshot, TaskState& task,
               ScoreState& score) const;
  void advance_targets(double dt, const SessionSnapshot& snapshot, TaskState& task,
                       ScoreState& score) const;
  void advance_path(const SessionSnapshot& snapshot, TaskState& task, ScoreState& score) const;
  void advance_logs(double dt, const SessionSnapshot& snapshot, TaskState& task,
                    ScoreState& score) const;
  void place_log(TaskState& task, const SessionSnapshot& snapshot, ScoreState& score) const;
  void end_if_over(double dt, const SessionSnapshot& snapshot, TaskState& task,
                   const Score& score) const;
  void report_targets(const SessionSnapshot& snapshot, const TaskState& state,
                      TaskSnapshot& out) const;
  void report_logs(const SessionSnapshot& snapshot, const TaskState& state,
                   TaskSnapshot& out) const;
  TaskSnapshot report(double dt, const SessionSnapshot& snapshot, const TaskState& task) const;
  int steps() const;
  bool lies_in_bunk(const LogTask& wanted, const SessionSnapshot& snapshot) const;
  Vec3 path_point(double s) const;

  const Exercise& exercise_;
  std::vector<Bunk> bunks_;
  std::vector<double> arc_;  // path: length up to each target [m]
};

// Whether a score is within the limits; the first broken limit, -1: none.
int broken_limit(const Exercise& exercise, const Score& score);

// Whether a contact with it is a mistake. Ground, bunks and logs are there to be touched where logs are
// carried.
bool counts_as_collision(TaskKind kind, world::Obstacle obstacle);

}  // namespace knuckleboom::training
