// Processor time of the calling thread [s]: others on the machine do not count.
#pragma once

#include <ctime>

namespace knuckleboom::test {

inline double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace knuckleboom::test
