#include "app/shell/wire_key.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/log.hpp"

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
    const endpoint::WireKey key = endpoint::read_key(file, revoked_keys_file());
    log(LogLevel::kInfo, "connections use the key " + endpoint::fingerprint(key));
    return key;
  } catch (const endpoint::EndpointError& error) {
    throw UserError(fmt::format("{}; --without-key connects without one", error.what()));
  }
}

endpoint::WireKey wire_key(const KeyChoice& choice, const io::SignalFile& signals) {
  if (signals.udp.empty() && signals.can.empty()) return {};
  if (!signals.can.empty() && !signals.can_guard && !choice.none)
    throw UserError(fmt::format(
        "whoever may write to {} could pretend to be the other side: add can_guard = ID to the "
        "signal file, on both sides; --without-key connects as it is",
        signals.can));
  return wire_key(choice);
}

}  // namespace knuckleboom::app
