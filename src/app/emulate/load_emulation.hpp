// An emulation and its machines, from names, files and --set assignments.
#pragma once

#include <string>
#include <vector>

#include "app/emulate/emulate.hpp"

namespace knuckleboom::app {

struct LoadedEmulation {
  emulation::EmulationPlan plan;
  std::vector<std::string> files;  // that were read
  std::string hash;

  std::string title() const;  // "peg_on_plane, flexible_arm by hydraulic_host"
};

// Throws io::FileError or UserError.
LoadedEmulation load_emulation(const EmulateOptions& options);

}  // namespace knuckleboom::app
