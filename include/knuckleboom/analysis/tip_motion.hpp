// The tip of a log of a real machine: smoothing, and how much noise is left. docs/theory/judging.md
#pragma once

#include <vector>

#include "knuckleboom/core/math/vector.hpp"

namespace knuckleboom::analysis {

// Butterworth low-pass of second order, as the scorer's; late by some sqrt(2)/(2 pi cutoff). Points at equal
// times of dt [s]. At less than four points in a period of the cut-off they come back as they are.
std::vector<Vec3> low_passed(std::vector<Vec3> p, double cutoff_Hz, double dt);
// The same forwards and backwards: not late. The ends stay about where they are.
std::vector<Vec3> smoothed(const std::vector<Vec3>& p, double cutoff_Hz, double dt);

// What the tip seems to travel at rest, by the noise of its sensors [m/s].
struct TipNoise {
  double way;    // smoothed with way_Hz
  double speed;  // behind a low-pass of speed_Hz
};
// Of noise that is broader than way_Hz.
TipNoise tip_noise(const std::vector<Vec3>& p, double way_Hz, double speed_Hz, double dt);

}  // namespace knuckleboom::analysis
