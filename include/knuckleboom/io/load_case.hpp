// A scenario and its machine, from names, files, texts and --set assignments.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "knuckleboom/io/file_source.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/override.hpp"
#include "knuckleboom/io/scenario_file.hpp"

namespace knuckleboom::io {

// Sorts assignments "key=value" by what they change. A key that starts with "machine.", "scenario.",
// "exercise." or "levers." says so itself; without, its first word decides between machine and scenario.
// Throws UserError for a word neither file knows.
Overrides sort_overrides(const std::vector<std::string>& assignments);

// The first that changes something else than the machine; null: there is none.
const Override* beyond_machine(const Overrides& overrides);

struct LoadedCase {
  MachineFile machine;
  ScenarioFile scenario;
  std::filesystem::path machine_path, scenario_path;

  // "stick_sine on harvester".
  std::string title() const;
  // "Representative machine, ..." as machine_note(); else empty.
  std::string note() const;
  // All that was read.
  std::vector<std::string> files() const;
};

// machine: empty: the one that the scenario names. Throws FileError or UserError.
LoadedCase load_case(const FileSource& scenario, const FileSource& machine,
                     const std::vector<std::string>& assignments);

// The same for many cases of the same files: each file is read once, and parsed again only where assignments
// change it. Several threads may load at once.
class CaseLoader {
 public:
  CaseLoader();
  ~CaseLoader();
  LoadedCase load(const std::string& scenario, const std::string& machine,
                  const std::vector<std::string>& assignments);

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

// The file of the machine that a scenario names. Throws FileError, pointing at the name, if there is
// none.
std::filesystem::path machine_of(const ScenarioFile& scenario,
                                 const std::filesystem::path& scenario_path);

// Reads a source that is not empty; path: receives its path. Throws FileError or UserError.
MachineFile load_machine(const FileSource& machine, std::filesystem::path& path,
                         const std::vector<Override>& overrides = {});

// A bench without an actuator may name no machine; it runs on an empty one.
bool needs_no_machine(const ScenarioFile& scenario);
MachineFile empty_bench(const ScenarioFile& scenario);

// Note that a machine's numbers were not identified, from its sources; empty if they were.
std::string machine_note(const machine::MachineModel& model);

}  // namespace knuckleboom::io
