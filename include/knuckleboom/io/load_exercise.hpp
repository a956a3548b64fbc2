// An exercise with the machine and the levers that it is done on, from names, files and texts.
#pragma once

#include <filesystem>
#include <vector>

#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/file_source.hpp"
#include "knuckleboom/io/lever_file.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/override.hpp"

namespace knuckleboom::io {

// After the name of a lever layout: the one for machines on wheels, which is taken in its place.
inline constexpr const char* kDrivingLevers = "_drive";

struct LoadedExercise {
  ExerciseFile exercise;
  MachineFile machine;
  LeverFile levers;
  std::filesystem::path exercise_path, machine_path, levers_path;
};

// machine, levers: empty: those that the exercise names. A machine of the caller's own choice may be unable
// to do all of the exercise; the session says what it leaves out. Overrides of a scenario have no use here.
// Throws FileError or UserError.
LoadedExercise load_exercise(const FileSource& exercise, const FileSource& machine,
                             const FileSource& levers, const Overrides& overrides = {});

// Throws UserError if there are overrides of a scenario. who: "an exercise is opened".
void refuse_scenario_keys(const Overrides& overrides, const char* who);

}  // namespace knuckleboom::io
