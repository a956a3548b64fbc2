#include "knuckleboom/runtime/latest_value.hpp"

#include <array>
#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

namespace knuckleboom::runtime {
namespace {

TEST(LatestValue, givesEachValueOnce) {
  LatestValue<int> latest;
  int value = -1;
  EXPECT_FALSE(latest.read(value));
  EXPECT_EQ(value, -1);
  latest.write(1);
  EXPECT_TRUE(latest.read(value));
  EXPECT_EQ(value, 1);
  EXPECT_FALSE(latest.read(value));
  EXPECT_EQ(latest.value(), 1);
}

TEST(LatestValue, skipsWhatWasOvertaken) {
  LatestValue<int> latest;
  for (int i = 1; i <= 7; ++i) latest.write(i);
  int value = 0;
  EXPECT_TRUE(latest.read(value));
  EXPECT_EQ(value, 7);
  EXPECT_FALSE(latest.read(value));
}

TEST(LatestValue, keepsWhatTheReaderHoldsWhileTheWriterGoesOn) {
  LatestValue<int> latest;
  latest.write(1);
  ASSERT_TRUE(latest.refresh());
  for (int i = 2; i < 10; ++i) {
    latest.write(i);
    EXPECT_EQ(latest.value(), 1);
  }
}

// Larger than a cache line: a value torn between two writes would show.
TEST(LatestValue, isNeverTornAndNeverGoesBack) {
  struct Wide {
    std::array<std::int64_t, 100> number{};
  };
  constexpr std::int64_t kValues = 300'000;
  LatestValue<Wide> latest;
  std::thread writer([&] {
    for (std::int64_t i = 1; i <= kValues; ++i) {
      latest.next().number.fill(i);
      latest.publish();
    }
  });
  std::int64_t last = 0, torn = 0, back = 0;
  while (last < kValues) {
    if (!latest.refresh()) {
      std::this_thread::yield();
      continue;
    }
    const Wide& value = latest.value();
    for (const std::int64_t number : value.number) torn += number != value.number[0] ? 1 : 0;
    back += value.number[0] <= last ? 1 : 0;
    last = value.number[0];
  }
  writer.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(back, 0);
  EXPECT_FALSE(latest.refresh());
}

}  // namespace
}  // namespace knuckleboom::runtime
