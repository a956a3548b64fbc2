// Keys pressed by the program itself (--press), as SDL events.
#pragma once

#include <vector>

#include "app/session/drive_request.hpp"

namespace knuckleboom::app {

class Presses {
 public:
  // Throws UserError for a key unknown to SDL.
  explicit Presses(const std::vector<Press>& presses);
  // Pushes the due events [s, any clock]; times count from the first call.
  void push_due(double now_s);

 private:
  struct Event {
    double at_s;
    int scancode;
    bool down;
  };
  void push_text(int symbol);

  std::vector<Event> events_;  // in order of time
  std::size_t next_ = 0;
  double start_s_ = -1.0;
  int modifiers_ = 0;  // of SDL, held by keys of this list
};

}  // namespace knuckleboom::app
