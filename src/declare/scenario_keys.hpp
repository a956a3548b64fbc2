// Keys of scenario files, and what exercises and emulations share with them.
#pragma once

#include "declare/body_keys.hpp"
#include "knuckleboom/core/command/fault.hpp"
#include "knuckleboom/core/command/scenario.hpp"
#include "knuckleboom/core/machine/bench.hpp"
#include "knuckleboom/declare/key.hpp"

namespace knuckleboom::declare::keys {

inline constexpr std::size_t kMaxEntries = 1000;
inline constexpr Range kScenarioTime{0.0, 1e6};  // s; the count of ticks stays exact

// --- Ground -----------------------------------------------------------------------

inline constexpr Range kPlace{-1e3, 1e3};  // m, rad
// Where something stands on the ground.
template <class T>
inline void stand(T& thing, std::span<const double> xy) {
  thing.x = xy[0];
  thing.y = xy[1];
}
template <class T>
constexpr Key spot(std::string_view says) {
  return numbers("position", D::kLength, kPlace, 2, 2, says).must().to<&stand<T>>();
}
constexpr Key heading() { return number("heading", D::kAngle, kPlace, "direction, from x"); }
namespace ditch {
using world::Ditch;
inline constexpr Key width =
    number("width", D::kLength, {0.4, 20.0}, "from bank to bank, at least four times the spacing")
        .to<&Ditch::width>();
inline constexpr Key all[] = {
    spot<Ditch>("`[x, y]` of a point on its bottom"),
    heading().to<&Ditch::heading>(),
    width,
    number("depth", D::kLength, {0.01, 3.0}, "").to<&Ditch::depth>(),
};
inline constexpr KeyTable table{"exercise.ground.ditch", "[[ground.ditch]]", all};
}  // namespace ditch

namespace stump {
using world::Stump;
inline constexpr Key all[] = {
    spot<Stump>("`[x, y]` of its middle"),
    number("radius", D::kLength, {0.02, 1.0}, "").to<&Stump::radius>(),
    number("height", D::kLength, {0.01, 1.0}, "of its top, which is level").to<&Stump::height>(),
};
inline constexpr KeyTable table{"exercise.ground.stump", "[[ground.stump]]", all};
}  // namespace stump

namespace ground {
using world::GroundRecipe;
inline constexpr std::size_t kMostStumps = 64;
inline constexpr Key ditches =
    tables("ditch", ditch::table, 16, "troughs across the ground, as long as it is");
inline constexpr Key stumps = tables("stump", stump::table, kMostStumps, "of felled trees");
inline constexpr Key bump_length =
    number("bump_length", D::kLength, {0.5, 100.0}, "from bump to bump, at least twice the spacing")
        .to<&GroundRecipe::bump_length>();
inline constexpr Key all[] = {
    whole("seed", 0, std::numeric_limits<int>::max(), "another seed is another ground")
        .to<&GroundRecipe::seed>(),
    number("size", D::kLength, {10.0, 600.0}, "edge of the square that is made")
        .usually(10.0, 600.0, "machines on wheels go far")
        .to<&GroundRecipe::size>(),
    number("spacing", D::kLength, {0.2, 5.0}, "between the points of its grid")
        .to<&GroundRecipe::spacing>(),
    number("bump_height", D::kLength, {0.0, 2.0}, "root mean square; 0 is flat")
        .to<&GroundRecipe::bump_height>(),
    bump_length,
    plain("slope_x", {-1.0, 1.0}, "rise over run").to<&GroundRecipe::slope_x>(),
    plain("slope_y", {-1.0, 1.0}, "rise over run").to<&GroundRecipe::slope_y>(),
    number("level_radius", D::kLength, {0.0, 100.0},
           "level within it, bumps fade in over the same distance")
        .to<&GroundRecipe::level_radius>(),
    ditches,
    stumps,
};
inline constexpr KeyTable table{"exercise.ground", "[ground]", all};
}  // namespace ground

// --- Starts and faults ----------------------------------------------------------

namespace initial {
inline constexpr Range kPort{-1e5, 1e8};  // Pa, against the atmosphere
inline constexpr Key position = turning("position", D::kAngle, D::kLength, kAny,
                                        "a joint's; of a `spherical` or `free` one `rpy`")
                                    .must();
inline constexpr Key rpy =
    keys::rpy(
        "orientation of a `spherical` or `free` joint's body, in place of `position`: roll about "
        "x, then pitch about y, then yaw about z, the axes of its position zero. Where a free "
        "joint stands is that of its slides, such as `[initial.NAME_x]`")
        .replaces("position")
        .otherwise("where it comes to rest");
inline constexpr Key port_a =
    number("port_a", D::kPressure, kPort,
           "equilibrium leaves one pressure free. Cylinder: the pressure of that port, the load "
           "gives the other. Motor: the level both ports stand at, half the load's difference "
           "above and below. Without `port_a` and `port_b`, the unloaded port is at tank pressure");
inline constexpr Key port_b = number("port_b", D::kPressure, kPort, "in place of `port_a`");
inline constexpr Key all[] = {position, rpy, port_a, port_b};
inline constexpr KeyTable table{"scenario.initial", "[initial.JOINT]", all};
}  // namespace initial

namespace fault {
using command::Fault;
using command::FaultKind;
inline constexpr Range kTime{0.0, 1e5};
template <double Fault::*Member>
inline void percent(Fault& fault, double value) {
  fault.*Member = value / 100.0;
}
inline constexpr auto kShare = &percent<&Fault::size>;
inline constexpr Word kKinds[] = {word("sticking_spool", FaultKind::kStickingSpool),
                                  word("spool_offset", FaultKind::kSpoolOffset),
                                  word("worn_pump", FaultKind::kWornPump),
                                  word("air_in_oil", FaultKind::kAirInOil),
                                  word("hose_leak", FaultKind::kHoseLeak),
                                  word("cylinder_leak", FaultKind::kCylinderLeak),
                                  word("low_relief", FaultKind::kLowRelief),
                                  word("sensor_bias", FaultKind::kSensorBias),
                                  word("sensor_noise", FaultKind::kSensorNoise),
                                  word("sensor_dropout", FaultKind::kSensorDropout),
                                  word("lever_delay", FaultKind::kLeverDelay),
                                  word("controller_off", FaultKind::kControllerOff)};
inline constexpr Word kPorts[] = {{"a", 0}, {"b", 1}};
inline constexpr Key name = keys::name("a name of its own").to<&Fault::name>();
inline constexpr Key kind = kind_of(kKinds, "").to<&Fault::kind>();
inline constexpr Key function =
    text("function",
         "the joint whose function has it; every kind but `worn_pump`, `air_in_oil`, `low_relief` "
         "and `lever_delay` needs one. `air_in_oil` without one is in all circuits, `low_relief` "
         "without one is the main relief of a pump")
        .to<&Fault::function>();
inline constexpr Key until =
    number("until", D::kTime, kTime, "when it ends").to<&Fault::until_s>().otherwise("never");
inline constexpr Key pressure_loss =
    plain("pressure_loss_percent", {0.0, 100.0}, "of its pressure; this, `flow_drop` or both")
        .just("worn_pump")
        .to<kShare>()
        .otherwise("0");
inline constexpr Key flow_drop =
    number("flow_drop", D::kLinearResistance, {0.0, 1e12}, "pressure lost per flow")
        .just("worn_pump")
        .to<&Fault::flow_size>();
inline constexpr Key bias =
    turning("bias", D::kAngle, D::kLength, kAny, "").just("sensor_bias").must();
inline constexpr Key deviation =
    turning("deviation", D::kAngle, D::kLength, kPositive, "").just("sensor_noise").must();
// At a conductance of 1e-6 there is no resistance to speak of.
inline constexpr Key all[] = {
    name,
    kind,
    function,
    number("at", D::kTime, kTime, "when it begins, from the start of the attempt")
        .to<&Fault::at_s>()
        .otherwise("when somebody says so"),
    until,
    number("ramp", D::kTime, kTime, "how long it takes to be there in full, and to be gone")
        .to<&Fault::ramp_s>(),
    flag("hidden", "`true`: the trainee is not told when it begins").to<&Fault::hidden>(),
    plain("breakout_percent", {0.0, 400.0, true}, "of the full command")
        .just("sticking_spool")
        .must()
        .to<kShare>(),
    plain("offset_percent", {-100.0, 100.0}, "").just("spool_offset").must().to<kShare>(),
    pressure_loss,
    flow_drop,
    plain("stiffness_percent", {1.0, 100.0}, "that is left").just("air_in_oil").must().to<kShare>(),
    number("leakage", D::kFlowPerPressure, {0.0, 1e-6, true}, "")
        .just("hose_leak cylinder_leak")
        .must()
        .to<&Fault::size>(),
    word_of("port", kPorts, "").just("hose_leak").to<&Fault::port>(),
    number("relief", D::kPressure, kPositive, "").just("low_relief").must().to<&Fault::size>(),
    bias,
    deviation,
    plain("lost_percent", {0.0, 100.0, true}, "of the time")
        .just("sensor_dropout")
        .must()
        .to<kShare>(),
    number("delay", D::kTime, {0.0, 1.0, true}, "").just("lever_delay").must().to<&Fault::size>(),
};
inline constexpr KeyTable table{"exercise.fault", "[[fault]]", all};
constexpr Key own() { return tables("fault", table, command::kMaxFaults / 2, "what goes wrong"); }
}  // namespace fault

// --- Joint programs -------------------------------------------------------------

namespace term {
using command::Term;
using command::TermKind;
inline constexpr std::string_view kBetween = "ramp smooth pulse";
inline constexpr Word kKinds[] = {
    word("hold", TermKind::kConstant, "the value"),
    word("constant", TermKind::kConstant, "the same"),
    word("sine", TermKind::kSine,
         "amplitude min(1, (t - start)/fade_in) sin(2π frequency (t - start) + phase) from start "
         "on, 0 before"),
    word("ramp", TermKind::kRamp, "0 before start, straight to the value at end, the value after"),
    word("smooth", TermKind::kSmooth,
         "value S((t - start)/(end - start)), S(s) = s² (3 - 2 s) between 0 and 1"),
    word("pulse", TermKind::kPulse, "the value for start <= t < end, else 0"),
    word("table", TermKind::kTable,
         "scale times the column, straight between its rows or `held`, flat beyond its ends")};
// In the unit that the joint's mode asks for.
constexpr Key amount(std::string_view key, std::string_view says) {
  return turning(key, D::kAngle, D::kLength, kAny, says);
}
inline constexpr Key value =
    amount("value",
           "in the unit of the mode; a hold that tracks may leave it out: the initial position")
        .just("hold ramp smooth pulse")
        .must_with(kBetween);
inline constexpr Key amplitude = amount("amplitude", "in the unit of the mode").just("sine").must();
inline constexpr Key scale = amount("scale", "in the unit of the mode").just("table").must();
inline constexpr Key start = number("start", D::kTime, kScenarioTime, "")
                                 .just("sine ramp smooth pulse")
                                 .must_with(kBetween)
                                 .to<&Term::start_s>();
inline constexpr Key end =
    number("end", D::kTime, kScenarioTime, "").just(kBetween).must().to<&Term::end_s>();
inline constexpr Key csv =
    text("csv",
         "path from the scenario's folder of a file with one line of column names and lines of "
         "numbers; `#` starts a remark. Times must increase")
        .just("table")
        .must();
inline constexpr Key time_column = text("time_column", "").just("table").otherwise("`t_s`");
inline constexpr Key value_column = text("value_column", "").just("table").must();
inline constexpr Key held =
    flag("held", "a row's value holds until the next row, as a computer gives commands")
        .just("table")
        .to<&Term::held>();
inline constexpr Key repeat =
    number(
        "repeat", D::kTime, {0.0, kScenarioTime.high, true},
        "period: from the first pulse or row on it comes again and again, to the scenario's end. "
        "At least as long as the pulse or the table, and longer than a table that ends with "
        "another value than it begins with")
        .just("pulse table")
        .otherwise("once");
inline constexpr Key all[] = {
    kind_of(kKinds, "").to<&Term::kind>(),
    value,
    amplitude,
    scale,
    number("frequency", D::kFrequency, {0.0, 1e4}, "")
        .just("sine")
        .must()
        .to<&Term::frequency_Hz>(),
    number("phase", D::kAngle, {-1e3, 1e3}, "").just("sine").to<&Term::phase_rad>(),
    number("fade_in", D::kTime, kScenarioTime, "").just("sine").to<&Term::fade_in_s>(),
    start,
    end,
    csv,
    time_column,
    value_column,
    held,
    repeat,
};
inline constexpr KeyTable table{"scenario.term", "terms", all};
}  // namespace term

namespace program {
using command::JointMode;
using command::JointProgram;
inline constexpr Word kModes[] = {
    word("track", JointMode::kTrack, "the joint's controller follows the terms as a position"),
    word("voltage", JointMode::kVoltage, "the terms are the valve's command, no controller"),
    word("tip", JointMode::kTip, "the controller follows the tip path"),
    word("torque", JointMode::kTorque,
         "the terms are a torque (a force on a sliding joint), on any joint, whatever else moves "
         "it"),
    word("speed", JointMode::kSpeed,
         "the joint's own [`[[drive]]`](machine_file.md#drive-at-most-one-on-a-joint) follows a "
         "speed"),
    word("spring", JointMode::kSpring, "the terms move the far end of the joint's own spring")};
inline constexpr Key terms = tables("terms", term::table, kMaxEntries, "summed; not in `tip` mode");
inline constexpr Key all[] = {
    keys::name("of the joint").to<&JointProgram::joint>(),
    word_of("mode", kModes, "").must().selecting().to<&JointProgram::mode>(),
    terms,
};
inline constexpr KeyTable table{"scenario.joint", "[[joint]]", all};
}  // namespace program

namespace carrier {
using command::CarrierInput;
using command::CarrierProgram;
inline constexpr Word kInputs[] = {
    word("drive", CarrierInput::kDrive,
         "stroke of the drive's pump, -1 backwards to 1 forwards; without a drive it only releases "
         "the parking brake"),
    word("brake", CarrierInput::kBrake, "service brake, 0 to 1"),
    word("inching", CarrierInput::kInching, "share of the stroke taken back, 0 to 1"),
    word("parking_brake", CarrierInput::kParkingBrake,
         "on beyond 0.5, off else; without it on where no `drive` is"),
    word("gear", CarrierInput::kHighGear,
         "the high one beyond 0.5, else the low one; changes once the wheels stand"),
    word("differential_lock", CarrierInput::kDifferentialLock, "on beyond 0.5"),
    word("lock", CarrierInput::kJointLock,
         "on beyond 0.5; the machine's [`[joint_lock]`](machine_file.md#joint_lock)")};
inline constexpr Key terms = tables("terms", term::table, kMaxEntries,
                                    "summed; plain numbers: `value`, `amplitude`, `scale`")
                                 .must();
inline constexpr Key all[] = {
    word_of("input", kInputs, "each at most once").must().to<&CarrierProgram::input>(),
    terms,
};
inline constexpr KeyTable table{"scenario.carrier", "[[carrier]]", all};
}  // namespace carrier

// --- Bench ----------------------------------------------------------------------

namespace wall {
using machine::Bench;
inline constexpr double kFurthest = 1e4;  // m, rad
inline constexpr Key all[] = {
    turning("position", D::kAngle, D::kLength, {-kFurthest, kFurthest}, "")
        .must()
        .to<&Bench::wall_position>(),
    turning("stiffness", D::kRotaryStiffness, D::kStiffness, kPositive, "")
        .must()
        .to<&Bench::wall_stiffness>(),
    turning("damping", D::kRotaryDamping, D::kDamping, kNonNegative, "").to<&Bench::wall_damping>(),
};
inline constexpr KeyTable table{"scenario.bench.wall", "wall", all};
}  // namespace wall

namespace bench {
using machine::Bench;
inline constexpr double kSteepest = 1.58;  // rad: upright, with a little for rounding
inline constexpr Key load = turning("load", D::kInertia, D::kMass, {0.0, 1e9, true},
                                    "mass that slides; for a motor (or a shaft without one) an "
                                    "inertia that turns, with its weight on the shaft")
                                .must()
                                .to<&Bench::load>();
inline constexpr Key slope = number("slope", D::kAngle, {-kSteepest, kSteepest},
                                    "of the slide: uphill in the sense of extension, -90° hangs")
                                 .to<&Bench::slope>();
inline constexpr Key spring =
    turning("spring", D::kRotaryStiffness, D::kStiffness, kPositive, "between load and frame")
        .to<&Bench::spring>()
        .otherwise("none");
inline constexpr Key spring_rest =
    turning("spring_rest", D::kAngle, D::kLength, {-wall::kFurthest, wall::kFurthest},
            "the position where the spring is free")
        .to<&Bench::spring_rest>();
inline constexpr Key damping =
    friction_law::beside("damping", "viscous friction of the guide").otherwise(0.0);
inline constexpr Key friction = friction_law::own(
    "as in the [machine file](machine_file.md#friction): dry friction of the guide, beside the "
    "actuator's own");
inline constexpr Key wall =
    declare::table("wall", keys::wall::table, "an obstacle in the way of extension");
inline constexpr Key controller = declare::table(
    "controller", keys::controller::bare,
    "with the keys of a [controller](machine_file.md#controller-one-for-each-actuator), for "
    "`\"track\"`, per m or rad of the displacement. Default: that of the actuator's joint where "
    "this moves as the actuator does; a cylinder between pins has none");
inline constexpr Key all[] = {
    text("actuator",
         "name; without it the load is moved by `\"torque\"`, `\"spring\"` and its weight")
        .to<&Bench::actuator>(),
    load,
    slope,
    spring,
    spring_rest,
    damping,
    friction,
    wall,
    controller,
};
inline constexpr KeyTable table{"scenario.bench", "[bench]", all};
}  // namespace bench

// --- Tip path -------------------------------------------------------------------

namespace segment {
using command::Segment;
using command::SegmentKind;
inline constexpr Word kKinds[] = {word("hold", SegmentKind::kHold),
                                  word("line", SegmentKind::kLine),
                                  word("circle", SegmentKind::kCircle)};
inline constexpr Key center = vector("center", D::kLength, "from the segment's first point")
                                  .just("circle")
                                  .must()
                                  .to<&Segment::center_W>();
inline constexpr Key axis =
    vector("axis", D::kNone, "turns about it, right-handed").just("circle").must();
inline constexpr Key all[] = {
    kind_of(kKinds, "").to<&Segment::kind>(),
    number("duration", D::kTime, {0.0, 1e6, true}, "").must().to<&Segment::duration_s>(),
    vector("delta", D::kLength, "displacement in the world, `[x, y, z]`")
        .just("line")
        .must()
        .to<&Segment::delta_W>(),
    center,
    axis,
    plain("turns", {-1e3, 1e3}, "number of turns; negative turns the other way")
        .just("circle")
        .to<&Segment::turns>(),
};
inline constexpr KeyTable table{"scenario.tip_path.segment", "[[tip_path.segment]]", all};
}  // namespace segment

namespace tip_path {
inline constexpr Key segments = tables("segment", segment::table, kMaxEntries, "below").must();
inline constexpr Key all[] = {
    number("start", D::kTime, kScenarioTime, "").to<&command::Scenario::tip_start_s>(), segments};
inline constexpr KeyTable table{"scenario.tip_path", "[tip_path]", all};
}  // namespace tip_path

// --- Events ---------------------------------------------------------------------

namespace event {
using command::Event;
using command::EventKind;
using command::JointMode;
inline constexpr Word kKinds[] = {
    word("attach", EventKind::kAttach, "a payload, picked up at rest, at most 8 at a time"),
    word("detach", EventKind::kDetach, "of a payload that is attached"),
    word("joint_mode", EventKind::kJointMode, "to volts, or back to its program, without a bump"),
    word("pump_pressure", EventKind::kPumpPressure),
    word("gain", EventKind::kGain, "of a controller"),
    word("assemble", EventKind::kAssemble,
         "a body joins the machine with its joint, at rest in the world until then; before, it is "
         "not there, and its joint stands at its start. What hangs on it must join later than it "
         "does. Not for bodies of loops")};
inline constexpr Word kModes[] = {word("track", JointMode::kTrack),
                                  word("voltage", JointMode::kVoltage)};
constexpr Key gain(Key key) {
  key.needed = false;
  key.bound = {};
  key.says =
      "one of the gains, in the units of a "
      "[controller](machine_file.md#controller-one-for-each-actuator)";
  return key.just("gain");
}
inline constexpr Key at =
    number("at", D::kTime, kScenarioTime, "within the duration").must().to<&Event::at_s>();
inline constexpr Key name =
    name_of("name", "of a payload").just("attach detach").must().to<&Event::name>();
inline constexpr Key body = keys::body("").just("attach assemble").to<&Event::target>();
inline constexpr Key joint = keys::joint("").just("joint_mode gain").to<&Event::target>();
inline constexpr Key value = number("value", D::kVoltage, kAny, "with `\"voltage\"`")
                                 .just("joint_mode")
                                 .must_with("voltage")
                                 .to<&Event::value>()
                                 .otherwise("none");
inline constexpr Key pressure = number("pressure", D::kPressure, {0.0, 1e8, true}, "above the tank")
                                    .just("pump_pressure")
                                    .must()
                                    .to<&Event::value>();
inline constexpr Key inertia =
    keys::inertia("as for a body").just("attach").otherwise("a point mass");
inline constexpr Key gains[] = {gain(controller::kp), gain(controller::ki), gain(controller::kd),
                                gain(controller::feed_forward),
                                gain(controller::overlap_compensation)};
inline constexpr Key own[] = {
    kind_of(kKinds, "").to<&Event::kind>(),
    at,
    name,
    body,
    number("mass", D::kMass, {0.0, 1e6, true}, "").just("attach").must().to<&Event::mass_kg>(),
    vector("com", D::kLength, "in the body's frame").just("attach").must().to<&Event::com_B>(),
    inertia,
    joint,
    word_of("mode", kModes, "").just("joint_mode").must().selecting().to<&Event::mode>(),
    value,
    pressure,
};
inline constexpr auto all = join(own, gains);
inline constexpr KeyTable table{"scenario.event", "[[event]]", all};
}  // namespace event

// --- The file -------------------------------------------------------------------

namespace scenario_file {
using command::Scenario;
inline constexpr Key machine = text("machine",
                                    "the machine used when none is named on the command line; not "
                                    "needed with a [bench](#bench) that has no actuator")
                                   .must();
inline constexpr Key duration =
    number("duration", D::kTime, {0.0, 1e6, true}, "").must().to<&Scenario::duration_s>();
inline constexpr Key tick =
    number("tick", D::kTime, {1e-5, 0.1}, "step of the simulation").to<&Scenario::tick_s>();
inline constexpr Key bench = table("bench", keys::bench::table, "an actuator on a rig");
inline constexpr Key initial = named("initial", keys::initial::table, "where joints start");
inline constexpr Key joints =
    tables("joint", program::table, kMaxEntries, "what a joint is asked for");
inline constexpr Key carrier =
    tables("carrier", keys::carrier::table, 7, "what a machine on wheels is asked for");
inline constexpr Key ground = table(
    "ground", keys::ground::table,
    "under its wheels, with the keys of an [exercise's](exercise_file.md#the-world); without it "
    "level at z = 0");
inline constexpr Key tip_path = table("tip_path", keys::tip_path::table, "where the tip goes");
inline constexpr Key events = tables("event", event::table, kMaxEntries, "what happens on the way");
inline constexpr Key faults = fault::own();
inline constexpr Key all[] = {
    keys::name("").to<&Scenario::name>(),
    description().to<&Scenario::description>(),
    machine,
    duration,
    tick,
    bench,
    initial,
    joints,
    carrier,
    ground,
    tip_path,
    events,
    faults,
};
inline constexpr KeyTable table{"scenario", "", all};
}  // namespace scenario_file

}  // namespace knuckleboom::declare::keys
