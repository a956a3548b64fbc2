// Where sessions are recorded, and what is found there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/session/drive_request.hpp"
#include "app/trainer/live_session.hpp"

namespace knuckleboom::app {

// number: of the session in this run, from 1. watched: somebody sees the picture; without that, and
// without a learner, only what the command line names is recorded. taken_over: it begins in the middle of
// another, which no input file can say. Nothing that is there is written over.
RecordingChoice recording_choice(const DriveRequest& request, int number, bool watched,
                                 bool taken_over = false);

// Turns recordings that were cut off in the folder into session files; what can never be read is set
// aside. One sentence each.
std::vector<std::string> keep_cut_off_sessions(const std::filesystem::path& folder);

}  // namespace knuckleboom::app
