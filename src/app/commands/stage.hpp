// The window and what is shown in it one after the other: the trainer, a replay, the trainer again.
#pragma once

#include <optional>
#include <string>

#include "app/replay/replay_window.hpp"
#include "app/session/drive_request.hpp"

namespace knuckleboom::app {

// Begins with the trainer, or with a replay; a replay that was not asked for in the trainer ends the
// program with it. Returns an ExitStatus. Throws view::WindowError.
int run_stage(DriveRequest request, std::optional<ReplayShow> replay);

// The language of the window and of reports: word, of an option, or else the one of the settings.
void speak_as_chosen(const std::string& word);

}  // namespace knuckleboom::app
