#include "knuckleboom/core/training/demonstrator.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/multibody/kinematics.hpp"
#include "knuckleboom/core/training/load_part.hpp"
#include "knuckleboom/core/world/closest_points.hpp"

namespace knuckleboom::training {
namespace {

using Phase = DemonstratorPhase;

constexpr double kPi = 3.14159265358979323846;

// Speeds of a careful operator; faster motion would make the hanging head swing.
constexpr double kReachSpeed = 0.7, kHeightSpeed = 0.6;    // m/s
constexpr double kSwingSpeed = 0.35, kRotatorSpeed = 0.7;  // rad/s
constexpr double kReachRise = 0.5, kHeightRise = 0.6;      // m/s^2
constexpr double kSwingRise = 0.12, kRotatorRise = 1.0;    // rad/s^2
constexpr double kSmoothing[3] = {0.5, 0.2, 0.2};          // s
constexpr double kFar = 0.4;                               // rad
constexpr double kPull = 0.9;                              // 1/s, commanded speed per distance

constexpr double kClearance = 1.2;     // of the jaws above objects they pass [m]
constexpr double kNear = 0.10;         // m, above a log or bunk
constexpr double kNearHeading = 0.10;  // rad
constexpr int kMostLost = 2;           // times that a log is taken once more where it slips
constexpr double kHangTime = 1.0;      // s, over which the height of a hanging log is smoothed
constexpr double kPatience = 6.0;   // s; by then the brakes of the link hold the head out of plumb
constexpr double kAnywhere = 6.0;   // times as far off as usual, after four times that
constexpr double kCloseTime = 4.0;  // s; closed by then, or missed
constexpr double kHeapTime = 6.0;   // s; likewise around several
constexpr double kTogether = 0.04;  // m between logs that lie together
constexpr double kAbout = 1.2;      // m on the map; the jaws span less
constexpr int kMostTogether = 16;   // logs about one
constexpr double kOpenTime = 0.9;   // s
// Jaws with a cylinder: until they press with all their force, and until they are clear of the log [s].
constexpr double kSqueezeTime = 2.6, kDrivenOpenTime = 1.8;
constexpr double kClear = 0.6;  // opening that lets a log fall out
constexpr double kStuck =
    8.0;  // s; jaws that cannot open on a heap are raised first, and then left
constexpr double kNoRoom = 1.5;     // s; open by then, or there is no room for it
constexpr double kDig = 3e3;        // N; tips that press on the ground so hard are raised
constexpr double kTipsNear = 0.05;  // m above it; what presses on higher ones is a log
constexpr double kRaise = 0.3;      // m above where the grip is
constexpr double kStill = 0.08;     // m/s of the tip, before the jaws go down
constexpr double kTouch = 400.0;    // N on the log: it rests
constexpr double kLinedUp = 0.03;   // rad of swing, before the head goes out to a stem
constexpr double kKeepOff = 0.8;    // m short of it, until then
constexpr double kLeave = 0.25;     // rad away from the last stem, until the head may go out again
constexpr double kBrake = 2.0;      // 1/s, rate of a joint per way to the end of its range
constexpr double kStakeMargin = 0.5;  // m above a bunk's stakes
constexpr double kOverPlace = 0.9;    // m above a place, before a log is lowered
constexpr double kDown = 0.02;        // m above it, when it is let go
constexpr double kSink = 0.04;        // m; who aims at the height itself never quite gets there
constexpr double kThick = 0.2;        // m; a thicker log is gripped from its sides
constexpr double kBelowSide = 0.35;   // of its radius; so far below its middle
constexpr double kRise = 1.5;         // s; by then they hold it
constexpr double kTipsUnder = 1.25;   // of its radius; between the tips that hold a thin log
constexpr double kLaidHigh = 0.1;  // m; a log whose place is so far above the ground lies on others
constexpr double kBrakeHeight = 0.5;                     // m above it; from there on slowly
constexpr double kShortSqueeze = 1.5, kShortOpen = 0.6;  // s, for a short routine
constexpr double kEarly = 0.4;     // m below the height for travelling, where it may begin
constexpr double kJawRoom = 0.45;  // m between the tips of open jaws, beyond a log's thickness
constexpr double kJawAlone = 0.12;
constexpr double kBesideTips = 0.03, kBeside = 0.5;  // m from them, and in height
constexpr double kJawPull = 8.0;  // lever for each opening that the jaws are away
constexpr double kLoadMargin =
    0.25;  // above those of a load space, to which the crane hardly gets [m]
constexpr double kLanes[] = {0.0, 0.3, -0.3, 0.5, -0.5};  // from its middle [m]
constexpr double kBelowBundle = 0.5, kBundleNear = 0.4;   // m beside it; m above what it is laid on
constexpr double kOfASide = 0.4, kOfABundle = 0.2;  // of the lanes, on one side of a load space
constexpr double kOutwards = 0.06;  // of half its width, from the middle of a side: sorts lie apart
constexpr double kFromHeadboard = 0.15;       // of a log's middle beyond its own [m]
constexpr double kOverStakes = 0.4;           // more over the stakes on the way: a log swings [m]
constexpr double kBetweenStakes = 0.65;       // opening of jaws that let go there
constexpr double kGently = 0.3;               // of the tip, with a long log in the jaws [m/s^2]
constexpr double kSinks = 0.01, kLies = 0.6;  // m, s: a log that comes no lower lies on others
constexpr double kGrabHalf = 0.35,
                 kGrabDeep = 0.25;  // of what is taken out of a load, about its top [m]
constexpr double kMixed = 2.0;      // logs, for each that is taken and goes elsewhere
constexpr double kHigher = 0.05;    // m; what lies less high than that lies as high
constexpr double kOffMiddle = 0.2;  // of a load space, along it [m]
constexpr double kHeapHigh = 1.2, kHeapAbout = 2.0;  // m above the ground; m on the map
constexpr double kComesDown = 1.2;                   // on the map, before it is there [m]
// For the lowest layer of a load tips go down beside it, between two beams and two pairs of stakes, and close under it.
constexpr double kUnderBed = 0.15;      // m below the floor
constexpr double kBetweenPairs = 0.05;  // of a load space, along it [m]
constexpr double kJawsInside = 0.65;    // of their middle from the stakes; a tip is outside [m]
constexpr double kSpanOpenings[] = {1.0, 0.8, 0.6, 0.45};
constexpr int kSpanPlaces = 28;  // across a load space, less one
constexpr double kAside = 0.5;   // logs for each metre away from the one that is wanted
constexpr double kForeign = 2.0, kForeignAtTip = 0.7;  // logs, for each that goes elsewhere
constexpr double kMostRadii = 0.1;  // squared and summed, of what the jaws enclose [m^2]
constexpr double kOverBed = 0.05;   // of open jaws' tips [m]
// s; closing jaws that other logs of a load hold open so long give way upwards: they close about what is above.
constexpr double kPushTime = 1.5;
constexpr double kDropLess = 0.1, kSlowly = 0.3;  // m; share of the jaws' lever
constexpr double kOnItsWay = 2.0;                 // s, until a bundle that is lowered is on its way
constexpr double kUpAndDown = 1.3;                // of the usual speed, which lets nothing swing
constexpr double kOverLoad = 0.12;                // rad from where it is folded
constexpr double kWorkBeside = 2.0;               // rad from behind; farther on is the cab
constexpr double kOfAHeap = 1.6;                  // of the lanes, on a heap
constexpr double kBesideLoad = 0.25;              // of open jaws' tips [m]
constexpr double kPastStakes = 1.0, kWayUp = 0.45;  // m off a load space; m for each m farther off
constexpr double kFirstUp = 1.2;                    // s upwards, before the crane swings
constexpr double kWorkReach =
    9.3;  // m from the crane's foot; what is farther is work for another stop
constexpr double kWorkNear = 2.6;  // m from there; jaws do not get to what is nearer

// Felling.
constexpr double kFellGrip = 0.75;    // height of the grip above the ground [m]
constexpr double kFellRoom = 1.1;     // short of a tree, until the head is turned and upright [m]
constexpr double kOverWood = 0.9;     // above that height, on a way over wood that lies [m]
constexpr double kRisePerWay = 0.5;   // above it, per way that is left
constexpr double kFellNear = 0.07;    // of the grip from the stem, when the knives close [m]
constexpr double kFellTouch = 300.0;  // N on the head: the stem is at its frame
constexpr double kTiltPull = 3.0;     // lever for each radian
constexpr double kUpright = 0.08;     // rad
constexpr double kPressed_s = 0.8;    // s, of the knives
constexpr double kSawTime = 20.0, kFallTime = 15.0, kFellLift = 1.2;  // s
constexpr double kPushOver = 0.6;                                     // of the tilt's lever
constexpr double kFalls = 0.97;      // cosine of a lean from which on a tree falls by itself
constexpr double kFallen = 0.7;      // cosine; then the head is raised
constexpr double kFellRaise = 0.15;  // m above where it gripped
constexpr double kUsualStem = 0.13, kFellGap = 0.03;     // m, in an empty head; from its frame
constexpr double kAlongStem = 0.985;                     // cosine, of the head to the stem
constexpr double kSawStuck = 5.0, kFellPatience = 18.0;  // s
constexpr double kAcross = 0.75;      // cosine; of a fall that is rather across the crane
constexpr double kBesideNear = 0.25;  // m
constexpr double kCreep = 0.2;        // share of the usual speed
constexpr double kLying = 0.3, kBuckWait = 6.0;        // cosine; s after the cut
constexpr double kBuckCalm = 0.8;                      // m/s of the tip, of a tree that lies
constexpr double kBuckTime = 120.0;                    // s after the cut
constexpr double kLengthNear = 0.012, kSawnOff = 0.3;  // m
constexpr double kFeedStill = 0.1, kSettles = 0.15;    // m/s, s
constexpr double kPilePatience = 8.0;                  // s
constexpr double kPileNear = 0.25;                     // m, of a log from its place
constexpr double kPileLanes[] = {0.0, 0.35, -0.35, 0.6, -0.6};  // of its radius, across
constexpr double kPileRoom = 0.35;  // m between the middles of logs beside each other
constexpr double kPileRaise = 0.3, kPileLower = 0.35;  // m
constexpr double kBringSpeed = 0.6;                    // share of the usual speed, with a stem
constexpr double kUsualAhead = 0.3;                    // m
constexpr double kAheadTime = 1.0;                     // s

constexpr double kForesight = 5.0,
                 kLastMoment = 0.7;  // s, before somebody may be in the danger zone

// On wheels.
constexpr double kRoadSpeed = 1.1, kBendSpeed = 0.9;  // m/s
constexpr double kDriveRise = 0.35;                   // m/s^2
constexpr double kStraight = 0.995;                   // cosine of a turn of the way that is none
constexpr double kLookAhead = 3.5;                    // m ahead of the front wheels
constexpr double kWayWindow = 8.0;                    // m along the way
constexpr double kSteer = 2.0;                        // 1/s, rate of the joint per angle
constexpr double kMostBent = 0.68;                    // sine of the angle between the frames
constexpr double kThrottle = 0.15;                    // 1/m, of the lever's travel
constexpr double kMostThrottle = 0.3;
constexpr double kStopNear = 0.12;                 // m
constexpr double kHalted = 0.03;                   // m/s
constexpr double kPressed = 0.1, kReleased = 0.1;  // s, of a button
constexpr double kWorkTime = 20.0;                 // s with the crane, at a stop without a task
constexpr double kFoldTime = 10.0;                 // s, to bring it back
constexpr double kNearFoot = 1.5;      // m around the crane's foot, where it stands itself
constexpr double kHeadHalf = 0.4;      // m around the head
constexpr double kFoldedAngle = 0.04;  // rad
constexpr double kFoldedNear = 0.2;    // m

double wrap(double angle) {
  while (angle > kPi) angle -= 2.0 * kPi;
  while (angle < -kPi) angle += 2.0 * kPi;
  return angle;
}
// Direction of a line: equal after half a turn.
double wrap_line(double angle) {
  while (angle > 0.5 * kPi) angle -= kPi;
  while (angle < -0.5 * kPi) angle += kPi;
  return angle;
}

Vec3 rotate(const double (&q)[4], const Vec3& v) { return quaternion(q) * v; }

void approach(double wanted, double rise, double dt, double& value) {
  value += std::clamp(wanted - value, -rise * dt, rise * dt);
}

Vec3 on_map(const Vec3& p) { return {p.x(), p.y(), 0.0}; }

// Speed towards a target at a distance, slow enough to stop there.
double speed_for(double distance, double limit, double rise) {
  const double stop = std::sqrt(rise * std::fabs(distance));
  return std::copysign(std::min({limit, kPull * std::fabs(distance), stop}), distance);
}

// Bit of the button that is held for it, 0: there is none.
std::int64_t held_button(const command::LeverPattern& pattern, command::Switch does) {
  std::int64_t bit = 0;
  for (const command::ButtonUse& use : pattern.buttons)
    if (use.does == does && use.how == command::ButtonKind::kHold && use.mode <= 0)
      bit = std::int64_t{1} << static_cast<int>(use.button);
  return bit;
}

// Several are taken at once: logs of a pile, or of a sort that has a side of a load space.
bool gathers(const LogTask& task) {
  return task.gathered || (into_load_space(task) && side_of_load(task.bunk) != 0.0);
}
bool same_goal(const LogTask& a, const LogTask& b) {
  return a.bunk == b.bunk && a.place == b.place;
}

}  // namespace

Demonstrator::Demonstrator(const Session& session)
    : session_(session),
      pattern_(session.control().pattern()),
      exercise_(session.exercise()),
      ground_(session.world().ground()),
      way_(exercise_.world.way),
      rides_(!session.machine().wheels.empty()) {
  const machine::MachineModel& machine = session.machine();
  for (const world::Bunk& bunk : exercise_.world.bunks)
    stakes_z_ = std::max(stakes_z_, world::height(ground_, bunk.x, bunk.y) + bunk.height);
  const bool drives = asks_to_drive(exercise_);
  find_crane();
  if (rides_) find_wheels();
  find_levers();
  if (drives && !rides_)
    throw std::invalid_argument("machine '" + machine.name +
                                "' has no wheels; the demonstration cannot drive it");
  if (drives && (steer_.function < 0 || wheels_.function < 0))
    throw std::invalid_argument("lever pattern '" + pattern_.name +
                                "' does not drive or does not steer machine '" + machine.name +
                                "'; the demonstration needs both, as 'nordic_drive' has them");
  if (exercise_.task == TaskKind::kDrive) return;
  if (swing_link_ < 0)
    throw std::invalid_argument("machine '" + machine.name +
                                "' has no swing; the demonstration cannot drive it");
  if (machine.grapple.driven()) {
    jaws_ = worksite::grapple_shape(machine);
    tips_below_grip_ = jaws_.jaw_length + jaws_.tine_radius - worksite::usual_seat(jaws_);
  }
  if (swing_.function < 0 || reach_.function < 0 || height_.function < 0)
    throw std::invalid_argument("lever pattern '" + pattern_.name +
                                "' lacks swing, boom or stick; the demonstration needs all three");
  if (rides_) look_behind();
  saw_button_ = held_button(pattern_, command::Switch::kSaw);
  length_button_ = held_button(pattern_, command::Switch::kBestLength);
  if (exercise_.task == TaskKind::kBuck && length_button_ == 0)
    throw std::invalid_argument("lever pattern '" + pattern_.name +
                                "' lacks a button that is held for 'best_length'; the "
                                "demonstration needs it here, as 'nordic_head' has it");
  if (fells(exercise_.task) &&
      (rotator_.function < 0 || grapple_.function < 0 || tilt_.function < 0 || saw_button_ == 0))
    throw std::invalid_argument("lever pattern '" + pattern_.name + "' or machine '" +
                                machine.name +
                                "' lacks rotator, knives, tilt or a button that is held for the "
                                "saw; the demonstration needs them here, as 'nordic_head' and "
                                "'harvester_head' have them");
  if (exercise_.task == TaskKind::kLogs && (rotator_.function < 0 || grapple_.function < 0))
    throw std::invalid_argument("lever pattern '" + pattern_.name + "' or machine '" +
                                machine.name +
                                "' lacks rotator or grapple; the demonstration needs them here");
}

// The head goes in and out at the height of its target, and down to a log: no part of the carrier may be in between.
void Demonstrator::look_behind() const {
  const machine::MachineModel& machine = session_.machine();
  const sim::SimState start = session_.simulation().initial_state(exercise_.fidelity);
  const multibody::Kinematics kinematics =
      multibody::forward_kinematics(machine.tree, start.machine.q, start.machine.v);
  const Vec3 foot =
      multibody::body_pose(machine.tree, kinematics, machine.tree.link(swing_link_).body).p;
  const auto look = [&](const std::string& what, const Vec3& goal, bool from_above) {
    const Vec3 out = on_map(goal - foot);
    for (const machine::ContactShape& shape : machine.shapes) {
      if (shape.role != machine::ShapeRole::kCarrier || shape.body == multibody::kBase) continue;
      const multibody::Pose pose = multibody::body_pose(machine.tree, kinematics, shape.body);
      constexpr int kPlaces = 8;
      for (int i = 0; i <= kPlaces; ++i) {
        const double share = static_cast<double>(i) / kPlaces;
        const Vec3 p = pose.R * ((1.0 - share) * shape.from_B + share * shape.to_B) + pose.p;
        const Vec3 at = on_map(p - foot);
        if (at.norm() < kNearFoot || p.z() + shape.radius < goal.z() - kHeadHalf) continue;
        const double along =
            from_above ? 1.0 : std::clamp(at.dot(out) / out.squaredNorm(), 0.0, 1.0);
        if ((at - along * out).norm() > shape.radius + kHeadHalf) continue;
        throw std::invalid_argument(what + " lies at '" + shape.name + "' of machine '" +
                                    machine.name +
                                    "' or behind it, where the demonstration does not get past; "
                                    "drive it yourself or choose another machine");
      }
    }
  };
  if (exercise_.task == TaskKind::kHead)
    for (std::size_t i = 0; i < exercise_.targets.size(); ++i)
      look("target " + std::to_string(i + 1), exercise_.targets[i].p_W, false);
  if (exercise_.task == TaskKind::kLogs && !asks_to_drive(exercise_))
    for (const LogTask& task : exercise_.log_tasks) {
      const world::Log& log = nth(exercise_.world.logs, task.log);
      look("log '" + log.name + "'", {log.x, log.y, world::height(ground_, log.x, log.y)}, true);
    }
}

// The swing rotates the whole crane about a vertical axis, the rotator only the grapple.
void Demonstrator::find_crane() {
  const machine::MachineModel& machine = session_.machine();
  const multibody::Tree& tree = machine.tree;
  const carrier::Carrier& carrier = session_.simulation().carrier();
  const auto carried = [&](int link) { return rides_ && carrier.carries(link); };
  const double zero[kMaxLinks] = {};
  const multibody::Kinematics upright = multibody::forward_kinematics(tree, zero, zero);
  for (const machine::Actuator& actuator : machine.actuators) {
    if (carried(actuator.link)) continue;
    const multibody::Link& link = tree.link(actuator.link);
    const multibody::Body& body = tree.body(link.body);
    const bool foot = link.parent == multibody::kBase || carried(link.parent);
    const double up =
        foot ? (multibody::body_pose(tree, upright, link.body).R * body.axis_B).z() : 0.0;
    if (std::fabs(up) > 0.99 && swing_link_ < 0) {
      swing_link_ = actuator.link;
      swing_sign_ = up < 0.0 ? -1.0 : 1.0;
      foot_W_ = body.in_parent.p;
    } else if (body.joint_name == "rotator") {
      rotator_link_ = actuator.link;
      rotator_axis_B_ = body.axis_B;
    } else if (boom_link_ < 0) {
      boom_link_ = actuator.link;
    } else if (stick_link_ < 0) {
      stick_link_ = actuator.link;
    }
  }
}

// The joint that steers has wheels on both sides; those are in front that lie ahead of it.
void Demonstrator::find_wheels() {
  const machine::MachineModel& machine = session_.machine();
  const multibody::Tree& tree = machine.tree;
  looks_forwards_ = session_.control().looks_forwards(sim::OperatorState{});
  for (const command::LeverFunction& function : pattern_.functions)
    if (const int link = tree.find_joint(function.joint);
        function.target == command::LeverTarget::kJoint && link != multibody::kBase &&
        session_.simulation().carrier().carries(link))
      steer_link_ = link;
  if (steer_link_ < 0) return;
  const double zero[kMaxLinks] = {};
  const multibody::Kinematics upright = multibody::forward_kinematics(tree, zero, zero);
  const multibody::Pose joint = multibody::body_pose(tree, upright, tree.link(steer_link_).body);
  std::int64_t beyond = 0;  // wheels that the joint carries
  double ahead = 0.0;       // of it, summed
  for (std::size_t i = 0; i < machine.wheels.size(); ++i) {
    const machine::Wheel& wheel = machine.wheels[i];
    const multibody::Pose pose = multibody::body_pose(tree, upright, wheel.body);
    const Vec3 rolls = (pose.R * wheel.axis_B).cross(Vec3::UnitZ());
    bool carried = false;
    for (int l = tree.body(wheel.body).link; l != multibody::kBase; l = tree.link(l).parent)
      carried = carried || l == steer_link_;
    if (!carried) continue;
    beyond |= std::int64_t{1} << i;
    ahead += (pose.R * wheel.centre_B + pose.p - joint.p).dot(rolls);
  }
  const auto all = (std::int64_t{1} << machine.wheels.size()) - 1;
  front_wheels_ = ahead > 0.0 ? beyond : all & ~beyond;
  const double up = (joint.R * tree.body(tree.link(steer_link_).body).axis_B).z();
  steer_sign_ = (up > 0.0) == (ahead > 0.0) ? 1.0 : -1.0;
}

void Demonstrator::find_levers() {
  for (std::size_t f = 0; f < pattern_.functions.size(); ++f) {
    const command::LeverFunction& function = pattern_.functions[f];
    const int n = static_cast<int>(f);
    switch (function.target) {
      case command::LeverTarget::kTipReach:
        reach_ = {n, function.full};
        break;
      case command::LeverTarget::kTipHeight:
        height_ = {n, function.full};
        break;
      case command::LeverTarget::kGrapple:
        grapple_ = {n, 1.0};
        break;
      case command::LeverTarget::kDrive:
        if (session_.machine().driveline.present) wheels_ = {n, function.full};
        break;
      case command::LeverTarget::kBrake:
        break;
      case command::LeverTarget::kTilt:
        if (session_.machine().head.present) tilt_ = {n, 1.0};
        break;
      case command::LeverTarget::kFeed:
        if (session_.machine().head.present) feed_ = {n, 1.0};
        break;
      case command::LeverTarget::kJoint: {
        const int link = session_.machine().tree.find_joint(function.joint);
        const double rate = session_.control().full_rate(f);
        if (link >= 0 && link == steer_link_) steer_ = {n, rate};
        if (link == swing_link_) swing_ = {n, rate};
        if (link >= 0 && link == rotator_link_) rotator_ = {n, rate};
        if (link == boom_link_ && height_.function < 0) height_ = {n, 1.2};
        if (link == stick_link_ && reach_.function < 0) reach_ = {n, 1.5};
        break;
      }
    }
  }
}

Vec3 Demonstrator::swing_foot(const SessionSnapshot& snapshot) const {
  return rides_ ? vec(snapshot.body[swing_link_].p) : foot_W_;
}

// --- On wheels ----------------------------------------------------------------

// The lever's first half strokes the pump out, the second takes the motor back.
double Demonstrator::drive_lever(double speed) const {
  const machine::MachineModel& machine = session_.machine();
  const machine::Driveline& d = machine.driveline;
  const double stroke_out = d.pump_displacement * d.pump_ratio * machine.supply.pump.engine.speed /
                            (d.motor_displacement * d.ratio[0]) * machine.wheels.front().radius;
  if (!(stroke_out > 0.0)) return 0.0;
  const double share = std::fabs(speed) / stroke_out;
  const double back = share > 1.0 ? (1.0 - 1.0 / share) / std::max(1e-3, 1.0 - d.motor_least) : 0.0;
  return std::copysign(0.5 * std::min(share, 1.0) + 0.5 * std::min(back, 1.0), speed);
}

bool Demonstrator::turn(command::Switch of, bool on, const SessionSnapshot& s, double dt,
                        DemonstratorState& state, command::OperatorInput& out) const {
  const auto press = [&] { out.buttons |= std::int64_t{1} << state.button; };
  if (state.press_s > 0.0) {
    state.press_s -= dt;
    if (state.press_s > kReleased) press();
    return false;
  }
  if (((s.switches >> static_cast<int>(of) & 1) != 0) == on) return true;
  for (const command::ButtonUse& use : pattern_.buttons) {
    const bool does =
        use.how == command::ButtonKind::kToggle ||
        use.how == (on ? command::ButtonKind::kPressOn : command::ButtonKind::kPressOff);
    if (use.does != of || !does || (use.mode >= 0 && use.mode != s.lever_mode)) continue;
    state.button = static_cast<std::int32_t>(use.button);
    state.press_s = kPressed + kReleased;
    press();
    return false;
  }
  return true;  // it has no button: as it is
}

// Pure pursuit by the front wheels: an arc from them through a point ahead on the way gives the curvature, and that
// the angle between the frames.
void Demonstrator::steer(const SessionSnapshot& s, const Vec3& front, const Vec3& rear,
                         const world::WayPoint& goal, command::OperatorInput& out) const {
  const Vec3 joint = on_map(vec(s.body[steer_link_].p));
  const Vec3 ahead = front - joint, behind = joint - rear;
  const Vec3 to(goal.x - front.x(), goal.y - front.y(), 0.0);
  const double side = ahead.x() * to.y() - ahead.y() * to.x();
  const double curvature = 2.0 * side / (ahead.norm() * to.squaredNorm());
  const double bent =
      std::atan2(behind.x() * ahead.y() - behind.y() * ahead.x(), behind.dot(ahead));
  double wanted = bent;
  for (int i = 0; i < 4; ++i)
    wanted = std::asin(std::clamp(curvature * (ahead.norm() * std::cos(wanted) + behind.norm()),
                                  -kMostBent, kMostBent));
  const double most = session_.control().full_rate(static_cast<std::size_t>(steer_.function));
  const double rate = std::clamp(kSteer * (wanted - bent), -most, most);
  double q[kMaxLinks];
  for (int i = 0; i < session_.machine().joint_count(); ++i) q[i] = s.sim.joint[i].position;
  const double lever = session_.control().deflection(
      static_cast<std::size_t>(steer_.function), static_cast<command::ControlMode>(s.control_mode),
      steer_sign_ * rate, q);
  const bool turned = (s.switches >> static_cast<int>(command::Switch::kSeat) & 1) != 0;
  set({steer_.function, 1.0}, looks_forwards_ != turned ? lever : -lever, out);
}

// It lies in the load space, however it lies.
bool Demonstrator::aboard(int log, const SessionSnapshot& s) const {
  const LoadSnapshot& load = s.load;
  const Vec3 off = vec(s.log[log].p) - vec(load.centre_W);
  const Vec3 along = vec(load.along_W), up = vec(load.up_W);
  return std::fabs(off.dot(along)) < load.half_m[0] && off.dot(up) > -load.half_m[2] &&
         off.dot(up) < load.half_m[2] && std::fabs(off.dot(up.cross(along))) < load.half_m[1] &&
         !s.carried.has(log);
}

namespace {
bool is_reached(const Vec3& p_W, const Vec3& foot_W, double heading) {
  const Vec3 to = on_map(p_W - foot_W);
  return to.norm() < kWorkReach && to.norm() > kWorkNear &&
         std::fabs(wrap(std::atan2(to.y(), to.x()) - heading)) < kWorkBeside;
}
}  // namespace

// Whether the next step is done from where the machine stands.
bool Demonstrator::works_here(const SessionSnapshot& s, const DemonstratorState& state) const {
  const bool handles =
      state.phase == Phase::kClose || state.phase == Phase::kOpen || state.phase == Phase::kLift;
  if (s.task.step >= s.task.steps || handles || s.held_log >= 0) return true;
  const LogTask& next = nth(exercise_.log_tasks, s.task.step);
  if (s.load.logs.has(next.log) && into_load_space(next)) return true;
  const bool loaded = aboard(next.log, s);
  return in_reach(loaded ? session_.task().goal(next, s).centre_W : vec(s.log[next.log].p), s) ||
         stray(s, state) != nullptr;
}

bool Demonstrator::in_reach(const Vec3& p_W, const SessionSnapshot& s) const {
  return is_reached(p_W, swing_foot(s), heading_of(s));
}

// Both places, from a stop farther on.
bool Demonstrator::in_reach_later(const Vec3& a_W, const Vec3& b_W, const SessionSnapshot& s,
                                  const DemonstratorState& state) const {
  const std::vector<double>& stops = exercise_.world.way.stops;
  if (state.stops_made >= static_cast<std::int32_t>(stops.size())) return false;
  const world::WayPoint here = way_.at(nth(stops, state.stops_made));
  const Vec3 off = swing_foot(s) - Vec3(here.x, here.y, 0.0);
  for (std::size_t k = static_cast<std::size_t>(state.stops_made) + 1; k < stops.size(); ++k) {
    const world::WayPoint there = way_.at(stops[k]);
    const double turned =
        std::atan2(there.ahead_y, there.ahead_x) - std::atan2(here.ahead_y, here.ahead_x);
    const double c = std::cos(turned), d = std::sin(turned);
    const Vec3 foot(there.x + c * off.x() - d * off.y(), there.y + d * off.x() + c * off.y(), 0.0);
    const double heading = heading_of(s) + turned;
    if (is_reached(a_W, foot, heading) && is_reached(b_W, foot, heading)) return true;
  }
  return false;
}

// A log on top, beside the load, that belongs onto another heap than where it lies: it goes there, now or from a stop farther on;
// where both places are reached from none it is loaded once more. Null: there is none to see to here.
const LogTask* Demonstrator::stray(const SessionSnapshot& s, const DemonstratorState& state) const {
  const std::vector<LogTask>& tasks = exercise_.log_tasks;
  const auto first = static_cast<std::size_t>(s.task.step);
  if (!tasks[first].gathered || into_load_space(tasks[first])) return nullptr;
  for (std::size_t i = first; i < tasks.size(); ++i) {
    const LogTask& task = tasks[i];
    if (!task.gathered || task.place < 0 || s.load.logs.has(task.log)) continue;
    const Vec3 goal = session_.task().goal(task, s).centre_W, p = vec(s.log[task.log].p);
    const bool now = in_reach(goal, s);
    if ((now && same_goal(task, tasks[first])) || !in_reach(p, s) ||
        on_map(p - goal).norm() < nth(exercise_.places, task.place).radius ||
        (!now && in_reach_later(p, goal, s, state)))
      continue;
    const Vec3 along = rotate(s.log[task.log].q, Vec3::UnitX());
    bool covered = false;
    for (int k = 0; k < s.log_count; ++k) {
      const Vec3 off = vec(s.log[k].p) - p;
      covered = covered || (off.z() > kHigher && on_map(off).norm() < kHeapAbout &&
                            on_map(off).cross(along).norm() < kGrabHalf);
    }
    if (!covered) return now ? &task : loading_of(task.log);
  }
  return nullptr;
}

const LogTask* Demonstrator::loading_of(int log) const {
  for (const LogTask& task : exercise_.log_tasks)
    if (task.log == log && into_load_space(task)) return &task;
  return nullptr;
}

// The heap where most of what is in the jaws belongs; where that is out of reach it is loaded once more. Null: it belongs to
// the step under way, or to none.
const LogTask* Demonstrator::of_held(const SessionSnapshot& s) const {
  const std::vector<LogTask>& tasks = exercise_.log_tasks;
  const LogTask* own = nullptr;
  int most = 0;
  for (const LogTask& task : tasks) {
    if (!task.gathered || into_load_space(task) || !s.carried.has(task.log)) continue;
    int count = 0;
    for (const LogTask& other : tasks)
      if (other.gathered && same_goal(other, task) && s.carried.has(other.log)) ++count;
    if (count < most || (count == most && task.log != s.held_log)) continue;
    own = &task;
    most = count;
  }
  if (own == nullptr || same_goal(*own, nth(tasks, s.task.step))) return nullptr;
  return in_reach(session_.task().goal(*own, s).centre_W, s) ? own : loading_of(own->log);
}

// At a stop between loads. The brake is on and the seat looks to the crane while it works.
void Demonstrator::work_at_stop(const SessionSnapshot& s, double dt, DemonstratorState& state,
                                command::OperatorInput& out) const {
  state.fold_s = 0.0;
  state.worked_s += dt;
  if (turn(command::Switch::kParkingBrake, true, s, dt, state, out))
    turn(command::Switch::kSeat, looks_forwards_, s, dt, state, out);
  const auto stops = static_cast<std::int32_t>(exercise_.world.way.stops.size());
  if (state.stops_made + 1 == stops || works_here(s, state)) return;
  state.worked_s = 0.0;
  state.fold_s = dt;
  ++state.stops_made;
  enter(Phase::kTravel, state);
}

bool Demonstrator::drive_on(const SessionSnapshot& s, double dt, DemonstratorState& state,
                            command::OperatorInput& out) const {
  const bool task = exercise_.task == TaskKind::kDrive;
  const std::vector<double>& stops = exercise_.world.way.stops;
  const std::int32_t made = task ? s.task.step : state.stops_made;
  if (made >= static_cast<std::int32_t>(stops.size())) return task;
  const auto near = [&](const double(&p)[3]) {
    return way_.nearest(p[0], p[1], state.along_m - kWayWindow, state.along_m + kWayWindow).along;
  };
  state.along_m = near(s.foot_W);
  const double left = nth(stops, made) - state.along_m;
  const bool there = std::fabs(left) < kStopNear;
  const bool halted = std::fabs(s.sim.speed) < kHalted;
  const bool hauls = exercise_.task == TaskKind::kLogs;
  if ((there && halted) || (hauls && state.worked_s > 0.0)) {
    state.throttle = 0.0;
    if (hauls) {
      work_at_stop(s, dt, state, out);
      return false;
    }
    if (!task) {
      turn(command::Switch::kParkingBrake, true, s, dt, state, out);
      state.worked_s += dt;
      if (state.worked_s >= kWorkTime) {
        state.worked_s = 0.0;
        ++state.stops_made;
      }
      return false;
    }
    // Its swing leaks on a slope.
    state.fold_s += dt;
    return false;
  }
  if (halted && state.fold_s < kFoldTime && !folded(s, state)) {
    state.fold_s += dt;
    return false;
  }
  if (!halted) state.fold_s = 0.0;
  if (!turn(command::Switch::kParkingBrake, false, s, dt, state, out) ||
      !turn(command::Switch::kSeat, !looks_forwards_, s, dt, state, out))
    return true;

  Vec3 front = Vec3::Zero(), rear = Vec3::Zero();
  double fore = 0.0, aft = 0.0;
  for (int i = 0; i < s.sim.wheel_count; ++i) {
    const auto& w = s.wheel_W[i];
    const Vec3 middle(0.5 * (w[0][0] + w[1][0]), 0.5 * (w[0][1] + w[1][1]), 0.0);
    const bool ahead = (front_wheels_ >> i & 1) != 0;
    (ahead ? front : rear) += middle;
    (ahead ? fore : aft) += 1.0;
  }
  if (fore == 0.0 || aft == 0.0) return true;
  front /= fore;
  rear /= aft;
  const double front_m = near({front.x(), front.y(), 0.0});
  steer(s, front, rear, way_.at(front_m + kLookAhead), out);

  const world::WayPoint here = way_.at(state.along_m), next = way_.at(front_m + kLookAhead);
  const bool bends = here.ahead_x * next.ahead_x + here.ahead_y * next.ahead_y < kStraight;
  const double most = bends ? kBendSpeed : kRoadSpeed;
  const double wanted = there ? 0.0 : speed_for(left, most, kDriveRise);
  const double missing = wanted - s.sim.speed;
  state.throttle =
      there ? 0.0
            : std::clamp(state.throttle + kThrottle * missing * dt, -kMostThrottle, kMostThrottle);
  const bool turned = (s.switches >> static_cast<int>(command::Switch::kSeat) & 1) != 0;
  const double lever = drive_lever(wanted) + state.throttle;
  set(wheels_, looks_forwards_ != turned ? lever : -lever, out);
  return true;
}

bool Demonstrator::beside_stakes(const Vec3& p_W) const {
  return std::any_of(exercise_.world.bunks.begin(), exercise_.world.bunks.end(),
                     [&](const world::Bunk& bunk) {
                       return std::hypot(p_W.x() - bunk.x, p_W.y() - bunk.y) <
                              0.5 * std::hypot(bunk.length, bunk.width);
                     });
}

// About: the tips' distance grows with the jaws' opening.
double Demonstrator::opening_for(double gap) const {
  return std::clamp((gap + jaws_.overlap) / (jaws_.opening_max + jaws_.overlap), 0.0, 1.0);
}

// The step under way; of those that are gathered the first whose log is not in the load space yet, or, out of it, one
// at the top.
const LogTask& Demonstrator::next_of(const SessionSnapshot& s,
                                     const DemonstratorState& state) const {
  const LogTask& now = nth(exercise_.log_tasks, s.task.step);
  if (!gathers(now)) return now;
  if (!into_load_space(now)) {
    const LogTask* other = nullptr;
    if (s.held_log >= 0) {
      other = of_held(s);
    } else {  // sorted is when nothing comes onto the heaps any more
      other = first_out_of_load(s);
      if (other == nullptr) other = stray(s, state);
    }
    return other != nullptr ? *other : now;
  }
  if (!s.load.logs.has(now.log)) return now;
  for (std::size_t i = static_cast<std::size_t>(s.task.step); i < exercise_.log_tasks.size(); ++i) {
    const LogTask& task = exercise_.log_tasks[i];
    if (!gathers(task) || !into_load_space(task)) return now;
    if (!s.load.logs.has(task.log)) return task;
  }
  return now;
}

namespace {
// Logs that the jaws take together out of a load, about a log at its top.
bool in_one_grab(const Vec3& top, const Vec3& log, const Vec3& along) {
  return log.z() > top.z() - kGrabDeep && on_map(log - top).cross(along).norm() < kGrabHalf;
}
}  // namespace

// Among those in the load whose heap is in reach, the one about which the jaws take most of its own heap and least of others,
// none of them much higher. Null: there are none.
const LogTask* Demonstrator::first_out_of_load(const SessionSnapshot& s) const {
  const std::vector<LogTask>& tasks = exercise_.log_tasks;
  const LogTask* loaded[world::kMaxLogs];
  int count = 0;
  world::LogSet goes;
  for (auto i = static_cast<std::size_t>(s.task.step); i < tasks.size(); ++i) {
    const LogTask& task = tasks[i];
    if (!task.gathered || into_load_space(task) || !aboard(task.log, s) ||
        !in_reach(session_.task().goal(task, s).centre_W, s))
      continue;
    goes.add(task.log);
    if (count < world::kMaxLogs) loaded[count++] = &task;
  }
  const LogTask* best = nullptr;
  double most = 0.0, top = 0.0;
  const Vec3 along = vec(s.load.along_W);
  for (int i = 0; i < count; ++i) {
    const Vec3 p = vec(s.log[loaded[i]->log].p);
    double score = 0.0;
    bool covered = false;
    for (int k = 0; k < count; ++k) {
      const Vec3 q = vec(s.log[loaded[k]->log].p);
      if (in_one_grab(p, q, along)) score += same_goal(*loaded[i], *loaded[k]) ? 1.0 : -kMixed;
      covered =
          covered || (q.z() > p.z() + kGrabDeep && in_one_grab(q, {p.x(), p.y(), q.z()}, along));
    }
    for (int k = 0; k < s.log_count; ++k)
      if (s.load.logs.has(k) && !goes.has(k) && in_one_grab(p, vec(s.log[k].p), along))
        score -= kMixed;
    if (best != nullptr && (covered || score < most || (score == most && p.z() <= top + kHigher)))
      continue;
    best = loaded[i];
    most = covered ? -1e9 : score;
    top = p.z();
  }
  return best;
}

// The logs in the jaws that belong where this one does; none: those that lie against it, and belong there too. Out of a
// load those about the top of it.
Demonstrator::Heap Demonstrator::heap_of(const SessionSnapshot& s, const LogTask& wanted) const {
  std::int32_t near[kMostTogether];
  bool in[kMostTogether] = {};
  int count = 0;
  Heap out;
  const Vec3 about = vec(s.log[wanted.log].p), along = vec(s.load.along_W);
  const bool loads = into_load_space(wanted), in_load = !loads && aboard(wanted.log, s);
  const auto is_elsewhere = [&](int log) {
    return loads ? s.load.logs.has(log) != s.load.logs.has(wanted.log) : aboard(log, s) != in_load;
  };
  for (std::size_t i = static_cast<std::size_t>(s.task.step); i < exercise_.log_tasks.size(); ++i) {
    const LogTask& task = exercise_.log_tasks[i];
    if (!same_goal(task, wanted)) continue;
    if (s.held_log >= 0 && s.carried.has(task.log) &&
        (out.held < 0 || task.log == s.held_log || task.log == wanted.log))
      out.held = out.held == wanted.log ? wanted.log : task.log;
    const Vec3 p = vec(s.log[task.log].p);
    if (count == kMostTogether || is_elsewhere(task.log) || on_map(p - about).norm() > kAbout)
      continue;
    if (in_load && !in_one_grab(about, p, along)) continue;
    in[count] = in_load || task.log == wanted.log;
    near[count++] = task.log;
  }
  if (count == 0 && out.held < 0) {  // not of the step under way
    if (s.held_log >= 0 && s.carried.has(wanted.log)) out.held = wanted.log;
    in[0] = true;
    near[count++] = wanted.log;
  }
  const auto reach = [&](std::int32_t i) {
    return rotate(s.log[i].q, {0.5 * nth(exercise_.world.logs, i).length, 0.0, 0.0});
  };
  const auto touch = [&](std::int32_t a, std::int32_t b) {
    const Vec3 p = vec(s.log[a].p), q = vec(s.log[b].p), u = reach(a), v = reach(b);
    const world::ClosestPoints c = world::closest_points(p - u, p + u, q - v, q + v);
    return (c.a - c.b).norm() <
           nth(exercise_.world.logs, a).radius + nth(exercise_.world.logs, b).radius + kTogether;
  };
  for (bool more = out.held < 0; more;) {
    more = false;
    for (int i = 0; i < count; ++i)
      for (int k = 0; k < count && !in[i]; ++k)
        if (in[k] && touch(near[i], near[k])) in[i] = more = true;
  }
  const auto add = [&](std::int32_t i) {
    const Vec3 p = vec(s.log[i].p);
    const double r = nth(exercise_.world.logs, i).radius;
    out.middle += p;
    const double low = p.z() - r - std::fabs(reach(i).z());
    out.low = out.count == 0 ? low : std::min(out.low, low);
    out.high = out.count == 0 ? p.z() : std::max(out.high, p.z());
    ++out.count;
  };
  if (out.held >= 0) {
    for (std::int32_t i = 0; i < s.log_count; ++i)
      if (s.carried.has(i)) add(i);
  } else {
    for (int i = 0; i < count; ++i)
      if (in[i]) add(near[i]);
  }
  if (out.count > 0) out.middle /= static_cast<double>(out.count);
  if (!in_load || out.held >= 0 || out.count == 0) return out;
  // Between its outermost logs.
  const Vec3 left = left_of(s.load);
  double lo = 1e9, hi = -1e9;
  for (int i = 0; i < count; ++i) {
    const double at = (vec(s.log[near[i]].p) - out.middle).dot(left);
    lo = std::min(lo, at);
    hi = std::max(hi, at);
  }
  out.middle += 0.5 * (lo + hi) * left;
  return out;
}

// Where jaws that go down into the load as deep as this have most of what goes where this log does between them, and least of
// what goes elsewhere.
Demonstrator::Span Demonstrator::span_in_load(const SessionSnapshot& s, const LogTask& wanted,
                                              double deep_z) const {
  struct Lying {
    double across, radius;
    bool own;
  };
  Lying lying[world::kMaxLogs];
  int count = 0;
  const Vec3 left = left_of(s.load);
  const auto across = [&](int log) { return (vec(s.log[log].p) - vec(s.load.centre_W)).dot(left); };
  world::LogSet own;
  for (std::size_t i = static_cast<std::size_t>(s.task.step); i < exercise_.log_tasks.size(); ++i)
    if (same_goal(exercise_.log_tasks[i], wanted)) own.add(exercise_.log_tasks[i].log);
  for (int k = 0; k < s.log_count; ++k)
    if (aboard(k, s) && s.log[k].p[2] > deep_z)
      lying[count++] = {across(k), nth(exercise_.world.logs, k).radius, own.has(k)};
  const double inside = s.load.half_m[1] - kJawsInside, at = across(wanted.log);
  Span best{std::clamp(at, -inside, inside), 1.0};
  double most = 0.0;
  for (const double opening : kSpanOpenings) {
    const double half = 0.5 * (opening * (jaws_.opening_max + jaws_.overlap) - jaws_.overlap);
    for (int i = 0; i <= kSpanPlaces; ++i) {
      const double middle = inside * (2.0 * i / kSpanPlaces - 1.0);
      if (std::fabs(at - middle) > half) continue;
      double score = -kAside * std::fabs(at - middle), radii = 0.0;
      for (int k = 0; k < count; ++k) {
        const Lying& log = lying[k];
        const double off = std::fabs(log.across - middle);
        if (off > half + (log.own ? 0.0 : log.radius)) continue;
        radii += log.radius * log.radius;
        if (!log.own)
          score -= off < half - log.radius ? kForeign : kForeignAtTip;
        else if (radii < kMostRadii)
          score += 1.0;
      }
      if (score <= most) continue;
      most = score;
      best = {middle, opening};
    }
  }
  return best;
}

// Height of the highest log that lies below a place in the load space, or on a heap; or of the floor there.
double Demonstrator::top_below(const SessionSnapshot& s, const Task::Spot& spot, bool in_load,
                               double floor_z) const {
  const Vec3 &along = spot.along_W, &place = spot.centre_W;
  double top = floor_z;
  // A log that hangs on a bundle without being held is no heap.
  const double hangs_z = in_load ? 1e9 : s.grip_W[2] - tips_below_grip_;
  for (int i = 0; i < s.log_count; ++i) {
    const Vec3 p = vec(s.log[i].p);
    if (s.load.logs.has(i) == in_load && !s.carried.has(i) && p.z() < hangs_z &&
        on_map(p - place).norm() < kHeapAbout &&
        on_map(p - place).cross(along).norm() < kBelowBundle)
      top = std::max(top, p.z() + nth(exercise_.world.logs, i).radius);
  }
  return top;
}

// So far that the tips come down between a log and the one beside it. Where there is no room for that, as far as they can;
// alone: so little that they take no other.
double Demonstrator::opening_beside(const SessionSnapshot& s, int wanted, bool alone) const {
  const Vec3 middle = vec(s.log[wanted].p);
  const double radius = nth(exercise_.world.logs, wanted).radius;
  double half = 1e9;
  for (int i = 0; i < s.log_count; ++i) {
    if (i == wanted) continue;
    const world::Log& log = nth(exercise_.world.logs, i);
    const Vec3 p = vec(s.log[i].p), reach = rotate(s.log[i].q, {0.5 * log.length, 0.0, 0.0});
    if (std::fabs(p.z() - middle.z()) > kBeside) continue;
    const Vec3 near =
        world::closest_on_segment(on_map(p - reach), on_map(p + reach), on_map(middle));
    half = std::min(half, (near - on_map(middle)).norm() - log.radius);
  }
  const double gap = 2.0 * (half - 2.0 * jaws_.tine_radius - kBesideTips);
  const double without = alone ? opening_for(2.0 * radius + kJawAlone) : 1.0;
  return gap < 2.0 * radius + kJawRoom ? without : opening_for(gap);
}

// One jaw that pushes a log presses on it as hard as on ground.
bool Demonstrator::tips_at(double floor_z, const SessionSnapshot& s) const {
  const world::JawPoints jaw = world::jaw_points(jaws_, 1, s.grapple_opening);
  const double below = jaw.tip.y() + jaws_.tine_radius - worksite::usual_seat(jaws_);
  return s.grip_W[2] - below < floor_z + kTipsNear;
}

void Demonstrator::enter(Phase phase, DemonstratorState& state) const {
  state.phase = phase;
  state.timer_s = 0.0;
}

// Sets the axis that shaping turns into `value` of the lever's full speed.
void Demonstrator::set(const Lever& lever, double value, command::OperatorInput& out) const {
  if (lever.function < 0) return;
  const command::LeverFunction& function = nth(pattern_.functions, lever.function);
  const double wanted = std::min(std::fabs(value) / lever.full, function.shape.gain);
  if (wanted < 1e-4) return;
  const double side = value * function.shape.sign < 0.0 ? -1.0 : 1.0;
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 24; ++i) {
    const double middle = 0.5 * (low + high);
    (std::fabs(command::shape(middle, function.shape)) < wanted ? low : high) = middle;
  }
  out.axis[static_cast<int>(function.axis)] = side * high;
}

Task::Spot Demonstrator::goal_of(const LogTask& task, const SessionSnapshot& s, int missed) const {
  Task::Spot spot = session_.task().goal(task, s);
  const double across = nth(kLanes, (s.task.step + missed) % static_cast<int>(std::size(kLanes)));
  const Vec3 left(-spot.along_W.y(), spot.along_W.x(), 0.0);
  if (task.gathered && task.place >= 0) {
    // Where the heap is lowest, so that nothing rolls off.
    const Task::Spot middle = spot;
    double low = 1e9;
    for (const double lane : kLanes) {
      const Task::Spot beside{middle.centre_W + kOfAHeap * lane * left, middle.along_W};
      const double top = top_below(s, beside, false, -1e9);
      if (top > low - kHigher) continue;
      low = top;
      spot = beside;
    }
  }
  if (!into_load_space(task)) return spot;
  // One beside the other about the middle, where jaws can open; a heap rolls to the stakes by itself.
  const double narrow = task.bunk == kLoadSpace ? 1.0 : task.gathered ? kOfABundle : kOfASide;
  const double outwards =
      task.gathered ? kOutwards * s.load.half_m[1] * side_of_load(task.bunk) : 0.0;
  spot.centre_W += kFromHeadboard * spot.along_W + (narrow * across + outwards) * left;
  return spot;
}

Demonstrator::Wish Demonstrator::logs(const SessionSnapshot& s, double dt,
                                      DemonstratorState& state) const {
  Wish wish;
  wish.p_W = vec(s.grip_W);
  const auto count = static_cast<int>(exercise_.log_tasks.size());
  if (s.task.step >= count) {
    wish.p_W.z() = state.lift_z;
    wish.grip = true;
    return wish;
  }
  const LogTask& next = next_of(s, state);
  const bool driven = session_.machine().grapple.driven();
  const bool loads = into_load_space(next);
  const bool heaps = driven && gathers(next);
  const bool unloads = heaps && !loads;
  const Heap heap = heaps ? heap_of(s, next) : Heap{};
  const bool several = heap.count > 1, bundle = several && next.gathered;
  LogTask task = next;
  if (heap.held >= 0) task.log = heap.held;
  const world::Log& log = nth(exercise_.world.logs, task.log);
  const Task::Spot spot = goal_of(task, s, state.missed);
  const bool held = heaps ? heap.held >= 0 : s.held_log == task.log;
  // Tips that close are lowest half way.
  const Vec3 under =
      several && !held ? Vec3(heap.middle.x(), heap.middle.y(), heap.low) : vec(s.log[task.log].p);
  const bool to_place = task.place >= 0 && !task.gathered;
  const bool thick = to_place && log.radius > kThick;
  const double side = thick ? under.z() - kBelowSide * log.radius : -1e9;
  const bool out_of_load = unloads && !held && aboard(task.log, s);
  const double bed_z = s.load.centre_W[2] - s.load.half_m[2];
  // Height of the grip where jaws that open stay off what is below: the floor of the load space, or a heap. They begin
  // lower, slowly.
  const double under_z =
      loads || !held
          ? bed_z
          : top_below(s, spot, false, world::height(ground_, spot.centre_W.x(), spot.centre_W.y()));
  const double open_z = under_z + tips_below_grip_ + kOverBed, begin_open_z = open_z - kDropLess;
  const double low_z = several ? heap.low : under.z() - log.radius;
  const bool on_bed = out_of_load && low_z < bed_z + kOverBed;
  const double lowest =
      out_of_load ? std::max(bed_z, low_z) + tips_below_grip_ - (on_bed ? kUnderBed : 0.0)
      : heaps && unloads && !held && !several
          ? std::max(low_z, world::height(ground_, under.x(), under.y())) + tips_below_grip_
          : std::max(under.z(), driven
                                    ? std::max(side, world::height(ground_, under.x(), under.y())) +
                                          tips_below_grip_
                                    : -1e9);
  const double below_grip_z = world::height(ground_, s.grip_W[0], s.grip_W[1]);
  const bool digs = s.contact_force > kDig &&
                    (state.phase != Phase::kClose || (!several && tips_at(below_grip_z, s)) ||
                     (out_of_load && !on_bed && state.timer_s > kPushTime &&
                      (state.missed % 2 == 1 || s.grapple_opening > kClear)) ||
                     (out_of_load && state.timer_s > kSqueezeTime &&
                      tips_at(bed_z + (on_bed ? -kUnderBed : kOverBed), s)));
  // Between other logs the jaws find no room to open.
  const bool stuck = (loads || heaps) && state.phase == Phase::kOpen && state.timer_s > kNoRoom &&
                     s.grapple_opening < kBetweenStakes;
  const double raise = driven && (digs || stuck) ? kRaise : 0.0;
  // A thin log that lies high falls between the tines only when they rise.
  const bool from_below = to_place && driven && !thick;
  const bool rises = from_below && state.phase == Phase::kLift && state.timer_s < kRise;
  // Open jaws that leave a heap may touch logs on both sides.
  const bool leaves = heaps && state.phase == Phase::kLift && state.carrying == 0;
  if (held != (state.carrying != 0) && state.phase != Phase::kClose &&
      state.phase != Phase::kOpen && !rises && !leaves) {
    // Unexpected change: the log slipped, or someone else released it. Jaws that close on take it once
    // more; half-closed ones may hook a log and lose it again and again.
    state.carrying = held ? 1 : 0;
    if (!held) ++state.lost;
    enter(held ? Phase::kLift : state.lost > kMostLost ? Phase::kOpen : Phase::kClose, state);
  }

  const Vec3 log_p =
      several && !held ? Vec3(heap.middle.x(), heap.middle.y(), heap.high) : vec(s.log[task.log].p);
  const Vec3 log_axis = rotate(s.log[task.log].q, Vec3::UnitX());
  const machine::LoadSpace& space = session_.machine().load_space;
  const double floor_z = loads      ? spot.centre_W.z() - 0.5 * space.height
                         : to_place ? spot.centre_W.z()
                                    : world::height(ground_, spot.centre_W.x(), spot.centre_W.y());
  const double stakes_z = loads           ? floor_z + space.height + kLoadMargin - kStakeMargin
                          : to_place      ? stakes_z_
                          : task.bunk < 0 ? floor_z + kHeapHigh
                                          : floor_z + nth(exercise_.world.bunks, task.bunk).height;
  Vec3 place = on_map(held ? spot.centre_W : log_p);
  Span span;
  if (out_of_load) {  // between two pairs of stakes
    const Vec3 along = vec(s.load.along_W);
    const double off = (place - on_map(vec(s.load.centre_W))).dot(along);
    const double most = on_bed ? kBetweenPairs : kOffMiddle;
    place += (std::clamp(off, -most, most) - off) * along;
    if (state.phase == Phase::kTravel || state.phase == Phase::kAlign ||
        state.phase == Phase::kLower) {
      const Vec3 left = left_of(s.load);
      const double across = (place - on_map(vec(s.load.centre_W))).dot(left);
      span = span_in_load(s, next, on_bed ? -1e9 : s.log[next.log].p[2] - kGrabDeep);
      place += (span.across - across) * left;
    }
  }
  // A log gripped beside its middle hangs askew: its lower end is to pass above the bunks' stakes. Above those of a load
  // space there is no such room.
  // Smoothed, since a height that follows its swing would keep it swinging.
  const double lower_end =
      several ? s.grip_W[2] - heap.low
              : s.grip_W[2] - log_p.z() + 0.5 * log.length * std::fabs(log_axis.z()) + log.radius;
  if (!held) state.hangs_m = 2.0 * log.radius;
  if (held) state.hangs_m += dt / kHangTime * (lower_end - state.hangs_m);
  const double below = !held               ? ((loads && driven) || heaps ? tips_below_grip_ : 0.3)
                       : loads && !several ? 2.0 * log.radius
                                           : std::max(2.0 * log.radius, state.hangs_m);
  const double over_goal = stakes_z + kStakeMargin + below;
  const double beside_load =
      std::fabs(on_map(vec(s.sim.tip_W) - vec(s.load.centre_W)).dot(left_of(s.load))) -
      s.load.half_m[1] - kPastStakes;
  // Out of the load it goes over its stakes as well.
  const double over_load = unloads && (out_of_load || beside_load <= 0.0)
                               ? s.load.centre_W[2] + s.load.half_m[2] + kLoadMargin + below
                               : -1e9;
  const double travel_held = std::max(over_goal, over_load);
  const double over = !held                               ? log_p.z() + kClearance
                      : to_place && !beside_stakes(place) ? floor_z + kOverPlace
                                                          : over_goal;
  // Tines that open under a thin log need room below; where it lies high, they have it.
  const double ground_z = world::height(ground_, place.x(), place.y());
  const double floor_of_tips = beside_stakes(place) || floor_z - log.radius > ground_z + kLaidHigh
                                   ? ground_z
                                   : floor_z - log.radius;
  const double down = std::max(s.grip_W[2] + floor_z - under.z(),
                               driven && !thick ? floor_of_tips + tips_below_grip_ : -1e9);
  const double travel = std::max(over, travel_held);
  // Past the stakes of the load space it goes up and down on its way.
  const double by_now = heaps && next.gathered && beside_load > 0.0
                            ? travel - kStakeMargin - kWayUp * beside_load
                            : travel;
  wish.up_first = s.grip_W[2] < by_now;
  wish.grip = wish.heading = true;
  wish.axis_x = held ? spot.along_W.x() : log_axis.x();
  wish.axis_y = held ? spot.along_W.y() : log_axis.y();
  // Jaws next to other logs and stakes open no further than they must.
  const bool goes_down = !held && (state.phase == Phase::kTravel || state.phase == Phase::kAlign ||
                                   state.phase == Phase::kLower);
  // Jaws keep off the stakes of the load space beside which a log lies.
  const double beside_place =
      std::fabs(on_map(place - vec(s.load.centre_W)).dot(left_of(s.load))) - s.load.half_m[1];
  const double beside_stakes_of_load =
      s.load.half_m[1] > 0.0 && goes_down && !out_of_load && beside_place > 0.0
          ? opening_for(2.0 * (beside_place - kBesideLoad))
          : 1.0;
  const double wide = !driven       ? 1.0
                      : out_of_load ? span.opening
                      : to_place    ? opening_for(2.0 * log.radius + kJawRoom)
                      : goes_down && !several
                          ? std::min(opening_beside(s, task.log, unloads), beside_stakes_of_load)
                          : beside_stakes_of_load;
  // They hold a thin log from below, without passing each other under it.
  const double hold =
      from_below ? std::clamp(kJawPull * (s.grapple_opening - opening_for(kTipsUnder * log.radius)),
                              0.0, 1.0)
                 : 0.5;
  const bool near_floor = s.grip_W[2] - (held ? down : lowest) < kBrakeHeight;
  const double ready =
      wide < 1.0 ? std::clamp(kJawPull * (s.grapple_opening - wide), -1.0, 1.0) : -1.0;
  const double away = std::hypot(s.sim.tip_W[0] - place.x(), s.sim.tip_W[1] - place.y());
  const double grip_away = std::hypot(s.grip_W[0] - place.x(), s.grip_W[1] - place.y());
  const double turned = std::fabs(wrap_line(std::atan2(wish.axis_y, wish.axis_x) -
                                            std::atan2(s.grip_axis_W[1], s.grip_axis_W[0])));
  const double speed = vec(s.tip_v_W).norm();
  // A log that lies askew in the jaws comes no nearer, nor do jaws to one that lies right at the crane.
  const double near = state.timer_s > 4.0 * kPatience   ? kAnywhere
                      : state.timer_s > 2.0 * kPatience ? 2.0
                                                        : 1.0;
  wish.p_W = place;
  // Who has missed a log aims with the jaws, which hang out of plumb.
  if ((loads || heaps) && !held && state.missed > 0 &&
      (state.phase == Phase::kAlign || state.phase == Phase::kLower))
    wish.p_W += on_map(vec(s.sim.tip_W) - vec(s.grip_W));
  wish.p_W.z() = travel;
  // The next log may be elsewhere as soon as this one is let go.
  const bool lays = next.gathered && (loads ? beside_load < 0.0 : held);
  const bool comes_down = next.gathered && !out_of_load && !(held && loads);
  switch (state.phase) {
    case Phase::kTravel:
    case Phase::kDone:
      wish.jaws = held ? hold : ready;
      wish.together = held && (loads || heaps);
      if (wish.together) wish.p_W.z() += kOverStakes;
      // Nothing stands about a pile or a heap.
      if (comes_down) wish.p_W.z() = std::max(over, by_now);
      if (away < (comes_down ? kComesDown : 0.4)) wish.p_W.z() = over;
      if (away < 2.0 * kNear && turned < 2.0 * kNearHeading) enter(Phase::kAlign, state);
      break;
    case Phase::kAlign:
      wish.jaws = held ? hold : ready;
      wish.p_W.z() = over;
      if (next.gathered && std::fabs(s.grip_W[2] - over) > kBrakeHeight) wish.speed = kUpAndDown;
      if (grip_away < near * kNear * (state.timer_s > kPatience ? 2.0 : 1.0) &&
          away < near * kNear && turned < near * kNearHeading && speed < kStill &&
          s.grip_W[2] < over + near * 0.2)
        enter(Phase::kLower, state);
      break;
    case Phase::kLower:
      wish.p_W.z() = !held ? lowest : to_place ? down - kSink : floor_z;
      wish.speed = to_place && !near_floor ? 1.0 : loads && held ? 0.8 : 0.5;
      if (held && bundle) wish.p_W.z() = std::max(floor_z, begin_open_z);
      if (heaps && held)
        wish.speed = heap.low - top_below(s, spot, loads, floor_z) < kBundleNear ? 0.3 : 1.0;
      wish.jaws = held ? hold : ready;
      if (log_p.z() < state.lowest_z - kSinks || state.timer_s <= dt) {
        state.lowest_z = log_p.z();
        state.stuck_s = 0.0;
      } else {
        state.stuck_s += dt;
      }
      if (held &&
          ((state.timer_s > 0.5 &&
            (to_place ? s.grip_W[2] < down + kDown : s.contact_force > kTouch)) ||
           (loads && state.stuck_s > kLies) || (bundle && s.grip_W[2] < begin_open_z + kDown) ||
           (unloads && state.stuck_s > kLies && state.timer_s > kOnItsWay)))
        enter(Phase::kOpen, state);
      if (!held && (s.grip_W[2] < lowest + 0.04 || s.contact_force > kTouch))
        enter(Phase::kClose, state);
      if (state.timer_s > 12.0) enter(held ? Phase::kOpen : Phase::kClose, state);
      break;
    case Phase::kClose:
      wish.p_W = vec(s.sim.tip_W);
      wish.p_W.z() = s.grip_W[2] + raise;
      if (on_bed && !held && raise == 0.0) wish.p_W.z() = std::min(wish.p_W.z(), lowest);
      wish.jaws = from_below ? hold : 1.0;
      if ((held || (from_below && hold < 0.5)) && state.timer_s > (!driven      ? 0.3
                                                                   : from_below ? kShortSqueeze
                                                                                : kSqueezeTime)) {
        state.carrying = 1;
        state.missed = 0;
        enter(Phase::kLift, state);
      } else if (state.timer_s > (several ? kHeapTime : kCloseTime)) {
        ++state.missed;
        enter(Phase::kOpen, state);
      }
      break;
    case Phase::kOpen:
      wish.p_W = vec(s.sim.tip_W);
      wish.p_W.z() = s.grip_W[2] + raise;
      // The frame is below the beams of the load space.
      if (lays) wish.p_W.z() = std::max(wish.p_W.z(), open_z);
      wish.jaws = (loads || heaps) && s.grapple_opening > kBetweenStakes ? 0.0
                  : lays && s.grip_W[2] < open_z - kSink                 ? kSlowly * ready
                                                                         : ready;
      if (driven ? (state.timer_s > (to_place         ? kShortOpen
                                     : loads || heaps ? kOpenTime
                                                      : kDrivenOpenTime) &&
                    s.grapple_opening > std::min(kClear, wide - 0.05)) ||
                       state.timer_s > kStuck
                 : state.timer_s > kOpenTime) {
        if (held && loads) ++state.missed;  // elsewhere then
        state.carrying = state.lost = 0;
        enter(Phase::kLift, state);
      }
      break;
    case Phase::kLift:
      wish.p_W = vec(s.sim.tip_W);
      wish.p_W.z() = travel + 0.2;
      wish.jaws = state.carrying != 0 ? hold : 0.0;
      wish.heading = false;
      if (next.gathered) wish.speed = kUpAndDown;
      if (s.grip_W[2] > travel - (to_place ? kEarly : 0.1) || state.timer_s > 10.0 ||
          (heaps && next.gathered && !wish.up_first && state.timer_s > kFirstUp))
        enter(Phase::kTravel, state);
      break;
  }
  state.lift_z = travel;
  return wish;
}

// A tree: the head upright before it, its opening the way it is to fall; knives, saw; it falls in the head and is let go.
Demonstrator::Wish Demonstrator::fell(const SessionSnapshot& s, double dt,
                                      DemonstratorState& state) const {
  Wish wish;
  wish.p_W = vec(s.sim.tip_W);
  const auto count = static_cast<int>(exercise_.fell_tasks.size());
  if (s.task.target < 0 || s.task.target >= count) {
    wish.jaws = -1.0;
    return wish;
  }
  const FellTask& task = nth(exercise_.fell_tasks, s.task.target);
  const TreeSnapshot* tree = tree_of(task.stem, s);
  const bool done = state.step != s.task.step;
  const world::Stem& stem = nth(exercise_.world.stems, task.stem);
  const Vec3 towards(std::cos(task.towards), std::sin(task.towards), 0.0);
  // A thicker stem than usual has its axis farther from the head's frame.
  const Vec3 at = Vec3(stem.x, stem.y, world::height(ground_, stem.x, stem.y) + kFellGrip) -
                  std::max(stem.radius + kFellGap - kUsualStem, 0.0) * towards;
  // Pushed harder than the knives hold, the head would turn about the stem.
  const bool along = tree != nullptr && vec(tree->n_W).dot(vec(s.grip_axis_W)) > kAlongStem;
  const double push = along ? -kPushOver : 0.0;
  switch (state.phase) {
    case Phase::kTravel:
    case Phase::kDone: {
      state.step = s.task.step;
      wish.speed = 0.6;
      wish.jaws = -1.0;
      Vec3 last;
      if (s.task.target > 0) {
        const world::Stem& before =
            nth(exercise_.world.stems, nth(exercise_.fell_tasks, s.task.target - 1).stem);
        last = Vec3(before.x, before.y, 0.0);
      }
      // Across the crane the jaws would meet the stem on the way out: from beside it then.
      const Vec3 radial = on_map(at - swing_foot(s));
      const bool across = radial.dot(towards) < kAcross * radial.norm();
      const bool beside = across && state.carrying == 0;
      const Vec3 spot = beside ? Vec3(at - kFellRoom * towards) : at;
      const bool ready = bring_upright(s, spot, towards, s.task.target > 0 ? &last : nullptr, dt,
                                       across && !beside, state, wish);
      // Over the logs and tops that lie about.
      const double away = on_map(vec(s.grip_W) - spot).norm() - kFellRoom;
      if (s.cut_count > 0) wish.p_W.z() += std::clamp(kRisePerWay * away, 0.0, kOverWood);
      if (beside) {
        if (ready && on_map(vec(s.grip_W) - spot).norm() < kBesideNear &&
            std::fabs(s.grip_W[2] - at.z()) < kBesideNear)
          state.carrying = 1;
        break;
      }
      if (across) wish.speed = kCreep;
      const double near = state.timer_s > kFellPatience ? 2.0 * kFellNear : kFellNear;
      const double off = on_map(vec(s.grip_W) - at).norm();
      if (ready && vec(s.tip_v_W).norm() < kStill && std::fabs(s.grip_W[2] - at.z()) < kFellNear &&
          (off < near || (off < 2.0 * kFellNear && s.contact_force > kFellTouch)))
        enter(Phase::kClose, state);
      break;
    }
    case Phase::kClose:
      wish.jaws = 1.0;
      if (tree != nullptr && tree->gripped != 0 && state.timer_s > kPressed_s)
        enter(Phase::kLower, state);
      else if (state.timer_s > kCloseTime)
        enter(Phase::kOpen, state);
      break;
    case Phase::kLower:
      wish.jaws = 0.5;
      wish.saw = true;
      if (state.timer_s > kSawStuck) wish.tilt = push;
      if (done || tree == nullptr || tree->attached == 0 || state.timer_s > kSawTime)
        enter(Phase::kAlign, state);
      break;
    case Phase::kAlign:
      wish.jaws = 0.5;
      // A light one stays where the head's own weight holds it.
      if (tree != nullptr &&
          (tree->n_W[2] > kFalls || (tree->n_W[2] > kLying && tree->tip_m_s < kBuckCalm)))
        wish.tilt = push;
      // A head that lies needs more room below.
      if (tree != nullptr && tree->n_W[2] < kFallen)
        wish.p_W.z() += at.z() + kFellRaise - s.grip_W[2];
      if (exercise_.task == TaskKind::kBuck && tree != nullptr && tree->gripped != 0 &&
          (tree->from > tree->stump ||
           (tree->n_W[2] < kLying && (tree->tip_m_s < kBuckCalm || state.timer_s > kBuckWait)))) {
        cut_up(s, dt, state, wish);
        break;
      }
      if (done || state.timer_s > kFallTime) enter(Phase::kOpen, state);
      break;
    case Phase::kOpen:
      wish.jaws = -1.0;
      if (s.grapple_opening > 0.95) enter(Phase::kLift, state);
      break;
    case Phase::kLift:
      wish.p_W.z() += 0.5;
      wish.jaws = -1.0;
      state.carrying = 0;
      if (state.timer_s > kFellLift) enter(Phase::kTravel, state);
      break;
  }
  return wish;
}

// Feeds to the length wanted, saws when the stem has stood there for a while, and lets the top go.
void Demonstrator::cut_up(const SessionSnapshot& s, double dt, DemonstratorState& state,
                          Wish& wish) const {
  if (s.wanted_m <= 0.0 || s.no_room != 0 || state.timer_s > kBuckTime) {
    state.stuck_s = 0.0;
    state.carrying = 0;
    return enter(Phase::kOpen, state);
  }
  const double left = s.wanted_m - s.stem_length_m;
  if (state.carrying != 0) {
    wish.saw = true;
    // A piece that has come off is no longer measured.
    if (std::fabs(left) > kSawnOff) state.carrying = 0;
    return;
  }
  wish.to_length = s.saw <= 0.0;
  const bool fed = std::fabs(left) < kLengthNear && std::fabs(s.feed_m_s) < kFeedStill;
  state.piling_s = fed ? state.piling_s + dt : 0.0;
  const bool there = bring_to_place(s, left, state.piling_s, wish) && fed;
  state.stuck_s = there ? state.stuck_s + dt : 0.0;
  if (state.stuck_s < kSettles) return;
  state.stuck_s = 0.0;
  state.carrying = 1;
}

namespace {

// Where the middle of a log is to lie in a place: beside the logs that are in it if there is room.
Vec3 room_in(const Place& place, const SessionSnapshot& s) {
  const Vec3 centre(place.x, place.y, 0.0);
  const Vec3 along(std::cos(place.heading), std::sin(place.heading), 0.0);
  const Vec3 across(-along.y(), along.x(), 0.0);
  Vec3 best = centre;
  double most = -1.0;
  for (const double lane : kPileLanes) {
    const Vec3 spot = centre + lane * place.radius * across;
    double room = kPileRoom;
    for (std::int32_t k = 0; k < s.cut_count; ++k) {
      const Vec3 off = on_map(vec(s.log[s.first_cut + k].p)) - spot;
      if (std::fabs(off.dot(along)) < 0.5 * s.cut[k].size.length)
        room = std::min(room, std::fabs(off.dot(across)));
    }
    if (room <= most) continue;
    most = room;
    best = spot;
  }
  return best;
}

}  // namespace

// Brings the stem to where its next log will lie in the nearest place for its product. left: still to be fed [m]; waited_s:
// since that was done. False: it is not there yet.
bool Demonstrator::bring_to_place(const SessionSnapshot& s, double left, double waited_s,
                                  Wish& wish) const {
  const TreeSnapshot* stem = tree_in_head(s);
  if (stem == nullptr || s.product < 0) return true;
  const Vec3 middle = on_map(vec(stem->butt_W) + (0.5 * s.wanted_m - left) * vec(stem->n_W));
  // The one with the shortest way for the log and for the tip, which turns with it.
  const double tip = 0.5 * (nth(exercise_.trees, stem->stem).height - stem->from);
  const double points = std::atan2(stem->n_W[1], stem->n_W[0]);
  const auto way_to = [&](const Place& to) {
    return (Vec3(to.x, to.y, 0.0) - middle).norm() + tip * std::fabs(wrap(to.heading - points));
  };
  const Place* nearest = nullptr;
  for (const Place& place : exercise_.places)
    if (place.product == s.product && (nearest == nullptr || way_to(place) < way_to(*nearest)))
      nearest = &place;
  if (nearest == nullptr) return true;
  const Vec3 way = room_in(*nearest, s) - middle;
  // Over what lies there, and then low: a log that falls far rolls away.
  const double height = wish.p_W.z() + (way.norm() < 2.0 * kPileNear ? -kPileLower : kPileRaise);
  wish.p_W += way;
  wish.p_W.z() = height;
  wish.speed = kBringSpeed;
  wish.heading = wish.facing = true;
  wish.axis_x = std::cos(nearest->heading);
  wish.axis_y = std::sin(nearest->heading);
  // A stem that swings, or lies against something, is let go where it is in the end.
  const double patient = waited_s > kPilePatience ? 2.0 : 1.0;
  return (way.norm() < patient * kPileNear && vec(s.tip_v_W).norm() < patient * kStill &&
          s.sim.tip_W[2] - height < patient * kPileNear) ||
         waited_s > 2.0 * kPilePatience;
}

// The head with its grip at a place, upright, its opening towards a direction, from where it keeps off until it is. False: it
// is not yet.
bool Demonstrator::bring_upright(const SessionSnapshot& s, const Vec3& grip_W, const Vec3& towards,
                                 const Vec3* last_W, double dt, bool straight,
                                 DemonstratorState& state, Wish& wish) const {
  if (state.ahead_m == 0.0) state.ahead_m = kUsualAhead;
  wish.p_W = grip_W - state.ahead_m * towards;
  wish.grip = wish.heading = wish.facing = true;
  wish.axis_x = towards.x();
  wish.axis_y = towards.y();
  wish.tilt = std::clamp(-kTiltPull * s.reach_W[2], -1.0, 1.0);
  const bool upright = std::fabs(s.reach_W[2]) < kUpright && s.grip_axis_W[2] > 0.0;
  const bool ready = upright && std::fabs(turned_by(s, wish)) < kNearHeading;
  const Vec3 ahead(s.grip_W[0] - s.sim.tip_W[0], s.grip_W[1] - s.sim.tip_W[1], 0.0);
  if (ready) state.ahead_m += dt / kAheadTime * (ahead.dot(towards) - state.ahead_m);
  if (!straight) keep_off(s, last_W, upright ? kFellRoom : 2.0 * kFellRoom, wish);
  return ready;
}

double Demonstrator::turned_by(const SessionSnapshot& s, const Wish& wish) const {
  const double wanted = std::atan2(wish.axis_y, wish.axis_x);
  if (!wish.facing) return wrap_line(wanted - std::atan2(s.grip_axis_W[1], s.grip_axis_W[0]));
  // Upright its opening points ahead, level its axis does.
  return wrap(wanted -
              std::atan2(s.grip_axis_W[1] + s.reach_W[1], s.grip_axis_W[0] + s.reach_W[0]));
}

// The head approaches a place between stems radially: first in, then around, then out.
void Demonstrator::keep_off(const SessionSnapshot& s, const Vec3* last_W, double room,
                            Wish& wish) const {
  const Vec3 foot = swing_foot(s);
  const Vec3 from(s.sim.tip_W[0] - foot.x(), s.sim.tip_W[1] - foot.y(), 0.0);
  const Vec3 to(wish.p_W.x() - foot.x(), wish.p_W.y() - foot.y(), 0.0);
  const double apart = wrap(std::atan2(to.y(), to.x()) - std::atan2(from.y(), from.x()));
  if (std::fabs(apart) < kLinedUp && std::fabs(turned_by(s, wish)) < 2.0 * kNearHeading) return;
  double way_out = to.norm() - room;
  if (last_W != nullptr) {  // as far from the last stem
    const Vec3 last(last_W->x() - foot.x(), last_W->y() - foot.y(), 0.0);
    if (std::fabs(wrap(std::atan2(last.y(), last.x()) - std::atan2(from.y(), from.x()))) < kLeave)
      way_out = std::min(way_out, last.norm() - room);
  }
  const bool in = from.norm() < way_out + 0.5 * room;
  const Vec3 way =
      in ? to.normalized() * way_out : from.normalized() * std::min(way_out, from.norm());
  wish.p_W.x() = foot.x() + way.x();
  wish.p_W.y() = foot.y() + way.y();
}

Demonstrator::Wish Demonstrator::wish(const SessionSnapshot& s, double dt,
                                      DemonstratorState& state) const {
  Wish out;
  out.p_W = vec(s.sim.tip_W);
  if (state.fold_s > 0.0) {
    const Vec3 foot = swing_foot(s);
    const double angle = state.home[1] + heading_of(s);
    out.p_W = {foot.x() + state.home[0] * std::cos(angle),
               foot.y() + state.home[0] * std::sin(angle),
               world::height(ground_, foot.x(), foot.y()) + state.home[2]};
    // High until it is over the load, whose stakes it passes.
    const double at = std::atan2(s.sim.tip_W[1] - foot.y(), s.sim.tip_W[0] - foot.x());
    const double stakes_z = s.load.centre_W[2] + s.load.half_m[2];
    const double jaws_below_tip = s.sim.tip_W[2] - s.grip_W[2] + tips_below_grip_;
    if (exercise_.task == TaskKind::kLogs && std::fabs(wrap(angle - at)) > kOverLoad)
      out.p_W.z() =
          std::max({out.p_W.z(), s.sim.tip_W[2], stakes_z + kLoadMargin + jaws_below_tip});
    return out;
  }
  const auto count = static_cast<int>(exercise_.targets.size());
  switch (exercise_.task) {
    case TaskKind::kLogs:
      return logs(s, dt, state);
    case TaskKind::kFell:
    case TaskKind::kBuck:
      return fell(s, dt, state);
    case TaskKind::kReach:
    case TaskKind::kPath:
    case TaskKind::kHead:
      if (s.task.target < 0 || s.task.target >= count) return out;
      break;
    case TaskKind::kDrive:
      return out;
    case TaskKind::kFree: {
      // A tour of the crane's work space, for show.
      const double t = state.worked_s > 0.0 ? state.worked_s : s.sim.t_s;
      const Vec3 foot = swing_foot(s);
      const double radius = 5.2 + 0.9 * std::sin(0.45 * t);
      double angle = 0.7 * std::sin(0.22 * t);
      double height = 3.0 + 0.8 * std::sin(0.31 * t);
      if (rides_) {
        angle += heading_of(s);
        height += world::height(ground_, foot.x(), foot.y());
      }
      out.p_W = {foot.x() + radius * std::cos(angle), foot.y() + radius * std::sin(angle), height};
      out.jaws = std::sin(0.5 * t) > 0.0 ? 0.5 : -0.5;
      return out;
    }
  }
  const Target& target = nth(exercise_.targets, s.task.target);
  out.p_W = vec(s.task.target_W);
  if (exercise_.task == TaskKind::kPath) out.speed = 0.45;
  if (exercise_.task == TaskKind::kHead) {
    out.speed = 0.6;
    const Vec3* last_W =
        s.task.target > 0 ? &nth(exercise_.targets, s.task.target - 1).p_W : nullptr;
    if (tilt_.function >= 0 && std::fabs(target.axis_W.z()) > 0.5) {
      // About a stem, from where the crane stands.
      out.jaws = -1.0;
      bring_upright(s, target.p_W, on_map(target.p_W - swing_foot(s)).normalized(), last_W, dt,
                    false, state, out);
      return out;
    }
    out.grip = out.heading = true;
    out.axis_x = target.axis_W.x();
    out.axis_y = target.axis_W.y();
    keep_off(s, last_W, kKeepOff, out);
  }
  return out;
}

// Levers of joints for the same motion: swing, reach, height and rotator.
void Demonstrator::set_joints(const SessionSnapshot& s, const double (&speed)[4],
                              command::OperatorInput& out) const {
  const sim::OperatorControl& control = session_.control();
  const machine::MachineModel& model = session_.machine();
  const auto mode = static_cast<command::ControlMode>(s.control_mode);
  double q[kMaxLinks], upright[kMaxLinks], rate[kMaxLinks];
  bool used[kMaxLinks] = {};
  machine::RateLimits limits{};
  for (int i = 0; i < model.joint_count(); ++i) {
    q[i] = s.sim.joint[i].position;
    upright[i] = rides_ && session_.simulation().carrier().carries(i) ? 0.0 : q[i];
    limits.scale[i] = 1.0;
  }
  for (std::size_t n = 0; n < pattern_.functions.size(); ++n) {
    const int i = control.joint_of(n);
    if (i < 0 || i == swing_link_ || i == rotator_link_ || i == steer_link_) continue;
    const multibody::Body& body = model.tree.body(model.tree.link(i).body);
    const bool limited = body.upper > body.lower;
    const double most = control.full_rate(n);
    used[i] = most > 0.0;
    limits.scale[i] = limits.up[i] = limits.down[i] = most;
    limits.upper[i] = limited ? kBrake * std::max(0.0, body.upper - q[i]) : most;
    limits.lower[i] = limited ? -kBrake * std::max(0.0, q[i] - body.lower) : -most;
  }
  machine::tip_rates(model, control.tip(), control.origin_W(), upright, {speed[1], speed[2]}, used,
                     limits, rate);
  rate[swing_link_] = speed[0];
  if (rotator_link_ >= 0) rate[rotator_link_] = speed[3];
  for (std::size_t n = 0; n < pattern_.functions.size(); ++n)
    if (const int i = control.joint_of(n); i >= 0 && i != steer_link_)
      set({static_cast<int>(n), 1.0}, control.deflection(n, mode, rate[i], q), out);
}

// Direction in which the crane's carrier stands, against that of the start.
double Demonstrator::heading_of(const SessionSnapshot& s) const {
  const int carrier = session_.machine().tree.link(swing_link_).parent;
  const Vec3 x = rotate(s.body[carrier].q, Vec3::UnitX());
  return std::atan2(x.y(), x.x());
}

bool Demonstrator::folded(const SessionSnapshot& s, const DemonstratorState& state) const {
  if (swing_.function < 0) return true;
  const Vec3 foot = swing_foot(s);
  const double x = s.sim.tip_W[0] - foot.x(), y = s.sim.tip_W[1] - foot.y();
  return std::fabs(wrap(std::atan2(y, x) - heading_of(s) - state.home[1])) < kFoldedAngle &&
         std::fabs(std::hypot(x, y) - state.home[0]) < kFoldedNear;
}

// Where the crane was folded.
void Demonstrator::start(const SessionSnapshot& s, DemonstratorState& state) const {
  state.started = 1;
  if (!rides_ || swing_link_ < 0) return;
  const Vec3 foot = swing_foot(s);
  const double x = s.sim.tip_W[0] - foot.x(), y = s.sim.tip_W[1] - foot.y();
  state.home[0] = std::hypot(x, y);
  state.home[1] = wrap(std::atan2(y, x) - heading_of(s));
  state.home[2] = s.sim.tip_W[2] - world::height(ground_, foot.x(), foot.y());
}

// It knows what was drawn, and has looked at it for a while.
std::int32_t Demonstrator::diagnosis(const SessionSnapshot& s) const {
  constexpr double kLooks = 8.0;  // s
  const int there = session_.drawn_fault();
  if (there < 0 || s.task.phase != TaskPhase::kRunning || s.score.diagnosis_s > 0.0 ||
      !asks_diagnosis(exercise_))
    return -1;
  const double now_s = session_.simulation().tick_s() * static_cast<double>(s.sim.tick);
  const double since_s = now_s - nth(session_.faults(), there).at_s;
  return since_s >= kLooks ? there : -1;
}

// Nobody shall be in danger: while somebody is near to the zone it begins nothing, and only finishes a cut.
bool Demonstrator::waits(const SessionSnapshot& s) const {
  const double zone = session_.machine().danger_zone;
  if (s.visitor_count == 0 || zone == 0.0) return false;
  const TreeSnapshot* tree = tree_in_head(s);
  const bool cuts = tree != nullptr && tree->attached != 0 && tree->cut > 0.0;
  for (int i = 0; i < s.visitor_count; ++i) {
    const double ahead = nth(exercise_.visitors, i).speed * (cuts ? kLastMoment : kForesight);
    if (s.visitor[i].away_m < zone + ahead) return true;
  }
  return false;
}

command::OperatorInput Demonstrator::drive(const SessionSnapshot& s, double dt,
                                           DemonstratorState& state) const {
  command::OperatorInput out{};
  if (waits(s)) {
    std::fill(std::begin(state.speed), std::end(state.speed), 0.0);
    return out;
  }
  state.timer_s += dt;
  if (state.started == 0) start(s, state);
  if (way_.present() && steer_.function >= 0 && wheels_.function >= 0 &&
      drive_on(s, dt, state, out))
    return out;
  if (swing_.function < 0) return out;
  const Wish w = wish(s, dt, state);
  const Vec3 foot = swing_foot(s);
  const double tip_x = s.sim.tip_W[0] - foot.x(), tip_y = s.sim.tip_W[1] - foot.y();
  const double x = w.p_W.x() - foot.x(), y = w.p_W.y() - foot.y();
  const double radius = std::hypot(tip_x, tip_y);
  const double swing_error = wrap(std::atan2(y, x) - std::atan2(tip_y, tip_x));
  const double reach_error = std::hypot(x, y) - radius;
  const double height_error = w.p_W.z() - (w.grip ? s.grip_W[2] : s.sim.tip_W[2]);
  // With the load low, first up, then across.
  const bool low = exercise_.task == TaskKind::kLogs && state.phase == Phase::kTravel &&
                   height_error > 0.5 && w.up_first;
  const double across = low ? 0.0 : 1.0;
  // A reaction to every oscillation of the oil would sustain it.
  const double error[3] = {swing_error, reach_error, height_error};
  double limit[3] = {kSwingSpeed, kReachSpeed, kHeightSpeed};
  double rise[3] = {kSwingRise, kReachRise, kHeightRise};
  if (w.together) {
    limit[0] = std::min(kSwingSpeed, std::fabs(swing_error) * kReachSpeed /
                                         std::max(std::fabs(reach_error), kNear));
    rise[0] = std::min(kSwingRise, kGently / std::max(radius, 1.0));
    rise[1] = kGently;
  }
  for (int i = 0; i < 3; ++i) {
    double& smooth = state.error[i];
    smooth += std::min(1.0, dt / kSmoothing[i]) * (error[i] - smooth);
    if (std::fabs(error[i]) > kFar) smooth = error[i];
    const double share = i < 2 ? across : 1.0;
    approach(share * speed_for(smooth, w.speed * limit[i], rise[i]), rise[i], dt, state.speed[i]);
  }
  double turn = 0.0;
  if (w.heading && rotator_link_ >= 0) {
    const double error = turned_by(s, w);
    const double up = rotate(s.body[rotator_link_].q, rotator_axis_B_).z();
    turn = std::copysign(1.0, up) * speed_for(error, kRotatorSpeed, kRotatorRise);
  }
  approach(turn, kRotatorRise, dt, state.speed[3]);
  const double left = state.speed[0] * swing_sign_;
  if (s.control_mode == static_cast<std::int32_t>(command::ControlMode::kBoomTip)) {
    set(swing_, left, out);
    set(reach_, state.speed[1], out);
    set(height_, state.speed[2], out);
    set(rotator_, state.speed[3], out);
  } else {
    set_joints(s, {left, state.speed[1], state.speed[2], state.speed[3]}, out);
  }
  set(grapple_, w.jaws, out);
  set(tilt_, w.tilt, out);
  set(feed_, w.feed, out);
  if (w.saw) out.buttons |= saw_button_;
  if (w.to_length) out.buttons |= length_button_;
  return out;
}

}  // namespace knuckleboom::training
