// Levers over the network for the trainer.
#pragma once

#include <memory>
#include <string>

#include "input/remote_levers.hpp"

namespace knuckleboom::app {

// Listens to the stand at an address in the form of --levers-from. Throws UserError with a message.
std::unique_ptr<input::RemoteLevers> open_lever_stand(const std::string& address,
                                                      const endpoint::WireKey& key);

}  // namespace knuckleboom::app
