// The sub-command replay: a recorded session, run again and compared with what was recorded.
#pragma once

#include <filesystem>
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

// A session file by path, or by its name in the user's folder of sessions with or without .h5. A
// recording that was cut off is turned into a session file first, and that is said.
std::filesystem::path find_session(const std::string& name_or_file);

}  // namespace knuckleboom::app
