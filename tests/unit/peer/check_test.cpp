// Both ends over the loopback in real time: loss, jitter, repetitions, disorder, silence, rubbish and
// strangers. Times on a busy machine are what they are; every rule holds in spite of it.
#include "peer/check.hpp"

#include <gtest/gtest.h>

namespace knuckleboom::peer {
namespace {

TEST(EndpointCheck, KeepsItsRulesOnABadWire) {
  CheckSettings settings;
  settings.duration_s = 3.0;
  settings.wire.jitter_s = 0.002;
  settings.wire.loss = 0.01;
  settings.wire.repeat = 0.01;
  settings.wire.reorder = 0.01;
  settings.wire.silence_s = 0.12;
  settings.wire.silence_every_s = 0.7;
  const CheckResult result = check(settings);
  SCOPED_TRACE(to_text(settings, result));
  EXPECT_EQ(result.ticks, 3000);
  EXPECT_EQ(result.stale_wrong, 0);
  EXPECT_EQ(result.out_of_bounds, 0);
  EXPECT_GE(result.stale, 4 * 4);  // signals, silences
  EXPECT_TRUE(result.same_bits);
  EXPECT_GT(result.counters.session.arrivals.received, 0);
  EXPECT_GT(result.counters.forged(), 0);
  EXPECT_GT(result.refused, 0);
  EXPECT_GT(result.limited, 0);
  EXPECT_GT(result.largest, 0.1);  // something got through
  EXPECT_TRUE(result.counters_agree());
  EXPECT_TRUE(result.passed());
}

}  // namespace
}  // namespace knuckleboom::peer
