#include "knuckleboom/io/file_kind.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "knuckleboom/io/user_error.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::string beginning_of(const std::string& path) {
  constexpr std::size_t kEnough = std::size_t{1} << 20;
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {};
  std::ifstream stream(path, std::ios::binary);
  std::string text(kEnough, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

void refuse_other_kind(const std::string& path, FileKind wanted) {
  const std::string text = beginning_of(path);
  const FileKind kind = kind_of(text, path);
  if (keys_found(text, kind) <= keys_found(text, wanted)) return;
  throw UserError(fmt::format("{}: this is {} file, not {}", path, file_kind(kind).called,
                              file_kind(wanted).called));
}

}  // namespace knuckleboom::io
