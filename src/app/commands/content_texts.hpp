// The texts of files and tables that the window shows, for translators.
#pragma once

#include <string>

namespace knuckleboom::app {

// Those of config/ and of the engine's tables, as a template for catalogues (.pot). Those in the program's
// sources are found by xgettext.
std::string content_template();

}  // namespace knuckleboom::app
