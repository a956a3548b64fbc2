// Input files: the operator's input, tick by tick. docs/reference/input_file.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/training/input_event.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/content_hash.hpp"
#include "knuckleboom/io/diagnostic.hpp"

namespace knuckleboom::io {

inline constexpr int kInputFormat = 1;

// Content of the '#' lines on the session; empty: not given.
struct InputHeader {
  std::string program;  // name, version, revision
  std::string exercise, machine, levers;
  ContentHash exercise_hash, machine_hash, levers_hash;
  double rate_Hz = 0.0;                     // ticks per second
  std::optional<std::uint64_t> fault_seed;  // seed set by the instructor, if not the exercise's own
  std::vector<std::string> remarks;
};

struct InputFile {
  InputHeader header;  // rate_Hz is that of the events
  std::vector<training::InputEvent> events;
};

// rate_Hz: for times in seconds where the file does not say how many ticks one has. Throws FileError with
// everything that is wrong.
InputFile read_input(const std::filesystem::path& path, double rate_Hz = 1000.0);
InputFile read_input_text(std::string_view text, const std::string& file_name,
                          double rate_Hz = 1000.0);

// As input files call a command: "control_mode:valve"; empty for one they do not know.
std::string word_of(const training::Command& command);

// Writes events as they arrive; the file appears under its name at close() and overwrites nothing: see
// AtomicFile::close_new(). Reading it back gives the same events, bit by bit. Throws FileError.
class InputWriter {
 public:
  InputWriter(const std::filesystem::path& path, const InputHeader& header);
  void write(std::span<const training::InputEvent> events);
  void flush() { file_.flush(); }  // see AtomicFile
  std::filesystem::path close();   // returns the name it got

 private:
  void write_axes(const command::OperatorInput& input);

  AtomicFile file_;
  command::OperatorInput last_{};
  bool first_ = true;
  std::string line_;
};

}  // namespace knuckleboom::io
