#include "knuckleboom/io/diagnostic.hpp"

#include <utility>

#include <fmt/format.h>

namespace knuckleboom::io {
namespace {

std::string join(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!text.empty()) text += '\n';
    text += to_string(diagnostic);
  }
  return text;
}

}  // namespace

std::string to_string(const Diagnostic& diagnostic) {
  if (diagnostic.line == 0) return fmt::format("{}: {}", diagnostic.file, diagnostic.message);
  if (diagnostic.column == 0)
    return fmt::format("{}:{}: {}", diagnostic.file, diagnostic.line, diagnostic.message);
  return fmt::format("{}:{}:{}: {}", diagnostic.file, diagnostic.line, diagnostic.column,
                     diagnostic.message);
}

FileError::FileError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(join(diagnostics)), diagnostics_(std::move(diagnostics)) {}

FileError::FileError(std::string file, std::string message)
    : FileError(std::vector<Diagnostic>{{std::move(file), 0, 0, std::move(message)}}) {}

}  // namespace knuckleboom::io
