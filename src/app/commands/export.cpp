// knuckleboom export: what is here, in the files of other tools.
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "app/commands/options.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/plot.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/file_kind.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/urdf_export.hpp"
#include "knuckleboom/io/user_error.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

struct UrdfOptions {
  std::string machine, output;
  std::vector<std::string> assignments;
};

// Somebody's own URDF is not written over.
void check_is_ours(const fs::path& output) {
  std::error_code ignored;
  if (!fs::exists(output, ignored) || io::is_exported_urdf(output)) return;
  throw UserError(
      fmt::format("{}: this file is there and was not written by this command, so it is left as "
                  "it is; give another name to --output, or move it away",
                  output.string()));
}

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
  check_is_ours(output);
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

}  // namespace

Command export_command() {
  return {.name = "export",
          .sentence = "Write a machine for other tools",
          .arguments = {},
          .examples = {"knuckleboom export urdf harvester -o harvester.urdf"},
          .run =
              [] {
                throw UserError("say what to export: urdf");
                return static_cast<int>(kUserMistake);
              },
          .commands = {export_urdf_command()}};
}

}  // namespace knuckleboom::app
