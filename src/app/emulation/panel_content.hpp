// Panel contents of the window of a running emulation, from its published state.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "knuckleboom/core/emulation/hil_bench.hpp"
#include "view/panels/emulation_panel.hpp"

namespace knuckleboom::app {

// Timing of the program, and received packets.
struct LiveTiming {
  bool paced = true;
  double lateness_p99_us = 0.0, lateness_max_us = 0.0;
  std::int64_t overruns = 0;
  double frames_per_s = 0.0;
  bool network = false;
  std::int64_t received = 0, lost = 0;
};

// Measured force on the peg, simulated or external, in the site frame [N].
Vec3 shown_force(const emulation::HilBench& bench, const emulation::HilState& state);

class PanelMaker {
 public:
  explicit PanelMaker(const emulation::HilBench& bench) : bench_(bench) {}

  // Called once for each published state: stores it for the curves.
  void remember(const emulation::HilState& state);
  view::panels::EmulationPanel panel(const emulation::HilState& state, const LiveTiming& timing,
                                     const std::string& event) const;

 private:
  struct Point {
    double t_s;
    float force[3], error[3];  // N, mm
  };
  view::panels::Plot plot(bool of_force) const;

  const emulation::HilBench& bench_;
  std::deque<Point> points_;
};

}  // namespace knuckleboom::app
