// The sub-command replay: a recorded session, run again and compared with what was recorded.
#pragma once

#include <string>
#include <vector>

#include "app/commands/drive.hpp"

namespace knuckleboom::app {

struct ReplayOptions {
  std::string file;
  bool headless = false, paused = false;
  double from_s = 0.0, speed = 1.0;
  std::string loop;                // "12-15.5" [s]
  std::vector<std::string> plots;  // names of channels
  DriveOptions picture;            // of it only what concerns window and picture
};

int replay(const ReplayOptions& options);

}  // namespace knuckleboom::app
