#include "app/command_line/parse.hpp"

#include <algorithm>
#include <csignal>
#include <exception>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/command_line/complete.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/log.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/override.hpp"
#include "knuckleboom/io/words.hpp"

namespace knuckleboom::app {
namespace {

// CLI::Range lets pass what is no number.
CLI::Validator within(const Range& range) {
  const auto fault = [range](const std::string& text) {
    double value = 0.0;
    const bool inside =
        CLI::detail::lexical_cast(text, value) && value >= range.low && value <= range.high;
    return inside ? std::string()
                  : fmt::format("'{}' is no number from {} to {}", text, range.low, range.high);
  };
  return {fault, ""};
}

struct Adder {
  CLI::App& app;
  const Argument& argument;

  CLI::Option* operator()(bool* value) const {
    return app.add_flag(argument.name, *value, explanation(argument));
  }
  CLI::Option* operator()(Off off) const {
    return app.add_flag("!" + argument.name, *off.value, explanation(argument));
  }
  CLI::Option* operator()(Unset unset) const {
    const auto add = [unset](const std::vector<std::string>& keys) {
      for (const std::string& key : keys) unset.assignments->push_back(io::unset_assignment(key));
    };
    CLI::Option* option = app.add_option_function<std::vector<std::string>>(argument.name, add,
                                                                            explanation(argument));
    return option->type_name(placeholder(argument))->allow_extra_args(false);
  }
  template <typename T>
  CLI::Option* operator()(T* value) const {
    CLI::Option* option = app.add_option(argument.name, *value, explanation(argument));
    option->type_name(placeholder(argument));
    if (is_repeatable(argument) && !is_positional(argument) && !argument.comma)
      option->allow_extra_args(false);
    if (argument.comma) option->delimiter(',');
    return option;
  }
};

void declare(CLI::App& app, const Command& command) {
  for (const Argument& argument : command.arguments) {
    CLI::Option* option = std::visit(Adder{app, argument}, argument.target);
    if (argument.required) option->required();
    if (argument.range) option->check(within(*argument.range));
    if (argument.kind.closed) option->check(CLI::IsMember(argument.kind.words()));
    if (!argument.group.empty()) option->group(argument.group);
  }
  for (const Argument& argument : command.arguments) {
    CLI::Option* option = app.get_option(long_name(argument));
    for (const std::string& other : argument.needs) option->needs(app.get_option(other));
    for (const std::string& other : argument.excludes) option->excludes(app.get_option(other));
  }
  std::string footer = "\nExamples:\n";
  for (const std::string& example : command.examples) footer += "  " + example + "\n";
  if (!command.examples.empty()) app.footer(footer);
  for (const Command& one : command.commands)
    declare(*app.add_subcommand(one.name, one.sentence), one);
}

std::vector<std::string> names_of(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.name);
  return names;
}

// The parser's complaints in our words.
std::string parse_complaint(const Command& program, const CLI::App& app,
                            const CLI::ParseError& error, std::span<char*> arguments) {
  const std::vector<std::string> names = names_of(program.commands);
  const auto chosen = app.get_subcommands();
  if (chosen.empty() && !names.empty()) {
    if (arguments.size() > 1 && arguments[1][0] != '-')
      return fmt::format("there is no sub-command '{}'{}", arguments[1],
                         io::alternatives(arguments[1], names));
    if (arguments.size() == 1)
      return fmt::format("say what to do: {}; {} --help tells more", io::listing(names),
                         program.name);
  }
  const Command* command = &program;
  std::string words = program.name;
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    words += " " + at->get_name();
    for (const Command& one : command->commands)
      if (one.name == at->get_name()) {
        command = &one;
        break;
      }
    const std::vector<std::string> extras = at->remaining();
    if (!command->commands.empty() && !extras.empty() && !extras.front().starts_with("-"))
      return fmt::format("there is no '{} {}'{}", words, extras.front(),
                         io::alternatives(extras.front(), names_of(command->commands)));
  }
  std::string what = error.what();
  constexpr std::string_view kConversion = "Could not convert: ";
  if (what.starts_with(kConversion))
    what = fmt::format("{}: this is no number", what.substr(kConversion.size()));
  std::replace(what.begin(), what.end(), '\n', ' ');
  return fmt::format("{}; '{} --help' shows what there is", what, words);
}

// Names an option that was given an empty value; empty if there is none.
std::string empty_value(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    const std::vector<std::string>& values = option->results();
    if (option->get_expected_max() == 0 ||
        std::none_of(values.begin(), values.end(), [](const auto& v) { return v.empty(); }))
      continue;
    const std::string type = option->get_type_name();
    const char* wanted =
        type.find("FILE") != std::string::npos || type.find(".csv") != std::string::npos
            ? "a file name"
        : type == "DIR" ? "the name of a folder"
                        : "a value";
    return fmt::format("{} needs {}", option->get_name(), wanted);
  }
  for (const CLI::App* command : app.get_subcommands())
    if (std::string sentence = empty_value(*command); !sentence.empty()) return sentence;
  return {};
}

const Command& chosen_command(const Command& command, const CLI::App& app) {
  for (const Command& one : command.commands)
    if (app.got_subcommand(one.name)) return chosen_command(one, *app.get_subcommand(one.name));
  return command;
}

std::string command_words(const std::string& program, const CLI::App& app) {
  std::string out = program;
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    out += ' ' + at->get_name();
  }
  return out;
}

// Output that could not be written must not pass for success (a full disk, a closed pipe).
int finish(int status) {
  if (all_was_said() || status != kSuccess) return status;
  // Who has read enough wants no complaint.
  if (!reader_went_away()) complain("the output could not be written in full");
  return kInternalError;
}

void write_tables(const Tables& tables, std::span<char*> files) {
  for (const char* file : files) {
    std::ifstream stream(file, std::ios::binary);
    const std::string before{std::istreambuf_iterator<char>(stream),
                             std::istreambuf_iterator<char>()};
    if (!stream) throw UserError(fmt::format("{} cannot be read", file));
    std::vector<std::string> written;
    const std::string after = with_tables(before, tables, written);
    for (const std::string& name : written) say(fmt::format("{}: {}\n", file, name));
    if (after != before) io::write_file(file, after);
  }
}

int run(const Action& action) {
  try {
    return action();
  } catch (const UserError& error) {
    complain(error.what());
  } catch (const io::FileError& error) {
    complain(error.what());
  } catch (const std::invalid_argument& error) {  // machine and scenario do not go together
    complain(error.what());
  } catch (const std::exception& error) {
    if (interrupted()) {
      complain("stopped; outputs that were not finished are not there");
      return kInterruptedRun;
    }
    const bool known = dynamic_cast<const RunFailure*>(&error) != nullptr;
    complain(known ? error.what() : fmt::format("internal error: {}", error.what()));
    return kInternalError;
  }
  return kUserMistake;
}

}  // namespace

int run_command_line(const Command& program, const std::string& version, int argc, char** argv,
                     const Tables& more) {
  // A reader that goes away (| head) and a file that grows too large are ordinary failed writes, not a
  // silent death.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  guard_standard_streams();

  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  const std::string_view first = arguments.size() > 1 ? arguments[1] : "";
  const std::span<char*> rest = arguments.subspan(std::min<std::size_t>(arguments.size(), 2));
  if (first == "complete-words") {
    say(complete_words(program, {rest.begin(), rest.end()}));
    return finish(kSuccess);
  }
  if (first == "man-page") {
    say(man_page(program, version));
    return finish(kSuccess);
  }
  if (first == "write-tables") {
    Tables tables = tables_of(program);
    tables.insert(more.begin(), more.end());
    return finish(run([&] {
      write_tables(tables, rest);
      return kSuccess;
    }));
  }

  CLI::App app(program.sentence, program.name);
  app.set_version_flag("--version", version);
  app.set_help_flag("-h,--help", "Show this text");
  app.get_formatter()->column_width(32);
  declare(app, program);
  std::string log_level;
  app.add_option("--log-level", log_level,
                 "Least that goes into the log: debug, info, warning, error or off; without it "
                 "$KNUCKLEBOOM_LOG, or info")
      ->check(CLI::IsMember(log_levels()));
  if (!program.commands.empty()) {
    app.require_subcommand(1);
    app.footer(app.get_footer() + "\nEach sub-command has its own --help.\n");
  }
  for (CLI::App* command : app.get_subcommands({}))
    if (!command->get_subcommands({}).empty()) command->require_subcommand(0, 1);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    std::ostringstream text;
    app.exit(wanted, text, text);
    say(text.str());
    return finish(kSuccess);
  } catch (const CLI::ParseError& error) {
    complain(parse_complaint(program, app, error, arguments));
    return kUserMistake;
  }
  if (const std::string sentence = empty_value(app); !sentence.empty()) {
    complain(sentence);
    return kUserMistake;
  }
  open_log(command_words(program.name, app), version, log_level);
  return finish(run(chosen_command(program, app).run));
}

}  // namespace knuckleboom::app
