// Pneumatics of a machine, air.toml beside its machine file: docs/reference/air_file.md.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/machine/air_rig.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/override.hpp"

namespace knuckleboom::io {

struct AirFile {
  std::string description;
  std::vector<machine::AirRig>
      cases;  // finished, with the machine's bodies; name, description of the case
  std::vector<std::string> files;   // that were read
  std::vector<Diagnostic> remarks;  // numbers beyond what is usual
};

// Values that replace those of the file.
struct AirChoice {
  std::string friction;     // model of all drives; empty: the file's
  int exchange_ticks = -1;  // AirRig::exchange_ticks
};

// Throws FileError with all that is wrong in the file.
AirFile read_air(const std::filesystem::path& path, const machine::MachineModel& machine,
                 const AirChoice& choice = {}, std::span<const Override> overrides = {});
AirFile read_air_text(std::string_view text, const std::string& file_name,
                      const machine::MachineModel& machine, const AirChoice& choice = {},
                      std::span<const Override> overrides = {});

}  // namespace knuckleboom::io
