// Where sessions are recorded, and what is found there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/trainer/drive_request.hpp"
#include "app/trainer/live_session.hpp"

namespace knuckleboom::app {

// number: of the session in this run, from 1. watched: somebody sees the picture; without that, and
// without a learner, only what the command line names is recorded.
RecordingChoice recording_choice(const DriveRequest& request, int number, bool watched);

// Turns recordings that were cut off in the folder into session files. One sentence each.
std::vector<std::string> keep_cut_off_sessions(const std::filesystem::path& folder);

}  // namespace knuckleboom::app
