// The same session without graphics and without real time.
#pragma once

#include "app/session/drive_request.hpp"

namespace knuckleboom::app {

// Runs as fast as possible, with the input of a file, a demonstration or levers at rest; prints the
// result; makes a screenshot if requested. Returns an ExitStatus.
int drive_headless(const DriveRequest& request);

}  // namespace knuckleboom::app
