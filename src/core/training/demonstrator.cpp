#include "knuckleboom/core/training/demonstrator.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/multibody/kinematics.hpp"

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
constexpr double kPatience = 6.0;   // s; by then the brakes of the link hold the head out of plumb
constexpr double kCloseTime = 4.0;  // s; closed by then, or missed
constexpr double kOpenTime = 0.9;   // s
// Jaws with a cylinder: until they press with all their force, and until they are clear of the log [s].
constexpr double kSqueezeTime = 2.6, kDrivenOpenTime = 1.8;
constexpr double kClear = 0.6;  // opening that lets a log fall out
constexpr double kStuck =
    8.0;                      // s; jaws that cannot open on a heap are raised first, and then left
constexpr double kDig = 3e3;  // N; tips that press on the ground so hard are raised
constexpr double kRaise = 0.3;     // m above where the grip is
constexpr double kStill = 0.08;    // m/s of the tip, before the jaws go down
constexpr double kTouch = 400.0;   // N on the log: it rests
constexpr double kLinedUp = 0.03;  // rad of swing, before the head goes out to a stem
constexpr double kKeepOff = 0.8;   // m short of it, until then
constexpr double kLeave = 0.25;    // rad away from the last stem, until the head may go out again
constexpr double kBrake = 2.0;     // 1/s, rate of a joint per way to the end of its range
constexpr double kStakeMargin = 0.5;  // m above a bunk's stakes

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

// Speed towards a target at a distance, slow enough to stop there.
double speed_for(double distance, double limit, double rise) {
  const double stop = std::sqrt(rise * std::fabs(distance));
  return std::copysign(std::min({limit, kPull * std::fabs(distance), stop}), distance);
}

}  // namespace

Demonstrator::Demonstrator(const Session& session)
    : session_(session),
      pattern_(session.control().pattern()),
      exercise_(session.exercise()),
      ground_(session.world().ground()) {
  const machine::MachineModel& machine = session.machine();
  const multibody::Tree& tree = machine.tree;
  // The swing rotates the whole tree about a vertical axis, the rotator only the grapple.
  int stick = -1, boom = -1;
  swing_link_ = -1;
  for (const machine::Actuator& actuator : machine.actuators) {
    const multibody::Body& body = tree.body(tree.link(actuator.link).body);
    const bool vertical = std::fabs((tree.link(actuator.link).parent == multibody::kBase)
                                        ? (body.in_parent.R * body.axis_B).z()
                                        : 0.0) > 0.99;
    if (vertical && swing_link_ < 0) {
      swing_link_ = actuator.link;
      swing_axis_B_ = body.axis_B;
      axis_x_ = body.in_parent.p.x();
      axis_y_ = body.in_parent.p.y();
    } else if (body.joint_name == "rotator") {
      rotator_link_ = actuator.link;
      rotator_axis_B_ = body.axis_B;
    } else if (boom < 0) {
      boom = actuator.link;
    } else if (stick < 0) {
      stick = actuator.link;
    }
  }
  if (!machine.wheels.empty())
    throw std::invalid_argument("machine '" + machine.name +
                                "' is on wheels, and the demonstration knows only machines that "
                                "stand still; drive it yourself");
  if (swing_link_ < 0)
    throw std::invalid_argument("machine '" + machine.name +
                                "' has no swing; the demonstration cannot drive it");
  if (machine.grapple.driven()) {
    const world::GrappleFrame jaws = worksite::grapple_shape(machine);
    tips_below_grip_ = jaws.jaw_length + jaws.tine_radius - worksite::usual_seat(jaws);
  }
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
      case command::LeverTarget::kBrake:
        break;
      case command::LeverTarget::kJoint: {
        const int link = tree.find_joint(function.joint);
        const double rate = session.control().full_rate(f);
        if (link == swing_link_) swing_ = {n, rate};
        if (link >= 0 && link == rotator_link_) rotator_ = {n, rate};
        if (link == boom && height_.function < 0) height_ = {n, 1.2};
        if (link == stick && reach_.function < 0) reach_ = {n, 1.5};
        break;
      }
    }
  }
  if (swing_.function < 0 || reach_.function < 0 || height_.function < 0)
    throw std::invalid_argument("lever pattern '" + pattern_.name +
                                "' lacks swing, boom or stick; the demonstration needs all three");
  if (exercise_.task == TaskKind::kLogs && (rotator_.function < 0 || grapple_.function < 0))
    throw std::invalid_argument("lever pattern '" + pattern_.name + "' or machine '" +
                                machine.name +
                                "' lacks rotator or grapple; the demonstration needs them here");
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

Demonstrator::Wish Demonstrator::logs(const SessionSnapshot& s, DemonstratorState& state) const {
  Wish wish;
  wish.p_W = vec(s.grip_W);
  const auto count = static_cast<int>(exercise_.log_tasks.size());
  if (s.task.step >= count) {
    wish.p_W.z() = state.lift_z;
    wish.grip = true;
    return wish;
  }
  const LogTask& task = nth(exercise_.log_tasks, s.task.step);
  const world::Log& log = nth(exercise_.world.logs, task.log);
  const world::Bunk& bunk = nth(exercise_.world.bunks, task.bunk);
  const bool held = s.held_log == task.log;
  const bool driven = session_.machine().grapple.driven();
  // Tips that close are lowest half way.
  const Vec3 under = vec(s.log[task.log].p);
  const double lowest = std::max(
      under.z(), driven ? world::height(ground_, under.x(), under.y()) + tips_below_grip_ : -1e9);
  const double raise = driven && s.contact_force > kDig ? kRaise : 0.0;
  if (held != (state.carrying != 0) && state.phase != Phase::kClose &&
      state.phase != Phase::kOpen) {
    // Unexpected change: the log slipped, or someone else released it. Half-closed jaws may still
    // hook it, and lose it again and again.
    state.carrying = held ? 1 : 0;
    enter(held ? Phase::kLift : Phase::kOpen, state);
  }

  const Vec3 log_p = vec(s.log[task.log].p);
  const Vec3 log_axis = rotate(s.log[task.log].q, Vec3::UnitX());
  const double bunk_z = world::height(ground_, bunk.x, bunk.y);
  const Vec3 place(held ? bunk.x : log_p.x(), held ? bunk.y : log_p.y(), 0.0);
  // A log gripped beside its middle hangs askew: its lower end is to pass above the bunks' stakes.
  const double lower_end =
      s.grip_W[2] - log_p.z() + 0.5 * log.length * std::fabs(log_axis.z()) + log.radius;
  const double below = held ? std::max(2.0 * log.radius, lower_end) : 0.3;
  const double travel_held = bunk_z + bunk.height + kStakeMargin + below;
  const double over = held ? travel_held : log_p.z() + kClearance;
  const double travel = std::max(over, travel_held);
  wish.grip = wish.heading = true;
  wish.axis_x = held ? std::cos(bunk.heading) : log_axis.x();
  wish.axis_y = held ? std::sin(bunk.heading) : log_axis.y();
  const double away = std::hypot(s.sim.tip_W[0] - place.x(), s.sim.tip_W[1] - place.y());
  const double grip_away = std::hypot(s.grip_W[0] - place.x(), s.grip_W[1] - place.y());
  const double turned = std::fabs(wrap_line(std::atan2(wish.axis_y, wish.axis_x) -
                                            std::atan2(s.grip_axis_W[1], s.grip_axis_W[0])));
  const double speed = vec(s.tip_v_W).norm();
  // A log that lies askew in the jaws comes no nearer.
  const double near = state.timer_s > 2.0 * kPatience ? 2.0 : 1.0;
  wish.p_W = place;
  wish.p_W.z() = travel;
  switch (state.phase) {
    case Phase::kTravel:
    case Phase::kDone:
      wish.jaws = held ? 0.5 : -1.0;
      if (away < 0.4) wish.p_W.z() = over;
      if (away < 2.0 * kNear && turned < 2.0 * kNearHeading) enter(Phase::kAlign, state);
      break;
    case Phase::kAlign:
      wish.jaws = held ? 0.5 : -1.0;
      wish.p_W.z() = over;
      if (grip_away < near * kNear * (state.timer_s > kPatience ? 2.0 : 1.0) &&
          away < near * kNear && turned < near * kNearHeading && speed < kStill &&
          s.grip_W[2] < over + near * 0.2)
        enter(Phase::kLower, state);
      break;
    case Phase::kLower:
      wish.p_W.z() = held ? bunk_z : lowest;
      wish.speed = 0.5;
      wish.jaws = held ? 0.5 : -1.0;
      if (held && s.contact_force > kTouch && state.timer_s > 0.5) enter(Phase::kOpen, state);
      if (!held && (s.grip_W[2] < lowest + 0.04 || s.contact_force > kTouch))
        enter(Phase::kClose, state);
      if (state.timer_s > 12.0) enter(held ? Phase::kOpen : Phase::kClose, state);
      break;
    case Phase::kClose:
      wish.p_W = vec(s.sim.tip_W);
      wish.p_W.z() = s.grip_W[2] + raise;
      wish.jaws = 1.0;
      if (held && state.timer_s > (driven ? kSqueezeTime : 0.3)) {
        state.carrying = 1;
        state.missed = 0;
        enter(Phase::kLift, state);
      } else if (state.timer_s > kCloseTime) {
        ++state.missed;
        enter(Phase::kOpen, state);
      }
      break;
    case Phase::kOpen:
      wish.p_W = vec(s.sim.tip_W);
      wish.p_W.z() = s.grip_W[2] + raise;
      wish.jaws = -1.0;
      if (driven ? (state.timer_s > kDrivenOpenTime && s.grapple_opening > kClear) ||
                       state.timer_s > kStuck
                 : state.timer_s > kOpenTime) {
        state.carrying = 0;
        enter(Phase::kLift, state);
      }
      break;
    case Phase::kLift:
      wish.p_W = vec(s.sim.tip_W);
      wish.p_W.z() = travel + 0.2;
      wish.jaws = state.carrying != 0 ? 0.5 : 0.0;
      wish.heading = false;
      if (s.grip_W[2] > travel - 0.1 || state.timer_s > 10.0) enter(Phase::kTravel, state);
      break;
  }
  state.lift_z = travel;
  return wish;
}

// The head approaches a place between stems radially: first in, then around, then out.
void Demonstrator::keep_off(const SessionSnapshot& s, Wish& wish) const {
  const Vec3 from(s.sim.tip_W[0] - axis_x_, s.sim.tip_W[1] - axis_y_, 0.0);
  const Vec3 to(wish.p_W.x() - axis_x_, wish.p_W.y() - axis_y_, 0.0);
  const double apart = wrap(std::atan2(to.y(), to.x()) - std::atan2(from.y(), from.x()));
  const double turned = std::fabs(wrap_line(std::atan2(wish.axis_y, wish.axis_x) -
                                            std::atan2(s.grip_axis_W[1], s.grip_axis_W[0])));
  if (std::fabs(apart) < kLinedUp && turned < 2.0 * kNearHeading) return;
  double way_out = to.norm() - kKeepOff;
  if (s.task.target > 0) {  // as far from the last stem
    const Vec3& p = nth(exercise_.targets, s.task.target - 1).p_W;
    const Vec3 last(p.x() - axis_x_, p.y() - axis_y_, 0.0);
    if (std::fabs(wrap(std::atan2(last.y(), last.x()) - std::atan2(from.y(), from.x()))) < kLeave)
      way_out = std::min(way_out, last.norm() - kKeepOff);
  }
  const bool in = from.norm() < way_out + 0.5 * kKeepOff;
  const Vec3 way =
      in ? to.normalized() * way_out : from.normalized() * std::min(way_out, from.norm());
  wish.p_W.x() = axis_x_ + way.x();
  wish.p_W.y() = axis_y_ + way.y();
}

Demonstrator::Wish Demonstrator::wish(const SessionSnapshot& s, double,
                                      DemonstratorState& state) const {
  Wish out;
  out.p_W = vec(s.sim.tip_W);
  const auto count = static_cast<int>(exercise_.targets.size());
  switch (exercise_.task) {
    case TaskKind::kLogs:
      return logs(s, state);
    case TaskKind::kReach:
    case TaskKind::kPath:
    case TaskKind::kHead:
      if (s.task.target < 0 || s.task.target >= count) return out;
      break;
    case TaskKind::kFree: {
      // A tour of the crane's work space, for show.
      const double t = s.sim.t_s;
      const double radius = 5.2 + 0.9 * std::sin(0.45 * t);
      const double angle = 0.7 * std::sin(0.22 * t);
      out.p_W = {axis_x_ + radius * std::cos(angle), axis_y_ + radius * std::sin(angle),
                 3.0 + 0.8 * std::sin(0.31 * t)};
      out.jaws = std::sin(0.5 * t) > 0.0 ? 0.5 : -0.5;
      return out;
    }
  }
  const Target& target = nth(exercise_.targets, s.task.target);
  out.p_W = vec(s.task.target_W);
  if (exercise_.task == TaskKind::kPath) out.speed = 0.45;
  if (exercise_.task == TaskKind::kHead) {
    out.grip = out.heading = true;
    out.axis_x = target.axis_W.x();
    out.axis_y = target.axis_W.y();
    out.speed = 0.6;
    keep_off(s, out);
  }
  return out;
}

// Levers of joints for the same motion: swing, reach, height and rotator.
void Demonstrator::set_joints(const SessionSnapshot& s, const double (&speed)[4],
                              command::OperatorInput& out) const {
  const sim::OperatorControl& control = session_.control();
  const machine::MachineModel& model = session_.machine();
  const auto mode = static_cast<command::ControlMode>(s.control_mode);
  double q[kMaxLinks], rate[kMaxLinks];
  bool used[kMaxLinks] = {};
  machine::RateLimits limits{};
  for (int i = 0; i < model.joint_count(); ++i) {
    q[i] = s.sim.joint[i].position;
    limits.scale[i] = 1.0;
  }
  for (std::size_t n = 0; n < pattern_.functions.size(); ++n) {
    const int i = control.joint_of(n);
    if (i < 0 || i == swing_link_ || i == rotator_link_) continue;
    const multibody::Body& body = model.tree.body(model.tree.link(i).body);
    const bool limited = body.upper > body.lower;
    const double most = control.full_rate(n);
    used[i] = most > 0.0;
    limits.scale[i] = limits.up[i] = limits.down[i] = most;
    limits.upper[i] = limited ? kBrake * std::max(0.0, body.upper - q[i]) : most;
    limits.lower[i] = limited ? -kBrake * std::max(0.0, q[i] - body.lower) : -most;
  }
  machine::tip_rates(model, control.tip(), control.origin_W(), q, {speed[1], speed[2]}, used,
                     limits, rate);
  rate[swing_link_] = speed[0];
  if (rotator_link_ >= 0) rate[rotator_link_] = speed[3];
  for (std::size_t n = 0; n < pattern_.functions.size(); ++n)
    if (const int i = control.joint_of(n); i >= 0)
      set({static_cast<int>(n), 1.0}, control.deflection(n, mode, rate[i], q), out);
}

command::OperatorInput Demonstrator::drive(const SessionSnapshot& s, double dt,
                                           DemonstratorState& state) const {
  command::OperatorInput out{};
  state.timer_s += dt;
  const Wish w = wish(s, dt, state);
  const double tip_x = s.sim.tip_W[0] - axis_x_, tip_y = s.sim.tip_W[1] - axis_y_;
  const double x = w.p_W.x() - axis_x_, y = w.p_W.y() - axis_y_;
  const double radius = std::hypot(tip_x, tip_y);
  const double swing_error = wrap(std::atan2(y, x) - std::atan2(tip_y, tip_x));
  const double reach_error = std::hypot(x, y) - radius;
  const double height_error = w.p_W.z() - (w.grip ? s.grip_W[2] : s.sim.tip_W[2]);
  // With the load low, first up, then across.
  const bool low =
      exercise_.task == TaskKind::kLogs && state.phase == Phase::kTravel && height_error > 0.5;
  const double across = low ? 0.0 : 1.0;
  // A reaction to every oscillation of the oil would sustain it.
  const double error[3] = {swing_error, reach_error, height_error};
  const double limit[3] = {kSwingSpeed, kReachSpeed, kHeightSpeed};
  const double rise[3] = {kSwingRise, kReachRise, kHeightRise};
  for (int i = 0; i < 3; ++i) {
    double& smooth = state.error[i];
    smooth += std::min(1.0, dt / kSmoothing[i]) * (error[i] - smooth);
    if (std::fabs(error[i]) > kFar) smooth = error[i];
    const double share = i < 2 ? across : 1.0;
    approach(share * speed_for(smooth, w.speed * limit[i], rise[i]), rise[i], dt, state.speed[i]);
  }
  double turn = 0.0;
  if (w.heading && rotator_link_ >= 0) {
    const double error =
        wrap_line(std::atan2(w.axis_y, w.axis_x) - std::atan2(s.grip_axis_W[1], s.grip_axis_W[0]));
    const double up = rotate(s.body[rotator_link_].q, rotator_axis_B_).z();
    turn = std::copysign(1.0, up) * speed_for(error, kRotatorSpeed, kRotatorRise);
  }
  approach(turn, kRotatorRise, dt, state.speed[3]);
  const double left = state.speed[0] * (swing_axis_B_.z() < 0.0 ? -1.0 : 1.0);
  if (s.control_mode == static_cast<std::int32_t>(command::ControlMode::kBoomTip)) {
    set(swing_, left, out);
    set(reach_, state.speed[1], out);
    set(height_, state.speed[2], out);
    set(rotator_, state.speed[3], out);
  } else {
    set_joints(s, {left, state.speed[1], state.speed[2], state.speed[3]}, out);
  }
  set(grapple_, w.jaws, out);
  return out;
}

}  // namespace knuckleboom::training
