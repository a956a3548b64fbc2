// Something to be done if a library ends the program by exit(), as Xlib does when its display goes away.
#pragma once

#include <functional>

namespace knuckleboom::app {

// One at a time. While it lives, exit() calls `last`, which must not come back to the library.
class ExitGuard {
 public:
  explicit ExitGuard(std::function<void()> last);
  ~ExitGuard();
  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;
};

}  // namespace knuckleboom::app
