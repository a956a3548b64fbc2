// The questions of `knuckleboom levers calibrate` and `levers bind`, without terminal and clock.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "input/lever_desk.hpp"
#include "knuckleboom/core/command/lever_setup.hpp"

namespace knuckleboom::app {

struct LeverTalk {
  std::function<void(std::string_view)> say;
  // Waits until the next poll is due. Returns the time [s].
  std::function<double()> wait;
  // Enter was pressed since the last call.
  std::function<bool()> entered;
  std::function<bool()> stopped;  // Ctrl-C
};

// The setup of the desk with new calibrations of the axes bound to these devices (ids); nothing if the
// user stopped. Axes that were not moved keep theirs. Throws UserError for what makes no sense (too
// small a range, no rest) and for a device that goes away.
std::optional<command::LeverSetup> calibrate_levers(input::LeverDesk& desk,
                                                    const std::vector<int>& devices,
                                                    const LeverTalk& talk);

// The setup after asking for each lever axis which control moves it; nothing if the user stopped. A
// skipped axis keeps what the device file gave it; a control does one thing only.
std::optional<command::LeverSetup> bind_levers(input::LeverDesk& desk, const LeverTalk& talk);

}  // namespace knuckleboom::app
