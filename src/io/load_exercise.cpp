#include "knuckleboom/io/load_exercise.hpp"

#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "knuckleboom/io/config_folders.hpp"
#include "knuckleboom/io/file_kind.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/user_error.hpp"

namespace knuckleboom::io {
namespace {

// Names in a file are also searched beside it.
std::filesystem::path levers_beside(const std::string& name, const std::filesystem::path& near) {
  std::error_code ignored;
  std::filesystem::path beside = near.parent_path() / name;
  if (name.find('/') != std::string::npos && !std::filesystem::exists(name, ignored) &&
      std::filesystem::exists(beside, ignored))
    return beside;
  return find_levers(name);
}

// A machine on wheels takes the layout that drives as well, where there is one beside the exercise's.
std::filesystem::path for_machine(std::filesystem::path levers,
                                  const machine::MachineModel& model) {
  if (model.wheels.empty()) return levers;
  std::error_code ignored;
  const std::filesystem::path driving =
      levers.parent_path() /
      (levers.stem().string() + kDrivingLevers + levers.extension().string());
  return std::filesystem::exists(driving, ignored) ? driving : levers;
}

}  // namespace

LoadedExercise load_exercise(const FileSource& exercise, const FileSource& machine,
                             const FileSource& levers, const Overrides& overrides) {
  LoadedExercise loaded;
  if (exercise.text) {
    loaded.exercise_path = exercise.name;
    loaded.exercise = read_exercise_text(*exercise.text, exercise.name, overrides.exercise);
  } else {
    loaded.exercise_path = find_exercise(exercise.name);
    refuse_other_kind(loaded.exercise_path.string(), FileKind::kExercise);
    loaded.exercise = read_exercise(loaded.exercise_path, overrides.exercise);
  }
  const training::Exercise& wanted = loaded.exercise.exercise;
  loaded.machine = load_machine(
      machine.empty() ? FileSource(find_machine(wanted.machine, loaded.exercise_path).string())
                      : machine,
      loaded.machine_path, overrides.machine);
  if (levers.text) {
    loaded.levers_path = levers.name;
    loaded.levers = read_levers_text(*levers.text, levers.name, overrides.levers);
  } else {
    loaded.levers_path =
        levers.empty()
            ? for_machine(levers_beside(wanted.levers, loaded.exercise_path), loaded.machine.model)
            : find_levers(levers.name);
    refuse_other_kind(loaded.levers_path.string(), FileKind::kLevers);
    loaded.levers = read_levers(loaded.levers_path, overrides.levers);
  }
  // A recording has been driven; it can always be looked at again.
  std::vector<Diagnostic> faults;
  if (machine.empty()) {
    faults = check_against(wanted, loaded.machine.model, loaded.exercise.places);
  } else if (!exercise.text) {
    faults = check_tools(wanted, loaded.machine.model, loaded.exercise.places);
    if (faults.empty()) faults = check_start(wanted, loaded.machine.model, loaded.exercise.places);
  }
  if (!faults.empty()) throw FileError(std::move(faults));
  return loaded;
}

void refuse_scenario_keys(const Overrides& overrides, const char* who) {
  if (overrides.scenario.empty()) return;
  throw UserError(
      fmt::format("'{0}' is a key of a scenario, and {1}; write exercise.{0} for a key of the "
                  "exercise file",
                  overrides.scenario.front().key, who));
}

}  // namespace knuckleboom::io
