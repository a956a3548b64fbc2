// Plain numbers and texts in a string of bytes, in the byte order of the machine.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace knuckleboom::io {

template <class T>
void put(std::string& out, const T& value) {
  static_assert(std::is_arithmetic_v<T>);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
inline void put_text(std::string& out, std::string_view text) {
  put(out, static_cast<std::uint64_t>(text.size()));
  out.append(text);
}

// Takes from the front. Beyond the end it returns zero or empty, and good() is false from then on.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  T take() {
    static_assert(std::is_arithmetic_v<T>);
    T value{};
    const std::string_view bytes = take_bytes(sizeof value);
    if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string_view take_bytes(std::uint64_t size) {
    if (size > rest_.size()) {
      fail();
      return {};
    }
    const std::string_view bytes = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(bytes.size());
    return bytes;
  }
  std::string take_text() { return std::string(take_bytes(take<std::uint64_t>())); }

  void fail() {
    good_ = false;
    rest_ = {};
  }
  bool good() const { return good_; }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace knuckleboom::io
