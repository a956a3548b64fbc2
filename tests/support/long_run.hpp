// Whether the tests run at full length (KNUCKLEBOOM_LONG=1, `./dev long`): `./dev test` has a limit.
#pragma once

#include <cstdlib>

namespace knuckleboom::test {

inline bool long_run() { return std::getenv("KNUCKLEBOOM_LONG") != nullptr; }

}  // namespace knuckleboom::test
