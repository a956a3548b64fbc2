// Finds machines, scenarios and exercises by name or by path.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace knuckleboom::io {

// Existing folders like config/, in order of precedence: $KNUCKLEBOOM_CONFIG, the install location
// relative to the program, that relative to the library, the source tree it was built from.
std::vector<std::filesystem::path> config_folders();

// The shared object that this code is in, a library or a module; empty in a program.
std::filesystem::path shared_object();

// "stick_sine" is config/scenarios/stick_sine.toml; an argument with a '/' or ending in .toml is a
// file. Throws UserError, with the existing names, for an unknown name.
std::filesystem::path find_scenario(const std::string& name_or_file);

// "harvester" is config/machines/harvester/machine.toml; a folder with a machine.toml counts as
// well. near: a scenario file whose own config/ is searched first; may be empty.
std::filesystem::path find_machine(const std::string& name_or_file,
                                   const std::filesystem::path& near = {});

// "reach" is config/exercises/reach.toml.
std::filesystem::path find_exercise(const std::string& name_or_file);

// "peg_on_plane" is config/emulations/peg_on_plane.toml.
std::filesystem::path find_emulation(const std::string& name_or_file);

// Sorted, without doubles.
std::vector<std::string> scenario_names();
std::vector<std::string> emulation_names();
std::vector<std::string> exercise_names();
std::vector<std::string> machine_names();
std::vector<std::string> lever_names();

// "nordic" is config/levers/nordic.toml.
std::filesystem::path find_levers(const std::string& name_or_file);

// "spruce" is config/species/spruce.toml; "spruce_25" config/trees/spruce_25.toml; "thinning"
// config/price_lists/thinning.toml.
std::filesystem::path find_species(const std::string& name_or_file);
std::filesystem::path find_tree(const std::string& name_or_file);
std::filesystem::path find_price_list(const std::string& name_or_file);
std::vector<std::string> species_names();
std::vector<std::string> tree_names();
std::vector<std::string> price_list_names();

// "crane" is config/courses/crane.toml; of a quiz likewise in config/quizzes.
std::filesystem::path find_course(const std::string& name_or_file);
std::filesystem::path find_quiz(const std::string& name_or_file);
// "stick_gains" is config/sweeps/stick_gains.toml.
std::filesystem::path find_sweep(const std::string& name_or_file);
std::vector<std::string> sweep_names();
std::vector<std::string> course_names();
std::vector<std::string> quiz_names();

// The folder assets/ next to the first config/ with one; empty: none.
std::filesystem::path assets_folder();

}  // namespace knuckleboom::io
