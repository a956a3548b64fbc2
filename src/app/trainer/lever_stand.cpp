#include "app/trainer/lever_stand.hpp"

#include <fmt/format.h>

#include "app/shell/exit_status.hpp"

namespace knuckleboom::app {

std::unique_ptr<input::RemoteLevers> open_lever_stand(const std::string& address,
                                                      const endpoint::WireKey& key) {
  try {
    return std::make_unique<input::RemoteLevers>(address, key);
  } catch (const endpoint::EndpointError& error) {
    throw UserError(fmt::format("--levers-from: {}", error.what()));
  }
}

}  // namespace knuckleboom::app
