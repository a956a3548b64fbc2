// Keys of bodies, looks, friction and controllers: those of machine files that other files have as well.
#pragma once

#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/math/vector.hpp"
#include "knuckleboom/core/multibody/loops.hpp"
#include "knuckleboom/declare/key.hpp"

namespace knuckleboom::declare::keys {

using D = Dimension;

inline constexpr std::size_t kMaxBodies = 256;
inline constexpr Range kGain{0.0, 1e6};
inline constexpr Range kSize{0.0, 1000.0, true};  // m
inline constexpr std::string_view kBaseOrBody = "name of a body, or `\"base\"`, the ground";

// Keys that many tables share.
constexpr Key name(std::string_view says) { return name_of("name", says).must(); }
constexpr Key description() { return text("description", "one line for people"); }
constexpr Key position(std::string_view says) { return vector("position", D::kLength, says); }
constexpr Key rpy(std::string_view says) { return vector("rpy", D::kAngle, says); }
constexpr Key body(std::string_view says) { return text("body", says).must(); }
constexpr Key joint(std::string_view says) { return text("joint", says).must(); }
constexpr Key kind_of(std::span<const Word> words, std::string_view says) {
  return word_of("kind", words, says).must().selecting();
}
constexpr Key inertia(std::string_view says) {
  return numbers("inertia", D::kInertia, kAny, 3, 6, says);
}
constexpr Key rod_length_usual(Key key) {
  return key.usually(1e-3, 2.0, "from a syringe to the cylinder of a press");
}
// --- Friction -----------------------------------------------------------------

namespace friction_law {
using friction::FrictionModel;
using friction::Kind;
inline constexpr std::string_view kDry =
    "coulomb_viscous continuous_coulomb_viscous stribeck lugre";
inline constexpr Word kModels[] = {word("viscous", Kind::kNone),
                                   word("coulomb_viscous", Kind::kCoulomb),
                                   word("continuous_coulomb_viscous", Kind::kContinuous),
                                   word("stribeck", Kind::kStribeck), word("lugre", Kind::kLuGre)};
inline constexpr Key model =
    word_of("model", kModels, "").must().selecting().to<&FrictionModel::kind>();
inline constexpr Key viscous =
    turning("viscous", D::kRotaryDamping, D::kDamping, kNonNegative,
            "the same as `friction` of the actuator or `damping` of the joint; only one of the two "
            "may be given; needed by `\"viscous\"`")
        .otherwise(0.0);
inline constexpr Key fixed_friction =
    turning("static", D::kTorque, D::kForce, kPositive,
            "holds at rest; not below `coulomb`. Continuous: the whole friction at `peak_speed`")
        .must_with(kDry)
        .to<&FrictionModel::F_s>()
        .otherwise("none");
inline constexpr Key peak_speed = turning("peak_speed", D::kAngularSpeed, D::kSpeed, kPositive,
                                          "end of the line through zero, $V_{min}$")
                                      .must_with("continuous_coulomb_viscous")
                                      .to<&FrictionModel::v_min>()
                                      .otherwise("none");
inline constexpr Key coulomb =
    turning("coulomb", D::kTorque, D::kForce, kPositive, "friction that is left at speed")
        .must_with(kDry)
        .to<&FrictionModel::F_c>()
        .otherwise("none");
inline constexpr Key all[] = {
    model,
    viscous,
    coulomb,
    fixed_friction,
    turning("stribeck_speed", D::kAngularSpeed, D::kSpeed, kPositive,
            "of the fall from static to Coulomb friction")
        .must_with("stribeck lugre")
        .to<&FrictionModel::v_s>()
        .otherwise("none"),
    peak_speed,
    plain("fall_end", {1.0, 1e6, true}, "the fall ends at this multiple of `peak_speed`")
        .must_with("continuous_coulomb_viscous")
        .to<&FrictionModel::n>()
        .otherwise("none"),
    turning("bristle_stiffness", D::kRotaryStiffness, D::kStiffness, kPositive, "$\\sigma_0$")
        .must_with("lugre")
        .to<&FrictionModel::sigma_0>()
        .otherwise("none"),
    turning("bristle_damping", D::kRotaryDamping, D::kDamping, kNonNegative, "$\\sigma_1$")
        .must_with("lugre")
        .to<&FrictionModel::sigma_1>()
        .otherwise("none"),
};
inline constexpr KeyTable table{
    "machine.friction",
    "friction",
    all,
};
// The same beside the table, as a plain key of what the friction is in.
constexpr Key beside(std::string_view key, std::string_view says) {
  return turning(key, D::kRotaryDamping, D::kDamping, kNonNegative, says);
}
constexpr Key own(std::string_view says) { return declare::table("friction", table, says); }
}  // namespace friction_law

// --- Bodies -------------------------------------------------------------------

// Keys of a freedom of a joint: the joint's only one, or one of several.
namespace coordinate {
using multibody::Body;
inline constexpr Key lower =
    turning("lower", D::kAngle, D::kLength, kAny, "limit; both or neither (without: endless)")
        .to<&Body::lower>()
        .otherwise("none");
inline constexpr Key upper = turning("upper", D::kAngle, D::kLength, kAny, "limit; both or neither")
                                 .to<&Body::upper>()
                                 .otherwise("none");
inline constexpr Key damping = friction_law::beside("damping", "viscous").otherwise(0.0);
inline constexpr Key friction =
    friction_law::own("dry friction of the joint, with or without an actuator");
inline constexpr Key spring =
    turning("spring", D::kRotaryStiffness, D::kStiffness, kPositive, "a structure that bends")
        .to<&Body::stiffness>()
        .otherwise("none");
inline constexpr Key spring_rest =
    turning("spring_rest", D::kAngle, D::kLength, kAny, "where the spring is at ease")
        .to<&Body::rest>();
inline constexpr Key stop_stiffness =
    turning("stop_stiffness", D::kRotaryStiffness, D::kStiffness, kPositive,
            "beyond its limits the joint itself pushes back, as a spring. For joints without "
            "actuator; a cylinder's end stops are in [`end_stops`](#end_stops)")
        .to<&Body::stop_stiffness>()
        .otherwise("it does not");
inline constexpr Key stop_damping =
    turning("stop_damping", D::kRotaryDamping, D::kDamping, kNonNegative, "of that stop")
        .to<&Body::stop_damping>();
inline constexpr Key all[] = {lower,  upper,       damping,        friction,
                              spring, spring_rest, stop_stiffness, stop_damping};
inline constexpr KeyTable table{"machine.joint.coordinate", "first, second, x, y, z, turn", all};
}  // namespace coordinate

namespace joint_table {
using multibody::Body;
enum class JointKind { kFixed, kRevolute, kPrismatic, kUniversal, kPlanar, kSpherical, kFree };
struct Form {
  JointKind kind = JointKind::kFixed;
};
inline constexpr std::string_view kSingle = "revolute prismatic";
inline constexpr std::string_view kAlongAxis = "revolute prismatic universal planar";
inline constexpr std::string_view kBalls = "spherical free";
inline constexpr std::string_view kMoving = "revolute prismatic universal planar spherical free";
inline constexpr Word kTypes[] = {
    word("revolute", JointKind::kRevolute),
    word("prismatic", JointKind::kPrismatic),
    word("universal", JointKind::kUniversal,
         "a Cardan joint: turns about `axis`, which stays with the parent, then about "
         "`second_axis`; "
         "its coordinates are the joints `NAME_first` and `NAME_second`"),
    word("planar", JointKind::kPlanar,
         "slides in a plane at right angles to `axis` and turns about it; its coordinates are the "
         "joints `NAME_x`, along `along`, `NAME_y` and `NAME_turn`"),
    word("spherical", JointKind::kSpherical,
         "turns about the frame's origin in any direction; no position is singular. It has an "
         "orientation in place of a coordinate, so nothing drives it"),
    word("free", JointKind::kFree,
         "moves in any direction as well: `spherical` on the joints `NAME_x`, `NAME_y` and "
         "`NAME_z`, which slide along the body's axes as they are at position zero"),
    word("fixed", JointKind::kFixed)};
inline constexpr Key type = word_of("type", kTypes, "").must().selecting().to<&Form::kind>();
inline constexpr Key name =
    name_of("name", "names are shared by no two joints; not needed for `fixed`")
        .must_with(kMoving)
        .to<&Body::joint_name>();
inline constexpr Key axis =
    vector("axis", D::kNone, "direction in the body's frame, of any length but zero")
        .just(kAlongAxis)
        .must();
inline constexpr Key second_axis =
    vector("second_axis", D::kNone, "likewise, at right angles to `axis`").just("universal").must();
inline constexpr Key along =
    vector("along", D::kNone, "likewise the direction of x; y stands at right angles to both")
        .just("planar")
        .must();
constexpr Key part(std::string_view key, std::string_view kind, std::string_view says) {
  return declare::table(key, coordinate::table, says).just(kind).otherwise("free");
}
inline constexpr Key first =
    part("first", "universal", "limits, damping and so on of `NAME_first`");
inline constexpr Key second = part("second", "universal", "the same of `NAME_second`");
inline constexpr Key x = part("x", "planar free", "the same of `NAME_x`");
inline constexpr Key y = part("y", "planar free", "the same of `NAME_y`");
inline constexpr Key z = part("z", "free", "the same of `NAME_z`");
inline constexpr Key turn = part("turn", "planar", "the same of `NAME_turn`");
inline constexpr Key turn_damping =
    vector("turn_damping", D::kRotaryDamping,
           "`[x, y, z]`, torque per angular velocity against the parent, along the body's axes")
        .just(kBalls)
        .in(kNonNegative)
        .otherwise("none");
inline constexpr Key turn_spring =
    vector("turn_spring", D::kRotaryStiffness,
           "`[x, y, z]`, of a spring towards the orientation of position zero: its energy is half "
           "the sum of stiffness times the square of the rotation vector's components, up to half "
           "a turn")
        .just(kBalls)
        .in(kNonNegative)
        .otherwise("none");
inline constexpr Key all[] = {type,
                              name,
                              axis,
                              coordinate::lower.just(kSingle),
                              coordinate::upper.just(kSingle),
                              coordinate::damping.just(kSingle),
                              coordinate::friction.just(kSingle),
                              coordinate::spring.just(kSingle),
                              coordinate::spring_rest.just(kSingle),
                              coordinate::stop_stiffness.just(kSingle),
                              coordinate::stop_damping.just(kSingle),
                              second_axis,
                              along,
                              first,
                              second,
                              x,
                              y,
                              z,
                              turn,
                              turn_damping,
                              turn_spring};
inline constexpr KeyTable table{"machine.joint", "[body.joint]", all};
}  // namespace joint_table

namespace body_table {
using multibody::Body;
using multibody::RigidInertia;
inline constexpr Key parent = text("parent", kBaseOrBody).otherwise("`\"base\"`");
inline constexpr Key position =
    keys::position("of the frame's origin in the parent's frame at joint position 0, `[x, y, z]`")
        .must();
inline constexpr Key rpy =
    keys::rpy(
        "orientation there: roll about x, then pitch about y, then yaw about z, the parent's axes")
        .otherwise("none");
inline constexpr Key mass =
    number("mass", D::kMass, {0.0, 1e6}, "").must().to<&RigidInertia::mass>();
inline constexpr Key inertia =
    keys::inertia(
        "about the centre of mass, `[xx, yy, zz]` or `[xx, yy, zz, xy, xz, yz]`; the last three "
        "are the matrix elements. All zero is a point mass")
        .must();
inline constexpr Key joint = declare::table("joint", joint_table::table,
                                            "below; without it the body is fixed to its parent");
inline constexpr Key name = keys::name("not `base`").to<&Body::name>();
inline constexpr Key com =
    vector("com", D::kLength, "centre of mass").must().to<&RigidInertia::com>();
inline constexpr Key all[] = {
    name, parent, position, rpy, mass, com, inertia, joint,
};
inline constexpr KeyTable table{
    "machine.body",
    "[[body]]",
    all,
};
}  // namespace body_table

namespace loop {
using multibody::Loop;
using multibody::LoopKind;
inline constexpr Word kKinds[] = {
    word("point_point", LoopKind::kPointPoint, "both points coincide"),
    word("point_line", LoopKind::kPointLine, "point a stays on a line")};
inline constexpr Key body_a = text("body_a", kBaseOrBody).must();
inline constexpr Key body_b = text("body_b", "the other").must();
inline constexpr Key direction_b =
    vector("direction_b", D::kNone, "of the line, in body b's frame, of any length but zero")
        .just("point_line")
        .must();
inline constexpr Key all[] = {
    keys::name("names its force in traces: `NAME_force_x_N`, `_y_`, `_z_`, of body b on body a, "
               "world frame")
        .to<&Loop::name>(),
    kind_of(kKinds, "").to<&Loop::kind>(),
    body_a,
    vector("point_a", D::kLength, "a point in body a's frame").must().to<&Loop::point_a>(),
    body_b,
    vector("point_b", D::kLength, "a point in body b's frame; of a line any of its points")
        .must()
        .to<&Loop::point_b>(),
    direction_b,
};
inline constexpr KeyTable table{"machine.loop", "[[loop]]", all};
}  // namespace loop

namespace coupling {
using multibody::Coupling;
inline constexpr Key joint = keys::joint("the joint that follows; at most one coupling of each");
inline constexpr Key follows = text("follows", "the joint that it follows").must();
inline constexpr Key ratio =
    plain("ratio", kAny,
          "how far the joint moves when the other moves by 1, in rad for what turns and m for what "
          "slides; below 0: the other way; not 0")
        .must()
        .to<&Coupling::ratio>();
inline constexpr Key all[] = {
    joint, follows, ratio,
    turning("offset", D::kAngle, D::kLength, kAny, "where the joint is when the other is at 0")
        .to<&Coupling::offset>()};
inline constexpr KeyTable table{"machine.coupling", "[[coupling]]", all};
}  // namespace coupling

namespace drive {
using machine::JointDrive;
inline constexpr Key joint = keys::joint("not one with an actuator");
inline constexpr Key all[] = {
    joint,
    number("torque_limit", D::kTorque, kPositive, "of a joint that turns")
        .just("revolute")
        .to<&JointDrive::torque_limit>()
        .otherwise("none"),
    number("force_limit", D::kForce, kPositive, "of a joint that slides")
        .just("prismatic")
        .to<&JointDrive::torque_limit>()
        .otherwise("none"),
    turning("speed_gain", D::kRotaryDamping, D::kDamping, kPositive,
            "torque per missing speed; needed to follow a speed")
        .to<&JointDrive::speed_gain>()
        .otherwise("none"),
    flag("holds_load",
         "while it follows a speed, the torque that holds the machine as it stands is added: "
         "nothing creeps under "
         "weight")
        .to<&JointDrive::holds_load>(),
};
inline constexpr KeyTable table{"machine.drive", "[[drive]]", all};
}  // namespace drive

namespace tip {
inline constexpr Key body = keys::body("name");
inline constexpr Key all[] = {
    body, position("in that body's frame").must().to<&machine::MachineModel::tip_B>()};
inline constexpr KeyTable table{"machine.tip", "[tip]", all};
}  // namespace tip

namespace shape {
using machine::ContactShape;
using machine::ShapeRole;
inline constexpr Word kRoles[] = {word("carrier", ShapeRole::kCarrier),
                                  word("boom", ShapeRole::kBoom), word("stick", ShapeRole::kStick),
                                  word("head", ShapeRole::kHead)};
inline constexpr Key body = keys::body(kBaseOrBody);
inline constexpr Key name =
    keys::name("names are shared by no two shapes").to<&ContactShape::name>();
inline constexpr Key role =
    word_of("role", kRoles, "what contacts are counted as").must().to<&ContactShape::role>();
inline constexpr Key from =
    vector("from", D::kLength, "one end of the capsule's axis in the body's frame")
        .must()
        .to<&ContactShape::from_B>();
inline constexpr Key to = vector("to", D::kLength, "the other; the same point twice is a ball")
                              .must()
                              .to<&ContactShape::to_B>();
inline constexpr Key radius =
    number("radius", D::kLength, kSize, "").must().to<&ContactShape::radius>();
inline constexpr Key all[] = {
    name, body, role, from, to, radius,
};
inline constexpr KeyTable table{
    "machine.shape",
    "[[shape]]",
    all,
};
}  // namespace shape

namespace wheel {
using machine::Wheel;
inline constexpr Key body = keys::body("name of the body that carries it, one that moves");
inline constexpr Key name =
    keys::name("names are shared by no two wheels; of its traces: `NAME_load_N`")
        .to<&Wheel::name>();
inline constexpr Key axis = vector("axis", D::kNone,
                                   "in the body's frame, of any length but zero; turning "
                                   "right-handed about it the wheel rolls forwards")
                                .must();
inline constexpr Key grip =
    curve("grip", D::kNone, {0.0, 100.0}, {0.0, 3.0},
          "`[[slip, share], ...]`: force along the ground over the load, from `[0, 0]` on. Slip: "
          "speed of the tread over the ground against the larger of its own and the hub's")
        .must()
        .to<&Wheel::grip>();
inline constexpr Key all[] = {
    name,
    body,
    vector("position", D::kLength, "its middle, in the body's frame").must().to<&Wheel::centre_B>(),
    axis,
    number("radius", D::kLength, {0.05, 2.0}, "").must().to<&Wheel::radius>(),
    number("width", D::kLength, {0.02, 2.0}, "").must().to<&Wheel::width>(),
    number("stiffness", D::kStiffness, {1e3, 1e8}, "of the tyre, upright on flat ground")
        .must()
        .to<&Wheel::stiffness>(),
    number("damping", D::kDamping, {0.0, 1e6}, "of the tyre").must().to<&Wheel::damping>(),
    number("grip_stiffness", D::kStiffness, {1e3, 1e8}, "of the tread along the ground")
        .must()
        .to<&Wheel::grip_stiffness>(),
    number("grip_damping", D::kDamping, {0.0, 1e6},
           "of the tread along the ground while the wheel hardly moves")
        .must()
        .to<&Wheel::grip_damping>(),
    grip,
    number("inertia", D::kInertia, {0.01, 1e5}, "about its axis, with what turns with it")
        .must()
        .to<&Wheel::inertia>(),
    plain("rolling_resistance", {0.0, 1.0}, "force over the load").to<&Wheel::rolling_resistance>(),
    number("brake", D::kTorque, {0.0, 1e7},
           "torque of the brake, service or parking, fully applied")
        .to<&Wheel::brake_torque>(),
    flag("driven", "by the [`[driveline]`](#driveline)").to<&Wheel::driven>(),
};
inline constexpr KeyTable table{"machine.wheel", "[[wheel]]", all};
}  // namespace wheel

namespace driveline {
using machine::Driveline;
inline constexpr Key body =
    keys::body("takes the reaction to the torque of the wheels: the frame with the gear box");
template <int Gear>
inline void set_ratio(Driveline& d, double value) {
  d.ratio[Gear] = value;
}
inline constexpr Key motor_full =
    number("motor_full", D::kPressure, kPositive,
           "pressure beyond which the motor takes its displacement, all of it at `relief`")
        .to<&Driveline::motor_full_Pa>()
        .otherwise("never");
inline constexpr Key engine_floor =
    plain("engine_floor", {0.0, 1.0},
          "share of the engine's speed at which the pump has given up its stroke")
        .must()
        .to<&Driveline::engine_floor>();
inline constexpr Key engine_full =
    plain("engine_full", {0.0, 1.0}, "share below which it begins to give it up")
        .must()
        .to<&Driveline::engine_full>();
inline constexpr Key all[] = {
    body,
    number("pump_displacement", D::kMotorDisplacement, kPositive, "at full stroke")
        .must()
        .to<&Driveline::pump_displacement>(),
    plain("pump_ratio", kPositive, "speed of the pump over that of the engine")
        .to<&Driveline::pump_ratio>(),
    number("stroke_time", D::kTime, kPositive, "from none to full stroke")
        .must()
        .to<&Driveline::stroke_time_s>(),
    number("motor_displacement", D::kMotorDisplacement, kPositive,
           "the largest. The first half of the input strokes the pump, the second takes the motor "
           "back to `motor_least`")
        .must()
        .to<&Driveline::motor_displacement>(),
    plain("motor_least", {0.05, 1.0}, "share of it that is left then")
        .to<&Driveline::motor_least>(),
    motor_full,
    plain("low_gear", kPositive, "turns of the motor for one of the wheels")
        .must()
        .to<&set_ratio<0>>(),
    plain("high_gear", kPositive, "likewise; not above `low_gear`").must().to<&set_ratio<1>>(),
    number("relief", D::kPressure, kPositive, "difference of both sides")
        .must()
        .to<&Driveline::relief_Pa>(),
    number("volume", D::kVolume, kPositive, "of each side").to<&Driveline::volume>(),
    number("bulk_modulus", D::kPressure, kPositive, "")
        .usually(1e7, 2e9, "oil has 1.4 GPa, hoses make it softer")
        .to<&Driveline::bulk_modulus>(),
    number("leak", D::kFlowPerPressure, kNonNegative, "from side to side").to<&Driveline::leak>(),
    plain("efficiency", {0.0, 1.0, true}, "of the motor's torque at the wheels")
        .to<&Driveline::efficiency>(),
    engine_floor,
    engine_full,
};
inline constexpr KeyTable table{"machine.driveline", "[driveline]", all};
}  // namespace driveline

namespace joint_lock {
using machine::JointLock;
inline constexpr Key joint = keys::joint("one that turns and has no actuator");
inline constexpr Key all[] = {
    joint,
    number("stiffness", D::kRotaryStiffness, kPositive, "").must().to<&JointLock::stiffness>(),
    number("damping", D::kRotaryDamping, kNonNegative, "").must().to<&JointLock::damping>(),
    number("torque", D::kTorque, kPositive, "beyond which it gives way")
        .must()
        .to<&JointLock::torque_max>(),
};
inline constexpr KeyTable table{"machine.joint_lock", "[joint_lock]", all};
}  // namespace joint_lock

namespace load_space {
using machine::LoadSpace;
inline constexpr Key body = keys::body(kBaseOrBody);
inline constexpr Key all[] = {
    body,
    vector("position", D::kLength,
           "middle of the headboard's foot in the body's frame, at the height of the floor; the "
           "logs lie along x from there, z points up")
        .must()
        .to<&LoadSpace::front_B>(),
    number("length", D::kLength, {1.5, 10.0}, "from the headboard to the end")
        .must()
        .to<&LoadSpace::length>(),
    number("width", D::kLength, {0.5, 5.0}, "between the stakes").must().to<&LoadSpace::width>(),
    number("height", D::kLength, {0.3, 4.0}, "of the stakes above the floor")
        .must()
        .to<&LoadSpace::height>(),
    number("headboard_height", D::kLength, {0.3, 4.0}, "above the floor")
        .must()
        .to<&LoadSpace::headboard_height>(),
    whole("pairs", 2, 6, "of stakes, evenly spaced, the first and last half a metre from the ends")
        .to<&LoadSpace::pairs>(),
};
inline constexpr KeyTable table{"machine.load_space", "[load_space]", all};
}  // namespace load_space

namespace grapple {
using machine::Grapple;
inline constexpr Key body = keys::body("name of the body that carries them, one that moves");
inline constexpr Key log_axis = vector("log_axis", D::kNone,
                                       "direction in the body's frame along the log it holds; the "
                                       "three axes stand at right angles")
                                    .must();
inline constexpr Key open_axis =
    vector("open_axis", D::kNone, "direction in which the jaws open").must();
inline constexpr Key reach_axis =
    vector("reach_axis", D::kNone, "direction from the pin to the log").must();
inline constexpr Key jaw_length =
    number("jaw_length", D::kLength, kSize,
           "from hinge to tip; more than half the hinges' distance, or the jaws cannot meet")
        .must()
        .to<&Grapple::jaw_length>();
inline constexpr Key opening = number("opening", D::kLength, kSize,
                                      "between the tips, fully open; not more than the jaws reach")
                                   .must()
                                   .to<&Grapple::opening_max>();
inline constexpr Key pin =
    vector("pin", D::kLength, "point between the two hinges, in the body's frame")
        .must()
        .to<&Grapple::pin_B>();
inline constexpr Key jaws = texts(
    "jaws", 2,
    "names of the bodies that are the jaws, that in the direction of `open_axis` last; each turns "
    "on a hinge of `body`, by the angle between its chord and `reach_axis`, outwards positive, "
    "and closes as far as its joint's lower limit; a coupling joins them and one has an actuator. "
    "Without it the jaws follow the lever "
    "whatever the oil does");
inline constexpr Key closing_time =
    number("closing_time", D::kTime, {0.01, 100.0},
           "from open to closed at full lever; must be given without `jaws`, and only then")
        .to<&Grapple::closing_time_s>();
inline constexpr Key grip_force =
    number(
        "grip_force", D::kForce, kPositive,
        "a held log slips out when more pulls at it; must be given without `jaws`, and only then")
        .to<&Grapple::grip_force_N>();
inline constexpr Key all[] = {
    body,
    pin,
    log_axis,
    open_axis,
    reach_axis,
    number("hinge_distance", D::kLength, kSize, "between the hinges")
        .must()
        .to<&Grapple::hinge_distance>(),
    jaw_length,
    number("jaw_width", D::kLength, kSize, "between the two tines of a jaw, along the log")
        .must()
        .to<&Grapple::jaw_width>(),
    number("tine_radius", D::kLength, kSize, "").must().to<&Grapple::tine_radius>(),
    opening,
    jaws,
    closing_time,
    grip_force,
};
inline constexpr KeyTable table{"machine.grapple", "[grapple]", all};
}  // namespace grapple

namespace head {
using machine::Head;
inline constexpr Key tilt =
    name_of("tilt",
            "joint that tilts it, on the way to the grapple's body and without an actuator; at its "
            "upper end the head stands upright")
        .must();
inline constexpr Key all[] = {
    tilt,
    number("tilt_rate", D::kAngularSpeed, kPositive, "at full lever").must().to<&Head::tilt_rate>(),
    number("tilt_torque", D::kTorque, kPositive,
           "at most; none while the saw is out or a tree is cut: the head floats")
        .must()
        .to<&Head::tilt_torque>(),
    number("saw_distance", D::kLength, kSize,
           "of the saw from the middle of the grapple's jaws, against its `log_axis`, which points "
           "to a tree's tip")
        .must()
        .to<&Head::saw_distance>(),
    number("knife_distance", D::kLength, kSize, "between the two pairs of knives")
        .must()
        .to<&Head::knife_distance>(),
    number("knife_force", D::kForce, kPositive,
           "with which a pair of knives pulls a stem into the head at most")
        .must()
        .to<&Head::knife_force>(),
    number("roller_force", D::kForce, kPositive,
           "with which the rollers hold a stem along its axis at most, at the knives' full "
           "pressure; a stem that is fed is pressed less, as its diameter needs")
        .must()
        .to<&Head::roller_force>(),
    number("feed_force", D::kForce, kPositive, "of the rollers' motors, stalled")
        .must()
        .to<&Head::feed_force>(),
    number("feed_speed", D::kSpeed, kPositive, "of the rollers' rims, at most")
        .must()
        .to<&Head::feed_speed>(),
    number("feed_power", D::kPower, kPositive, "of the rollers' motors")
        .must()
        .to<&Head::feed_power>(),
    number("reset_error", D::kLength, kNonNegative,
           "of the measuring wheel's zero at a cut, as a standard deviation")
        .to<&Head::reset_error>(),
    number("length_drift", D::kLength, kNonNegative,
           "of the measuring wheel after a metre, as a standard deviation that grows with the root "
           "of the length")
        .to<&Head::length_drift>(),
    number("diameter_error", D::kLength, kNonNegative,
           "of a log's diameter by the knives, as a standard deviation")
        .to<&Head::diameter_error>(),
    number("length_allowance", D::kLength, {0.0, 0.5},
           "that the computer adds to a product's length and `trim` when it feeds to it, so that a "
           "log that comes out short by the wheel's error still has its length")
        .to<&Head::length_allowance>(),
    number("plan_step", D::kLength, {0.0, 10.0},
           "way of feeding after which the computer chooses the length of highest value anew, by "
           "the diameters measured by then; 0: after cuts alone")
        .to<&Head::plan_step>(),
    number("chain_speed", D::kSpeed, kPositive, "of the saw").must().to<&Head::chain_speed>(),
    number("saw_power", D::kPower, kPositive, "").must().to<&Head::saw_power>(),
    number("saw_energy", D::kCuttingEnergy, kPositive, "that an area of wood takes")
        .must()
        .to<&Head::saw_energy>(),
    number("bar_force", D::kForce, kPositive, "that presses the bar into the wood")
        .must()
        .to<&Head::bar_force>(),
    number("bar_time", D::kTime, {0.01, 10.0}, "of the bar to the wood, and back home")
        .must()
        .to<&Head::bar_time_s>(),
};
inline constexpr KeyTable table{"machine.head", "[head]", all};
}  // namespace head

namespace visual {
using machine::VisualPart;
inline constexpr Key body = keys::body(kBaseOrBody);
inline constexpr Key mesh = text("mesh", "a mesh: file below `assets/meshes`");
inline constexpr Key file = text("file", "a mesh: path from this file's folder, or a whole path");
inline constexpr Key box =
    numbers("box", D::kLength, kSize, 3, 3, "a box about the part's origin: edges `[x, y, z]`");
inline constexpr Key cylinder =
    numbers("cylinder", D::kLength, kSize, 2, 2,
            "a cylinder about the part's origin, along its z: `[radius, length]`");
inline constexpr Key ball =
    number("ball", D::kLength, kSize, "a ball about the part's origin: radius");
inline constexpr Key scale =
    vector("scale", D::kNone, "of a mesh along its axes, `[x, y, z]`; below 0 mirrors")
        .to<&VisualPart::scale>()
        .otherwise("1");
inline constexpr Key rpy = keys::rpy("of the part's frame in the body's").otherwise("none");
inline constexpr Key colour =
    numbers("colour", D::kNone, {0.0, 1.0}, 3, 3,
            "`[red, green, blue]`, 0 to 1; a mesh's own materials come first")
        .otherwise("the crane's paint");
inline constexpr Key position = keys::position("of the part's frame in the body's, as for bodies")
                                    .to<&VisualPart::position_B>()
                                    .otherwise("the body's frame itself");
inline constexpr Key all[] = {body, mesh, file, box, cylinder, ball, scale, position, rpy, colour};
inline constexpr KeyTable table{
    "machine.visual",
    "[[visual]]",
    all,
};
}  // namespace visual

// --- Controllers ---------------------------------------------------------------

namespace controller {
using control::AntiWindup;
using control::PidGains;
inline constexpr Word kWays[] = {
    word("none", AntiWindup::kNone),
    word("conditional", AntiWindup::kConditional,
         "the sum stands still while the output is limited"),
    word("back_calculation", AntiWindup::kBackCalculation, "it is driven back")};
inline constexpr Key joint = keys::joint("whose position it controls");
// Five that events change as well.
inline constexpr Key kp = turning("kp", D::kProportionalAngle, D::kProportionalLength, kGain, "")
                              .must()
                              .to<&PidGains::Kp>();
inline constexpr Key ki =
    turning("ki", D::kIntegralAngle, D::kIntegralLength, kGain, "").to<&PidGains::Ki>();
inline constexpr Key kd =
    turning("kd", D::kRateAngle, D::kRateLength, kGain, "of the measured rate").to<&PidGains::Kd>();
inline constexpr Key feed_forward =
    turning("feed_forward", D::kRateAngle, D::kRateLength, kGain, "on the rate of the reference")
        .to<&PidGains::feed_forward>();
inline constexpr Key overlap_compensation =
    number("overlap_compensation", D::kVoltage, kNonNegative,
           "added in the direction of the output")
        .to<&PidGains::overlap_compensation_V>();
inline constexpr Key gains[] = {
    kp,
    ki,
    kd,
    number("derivative_filter", D::kTime, kPositive, "").to<&PidGains::derivative_filter_s>(),
    feed_forward,
    overlap_compensation,
    number("compensation_width", D::kVoltage, kPositive,
           "output over which the compensation fades in")
        .to<&PidGains::compensation_width_V>(),
    number("output_limit", D::kVoltage, kPositive, "").must().to<&PidGains::output_limit_V>(),
    word_of("anti_windup", kWays, "").to<&PidGains::anti_windup>(),
    number("tracking_time", D::kTime, kPositive, "of back calculation")
        .to<&PidGains::tracking_time_s>(),
    whole("period_ticks", 1, 100000, "ticks between samples").to<&PidGains::period_ticks>(),
};
inline constexpr Key just_joint[] = {joint};
inline constexpr auto all = join(just_joint, gains);
inline constexpr KeyTable table{"machine.controller", "[[controller]]", all};
inline constexpr KeyTable bare{"", "controller", gains};  // of what it stands in
}  // namespace controller

}  // namespace knuckleboom::declare::keys
