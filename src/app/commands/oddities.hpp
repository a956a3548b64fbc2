// What of a machine is sound, yet hardly meant: a number in another unit than its key says.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom/core/machine/model.hpp"

namespace knuckleboom::app {

// A sentence for each, empty for a machine with nothing odd.
std::vector<std::string> oddities(const machine::MachineModel& model);

}  // namespace knuckleboom::app
