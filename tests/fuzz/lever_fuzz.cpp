// Whatever the bytes, reading a lever file gives a result or a FileError.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "knuckleboom/io/lever_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto file = knuckleboom::io::read_levers_text(text, "fuzz/lever.toml");
    for (const auto& function : file.pattern.functions)
      for (const double axis : {-1.0, 0.3, 1.0}) {
        const double value = knuckleboom::command::shape(axis, function.shape);
        // A lever never asks for more than everything.
        if (!(std::fabs(value) <= 1.0)) std::abort();
        knuckleboom::command::ramp(value, 1e-3, function.ramp, -0.5);
      }
  } catch (const knuckleboom::io::FileError&) {
    // Refusing is fine; anything else is a finding.
  }
  return 0;
}
