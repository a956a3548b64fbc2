// Time of a frame.
#pragma once

#include <cstdint>

namespace knuckleboom::app {

// Monotonic.
std::int64_t now_ns();

// Sleeps until the next frame is due at this rate [1/s]; a display that waits by itself may be slower.
void rest_of_frame(std::int64_t frame_start_ns, double fps);

}  // namespace knuckleboom::app
