// How many threads of work this computer does at a time.
#pragma once

#include <algorithm>
#include <thread>

namespace knuckleboom::app {

// At least one, also where the system does not tell.
inline int processors() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace knuckleboom::app
