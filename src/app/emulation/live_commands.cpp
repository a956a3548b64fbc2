#include "app/emulation/live_commands.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fnmatch.h>

#include "app/emulation/signal_log.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/text.hpp"
#include "app/shell/timed_lines.hpp"
#include "io/text_file.hpp"
#include "knuckleboom/core/emulation/hil_texts.hpp"
#include "knuckleboom/io/diagnostic.hpp"

namespace knuckleboom::app {
namespace {

using emulation::HilBench;
using emulation::HilCommand;
using emulation::HilCommandKind;
using Kind = ConsoleCommand::Kind;
using Words = std::vector<std::string>;

void want(const Words& words, std::size_t least, std::size_t most, const char* form) {
  if (words.size() < least + 1 || words.size() > most + 1)
    throw UserError(fmt::format("it is '{}'", form));
}

Words tunable_names(const HilBench& bench) {
  Words out;
  for (const emulation::Tunable& t : bench.tunables()) out.push_back(t.name);
  return out;
}

Words incoming_names(const HilBench& bench) {
  Words out;
  for (int i = 0; i < bench.exchange().signals(); ++i) out.push_back(bench.exchange().rule(i).name);
  return out;
}

// For a tunable that is a choice, its words are accepted as well.
bool value_of(const std::string& name, const std::string& text, double& value) {
  if (name == "control.scheme" && (text == "acceleration" || text == "position")) {
    value = text == "acceleration" ? 1.0 : 0.0;
    return true;
  }
  return read_number(text, value);
}

HilCommand parse_set(const HilBench& bench, const Words& words) {
  want(words, 2, 2, "set NAME VALUE");
  const int index = bench.find_tunable(words[1]);
  if (index < 0)
    throw UserError(fmt::format("there is nothing to be tuned called '{}'{}", words[1],
                                alternatives(words[1], tunable_names(bench))));
  const emulation::Tunable& tunable = bench.tunables()[static_cast<std::size_t>(index)];
  double value = 0.0;
  if (!value_of(words[1], words[2], value))
    throw UserError(fmt::format("'{}' is no number for {}", words[2], tunable.name));
  if (!(value >= tunable.least && value <= tunable.most))
    throw UserError(fmt::format("{} is from {:g} to {:g} {}, and {} is not", tunable.name,
                                tunable.least, tunable.most, tunable.unit, words[2]));
  if (tunable.whole && value != std::floor(value))
    throw UserError(fmt::format("{} is a whole number, and {} is not", tunable.name, words[2]));
  return {HilCommandKind::kTune, index, value};
}

std::vector<HilCommand> parse_source(const HilBench& bench, const Words& words) {
  want(words, 2, 2, "source SIGNAL simulated|log|network");
  const Words sources = {"simulated", "log", "network"};
  const auto source = std::find(sources.begin(), sources.end(), words[2]);
  if (source == sources.end())
    throw UserError(fmt::format("'{}' is no source{}", words[2], alternatives(words[2], sources)));
  const Words names = incoming_names(bench);
  if (names.empty())
    throw UserError("no signal comes in from outside; --signals FILE.toml says which may");
  std::vector<HilCommand> out;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (fnmatch(words[1].c_str(), names[i].c_str(), 0) == 0)
      out.push_back({HilCommandKind::kSource, static_cast<std::int32_t>(i),
                     static_cast<double>(source - sources.begin())});
  if (out.empty())
    throw UserError(fmt::format("no signal '{}' comes in from outside{}", words[1],
                                alternatives(words[1], names)));
  return out;
}

ConsoleCommand parse_log(const Words& words) {
  want(words, 1, 1, "log on' or 'log off");
  if (words[1] != "on" && words[1] != "off")
    throw UserError(fmt::format("it is 'log on' or 'log off', not 'log {}'", words[1]));
  ConsoleCommand out;
  out.kind = Kind::kLog;
  out.on = words[1] == "on";
  return out;
}

struct Verb {
  const char* name;
  Kind kind;
  HilCommandKind bench;  // of kBench without further words
};
constexpr std::array<Verb, 13> kVerbs = {{
    {"run", Kind::kBench, HilCommandKind::kRun},
    {"hold", Kind::kBench, HilCommandKind::kHold},
    {"stop", Kind::kBench, HilCommandKind::kStop},
    {"reset", Kind::kBench, HilCommandKind::kReset},
    {"set", Kind::kBench, HilCommandKind::kTune},
    {"source", Kind::kBench, HilCommandKind::kSource},
    {"snapshot", Kind::kSnapshot, {}},
    {"log", Kind::kLog, {}},
    {"show", Kind::kShow, {}},
    {"signals", Kind::kSignals, {}},
    {"tunables", Kind::kTunables, {}},
    {"help", Kind::kHelp, {}},
    {"quit", Kind::kQuit, {}},
}};

Words verb_names() {
  Words out;
  for (const Verb& verb : kVerbs) out.emplace_back(verb.name);
  return out;
}

ConsoleCommand parse_words(const HilBench& bench, const Words& words) {
  const auto verb = std::find_if(kVerbs.begin(), kVerbs.end(),
                                 [&words](const Verb& v) { return words[0] == v.name; });
  if (verb == kVerbs.end())
    throw UserError(
        fmt::format("there is no command '{}'{}", words[0], alternatives(words[0], verb_names())));
  ConsoleCommand out;
  out.kind = verb->kind;
  switch (verb->kind) {
    case Kind::kBench:
      if (verb->bench == HilCommandKind::kTune) {
        out.bench = {parse_set(bench, words)};
      } else if (verb->bench == HilCommandKind::kSource) {
        out.bench = parse_source(bench, words);
      } else {
        want(words, 0, 0, verb->name);
        out.bench = {{verb->bench, 0, 0.0}};
      }
      return out;
    case Kind::kSnapshot:
      want(words, 0, 1, "snapshot' or 'snapshot FILE.csv");
      if (words.size() > 1) out.file = words[1];
      return out;
    case Kind::kLog:
      return parse_log(words);
    case Kind::kShow:
      want(words, 1, 64, "show NAME...");
      out.signals = choose_signals(bench, {words.begin() + 1, words.end()});
      return out;
    default:
      want(words, 0, 0, verb->name);
      return out;
  }
}

}  // namespace

ConsoleCommand parse_command(const HilBench& bench, std::string_view text) {
  const Words words = split_words(text);
  if (words.empty()) throw UserError("there is no command; 'help' lists them");
  ConsoleCommand out = parse_words(bench, words);
  for (const std::string& word : words) out.text += (out.text.empty() ? "" : " ") + word;
  return out;
}

std::vector<TimedConsoleCommand> read_commands(const HilBench& bench,
                                               const std::filesystem::path& path) {
  return read_commands_text(
      bench, io::read_text_file(path, io::kConfigurationLimit, "file of commands"), path.string());
}

std::vector<TimedConsoleCommand> read_commands_text(const HilBench& bench, std::string_view text,
                                                    const std::string& file) {
  std::vector<TimedConsoleCommand> out;
  std::vector<io::Diagnostic> faults;
  for (const TimedLine& line : timed_lines(text, file, faults)) {
    try {
      out.push_back(
          {std::llround(line.seconds / bench.tick_s()), parse_command(bench, line.command)});
    } catch (const UserError& error) {
      faults.push_back({file, line.line, 0, error.what()});
    }
  }
  std::stable_sort(faults.begin(), faults.end(),
                   [](const auto& a, const auto& b) { return a.line < b.line; });
  if (!faults.empty()) throw io::FileError(std::move(faults));
  return out;
}

std::string_view command_help() {
  return "run                 from ready or holding\n"
         "hold                the emulated machine stands, the host holds its pose\n"
         "stop                emergency stop: spools neutral, brakes closed\n"
         "reset               from stopped to holding\n"
         "set NAME VALUE      tune; 'tunables' lists what\n"
         "source SIGNAL simulated|log|network   where a signal comes from; '*' takes any\n"
         "snapshot [FILE]     all signals of this instant, as CSV\n"
         "log on|off          of --log\n"
         "show NAME...        values of signals; '*' takes any\n"
         "signals, tunables   lists\n"
         "quit                out signals go to their safe values, and it ends\n";
}

std::vector<std::string> completions_of(const HilBench& bench, std::string_view line) {
  Words words = split_words(line);
  if (line.empty() || line.back() == ' ') words.emplace_back();
  if (words.empty()) words.emplace_back();
  Words candidates;
  if (words.size() == 1) {
    candidates = verb_names();
  } else if (words[0] == "set" && words.size() == 2) {
    candidates = tunable_names(bench);
  } else if (words[0] == "source" && words.size() == 2) {
    candidates = incoming_names(bench);
  } else if (words[0] == "source" && words.size() == 3) {
    candidates = {"simulated", "log", "network"};
  } else if (words[0] == "log" && words.size() == 2) {
    candidates = {"on", "off"};
  } else if (words[0] == "show") {
    for (const emulation::HilSignal& signal : bench.signals()) candidates.push_back(signal.name);
  }
  std::erase_if(candidates,
                [&words](const std::string& c) { return !c.starts_with(words.back()); });
  return candidates;
}

}  // namespace knuckleboom::app
