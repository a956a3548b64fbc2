// The desk with virtual levers: two equal ones distinguished only by their order.

#include "input/lever_desk.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "virtual_stick.hpp"

namespace knuckleboom::input {
namespace {

using command::LeverAxis;
using test::StickShape;
using test::VirtualStick;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;

constexpr int kFull = command::kRawMax;

class Desk : public test::SdlJoysticks {
 protected:
  static double value(const LeverDesk& desk, LeverAxis axis) {
    return desk.current().axis[static_cast<std::size_t>(axis)];
  }
  static void expect_neutral(const LeverDesk& desk) { EXPECT_THAT(desk.current().axis, Each(0.0)); }
  static bool said(LeverDesk& desk, const std::string& words) {
    for (const Notice& notice : desk.take_notices())
      if (notice.text.find(words) != std::string::npos) return true;
    return false;
  }
};

TEST_F(Desk, givesTheFirstStickToTheLeftAndTheSecondToTheRight) {
  VirtualStick left, right;
  LeverDesk desk;
  desk.poll(0.0);
  left.axis(0, kFull);
  right.axis(1, -kFull - 1);  // away from the operator
  right.axis(2, kFull / 2);
  desk.poll(0.01);
  EXPECT_DOUBLE_EQ(value(desk, LeverAxis::kLeftX), 1.0);
  EXPECT_DOUBLE_EQ(value(desk, LeverAxis::kRightY), 1.0);
  EXPECT_NEAR(value(desk, LeverAxis::kRightTwist), 0.5, 0.02);
  EXPECT_EQ(value(desk, LeverAxis::kRightX), 0.0);
}

TEST_F(Desk, deliversAMoveAtTheNextPoll) {
  VirtualStick left, right;
  LeverDesk desk;
  desk.poll(0.0);
  EXPECT_LT(desk.newest_event_s(), 0.0);
  for (int i = 1; i <= 50; ++i) {
    left.axis(1, i * 600);
    desk.poll(i * 1e-3);
    const double expected = std::min(1.0, std::max(0.0, (i * 600 - 655) / (kFull - 655.0)));
    EXPECT_NEAR(value(desk, LeverAxis::kLeftY), -expected, 1e-12);
    if (expected > 0.0) {
      EXPECT_EQ(desk.newest_event_s(), i * 1e-3);
    }
  }
}

TEST_F(Desk, readsHatsAndButtons) {
  VirtualStick stick;
  command::LeverSetup setup;
  {
    const RawDevices raw;
    setup.devices = {{"left", raw.attached().front().identity}};
  }
  command::AxisBinding rocker;
  rocker.function = LeverAxis::kLeftRocker;
  rocker.kind = command::ControlKind::kButtons;
  rocker.negative = 2;
  rocker.positive = 3;
  command::AxisBinding hat;
  hat.function = LeverAxis::kRightY;
  hat.kind = command::ControlKind::kHatY;
  setup.axes = {rocker, hat};
  LeverDesk desk(setup);
  desk.poll(0.0);
  stick.button(2, true);
  stick.hat(0, SDL_HAT_RIGHTUP);
  desk.poll(0.01);
  EXPECT_EQ(value(desk, LeverAxis::kLeftRocker), -1.0);
  EXPECT_EQ(value(desk, LeverAxis::kRightY), 1.0);
  EXPECT_FALSE(desk.menu_buttons().menu);  // bound to the rocker
  EXPECT_TRUE(desk.menu_buttons().up);
  stick.button(3, true);
  stick.hat(0, SDL_HAT_DOWN);
  desk.poll(0.02);
  EXPECT_EQ(value(desk, LeverAxis::kLeftRocker), 0.0);
  EXPECT_EQ(value(desk, LeverAxis::kRightY), -1.0);
}

TEST_F(Desk, isNeutralAtThePollThatFindsALeverGone) {
  auto left = std::make_unique<VirtualStick>();
  VirtualStick right;
  LeverDesk desk;
  desk.poll(0.0);
  left->axis(0, kFull);
  right.axis(0, kFull);
  desk.poll(0.05);
  ASSERT_EQ(value(desk, LeverAxis::kLeftX), 1.0);
  desk.take_notices();
  left.reset();
  desk.poll(0.06);
  EXPECT_EQ(value(desk, LeverAxis::kLeftX), 0.0);
  EXPECT_EQ(value(desk, LeverAxis::kRightX), 1.0);  // the other one goes on
  EXPECT_TRUE(said(desk, "the left lever was unplugged"));
  EXPECT_THAT(desk.warnings(),
              Contains(HasSubstr("the left lever (Test stick) is not plugged in")));
}

TEST_F(Desk, doesNotTakeTheJumpToZeroOnRemovalForAMove) {
  auto left = std::make_unique<VirtualStick>();
  VirtualStick right;
  command::LeverSetup setup;
  {
    const RawDevices raw;
    for (const RawDevice& device : raw.attached())
      setup.devices.push_back({setup.devices.empty() ? "left" : "right", device.identity});
  }
  command::AxisBinding pedal;  // rests at its lower end: 0 would be half pressed
  pedal.function = LeverAxis::kLeftPedal;
  pedal.number = 2;
  pedal.calibration = {-kFull, -kFull, kFull, 0};
  setup.axes = {pedal};
  left->axis(2, -kFull);
  LeverDesk desk(setup);
  desk.poll(0.0);
  ASSERT_EQ(desk.devices()[0].state, DeviceState::kInUse);
  left.reset();
  SDL_Event event;
  while (SDL_PollEvent(&event) != 0) {
    desk.handle(event);
    EXPECT_EQ(value(desk, LeverAxis::kLeftPedal), 0.0);
  }
  desk.poll(0.01);
  EXPECT_EQ(value(desk, LeverAxis::kLeftPedal), 0.0);
}

TEST_F(Desk, keepsAReturnedLeverNeutralUntilItWasCentred) {
  auto left = std::make_unique<VirtualStick>();
  VirtualStick right;
  LeverDesk desk;
  desk.poll(0.0);
  left.reset();
  desk.poll(0.1);
  left = std::make_unique<VirtualStick>();
  left->axis(0, kFull);
  left->axis(1, kFull);
  desk.poll(0.2);
  EXPECT_TRUE(said(desk, "the left lever is back"));
  expect_neutral(desk);
  left->axis(0, 0);
  desk.poll(0.3);
  left->axis(0, kFull);
  left->axis(1, 0);
  desk.poll(0.4);
  expect_neutral(desk);  // never all of it at the centre at once
  EXPECT_THAT(desk.warnings(), Contains(HasSubstr("left_x")));
  left->axis(0, 1500);
  desk.poll(0.5);
  EXPECT_TRUE(desk.warnings().empty());
  left->axis(0, kFull);
  desk.poll(0.6);
  EXPECT_EQ(value(desk, LeverAxis::kLeftX), 1.0);
}

TEST_F(Desk, startsNeutralWithALeverHeldDown) {
  VirtualStick left, right;
  left.axis(1, kFull);
  LeverDesk desk;
  desk.poll(0.0);
  expect_neutral(desk);
  EXPECT_THAT(desk.warnings(), Contains(HasSubstr("left_y")));
  left.axis(1, 0);
  desk.poll(0.1);
  left.axis(1, kFull);
  desk.poll(0.2);
  EXPECT_EQ(value(desk, LeverAxis::kLeftY), -1.0);
}

TEST_F(Desk, asksWhichIsWhichWhenBothEqualLeversWereAway) {
  auto left = std::make_unique<VirtualStick>();
  auto right = std::make_unique<VirtualStick>();
  LeverDesk desk;
  desk.poll(0.0);
  left.reset();
  right.reset();
  desk.poll(0.1);
  right = std::make_unique<VirtualStick>();  // the other order
  left = std::make_unique<VirtualStick>();
  desk.poll(0.2);
  EXPECT_TRUE(desk.anything_unclear());
  left->axis(0, kFull);
  desk.poll(0.3);
  expect_neutral(desk);
  left->axis(0, 0);
  desk.poll(0.35);
  desk.swap_levers();
  EXPECT_FALSE(desk.anything_unclear());
  desk.poll(0.4);
  left->axis(0, kFull);
  desk.poll(0.5);
  EXPECT_EQ(value(desk, LeverAxis::kLeftX), 1.0);
  EXPECT_EQ(value(desk, LeverAxis::kRightX), 0.0);
}

TEST_F(Desk, swapsLeversOfOneModelAndOfTwo) {
  for (const std::uint16_t product : {std::uint16_t{1}, std::uint16_t{2}}) {
    VirtualStick first;
    VirtualStick second({.product = product});
    LeverDesk desk;
    desk.poll(0.0);
    desk.swap_levers();
    desk.poll(0.1);
    first.axis(0, kFull);
    desk.poll(0.2);
    EXPECT_EQ(value(desk, LeverAxis::kRightX), 1.0) << product;
    EXPECT_EQ(value(desk, LeverAxis::kLeftX), 0.0) << product;
    // The saved setup means the same in the next session.
    const command::LeverSetup saved = desk.setup();
    for (const command::AxisBinding& binding : saved.axes)
      if (binding.function == LeverAxis::kRightX) {
        EXPECT_EQ(saved.devices[static_cast<std::size_t>(binding.slot)].name, "right");
      }
  }
}

TEST_F(Desk, letsASecondStickJoinTheFirst) {
  VirtualStick first;
  LeverDesk desk;
  desk.poll(0.0);
  EXPECT_TRUE(said(desk, "its hat the right one"));
  VirtualStick second;
  second.axis(0, kFull);
  desk.poll(0.1);
  EXPECT_TRUE(said(desk, "the right lever is Test stick"));
  expect_neutral(desk);
  second.axis(0, 0);
  desk.poll(0.2);
  second.axis(0, kFull);
  desk.poll(0.3);
  EXPECT_EQ(value(desk, LeverAxis::kRightX), 1.0);
}

TEST_F(Desk, takesASingleBoxWithFourAxesForTwoLevers) {
  VirtualStick box({.axes = 4, .hats = 0});
  LeverDesk desk;
  desk.poll(0.0);
  EXPECT_TRUE(said(desk, "two levers in one housing"));
  box.axis(3, -kFull - 1);
  desk.poll(0.1);
  EXPECT_EQ(value(desk, LeverAxis::kRightY), 1.0);
}

TEST_F(Desk, usesTheMappingOfAGameController) {
  VirtualStick pad({.axes = SDL_CONTROLLER_AXIS_MAX,
                    .buttons = SDL_CONTROLLER_BUTTON_MAX,
                    .hats = 0,
                    .type = SDL_JOYSTICK_TYPE_GAMECONTROLLER,
                    .name = "Test pad"});
  pad.axis(SDL_CONTROLLER_AXIS_TRIGGERLEFT, command::kRawMin);
  pad.axis(SDL_CONTROLLER_AXIS_TRIGGERRIGHT, command::kRawMin);
  LeverDesk desk;
  ASSERT_FALSE(desk.raw().attached().front().gamepad_mapping.empty());
  desk.poll(0.0);
  EXPECT_TRUE(desk.warnings().empty());
  pad.axis(SDL_CONTROLLER_AXIS_RIGHTY, command::kRawMin);
  pad.axis(SDL_CONTROLLER_AXIS_TRIGGERRIGHT, kFull);
  pad.button(SDL_CONTROLLER_BUTTON_LEFTSHOULDER, true);
  pad.button(SDL_CONTROLLER_BUTTON_A, true);
  desk.poll(0.1);
  EXPECT_EQ(value(desk, LeverAxis::kRightY), 1.0);
  EXPECT_EQ(value(desk, LeverAxis::kRightRocker), 1.0);
  EXPECT_EQ(value(desk, LeverAxis::kLeftRocker), -1.0);
  EXPECT_TRUE(desk.menu_buttons().accept);
}

TEST_F(Desk, livesWithoutAnyDevice) {
  LeverDesk desk;
  desk.poll(0.0);
  expect_neutral(desk);
  EXPECT_TRUE(said(desk, "no lever or controller is attached"));
  EXPECT_TRUE(desk.devices().empty());
}

TEST_F(Desk, saysWhichControlADeviceLacks) {
  VirtualStick stick;
  command::LeverSetup setup;
  {
    const RawDevices raw;
    setup.devices = {{"left", raw.attached().front().identity}};
  }
  command::AxisBinding binding;
  binding.number = 17;
  setup.axes = {binding};
  LeverDesk desk(setup);
  desk.poll(0.0);
  EXPECT_TRUE(said(desk, "no such control as is bound to left_x"));
  expect_neutral(desk);
}

// --- Anything in any order ----------------------------------------------------

// Bodies are the levers on the table; only the test can distinguish them.
class Table {
 public:
  struct Body {
    std::unique_ptr<VirtualStick> stick;
    int deflection = 0;
  };

  explicit Table(std::size_t count) : bodies_(count) {
    for (std::size_t i = 0; i < count; ++i) plug(i);
  }
  bool plugged(std::size_t i) const { return bodies_[i].stick != nullptr; }
  void plug(std::size_t i) {
    bodies_[i].stick = std::make_unique<VirtualStick>();
    move(i, bodies_[i].deflection);
  }
  void unplug(std::size_t i) { bodies_[i].stick.reset(); }
  void move(std::size_t i, int deflection) {
    bodies_[i].deflection = deflection;
    if (plugged(i))
      for (const int axis : {0, 1}) bodies_[i].stick->axis(axis, deflection);
  }
  int deflection(std::size_t i) const { return bodies_[i].deflection; }
  std::optional<std::size_t> body_of(int device) const {
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      if (plugged(i) && bodies_[i].stick->id() == device) return i;
    return std::nullopt;
  }

 private:
  std::vector<Body> bodies_;
};

struct Sequence {
  explicit Sequence(unsigned seed, std::size_t bodies) : random(seed), table(bodies) {}

  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

  // One action of the user; true if it tells the desk which lever is which.
  bool act(LeverDesk& desk, std::size_t bodies) {
    const auto body = static_cast<std::size_t>(pick(0, static_cast<int>(bodies) - 1));
    switch (pick(0, 9)) {
      case 0:
        desk.swap_levers();
        return true;
      case 1:
        desk.confirm_order();
        return true;
      case 2: {
        const auto lines = desk.devices();
        const auto& line =
            lines[static_cast<std::size_t>(pick(0, static_cast<int>(lines.size()) - 1))];
        return desk.assign(pick(0, 1), line.device);
      }
      case 3:
      case 4:
      case 5:
        if (table.plugged(body))
          table.unplug(body);
        else
          table.plug(body);
        return false;
      default:
        table.move(body, pick(0, 2) == 0 ? 0 : pick(command::kRawMin, command::kRawMax));
        return false;
    }
  }

  std::mt19937 random;
  Table table;
};

TEST_F(Desk, survives200RandomSequencesWithoutMotionFromAnAbsentLeverOrASilentRemap) {
  int moved = 0;
  int unclear = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::size_t bodies = 2 + seed % 2;  // with and without a third, equal stand-by
    Sequence sequence(seed, bodies);
    LeverDesk desk;
    double now = 0.0;
    desk.poll(now);
    // Which body each side is: at first by order, later as the user says, who may leave one open.
    std::array<std::optional<std::size_t>, 2> owner = {0, 1};
    for (int step = 0; step < 60; ++step) {
      bool told = false;
      for (int acts = sequence.pick(1, 3); acts > 0; --acts)
        told = sequence.act(desk, bodies) || told;
      now += 0.01;
      desk.poll(now);
      const auto lines = desk.devices();
      for (std::size_t side = 0; side < 2; ++side) {
        const auto body = sequence.table.body_of(lines[side].device);
        ASSERT_EQ(body.has_value(), lines[side].device >= 0) << "an absent device fills a slot";
        if (told) owner[side] = body;
        if (body && owner[side]) {
          ASSERT_EQ(body, owner[side]) << "remapped, seed " << seed << ", step " << step;
        }
        if (body) owner[side] = body;
        const double x = desk.current().axis[side == 0 ? 0 : 3];
        const double y = desk.current().axis[side == 0 ? 1 : 4];
        const double expected =
            body && lines[side].state == DeviceState::kInUse
                ? command::calibrated(sequence.table.deflection(*body),
                                      {command::kRawMin, 0, command::kRawMax, 655})
                : 0.0;
        ASSERT_EQ(x, expected) << "seed " << seed << ", step " << step;
        ASSERT_EQ(y, -expected) << "seed " << seed << ", step " << step;
        moved += expected != 0.0;
      }
      unclear += desk.anything_unclear();
    }
  }
  // The sequences did reach what they are about.
  EXPECT_GT(moved, 1000);
  EXPECT_GT(unclear, 1000);
}

}  // namespace
}  // namespace knuckleboom::input
