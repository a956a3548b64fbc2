// The tip of a log of a real machine: smoothing, and how much noise is left. docs/theory/judging.md
#pragma once

#include <vector>

#include "knuckleboom/core/math/vector.hpp"

namespace knuckleboom::app {

// Butterworth low-pass of second order, as the scorer's; late by some sqrt(2)/(2 pi cutoff). Points at equal
// times of dt [s]. At less than four points in a period of the cut-off they come back as they are.
std::vector<Vec3> low_passed(std::vector<Vec3> p, double cutoff_Hz, double dt);
// The same forwards and backwards: not late. The ends stay about where they are.
std::vector<Vec3> smoothed(const std::vector<Vec3>& p, double cutoff_Hz, double dt);

// What the tip seems to travel by noise alone [m/s]: its way in the slowest second (ten points at least),
// less the straight line between the ends of that.
double speed_at_rest(const std::vector<Vec3>& p, double dt);

}  // namespace knuckleboom::app
