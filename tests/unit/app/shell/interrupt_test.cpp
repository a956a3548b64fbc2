// Signals that end a program: the first sets a flag, one that follows at once is the same wish.
#include "app/shell/interrupt.hpp"

#include <chrono>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

namespace knuckleboom::app {
namespace {

TEST(InterruptDeathTest, SignalsInQuickSuccessionDoNotCutOffTheEnd) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        for (const int number : {SIGHUP, SIGHUP, SIGINT, SIGINT, SIGTERM, SIGQUIT}) raise(number);
        _exit(interrupted() ? 7 : 1);
      },
      testing::ExitedWithCode(7), "");
}

TEST(InterruptDeathTest, ALaterSignalEndsAtOnce) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        raise(SIGINT);
        std::this_thread::sleep_for(std::chrono::milliseconds(700));
        raise(SIGINT);
        _exit(1);
      },
      testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace knuckleboom::app
