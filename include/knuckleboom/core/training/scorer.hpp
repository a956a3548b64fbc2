// Figures independent of the order of the task: gathered tick by tick from observations.
#pragma once

#include "knuckleboom/core/math/vector.hpp"
#include "knuckleboom/core/training/observation.hpp"
#include "knuckleboom/core/training/task.hpp"

namespace knuckleboom::training {

// Between two points.
double distance(const double (&a)[3], const double (&b)[3]);

// Start values of the figures, until a lever is moved.
void set_start(const Observation& at, ScoreState& state);

// One tick of an attempt. free: no task; legs go from grip to release and back.
void gather(bool free, const Observation& at, ScoreState& state);

// End of the ticks: counts what has been completed. A release under way ends at end_s, not before
// the last grip or release.
void finish(double end_s, ScoreState& state);

// A leg ended with the tip at tip_W after path_m of travel; straight: its addition to the shortest
// path. The next leg starts here.
void finish_leg(const double (&tip_W)[3], double path_m, double straight, ScoreState& state);
// The movement of the tip ends here even if the tip moves on: its purpose is achieved.
void cut_movement(ScoreState& state);
// Straight distance from the start of the leg.
double straight_leg(const double (&tip_W)[3], const ScoreState& state);

// An approach is the straight line from its start to its goal; a short one has no direction and
// does not count. It ends at the goal, or at a given point.
void begin_approach(const Vec3& from_W, const Vec3& goal_W, ApproachState& state);
void follow_approach(const Vec3& p_W, ApproachState& state);
void end_approach(Score& score, ApproachState& state);
void end_approach_at(const Vec3& p_W, Score& score, ApproachState& state);

}  // namespace knuckleboom::training
