#include "app/shell/wire_key.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"

namespace knuckleboom::app {

endpoint::WireKey wire_key(const KeyChoice& choice) {
  if (choice.none) {
    complain(
        "the connection has no key: whoever reaches this address may pretend to be the other side");
    return {};
  }
  const std::filesystem::path file =
      choice.file.empty() ? user_key_file() : std::filesystem::path(choice.file);
  if (file.empty())
    throw UserError("neither XDG_CONFIG_HOME nor HOME is set; name the key file with --key");
  try {
    return endpoint::read_key(file);
  } catch (const endpoint::EndpointError& error) {
    throw UserError(fmt::format("{}; --without-key connects without one", error.what()));
  }
}

}  // namespace knuckleboom::app
