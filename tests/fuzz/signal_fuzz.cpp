// Whatever the bytes, reading a signal file gives a result that bounds its signals, or a FileError.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "knuckleboom/io/signal_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace knuckleboom;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const io::SignalFile file = io::read_signals_text(text, "fuzz/signals.toml");
    std::vector<exchange::SignalRule> rules;
    for (const auto& signal : file.in) rules.push_back(signal.rule);
    const exchange::Exchange exchange(rules, 1e-3);  // takes what the reader lets through
  } catch (const io::FileError&) {
    // Refusing is fine; anything else is a finding.
  }
  return 0;
}
