#include "app/check.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "app/config_paths.hpp"
#include "app/console.hpp"
#include "app/emulate/load_emulation.hpp"
#include "app/exit_status.hpp"
#include "app/import_text.hpp"
#include "app/load.hpp"
#include "app/text.hpp"
#include "knuckleboom/io/air_file.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/lever_file.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/scenario_file.hpp"
#include "knuckleboom/io/signal_file.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

// First word of a key or header in a line of TOML; empty if the line has none.
std::string_view first_word(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t[\"'");
  if (begin == std::string_view::npos || line[begin] == '#') return {};
  const std::size_t end = line.find_first_of(" \t=.]\"'\r#", begin);
  return line.substr(begin, end == std::string_view::npos ? end : end - begin);
}

// Enough of a file to tell its kind; what is no regular file is refused by the reader later.
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

// Words that stand at the top level of one kind of file only.
template <std::size_t N>
bool is_any(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}
constexpr std::array<std::string_view, 17> kMachineWords = {
    "body",   "actuator",     "controller", "valve", "protection",
    "supply", "closed_valve", "tip",        "base",  "gravity_m_per_s2",
    "shape",  "grapple",      "visual",     "loop",  "drive",
    "oil",    "urdf"};
constexpr std::array<std::string_view, 9> kScenarioWords = {"machine", "duration_s", "duration_min",
                                                            "initial", "tip_path",   "event",
                                                            "tick_ms", "tick_s",     "bench"};
constexpr std::array<std::string_view, 2> kLeverWords = {"function", "default"};
constexpr std::array<std::string_view, 15> kExerciseWords = {
    "title", "briefing", "levers", "control_mode", "time_limit_s", "start",    "ground", "contact",
    "stem",  "bunk",     "log",    "task",         "target",       "log_task", "limits"};

constexpr std::array<std::string_view, 1> kAirWords = {"air"};
constexpr std::array<std::string_view, 4> kEmulationWords = {"emulated", "emulated_start",
                                                             "host_start", "peg"};
constexpr std::array<std::string_view, 3> kBundleWords = {"origin", "reference", "channel"};
constexpr std::array<std::string_view, 4> kLogMapWords = {"column", "separator", "decimal_comma",
                                                          "time_unit"};

constexpr std::array<std::string_view, 1> kSignalWords = {"signal"};

struct WordCounts {
  int machine = 0, scenario = 0, levers = 0, exercise = 0, air = 0, emulation = 0, bundle = 0,
      log_map = 0, signals = 0;
};

WordCounts count_words(std::string_view text) {
  WordCounts n;
  bool at_top = true;  // before the first header
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t first = line.find_first_not_of(" \t");
    const bool header = first != std::string_view::npos && line[first] == '[';
    if (header) at_top = false;
    if (!header && !at_top) continue;
    const std::string_view word = first_word(line);
    n.machine += is_any(word, kMachineWords) ? 1 : 0;
    n.scenario += is_any(word, kScenarioWords) ? 1 : 0;
    n.levers += is_any(word, kLeverWords) ? 1 : 0;
    n.exercise += is_any(word, kExerciseWords) ? 1 : 0;
    n.air += is_any(word, kAirWords) ? 1 : 0;
    n.emulation += is_any(word, kEmulationWords) ? 1 : 0;
    n.bundle += is_any(word, kBundleWords) ? 1 : 0;
    n.log_map += is_any(word, kLogMapWords) ? 1 : 0;
    n.signals += is_any(word, kSignalWords) ? 1 : 0;
  }
  return n;
}

std::string good_machine(const io::MachineFile& file) {
  const std::string parts = outside_parts(file.model);
  const std::string import = import_words(file);
  return fmt::format(
      "machine {}, {}, {}{}{}", file.model.name,
      counted(file.model.joint_count(), "joint", "joints"),
      counted(static_cast<long long>(file.model.actuators.size()), "actuator", "actuators"),
      parts.empty() ? parts : ", " + parts, import.empty() ? import : ", " + import);
}

// What is to be said of a sound scenario, after a look at its machine if that can be had.
std::string good_scenario(io::ScenarioFile file, const std::string& path) {
  const command::Scenario& scenario = file.scenario;
  const std::string words = fmt::format("scenario {}, {:g} s", scenario.name, scenario.duration_s);
  std::optional<io::MachineFile> machine;
  if (needs_no_machine(file)) {
    machine = empty_bench(file);
  } else {
    const fs::path machine_path = machine_of(file, path);
    try {
      machine = io::read_machine(machine_path);
    } catch (const io::FileError&) {
      return fmt::format("{}; {} has faults of its own, so it was not checked against it", words,
                         machine_path.string());
    }
  }
  std::vector<io::Diagnostic> faults = io::put_on_bench(file, machine->model);
  if (faults.empty()) faults = io::check_against(scenario, machine->model, file.places);
  if (!faults.empty()) throw io::FileError(std::move(faults));
  return fmt::format("{}, fits machine {}", words, machine->model.name);
}

std::string good_exercise(const io::ExerciseFile& file, const std::string& path) {
  const training::Exercise& exercise = file.exercise;
  const std::string words = fmt::format("exercise {}", exercise.name);
  std::optional<io::MachineFile> machine;
  try {
    machine = io::read_machine(find_machine(exercise.machine, path));
  } catch (const UserError& error) {
    const io::ScenarioPlaces::Place& place = file.places.machine;
    throw io::FileError({{place.file, place.line, place.column, error.what()}});
  } catch (const io::FileError&) {
    return fmt::format("{}; machine {} has faults of its own, so it was not checked against it",
                       words, exercise.machine);
  }
  std::vector<io::Diagnostic> faults = io::check_against(exercise, machine->model, file.places);
  if (!faults.empty()) throw io::FileError(std::move(faults));
  return fmt::format("{}, fits machine {}", words, machine->model.name);
}

// By the machine beside it.
std::string good_air(const std::string& path) {
  const machine::MachineModel model =
      io::read_machine(fs::path(path).parent_path() / "machine.toml").model;
  const io::AirFile file = io::read_air(path, model);
  return fmt::format("air, {}, fits machine {}",
                     counted(static_cast<long long>(file.cases.size()), "case", "cases"),
                     model.name);
}

// By both machines, as far as that their tips can be brought together.
std::string good_emulation(const std::string& path) {
  EmulateOptions options;
  options.scenario = path;
  const LoadedEmulation loaded = load_emulation(options);
  try {
    const emulation::Emulation emulation(loaded.plan);
  } catch (const std::invalid_argument& error) {
    throw io::FileError(path, error.what());
  }
  return fmt::format("emulation {}, {}", loaded.title(),
                     counted(static_cast<long long>(loaded.plan.phases.size()), "phase", "phases"));
}

std::string describe(const std::string& path) {
  switch (kind_of(beginning_of(path), path)) {
    case FileKind::kMachine:
      return good_machine(io::read_machine(path));
    case FileKind::kLevers: {
      const io::LeverFile file = io::read_levers(path);
      return fmt::format(
          "levers {}, {}", file.pattern.name,
          counted(static_cast<long long>(file.pattern.functions.size()), "function", "functions"));
    }
    case FileKind::kExercise:
      return good_exercise(io::read_exercise(path), path);
    case FileKind::kAir:
      return good_air(path);
    case FileKind::kEmulation:
      return good_emulation(path);
    case FileKind::kSignals: {
      const io::SignalFile file = io::read_signals(path);
      return fmt::format("signals, {} to the machine and {} from it", file.in.size(),
                         file.out.size());
    }
    case FileKind::kBundle:
      throw io::FileError(
          path, "this is a bundle; `knuckleboom verify FOLDER` reads it with the files beside it");
    case FileKind::kLogMap:
      throw io::FileError(
          path,
          "this is a log map; `knuckleboom identify` and `knuckleboom judge` read it with --map");
    case FileKind::kScenario:
      break;
  }
  return good_scenario(io::read_scenario(path), path);
}

}  // namespace

FileKind kind_of(std::string_view text, const std::string& path) {
  // XML is a URDF, and its reader says how a machine file names one.
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first != std::string_view::npos && text[first] == '<') return FileKind::kMachine;
  const WordCounts n = count_words(text);
  if (n.air > 0) return FileKind::kAir;
  if (n.emulation > 0) return FileKind::kEmulation;
  // Before the others, whose words they share.
  if (n.bundle > 1) return FileKind::kBundle;
  if (n.log_map > 0) return FileKind::kLogMap;
  if (n.signals > 0) return FileKind::kSignals;
  if (n.machine > std::max({n.scenario, n.levers, n.exercise})) return FileKind::kMachine;
  if (n.exercise > std::max(n.scenario, n.levers)) return FileKind::kExercise;
  if (n.levers > n.scenario) return FileKind::kLevers;
  if (n.scenario > 0) return FileKind::kScenario;
  if (path.find("machine") != std::string::npos) return FileKind::kMachine;
  if (path.find("lever") != std::string::npos) return FileKind::kLevers;
  if (path.find("exercise") != std::string::npos) return FileKind::kExercise;
  return FileKind::kScenario;
}

void refuse_other_kind(const std::string& path, FileKind wanted) {
  const std::string text = beginning_of(path);
  const WordCounts n = count_words(text);
  const FileKind kind = kind_of(text, path);
  int own = wanted == FileKind::kMachine     ? n.machine
            : wanted == FileKind::kScenario  ? n.scenario
            : wanted == FileKind::kLevers    ? n.levers
            : wanted == FileKind::kEmulation ? n.emulation
                                             : n.exercise;
  // Their drives, valves, ... are a machine's or a scenario's words.
  if (kind == FileKind::kAir || kind == FileKind::kBundle || kind == FileKind::kLogMap) own = 0;
  // A machine is named by exercises as well as by scenarios.
  if (wanted == FileKind::kScenario && kind == FileKind::kExercise) --own;
  if (own > 0 ||
      n.machine + n.scenario + n.levers + n.exercise + n.emulation + n.bundle + n.log_map == 0)
    return;
  const auto name = [](FileKind of) {
    return of == FileKind::kMachine     ? "a machine"
           : of == FileKind::kScenario  ? "a scenario"
           : of == FileKind::kLevers    ? "a lever"
           : of == FileKind::kAir       ? "an air"
           : of == FileKind::kEmulation ? "an emulation"
           : of == FileKind::kBundle    ? "a bundle"
           : of == FileKind::kLogMap    ? "a log map"
           : of == FileKind::kSignals   ? "a signal"
                                        : "an exercise";
  };
  throw UserError(fmt::format("{}: this is {} file, not {}", path, name(kind), name(wanted)));
}

int check(const std::vector<std::string>& files) {
  bool good = true;
  for (const std::string& file : files) {
    try {
      // The folder of a machine or a bundle stands for its file, as with --machine.
      std::error_code ignored;
      std::string inside = file;
      for (const char* name : {"bundle.toml", "machine.toml"})
        if (const fs::path path = fs::path(file) / name; fs::exists(path, ignored)) inside = path;
      const std::string words = describe(inside);
      say(fmt::format("{}: ok ({})\n", file, words));
    } catch (const io::FileError& error) {
      // The list of faults is what was asked for, hence standard output and no prefix.
      say(fmt::format("{}\n", error.what()));
      good = false;
    }
  }
  return good ? kSuccess : kUserMistake;
}

}  // namespace knuckleboom::app
