// Whatever the bytes, reading a machine file gives a result or a FileError. Lines that start with
// "#!" are taken as overrides as well.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/io/machine_file.hpp"

namespace io = knuckleboom::io;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    std::vector<io::Override> overrides;
    for (std::size_t at = text.find("#!"); at != std::string_view::npos && overrides.size() < 8;
         at = text.find("#!", at + 2)) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      overrides.push_back(io::parse_override(std::string(text.substr(at + 2, end - at - 2))));
    }
    io::read_machine_text(text, "fuzz/machine.toml", overrides);
  } catch (const io::FileError&) {
    // Refusing is fine; anything else is a finding.
  }
  return 0;
}
