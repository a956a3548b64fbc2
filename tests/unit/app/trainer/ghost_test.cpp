// The ghost: where it is, and how far one is behind it.
#include "app/trainer/ghost.hpp"

#include <gtest/gtest.h>

#include "app/trainer/demonstration.hpp"

namespace knuckleboom::app {
namespace {

training::SessionSnapshot moment(double t_s, int step, double x) {
  training::SessionSnapshot out{};
  out.task.phase = training::TaskPhase::kRunning;
  out.task.step = step;
  out.score.time_s = t_s;
  out.body[0].p[0] = x;
  return out;
}

TEST(Ghost, IsWhereItWasAtThatTime) {
  Ghost ghost;
  training::SessionSnapshot ready = moment(0.0, 0, -1.0);
  ready.task.phase = training::TaskPhase::kReady;
  ghost.add(ready);
  EXPECT_TRUE(ghost.empty());
  for (int i = 0; i <= 1000; ++i) ghost.add(moment(0.001 * i, i < 400 ? 0 : 1, 2.0 * i));
  EXPECT_NEAR(ghost.length_s(), 1.0, 0.04);
  const auto x = [&ghost](double t_s) {
    const Ghost::Around around = ghost.at(t_s);
    return around.before.body[0].p[0] * (1.0 - around.alpha) +
           around.after.body[0].p[0] * around.alpha;
  };
  // Two metres in a millisecond, whatever is kept of it.
  EXPECT_NEAR(x(0.5), 1000.0, 1e-6);
  EXPECT_NEAR(x(0.013), 26.0, 1e-6);
  EXPECT_EQ(x(-1.0), 0.0);
  EXPECT_NEAR(x(9.0), 2000.0, 90.0);  // it stays at its end
}

TEST(Ghost, TellsTheGapAtEachStep) {
  Ghost ghost;
  for (int i = 0; i <= 1000; ++i) ghost.add(moment(0.01 * i, i / 300, 0.0));  // 3, 6 and 9 s
  EXPECT_FALSE(ghost.gap_s(moment(2.0, 0, 0.0)));
  EXPECT_NEAR(*ghost.gap_s(moment(3.5, 1, 0.0)), 0.5, 1e-9);
  EXPECT_NEAR(*ghost.gap_s(moment(5.0, 1, 0.0)), 0.5, 1e-9);  // until the next
  EXPECT_NEAR(*ghost.gap_s(moment(5.2, 2, 0.0)), -0.8, 1e-9);
  EXPECT_FALSE(ghost.gap_s(moment(12.0, 4, 0.0)));  // which it never did
  ghost.restart();
  EXPECT_FALSE(ghost.gap_s(moment(0.1, 0, 0.0)));
}

// Against the demonstration itself, driven once more.
TEST(Ghost, OfTheDemonstrationIsTheDemonstration) {
  SessionChoice choice;
  choice.exercise = "reach";
  const LoadedSession loaded = load_session(demonstrable(choice));
  Ghost ghost;
  std::vector<training::InputEvent> events =
      demonstration(loaded, 6.0, 0.0, [&](const auto& seen) { ghost.add(seen); });
  const training::Session& session = *loaded.session;
  training::SessionState state = session.initial_state();
  training::SessionSnapshot now = session.snapshot(state);
  training::InputPlayback playback(events);
  for (std::int64_t tick = 0; tick < events.back().tick; ++tick)
    session.step(
        playback.advance(tick, [&](const auto& command) { session.apply(command, state); }), state,
        now);
  ASSERT_GT(now.score.time_s, 5.0);
  const Ghost::Around around = ghost.at(ghost.length_s());
  ASSERT_NEAR(ghost.length_s(), now.score.time_s, 0.041);
  // The last that is kept is at most 40 ms old; no part moves 3 m/s there.
  for (int i = 0; i < session.machine().tree.link_count(); ++i)
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(around.after.body[i].p[k], now.body[i].p[k], 0.12) << i;
}

}  // namespace
}  // namespace knuckleboom::app
