// The kinds of files that the program reads, each with the declarations of its keys.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "knuckleboom/declare/key.hpp"

namespace knuckleboom::io {

enum class FileKind {
  kMachine,
  kScenario,
  kLevers,
  kExercise,
  kEmulation,
  kBundle,
  kLogMap,
  kSignals,
  kDevices,
  kSettings,
  kSpecies,
  kTree,
  kPriceList,
  kCourse,
  kQuiz,
  kSweep,
};

struct FileKindEntry {
  FileKind kind;
  std::string_view called;  // before "file": "a machine"
  const declare::KeyTable& keys;
};
std::span<const FileKindEntry> file_kinds();  // by FileKind
const FileKindEntry& file_kind(FileKind kind);

// How many keys of that kind stand at the top level of a text, each once.
int keys_found(std::string_view text, FileKind kind);

// The kind most of whose keys are there. Text that fits none, or several alike, counts as the kind that its
// path suggests, else as a scenario.
FileKind kind_of(std::string_view text, const std::string& path);

}  // namespace knuckleboom::io
