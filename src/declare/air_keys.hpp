// Keys of air files.
#pragma once

#include "declare/body_keys.hpp"
#include "knuckleboom/core/command/signal.hpp"
#include "knuckleboom/core/machine/air_rig.hpp"
#include "knuckleboom/declare/key.hpp"

namespace knuckleboom::declare::keys {

inline constexpr Range kAbsolute{0.0, 1e8, true};  // Pa
inline constexpr Range kAirSize{0.0, 1e3, true};   // m, m^3

namespace air {
using pneumatics::Air;
inline constexpr Key all[] = {
    number("supply", D::kPressure, kAbsolute, "").must().to<&Air::P_supply>(),
    number("ambient", D::kPressure, kAbsolute, "").to<&Air::P_ambient>(),
};
inline constexpr KeyTable table{"air.air", "[air]", all};
}  // namespace air

namespace air_valve {
using pneumatics::Valve;
inline constexpr Key full =
    number("full", D::kVoltage, {0.0, 5.0, true}, "above the middle of 5 V").must();
inline constexpr Key all[] = {
    number("dead_zone", D::kVoltage, {0.0, 4.9}, "").to<&Valve::dead_zone_V>().otherwise(0.0),
    full,
    number("area", D::kArea, kPositive, "$C_d A_0$ fully open").must().to<&Valve::area_max>(),
    number("leakage", D::kArea, kNonNegative, "").to<&Valve::leakage>().otherwise(0.0),
    number("lag", D::kTime, kNonNegative, "").to<&Valve::lag_s>().otherwise(0.0),
};
inline constexpr KeyTable table{"air.valve", "[valve]", all};
}  // namespace air_valve

namespace foot {
using machine::Foot;
inline constexpr Key body = keys::body("");
inline constexpr Key all[] = {
    body,
    position("in that body's frame").must().to<&Foot::p_B>(),
    number("full", D::kLength, kPositive, "way of the foot at full lever").must().to<&Foot::full>(),
};
inline constexpr KeyTable table{"air.foot", "[foot]", all};
}  // namespace foot

namespace air_stops {
using machine::EndStops;
inline constexpr Key all[] = {
    number("stiffness", D::kStiffness, kPositive, "").must().to<&EndStops::stiffness>(),
    number("damping", D::kDamping, kNonNegative, "").to<&EndStops::damping>(),
};
inline constexpr KeyTable table{"air.drive.end_stops", "end_stops", all};
}  // namespace air_stops

namespace air_drive {
using machine::AirDrive;
using pneumatics::Cylinder;
template <int Side>
inline void start(AirDrive& drive, double pressure) {
  drive.P_start[Side] = pressure;
}
inline constexpr Key joint = keys::joint("of the machine").to<&AirDrive::name>();
inline constexpr Key bore =
    rod_length_usual(number("bore", D::kLength, kAirSize, "of the cylinder").must());
inline constexpr Key rod =
    rod_length_usual(number("rod", D::kLength, {0.0, 1e3}, "thinner than the bore")).otherwise(0.0);
inline constexpr Key base_pin =
    vector("base_pin", D::kLength,
           "on a turning joint, as a machine file's cylinder has it; on a sliding joint none")
        .just("revolute")
        .must();
inline constexpr Key rod_pin = vector("rod_pin", D::kLength, "likewise").just("revolute").must();
inline constexpr Key damping = friction_law::beside("damping", "viscous").otherwise(0.0);
inline constexpr Key friction =
    friction_law::own("as in a [machine file](machine_file.md#friction)");
inline constexpr Key end_stops = declare::table("end_stops", air_stops::table, "").must();
inline constexpr Key controller = declare::table("controller", keys::controller::bare,
                                                 "as a machine file's `[[controller]]` without "
                                                 "`joint`; its output adds to the valve's middle")
                                      .must();
inline constexpr Key all[] = {
    joint,
    bore,
    rod,
    number("stroke", D::kLength, kAirSize, "").must().to<&Cylinder::stroke>(),
    base_pin,
    rod_pin,
    number("retracted", D::kLength, {-1e3, 1e3},
           "length between the pins (position of a sliding joint) with the piston fully in")
        .must()
        .to<&AirDrive::displacement_in>(),
    number("dead_a", D::kVolume, kAirSize, "remaining volume at the cap's end")
        .must()
        .to<&Cylinder::dead_cap>(),
    number("dead_b", D::kVolume, kAirSize, "remaining volume at the rod's end")
        .must()
        .to<&Cylinder::dead_rod>(),
    number("start_a", D::kPressure, kAbsolute, "pressure at the start; the air there is at 20 °C")
        .must()
        .to<&start<0>>(),
    number("start_b", D::kPressure, kAbsolute, "likewise").must().to<&start<1>>(),
    damping,
    friction,
    end_stops,
    controller,
};
inline constexpr KeyTable table{"air.drive", "[[drive]]", all};
}  // namespace air_drive

// Plain numbers, in SI of what the signal is for.
namespace air_sine {
using command::Term;
inline constexpr Key offset = plain("offset", kAny, "").must();
inline constexpr Key all[] = {
    offset,
    plain("amplitude", kAny, "").must().to<&Term::value>(),
    number("frequency", D::kFrequency, kPositive, "").must().to<&Term::frequency_Hz>(),
    number("phase", D::kAngle, kAny, "").to<&Term::phase_rad>(),
    number("fade_in", D::kTime, kNonNegative, "").to<&Term::fade_in_s>(),
};
inline constexpr KeyTable table{"air.sine", "sine, lever", all};
}  // namespace air_sine

namespace air_square {
inline constexpr Key low = plain("low", kAny, "it begins here").must();
inline constexpr Key high = plain("high", kAny, "").must();
inline constexpr Key frequency = number("frequency", D::kFrequency, {0.0, 100.0, true}, "").must();
inline constexpr Key all[] = {low, high, frequency};
inline constexpr KeyTable table{"air.square", "square", all};
}  // namespace air_square

namespace air_case {
using machine::AirMode;
using machine::AirRig;
inline constexpr std::string_view kProgram = "voltage track";
inline constexpr Word kModes[] = {
    word("voltage", AirMode::kVoltage, "the signal is the valve's of `joint`"),
    word("track", AirMode::kTrack, "the reference of `joint`; all other drives hold their start"),
    word("foot", AirMode::kFoot, "the lever moves the foot")};
inline constexpr Key name = keys::name("").to<&AirRig::name>();
inline constexpr Key start = other("start", "table: position of joints [rad, m]").must();
inline constexpr Key mode = word_of("mode", kModes, "").must();
inline constexpr Key joint = text("joint", "").just(kProgram).must();
inline constexpr Key sine =
    declare::table("sine", air_sine::table, "this or `square`; volts, or rad and m").just(kProgram);
inline constexpr Key square = declare::table("square", air_square::table, "").just(kProgram);
inline constexpr Key lever =
    tables("lever", air_sine::table, 3, "three sines, -1 to 1, along the world's axes")
        .just("foot")
        .must();
inline constexpr Key all[] = {
    name,
    description().to<&AirRig::description>(),
    number("duration", D::kTime, {0.0, 3600.0, true}, "").must().to<&AirRig::duration_s>(),
    start,
    mode,
    joint,
    sine,
    square,
    lever,
};
inline constexpr KeyTable table{"air.case", "[[case]]", all};
}  // namespace air_case

namespace air_file {
inline constexpr Key description = keys::description();
inline constexpr Key air =
    table("air", keys::air::table, "supply and surroundings; pressures are absolute").must();
inline constexpr Key valve = table("valve", air_valve::table, "of every drive").must();
inline constexpr Key drives =
    tables("drive", air_drive::table, kMaxActuators, "at most one on a joint").must();
inline constexpr Key foot = table("foot", keys::foot::table, "what the lever leads");
inline constexpr Key cases = tables("case", air_case::table, 32, "what is run").must();
inline constexpr Key all[] = {
    number("tick", D::kTime, {1e-5, 0.01}, "step").must().to<&machine::AirRig::h>(),
    description,
    air,
    valve,
    drives,
    foot,
    cases,
};
inline constexpr KeyTable table{"air", "", all};
}  // namespace air_file

}  // namespace knuckleboom::declare::keys
