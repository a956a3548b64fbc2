// The folder of recorded sessions, and its contents.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/session/drive_request.hpp"
#include "app/trainer/live_session.hpp"

namespace knuckleboom::app {

// number: of the session in this run, from 1. watched: a window is visible; without that, and
// without a learner, only recordings named on the command line are made. taken_over: it begins in
// the middle of another session, which an input file cannot express. Nothing is overwritten.
RecordingChoice recording_choice(const DriveRequest& request, int number, bool watched,
                                 bool taken_over = false);

// Converts cut-off recordings in the folder into session files; unreadable ones are set aside. One
// message each.
std::vector<std::string> keep_cut_off_sessions(const std::filesystem::path& folder);

}  // namespace knuckleboom::app
