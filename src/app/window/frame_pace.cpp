#include "app/window/frame_pace.hpp"

#include <chrono>
#include <thread>

#include <SDL2/SDL.h>

#include "knuckleboom/runtime/pacer.hpp"

namespace knuckleboom::app {

namespace {
// Displays wait for themselves, and are at least as fast as this [1/s].
constexpr double kOfADisplay = 60.0;
}  // namespace

std::int64_t now_ns() { return runtime::monotonic_clock().now_ns(); }

void rest_of_frame(std::int64_t frame_start_ns, double fps) {
  if (fps >= kOfADisplay && SDL_GL_GetSwapInterval() != 0) return;
  const std::int64_t left = static_cast<std::int64_t>(1e9 / fps) - (now_ns() - frame_start_ns);
  if (left > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(left));
}

}  // namespace knuckleboom::app
