// The tip in a log of a real machine: smoothing, and the remaining noise. docs/theory/judging.md
#pragma once

#include <vector>

#include "knuckleboom/core/math/vector.hpp"

namespace knuckleboom::analysis {

// Second-order Butterworth low-pass, as the scorer's; delay about sqrt(2)/(2 pi cutoff). Points at
// equal intervals dt [s]. With fewer than four points per period of the cut-off they are returned
// unchanged.
std::vector<Vec3> low_passed(std::vector<Vec3> p, double cutoff_Hz, double dt);
// The same forwards and backwards: without delay. The ends stay nearly in place.
std::vector<Vec3> smoothed(const std::vector<Vec3>& p, double cutoff_Hz, double dt);

// Apparent speed of the tip at rest, due to the noise of its sensors [m/s].
struct TipNoise {
  double way;    // smoothed with way_Hz
  double speed;  // after a low-pass of speed_Hz
};
// Noise of the tip, for noise of larger bandwidth than way_Hz.
TipNoise tip_noise(const std::vector<Vec3>& p, double way_Hz, double speed_Hz, double dt);

}  // namespace knuckleboom::analysis
