// knuckleboom check: says all that is wrong in machine, scenario, lever, exercise and emulation files.
#pragma once

#include <string>
#include <vector>

namespace knuckleboom::app {

// Prints one line for each sound file, the faults of the others. Returns an ExitStatus.
int check(const std::vector<std::string>& files);

}  // namespace knuckleboom::app
