// An exercise done by the program, through the levers.
#pragma once

#include <vector>

#include "app/session/load_session.hpp"
#include "knuckleboom/core/training/input_event.hpp"

namespace knuckleboom::app {

// The input of a whole attempt, up to its end or `longest_s`, plus `rest_s` at rest. Empty if the
// program was interrupted meanwhile. Throws std::invalid_argument with a message if the levers are
// insufficient.
std::vector<training::InputEvent> demonstration(const LoadedSession& loaded, double longest_s,
                                                double rest_s);

// With boom-tip control, unless another mode was chosen.
SessionChoice demonstrable(SessionChoice choice);

}  // namespace knuckleboom::app
