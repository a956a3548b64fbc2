// Commands of the workbench, clicked, typed or from a file. docs/reference/command_line.md
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/workbench/workbench.hpp"

namespace knuckleboom::app {

enum class BenchVerb {
  kDrive,     // JOINT none | JOINT KIND VALUE
  kSet,       // KEY=VALUE
  kPlace,     // JOINT VALUE
  kAttach,    // NAME BODY MASS_KG [X Y Z]
  kDetach,    // NAME
  kRemove,    // BODY
  kAssemble,  // BODY
  kRun,
  kPause,
  kStep,    // [TICKS]
  kRewind,  // [SECONDS]
  kShow,    // CHANNEL
  kHide,    // CHANNEL
  kSave,    // FILE
  kHelp,
  kQuit,
};

struct BenchCommand {
  BenchVerb verb = BenchVerb::kHelp;
  std::vector<std::string> words;       // after the verb
  std::vector<double> numbers;          // those of its words that must be numbers
  DemandKind kind = DemandKind::kNone;  // of kDrive
  std::string text;
};

// Throws UserError with a message that suggests similar words.
BenchCommand parse_bench_command(std::string_view text);
// Those that act on the machine alone. Throws UserError or io::FileError; then nothing has changed.
void do_deed(Workbench& bench, const BenchCommand& command);
bool is_deed(BenchVerb verb);

struct TimedBenchCommand {
  double seconds = 0.0;
  BenchCommand command;
};
// Lines "SECONDS command". Throws io::FileError with all that is wrong.
std::vector<TimedBenchCommand> read_bench_script(const std::filesystem::path& path);
std::vector<TimedBenchCommand> read_bench_script_text(std::string_view text,
                                                      const std::string& file);

std::string_view bench_command_help();

}  // namespace knuckleboom::app
