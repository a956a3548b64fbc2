// Whatever the bytes, reading a trace and comparing it gives a result or a FileError.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "knuckleboom/io/trace.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Two traces in one input, so that comparing sees two different ones.
  const std::size_t cut = text.find("\n\n");
  const std::string_view first = text.substr(0, cut);
  const std::string_view second = cut == std::string_view::npos ? first : text.substr(cut);
  try {
    const auto a = knuckleboom::io::read_trace_text(first, "fuzz/a.csv");
    const auto b = knuckleboom::io::read_trace_text(second, "fuzz/b.csv");
    knuckleboom::io::compare(a, b);
  } catch (const knuckleboom::io::FileError&) {
    // Refusing is fine; anything else is a finding.
  }
  return 0;
}
