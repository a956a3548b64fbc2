#include "sound/sound.hpp"

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include <SDL2/SDL.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sound/sound_state.hpp"

namespace knuckleboom::sound {
namespace {

using training::SessionSnapshot;

class SoundDevice : public testing::Test {
 protected:
  static void use(const char* driver) { ::setenv("SDL_AUDIODRIVER", driver, 1); }
  void TearDown() override { ::unsetenv("SDL_AUDIODRIVER"); }
  SessionSnapshot snapshot_{};
};

TEST_F(SoundDevice, playsOnTheDummyDevice) {
  use("dummy");
  Sound sound = Sound::open(false);
  EXPECT_TRUE(sound.available());
  EXPECT_EQ(sound.sentence(), "sound by dummy");
  for (int i = 0; i < 50; ++i) {
    snapshot_.pump_power_W = 1e3 * i;
    snapshot_.collisions[0] = i / 10;
    sound.update(snapshot_);
    sound.set_muted(i % 7 == 0);
    sound.set_paused(i % 5 == 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_TRUE(sound.muted());
  sound.set_volume(3.0);
  EXPECT_EQ(sound.volume(), 1.0);
  const Sound moved = std::move(sound);
  EXPECT_TRUE(moved.available());
}

TEST_F(SoundDevice, goesOnWithoutADevice) {
  use("no such driver");
  Sound sound = Sound::open(false);
  EXPECT_FALSE(sound.available());
  EXPECT_THAT(sound.sentence(), testing::StartsWith("no sound: "));
  EXPECT_GT(sound.sentence().size(), std::string("no sound: ").size());
  sound.update(snapshot_);
  sound.set_muted(true);
  EXPECT_TRUE(sound.muted());
}

// Some drivers write to the terminal as soon as they are asked.
TEST_F(SoundDevice, opensNothingWhileMuted) {
  use("no such driver");
  Sound sound = Sound::open(true);
  sound.set_volume(0.5);
  sound.update(snapshot_);
  sound.set_muted(true);
  EXPECT_EQ(SDL_WasInit(SDL_INIT_AUDIO), 0U);
  EXPECT_TRUE(sound.muted());
  EXPECT_FALSE(sound.available());
  EXPECT_EQ(sound.sentence(), "sound off");
  use("dummy");
  sound.set_muted(false);
  EXPECT_TRUE(sound.available());
  EXPECT_EQ(sound.sentence(), "sound by dummy");
}

TEST_F(SoundDevice, goesOnWhenTheDeviceGoesAway) {
  use("dummy");
  Sound sound = Sound::open(false);
  ASSERT_TRUE(sound.available());
  sound.update(snapshot_);
  for (SDL_AudioDeviceID id = 2; id < 20; ++id) SDL_CloseAudioDevice(id);  // as if pulled out
  sound.update(snapshot_);
  EXPECT_FALSE(sound.available());
  EXPECT_EQ(sound.sentence(), "the sound device went away; going on without sound");
  sound.update(snapshot_);
  sound.set_muted(false);
}

TEST(SoundFollower, readsWhatThereIsToHear) {
  SessionSnapshot snapshot{};
  snapshot.pump_power_W = 12e3;
  snapshot.sim.actuator_count = 3;
  snapshot.sim.actuator[1].at_relief = 1;
  snapshot.collisions[0] = 2;
  snapshot.collisions[4] = 5;
  snapshot.last_impact_speed = 0.4;
  SoundFollower follower;
  SoundState state;
  follower.follow(snapshot, state);
  EXPECT_EQ(state.pump_power_W, 12e3);
  EXPECT_GT(state.relief, 0.5);
  EXPECT_EQ(state.collisions, 7);
  EXPECT_EQ(state.collision_speed, 0.4);
  EXPECT_EQ(state.volume, SoundState{}.volume);
  snapshot.sim.actuator[1].at_relief = 0;
  follower.follow(snapshot, state);
  EXPECT_EQ(state.relief, 0.0);
}

TEST(SoundFollower, takesTheSpeedBeforeTheStop) {
  SessionSnapshot snapshot{};
  snapshot.sim.actuator_count = 2;
  SoundFollower follower;
  SoundState state;
  const auto frame = [&](double t, double length, bool at_stop, int hits) {
    snapshot.sim.t_s = t;
    snapshot.sim.actuator[0].displacement = length;
    snapshot.sim.actuator[0].at_stop = at_stop ? 1 : 0;
    snapshot.sim.actuator[1].displacement = 5.0 * t;  // fast, but not at its end
    snapshot.sim.health.stop_hits = hits;
    follower.follow(snapshot, state);
  };
  frame(0.00, 1.000, false, 0);
  frame(0.02, 1.004, false, 0);  // 0.2 m/s
  frame(0.02, 1.004, false, 0);  // the same picture again
  frame(0.04, 1.006, true, 1);
  EXPECT_EQ(state.stop_hits, 1);
  EXPECT_NEAR(state.stop_speed, 0.2, 1e-9);
  frame(0.06, 1.006, true, 1);
  EXPECT_NEAR(state.stop_speed, 0.2, 1e-9);
  // A restart is no movement and no blow.
  frame(0.0, 0.2, true, 0);
  frame(0.02, 0.2, true, 1);
  EXPECT_EQ(state.stop_speed, 0.0);
}

TEST(SoundFollower, countsWhorlsAndTreesThatComeDown) {
  SessionSnapshot snapshot{};
  snapshot.tree_count = 1;
  training::TreeSnapshot& tree = snapshot.tree[0];
  tree.stem = 4;
  SoundFollower follower;
  SoundState state;
  const auto frame = [&](double t, double tip_m_s) {
    snapshot.sim.t_s = t;
    tree.tip_m_s = tip_m_s;
    follower.follow(snapshot, state);
  };
  // Falls for 2 s, and its tip comes to rest within 0.2 s.
  double t = 0.0;
  for (; t < 2.0; t += 0.02) frame(t, 9.0 * t);
  EXPECT_EQ(state.falls, 0);
  for (double rest = 1.0; rest > 0.0; rest -= 0.1, t += 0.02) frame(t, 18.0 * rest);
  EXPECT_EQ(state.falls, 1);
  EXPECT_GT(state.fall_speed, 14.0);
  EXPECT_LE(state.fall_speed, 18.0);
  // Carried by the head: 5 m/s, and braked within a second.
  for (double v = 0.0; v < 5.0; v += 0.1, t += 0.02) frame(t, v);
  for (double v = 5.0; v > 0.0; v -= 0.1, t += 0.02) frame(t, v);
  EXPECT_EQ(state.falls, 1);
  // Fed through the knives.
  tree.gripped = 1;
  snapshot.feed_m_s = -3.5;
  for (const double bare : {0.0, 0.0, 6.1, 6.1, 6.5}) {
    tree.bare_to = bare;
    frame(t += 0.02, 0.0);
  }
  EXPECT_EQ(state.whorls, 2);
  EXPECT_EQ(state.whorl_speed, 3.5);
  // The next tree, whose lower branches had been taken before.
  tree.stem = 5;
  tree.bare_to = 9.0;
  frame(t += 0.02, 0.0);
  EXPECT_EQ(state.whorls, 2);
}

TEST(SoundFollower, hearsTheSawInTheWood) {
  SessionSnapshot snapshot{};
  snapshot.sim.engine_rad_per_s = 150.0;
  SoundFollower follower;
  SoundState state;
  for (const double bar : {0.0, 0.4, 1.0}) {
    snapshot.saw = bar;
    follower.follow(snapshot, state);
    EXPECT_EQ(state.chain, bar > 0.0 ? 1.0 : 0.0);
    EXPECT_EQ(state.cut, bar == 1.0 ? 1.0 : 0.0);
  }
  EXPECT_EQ(state.engine_rad_per_s, 150.0);
}

}  // namespace
}  // namespace knuckleboom::sound
