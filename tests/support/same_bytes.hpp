// Bit for bit comparison of plain values.
#pragma once

#include <cstring>
#include <type_traits>

namespace knuckleboom::test {

// Stricter than comparing members: 0 and -0 differ, and so would padding.
template <class T>
bool same_bytes(const T& a, const T& b) {
  static_assert(std::is_trivially_copyable_v<T>);
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the bits are what is asked for.
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

}  // namespace knuckleboom::test
