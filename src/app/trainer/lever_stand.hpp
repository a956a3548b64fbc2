// Levers over the network for the trainer.
#pragma once

#include <memory>
#include <string>

#include "input/remote_levers.hpp"

namespace knuckleboom::app {

// Listens to the stand at an address as --levers-from has it. Throws UserError with one sentence.
std::unique_ptr<input::RemoteLevers> open_lever_stand(const std::string& address);

}  // namespace knuckleboom::app
