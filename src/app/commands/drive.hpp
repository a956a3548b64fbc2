// The sub-command drive: the trainer, live or headless.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace knuckleboom::app {

inline constexpr double kLongestTime = 1e6;  // of anything on the command line [s]

struct DriveOptions {
  std::string exercise;  // empty: the menu
  std::string machine, levers, control, fidelity;
  std::string levers_from;  // "udp:127.0.0.1:47001": a lever stand; empty: none
  double rate_Hz = 0.0;     // 0: the exercise's
  std::string window, camera, quality, instruments;
  bool fullscreen = false;
  std::string screenshot;
  double at_s = -1.0;  // of the picture; below 0: at the end
  std::int64_t frames = -1;
  double duration_s = -1.0;
  std::string input, record_input;
  std::string session, sessions;                    // file or folder of the recording
  std::string learner;                              // whose session it is; may be empty
  std::vector<std::string> presses;                 // KEY@SECONDS[+HELD]
  std::vector<std::string> faults, cleared_faults;  // NAME@SECONDS
  std::int64_t fault_seed = -1;                     // below 0: the exercise's
  bool no_record = false;
  bool headless = false, mute = false, menu = false, demonstrate = false;
};

int drive(const DriveOptions& options);

}  // namespace knuckleboom::app
