#include "app/commands/drive.hpp"

#include <optional>
#include <utility>

#include "app/commands/stage.hpp"
#include "app/session/drive_request.hpp"
#include "app/session/filing.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/trainer/headless.hpp"
#include "app/trainer/lever_stand.hpp"
#include "app/window/display.hpp"
#include "view/window.hpp"

namespace knuckleboom::app {

int drive(const DriveOptions& options) {
  DriveRequest request = request_of(options);
  if (!request.learner.empty()) {
    WhoDrives who = who_drives(request.learner);
    if (!who.fault.empty()) complain(who.fault);
    request.learner = std::move(who.name);
    request.learner_id = std::move(who.key);
  }
  // Said before a window opens.
  if (!request.levers_from.empty()) open_lever_stand(request.levers_from);
  const InterruptGuard guard;
  if (!request.headless && !request.ends() && !somebody_watches()) {
    if (!request.levers_from.empty())
      throw UserError("there is no display; add --duration to drive by --levers-from without one");
    complain(
        "there is no display, so this is a headless run; with --frames, --duration or --screenshot "
        "pictures are drawn all the same");
    if (!request.presses.empty())
      throw UserError("--press needs a picture; add --frames, --duration or --screenshot");
    request.headless = true;
  }
  try {
    if (!request.headless) return run_stage(request, std::nullopt);
  } catch (const view::WindowError& error) {
    if (request.ends()) throw RunFailure(error.what());
    complain(error.what());
    complain("going on without a picture");
  }
  try {
    return drive_headless(request);
  } catch (const view::WindowError& error) {
    throw RunFailure(error.what());
  }
}

}  // namespace knuckleboom::app
