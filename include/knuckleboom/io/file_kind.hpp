// Kind of a file from its text.
#pragma once

#include <string>
#include <string_view>

namespace knuckleboom::io {

enum class FileKind {
  kMachine,
  kScenario,
  kLevers,
  kExercise,
  kAir,
  kEmulation,
  kBundle,
  kLogMap,
  kSignals,
};
inline constexpr int kFileKinds = 9;

// Determined by the required keys of each kind. Text that matches none counts as the kind suggested
// by its folder, otherwise as a scenario.
FileKind kind_of(std::string_view text, const std::string& path);

// Throws UserError if a file is surely of another kind than wanted.
void refuse_other_kind(const std::string& path, FileKind wanted);

// Enough of a file to determine its kind; other than regular files are refused by their reader
// later.
std::string beginning_of(const std::string& path);

}  // namespace knuckleboom::io
