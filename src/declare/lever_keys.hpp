// Keys of lever files and device files.
#pragma once

#include <algorithm>

#include "declare/body_keys.hpp"
#include "knuckleboom/core/command/lever_pattern.hpp"
#include "knuckleboom/core/command/lever_setup.hpp"
#include "knuckleboom/declare/key.hpp"

namespace knuckleboom::declare::keys {

// The names of an enumeration's values, from 0 on.
template <std::size_t n>
constexpr std::array<Word, n> words_of(const char* const (&names)[n]) {
  std::array<Word, n> words;
  for (std::size_t i = 0; i < n; ++i) words[i] = {names[i], static_cast<int>(i)};
  return words;
}
inline constexpr auto kLeverAxisWords = words_of(command::kLeverAxisNames);
inline constexpr auto kLeverButtonWords = words_of(command::kLeverButtonNames);

// --- Lever file -----------------------------------------------------------------

namespace lever_shape {
using command::AxisShape;
using command::RampLimits;
inline constexpr Key exponent =
    plain("exponent", {0.1, 10.0}, "of the rest of the travel; above 1 is fine near the centre")
        .to<&AxisShape::exponent>()
        .replaces("curve");
inline constexpr Key curve =
    declare::curve("curve", D::kNone, {0.0, 1.0}, {0.0, 1.0},
                   "`[[0, 0], ..., [1, y]]` instead of an exponent: rising, linear between points")
        .to<&AxisShape::curve>();
inline constexpr Key dead_zone =
    plain("dead_zone", {0.0, 0.9},
          "share of the travel to each side of the centre that gives nothing")
        .to<&AxisShape::dead_zone>();
inline constexpr Key gain = plain("gain", {0.0, 1.0, true}, "").to<&AxisShape::gain>();
inline constexpr Key rise =
    number("rise", D::kRate, kPositive,
           "how fast the value may move away from zero, in full travels a second")
        .to<&RampLimits::rise_per_s>()
        .otherwise("at once");
inline constexpr Key fall = number("fall", D::kRate, kPositive, "how fast it may come back")
                                .to<&RampLimits::fall_per_s>()
                                .otherwise("at once");
inline constexpr Key all[] = {dead_zone, exponent, curve, gain, rise, fall};
inline constexpr KeyTable table{"levers.default", "[default]", all};
}  // namespace lever_shape

namespace lever_function {
using command::LeverFunction;
using command::LeverTarget;
inline constexpr Word kTips[] = {word("reach", LeverTarget::kTipReach, "away from the machine"),
                                 word("height", LeverTarget::kTipHeight, "up")};
inline constexpr Word kGrapples[] = {
    word("close", LeverTarget::kGrapple, "the jaws; positive closes")};
inline constexpr Word kWheels[] = {
    word("drive", LeverTarget::kDrive,
         "the drive of the wheels; positive is the way the seat looks. In the middle the machine "
         "stops and parks, with its joint lock on"),
    word("brake", LeverTarget::kBrake,
         "the service brake, by the lever's positive half; it takes the drive's stroke back as "
         "well")};
inline constexpr Word kHeads[] = {
    word("tilt", LeverTarget::kTilt, "the tilt of a harvester's head; positive is up"),
    word("feed", LeverTarget::kFeed,
         "its rollers, once the stem is off its stump and the saw at home; positive is towards the "
         "tip")};
inline constexpr Key axis =
    word_of("axis", kLeverAxisWords, "each at most once").must().to<&LeverFunction::axis>();
inline constexpr Key joint =
    name_of("joint", "name of a joint that it moves, or").to<&LeverFunction::joint>();
inline constexpr Key tip =
    word_of("tip", kTips, "the speed of the tip, for which the machine finds the joints; or")
        .to<&LeverFunction::target>()
        .otherwise("none");
inline constexpr Key grapple =
    word_of("grapple", kGrapples, "").to<&LeverFunction::target>().otherwise("none");
inline constexpr Key wheels =
    word_of("wheels", kWheels, "").to<&LeverFunction::target>().otherwise("none");
inline constexpr Key head =
    word_of("head", kHeads, "").to<&LeverFunction::target>().otherwise("none");
// Volts of a joint, a speed of the tip, a share of the jaws' speed.
inline constexpr Key full =
    number("full", D::kVoltage, {0.0, 1e3, true},
           "at full lever: for a joint the valve command in valve mode; "
           "for the tip its speed, `full_[m_per_s]`; for grapple, wheels and head "
           "a plain `full`, the share of the jaws' closing speed, of the "
           "drive, of the tilt's rate or of the feed's speed, at most 1")
        .must();
inline constexpr Key full_negative =
    number("full_negative", D::kVoltage, {0.0, 1e3, true},
           "joints only: the same towards smaller positions of the joint")
        .to<&LeverFunction::full_negative_V>()
        .otherwise("as `full`");
inline void set_start(LeverFunction& function, std::span<const double> values) {
  function.start_V = {values[0], values[1]};
}
inline constexpr Key start =
    numbers(
        "start", D::kVoltage, kNonNegative, 2, 2,
        "joints, and a grapple whose jaws a valve moves: valve command where the lever leaves its "
        "dead zone, `[towards larger positions, towards smaller ones]`, of jaws `[open, closed]`; "
        "`knuckleboom levers tune` measures it")
        .to<&set_start>()
        .otherwise("the machine's `driver`");
inline constexpr Key full_rate =
    turning("full_rate", D::kAngularSpeed, D::kSpeed, {0.0, 1e3, true},
            "joints only: speed at full lever in joint rate mode. Without it the speed that the "
            "valve gives at `full` without load");
inline constexpr Key invert = flag("invert", "`true` turns the sense round").otherwise(0.0);
inline constexpr Key own[] = {axis, joint,         tip,   grapple,   wheels, head,
                              full, full_negative, start, full_rate, invert};
inline constexpr auto all = join(own, lever_shape::all);
inline constexpr KeyTable table{"levers.function", "[[function]]", all};
}  // namespace lever_function

namespace lever_mode {
inline constexpr Key name =
    name_of("name", "what the mode is called; without one the levers are in mode `crane`").must();
// The name, then the axes in their order.
constexpr std::array<Key, 1 + command::kLeverAxes> keys_of_mode() {
  std::array<Key, 1 + command::kLeverAxes> keys{name};
  for (std::size_t i = 0; i < command::kLeverAxes; ++i)
    keys[1 + i] = word_of(command::kLeverAxisNames[i], kLeverAxisWords,
                          "the axis whose function it has in this mode, instead of its own")
                      .otherwise("its own");
  return keys;
}
inline constexpr auto all = keys_of_mode();
inline constexpr KeyTable table{"levers.mode", "[[mode]]", all};
}  // namespace lever_mode

namespace lever_button {
using command::ButtonKind;
using command::ButtonUse;
using command::Switch;
constexpr Word switch_word(Switch does, std::string_view says) {
  return word(command::kSwitchNames[static_cast<int>(does)], does, says);
}
inline constexpr Word kSwitches[] = {
    switch_word(Switch::kDirection, "the lever of the drive works backwards"),
    switch_word(Switch::kHighGear, "engages when the machine stands"),
    switch_word(Switch::kServiceBrake, "fully"),
    switch_word(
        Switch::kParkingBrake,
        "by hand, beside the one that parks a machine that nobody drives; the drive does nothing"),
    switch_word(Switch::kDifferentialLock, "all driven wheels turn alike"),
    switch_word(Switch::kJointLock,
                "by hand, beside the lock of a machine that is parked or whose crane moves"),
    switch_word(Switch::kSeat,
                "turned by half a turn: view, sense of the drive and of the steering go with it"),
    switch_word(Switch::kLeverMode, "the next of the modes"),
    switch_word(Switch::kSaw, "of a harvester's head: out and cutting while it is on"),
    switch_word(Switch::kButtReset,
                "of a harvester's head: its measuring wheel counts from where the saw is"),
    switch_word(Switch::kBestLength,
                "a harvester's head feeds the stem to the length of highest value while it is on"),
    switch_word(Switch::kLength1, "the same to the first length of the exercise's products"),
    switch_word(Switch::kLength2, "to the second"),
    switch_word(Switch::kLength3, "to the third"),
    switch_word(Switch::kLength4, "to the fourth"),
    switch_word(Switch::kLength5, "to the fifth"),
    switch_word(Switch::kLength6, "to the sixth")};
inline constexpr Word kKinds[] = {word("toggle", ButtonKind::kToggle, "each press turns it over"),
                                  word("hold", ButtonKind::kHold, "on while the button is held"),
                                  word("press_on", ButtonKind::kPressOn, "a press turns it on"),
                                  word("press_off", ButtonKind::kPressOff, "a press turns it off")};
inline constexpr Key button = word_of("button", kLeverButtonWords, "each at most once in a mode")
                                  .must()
                                  .to<&ButtonUse::button>();
inline constexpr Key does =
    word_of("does", kSwitches, "what it turns on and off").must().to<&ButtonUse::does>();
inline constexpr Key how = word_of("how", kKinds, "").to<&ButtonUse::how>().otherwise("toggle");
inline constexpr Key mode =
    text("mode", "the only mode in which it counts").to<&ButtonUse::in_mode>().otherwise("all");
inline constexpr Key all[] = {button, does, how, mode};
inline constexpr KeyTable table{"levers.button", "[[button]]", all};
}  // namespace lever_button

namespace lever_file {
using command::LeverPattern;
inline constexpr Key shared = declare::table(
    "default", lever_shape::table, "shaping keys for all functions that do not have their own");
inline constexpr Key functions =
    tables("function", lever_function::table, 64, "at least one").must();
inline constexpr Key modes = tables("mode", lever_mode::table, command::kMaxLeverModes - 1,
                                    "other meanings of axes, to which a button changes");
inline constexpr Key buttons =
    tables("button", lever_button::table, 64,
           "what a button turns on and off; for machines on wheels or with a harvester's head");
inline constexpr Key all[] = {
    keys::name("").to<&LeverPattern::name>(),
    description().to<&LeverPattern::description>(),
    shared,
    functions,
    modes,
    buttons,
};
inline constexpr KeyTable table{"levers", "", all};
}  // namespace lever_file

// --- Device file ----------------------------------------------------------------

namespace device {
using command::DeviceIdentity;
using command::DeviceSlot;
inline constexpr Key slot = name_of("slot", "what it is called here, such as `left`; each once")
                                .must()
                                .to<&DeviceSlot::name>();
inline constexpr Key guid =
    text("guid", "the model: 32 digits from 0 to f, as `knuckleboom levers --list` shows")
        .must()
        .to<&DeviceIdentity::guid>();
inline constexpr Key name = text("name", "for people").to<&DeviceIdentity::name>();
inline constexpr Key port =
    text("port", "where it is plugged in (`usb-0000:00:14.0-2/input0`), the same after replugging")
        .to<&DeviceIdentity::port>();
inline constexpr Key serial = text("serial", "of this one device").to<&DeviceIdentity::serial>();
inline constexpr Key all[] = {slot, guid, name, port, serial};
inline constexpr KeyTable table{"devices.device", "[[device]]", all};
}  // namespace device

namespace device_axis {
using command::AxisBinding;
using command::AxisCalibration;
inline constexpr int kMaxControl = 255;
constexpr Key control(std::string_view key, std::string_view says) {
  return whole(key, 0, kMaxControl, says);
}
constexpr Key raw(std::string_view key, int low, std::string_view says) {
  return whole(key, low, command::kRawMax, says).just("axis");
}
inline constexpr Key lever = word_of("lever", kLeverAxisWords, "the lever axis that is moved")
                                 .must()
                                 .to<&AxisBinding::function>();
inline constexpr Key device = text("device", "the slot of a device").must();
inline constexpr Key axis = control("axis", "number of an axis, or");
inline constexpr Key hat_x = control("hat_x", "number of a hat; right is positive, or");
inline constexpr Key hat_y =
    control("hat_y", "number of a hat; away from the operator is positive, or");
inline constexpr Key negative_button =
    control("negative_button", "number of a button; one of the two may be absent")
        .to<&AxisBinding::negative>()
        .otherwise("none");
inline constexpr Key positive_button =
    control("positive_button", "number of a button").to<&AxisBinding::positive>().otherwise("none");
inline constexpr Key invert =
    flag("invert", "`true` turns the sense round").to<&AxisBinding::invert>();
inline constexpr Key min =
    raw("min", command::kRawMin, "raw value of an axis at one end").to<&AxisCalibration::min>();
inline constexpr Key centre =
    raw("centre", command::kRawMin, "raw value of an axis at rest").to<&AxisCalibration::centre>();
inline constexpr Key max = raw("max", command::kRawMin, "raw value of an axis at the other end")
                               .to<&AxisCalibration::max>();
inline constexpr Key noise =
    raw("noise", 0, "raw values this near to the centre count as the centre")
        .to<&AxisCalibration::noise>();
inline constexpr Key all[] = {lever,           device, axis, hat_x,  hat_y, negative_button,
                              positive_button, invert, min,  centre, max,   noise};
inline constexpr KeyTable table{"devices.axis", "[[axis]]", all};
}  // namespace device_axis

namespace device_button {
using command::ButtonBinding;
inline constexpr Word kSides[] = {{"up", 0}, {"right", 1}, {"down", 2}, {"left", 3}};
inline constexpr Key lever = word_of("lever", kLeverButtonWords, "the lever button that is pressed")
                                 .must()
                                 .to<&ButtonBinding::function>();
inline constexpr Key device = text("device", "the slot of a device").must();
inline constexpr Key button = device_axis::control("button", "number of a button, or")
                                  .to<&ButtonBinding::button>()
                                  .otherwise("none");
inline constexpr Key hat = device_axis::control("hat", "number of a hat that is pushed to a side")
                               .to<&ButtonBinding::hat>()
                               .otherwise("none");
inline constexpr Key side =
    word_of("side", kSides, "of the hat").to<&ButtonBinding::side>().otherwise("up");
inline constexpr Key all[] = {lever, device, button, hat, side};
inline constexpr KeyTable table{"devices.button", "[[button]]", all};
}  // namespace device_button

namespace device_file {
inline constexpr Key devices =
    tables("device", device::table, 16, "what stands on the desk").must();
inline constexpr Key axes = tables("axis", device_axis::table, 128, "what moves which lever axis");
inline constexpr Key buttons =
    tables("button", device_button::table, 128, "what presses which lever button");
inline constexpr Key all[] = {devices, axes, buttons};
inline constexpr KeyTable table{"devices", "", all};
}  // namespace device_file

}  // namespace knuckleboom::declare::keys
