// SDL's mappings, and what tells a pad from a stick.

#include "input/default_layout.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "input/lever_desk.hpp"
#include "unit/io/io_test_support.hpp"

namespace knuckleboom::input {
namespace {

using command::LeverAxis;
using Kind = MappedControl::Kind;

const std::string kPad =
    "03000000242e00008816000001010000,Some "
    "pad,a:b0,b:b1,back:b6,dpdown:h0.4,dpleft:h0.8,dpright:h0.2,"
    "dpup:h0.1,leftshoulder:b4,rightshoulder:b5,lefttrigger:a2,righttrigger:+a5,leftx:a0,lefty:a1~,"
    "rightx:a3,righty:a4,start:b7,broken:z9,cut:a";

TEST(GamepadMapping, isTakenApart) {
  EXPECT_EQ(mapped(kPad, "b")->kind, Kind::kButton);
  EXPECT_EQ(mapped(kPad, "b")->number, 1);
  EXPECT_EQ(mapped(kPad, "lefttrigger")->number, 2);
  EXPECT_FALSE(mapped(kPad, "lefttrigger")->half);
  EXPECT_TRUE(mapped(kPad, "righttrigger")->half);
  EXPECT_TRUE(mapped(kPad, "righttrigger")->positive);
  EXPECT_TRUE(mapped(kPad, "lefty")->invert);
  EXPECT_EQ(mapped(kPad, "dpdown")->kind, Kind::kHat);
  EXPECT_EQ(mapped(kPad, "dpdown")->hat_mask, 4);
  EXPECT_FALSE(mapped(kPad, "guide"));
  EXPECT_FALSE(mapped(kPad, "broken"));
  EXPECT_FALSE(mapped(kPad, "cut"));
  EXPECT_FALSE(mapped("", "a"));
}

RawDevice device(const std::string& name, const std::string& mapping, std::size_t axes,
                 std::size_t hats) {
  RawDevice d;
  d.id = 1;
  d.identity.guid = name;
  d.identity.name = name;
  d.gamepad_mapping = mapping;
  d.state.axes.assign(axes, 0);
  d.state.axis_known.assign(axes, 1);
  d.state.buttons.assign(12, 0);
  d.state.hats.assign(hats, 0);
  return d;
}

double value(const DefaultLayout& layout, LeverAxis axis, const RawState& state) {
  double sum = 0.0;
  for (const command::AxisBinding& b : layout.setup.axes)
    if (b.function == axis) sum += position(b, state);
  return sum;
}

TEST(DefaultLayout, turnsThePadsAxesTheRightWayRound) {
  RawDevice pad = device("Some pad", kPad, 6, 1);
  pad.state.axes = {0, command::kRawMax, command::kRawMin, 0, command::kRawMax, command::kRawMax};
  const DefaultLayout layout = default_layout({pad});
  EXPECT_EQ(value(layout, LeverAxis::kLeftY, pad.state), 1.0);  // the mapping inverts this one
  EXPECT_EQ(value(layout, LeverAxis::kRightY, pad.state), -1.0);
  EXPECT_EQ(value(layout, LeverAxis::kLeftRocker, pad.state), 0.0);  // trigger at rest
  EXPECT_EQ(value(layout, LeverAxis::kRightRocker, pad.state), 1.0);
  pad.state.axes[5] = command::kRawMin;  // the half that is not the trigger's
  EXPECT_EQ(value(layout, LeverAxis::kRightRocker, pad.state), 0.0);
}

TEST(DefaultLayout, pressesTheLeversButtons) {
  const auto pad = default_layout({device("Some pad", kPad, 6, 1)}).setup.buttons;
  const auto of = [](const auto& all, command::LeverButton button) {
    return *std::find_if(all.begin(), all.end(),
                         [button](const auto& b) { return b.function == button; });
  };
  EXPECT_EQ(of(pad, command::LeverButton::kLeft1).button, 1);
  EXPECT_EQ(of(pad, command::LeverButton::kRight4).hat, 0);
  EXPECT_EQ(of(pad, command::LeverButton::kRight4).side, 2);  // down
  // Buttons 2 and 3 of a stick open the menu.
  const RawDevice stick = device("Stick", "", 4, 1);
  const auto sticks = default_layout({stick, stick}).setup.buttons;
  EXPECT_EQ(sticks.size(), 16U);
  EXPECT_EQ(of(sticks, command::LeverButton::kRight3).button, 4);
  EXPECT_EQ(of(sticks, command::LeverButton::kRight3).slot, 1);
  for (const command::ButtonBinding& b : sticks) EXPECT_TRUE(b.button != 2 && b.button != 3);
}

TEST(DefaultLayout, doesNotTakeAMappedJoystickForAPad) {
  const RawDevice stick = device("Thrustmaster T.16000M", kPad, 4, 1);
  EXPECT_FALSE(is_gamepad(stick));
  EXPECT_TRUE(is_gamepad(device("Some pad", kPad, 6, 1)));
  EXPECT_FALSE(is_gamepad(device("Bare stick", "", 6, 1)));
  const DefaultLayout layout = default_layout({stick, stick});
  ASSERT_EQ(layout.setup.devices.size(), 2U);
  EXPECT_EQ(layout.setup.devices[0].name, "left");
}

TEST(DefaultLayout, prefersTwoSticksToAPad) {
  const RawDevice pad = device("Some pad", kPad, 6, 1);
  const RawDevice stick = device("Stick", "", 4, 1);
  EXPECT_EQ(default_layout({pad, stick}).setup.devices[0].name, "controller");
  EXPECT_EQ(default_layout({pad, stick, stick}).setup.devices[0].name, "left");
}

// --- Where a device is plugged in ---------------------------------------------

TEST(DevicePlaceOf, asksTheKernelForPortAndSerial) {
  const test::TemporaryFolder sysfs;
  sysfs.write("class/input/event7/device/phys", "usb-0000:00:14.0-2/input0\n");
  sysfs.write("class/input/event7/device/uniq", "A17\n");
  sysfs.write("class/hidraw/hidraw3/device/uevent",
              "HID_NAME=Stick\nHID_PHYS=usb-0000:00:14.0-3/input0\nHID_UNIQ=\n");
  const DevicePlace event = device_place("/dev/input/event7", sysfs.path());
  EXPECT_EQ(event.port, "usb-0000:00:14.0-2/input0");
  EXPECT_EQ(event.serial, "A17");
  const DevicePlace hid = device_place("/dev/hidraw3", sysfs.path());
  EXPECT_EQ(hid.port, "usb-0000:00:14.0-3/input0");
  EXPECT_EQ(hid.serial, "");
  // The number of the file says nothing: it changes on replugging.
  EXPECT_EQ(device_place("/dev/input/event8", sysfs.path()).port, "");
  EXPECT_EQ(device_place("", sysfs.path()).port, "");
}

}  // namespace
}  // namespace knuckleboom::input
