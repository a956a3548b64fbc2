// The coach's words on attempts about which its rules have nothing to say.
#include "app/session/coaching.hpp"

#include <gtest/gtest.h>

#include "app/session/load_session.hpp"

namespace knuckleboom::app {
namespace {

// reach: 180 s, 2.5 of the shortest path, no collision.
TEST(Coaching, NamesTheNearestOfSeveralMissedLimits) {
  SessionChoice choice;
  choice.exercise = "reach";
  const LoadedSession reach = load_session(choice);
  training::Score score{};
  score.time_s = 190.0;
  score.path_ratio = 2.0;
  EXPECT_EQ(nearest_miss(reach.exercise(), score), "");  // one: the result says it
  score.path_ratio = 2.8;
  EXPECT_EQ(nearest_miss(reach.exercise(), score),
            "Begin with what is nearest to a pass. Time: 3:10.0, at most 3:00.");
  score.time_s = 250.0;
  EXPECT_EQ(nearest_miss(reach.exercise(), score),
            "Begin with what is nearest to a pass. Path over shortest: 2.80, at most 2.50.");
  score.path_ratio = 5.1;
  score.collisions = 1.0;
  EXPECT_EQ(nearest_miss(reach.exercise(), score),
            "Begin with what is nearest to a pass. Time: 4:10.0, at most 3:00.");
}

}  // namespace
}  // namespace knuckleboom::app
