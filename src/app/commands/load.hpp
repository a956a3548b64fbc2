// A scenario and its machine, from names, files and --set assignments.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/override.hpp"
#include "knuckleboom/io/scenario_file.hpp"

namespace knuckleboom::app {

struct Overrides {
  std::vector<io::Override> machine, scenario;
};

// Sorts assignments "key=value" by what they change. A key that starts with "machine." or "scenario."
// says so itself; without, its first word decides. Throws UserError for a word neither file knows.
Overrides sort_overrides(const std::vector<std::string>& assignments);

struct LoadedCase {
  io::MachineFile machine;
  io::ScenarioFile scenario;
  std::filesystem::path machine_path, scenario_path;

  // "stick_sine on harvester".
  std::string title() const;
  // "Representative machine, ..." as machine_note(); else empty.
  std::string note() const;
  // All that was read.
  std::vector<std::string> files() const;
};

// machine: name or file; empty: the one that the scenario names. Throws io::FileError or UserError.
LoadedCase load_case(const std::string& scenario, const std::string& machine,
                     const std::vector<std::string>& assignments);

// The file of the machine that a scenario names. Throws io::FileError, pointing at the name, if there is
// none.
std::filesystem::path machine_of(const io::ScenarioFile& scenario,
                                 const std::filesystem::path& scenario_path);

// A bench without an actuator may name no machine; it runs on an empty one.
bool needs_no_machine(const io::ScenarioFile& scenario);
io::MachineFile empty_bench(const io::ScenarioFile& scenario);

// Note that a machine's numbers were not identified, from its sources; empty if they were.
std::string machine_note(const machine::MachineModel& model);

// Collision shapes and visible parts: "9 shapes, a grapple and 2 visible parts"; empty if none.
std::string outside_parts(const machine::MachineModel& model);

}  // namespace knuckleboom::app
