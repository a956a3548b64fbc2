#include "knuckleboom/io/file_kind.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <system_error>

#include <fmt/format.h>

#include "knuckleboom/io/user_error.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;

// First word of a key or header in a line of TOML; empty if the line has none.
std::string_view first_word(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t[\"'");
  if (begin == std::string_view::npos || line[begin] == '#') return {};
  const std::size_t end = line.find_first_of(" \t=.]\"'\r#", begin);
  return line.substr(begin, end == std::string_view::npos ? end : end - begin);
}

// Words at the top level of only one kind of file.
using Words = std::span<const std::string_view>;
constexpr std::string_view kMachineWords[] = {
    "body",   "actuator",     "controller", "valve", "protection",
    "supply", "closed_valve", "tip",        "base",  "gravity_m_per_s2",
    "shape",  "grapple",      "visual",     "loop",  "drive",
    "oil",    "urdf"};
constexpr std::string_view kScenarioWords[] = {"machine", "duration_s", "duration_min",
                                               "initial", "tip_path",   "event",
                                               "tick_ms", "tick_s",     "bench"};
constexpr std::string_view kLeverWords[] = {"function", "default"};
constexpr std::string_view kExerciseWords[] = {
    "title", "briefing", "levers", "control_mode", "time_limit_s", "start",    "ground", "contact",
    "stem",  "bunk",     "log",    "task",         "target",       "log_task", "limits"};
constexpr std::string_view kAirWords[] = {"air"};
constexpr std::string_view kEmulationWords[] = {"emulated", "emulated_start", "host_start", "peg"};
constexpr std::string_view kBundleWords[] = {"origin", "reference", "channel"};
constexpr std::string_view kLogMapWords[] = {"column", "separator", "decimal_comma", "time_unit"};
constexpr std::string_view kSignalWords[] = {"signal"};

struct KindOfFile {
  const char* name;  // before "file"
  Words words;
};
constexpr KindOfFile kKinds[] = {
    // by FileKind
    {"a machine", kMachineWords}, {"a scenario", kScenarioWords},
    {"a lever", kLeverWords},     {"an exercise", kExerciseWords},
    {"an air", kAirWords},        {"an emulation", kEmulationWords},
    {"a bundle", kBundleWords},   {"a log map", kLogMapWords},
    {"a signal", kSignalWords},
};
static_assert(std::size(kKinds) == kFileKinds);

// Number of words of each kind in a text.
class WordCounts {
 public:
  explicit WordCounts(std::string_view text) {
    bool at_top = true;  // before the first header
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = text.substr(begin, end - begin);
      begin = end + 1;
      const std::size_t first = line.find_first_not_of(" \t");
      const bool header = first != std::string_view::npos && line[first] == '[';
      if (header) at_top = false;
      if (header || at_top) count(first_word(line));
    }
  }
  int of(FileKind kind) const { return count_[static_cast<std::size_t>(kind)]; }
  bool none() const {
    return std::all_of(count_.begin(), count_.end(), [](int n) { return n == 0; });
  }

 private:
  void count(std::string_view word) {
    for (std::size_t i = 0; i < kFileKinds; ++i)
      if (std::ranges::find(kKinds[i].words, word) != kKinds[i].words.end()) ++count_[i];
  }
  std::array<int, kFileKinds> count_{};
};

}  // namespace

std::string beginning_of(const std::string& path) {
  constexpr std::size_t kEnough = std::size_t{1} << 20;
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {};
  std::ifstream stream(path, std::ios::binary);
  std::string text(kEnough, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

FileKind kind_of(std::string_view text, const std::string& path) {
  // XML is a URDF; its reader explains how a machine file names one.
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first != std::string_view::npos && text[first] == '<') return FileKind::kMachine;
  const WordCounts words(text);
  // Checked first, since they share words with the others.
  for (const FileKind kind : {FileKind::kAir, FileKind::kEmulation})
    if (words.of(kind) > 0) return kind;
  if (words.of(FileKind::kBundle) > 1) return FileKind::kBundle;
  for (const FileKind kind : {FileKind::kLogMap, FileKind::kSignals})
    if (words.of(kind) > 0) return kind;
  const int machine = words.of(FileKind::kMachine), scenario = words.of(FileKind::kScenario),
            levers = words.of(FileKind::kLevers), exercise = words.of(FileKind::kExercise);
  if (machine > std::max({scenario, levers, exercise})) return FileKind::kMachine;
  if (exercise > std::max(scenario, levers)) return FileKind::kExercise;
  if (levers > scenario) return FileKind::kLevers;
  if (scenario > 0) return FileKind::kScenario;
  if (path.find("machine") != std::string::npos) return FileKind::kMachine;
  if (path.find("lever") != std::string::npos) return FileKind::kLevers;
  if (path.find("exercise") != std::string::npos) return FileKind::kExercise;
  return FileKind::kScenario;
}

void refuse_other_kind(const std::string& path, FileKind wanted) {
  const std::string text = beginning_of(path);
  const WordCounts words(text);
  const FileKind kind = kind_of(text, path);
  int own = words.of(wanted);
  // Their drives, valves, ... are also words of machines or scenarios.
  if (kind == FileKind::kAir || kind == FileKind::kBundle || kind == FileKind::kLogMap) own = 0;
  // A machine is named by exercises as well as by scenarios.
  if (wanted == FileKind::kScenario && kind == FileKind::kExercise) --own;
  if (own > 0 || words.none()) return;
  const auto name = [](FileKind of) { return kKinds[static_cast<std::size_t>(of)].name; };
  throw UserError(fmt::format("{}: this is {} file, not {}", path, name(kind), name(wanted)));
}

}  // namespace knuckleboom::io
