// Emulation files: docs/reference/emulation_file.md.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/emulation/emulation.hpp"
#include "knuckleboom/io/content_hash.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/override.hpp"
#include "knuckleboom/io/scenario_file.hpp"

namespace knuckleboom::io {

struct EmulationFile {
  emulation::EmulationPlan plan;   // without the models of its machines
  std::string host, emulated;      // names or files
  std::vector<std::string> plant;  // "key=value", of the host as it is
  ScenarioPlaces::Place host_place, emulated_place;
  std::vector<ScenarioPlaces::Place> host_start, emulated_start;  // of the plan's initial joints
  ContentHash hash;
  std::vector<std::string> files;   // that were read
  std::vector<Diagnostic> remarks;  // numbers beyond what is usual
};

// Throws FileError with all that is wrong in the file. No machine is needed.
EmulationFile read_emulation(const std::filesystem::path& path,
                             std::span<const Override> overrides = {});
// unknown: not null: keys that are not known are left out and listed there; they are errors otherwise.
EmulationFile read_emulation_text(std::string_view text, const std::string& file_name,
                                  std::span<const Override> overrides = {},
                                  std::vector<Diagnostic>* unknown = nullptr);

}  // namespace knuckleboom::io
