// Tables of docs/reference that follow from declarations in the code.
#pragma once

#include <map>
#include <string>

namespace knuckleboom::io {

// In Markdown, by their names in the pages: "units", "keys machine.actuator", "figures", "channels
// simulation", "signals emulation".
std::map<std::string, std::string> reference_tables();

}  // namespace knuckleboom::io
