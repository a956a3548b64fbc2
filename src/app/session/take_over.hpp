// Data for continuing live from an instant of a replay.
#pragma once

#include <string>

#include "app/session/load_session.hpp"
#include "knuckleboom/core/command/operator_input.hpp"
#include "knuckleboom/core/training/session.hpp"

namespace knuckleboom::app {

// A session that continues from an instant of another one.
struct SessionBranch {
  training::SessionState state;
  command::OperatorInput levers;  // their positions then
  std::string parent_id;
};

struct TakeOver {
  LoadedSession loaded;
  SessionBranch branch;
};

}  // namespace knuckleboom::app
