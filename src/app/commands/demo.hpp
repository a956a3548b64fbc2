// knuckleboom demo: the paper's case with both models, and its pictures.
#pragma once

#include <string>

namespace knuckleboom::app {

// Returns an ExitStatus. folder is made if it is missing.
int demo(const std::string& folder);

}  // namespace knuckleboom::app
