// A little load: a forwarder drives to three logs, loads them together, drives on and unloads them onto a heap, by
// demonstration. What `racks` and `one_load` ask for at length (demonstration_test.cpp).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/io/exercise_file.hpp"
#include "support/trainer.hpp"

namespace knuckleboom::haul_test {
namespace {

const char kHaul[] = R"(name = "haul"
title = "A little load"
machine = "forwarder_8w"
levers = "nordic_drive"
time_limit_s = 300
[start.boom]
position_rad = 0.95
[start.stick]
position_rad = -2.1
[start.extension]
position_m = 0.1
[start.rotator]
position_deg = 90
[ground]
size_m = 60
[task]
kind = "logs"
[way]
[[way.corner]]
position_m = [0, 0]
[[way.corner]]
position_m = [-30, 0]
[[way.stop]]
along_m = 1
[[way.stop]]
along_m = 12
[[pile]]
name = "pile"
position_m = [1, 4.6]
count = 3
bottom = 2
length_m = 3.0
radius_cm = 10
seed = SEED
[[place]]
name = "heap"
position_m = [-12, -4.8]
radius_m = 1.2
angle_deg = 25
[[log_task]]
pile = "pile"
bunk = "load_space"
[[log_task]]
pile = "pile"
place = "heap"
[limits]
on_way = { least = 0.98 }
)";

training::Exercise haul(const std::string& seed) {
  std::string text = kHaul;
  text.replace(text.find("SEED"), 4, seed);
  return io::read_exercise_text(text, "haul.toml").exercise;
}

void is_done(const std::string& seed, machine::Fidelity fidelity) {
  training::Exercise exercise = haul(seed);
  exercise.fidelity = fidelity;
  const training::Session session(test::shipped_machine(exercise.machine),
                                  test::shipped_levers(exercise.levers), exercise);
  training::SessionState state = session.initial_state();
  int most = 0;
  double drove_loaded = 0.0;
  const training::SessionSnapshot end =
      test::demonstrate(session, state, 300.0, [&](const training::SessionSnapshot& s) {
        most = std::max(most, static_cast<int>(s.load.count));
        if (s.load.count == 3 && std::fabs(s.sim.speed) > 0.1) drove_loaded += 1e-3;
        return has_ended(s.task.phase);
      });
  EXPECT_EQ(end.task.phase, training::TaskPhase::kPassed);
  EXPECT_EQ(most, 3);
  EXPECT_GT(drove_loaded, 8.0);  // 11 m at 1.1 m/s at most
  EXPECT_EQ(end.load.count, 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(end.log[i].p[0], -12.0, 1.2);
    EXPECT_NEAR(end.log[i].p[1], -4.8, 1.2);
  }
  EXPECT_EQ(state.worksite.world.contacts_dropped, 0);
  // Each tick belongs to one element of each track and to one phase of the load.
  const training::ElementState& work = state.score.elements;
  const std::int64_t ticks = state.task.end_tick - state.task.start_tick;
  for (const training::ElementTrack& track : work.track) {
    const training::ElementTicks sums = training::element_ticks(track, work.end);
    EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), std::int64_t{0}), ticks);
  }
  EXPECT_EQ(
      std::accumulate(std::begin(work.phase_ticks), std::end(work.phase_ticks), std::int64_t{0}),
      ticks);
  const training::ElementTicks crane = training::element_ticks(work.track[0], work.end);
  const auto of = [&crane](training::Element e) { return crane[static_cast<std::size_t>(e)]; };
  EXPECT_GT(of(training::Element::kIn), 0);
  EXPECT_GT(of(training::Element::kRelease), 0);
  EXPECT_EQ(of(training::Element::kSort), 0);
  std::printf("haul, seed %s, %s: %.1f s, %.0f collisions\n", seed.c_str(),
              machine::word_of(fidelity), end.score.time_s, end.score.collisions);
}

TEST(Haul, IsLoadedDrivenAndUnloaded) { is_done("1", machine::Fidelity::kReduced); }
TEST(Haul, IsLoadedDrivenAndUnloadedInTheFullModel) { is_done("2", machine::Fidelity::kFull); }

}  // namespace
}  // namespace knuckleboom::haul_test
