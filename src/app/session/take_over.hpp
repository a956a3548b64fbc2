// What somebody needs who goes on live from an instant of a replay.
#pragma once

#include <string>

#include "app/session/load_session.hpp"
#include "knuckleboom/core/command/operator_input.hpp"
#include "knuckleboom/core/training/session.hpp"

namespace knuckleboom::app {

// A session that goes on from an instant of another one.
struct SessionBranch {
  training::SessionState state;
  command::OperatorInput levers;  // where they were then
  std::string parent_id;
  std::string learner, learner_id;
};

struct TakeOver {
  LoadedSession loaded;
  SessionBranch branch;
};

}  // namespace knuckleboom::app
