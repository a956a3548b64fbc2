// The sub-command drive: the trainer, live or headless.
#pragma once

#include "app/session/drive_request.hpp"

namespace knuckleboom::app {

int drive(const DriveOptions& options);

}  // namespace knuckleboom::app
