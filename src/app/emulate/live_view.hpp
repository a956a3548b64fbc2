// A window beside the console of a running emulation.
#pragma once

#include <string>

#include "app/emulate/live_loop.hpp"

namespace knuckleboom::app {

class LiveView {
 public:
  virtual ~LiveView() = default;
  // One picture of live.published(), on the thread that owns `live`; may wait for the screen. Commands go by
  // live.send(). event: the newest sentence of what happened; empty: nothing yet. False: the user has closed
  // the window, and the run ends.
  virtual bool frame(LiveLoop& live, const std::string& event) = 0;
};

}  // namespace knuckleboom::app
