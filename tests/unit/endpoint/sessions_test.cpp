// Who is believed: by answers to challenges, once each and in time.
#include "endpoint/sessions.hpp"

#include <gtest/gtest.h>

namespace knuckleboom::endpoint::sessions_test {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kLate = 50 * kMs;

// A sender and a receiver with a wire of the test's between them.
struct Two {
  Sessions sender{11, kLate}, receiver{22, kLate};

  Belief say(std::int64_t now) { return receiver.hear(sender.next(now), false, now); }
  void introduce(std::int64_t now) {
    const Packet first = sender.next(now);
    ASSERT_EQ(receiver.hear(first, false, now), Belief::kUnproved);
    ASSERT_EQ(sender.hear(receiver.challenge(first.session, first.sequence, now), false, now),
              Belief::kChallenge);
    ASSERT_EQ(say(now), Belief::kNew);
  }
};

TEST(Sessions, BelieveWhoAnswers) {
  Two two;
  EXPECT_EQ(two.say(0), Belief::kUnproved);
  EXPECT_EQ(two.say(kMs), Belief::kUnproved);
  two.introduce(2 * kMs);
  EXPECT_EQ(two.say(3 * kMs), Belief::kNew);
  EXPECT_EQ(two.receiver.counters().former, 3);
  EXPECT_EQ(two.receiver.counters().restarts, 0);
}

TEST(Sessions, TakeAnAnswerOnceAndInTime) {
  Two two;
  const Packet first = two.sender.next(0);
  ASSERT_EQ(two.receiver.hear(first, false, 0), Belief::kUnproved);
  Packet answer = first;
  answer.sequence = 1;
  answer.answer = two.receiver.challenge(first.session, first.sequence, 0).answer;
  EXPECT_EQ(two.receiver.hear(answer, false, 1000 * kMs), Belief::kUnproved);  // a second later
  EXPECT_EQ(two.receiver.hear(answer, false, 999 * kMs), Belief::kNew);
  // The receiver follows another sender; the recorded answer does not bring the first one back.
  Two other;
  other.sender = Sessions(33, kLate);
  Packet second = other.sender.next(0);
  EXPECT_EQ(two.receiver.hear(second, false, 1050 * kMs), Belief::kNotNow);
  EXPECT_EQ(two.receiver.hear(second, false, 1100 * kMs), Belief::kUnproved);
  second.answer = two.receiver.challenge(second.session, second.sequence, 1100 * kMs).answer;
  EXPECT_EQ(two.receiver.hear(second, false, 1100 * kMs), Belief::kNew);
  EXPECT_EQ(two.receiver.hear(answer, false, 1300 * kMs), Belief::kUnproved);
  EXPECT_EQ(two.receiver.counters().restarts, 1);
}

TEST(Sessions, AnswerOnlyWhatTheyWereJustAsked) {
  Two two;
  const Packet first = two.sender.next(0), second = two.sender.next(kMs);
  const Packet asked = two.receiver.challenge(second.session, second.sequence, kMs);
  EXPECT_EQ(two.sender.hear(asked, false, kMs), Belief::kChallenge);
  EXPECT_EQ(two.sender.next(2 * kMs).answer, asked.answer);
  EXPECT_EQ(two.sender.hear(asked, false, kMs), Belief::kStray);  // recorded and played again
  EXPECT_EQ(two.sender.hear(two.receiver.challenge(first.session, first.sequence, kMs), false, kMs),
            Belief::kStray);
  Packet to_another = asked;
  to_another.session = 12;
  to_another.sequence = 2;
  EXPECT_EQ(two.sender.hear(to_another, false, kMs), Belief::kStray);
  Packet of_the_future = asked;
  of_the_future.sequence = 3;  // not sent yet
  EXPECT_EQ(two.sender.hear(of_the_future, false, kMs), Belief::kStray);
  EXPECT_EQ(two.sender.next(2 * kMs).answer, asked.answer);
}

TEST(Sessions, KnowTheirOwnPackets) {
  Two two;
  two.introduce(0);
  EXPECT_EQ(two.sender.hear(two.sender.next(kMs), false, kMs), Belief::kStray);
}

// A sender whose clock was set, or that was stopped for a long time, is asked and goes on.
TEST(Sessions, AskWhoJumps) {
  for (const std::int64_t jump : {-5000 * kMs, 5000 * kMs}) {
    Two two;
    two.introduce(0);
    std::int64_t now = 0, heard = 0;
    for (; now < 600 * kMs; now += kMs) {
      const Packet packet = two.sender.next(now + jump);
      const Belief belief = two.receiver.hear(packet, false, now);
      if (belief == Belief::kUnproved)
        two.sender.hear(two.receiver.challenge(packet.session, packet.sequence, now), false, now);
      heard += belief == Belief::kNew ? 1 : 0;
    }
    EXPECT_GT(heard, 480) << jump;
    EXPECT_EQ(two.receiver.counters().restarts, 0);
  }
  Two two;
  two.introduce(0);
  for (int k = 0; k < 1000; ++k) two.sender.next(k * kMs);  // lost
  EXPECT_EQ(two.say(1000 * kMs), Belief::kUnproved);
  two.introduce(1001 * kMs);
  EXPECT_EQ(two.receiver.counters().arrivals.lost, 1002);
}

// The same packets, delayed by somebody on the way, are not fresh because they keep coming.
TEST(Sessions, DoNotGetUsedToDelay) {
  Two two;
  two.introduce(0);
  for (std::int64_t k = 1; k < 600; ++k)
    ASSERT_EQ(two.receiver.hear(two.sender.next(k * 100 * kMs), false, k * 100 * kMs + 2000 * kMs),
              Belief::kUnproved)
        << k;
}

}  // namespace
}  // namespace knuckleboom::endpoint::sessions_test
