// Tells a controller that drives its valve into a limit cycle from one that works.
//
// Two models of one machine do the same scenario, so that what the reference asks for is in both and
// cancels in the difference of their valve commands. What is left above 0.5 Hz (below lies what a crane
// can be asked to follow, above the bounce of its oil and the swing's own mode) is an oscillation that
// one of them has and the other has not. It is looked for in windows of 4 s within the last half of the
// run, when the start has died away; a cycle may come and go with the opening of the valve.
// docs/reference/command_line.md gives the limits and how far the known cases lie from them.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom/analysis/recording.hpp"
#include "knuckleboom/core/machine/model.hpp"

namespace knuckleboom::analysis {

// Of one joint, in the window where the valve commands of the two runs differ most.
struct JointOscillation {
  std::string joint;
  double window_start_s = 0.0, window_s = 0.0;
  double valve_V = 0.0;       // rms of the fast part of the difference of the valve commands
  double frequency_Hz = 0.0;  // of that
  double rate_a = 0.0, rate_b = 0.0;    // rms of the fast part of the joint rates [rad/s, m/s]
  bool open_a = false, open_b = false;  // the valve is open at some time in the window
  int switches_a = 0, switches_b = 0;   // of this joint's valve, last half of the run
};

// Of every actuated joint. Both recordings must have the same rows, evenly spaced in time; what one
// has more is left out.
std::vector<JointOscillation> compare_oscillation(const machine::MachineModel& model,
                                                  const Recording& a, const Recording& b);

// A joint that oscillates by its own controller, whatever another model does.
struct OwnOscillation {
  std::string joint;
  double valve_V = 0.0;  // rms of the fast part of the valve command, last half of the run
  double frequency_Hz = 0.0;
  int switches = 0;
  bool reference_is_slow = false;  // the reference does not ask for it
};
std::vector<OwnOscillation> own_oscillation(const machine::MachineModel& model,
                                            const Recording& run);

// True if run a is unstable at this joint where run b is not. A joint whose valve stays closed may be
// shaken by another, but does not drive anything itself.
bool a_is_unstable(const JointOscillation& joint);
bool b_is_unstable(const JointOscillation& joint);
bool is_unstable(const OwnOscillation& joint);

// What a fourth-order Butterworth high-pass lets through.
std::vector<double> fast_part(const std::vector<double>& samples, double dt, double corner_Hz);

// What compare knows of one model's run.
struct ModelStability {
  std::string name;
  bool non_finite = false;
  double end_s = 0.0;
  const Recording* recording = nullptr;
};

// Plain sentences: one for each pair of models of which one is unstable where the other is not, and one
// for each joint that oscillates in all of them.
std::vector<std::string> stability_sentences(const machine::MachineModel& model,
                                             const std::vector<ModelStability>& runs);

}  // namespace knuckleboom::analysis
