// Spectral arc length of a motion's speed: docs/theory/judging.md.
#pragma once

#include <vector>

#include "knuckleboom/analysis/log_observations.hpp"

namespace knuckleboom::analysis {

// Speeds [m/s] at equal times, rate_Hz of them in a second: below 0, the closer to 0 the smoother; some -1.4
// for the smoothest motion. nan: nothing moves, or for more than ten minutes.
double spectral_arc(const std::vector<double>& speed, double rate_Hz);

// Mean over the legs of a log, by their straight length; nan: there is no whole leg of at most ten minutes. Needs a tip.
double spectral_arc(const LogObservations& log);

}  // namespace knuckleboom::analysis
