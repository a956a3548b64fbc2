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
// the last grip or release. free: what has moved since the last grip or release is a leg.
void finish(bool free, double end_s, ScoreState& state);

// A leg has ended: at the last release in it if nothing is held, else here. The next one starts there.
void end_leg(ScoreState& state);
// The same for its motion alone, with a given length: of a leg on a path, whose shortest way is no line.
void count_leg(const double (&tip_W)[3], double weight_m, ScoreState& state);
// The way to tip_W after path_m of travel has added so much to the shortest path.
void finish_leg(const double (&tip_W)[3], double path_m, double straight, ScoreState& state);
// Straight distance from the start of the leg.
double straight_leg(const double (&tip_W)[3], const ScoreState& state);

// An approach is the straight line from its start to its goal; a short one has no direction and
// does not count. It ends at the goal, or at a given point.
void begin_approach(const Vec3& from_W, const Vec3& goal_W, ApproachState& state);
void follow_approach(const Vec3& p_W, ApproachState& state);
void end_approach(Score& score, ApproachState& state);
void end_approach_at(const Vec3& p_W, Score& score, ApproachState& state);

}  // namespace knuckleboom::training
