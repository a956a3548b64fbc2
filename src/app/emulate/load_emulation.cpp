#include "app/emulate/load_emulation.hpp"

#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "app/check.hpp"
#include "app/config_paths.hpp"
#include "app/exit_status.hpp"
#include "knuckleboom/io/emulation_file.hpp"
#include "knuckleboom/io/machine_file.hpp"

namespace knuckleboom::app {
namespace {

struct Sorted {
  std::vector<io::Override> host, emulated, plan;
};

// "host." and "emulated." lead into the machines, all else into the emulation file.
Sorted sort(const EmulateOptions& options) {
  Sorted out;
  for (const std::string& assignment : options.assignments) {
    io::Override one = io::parse_override(assignment);
    const auto take = [&one](std::string_view prefix) {
      if (!one.key.starts_with(prefix)) return false;
      one.key.erase(0, prefix.size());
      return true;
    };
    std::vector<io::Override>& to = take("host.")       ? out.host
                                    : take("emulated.") ? out.emulated
                                                        : out.plan;
    to.push_back(std::move(one));
  }
  if (!options.scheme.empty()) out.plan.push_back({"control.scheme", options.scheme});
  if (options.delay_ticks)
    out.plan.push_back({"sensor.delay_ticks", fmt::format("{}", *options.delay_ticks)});
  if (options.stiffness)
    out.plan.push_back({"site.stiffness_N_per_m", fmt::format("{:.17g}", *options.stiffness)});
  return out;
}

// Starts of joints that do not exist, or in the wrong unit.
void check_start(const std::vector<command::InitialJoint>& initial,
                 const std::vector<io::ScenarioPlaces::Place>& places,
                 const machine::MachineModel& model) {
  command::Scenario start;
  start.initial = initial;
  io::ScenarioPlaces start_places;
  start_places.initial = places;
  std::vector<io::Diagnostic> faults = io::check_against(start, model, start_places);
  if (!faults.empty()) throw io::FileError(std::move(faults));
}

io::MachineFile read_part(const std::string& name, const io::ScenarioPlaces::Place& at,
                          const std::filesystem::path& near,
                          const std::vector<io::Override>& overrides) {
  std::filesystem::path path;
  try {
    path = find_machine(name, near);
  } catch (const UserError& error) {
    throw io::FileError({{at.file, at.line, at.column, error.what()}});
  }
  return io::read_machine(path, overrides);
}

}  // namespace

std::string LoadedEmulation::title() const {
  return fmt::format("{}: {} by {}", plan.name, plan.emulated.model.name, plan.host.model.name);
}

LoadedEmulation load_emulation(const EmulateOptions& options) {
  const Sorted overrides = sort(options);
  const std::filesystem::path path = find_emulation(options.scenario);
  refuse_other_kind(path.string(), FileKind::kEmulation);
  io::EmulationFile file = io::read_emulation(path, overrides.plan);
  LoadedEmulation out;
  out.plan = std::move(file.plan);
  out.files = file.files;
  out.hash = file.hash.hex;
  const auto add = [&](emulation::Part& part, const std::string& name,
                       const io::ScenarioPlaces::Place& at,
                       const std::vector<io::ScenarioPlaces::Place>& starts,
                       const std::vector<io::Override>& changes) {
    io::MachineFile machine = read_part(name, at, path, changes);
    check_start(part.initial, starts, machine.model);
    part.model = std::move(machine.model);
    out.files.insert(out.files.end(), machine.files.begin(), machine.files.end());
  };
  add(out.plan.host, file.host, file.host_place, file.host_start, overrides.host);
  add(out.plan.emulated, file.emulated, file.emulated_place, file.emulated_start,
      overrides.emulated);
  return out;
}

}  // namespace knuckleboom::app
