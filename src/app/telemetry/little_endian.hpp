// Numbers as MCAP, Foxglove's protocol and CDR have them: the lowest byte first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace knuckleboom::app {

template <class T>
void add_number(T value, std::string& out) {
  for (std::size_t byte = 0; byte < sizeof(T); ++byte)
    out += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * byte) & 0xFF);
}

}  // namespace knuckleboom::app
