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
  // Another one falls.
  now.tree_count = 1;
  now.tree[0] = {};
  now.tree[0].stem = 5;
  now.tree[0].cut = 0.3;
  EXPECT_THAT(task_line(*session, now), HasSubstr("another tree is cut and not down"));
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
