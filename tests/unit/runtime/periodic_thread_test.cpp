// Work repeated by a thread until it is stopped.
#include "knuckleboom/runtime/periodic_thread.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>
#include <pthread.h>

namespace knuckleboom::runtime {
namespace {

using std::chrono::milliseconds;

TEST(PeriodicThread, WorksAgainAndALastTimeWhenItIsStopped) {
  std::atomic<int> done{0};
  PeriodicThread thread;
  EXPECT_FALSE(thread.started());
  thread.start("test", milliseconds(1), [&] { ++done; });
  EXPECT_TRUE(thread.started());
  while (done < 3) std::this_thread::sleep_for(milliseconds(1));
  thread.stop();
  const int at_stop = done;
  thread.stop();
  EXPECT_EQ(done, at_stop);

  std::atomic<int> last{0};
  PeriodicThread slow;
  slow.start("test", std::chrono::hours(1), [&] { ++last; });
  std::this_thread::sleep_for(milliseconds(20));  // it waits for its first period by now
  slow.stop();
  EXPECT_EQ(last, 1);
}

TEST(PeriodicThread, LeavesSignalsToTheMainThread) {
  std::atomic<int> blocked{-1};
  PeriodicThread thread;
  thread.start("test", milliseconds(1), [&] {
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    blocked = sigismember(&now, SIGINT);
  });
  while (blocked < 0) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(blocked, 1);
}

}  // namespace
}  // namespace knuckleboom::runtime
