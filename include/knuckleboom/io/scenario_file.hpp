// Scenario files: docs/reference/scenario_file.md.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/command/scenario.hpp"
#include "knuckleboom/core/machine/bench.hpp"
#include "knuckleboom/io/content_hash.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/override.hpp"

namespace knuckleboom::io {

// Where the parts of a scenario were written, entry for entry as in command::Scenario, and in which
// kind of unit. It lets check_against point into the file.
struct ScenarioPlaces {
  enum class Unit { kNone, kAngle, kLength };
  struct Place {
    std::string file;
    int line = 0;
    int column = 0;
    Unit unit = Unit::kNone;  // of its joint values
  };
  Place machine, tip_path, bench;
  std::vector<Place> initial, programs, events;
  // Place of an event's target (body, joint or pressure), and of its name; else of the event.
  std::vector<Place> event_targets, event_names;
  std::vector<Place> faults, carrier;
};

struct ScenarioFile {
  command::Scenario scenario;
  std::optional<machine::Bench> bench;  // then it runs on this rig of the machine
  ContentHash hash;
  std::vector<std::string> files;  // that were read: this one and its CSV tables
  ScenarioPlaces places;
  std::vector<Diagnostic> remarks;  // numbers beyond what is usual
};

// Throws FileError with all that is wrong in the file. No machine is needed.
ScenarioFile read_scenario(const std::filesystem::path& path,
                           std::span<const Override> overrides = {});

// The same from memory; CSV tables are looked up in the folder of file_name.
ScenarioFile read_scenario_text(std::string_view text, const std::string& file_name,
                                std::span<const Override> overrides = {});

// Puts an actuator of the machine on the scenario's bench, if it has one: the model becomes the rig, and
// the load starts at the actuator's middle unless the scenario says where. Returns what keeps it from that.
std::vector<Diagnostic> put_on_bench(ScenarioFile& file, machine::MachineModel& model);

// Reasons why a scenario cannot run on a machine: unknown joints and bodies, wrong kinds of unit,
// joints without an actuator, positions outside the joint limits. Empty if it fits.
std::vector<Diagnostic> check_against(const command::Scenario& scenario,
                                      const machine::MachineModel& machine,
                                      const ScenarioPlaces& places = {});

}  // namespace knuckleboom::io
