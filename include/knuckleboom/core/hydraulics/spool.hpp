// The spool on the way to its command: a first-order lag, exact for a command that stands still; with
// faults it stands beside its command, or sticks until the command has gone far enough from it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "knuckleboom/core/hydraulics/orifice_laws.hpp"

namespace knuckleboom::hydraulics {

struct Valve;

inline constexpr double kStuckAgain = 0.1;  // of the break-out: so near to its command it sticks

struct SpoolFault {
  double breakout_V;  // of a sticking spool; 0: it slides
  double offset_V;    // where it goes, beyond its command
};

// One spool over steps of one length.
class SpoolLag {
 public:
  SpoolLag() = default;  // follows at once
  SpoolLag(const Valve& valve, double step_s);

  void move(double command_V, double& spool_V) const {
    spool_V = moved_spool(command_V, spool_V, left_);
  }
  double left() const { return left_; }  // of the distance to the command, after a step
  // stuck: 1 while it sticks; the caller's state.
  void move(double command_V, const SpoolFault& fault, double& spool_V, std::int32_t& stuck) const {
    const double target = std::clamp(command_V + fault.offset_V, -full_V_, full_V_);
    if (fault.breakout_V > 0.0) {
      const double apart = std::fabs(target - spool_V);
      if (stuck != 0 && apart > fault.breakout_V) stuck = 0;
      if (stuck == 0 && apart <= kStuckAgain * fault.breakout_V) stuck = 1;
      if (stuck != 0) return;
    }
    move(target, spool_V);
  }

 private:
  double full_V_ = 0.0;
  double left_ = 0.0;  // of the distance to the command, after a step
};

}  // namespace knuckleboom::hydraulics
