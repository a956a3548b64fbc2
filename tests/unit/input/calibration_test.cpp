// Range and binding by moving.

#include "input/calibration.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <SDL2/SDL.h>
#include <gtest/gtest.h>

namespace knuckleboom::input {
namespace {

using command::ControlKind;
using Outcome = MoveDetector::Outcome;

RawState state(std::vector<int> axes) {
  RawState s;
  s.axis_known.assign(axes.size(), 1);
  s.axes = std::move(axes);
  s.buttons.assign(4, 0);
  s.hats.assign(1, 0);
  return s;
}

// --- Range --------------------------------------------------------------------

struct Travel {
  int rest, tremble, low, high;
};

RangeRecorder recorded(const Travel& travel) {
  RangeRecorder recorder;
  for (const int offset : {-travel.tremble, 0, travel.tremble})
    recorder.rest(state({travel.rest + offset}));
  for (const int value : {travel.low, travel.high}) recorder.move(state({value}));
  return recorder;
}

TEST(RangeRecorder, findsEndsCentreAndNoise) {
  std::string refusal;
  const auto c = recorded({300, 200, -29000, 31000}).result(0, refusal);
  ASSERT_TRUE(c) << refusal;
  EXPECT_EQ(c->min, -29000);
  EXPECT_EQ(c->centre, 300);
  EXPECT_EQ(c->max, 31000);
  EXPECT_EQ(c->noise, 300);  // half the spread of 400, and half as much again
}

TEST(RangeRecorder, knowsATriggerByItsRestAtAnEnd) {
  std::string refusal;
  const auto c = recorded({-32000, 100, -32768, 32767}).result(0, refusal);
  ASSERT_TRUE(c) << refusal;
  EXPECT_EQ(c->min, c->centre);
  EXPECT_EQ(command::calibrated(-32000, *c), 0.0);
  EXPECT_EQ(command::calibrated(32767, *c), 1.0);
}

TEST(RangeRecorder, refusesNonsenseInOneSentence) {
  const struct {
    Travel travel;
    const char* words;
  } cases[] = {
      {{0, 50, -3000, 3000}, "hardly moved"},
      {{-20000, 50, -32768, 32767}, "rest at 19 % of its travel"},
      {{0, 9000, -32768, 32767}, "does not come to rest"},
  };
  for (const auto& one : cases) {
    std::string refusal;
    EXPECT_FALSE(recorded(one.travel).result(0, refusal)) << one.words;
    EXPECT_NE(refusal.find(one.words), std::string::npos) << refusal;
  }
  std::string refusal;
  EXPECT_FALSE(recorded({0, 50, -32768, 32767}).result(3, refusal));  // there is no such axis
}

// --- Binding ------------------------------------------------------------------

// Two devices with three axes; what rests where is up to the test.
class Binding : public testing::Test {
 protected:
  Binding() {
    devices_.resize(2);
    for (int i = 0; i < 2; ++i) {
      devices_[static_cast<std::size_t>(i)].id = 10 + i;
      devices_[static_cast<std::size_t>(i)].state = state({0, 0, 0});
    }
  }
  int& axis(int device, int number) {
    return devices_[static_cast<std::size_t>(device)].state.axes[static_cast<std::size_t>(number)];
  }
  // The first outcome within this time, 100 looks a second.
  Outcome within(double seconds, const std::function<void(double)>& hands = {}) {
    for (int i = 0; i < static_cast<int>(seconds * 100.0); ++i) {
      now_ += 0.01;
      if (hands) hands(i * 0.01);
      const Outcome outcome = detector_.look(devices_, now_);
      if (outcome != Outcome::kNothing) return outcome;
    }
    return Outcome::kNothing;
  }
  // Out and back again in half a second.
  Outcome moves(int device, int number, int reach) {
    const int start = axis(device, number);
    const Outcome outcome = within(0.8, [&](double t) {
      const double share = std::max(0.0, 1.0 - std::abs(t / 0.25 - 1.0));
      axis(device, number) = start + static_cast<int>(share * reach);
    });
    axis(device, number) = start;
    return outcome;
  }

  std::vector<RawDevice> devices_;
  MoveDetector detector_;
  double now_ = 0.0;
};

TEST_F(Binding, findsTheMovedAxisAndItsDirection) {
  EXPECT_EQ(within(0.5), Outcome::kNothing);
  ASSERT_TRUE(detector_.ready());
  EXPECT_EQ(moves(1, 2, -30000), Outcome::kFound);
  EXPECT_EQ(detector_.found().device, 11);
  EXPECT_EQ(detector_.found().number, 2);
  EXPECT_FALSE(detector_.found().positive);
}

TEST_F(Binding, ignoresAxesThatRestOffCentreOrTremble) {
  axis(0, 2) = 32767;  // a throttle
  int step = 0;
  const auto tremble = [&](double) { axis(1, 1) = 1400 * (step++ % 3 - 1); };
  EXPECT_EQ(within(0.5, tremble), Outcome::kNothing);
  ASSERT_TRUE(detector_.ready());
  EXPECT_EQ(within(5.0, tremble), Outcome::kNothing);
  EXPECT_EQ(moves(0, 0, 20000), Outcome::kFound);
  EXPECT_EQ(detector_.found().device, 10);
  EXPECT_EQ(detector_.found().number, 0);
}

TEST_F(Binding, leavesOutWhatNeverRests) {
  int step = 0;
  const auto wobble = [&](double) { axis(1, 1) = 20000 * (step++ % 3 - 1); };
  EXPECT_EQ(within(2.0, wobble), Outcome::kNothing);
  EXPECT_FALSE(detector_.ready());
  EXPECT_EQ(within(2.0, wobble), Outcome::kNothing);
  ASSERT_TRUE(detector_.ready());
  EXPECT_EQ(moves(0, 1, 30000), Outcome::kFound);
  EXPECT_EQ(detector_.found().number, 1);
}

TEST_F(Binding, doesNotTakeTheWayBackForTheNextAnswer) {
  within(0.5);
  // Held at the end: found after a second.
  EXPECT_EQ(within(2.0, [&](double) { axis(0, 0) = 32000; }), Outcome::kFound);
  EXPECT_EQ(within(2.0), Outcome::kNothing);
  EXPECT_FALSE(detector_.ready());
  axis(0, 0) = 0;
  EXPECT_EQ(within(1.0), Outcome::kNothing);
  ASSERT_TRUE(detector_.ready());
  EXPECT_EQ(moves(0, 1, 30000), Outcome::kFound);
  EXPECT_EQ(detector_.found().number, 1);
  EXPECT_TRUE(detector_.found().positive);
}

TEST_F(Binding, saysWhenTwoAxesMovedAlike) {
  within(0.5);
  EXPECT_EQ(within(2.0,
                   [&](double t) {
                     axis(0, 0) = t < 0.5 ? 30000 : 0;
                     axis(0, 1) = t < 0.5 ? 25000 : 0;
                   }),
            Outcome::kTwoAtOnce);
  within(0.5);
  EXPECT_EQ(moves(0, 1, 30000), Outcome::kFound);
}

TEST_F(Binding, takesTheFirstReportOfAnAxisForItsRest) {
  devices_[0].state.axis_known[2] = 0;
  within(0.5);
  devices_[0].state.axis_known[2] = 1;
  axis(0, 2) = -32768;
  EXPECT_EQ(within(1.5), Outcome::kNothing);
  EXPECT_EQ(moves(0, 0, 30000), Outcome::kFound);
  EXPECT_EQ(detector_.found().number, 0);
}

TEST_F(Binding, findsButtonsAndHats) {
  devices_[0].state.buttons[3] = 1;  // a switch that stays on
  within(0.5);
  devices_[1].state.buttons[1] = 1;
  EXPECT_EQ(within(0.1), Outcome::kFound);
  EXPECT_EQ(detector_.found().kind, ControlKind::kButtons);
  EXPECT_EQ(detector_.found().device, 11);
  EXPECT_EQ(detector_.found().number, 1);
  devices_[1].state.buttons[1] = 0;
  within(0.5);
  devices_[0].state.hats[0] = SDL_HAT_DOWN;
  EXPECT_EQ(within(0.1), Outcome::kFound);
  EXPECT_EQ(detector_.found().kind, ControlKind::kHatY);
  EXPECT_FALSE(detector_.found().positive);
}

}  // namespace
}  // namespace knuckleboom::input
