// An emulation and its machines, from names, files and --set assignments.
#pragma once

#include <string>

#include "app/emulation/emulate.hpp"
#include "knuckleboom/recording/emulation_texts.hpp"

namespace knuckleboom::app {

struct LoadedEmulation {
  emulation::EmulationPlan plan;
  io::SignalFile signals;               // empty without a signal file
  io::EmulationTexts texts;             // from which all of it was made
  std::vector<std::string> files;       // that were read
  std::vector<io::Diagnostic> remarks;  // on the emulation file
  std::string hash;

  std::string title() const;  // "peg_on_plane, flexible_arm by hydraulic_host"
};

// Throws io::FileError or UserError. signals: a signal file; empty: none.
LoadedEmulation load_emulation(const EmulateOptions& options, const std::string& signals = {});
// From a recording. Throws io::FileError.
LoadedEmulation load_emulation(io::EmulationTexts texts);

}  // namespace knuckleboom::app
