// Whatever the bytes of a URDF, reading a machine that names it gives a result or a FileError.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "knuckleboom/io/machine_file.hpp"

namespace io = knuckleboom::io;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view kMachine =
      "name = \"fuzz\"\nurdf = \"x.urdf\"\ngravity_m_per_s2 = 9.81\nsource = \"fuzz\"\n"
      "[tip]\nbody = \"b\"\nposition_m = [0, 0, 0]\n";
  try {
    io::read_machine_texts(kMachine, "fuzz/machine.toml", {{"fuzz/x.urdf", text}});
  } catch (const io::FileError&) {
    // Refusing is fine; anything else is a finding.
  }
  return 0;
}
