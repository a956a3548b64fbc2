#include "knuckleboom/core/training/attempt_plan.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace knuckleboom::training {
namespace {

std::vector<std::int32_t> advance(AttemptPlan& plan, std::int64_t tick) {
  std::vector<std::int32_t> out;
  plan.advance(tick, [&out](const Command& command) { out.push_back(command.value); });
  return out;
}

const std::vector<AttemptCommand> kTwo = {{10, {CommandKind::kFault, 1}},
                                          {20, {CommandKind::kFault, 2}}};
using List = std::vector<std::int32_t>;

TEST(AttemptPlan, actsOncePerAttempt) {
  AttemptPlan plan(kTwo);
  EXPECT_EQ(advance(plan, 9), List{});
  EXPECT_EQ(advance(plan, 10), List{1});
  EXPECT_EQ(advance(plan, 10), List{});
  plan.restart(15);
  EXPECT_EQ(advance(plan, 24), List{});
  EXPECT_EQ(advance(plan, 25), List{1});
  EXPECT_EQ(advance(plan, 40), List{2});
  EXPECT_EQ(advance(plan, 1000), List{});
}

// Taken over at tick 1012, which is the 12th of its attempt.
TEST(AttemptPlan, goesOnInTheMiddleOfAnAttempt) {
  AttemptPlan plan(kTwo, 1000, 1012);
  EXPECT_EQ(advance(plan, 1019), List{});
  EXPECT_EQ(advance(plan, 1020), List{2});
}

}  // namespace
}  // namespace knuckleboom::training
