// The user's settings of the trainer: docs/reference/command_line.md, "drive".
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "knuckleboom/io/diagnostic.hpp"

namespace knuckleboom::io {

// Names as on the command line; empty: as the exercise or the program has it.
struct TrainerSettings {
  std::string learner;  // random id, not a name
  std::string exercise, machine, levers, control, fidelity;
  std::string quality, camera, instruments;
  std::string language;  // code; empty: that of the environment
  double volume = 0.7;   // 0 to 1
  bool muted = false;

  friend bool operator==(const TrainerSettings&, const TrainerSettings&) = default;
};

// Throws FileError. A file that is not there is an error as well: look first.
TrainerSettings read_trainer_settings(const std::filesystem::path& path);
TrainerSettings read_trainer_settings_text(std::string_view text, const std::string& file_name);

// Written in full or not at all; makes the folder. Throws FileError, also if there is a file that cannot be
// read: it stays.
void write_trainer_settings(const std::filesystem::path& path, const TrainerSettings& settings);

}  // namespace knuckleboom::io
