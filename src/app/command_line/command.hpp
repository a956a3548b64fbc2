// A sub-command as it is declared, once: from this follow parsing, --help, completion in shells, the
// man page and the tables of docs/reference/command_line.md.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace knuckleboom::app {

// A kind of value, and how a shell completes it.
struct ValueKind {
  enum class Path { kNone, kFile, kFolder };

  std::string placeholder;                        // "NAME|FILE"
  std::vector<std::string> (*words)() = nullptr;  // names to choose from; nullptr: none
  Path path = Path::kNone;                        // what else it may be
  std::string suffix = {};                        // of such files, with its dot; empty: any
  bool told = false;                              // help lists the words
  bool closed = false;                            // nothing but the words is accepted
};

// A flag that switches something off.
struct Off {
  bool* value;
};

// Keys to be taken out of a file, which go among the assignments to its keys.
struct Unset {
  std::vector<std::string>* assignments;
};

// Where a value goes. A bool is a flag; a vector may be given several times.
using Target = std::variant<bool*, Off, Unset, std::string*, std::vector<std::string>*, double*,
                            std::optional<double>*, std::vector<double>*, int*, std::optional<int>*,
                            std::int64_t*, std::uint64_t*>;

struct Range {
  double low, high;
};

// An option ("--plot" or "-o,--output"), or an argument that is known by its place ("scenario").
struct Argument {
  std::string name;
  Target target;
  ValueKind kind = {};  // of a flag: none
  std::string sentence;
  std::string without = {};  // what holds if it is not given; empty: goes without saying
  bool required = false;
  std::optional<Range> range = {};
  std::string group = {};                              // heading in the help; empty: Options
  std::vector<std::string> needs = {}, excludes = {};  // other options
  bool comma = false;                                  // several values in one word, with commas
};

// Action of a command; every command has one.
class Action {
 public:
  template <std::invocable F>
  Action(F run) : run_(std::move(run)) {}
  int operator()() const { return run_(); }  // an ExitStatus

 private:
  std::function<int()> run_;
};

struct Command {
  std::string name;
  std::string sentence;
  std::vector<Argument> arguments;
  std::vector<std::string> examples;
  Action run;
  std::vector<Command> commands = {};  // sub-commands
};

bool is_positional(const Argument& argument);
bool is_flag(const Argument& argument);
bool is_repeatable(const Argument& argument);
// "--output" of "-o,--output".
std::string long_name(const Argument& argument);
// "FILE", of a positional that takes several "FILE...".
std::string placeholder(const Argument& argument);
// The sentence, its choices, what holds without it and whether it may be repeated.
std::string explanation(const Argument& argument);
// "run SCENARIO [options]".
std::string usage(const Command& command);

}  // namespace knuckleboom::app
