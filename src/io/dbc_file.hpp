// A DBC file: which signals lie where in the messages of a CAN bus. docs/reference/log_map.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace knuckleboom::io {

// Spans of numbers, both ends included.
using CanSpans = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

struct CanSignal {
  enum class Kind { kUnsigned, kSigned, kFloat, kDouble };
  std::string name, unit;
  int start = 0, length = 0;  // bits; start as the file counts: of Motorola's order the highest one
  bool motorola = false;
  Kind kind = Kind::kUnsigned;
  double scale = 1.0, offset = 0.0;
  double least = -std::numeric_limits<double>::infinity(),
         most = std::numeric_limits<double>::infinity();  // as told; equal ones tell nothing
  bool states = false;   // its values have names: nothing lies between two of them
  int multiplexer = -1;  // signal of the message that says whether it is there; -1: always
  CanSpans when;         // that one's values
};

struct CanMessage {
  std::string name;
  std::uint32_t id = 0;
  bool extended = false;
  bool j1939 =
      false;  // told by its parameter group; priority, source and destination are anybody's
  int bytes = 0;
  std::vector<CanSignal> signals;
};

struct CanDescription {
  std::vector<CanMessage> messages;
  std::vector<std::string> notes;  // what was left out, a sentence each
};

// Throws FileError: no file, or no DBC.
CanDescription read_dbc(const std::filesystem::path& path);
CanDescription read_dbc_text(std::string_view text, const std::string& file);

// The parameter group of an extended identifier.
std::uint32_t j1939_group(std::uint32_t id);

// The bits of a signal; nothing: the data end before it does.
std::optional<std::uint64_t> raw_bits(const CanSignal& signal, std::span<const std::uint8_t> data);
// Whether these data have a signal of the message, as its multiplexers say.
bool is_there(const CanMessage& message, const CanSignal& signal,
              std::span<const std::uint8_t> data);
double physical(const CanSignal& signal, std::uint64_t bits);

}  // namespace knuckleboom::io
