#include "knuckleboom/io/load_case.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "knuckleboom/io/config_folders.hpp"
#include "knuckleboom/io/file_kind.hpp"
#include "knuckleboom/io/user_error.hpp"
#include "knuckleboom/io/words.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

bool names(std::string_view word, std::string_view known) {
  // With a unit behind it: duration_s.
  return word == known ||
         (word.starts_with(known) && word.size() > known.size() && word[known.size()] == '_');
}

// The longest key of a kind of file that fits, so that tip_path is not taken for a tip with a unit.
std::size_t fit(std::string_view word, io::FileKind kind) {
  std::size_t length = 0;
  for (const declare::Key& key : io::file_kind(kind).keys.keys)
    if (names(word, key.name)) length = std::max(length, key.name.size());
  return length;
}

// By a prefix that says the file.
std::vector<Override>* named(std::string_view word, Overrides& in) {
  if (word == kMachinePrefix) return &in.machine;
  if (word == kScenarioPrefix) return &in.scenario;
  if (word == kExercisePrefix) return &in.exercise;
  return word == kLeversPrefix ? &in.levers : nullptr;
}

// Files of a scenario and its machine.
void fit_together(LoadedCase& loaded) {
  std::vector<Diagnostic> faults = put_on_bench(loaded.scenario, loaded.machine.model);
  if (faults.empty())
    faults = check_against(loaded.scenario.scenario, loaded.machine.model, loaded.scenario.places);
  if (!faults.empty()) throw FileError(std::move(faults));
}

Overrides overrides_of_case(const std::vector<std::string>& assignments) {
  Overrides overrides = sort_overrides(assignments);
  for (const std::vector<Override>* others : {&overrides.exercise, &overrides.levers})
    if (!others->empty())
      throw UserError(
          fmt::format("'{}' belongs to an exercise or its levers, but this is a scenario; only the "
                      "machine and the scenario can be changed",
                      others->front().key));
  return overrides;
}

}  // namespace

Overrides sort_overrides(const std::vector<std::string>& assignments) {
  Overrides sorted;
  for (const std::string& assignment : assignments) {
    Override one = parse_override(assignment);
    const std::string word = one.key.substr(0, one.key.find('.'));
    const bool below = word.size() < one.key.size();
    if (std::vector<Override>* const said = below ? named(word, sorted) : nullptr) {
      one.key.erase(0, word.size() + 1);
      said->push_back(std::move(one));
      continue;
    }
    const std::size_t in_scenario = fit(word, io::FileKind::kScenario);
    // A joint alone is the machine's, as the joints are what a machine is tuned by.
    const std::size_t in_machine =
        word == "joint" ? word.size() : fit(word, io::FileKind::kMachine);
    if (in_machine == in_scenario && in_machine > 0 && word != "joint")
      throw UserError(
          fmt::format("--set {}: machine and scenario both have '{}'; write machine.{} or "
                      "scenario.{}",
                      assignment, word, one.key, one.key));
    if (in_machine == 0 && in_scenario == 0) {
      std::vector<std::string> known;
      for (const io::FileKind kind : {io::FileKind::kMachine, io::FileKind::kScenario})
        for (const declare::Key& key : io::file_kind(kind).keys.keys) known.emplace_back(key.name);
      throw UserError(fmt::format("--set {}: '{}' is no key of a machine or a scenario{}",
                                  assignment, word, alternatives(word, known)));
    }
    (in_machine >= in_scenario ? sorted.machine : sorted.scenario).push_back(std::move(one));
  }
  return sorted;
}

const Override* beyond_machine(const Overrides& overrides) {
  for (const std::vector<Override>* list :
       {&overrides.scenario, &overrides.exercise, &overrides.levers})
    if (!list->empty()) return &list->front();
  return nullptr;
}

std::string machine_note(const machine::MachineModel& model) {
  const auto representative =
      std::find_if(model.sources.begin(), model.sources.end(), [](const machine::Source& source) {
        return source.source.find("not identified from") != std::string::npos;
      });
  if (representative == model.sources.end()) return {};
  return "Representative machine: its numbers were not identified from one machine";
}

std::string LoadedCase::title() const {
  return fmt::format("{} on {}", scenario.scenario.name, machine.model.name);
}

std::string LoadedCase::note() const { return machine_note(machine.model); }

std::vector<std::string> LoadedCase::files() const {
  std::vector<std::string> all = scenario.files;
  all.insert(all.end(), machine.files.begin(), machine.files.end());
  return all;
}

bool needs_no_machine(const ScenarioFile& scenario) {
  return scenario.bench && scenario.bench->actuator.empty() && scenario.scenario.machine.empty();
}

MachineFile empty_bench(const ScenarioFile& scenario) {
  MachineFile bench;
  bench.model.name = "bench";
  bench.hash = scenario.hash;
  return bench;
}

std::filesystem::path machine_of(const ScenarioFile& scenario,
                                 const std::filesystem::path& scenario_path) {
  const ScenarioPlaces::Place& at = scenario.places.machine;
  std::string why;
  try {
    std::filesystem::path path = find_machine(scenario.scenario.machine, scenario_path);
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return path;
    why = fmt::format("there is no machine file '{}'", path.string());
  } catch (const UserError& error) {
    why = error.what();
  }
  throw FileError({{at.file, at.line, at.column, std::move(why)}});
}

MachineFile load_machine(const FileSource& machine, std::filesystem::path& path,
                         const std::vector<Override>& overrides) {
  if (machine.text) {
    path = machine.name;
    return read_machine_text(*machine.text, machine.name, overrides);
  }
  path = find_machine(machine.name);
  refuse_other_kind(path.string(), FileKind::kMachine);
  return read_machine(path, overrides);
}

LoadedCase load_case(const FileSource& scenario, const FileSource& machine,
                     const std::vector<std::string>& assignments) {
  const Overrides overrides = overrides_of_case(assignments);
  LoadedCase loaded;
  if (scenario.text) {
    loaded.scenario_path = scenario.name;
    loaded.scenario = read_scenario_text(*scenario.text, scenario.name, overrides.scenario);
  } else {
    loaded.scenario_path = find_scenario(scenario.name);
    refuse_other_kind(loaded.scenario_path.string(), FileKind::kScenario);
    loaded.scenario = read_scenario(loaded.scenario_path, overrides.scenario);
  }
  if (machine.empty() && needs_no_machine(loaded.scenario))
    loaded.machine = empty_bench(loaded.scenario);
  else
    loaded.machine = load_machine(
        machine.empty() ? FileSource(machine_of(loaded.scenario, loaded.scenario_path).string())
                        : machine,
        loaded.machine_path, overrides.machine);
  fit_together(loaded);
  return loaded;
}

// --- Many cases ---------------------------------------------------------------

struct CaseLoader::Files {
  // A file's text, and what it says without assignments.
  template <class File>
  struct Known {
    std::string text;
    std::shared_ptr<const File> file;
  };

  template <class File, class Read>
  File read(std::map<std::filesystem::path, Known<File>>& all, const std::filesystem::path& path,
            FileKind kind, const char* what, const std::vector<Override>& overrides, Read parse) {
    Known<File> known;
    {
      const std::lock_guard lock(mutex);
      Known<File>& kept = all[path];
      if (kept.text.empty()) {
        refuse_other_kind(path.string(), kind);
        kept.text = read_text_file(path, kConfigurationLimit, what);
      }
      if (overrides.empty() && !kept.file)
        kept.file = std::make_shared<const File>(parse(kept.text, path.string(), overrides));
      known = kept;
    }
    return overrides.empty() ? *known.file : parse(known.text, path.string(), overrides);
  }

  std::mutex mutex;
  std::map<std::filesystem::path, Known<ScenarioFile>> scenarios;
  std::map<std::filesystem::path, Known<MachineFile>> machines;
};

CaseLoader::CaseLoader() : files_(std::make_unique<Files>()) {}
CaseLoader::~CaseLoader() = default;

LoadedCase CaseLoader::load(const std::string& scenario, const std::string& machine,
                            const std::vector<std::string>& assignments) {
  const Overrides overrides = overrides_of_case(assignments);
  LoadedCase loaded;
  loaded.scenario_path = find_scenario(scenario);
  loaded.scenario = files_->read(
      files_->scenarios, loaded.scenario_path, FileKind::kScenario, "scenario file",
      overrides.scenario,
      [](const std::string& text, const std::string& name, const std::vector<Override>& changes) {
        return read_scenario_text(text, name, changes);
      });
  if (machine.empty() && needs_no_machine(loaded.scenario)) {
    loaded.machine = empty_bench(loaded.scenario);
  } else {
    loaded.machine_path =
        machine.empty() ? machine_of(loaded.scenario, loaded.scenario_path) : find_machine(machine);
    loaded.machine = files_->read(
        files_->machines, loaded.machine_path, FileKind::kMachine, "machine file",
        overrides.machine,
        [](const std::string& text, const std::string& name, const std::vector<Override>& changes) {
          return read_machine_text(text, name, changes);
        });
  }
  fit_together(loaded);
  return loaded;
}

}  // namespace knuckleboom::io
