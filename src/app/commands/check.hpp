// knuckleboom check: says all that is wrong in machine, scenario, lever, exercise and emulation files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace knuckleboom::app {

// Prints one line for each sound file, the faults of the others. Returns an ExitStatus.
int check(const std::vector<std::string>& files);

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

}  // namespace knuckleboom::app
