// Rounds of CAN frames that prove who sent them, on a bus of the test's own.
#include "endpoint/can_guard.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "support/wire_keys.hpp"

namespace knuckleboom::endpoint::can_guard_test {
namespace {

using Heard = CanGuard::Heard;
constexpr std::int64_t kMs = 1'000'000;
constexpr std::uint32_t kId = 0x700;

std::vector<CanFrame> round_of(std::uint8_t value) {
  return {{0x100, 6, {value, 1, 2, 3, 4, 5}, true}, {0x200, 8, {7, value, 9}, true}};
}

struct Bus {
  CanGuard machine{test::key_of(1), kId, true}, peer{test::key_of(1), kId, false};

  // The machine asks, the peer's next round answers.
  void introduce(std::int64_t now) {
    ASSERT_TRUE(machine.must_ask(now));
    ASSERT_EQ(peer.hear(machine.challenge(), {}, now), Heard::kChallenge);
  }
};

TEST(CanGuard, BelievesRoundsThatAnswer) {
  Bus bus;
  EXPECT_EQ(bus.peer.seal(round_of(1)).length, 0);  // nobody has asked
  bus.introduce(0);
  for (int k = 0; k < 70000; ++k) {  // beyond the two bytes of the counter
    const auto round = round_of(static_cast<std::uint8_t>(k));
    const CanFrame guard = bus.peer.seal(round);
    ASSERT_EQ(guard.id, kId + 1);
    ASSERT_EQ(guard.length, 8);
    ASSERT_EQ(bus.machine.hear(guard, round, k * kMs), Heard::kGood);
    ASSERT_EQ(bus.machine.hear(guard, round, k * kMs), Heard::kFormer);
    if (k > 0 && k % 10000 == 0)
      for (int lost = 0; lost < 3000; ++lost) bus.peer.seal(round);
  }
  EXPECT_FALSE(bus.machine.must_ask(70000 * kMs));
}

TEST(CanGuard, BelievesNothingElse) {
  Bus bus;
  bus.introduce(0);
  const auto round = round_of(1);
  const CanFrame guard = bus.peer.seal(round);
  for (std::size_t frame = 0; frame < round.size(); ++frame)
    for (int byte = 0; byte < 8; ++byte) {
      auto bent = round;
      bent[frame].data[byte] ^= 1;
      EXPECT_EQ(bus.machine.hear(guard, bent, kMs), Heard::kForged);
    }
  auto other_id = round;
  other_id[0].id = 0x101;
  EXPECT_EQ(bus.machine.hear(guard, other_id, kMs), Heard::kForged);
  for (int byte = 0; byte < 8; ++byte) {
    CanFrame bent = guard;
    bent.data[byte] ^= 0x80;
    EXPECT_EQ(bus.machine.hear(bent, round, kMs), Heard::kForged);
  }
  CanGuard foreign(test::key_of(2), kId, false);
  foreign.hear(bus.machine.challenge(), {}, 0);
  EXPECT_EQ(bus.machine.hear(foreign.seal(round), round, kMs), Heard::kForged);
  // Our own round, sent back to us under the other's id.
  bus.machine.hear(bus.machine.challenge(), {}, 0);
  CanFrame own = bus.machine.seal(round);
  own.id = kId + 1;
  EXPECT_EQ(bus.machine.hear(own, round, kMs), Heard::kForged);
  EXPECT_EQ(bus.machine.hear(guard, round, kMs), Heard::kGood);
}

TEST(CanGuard, TellsARestartFromARecording) {
  Bus bus;
  bus.introduce(0);
  const auto round = round_of(1);
  std::vector<CanFrame> recorded;
  for (int k = 0; k < 50; ++k) {
    recorded.push_back(bus.peer.seal(round));
    ASSERT_EQ(bus.machine.hear(recorded.back(), round, k * kMs), Heard::kGood);
  }
  for (const CanFrame& guard : recorded)
    EXPECT_EQ(bus.machine.hear(guard, round, 60 * kMs), Heard::kFormer);
  bus.peer = CanGuard(test::key_of(1), kId, false);  // the sender starts anew
  ASSERT_FALSE(bus.machine.must_ask(100 * kMs));
  bus.introduce(149 * kMs);  // 0.1 s after the last round
  for (const CanFrame& guard : recorded)
    EXPECT_EQ(bus.machine.hear(guard, round, 150 * kMs), Heard::kForged);
  EXPECT_EQ(bus.machine.hear(bus.peer.seal(round), round, 150 * kMs), Heard::kGood);
  // And the receiver: to it everything of before is a recording.
  const CanFrame last = bus.peer.seal(round);
  bus.machine = CanGuard(test::key_of(1), kId, true);
  EXPECT_EQ(bus.machine.hear(last, round, 200 * kMs), Heard::kForged);
  bus.introduce(200 * kMs);
  EXPECT_EQ(bus.machine.hear(last, round, 200 * kMs), Heard::kForged);
  EXPECT_EQ(bus.machine.hear(bus.peer.seal(round), round, 200 * kMs), Heard::kGood);
}

// Forged challenges stop the sender's rounds from being believed; the next true one ends that.
TEST(CanGuard, RecoversFromForgedChallenges) {
  Bus bus;
  bus.introduce(0);
  const auto round = round_of(1);
  ASSERT_EQ(bus.machine.hear(bus.peer.seal(round), round, kMs), Heard::kGood);
  CanFrame forged{kId, 7, {1, 2, 3, 4, 5, 6, 7}, true};
  bus.peer.hear(forged, {}, 2 * kMs);
  std::int64_t heard = 0;
  for (std::int64_t now = 3 * kMs; now < 500 * kMs && heard == 0; now += kMs) {
    if (bus.machine.must_ask(now)) bus.peer.hear(bus.machine.challenge(), {}, now);
    if (bus.machine.hear(bus.peer.seal(round), round, now) == Heard::kGood) heard = now;
  }
  EXPECT_GT(heard, 0);
  EXPECT_LE(heard, 110 * kMs);
}

// An unanswered challenge is not kept for whoever may answer it later.
TEST(CanGuard, AsksAnew) {
  Bus bus;
  bus.introduce(0);
  const CanFrame first = bus.machine.challenge();
  const auto round = round_of(1);
  const CanFrame guard = bus.peer.seal(round);  // held back
  int asked = 0;
  for (std::int64_t now = kMs; now <= 1000 * kMs; now += kMs) asked += bus.machine.must_ask(now);
  EXPECT_EQ(asked, 10);
  EXPECT_FALSE(std::ranges::equal(first.data, bus.machine.challenge().data));
  EXPECT_EQ(bus.machine.hear(guard, round, 1000 * kMs), Heard::kForged);
}

}  // namespace
}  // namespace knuckleboom::endpoint::can_guard_test
