// Commands of a running emulation, typed or from a file. docs/reference/command_line.md
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/emulation/hil_bench.hpp"

namespace knuckleboom::app {

struct ConsoleCommand {
  enum class Kind { kBench, kSnapshot, kLog, kShow, kSignals, kTunables, kHelp, kQuit };
  Kind kind = Kind::kHelp;
  std::vector<emulation::HilCommand> bench;  // in this order
  bool on = false;                           // of kLog
  std::string file;                          // of kSnapshot; empty: default name
  std::vector<int> signals;                  // of kShow
  std::string text;                          // as it was typed
};

// Throws UserError with a message that suggests similar names.
ConsoleCommand parse_command(const emulation::HilBench& bench, std::string_view text);

// A file of lines "SECONDS command", '#' begins a comment; times do not decrease. A time means the
// nearest tick. Throws FileError with all errors.
struct TimedConsoleCommand {
  std::int64_t tick = 0;
  ConsoleCommand command;
};
std::vector<TimedConsoleCommand> read_commands(const emulation::HilBench& bench,
                                               const std::filesystem::path& path);
std::vector<TimedConsoleCommand> read_commands_text(const emulation::HilBench& bench,
                                                    std::string_view text, const std::string& file);

// Summary of the commands.
std::string_view command_help();

// Completions of the last word of a line.
std::vector<std::string> completions_of(const emulation::HilBench& bench, std::string_view line);

}  // namespace knuckleboom::app
