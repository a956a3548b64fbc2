#include "knuckleboom/io/file_kinds.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "course_keys.hpp"
#include "declare/emulation_keys.hpp"
#include "declare/exercise_keys.hpp"
#include "declare/lever_keys.hpp"
#include "declare/machine_keys.hpp"
#include "declare/scenario_keys.hpp"
#include "declare/timber_keys.hpp"
#include "log_keys.hpp"
#include "signal_keys.hpp"
#include "sweep_keys.hpp"

namespace knuckleboom::io {
namespace {

namespace keys = declare::keys;

// First word of a key or header in a line of TOML; empty if the line has none.
std::string_view first_word(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t[\"'");
  if (begin == std::string_view::npos || line[begin] == '#') return {};
  const std::size_t end = line.find_first_of(" \t=.]\"'\r#", begin);
  return line.substr(begin, end == std::string_view::npos ? end : end - begin);
}

// Words of the top level: keys before the first header, and headers, which are true.
std::set<std::pair<std::string_view, bool>> top_words(std::string_view text) {
  std::set<std::pair<std::string_view, bool>> words;
  bool at_top = true;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t first = line.find_first_not_of(" \t");
    const bool header = first != std::string_view::npos && line[first] == '[';
    if (header) at_top = false;
    if (header || at_top) words.emplace(first_word(line), header);
  }
  return words;
}

}  // namespace

std::span<const FileKindEntry> file_kinds() {
  static const FileKindEntry kinds[] = {
      {FileKind::kMachine, "a machine", keys::machine_file::table},
      {FileKind::kScenario, "a scenario", keys::scenario_file::table},
      {FileKind::kLevers, "a lever", keys::lever_file::table},
      {FileKind::kExercise, "an exercise", keys::exercise_file::table},
      {FileKind::kEmulation, "an emulation", keys::emulation_file::table},
      {FileKind::kBundle, "a bundle", keys::bundle_file::table},
      {FileKind::kLogMap, "a log map", keys::log_map::table},
      {FileKind::kSignals, "a signal", keys::signal_file::table},
      {FileKind::kDevices, "a device", keys::device_file::table},
      {FileKind::kSettings, "a settings", keys::settings_file::table},
      {FileKind::kSpecies, "a species", keys::species_file::table},
      {FileKind::kTree, "a tree", keys::tree_file::table},
      {FileKind::kPriceList, "a price list", keys::price_list_file::table},
      {FileKind::kCourse, "a course", keys::course_file::table},
      {FileKind::kQuiz, "a quiz", keys::quiz_file::table},
      {FileKind::kSweep, "a plan", keys::sweep_file::table},
  };
  return kinds;
}

const FileKindEntry& file_kind(FileKind kind) {
  return file_kinds()[static_cast<std::size_t>(kind)];
}

int keys_found(std::string_view text, FileKind kind) {
  const auto words = top_words(text);
  return static_cast<int>(std::count_if(words.begin(), words.end(), [&](const auto& word) {
    const declare::Key* key = declare::find_key(file_kind(kind).keys, word.first);
    return key != nullptr && (!word.second || key->inside != nullptr);
  }));
}

FileKind kind_of(std::string_view text, const std::string& path) {
  // XML is a URDF, and its reader says how a machine file names one.
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first != std::string_view::npos && text[first] == '<') return FileKind::kMachine;
  int most = 0;
  std::vector<FileKind> best;
  for (const FileKindEntry& entry : file_kinds()) {
    const int found = keys_found(text, entry.kind);
    if (found > most) best.clear();
    if (found >= most && found > 0) best.push_back(entry.kind);
    most = std::max(most, found);
  }
  const auto possible = [&best](FileKind kind) {
    return best.empty() || std::find(best.begin(), best.end(), kind) != best.end();
  };
  if (best.size() == 1) return best.front();
  constexpr std::pair<std::string_view, FileKind> kFolders[] = {
      {"machine", FileKind::kMachine},   {"lever", FileKind::kLevers},
      {"course", FileKind::kCourse},     {"quiz", FileKind::kQuiz},
      {"exercise", FileKind::kExercise}, {"emulation", FileKind::kEmulation},
      {"signal", FileKind::kSignals},    {"species", FileKind::kSpecies},
      {"tree", FileKind::kTree},         {"price_list", FileKind::kPriceList}};
  for (const auto& [folder, kind] : kFolders)
    if (path.find(folder) != std::string::npos && possible(kind)) return kind;
  return possible(FileKind::kScenario) ? FileKind::kScenario : best.front();
}

}  // namespace knuckleboom::io
