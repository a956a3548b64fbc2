#include "fmu/resource_path.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "knuckleboom/io/user_error.hpp"

namespace knuckleboom::fmu {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::filesystem::path folder_of_uri(const char* uri) {
  if (uri == nullptr || *uri == '\0')
    throw UserError("the importer does not say where the FMU's resources are");
  std::string_view rest = uri;
  constexpr std::string_view kScheme = "file:";
  if (!rest.starts_with(kScheme)) {
    if (rest.find("://") != std::string_view::npos)
      throw UserError(fmt::format("the FMU's resources are wanted from {}, which is no file", uri));
    return rest;
  }
  rest.remove_prefix(kScheme.size());
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    rest.remove_prefix(std::min(rest.find('/'), rest.size()));  // a host: this one
  }
  std::string path;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '%' && i + 2 < rest.size() && digit(rest[i + 1]) >= 0 &&
        digit(rest[i + 2]) >= 0) {
      path += static_cast<char>(digit(rest[i + 1]) * 16 + digit(rest[i + 2]));
      i += 2;
    } else {
      path += rest[i];
    }
  }
  return path;
}

}  // namespace knuckleboom::fmu
