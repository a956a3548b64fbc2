// Which part of which device does what: the functions of a lever file beside the devices that may stand on the desk
// without a device file of their own.
#pragma once

#include <string>
#include <vector>

#include "app/session/lever_texts.hpp"

namespace knuckleboom::app {

// A function of a layout, and where it is on the devices that may stand on the desk; empty: nowhere.
struct ControlRow {
  std::string mode;  // in which these places count; empty: in all
  std::string does, sticks, controller, keys;
};
// keys, button_keys: as for lever_help().
std::vector<ControlRow> control_rows(const command::LeverPattern& pattern,
                                     const std::vector<AxisKeys>& keys,
                                     const std::vector<std::string>& button_keys);

}  // namespace knuckleboom::app
