// Arrays of MATLAB and HDF5 files, in the process that reads foreign files.
#pragma once

#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "knuckleboom/io/number_table.hpp"
#include "knuckleboom/io/utf8.hpp"

namespace knuckleboom::io {

inline constexpr std::size_t kMostArrays = 20'000;                        // in one file
inline constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 27U;    // of all arrays: 1 GiB
inline constexpr std::uint64_t kMostTextBytes = std::uint64_t{1} << 27U;  // of all texts and names
inline constexpr int kDeepestArray = 12;                                  // structs within structs

// A fault of the file, told in a whole sentence.
class TableError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The arrays of a file, as long as they are no more than a table may have. Throws std::bad_alloc beyond that.
class ArraySink {
 public:
  explicit ArraySink(std::string kind) { out_.kind = std::move(kind); }
  // Before memory is asked for.
  void count(std::uint64_t numbers) {
    if (numbers > kMostNumbers - numbers_) throw std::bad_alloc();
    numbers_ += numbers;
  }
  void add(NumberArray array) {
    text_bytes_ += array.name.size();
    for (const std::string& text : array.texts) text_bytes_ += sizeof text + text.size();
    if (out_.arrays.size() >= kMostArrays || text_bytes_ > kMostTextBytes) throw std::bad_alloc();
    out_.arrays.push_back(std::move(array));
  }
  // A list of single texts that came since is one array of texts.
  void gather_texts(const std::string& name, std::size_t from) {
    const std::size_t n = out_.arrays.size() - from;
    NumberArray all;
    all.name = name;
    all.shape = {n};
    for (std::size_t i = from; i < out_.arrays.size(); ++i) {
      if (out_.arrays[i].texts.size() != 1) return;
      all.texts.push_back(out_.arrays[i].texts.front());
    }
    if (n < 2) return;
    out_.arrays.resize(from);
    out_.arrays.push_back(std::move(all));
  }
  template <typename... Args>
  void note(fmt::format_string<Args...> text, Args&&... args) {
    if (out_.notes.size() < 20)
      out_.notes.push_back(fmt::format(text, std::forward<Args>(args)...));
  }
  std::size_t size() const { return out_.arrays.size(); }
  NumberArrays take() { return std::move(out_); }

 private:
  NumberArrays out_;
  std::uint64_t numbers_ = 0, text_bytes_ = 0;
};

// Every array of numbers and texts of the file, as it is. Throws Hdf5Error, TableError or std::bad_alloc.
NumberArrays unfold_hdf5(std::span<char> image);
NumberArrays unfold_matlab(std::span<char> image);  // versions 5 to 7.2; later ones are HDF5

// MATLAB's texts are UTF-16.
inline void append_character(std::uint32_t code, std::string& text) {
  append_utf8((code >= 0xD800 && code < 0xE000) || code > 0xFFFF ? U'?' : char32_t{code}, text);
}

inline bool is_hdf5(std::span<const char> begin) {
  for (std::size_t at = 0; at + 8 <= begin.size(); at = at == 0 ? 512 : 2 * at)
    if (std::memcmp(begin.data() + at, "\x89HDF\r\n\x1A\n", 8) == 0) return true;
  return false;
}

// Version 1 and the order of bytes stand behind a text of 124 bytes, which anybody may choose.
inline bool is_matlab(std::span<const char> begin) {
  if (begin.size() < 128) return false;
  const std::string_view mark(begin.data() + 124, 4);
  return mark == std::string_view("\0\1IM", 4) || mark == std::string_view("\1\0MI", 4);
}

}  // namespace knuckleboom::io
