// Where cut logs lie decides on piles and road: by hand.
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "knuckleboom/core/training/task.hpp"
#include "support/trainer.hpp"

namespace knuckleboom {
namespace {

using training::Place;
using training::SessionSnapshot;

// A log of a product of the exercise, as it lies.
void lay(int product, double x, double y, double heading, double length, SessionSnapshot& s) {
  training::CutSnapshot& cut = s.cut[s.cut_count];
  cut.size = {length, 0.1, 900.0};
  cut.from = 1.0;
  cut.wanted_m = product < 0 ? 0.0 : length;
  cut.product = product;
  training::PoseSnapshot& pose = s.log[s.cut_count++];
  pose = {{x, y, 0.1}, {std::cos(0.5 * heading), 0.0, 0.0, std::sin(0.5 * heading)}};
}

TEST(Roadside, PilesAreThoseOfAProductAndTheRoadIsFree) {
  training::Exercise exercise = test::shipped_exercise("roadside");
  exercise.fell_tasks.resize(1);
  const training::Task task(exercise);
  training::TaskState state = task.initial_state();
  training::ScoreState score = task.initial_score();
  state.phase = training::TaskPhase::kRunning;
  const auto place_of = [&](int product) {
    for (const Place& place : exercise.places)
      if (place.product == product) return place;
    return Place{};
  };
  const Place sawlogs = place_of(0), pulp = place_of(2);
  ASSERT_GT(sawlogs.radius, 0.5);
  const auto s = std::make_unique<SessionSnapshot>();
  lay(0, sawlogs.x + 0.9 * sawlogs.radius, sawlogs.y, sawlogs.heading + 0.2, 4.1, *s);  // right
  lay(0, sawlogs.x, sawlogs.y + 1.2 * sawlogs.radius, sawlogs.heading, 4.1, *s);        // beside
  lay(2, sawlogs.x, sawlogs.y, sawlogs.heading, 2.0, *s);                               // mixed
  // In a place without a log of its product: no pile that it could be mixed with.
  lay(2, place_of(1).x, place_of(1).y, sawlogs.heading, 2.0, *s);
  lay(2, pulp.x, pulp.y, pulp.heading + 0.7, 2.0, *s);  // across
  lay(2, pulp.x, pulp.y, pulp.heading + 3.1, 2.0, *s);  // right: either end may point there
  // Its end is over the edge of the road, which is 3.5 m wide; the next one stays beside it.
  lay(-1, 6.0, 2.7, 1.57, 2.0, *s);
  lay(-1, 9.0, 2.9, 1.57, 2.0, *s);
  s->tree_count = 1;
  s->tree[0].stem = exercise.fell_tasks.front().stem;
  s->tree[0].stump = 0.05;
  s->tree[0].from = 10.0;
  s->tree[0].n_W[0] = 1.0;
  for (int i = 0; i < 400; ++i) {
    ++s->sim.tick;
    task.observe(1e-3, *s, state, score);
  }
  EXPECT_EQ(state.step, 1);
  EXPECT_DOUBLE_EQ(score.score.piled, 2.0 / 6.0);
  EXPECT_DOUBLE_EQ(score.score.mixed, 1.0 / 6.0);
  EXPECT_EQ(score.score.logs_on_way, 1.0);
  EXPECT_EQ(state.faults, 1);
}

// Where there are no places for products and no way.
TEST(Roadside, WhatIsNotMeasuredIsUndefined) {
  const training::Exercise exercise = test::shipped_exercise("bucking");
  const training::Score score = training::blank_score(exercise);
  EXPECT_TRUE(std::isnan(score.piled));
  EXPECT_TRUE(std::isnan(score.mixed));
  EXPECT_TRUE(std::isnan(score.logs_on_way));
  // Neither: states of other exercises stay as they were before there were these figures.
  for (const training::Figure& figure : training::kFigures)
    if (figure.member == &training::Score::piled || figure.member == &training::Score::mixed ||
        figure.member == &training::Score::logs_on_way) {
      EXPECT_EQ(figure.field.neutral, state::value_bits(figure.read(score))) << figure.name;
    }
}

}  // namespace
}  // namespace knuckleboom
