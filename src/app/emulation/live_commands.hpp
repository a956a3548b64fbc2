// What may be typed while an emulation runs, or stand in a file of commands. docs/reference/command_line.md
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/emulation/hardware_loop.hpp"

namespace knuckleboom::app {

struct ConsoleCommand {
  enum class Kind { kLoop, kSnapshot, kLog, kShow, kSignals, kTunables, kHelp, kQuit };
  Kind kind = Kind::kHelp;
  std::vector<emulation::LoopCommand> loop;  // in this order
  bool on = false;                           // of kLog
  std::string file;                          // of kSnapshot; empty: under a name of its own
  std::vector<int> signals;                  // of kShow
  std::string text;                          // as it was typed
};

// Throws UserError with one sentence, naming what is near.
ConsoleCommand parse_command(const emulation::HardwareLoop& loop, std::string_view text);

// A file of lines "SECONDS command", '#' begins a remark; times do not go back. A time means the nearest
// tick. Throws FileError with all that is wrong.
struct TimedConsoleCommand {
  std::int64_t tick = 0;
  ConsoleCommand command;
};
std::vector<TimedConsoleCommand> read_commands(const emulation::HardwareLoop& loop,
                                               const std::filesystem::path& path);
std::vector<TimedConsoleCommand> read_commands_text(const emulation::HardwareLoop& loop,
                                                    std::string_view text, const std::string& file);

// The language in a few lines.
std::string_view command_help();

// Of what may come where the last word of a line stands: for completion.
std::vector<std::string> completions_of(const emulation::HardwareLoop& loop, std::string_view line);

}  // namespace knuckleboom::app
