// Calibrating and binding with virtual levers moved by a script.

#include "app/commands/lever_dialogue.hpp"

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/shell/exit_status.hpp"
#include "unit/input/virtual_stick.hpp"

namespace knuckleboom::app {
namespace {

using command::AxisBinding;
using command::ControlKind;
using command::LeverAxis;
using test::VirtualStick;
using testing::HasSubstr;

class LeverDialogue : public test::SdlJoysticks {
 protected:
  // Each sentence of the program is heard by `answer`, which sets what the hands do from then on:
  // a function of the time since, true for Enter.
  using Hands = std::function<bool(double)>;

  LeverTalk talk() {
    LeverTalk talk;
    talk.say = [this](std::string_view text) {
      said_ += text;
      if (Hands hands = answer_(std::string(text))) {
        hands_ = std::move(hands);
        heard_s_ = now_;
        enter_ = false;
      }
    };
    talk.wait = [this] {
      now_ += 0.01;
      if (now_ > 300.0) throw std::runtime_error("the dialogue does not end: " + said_);
      enter_ = (hands_ && hands_(now_ - heard_s_)) || enter_;
      return now_;
    };
    talk.entered = [this] { return std::exchange(enter_, false); };
    talk.stopped = [this] { return stop_at_s_ > 0.0 && now_ > stop_at_s_; };
    return talk;
  }

  std::function<Hands(const std::string&)> answer_;
  Hands hands_;
  bool enter_ = false;
  std::string said_;
  double now_ = 0.0, heard_s_ = 0.0, stop_at_s_ = 0.0;
};

const AxisBinding* binding_of(const command::LeverSetup& setup, LeverAxis axis) {
  for (const AxisBinding& b : setup.axes)
    if (b.function == axis) return &b;
  return nullptr;
}

// --- Calibration --------------------------------------------------------------

TEST_F(LeverDialogue, measuresEndsCentreAndNoiseOfTheMovedAxes) {
  VirtualStick stick;
  input::LeverDesk desk;
  answer_ = [&](const std::string& text) -> Hands {
    if (text.find("hands off") != std::string::npos || text.find("Let go") != std::string::npos)
      return [&](double t) {
        stick.axis(0, 500 + (static_cast<int>(t * 100.0) % 2 == 0 ? 100 : -100));
        return t > 0.5 && t < 0.52;
      };
    if (text.find("whole travel") != std::string::npos)
      return [&](double t) {
        stick.axis(0, t < 1.0 ? 500 - static_cast<int>(t * 25000.0)
                              : 500 + static_cast<int>((t - 1.0) * 30000.0));
        return t >= 2.0;
      };
    return {};
  };
  const auto setup = calibrate_levers(desk, {stick.id()}, talk());
  ASSERT_TRUE(setup);
  const AxisBinding* x = binding_of(*setup, LeverAxis::kLeftX);
  ASSERT_NE(x, nullptr);
  EXPECT_NEAR(x->calibration.min, 500 - 25000, 500);
  EXPECT_NEAR(x->calibration.max, 500 + 30000, 500);
  EXPECT_NEAR(x->calibration.centre, 500, 10);
  EXPECT_NEAR(x->calibration.noise, 150, 10);
  // Axes that were not moved are unchanged.
  EXPECT_EQ(binding_of(*setup, LeverAxis::kLeftY)->calibration.max, command::kRawMax);
  EXPECT_THAT(said_, HasSubstr("axis 1: not moved"));
}

TEST_F(LeverDialogue, refusesALeverThatWasNotMoved) {
  VirtualStick stick;
  input::LeverDesk desk;
  answer_ = [](const std::string&) -> Hands { return [](double t) { return t > 0.2; }; };
  try {
    calibrate_levers(desk, {stick.id()}, talk());
    FAIL() << "was not refused";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no bound axis of Test stick was moved"));
  }
}

TEST_F(LeverDialogue, refusesWhenTheLeverIsUnpluggedMeanwhile) {
  auto stick = std::make_unique<VirtualStick>();
  input::LeverDesk desk;
  const int id = stick->id();
  answer_ = [&](const std::string&) -> Hands {
    return [&](double t) {
      if (t > 0.3) stick.reset();
      return false;
    };
  };
  EXPECT_THROW(calibrate_levers(desk, {id}, talk()), UserError);
}

TEST_F(LeverDialogue, stopsWithoutResult) {
  VirtualStick stick;
  input::LeverDesk desk;
  answer_ = [](const std::string&) -> Hands { return {}; };
  stop_at_s_ = 1.0;
  EXPECT_FALSE(calibrate_levers(desk, {stick.id()}, talk()));
  EXPECT_FALSE(bind_levers(desk, talk()));
}

// --- Binding ------------------------------------------------------------------

TEST_F(LeverDialogue, bindsWhatTheHandsMove) {
  VirtualStick first, second;
  first.axis(2, 32000);  // a throttle at its end
  input::LeverDesk desk;
  // Out at 0.8 s, back at 1.2 s.
  const auto push = [](VirtualStick& stick, int axis, int reach) -> Hands {
    return [&stick, axis, reach](double t) {
      stick.axis(axis, t > 0.8 && t < 1.2 ? reach : 0);
      return false;
    };
  };
  const auto press = [](VirtualStick& stick, int button) -> Hands {
    return [&stick, button](double t) {
      stick.button(button, t > 0.8 && t < 1.0);
      return false;
    };
  };
  answer_ = [&](const std::string& text) -> Hands {
    // The second stick is the left lever here, and its axes lie across.
    if (text.starts_with("left_x")) return push(second, 1, 30000);
    if (text.starts_with("left_y")) return push(second, 0, -30000);
    if (text.starts_with("right_x")) return push(first, 0, 25000);
    if (text.starts_with("right_rocker")) return press(first, 1);
    if (text.starts_with("  the other way")) return press(first, 3);
    if (text.find("(Enter skips)") != std::string::npos) return [](double t) { return t > 0.3; };
    return {};
  };
  const auto setup = bind_levers(desk, talk());
  ASSERT_TRUE(setup) << said_;
  ASSERT_EQ(setup->devices.size(), 2U);
  EXPECT_EQ(setup->devices[1].name, "left");

  const AxisBinding* left_x = binding_of(*setup, LeverAxis::kLeftX);
  ASSERT_NE(left_x, nullptr);
  EXPECT_EQ(left_x->slot, 1);
  EXPECT_EQ(left_x->number, 1);
  EXPECT_FALSE(left_x->invert);
  const AxisBinding* left_y = binding_of(*setup, LeverAxis::kLeftY);
  ASSERT_NE(left_y, nullptr);
  EXPECT_EQ(left_y->number, 0);
  EXPECT_TRUE(left_y->invert);
  const AxisBinding* rocker = binding_of(*setup, LeverAxis::kRightRocker);
  ASSERT_NE(rocker, nullptr);
  EXPECT_EQ(rocker->kind, ControlKind::kButtons);
  EXPECT_EQ(rocker->positive, 1);
  EXPECT_EQ(rocker->negative, 3);
  EXPECT_EQ(rocker->slot, 0);
  EXPECT_EQ(setup->axes.size(), 4U);  // what was skipped is left out
  // No control moves two lever axes.
  for (std::size_t i = 0; i < setup->axes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const AxisBinding &a = setup->axes[i], &b = setup->axes[j];
      EXPECT_FALSE(a.slot == b.slot && a.kind == ControlKind::kAxis && b.kind == a.kind &&
                   a.number == b.number);
    }
}

}  // namespace
}  // namespace knuckleboom::app
