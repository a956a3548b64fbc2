// Detects a controller that drives its valve into a limit cycle.
//
// Two models of one machine run the same scenario, so that the effect of the reference is in both
// and cancels in the difference of their valve commands. The rest above 0.5 Hz (below are
// references that a crane can follow, above the oscillation of its oil and the swing's own mode) is
// an oscillation of only one of them. It is evaluated in windows of 4 s within the last half of the
// run, when the start has decayed; a cycle may come and go with the opening of the valve.
// docs/reference/command_line.md gives the limits and the distance of known cases from them.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom/analysis/recording.hpp"
#include "knuckleboom/core/machine/model.hpp"

namespace knuckleboom::analysis {

// Oscillation of one joint, in the window where the valve commands of the two runs differ most.
struct JointOscillation {
  std::string joint;
  double window_start_s = 0.0, window_s = 0.0;
  double valve_V = 0.0;       // rms of the fast part of the difference of the valve commands
  double frequency_Hz = 0.0;  // of that
  double rate_a = 0.0, rate_b = 0.0;    // rms of the fast part of the joint rates [rad/s, m/s]
  bool open_a = false, open_b = false;  // the valve is open at some time in the window
  int switches_a = 0, switches_b = 0;   // of this joint's valve, last half of the run
};

// For every actuated joint. Both recordings must have the same rows, evenly spaced in time; extra
// rows of one are left out.
std::vector<JointOscillation> compare_oscillation(const machine::MachineModel& model,
                                                  const Recording& a, const Recording& b);

// A joint that oscillates due to its own controller, in every model.
struct OwnOscillation {
  std::string joint;
  double valve_V = 0.0;  // rms of the fast part of the valve command, last half of the run
  double frequency_Hz = 0.0;
  int switches = 0;
  bool reference_is_slow = false;  // not caused by the reference
};
std::vector<OwnOscillation> own_oscillation(const machine::MachineModel& model,
                                            const Recording& run);

// True if run a is unstable at this joint where run b is not. A joint whose valve stays closed may
// be excited by another, but drives nothing itself.
bool a_is_unstable(const JointOscillation& joint);
bool b_is_unstable(const JointOscillation& joint);
bool is_unstable(const OwnOscillation& joint);

// Output of a fourth-order Butterworth high-pass.
std::vector<double> fast_part(const std::vector<double>& samples, double dt, double corner_Hz);

// Data of one model's run for `compare`.
struct ModelStability {
  std::string name;
  bool non_finite = false;
  double end_s = 0.0;
  const Recording* recording = nullptr;
};

// Messages: one for each pair of models of which only one is unstable, and one for each joint that
// oscillates in all of them.
std::vector<std::string> stability_sentences(const machine::MachineModel& model,
                                             const std::vector<ModelStability>& runs);

}  // namespace knuckleboom::analysis
