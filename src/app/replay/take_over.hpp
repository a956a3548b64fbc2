// What somebody needs who goes on live from an instant of a replay.
#pragma once

#include "app/session/load_session.hpp"
#include "app/trainer/live_session.hpp"

namespace knuckleboom::app {

struct TakeOver {
  LoadedSession loaded;
  SessionBranch branch;
};

}  // namespace knuckleboom::app
