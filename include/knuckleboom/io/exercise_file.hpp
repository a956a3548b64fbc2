// Exercise files: docs/reference/exercise_file.md.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/training/exercise.hpp"
#include "knuckleboom/io/content_hash.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/named_text.hpp"
#include "knuckleboom/io/override.hpp"
#include "knuckleboom/io/scenario_file.hpp"

namespace knuckleboom::io {

// Where parts of an exercise were written. It lets check_against point into the file.
struct ExercisePlaces {
  ScenarioPlaces::Place machine, levers, task;
  std::vector<ScenarioPlaces::Place> initial;  // entry for entry as in training::Exercise
  std::vector<ScenarioPlaces::Place> faults;   // likewise
};

struct ExerciseFile {
  training::Exercise exercise;
  ContentHash hash;                 // with the species of its trees
  std::vector<std::string> files;   // that were read
  std::vector<NamedText> species;   // files of the species that its trees name, as read
  std::vector<Diagnostic> remarks;  // numbers beyond what is usual
  ExercisePlaces places;
};

// Throws FileError with all that is wrong in the file. No machine is needed.
ExerciseFile read_exercise(const std::filesystem::path& path,
                           std::span<const Override> overrides = {});
// unknown: not null: keys that are not known are left out and listed there; they are errors otherwise.
// species: in place of the files of the same name.
ExerciseFile read_exercise_text(std::string_view text, const std::string& file_name,
                                std::span<const Override> overrides = {},
                                std::vector<Diagnostic>* unknown = nullptr,
                                std::span<const NamedText> species = {});

// The text of an exercise file with this `tolerance`. Throws FileError if it has one already, or cannot be read.
std::string with_tolerance(std::string_view text, const std::string& file_name, double tolerance);

// Reasons why an exercise cannot be done on a machine: missing joints, starts outside their limits, and
// what check_tools() and check_start() say. Empty if it fits.
std::vector<Diagnostic> check_against(const training::Exercise& exercise,
                                      const machine::MachineModel& machine,
                                      const ExercisePlaces& places = {});

// Tools that the task needs and a machine does not have: grapple, harvester's head, wheels, load space.
std::vector<Diagnostic> check_tools(const training::Exercise& exercise,
                                    const machine::MachineModel& machine,
                                    const ExercisePlaces& places = {});

// The start as it would be on a machine that the exercise is not made for: deep inside something.
std::vector<Diagnostic> check_start(const training::Exercise& exercise,
                                    const machine::MachineModel& machine,
                                    const ExercisePlaces& places = {});

}  // namespace knuckleboom::io
