// The figures that do not depend on the order of what is asked: gathered tick by tick from snapshots.
#pragma once

#include "knuckleboom/core/training/task.hpp"

namespace knuckleboom::training {

// Thresholds; docs/reference/figures.md.
inline constexpr double kReversal = 0.1;        // a lever must come back by it to count as turned
inline constexpr double kFunctionInUse = 0.02;  // share of the full demand

// While nobody has moved a lever: what the figures start from.
void set_start(const SessionSnapshot& snapshot, ScoreState& state);

// One tick of an attempt, the `ticks`-th.
void gather(TaskKind kind, double dt, std::int64_t ticks, const SessionSnapshot& snapshot,
            ScoreState& state);

// The work of a leg was done with the tip at tip_W after path_m of the way; straight: what the leg adds
// to the shortest path. The next leg starts here.
void finish_leg(const double (&tip_W)[3], double path_m, double straight, ScoreState& state);
// From where the leg began.
double straight_leg(const double (&tip_W)[3], const ScoreState& state);

}  // namespace knuckleboom::training
