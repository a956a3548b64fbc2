// The sub-command report-problem: what somebody needs who is to find a fault, in one file.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/commands/options.hpp"
#include "app/session/names.hpp"
#include "app/shell/child_process.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/log.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/scratch_folder.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLogs = 20;
constexpr double kLimit_s = 60.0;

struct Part {
  std::string name, content, sentence;
};

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string first_line(const fs::path& file, const std::string& start) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with(start)) return line;
  return {};
}

std::string versions() {
  std::string out = fmt::format(
      "{}\n{}\n{}\n{}\n", io::this_program(), first_line("/etc/os-release", "PRETTY_NAME="),
      first_line("/proc/cpuinfo", "model name"), first_line("/proc/meminfo", "MemTotal"));
  out += first_line("/proc/self/limits", "Max realtime priority") + '\n';
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (std::string(*variable).starts_with("KNUCKLEBOOM_")) out += std::string(*variable) + '\n';
  return out;
}

std::vector<Part> parts() {
  conceal_learners();
  std::vector<Part> out = {
      {"versions.txt", versions(), "program, system, processor, memory, KNUCKLEBOOM_* variables"}};
  for (const auto& [name, sentence] :
       {std::pair{"trainer.toml", "settings of the trainer"},
        std::pair{"levers.toml", "lever devices and their calibration"}}) {
    const fs::path file = user_folder() / name;
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored)) out.push_back({name, content_of(file), sentence});
  }
  const std::vector<fs::path> logs = log_files();
  for (std::size_t i = 0; i < std::min(logs.size(), kMostLogs); ++i) {
    fs::path before = logs[i];
    before.replace_extension(".1.log");
    out.push_back({"logs/" + logs[i].filename().string(), content_of(before) + content_of(logs[i]),
                   "log of a start"});
  }
  for (Part& part : out) part.content = without_people(part.content);
  return out;
}

int report_problem(const std::string& output) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(output, ignored)))
    throw UserError(fmt::format("{} exists and is left alone; name another file", output));
  const std::vector<Part> all = parts();
  say(fmt::format("{} will hold, without the name of your home folder and of learners:\n", output));
  for (const Part& part : all)
    say(fmt::format("  {:<32} {:>8} bytes  {}\n", part.name, part.content.size(), part.sentence));
  all_was_said();
  const io::ScratchFolder folder;
  for (const Part& part : all) {
    const fs::path file = folder.path() / "knuckleboom-problem" / part.name;
    fs::create_directories(file.parent_path());
    io::write_file(file, part.content);
  }
  const ChildResult tar =
      run_child({"tar", "--create", "--file=-", "--owner=0", "--group=0", "--numeric-owner",
                 "--mode=a=rX,u+w", "--directory", folder.path().string(), "knuckleboom-problem"},
                {}, kLimit_s);
  if (const std::string fault = failure_of(tar); !fault.empty())
    throw RunFailure(fmt::format("tar {}", fault));
  io::AtomicFile file(output);
  file.write(tar.output);
  say(fmt::format("written: {}\nLook into it before you give it away: tar -xf {}\n",
                  file.close_new().string(), output));
  return kSuccess;
}

}  // namespace

Command report_problem_command() {
  const auto output = std::make_shared<std::string>("knuckleboom-problem.tar");
  return {
      .name = "report-problem",
      .sentence = "Pack logs, versions and settings into one file, for those who look for a fault",
      .arguments = {{.name = "-o,--output",
                     .target = output.get(),
                     .kind = file_value("FILE.tar", ".tar"),
                     .sentence = "The file",
                     .without = "knuckleboom-problem.tar"}},
      .examples = {"knuckleboom report-problem", "knuckleboom report-problem -o monday.tar"},
      .run = [output] { return report_problem(*output); }};
}

}  // namespace knuckleboom::app
