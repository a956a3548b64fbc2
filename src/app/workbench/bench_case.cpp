#include "app/workbench/bench_case.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "app/shell/config_paths.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/io/file_kind.hpp"
#include "knuckleboom/io/urdf_import.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;
using command::InitialJoint;
using machine::MachineModel;

constexpr double kEndless = 1e6;         // s
constexpr double kMadeDriveTime = 5e-3;  // of a speed error by a drive that is made here [s]

enum class Subject { kUrdf, kMachine, kScenario };

bool is_listed(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Subject subject_of(const std::string& name) {
  if (name.ends_with(io::kUrdfSuffix)) return Subject::kUrdf;
  std::error_code ignored;
  if (fs::is_directory(name, ignored)) return Subject::kMachine;
  if (name.find('/') != std::string::npos || name.ends_with(".toml"))
    return io::kind_of(io::beginning_of(name), name) == io::FileKind::kMachine ? Subject::kMachine
                                                                               : Subject::kScenario;
  if (is_listed(machine_names(), name)) return Subject::kMachine;
  if (is_listed(scenario_names(), name)) return Subject::kScenario;
  std::vector<std::string> names = machine_names();
  for (const std::string& scenario : scenario_names()) names.push_back(scenario);
  std::string hint = io::suggestion(name, names);
  if (hint.empty())
    hint =
        "; 'knuckleboom list machines' names them, and a file has a '/' or ends in .toml or .urdf";
  throw UserError(fmt::format("there is no machine or scenario '{}'{}", name, hint));
}

// Inertia about each joint, the others fixed.
std::vector<double> own_inertias(const MachineModel& model, const double* q) {
  const int n = model.joint_count();
  const double zero[kMaxLinks] = {};
  double rest[kMaxLinks], moved[kMaxLinks];
  multibody::inverse_dynamics(model.tree, model.tree.link_inertias().data(), q, zero, zero, rest);
  std::vector<double> out;
  for (int i = 0; i < n; ++i) {
    double a[kMaxLinks] = {};
    a[i] = 1.0;
    multibody::inverse_dynamics(model.tree, model.tree.link_inertias().data(), q, zero, a, moved);
    out.push_back(moved[i] - rest[i]);
  }
  return out;
}

bool may_have_drive(const MachineModel& model, int link) {
  if (model.ball_of(link) != nullptr) return false;
  for (const multibody::Coupling& coupling : model.couplings)
    if (coupling.joint == link) return false;
  for (int g = 0; g < model.loop_system.group_count(); ++g) {
    const auto& group = model.loop_system.group(g);
    if (!group.linear() &&
        std::find(group.joint.begin(), group.joint.end(), link) != group.joint.end())
      return false;
  }
  return true;
}

// Stiff against the joint's own inertia, whatever its size, and free of its weight.
void make_drives(MachineModel& model, const double* q) {
  const std::vector<double> inertia = own_inertias(model, q);
  for (int i = 0; i < model.joint_count(); ++i)
    if (may_have_drive(model, i) && nth(inertia, i) > 0.0)
      model.drives.push_back({i, 0.0, nth(inertia, i) / kMadeDriveTime, true});
}

double place_within(const multibody::Body& body, double share) {
  if (!(body.upper > body.lower)) return 0.0;
  return share < 0.0 ? std::clamp(0.0, body.lower, body.upper)
                     : body.lower + share * (body.upper - body.lower);
}

// Where joints with a drive start; the rest hangs. share: of their ranges; below 0: at 0, or as near as they come.
std::vector<InitialJoint> start_at(const MachineModel& model, double share) {
  std::vector<InitialJoint> out;
  const auto add = [&](int link) {
    InitialJoint joint;
    joint.joint = model.joint_name(link);
    joint.position = place_within(model.tree.body(model.tree.link(link).body), share);
    out.push_back(joint);
  };
  for (const machine::Actuator& actuator : model.actuators) add(actuator.link);
  for (const machine::JointDrive& drive : model.drives) add(drive.link);
  return out;
}

// Shipped scenarios know good starts of shipped machines.
std::vector<std::vector<InitialJoint>> scenario_starts(const std::string& machine) {
  std::vector<std::vector<InitialJoint>> out;
  for (const std::string& name : scenario_names()) {
    try {
      const io::ScenarioFile file = io::read_scenario(find_scenario(name));
      if (file.scenario.machine == machine && !file.bench && !file.scenario.initial.empty())
        out.push_back(file.scenario.initial);
    } catch (const std::exception&) {  // not of interest here
    }
  }
  return out;
}

// Empty: the machine can start so.
std::string start_fault_of(const MachineModel& model, const command::Scenario& scenario) {
  try {
    const sim::Simulation trial(model, scenario);
    return {};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

void find_start(const std::string& subject, const MachineModel& model,
                command::Scenario& scenario) {
  using Starts = std::vector<std::vector<InitialJoint>>;
  std::vector<std::function<Starts()>> ways = {
      [&] { return Starts{start_at(model, -1.0)}; }, [&] { return Starts{start_at(model, 0.5)}; },
      [&] { return scenario_starts(subject); }, [] { return Starts(1); }};
  // A crane's middle looks like work; a robot's zero is what its maker drew.
  if (!model.actuators.empty()) std::swap(ways[0], ways[1]);
  if (!model.loops.empty()) std::rotate(ways.begin(), ways.begin() + 2, ways.begin() + 3);
  std::string first;
  for (const auto& way : ways)
    for (std::vector<InitialJoint>& start : way()) {
      scenario.initial = std::move(start);
      const std::string fault = start_fault_of(model, scenario);
      if (fault.empty()) return;
      if (first.empty()) first = fault;
    }
  throw UserError(fmt::format(
      "{}: no pose to start in was found ({}); name a scenario that says where its joints start",
      subject, first));
}

BenchCase load_alone(const std::string& subject, Subject kind, const io::Overrides& overrides,
                     const std::vector<InitialJoint>& start) {
  if (const io::Override* other = io::beyond_machine(overrides))
    throw UserError(
        fmt::format("--set {}: only keys of the machine can be changed, since no scenario is named",
                    other->key));
  BenchCase out;
  io::LoadedCase& loaded = out.loaded;
  if (kind == Subject::kUrdf) {
    loaded.machine = io::read_urdf(subject, overrides.machine);
    loaded.machine_path = subject;
  } else {
    loaded.machine = io::load_machine(subject, loaded.machine_path, overrides.machine);
  }
  MachineModel& model = loaded.machine.model;
  if (model.actuators.empty() && model.drives.empty()) {
    double q[kMaxLinks] = {};
    for (int i = 0; i < model.joint_count(); ++i)
      q[i] = place_within(model.tree.body(model.tree.link(i).body), -1.0);
    make_drives(model, q);
    out.made_drives = !model.drives.empty();
  }
  command::Scenario& scenario = loaded.scenario.scenario;
  scenario.name = "bench";
  scenario.machine = subject;
  scenario.duration_s = kEndless;
  if (start.empty())
    find_start(subject, model, scenario);
  else
    scenario.initial = start;
  return out;
}

}  // namespace

BenchCase load_bench_case(const std::string& subject, const std::string& machine,
                          const std::vector<std::string>& assignments,
                          const std::vector<InitialJoint>& start) {
  const Subject kind = subject_of(subject);
  if (kind != Subject::kScenario) {
    if (!machine.empty())
      throw UserError(
          fmt::format("{} is a machine itself; leave --machine {} out", subject, machine));
    return load_alone(subject, kind, io::sort_overrides(assignments), start);
  }
  BenchCase out;
  out.has_scenario = true;
  out.loaded = io::load_case(subject, machine, assignments);
  if (!start.empty()) out.loaded.scenario.scenario.initial = start;
  return out;
}

}  // namespace knuckleboom::app
