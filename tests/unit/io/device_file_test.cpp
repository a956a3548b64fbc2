// Device files: written files read back; errors are reported with their place.

#include "knuckleboom/io/device_file.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "io_test_support.hpp"

namespace knuckleboom::device_file_test {
namespace {

using command::ControlKind;
using command::LeverAxis;
using test::faults;
using test::joined;
using test::replaced;

const std::string kEverything = R"([[device]]
slot = "left"
name = "Stick \"one\""
guid = "030000004f0400000ab1000011010000"
port = "usb-0000:00:14.0-2/input0"
serial = "A17"

[[device]]
slot = "right"
guid = "030000004f0400000ab1000011010000"

[[axis]]
lever = "left_y"
device = "left"
axis = 1
min = -30000
centre = 120
max = 31000
noise = 250
invert = true

[[axis]]
lever = "right_x"
device = "right"
hat_x = 0

[[axis]]
lever = "right_rocker"
device = "right"
negative_button = 4
positive_button = 5

[[axis]]
lever = "left_rocker"
device = "left"
positive_button = 2

[[button]]
lever = "left_1"
device = "left"
button = 0

[[button]]
lever = "panel_3"
device = "left"
hat = 1
side = "down"
)";

void expect_same(const command::LeverSetup& a, const command::LeverSetup& b) {
  ASSERT_EQ(a.devices.size(), b.devices.size());
  for (std::size_t i = 0; i < a.devices.size(); ++i) {
    EXPECT_EQ(a.devices[i].name, b.devices[i].name);
    EXPECT_EQ(a.devices[i].identity.guid, b.devices[i].identity.guid);
    EXPECT_EQ(a.devices[i].identity.port, b.devices[i].identity.port);
    EXPECT_EQ(a.devices[i].identity.serial, b.devices[i].identity.serial);
    EXPECT_EQ(a.devices[i].identity.name, b.devices[i].identity.name);
  }
  ASSERT_EQ(a.buttons.size(), b.buttons.size());
  for (std::size_t i = 0; i < a.buttons.size(); ++i) {
    EXPECT_EQ(a.buttons[i].function, b.buttons[i].function);
    EXPECT_EQ(a.buttons[i].slot, b.buttons[i].slot);
    EXPECT_EQ(a.buttons[i].button, b.buttons[i].button);
    EXPECT_EQ(a.buttons[i].hat, b.buttons[i].hat);
    EXPECT_EQ(a.buttons[i].side, b.buttons[i].side);
  }
  ASSERT_EQ(a.axes.size(), b.axes.size());
  for (std::size_t i = 0; i < a.axes.size(); ++i) {
    const command::AxisBinding &x = a.axes[i], &y = b.axes[i];
    EXPECT_EQ(x.function, y.function);
    EXPECT_EQ(x.slot, y.slot);
    EXPECT_EQ(x.kind, y.kind);
    EXPECT_EQ(x.number, y.number);
    EXPECT_EQ(x.negative, y.negative);
    EXPECT_EQ(x.positive, y.positive);
    EXPECT_EQ(x.calibration.min, y.calibration.min);
    EXPECT_EQ(x.calibration.centre, y.calibration.centre);
    EXPECT_EQ(x.calibration.max, y.calibration.max);
    EXPECT_EQ(x.calibration.noise, y.calibration.noise);
    EXPECT_EQ(x.invert, y.invert);
  }
}

TEST(DeviceFile, everyKeyIsRead) {
  const command::LeverSetup setup = io::read_devices_text(kEverything, "d.toml");
  ASSERT_EQ(setup.devices.size(), 2U);
  EXPECT_EQ(setup.devices[0].name, "left");
  EXPECT_EQ(setup.devices[0].identity.name, "Stick \"one\"");
  EXPECT_EQ(setup.devices[0].identity.port, "usb-0000:00:14.0-2/input0");
  EXPECT_EQ(setup.devices[0].identity.serial, "A17");
  ASSERT_EQ(setup.axes.size(), 4U);
  EXPECT_EQ(setup.axes[0].function, LeverAxis::kLeftY);
  EXPECT_EQ(setup.axes[0].number, 1);
  EXPECT_EQ(setup.axes[0].calibration.min, -30000);
  EXPECT_EQ(setup.axes[0].calibration.centre, 120);
  EXPECT_EQ(setup.axes[0].calibration.max, 31000);
  EXPECT_EQ(setup.axes[0].calibration.noise, 250);
  EXPECT_TRUE(setup.axes[0].invert);
  EXPECT_EQ(setup.axes[1].kind, ControlKind::kHatX);
  EXPECT_EQ(setup.axes[1].slot, 1);
  EXPECT_EQ(setup.axes[2].kind, ControlKind::kButtons);
  EXPECT_EQ(setup.axes[2].negative, 4);
  EXPECT_EQ(setup.axes[2].positive, 5);
  EXPECT_EQ(setup.axes[3].negative, -1);
}

TEST(DeviceFile, readsBackWhatItWrites) {
  const command::LeverSetup setup = io::read_devices_text(kEverything, "d.toml");
  expect_same(io::read_devices_text(io::devices_text(setup), "d.toml"), setup);
}

TEST(DeviceFile, writesIntoAFolderThatIsNotThereYet) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "new" / "knuckleboom" / "levers.toml";
  EXPECT_FALSE(io::load_user_devices(path).setup.has_value());
  EXPECT_TRUE(io::load_user_devices(path).problem.empty());
  const command::LeverSetup setup = io::read_devices_text(kEverything, "d.toml");
  io::write_devices(path, setup);
  expect_same(io::load_user_devices(path).setup.value(), setup);
}

TEST(DeviceFile, writesNamesThatAreNoText) {
  command::LeverSetup setup = io::read_devices_text(kEverything, "d.toml");
  setup.devices[0].identity.name = "a\"b\\c\nd\x7F\xFF\xC3\xA9\xE2\x82";
  const auto back = io::read_devices_text(io::devices_text(setup), "d.toml");
  EXPECT_EQ(back.devices[0].identity.name, "a\"b\\c?d??\xC3\xA9??");
}

TEST(DeviceFile, thatIsBrokenIsToldAndLeftOut) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("levers.toml", replaced(kEverything, "axis = 1", "axis = -1"));
  const io::UserDevices user = io::load_user_devices(path);
  EXPECT_FALSE(user.setup.has_value());
  EXPECT_THROW(io::write_devices(path, io::read_devices_text(kEverything, "d.toml")),
               io::FileError);
  EXPECT_FALSE(io::load_user_devices(path).setup.has_value());  // it is still there
  EXPECT_NE(user.problem.find("levers.toml:15:"), std::string::npos) << user.problem;
}

struct BadInput {
  const char* from;
  const char* to;
  const char* fragment;
  const char* marker;  // place of the message
};

TEST(DeviceFile, errorsAreToldWithTheirPlace) {
  const BadInput inputs[] = {
      {"axis = 1", "axes = 1", "has no key 'axes'; did you mean 'axis'?", "[[axis]]"},
      {"lever = \"left_y\"", "lever = \"left_z\"", "did you mean 'left_", "left_z"},
      {"lever = \"left_y\"\n", "", "lacks 'lever'", "[[axis]]"},
      {"device = \"left\"", "device = \"lefty\"",
       "there is no device 'lefty'; did you mean 'left'?", "lefty"},
      {"slot = \"right\"", "slot = \"left\"", "two devices are called 'left'",
       "slot = \"left\"\nguid"},
      {"slot = \"right\"", "slot = \"\"", "'slot' must not be empty", "slot = \"\""},
      {"guid = \"03", "guid = \"3", "it has 32 digits", "guid = \"3"},
      {"axis = 1", "axis = 1\nhat_x = 0", "needs one of 'axis', 'hat_x'", "[[axis]]"},
      {"axis = 1\n", "", "needs one of 'axis', 'hat_x'", "[[axis]]"},
      {"hat_x = 0", "hat_x = 0\nnoise = 3", "has no key 'noise'", "noise = 3"},
      {"centre = 120", "centre = 32000", "the centre 32000 must lie between", "centre"},
      {"max = 31000", "max = 40000", "it must be at least -32768 and at most 32767", "max = 4"},
      {"min = -30000\ncentre = 120\nmax = 31000", "min = 0\ncentre = 50\nmax = 100",
       "only 100 raw values", "max = 100"},
      {"noise = 250", "noise = 30900", "leaves nothing of the travel", "noise"},
      {"positive_button = 5", "positive_button = 5.5", "must be an integer", "positive_button"},
  };
  for (const BadInput& input : inputs) {
    const std::string text = replaced(kEverything, input.from, input.to);
    ASSERT_FALSE(text.empty()) << input.from;
    const auto found = faults([&] { io::read_devices_text(text, "d.toml"); });
    ASSERT_FALSE(found.empty()) << input.to;
    EXPECT_NE(joined(found).find(input.fragment), std::string::npos) << joined(found);
    EXPECT_EQ(found[0].line, test::line_of(text, input.marker)) << joined(found);
  }
}

TEST(DeviceFile, needsDevices) {
  EXPECT_NE(
      joined(faults([] { io::read_devices_text("# nothing\n", "d.toml"); })).find("has no devices"),
      std::string::npos);
}

}  // namespace
}  // namespace knuckleboom::device_file_test
