#include "text_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "knuckleboom/io/diagnostic.hpp"

namespace knuckleboom::io {
namespace {

std::string with_article(std::string_view what) {
  const bool vowel =
      !what.empty() && std::string_view("aeiou").find(what.front()) != std::string_view::npos;
  return fmt::format("{} {}", vowel ? "an" : "a", what);
}

std::string size_message(std::size_t limit, std::string_view what) {
  return fmt::format("the file is larger than {} MiB; {} is far smaller, so this is another file",
                     limit >> 20, with_article(what));
}

}  // namespace

void check_text(std::string_view text, const std::string& file, std::size_t limit,
                std::string_view what) {
  if (text.size() > limit) throw FileError(file, size_message(limit, what));
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw FileError(file, fmt::format("the file is empty; expected {}", with_article(what)));
  check_no_nul(text, 1, file, what);
}

void check_no_nul(std::string_view text, std::size_t first_line, const std::string& file,
                  std::string_view what) {
  const std::size_t nul = text.find('\0');
  if (nul == std::string_view::npos) return;
  const auto line =
      first_line + static_cast<std::size_t>(std::count(
                       text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n'));
  throw FileError(file, fmt::format("this is a binary file (NUL byte in line {}); expected {}",
                                    line, with_article(what)));
}

void read_pieces(const std::filesystem::path& path, std::size_t bytes, std::size_t limit,
                 std::string_view what, const std::function<bool(std::string_view piece)>& take) {
  const std::string file = path.string();
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found)
    throw FileError(file, fmt::format("there is no such file; expected {}", with_article(what)));
  if (error) throw FileError(file, fmt::format("cannot be read: {}", error.message()));
  if (std::filesystem::is_directory(status))
    throw FileError(file, fmt::format("this is a directory; expected {}", with_article(what)));
  // A pipe or device could block or never end.
  if (!std::filesystem::is_regular_file(status))
    throw FileError(file,
                    fmt::format("this is not a regular file; expected {}", with_article(what)));

  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"),
                                                               &std::fclose);
  if (!stream)
    throw FileError(file,
                    fmt::format("cannot be read: {}", std::generic_category().message(errno)));
  std::string buffer(bytes, '\0');
  std::size_t total = 0;
  for (;;) {
    const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), stream.get());
    total += n;
    if (total > limit) throw FileError(file, size_message(limit, what));
    if (n > 0 && !take(std::string_view(buffer).substr(0, n))) return;
    if (n < buffer.size()) break;
  }
  if (std::ferror(stream.get()) != 0)
    throw FileError(file,
                    fmt::format("cannot be read: {}", std::generic_category().message(errno)));
}

std::string read_text_file(const std::filesystem::path& path, std::size_t limit,
                           std::string_view what) {
  constexpr std::size_t kAtATime = 65536;
  std::string text;
  read_pieces(path, kAtATime, limit, what, [&](std::string_view piece) {
    text += piece;
    return true;
  });
  check_text(text, path.string(), limit, what);
  return text;
}

bool sets_key(std::string_view line, std::string_view key) {
  if (key.empty() || !line.starts_with(key)) return false;
  const std::size_t next = line.find_first_not_of(" \t", key.size());
  return next != std::string_view::npos && line[next] == '=';
}

}  // namespace knuckleboom::io
