// Whether the stored state of a session can be believed before anything is computed from it.
#pragma once

#include <string>

#include "knuckleboom/core/training/session.hpp"

namespace knuckleboom::training {

// What cannot be a state of this session, as sim::check_state says it; empty: nothing.
std::string check_state(const Session& session, const SessionState& state);

}  // namespace knuckleboom::training
