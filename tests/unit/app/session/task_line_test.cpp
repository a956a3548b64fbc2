#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/session/session_texts.hpp"
#include "support/trainer.hpp"

namespace knuckleboom::app {
namespace {

using testing::HasSubstr;

TEST(TaskLine, TellsWhyTheKnivesTakeNoTree) {
  const auto session = test::shipped_session("felling");
  auto now = session->snapshot(session->initial_state());
  now.gap_m = 0.2;
  EXPECT_THAT(task_line(*session, now), HasSubstr("turn to the arrow"));
  // Another one falls, and a second one.
  for (int k = 0; k < 2; ++k) {
    EXPECT_THAT(task_line(*session, now), HasSubstr("turn to the arrow"));
    now.tree_count = k + 1;
    now.tree[k] = {};
    now.tree[k].stem = 5 + k;
    now.tree[k].cut = 0.3;
  }
  EXPECT_THAT(task_line(*session, now), HasSubstr("two other trees are cut and not down"));
  now.gap_m = 2.0;
  EXPECT_THAT(task_line(*session, now), HasSubstr("turn to the arrow"));
  // As many lie as there is room for.
  now.gap_m = 0.2;
  now.tree_count = worksite::kMaxFelled;
  for (int k = 0; k < worksite::kMaxFelled; ++k) {
    now.tree[k] = {};
    now.tree[k].stem = 100 + k;
  }
  EXPECT_THAT(task_line(*session, now), HasSubstr("too many trees lie uncut"));
  now.tree_count = worksite::kMaxFelled - 1;
  EXPECT_THAT(task_line(*session, now), HasSubstr("turn to the arrow"));
}

}  // namespace
}  // namespace knuckleboom::app
