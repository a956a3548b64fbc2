// Helpers of the tests of files.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/io/diagnostic.hpp"
#include "support/paths.hpp"
#include "support/temporary_folder.hpp"

namespace knuckleboom::test {

inline std::filesystem::path config(const std::string& name) {
  return std::filesystem::path(KNUCKLEBOOM_SOURCE_DIR) / "config" / name;
}

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// The text with the first occurrence of `from` replaced; empty if there is none, so that a test
// whose text has moved on fails loudly.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) return {};
  return text.replace(at, from.size(), to);
}

// Line of the first occurrence of `marker`, from 1.
inline int line_of(std::string_view text, std::string_view marker) {
  const std::size_t at = text.find(marker);
  if (at == std::string_view::npos) return -1;
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

// Diagnostics of a call; empty if none.
inline std::vector<io::Diagnostic> faults(const std::function<void()>& call) {
  try {
    call();
  } catch (const io::FileError& error) {
    return error.diagnostics();
  }
  return {};
}

inline std::string joined(const std::vector<io::Diagnostic>& diagnostics) {
  std::string text;
  for (const io::Diagnostic& diagnostic : diagnostics) text += io::to_string(diagnostic) + "\n";
  return text;
}

}  // namespace knuckleboom::test
