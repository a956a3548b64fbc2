// Keys pressed by the program itself (--press), as SDL events.
#pragma once

#include <vector>

#include "app/session/drive_request.hpp"

namespace knuckleboom::app {

class Presses {
 public:
  // Throws UserError for a key unknown to SDL.
  explicit Presses(const std::vector<Press>& presses);
  // Pushes the due events [s, any clock]; times count from the first call. A key stays pressed
  // until the next call at least, or a slow picture would show nothing of it.
  void push_due(double now_s);
  // Whether an event due by then [s, the same clock] still waits.
  bool waiting(double now_s) const;

 private:
  struct Event {
    double at_s;
    int scancode;
    bool down;
  };
  void push(const Event& due);
  void push_text(int symbol);

  std::vector<Event> events_;  // in order of time
  std::size_t next_ = 0;
  double start_s_ = -1.0;
  int modifiers_ = 0;  // of SDL, held by keys of this list
};

}  // namespace knuckleboom::app
