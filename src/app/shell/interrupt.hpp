// Ctrl-C and SIGTERM end a simulation at the next opportunity, with complete outputs.
#pragma once

#include <csignal>

namespace knuckleboom::app {

// While it lives, SIGINT, SIGTERM, SIGHUP and SIGQUIT set a flag instead of ending the program. Another one, half a
// second later or more, ends it at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction old_int_ {};
  struct sigaction old_term_ {};
  struct sigaction old_hup_ {};
  struct sigaction old_quit_ {};
};

bool interrupted();

}  // namespace knuckleboom::app
