// Whatever the bytes, reading an input file gives a list of events that can be played, or a FileError.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "knuckleboom/io/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto file = knuckleboom::io::read_input_text(text, "fuzz/input.csv");
    if (!(file.header.rate_Hz > 0.0)) std::abort();
    std::int64_t last = 0;
    for (const auto& event : file.events) {
      if (event.tick < last) std::abort();
      last = event.tick;
      for (const double axis : event.input.axis)
        if (!(std::fabs(axis) <= 1.0)) std::abort();
    }
    knuckleboom::training::InputPlayback playback(file.events);
    std::size_t commands = 0;
    playback.advance(last, [&](const knuckleboom::training::Command&) { ++commands; });
    if (commands > file.events.size() || playback.end_tick() > last) std::abort();
  } catch (const knuckleboom::io::FileError&) {
    // Refusing is fine; anything else is a finding.
  }
  return 0;
}
