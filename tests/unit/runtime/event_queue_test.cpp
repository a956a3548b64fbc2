#include "knuckleboom/runtime/event_queue.hpp"

#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

namespace knuckleboom::runtime {
namespace {

TEST(EventQueue, refusesWhenFullAndLosesNothing) {
  EventQueue<int, 3> queue;
  for (int i = 1; i <= 3; ++i) EXPECT_TRUE(queue.push(i));
  EXPECT_FALSE(queue.push(4));
  int event = 0;
  EXPECT_TRUE(queue.pop(event));
  EXPECT_EQ(event, 1);
  EXPECT_TRUE(queue.push(4));
  EXPECT_FALSE(queue.push(5));
  for (int i = 2; i <= 4; ++i) {
    EXPECT_TRUE(queue.pop(event));
    EXPECT_EQ(event, i);
  }
  EXPECT_FALSE(queue.pop(event));
  EXPECT_EQ(event, 4);
}

TEST(EventQueue, goesRoundManyTimes) {
  EventQueue<int, 5> queue;
  int sent = 0, received = 0, event = 0;
  for (int round = 0; round < 1000; ++round) {
    for (int i = 0; i < round % 6; ++i)
      if (queue.push(sent)) ++sent;
    while (queue.pop(event)) ASSERT_EQ(event, received++);
  }
  EXPECT_EQ(sent, received);
}

TEST(EventQueue, keepsOrderAndNumberBetweenThreads) {
  struct Event {
    std::int64_t number, again;
  };
  constexpr std::int64_t kEvents = 500'000;
  EventQueue<Event, 7> queue;
  std::thread sender([&] {
    for (std::int64_t i = 0; i < kEvents; ++i)
      while (!queue.push({i, i})) std::this_thread::yield();
  });
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < kEvents; ++i) {
    Event event{};
    while (!queue.pop(event)) std::this_thread::yield();
    wrong += event.number != i || event.again != i ? 1 : 0;
  }
  sender.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace knuckleboom::runtime
