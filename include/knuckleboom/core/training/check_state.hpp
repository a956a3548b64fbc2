// Whether the stored state of a session can be believed before anything is computed from it.
#pragma once

#include <string>

#include "knuckleboom/core/training/session.hpp"

namespace knuckleboom::training {

// First invalid value of a state of this session, as from sim::check_state; empty if it is valid.
std::string check_state(const Session& session, const SessionState& state);

}  // namespace knuckleboom::training
