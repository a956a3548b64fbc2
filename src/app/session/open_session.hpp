// A recorded session by its name, as it is or computed again.
#pragma once

#include <string>

#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::app {

// By path or by name (find_session). recompute: computed again from its inputs, with a sentence on how far
// that is from what was recorded. Throws io::FileError.
io::SessionRecord open_session(const std::string& name_or_file, bool recompute);

}  // namespace knuckleboom::app
