// Signal files: which signals of a machine come from or go to something outside, and by what rules.
// docs/reference/endpoints.md
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/exchange/exchange.hpp"
#include "knuckleboom/io/diagnostic.hpp"

namespace knuckleboom::io {

// Where a signal stands in CAN's frames: value = scale raw + offset, raw being a little-endian integer.
struct CanPlace {
  std::uint32_t id = 0;  // 11 bits
  int start_byte = 0;
  bool wide = false;  // 32 bits, else 16
  double scale = 1.0, offset = 0.0;
};

// How the peer that plays the hardware answers with a signal to the machine.
struct PlantRule {
  std::string follows;  // a signal from the machine; empty: none, the signal rests at its offset
  double gain = 1.0, offset = 0.0;
  double lag_s = 0.1;  // first order; 0: none
};

struct OutsideSignal {
  exchange::SignalRule rule;
  PlantRule plant;
  std::optional<CanPlace> can;
  std::string column;  // of a log; empty: the signal's name
  int line = 0;        // of its name in the file
};

struct SignalFile {
  std::string udp;  // "udp:127.0.0.1:47001"; empty: none
  double late_s = 0.05;
  std::string can;  // interface; empty: none
  std::optional<std::uint32_t>
      can_guard;                  // id of the machine's guard frames; the peer's is the next
  std::vector<OutsideSignal> in;  // to the machine, in the packet's order
  std::vector<OutsideSignal>
      out;  // from the machine; of their rules names, ranges and safe states count
};

// Throws FileError with all that is wrong in the file.
SignalFile read_signals(const std::filesystem::path& path);
// unknown: not null: keys that are not known are left out and listed there; they are errors otherwise.
SignalFile read_signals_text(std::string_view text, const std::string& file_name,
                             std::vector<Diagnostic>* unknown = nullptr);

}  // namespace knuckleboom::io
