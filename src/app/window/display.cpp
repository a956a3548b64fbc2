#include "app/window/display.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

#include "app/shell/processors.hpp"

namespace knuckleboom::app {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::string_view(value) : std::string_view();
}

}  // namespace

bool somebody_watches() {
  const std::string_view driver = variable("SDL_VIDEODRIVER");
  if (driver == "offscreen" || driver == "dummy") return false;
  return !driver.empty() || !variable("DISPLAY").empty() || !variable("WAYLAND_DISPLAY").empty();
}

void leave_a_processor() {
  // The user's setting has precedence.
  if (processors() > 3) setenv("LP_NUM_THREADS", std::to_string(processors() - 1).c_str(), 0);
}

}  // namespace knuckleboom::app
