// The tip in a log of a real machine: smoothing, and the remaining noise. docs/theory/judging.md
#pragma once

#include <cstddef>
#include <vector>

#include "knuckleboom/core/math/vector.hpp"

namespace knuckleboom::analysis {

// Apparent speed of the tip at rest, due to the noise of its sensors [m/s].
struct TipNoise {
  double way = 0.0;    // of the smoothed path
  double speed = 0.0;  // as the scorer sees it
};

// Takes the tip row by row, at equal times, and holds no more of it at once than a stretch that the smoothing
// remembers. Low-passes are Butterworth's of second order as the scorer's, but forwards and backwards: without
// delay, and with the ends nearly in place. With fewer than four rows per period there are none.
class TipMotion {
 public:
  struct Settings {
    double way_Hz;      // faster motion in the path is noise
    double speed_Hz;    // as the scorer has it
    double moving_m_s;  // of the tip smoothed with speed_Hz
  };
  TipMotion(std::size_t rows, double dt, const Settings& settings);

  void add(const Vec3& tip);  // as often as there are rows

  // When all rows are there. Noise of larger bandwidth than way_Hz.
  TipNoise noise() const;
  // Travel since the row before, of the path smoothed with way_Hz.
  std::vector<double> take_steps() { return std::move(steps_); }
  bool moves(std::size_t row) const { return moves_[row]; }

 private:
  // Mean speed in the second with the least of it; ten steps at least.
  class SlowestSecond {
   public:
    SlowestSecond(std::size_t rows, double dt);
    void add(double step_m);
    double speed() const;

   private:
    double dt_;
    std::vector<double> last_;  // steps of a second
    std::size_t count_ = 0;
    double way_ = 0.0, least_;
  };

  void smooth_stretch(bool is_last);

  std::size_t rows_;
  double dt_;
  Settings settings_;
  std::size_t memory_;         // rows beyond which the smoothing remembers nothing
  std::vector<Vec3> stretch_;  // raw, with what the smoothing remembers before and behind it
  std::size_t first_ = 0;      // row of its first
  std::size_t done_ = 0;       // rows that are smoothed
  SlowestSecond way_, rest_;
  std::vector<double> steps_;
  std::vector<bool> moves_;
};

}  // namespace knuckleboom::analysis
