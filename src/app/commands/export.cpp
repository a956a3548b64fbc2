// knuckleboom export: what is here, in the files of other tools.
#include "fmi/export.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "app/commands/export_mcap.hpp"
#include "app/commands/options.hpp"
#include "app/session/load_session.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/plot.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/config_folders.hpp"
#include "knuckleboom/io/file_kind.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/urdf_export.hpp"
#include "knuckleboom/io/user_error.hpp"
#include "knuckleboom/io/words.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

struct UrdfOptions {
  std::string machine, output;
  std::vector<std::string> assignments;
};

int write_urdf(const UrdfOptions& options) {
  const fs::path output = options.output;
  if (output.extension() != io::kUrdfSuffix)
    throw UserError(
        fmt::format("--output {}: a URDF's name ends in {}", options.output, io::kUrdfSuffix));
  check_output_path(output, "--output");
  const io::Overrides overrides = io::sort_overrides(options.assignments);
  if (const io::Override* other = io::beyond_machine(overrides))
    throw UserError(fmt::format(
        "--set {}: export urdf knows no scenario; change keys of the machine only", other->key));
  const fs::path path = find_machine(options.machine);
  if (path.extension() == io::kUrdfSuffix)
    throw UserError(fmt::format("{}: this is a URDF already", path.string()));
  io::refuse_other_kind(path.string(), io::FileKind::kMachine);
  const io::MachineFile file = io::read_machine(path, overrides.machine);
  tell_remarks_on_set(file.remarks);
  check_distinct({{"--output", output}}, file.files);
  check_is_ours(output, io::is_exported_urdf);
  const io::UrdfExport urdf = io::export_urdf(path, overrides.machine, output.parent_path());
  io::write_file(output, urdf.text);
  std::string text = fmt::format("{}: {} links and {} joints of {}\n", output.string(), urdf.links,
                                 urdf.joints, file.model.name);
  for (const std::string& note : urdf.notes) text += fmt::format("  note: {}\n", note);
  say(text);
  return kSuccess;
}

Command export_urdf_command() {
  const auto o = std::make_shared<UrdfOptions>();
  return {.name = "urdf",
          .sentence = "Write bodies, joints, contact shapes and looks of a machine as a URDF",
          .arguments = {machine_argument(o->machine),
                        {.name = "-o,--output",
                         .target = &o->output,
                         .kind = file_value("FILE.urdf", ".urdf"),
                         .sentence = "The URDF; one that was not written by this command stays",
                         .required = true},
                        set_option(o->assignments, "the machine"),
                        unset_option(o->assignments)},
          .examples = {},
          .run = [o] { return write_urdf(*o); }};
}

// --- FMU ------------------------------------------------------------------------------------------

constexpr const char *kMachineWord = "machine", *kControllerWord = "controller";

struct FmuOptions {
  std::string what, machine, levers, output, fidelity, inputs, part;
  int version = 3;
  bool sources = false;
  std::vector<std::string> assignments;
};

std::vector<std::string> names_for_fmu() {
  std::vector<std::string> names = io::scenario_names();
  for (const auto& more : {io::machine_names(), io::exercise_names()})
    names.insert(names.end(), more.begin(), more.end());
  return names;
}

// By its name, or by the content of a file.
io::FileKind kind_for_fmu(const std::string& what) {
  const auto among = [&what](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), what) != names.end();
  };
  if (among(io::scenario_names())) return io::FileKind::kScenario;
  if (among(io::machine_names())) return io::FileKind::kMachine;
  if (among(io::exercise_names())) return io::FileKind::kExercise;
  std::error_code ignored;
  if (fs::is_directory(what, ignored)) return io::FileKind::kMachine;
  if (what.find('/') == std::string::npos && !what.ends_with(".toml"))
    throw UserError(fmt::format("there is no machine, scenario or exercise '{}'{}", what,
                                io::alternatives(what, names_for_fmu())));
  const io::FileKind kind = io::kind_of(io::beginning_of(what), what);
  return kind == io::FileKind::kMachine || kind == io::FileKind::kExercise
             ? kind
             : io::FileKind::kScenario;
}

fmi::Inputs inputs_of(const std::string& word, io::FileKind kind) {
  const bool exercise = kind == io::FileKind::kExercise;
  if (word.empty())
    return exercise                         ? fmi::Inputs::kLevers
           : kind == io::FileKind::kMachine ? fmi::Inputs::kReferences
                                            : fmi::Inputs::kNone;
  for (const fmi::Inputs inputs : fmi::kAllInputs) {
    if (word != fmi::word_of(inputs)) continue;
    if (inputs == fmi::Inputs::kLevers && kind == io::FileKind::kScenario)
      throw UserError(
          "--inputs levers: a scenario has none; export an exercise, or a machine, which is then "
          "driven as in the exercise free_play");
    if (exercise && (inputs == fmi::Inputs::kReferences || inputs == fmi::Inputs::kVolts))
      throw UserError(fmt::format(
          "--inputs {}: an exercise is done with its levers; export the machine for these inputs",
          word));
    return inputs;
  }
  throw UserError(fmt::format("--inputs {}: there are levers, references, volts and none", word));
}

fmi::ExportRequest request_of(const FmuOptions& options) {
  fmi::ExportRequest request;
  const io::FileKind kind = kind_for_fmu(options.what);
  request.inputs = inputs_of(options.inputs, kind);
  request.machine = options.machine;
  if (kind == io::FileKind::kMachine) {
    if (!options.machine.empty())
      throw UserError(fmt::format("'{}' is a machine; --machine goes with a scenario or exercise",
                                  options.what));
    request.machine = options.what;
    if (request.inputs == fmi::Inputs::kLevers) request.exercise = kFirstExercise;
  } else {
    (kind == io::FileKind::kExercise ? request.exercise : request.scenario) = options.what;
  }
  if (!options.levers.empty() && request.inputs != fmi::Inputs::kLevers)
    throw UserError(
        "--levers: this FMU has no levers; they are those of an exercise, or of a "
        "machine with --inputs levers");
  request.levers = options.levers;
  request.assignments = options.assignments;
  request.fidelity =
      options.fidelity.empty() && request.exercise.empty() ? "reduced" : options.fidelity;
  request.controller = options.part == kControllerWord;
  if (request.controller && (!options.inputs.empty() || !options.fidelity.empty()))
    throw UserError(
        "--inputs and --fidelity are of a machine; they mean nothing for its controllers");
  request.sources = options.sources;
  request.version = options.version == 2 ? fmi::Version::k2 : fmi::Version::k3;
  return request;
}

int write_fmu(const FmuOptions& options) {
  const fs::path output = options.output;
  if (output.extension() != fmi::kSuffix)
    throw UserError(
        fmt::format("--output {}: an FMU's name ends in {}", options.output, fmi::kSuffix));
  check_output_path(output, "--output");
  const fmi::ExportRequest request = request_of(options);
  check_is_ours(output, fmi::is_exported_fmu);
  const fmi::Exported exported = fmi::export_fmu(request, output);
  say(fmt::format(
      "{}: {} as an FMU of FMI {}.0 for co-simulation\n  {} inputs, {} outputs, {} "
      "parameters; {:.1f} MB\n",
      output.string(), exported.title, options.version, exported.inputs, exported.outputs,
      exported.parameters, static_cast<double>(fs::file_size(output)) * 1e-6));
  return kSuccess;
}

Command export_fmu_command() {
  const auto o = std::make_shared<FmuOptions>();
  return {
      .name = "fmu",
      .sentence =
          "Write a machine at a scenario or exercise as an FMU, for co-simulation in other tools",
      .arguments =
          {{.name = "what",
            .target = &o->what,
            .kind = {.placeholder = "MACHINE|SCENARIO|EXERCISE",
                     .words = names_for_fmu,
                     .path = ValueKind::Path::kFile,
                     .suffix = ".toml"},
            .sentence = "A machine alone keeps its joints where they are",
            .required = true},
           {.name = "-o,--output",
            .target = &o->output,
            .kind = file_value("FILE.fmu", fmi::kSuffix),
            .sentence = "The FMU",
            .required = true},
           {.name = "--fmi",
            .target = &o->version,
            .kind = {"N"},
            .sentence = "Version of FMI, 2 or 3",
            .range = Range{2, 3}},
           machine_option(o->machine, "Machine in place of that of the scenario or exercise"),
           {.name = "--levers",
            .target = &o->levers,
            .kind = lever_layout_value(),
            .sentence = "Lever layout in place of the exercise's own"},
           {.name = "--inputs",
            .target = &o->inputs,
            .kind = word_value(
                "WORD",
                [] {
                  return std::vector<std::string>{"levers", "references", "volts", "none"};
                },
                true),
            .sentence =
                "Inputs: the operator's levers, or in place of the scenario positions of joints, "
                "volts of valves, or none",
            .without = "levers for an exercise, references for a machine, none for a scenario"},
           {.name = "--part",
            .target = &o->part,
            .kind = word_value(
                "WORD",
                [] {
                  return std::vector<std::string>{kMachineWord, kControllerWord};
                },
                true),
            .sentence = "The machine, or its joint controllers alone, for run --controller",
            .without = kMachineWord},
           {.name = "--fidelity",
            .target = &o->fidelity,
            .kind = real_time_fidelity_value(),
            .sentence = "Model of the hydraulics",
            .without = "reduced"},
           {.name = "--sources",
            .target = &o->sources,
            .sentence = "With the sources of its code, to build it elsewhere"},
           set_of_case_option(o->assignments),
           unset_option(o->assignments)},
      .examples = {},
      .run = [o] { return write_fmu(*o); }};
}

}  // namespace

Command export_command() {
  return {.name = "export",
          .sentence = "Write a machine or a recording for other tools",
          .arguments = {},
          .examples = {"knuckleboom export urdf harvester -o harvester.urdf",
                       "knuckleboom export fmu harvester -o harvester.fmu",
                       "knuckleboom export fmu stick_sine --inputs volts --fmi 2 -o stick.fmu",
                       "knuckleboom export fmu reach -o reach.fmu",
                       "knuckleboom export mcap monday.h5 -o monday.mcap"},
          .run =
              [] {
                throw UserError("say what to export: urdf, fmu or mcap");
                return static_cast<int>(kUserMistake);
              },
          .commands = {export_urdf_command(), export_fmu_command(), export_mcap_command()}};
}

}  // namespace knuckleboom::app
