// Runs an emulation and the emulated machine alone, and compares them.
#pragma once

#include <vector>

#include "knuckleboom/core/emulation/emulation.hpp"

namespace knuckleboom::app {

// One tick, in the site frame: z into the material.
struct EmulationRow {
  double t_s = 0.0;
  int phase = 0;
  bool touching = false;
  Vec3 emulated_p = Vec3::Zero(), emulated_v = Vec3::Zero();  // of the emulated tip [m, m/s]
  Vec3 host_p = Vec3::Zero(), host_v = Vec3::Zero();          // of the host's
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();           // of the site on the peg [N, N m]
  Vec3 felt = Vec3::Zero();                         // force applied to the emulated machine [N]
  double tilt_rad = 0.0;                            // of the peg relative to the site's axis
  double host_energy = 0.0, emulated_energy = 0.0;  // work of the contact so far [J]
  double operator_twist[6] = {};
};

struct EmulationRun {
  std::vector<EmulationRow> rows;
  emulation::EmulationState end;
  bool interrupted = false;
  bool finite = true;
  bool finished = false;  // all phases were completed
};

// follow: phases end as in that run; null: as the plan says.
EmulationRun run_emulation(const emulation::Emulation& emulation,
                           const EmulationRun* follow = nullptr);

// Beyond these a run is not stable.
inline constexpr double kMostGrowth = 1.05;
inline constexpr double kMostRipple = 10.0;  // N rms; more is bouncing, even without growth

struct EmulationMeasures {
  Vec3 position_error = Vec3::Zero();  // largest, host against emulated tip [m]
  Vec3 ideal_error = Vec3::Zero();     // largest, host against the emulated machine alone [m]
  double force_error = 0.0;            // rms of the difference over the ideal's rms, during contact
  double force_rms = 0.0;              // of the ideal [N]
  double peak_force = 0.0;             // N
  double generated = 0.0;              // J
  double exchanged = 0.0;              // J
  double growth =
      0.0;  // of oscillation: rms of the force in one quarter of a phase over that in the previous
            // one
  double ripple = 0.0;        // rms of the force's oscillation where it is largest [N]
  double ideal_ripple = 0.0;  // of the machine alone [N]
  double depth = 0.0;         // of the peg at the end [m]
  double final_force = 0.0, final_tilt_rad = 0.0;
};
EmulationMeasures measure(const EmulationRun& run, const EmulationRun& ideal);

// Growth and size of the oscillation of the normal force. It counts as growing only where it
// exceeds that of `ideal` (if given) at the same time.
struct Oscillation {
  double growth = 0.0, ripple = 0.0;
};
Oscillation oscillation(const std::vector<EmulationRow>& rows,
                        const std::vector<EmulationRow>* ideal = nullptr);

}  // namespace knuckleboom::app
