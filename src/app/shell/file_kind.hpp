// Which kind of file a text is.
#pragma once

#include <string>
#include <string_view>

namespace knuckleboom::app {

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

// By what a file of each kind cannot do without. Text that fits none counts as the kind that its
// folder suggests, else as a scenario.
FileKind kind_of(std::string_view text, const std::string& path);

// Throws UserError if a file is surely of another kind than wanted.
void refuse_other_kind(const std::string& path, FileKind wanted);

// Enough of a file to tell its kind; what is no regular file is refused by its reader later.
std::string beginning_of(const std::string& path);

}  // namespace knuckleboom::app
