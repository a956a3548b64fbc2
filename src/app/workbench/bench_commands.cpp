#include "app/workbench/bench_commands.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/shell/exit_status.hpp"
#include "app/shell/text.hpp"
#include "app/shell/timed_lines.hpp"
#include "io/text_file.hpp"

namespace knuckleboom::app {
namespace {

struct VerbForm {
  BenchVerb verb;
  const char* name;
  std::size_t least, most;  // words
  const char* form;
  std::size_t numbers_from;  // of its words, from this one on
};
constexpr std::size_t kNoNumbers = 99;
constexpr VerbForm kVerbForms[] = {
    {BenchVerb::kDrive, "drive", 2, 3,
     "drive JOINT valve|position|speed|torque VALUE, or drive JOINT none", 2},
    {BenchVerb::kSet, "set", 1, 64, "set KEY=VALUE", kNoNumbers},
    {BenchVerb::kPlace, "place", 2, 2, "place JOINT VALUE", 1},
    {BenchVerb::kAttach, "attach", 3, 6,
     "attach NAME BODY MASS_KG, or attach NAME BODY MASS_KG X Y Z", 2},
    {BenchVerb::kDetach, "detach", 1, 1, "detach NAME", kNoNumbers},
    {BenchVerb::kRemove, "remove", 1, 1, "remove BODY", kNoNumbers},
    {BenchVerb::kAssemble, "assemble", 1, 1, "assemble BODY", kNoNumbers},
    {BenchVerb::kRun, "run", 0, 0, "run", kNoNumbers},
    {BenchVerb::kPause, "pause", 0, 0, "pause", kNoNumbers},
    {BenchVerb::kStep, "step", 0, 1, "step, or step TICKS", 0},
    {BenchVerb::kRewind, "rewind", 0, 1, "rewind, or rewind SECONDS", 0},
    {BenchVerb::kShow, "show", 1, 1, "show CHANNEL", kNoNumbers},
    {BenchVerb::kHide, "hide", 1, 1, "hide CHANNEL", kNoNumbers},
    {BenchVerb::kSave, "save", 1, 1, "save FILE.toml, FILE.csv or FILE.png", kNoNumbers},
    {BenchVerb::kHelp, "help", 0, 0, "help", kNoNumbers},
    {BenchVerb::kQuit, "quit", 0, 0, "quit", kNoNumbers},
};

const VerbForm& form_of(const std::string& word) {
  std::vector<std::string> names;
  for (const VerbForm& form : kVerbForms) {
    if (word == form.name) return form;
    names.emplace_back(form.name);
  }
  throw UserError(fmt::format("there is no command '{}'{}", word, alternatives(word, names)));
}

DemandKind kind_named(const std::string& word) {
  std::vector<std::string> names(std::begin(kDemandWords), std::end(kDemandWords));
  const auto at = std::find(names.begin(), names.end(), word);
  if (at == names.end())
    throw UserError(
        fmt::format("a joint is not driven by '{}'{}", word, alternatives(word, names)));
  return static_cast<DemandKind>(at - names.begin());
}

}  // namespace

BenchCommand parse_bench_command(std::string_view text) {
  std::vector<std::string> words = split_words(text);
  if (words.empty()) throw UserError("there is no command; 'help' lists them");
  const VerbForm& form = form_of(words.front());
  BenchCommand out;
  out.verb = form.verb;
  for (const std::string& word : words) out.text += (out.text.empty() ? "" : " ") + word;
  words.erase(words.begin());
  const auto refuse = [&form] { throw UserError(fmt::format("it is '{}'", form.form)); };
  if (words.size() < form.least || words.size() > form.most) refuse();
  if (form.verb == BenchVerb::kAttach && words.size() != 3 && words.size() != 6) refuse();
  for (std::size_t i = form.numbers_from; i < words.size(); ++i) {
    double value = 0.0;
    if (!read_number(words[i], value))
      throw UserError(fmt::format("'{}' is no number; it is '{}'", words[i], form.form));
    out.numbers.push_back(value);
  }
  if (form.verb == BenchVerb::kDrive) {
    out.kind = kind_named(words[1]);
    if ((out.kind == DemandKind::kNone) != (words.size() == 2)) refuse();
  }
  if (form.verb == BenchVerb::kSet) {
    words = {std::string(out.text.substr(out.text.find(' ') + 1))};
    if (words[0].find('=') == std::string::npos) refuse();
  }
  if (form.verb == BenchVerb::kStep && !out.numbers.empty() &&
      !(out.numbers[0] >= 1.0 && out.numbers[0] <= 1e6 &&
        out.numbers[0] == std::floor(out.numbers[0])))
    throw UserError("step takes a whole number of ticks, 1 to 1000000");
  out.words = std::move(words);
  return out;
}

bool is_deed(BenchVerb verb) { return verb <= BenchVerb::kAssemble; }

void do_deed(Workbench& bench, const BenchCommand& c) {
  switch (c.verb) {
    case BenchVerb::kDrive:
      return bench.demand(bench.joint(c.words[0]), c.kind, c.numbers.empty() ? 0.0 : c.numbers[0]);
    case BenchVerb::kSet:
      return bench.change(c.words[0]);
    case BenchVerb::kPlace:
      return bench.place(bench.joint(c.words[0]), c.numbers[0]);
    case BenchVerb::kAttach: {
      Vec3 com = Vec3::Zero();
      for (std::size_t i = 1; i < c.numbers.size(); ++i)
        com(static_cast<Eigen::Index>(i - 1)) = c.numbers[i];
      return bench.attach(c.words[0], c.words[1], c.numbers[0], com);
    }
    case BenchVerb::kDetach:
      return bench.detach(c.words[0]);
    case BenchVerb::kRemove:
      return bench.remove(c.words[0]);
    case BenchVerb::kAssemble:
      return bench.assemble(c.words[0]);
    default:
      return;
  }
}

std::vector<TimedBenchCommand> read_bench_script(const std::filesystem::path& path) {
  return read_bench_script_text(
      io::read_text_file(path, io::kConfigurationLimit, "file of commands"), path.string());
}

std::vector<TimedBenchCommand> read_bench_script_text(std::string_view text,
                                                      const std::string& file) {
  std::vector<TimedBenchCommand> out;
  std::vector<io::Diagnostic> faults;
  for (const TimedLine& line : timed_lines(text, file, faults)) {
    try {
      out.push_back({line.seconds, parse_bench_command(line.command)});
    } catch (const UserError& error) {
      faults.push_back({file, line.line, 0, error.what()});
    }
  }
  std::stable_sort(faults.begin(), faults.end(),
                   [](const auto& a, const auto& b) { return a.line < b.line; });
  if (!faults.empty()) throw io::FileError(std::move(faults));
  return out;
}

std::string_view bench_command_help() {
  return "drive JOINT KIND VALUE   KIND: valve [V], position [rad, m], speed [rad/s, m/s], torque "
         "[N m, N]\n"
         "drive JOINT none         as the scenario has it\n"
         "set KEY=VALUE            a key of machine or scenario, as --set takes it\n"
         "place JOINT VALUE        the machine starts anew from this pose, at rest\n"
         "attach NAME BODY MASS_KG [X Y Z]   a point mass at that place of the body [m]\n"
         "detach NAME\n"
         "remove BODY, assemble BODY\n"
         "run, pause, step [TICKS]\n"
         "rewind [SECONDS]         to a saved state; without a number to the oldest\n"
         "show CHANNEL, hide CHANNEL\n"
         "save FILE                .toml: a scenario; .csv: the trace; .png: the picture\n"
         "quit\n";
}

}  // namespace knuckleboom::app
