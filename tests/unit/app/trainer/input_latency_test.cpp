// When a lever event counts as shown.
#include "app/trainer/input_latency.hpp"

#include <gtest/gtest.h>

namespace knuckleboom::app {
namespace {

command::OperatorInput lever(double left_x) {
  command::OperatorInput input{};
  input.axis[0] = left_x;
  return input;
}

TEST(InputLatency, countsFromTheEventToThePictureOfItsState) {
  InputLatency latency;
  latency.sent(lever(0.5), 1'000'000, 10);
  latency.shown(lever(0.0), 2'000'000, 10);  // still the state before
  EXPECT_EQ(latency.times().count(), 0);
  EXPECT_LT(latency.newest_ms(), 0.0);
  latency.shown(lever(0.5), 21'000'000, 11);
  EXPECT_EQ(latency.times().count(), 1);
  EXPECT_NEAR(latency.newest_ms(), 20.0, 1e-9);
  EXPECT_EQ(latency.frames()[1], 1);
  latency.shown(lever(0.5), 41'000'000, 12);  // shown once already
  EXPECT_EQ(latency.times().count(), 1);
}

// Two events between two frames: the frame of the newer one shows both.
TEST(InputLatency, takesOlderEventsWithTheNewest) {
  InputLatency latency;
  latency.sent(lever(0.2), 0, 3);
  latency.sent(lever(0.4), 5'000'000, 4);
  latency.shown(lever(0.4), 10'000'000, 5);
  EXPECT_EQ(latency.times().count(), 2);
  EXPECT_EQ(latency.frames()[1], 1);
  EXPECT_EQ(latency.frames()[2], 1);
  EXPECT_NEAR(latency.newest_ms(), 5.0, 1e-9);
}

// A lever that passes the same place twice: the second event is not shown by the first one's state
// once that has been seen.
TEST(InputLatency, tellsTheSamePlaceTwiceApart) {
  InputLatency latency;
  latency.sent(lever(0.2), 0, 1);
  latency.shown(lever(0.2), 1'000'000, 1);
  latency.sent(lever(0.0), 2'000'000, 2);
  latency.sent(lever(0.2), 3'000'000, 3);
  latency.shown(lever(0.0), 4'000'000, 3);
  EXPECT_EQ(latency.times().count(), 2);
  latency.shown(lever(0.2), 5'000'000, 9);
  EXPECT_EQ(latency.times().count(), 3);
  EXPECT_EQ(latency.frames()[3], 1);
}

TEST(InputLatency, forgetsWhatWillNotBeShown) {
  InputLatency latency;
  latency.sent(lever(0.2), 0, 1);
  latency.forget();
  latency.shown(lever(0.2), 1'000'000, 1);
  EXPECT_EQ(latency.times().count(), 0);
}

}  // namespace
}  // namespace knuckleboom::app
