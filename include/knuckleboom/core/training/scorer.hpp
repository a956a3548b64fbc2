// The figures that do not depend on the order of what is asked: gathered tick by tick from observations.
#pragma once

#include "knuckleboom/core/math/vector.hpp"
#include "knuckleboom/core/training/observation.hpp"
#include "knuckleboom/core/training/task.hpp"

namespace knuckleboom::training {

// Between two points.
double distance(const double (&a)[3], const double (&b)[3]);

// While nobody has moved a lever: what the figures start from.
void set_start(const Observation& at, ScoreState& state);

// One tick of an attempt. free: nobody says what is to be done; legs go from grip to release and back.
void gather(bool free, const Observation& at, ScoreState& state);

// No tick comes any more: what is under way and done is counted. A release under way ends at end_s, not
// before the last grip or release.
void finish(double end_s, ScoreState& state);

// The work of a leg was done with the tip at tip_W after path_m of the way; straight: what the leg adds
// to the shortest path. The next leg starts here.
void finish_leg(const double (&tip_W)[3], double path_m, double straight, ScoreState& state);
// The movement of the tip ends here even if the tip goes on: what it was made for is done.
void cut_movement(ScoreState& state);
// From where the leg began.
double straight_leg(const double (&tip_W)[3], const ScoreState& state);

// An approach goes straight from where it begins to its goal; what is short has no direction and does not
// count. It ends at the goal, or where it is said to.
void begin_approach(const Vec3& from_W, const Vec3& goal_W, ApproachState& state);
void follow_approach(const Vec3& p_W, ApproachState& state);
void end_approach(Score& score, ApproachState& state);
void end_approach_at(const Vec3& p_W, Score& score, ApproachState& state);

}  // namespace knuckleboom::training
