// The same session without a picture and without real time.
#pragma once

#include "app/session/drive_request.hpp"

namespace knuckleboom::app {

// Runs as fast as it can, with the input of a file, a demonstration or levers at rest; says what came of
// it; draws one picture if asked to. Returns an ExitStatus.
int drive_headless(const DriveRequest& request);

}  // namespace knuckleboom::app
