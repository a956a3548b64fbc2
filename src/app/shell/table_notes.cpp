#include "app/shell/table_notes.hpp"

#include <fmt/format.h>

#include "app/shell/console.hpp"

namespace knuckleboom::app {

void tell_notes(const std::filesystem::path& table, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) complain(fmt::format("{}: {}", table.string(), note));
}

}  // namespace knuckleboom::app
