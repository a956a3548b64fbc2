// A log map and a table, split at the first line of '=': whatever they are, they are read or refused with
// sentences.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/log_file.hpp"

using namespace knuckleboom;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t border = text.find("\n=\n");
  const std::vector<io::KnownColumn> known = {
      {"boom_rad", "rad"}, {"boom_port_a_Pa", "Pa"}, {"tip_x_m", "m"}, {"held", ""}};
  try {
    const io::LogMap map = io::read_log_map_text(text.substr(0, border), "map.toml");
    if (border != std::string_view::npos)
      io::read_log_text(text.substr(border + 3), "log.csv", map, known);
  } catch (const io::FileError& error) {
    if (error.diagnostics().empty()) __builtin_trap();
  }
  return 0;
}
