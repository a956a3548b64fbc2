// Device files: docs/reference/device_file.md. Which levers stand on the user's desk, calibrated and
// bound; written by `knuckleboom levers`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "knuckleboom/core/command/lever_setup.hpp"
#include "knuckleboom/io/diagnostic.hpp"

namespace knuckleboom::io {

// Throws FileError with all that is wrong in the file.
command::LeverSetup read_devices(const std::filesystem::path& path);
command::LeverSetup read_devices_text(std::string_view text, const std::string& file_name);

// Reads back unchanged, except for characters of names that are no text.
std::string devices_text(const command::LeverSetup& setup);
// Completely or not at all; makes the folder. Throws FileError.
void write_devices(const std::filesystem::path& path, const command::LeverSetup& setup);

// The user's own file, which need not exist. With a problem there is no setup: say it and go on with
// defaults. Never throws FileError.
struct UserDevices {
  std::optional<command::LeverSetup> setup;
  std::string problem;  // one line per fault, with file and line
};
UserDevices load_user_devices(const std::filesystem::path& path);

}  // namespace knuckleboom::io
