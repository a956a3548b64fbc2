// An action in case a library ends the program by exit(), as Xlib does when its display is lost.
#pragma once

#include <functional>

namespace knuckleboom::app {

// One at a time. During its life exit() calls `last`, which must not call the library.
class ExitGuard {
 public:
  explicit ExitGuard(std::function<void()> last);
  ~ExitGuard();
  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;
};

}  // namespace knuckleboom::app
