#include "knuckleboom/core/training/session.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include "knuckleboom/core/multibody/dynamics.hpp"

namespace knuckleboom::training {
namespace {

using multibody::Kinematics;
using multibody::Pose;

constexpr int kFirstJawId = 1000;
constexpr int kHeldLogId = 2000;
constexpr double kLetGo = 0.03;      // opening beyond the grip at which a log falls
constexpr double kSlipTime = 0.05;   // s; shorter pulls are taken by the log's bark
constexpr double kUsualLog = 0.13;   // m, radius for which the empty grapple's grip is given
constexpr double kGripSlack = 0.02;  // opening within which closing jaws count as around a log

Vec3 vec(const double (&p)[3]) { return {p[0], p[1], p[2]}; }
void store(const Vec3& v, double (&out)[3]) {
  for (int i = 0; i < 3; ++i) out[i] = v(i);
}
Eigen::Quaterniond quaternion(const double (&q)[4]) { return {q[0], q[1], q[2], q[3]}; }
void store(const Eigen::Quaterniond& q, double (&out)[4]) {
  out[0] = q.w();
  out[1] = q.x();
  out[2] = q.y();
  out[3] = q.z();
}

// Motion of a body's frame.
struct BodyMotion {
  Pose pose;
  Vec3 v_W, omega_W;
};
BodyMotion body_motion(const multibody::Tree& tree, const Kinematics& kinematics, int body) {
  BodyMotion out{{}, Vec3::Zero(), Vec3::Zero()};
  if (body == multibody::kBase) return out;
  out.pose = multibody::body_pose(tree, kinematics, body);
  const int link = tree.body(body).link;
  if (link == multibody::kBase) return out;
  const multibody::LinkMotion& m = kinematics.link[static_cast<std::size_t>(link)];
  out.omega_W = m.omega_W;
  out.v_W = m.v_origin_W + m.omega_W.cross(out.pose.p - m.in_world.p);
  return out;
}

int link_of(const multibody::Tree& tree, int body) {
  return body == multibody::kBase ? multibody::kBase : tree.body(body).link;
}

world::PartRole part_role(machine::ShapeRole role) {
  switch (role) {
    case machine::ShapeRole::kCarrier:
      return world::PartRole::kCarrier;
    case machine::ShapeRole::kBoom:
      return world::PartRole::kBoom;
    case machine::ShapeRole::kStick:
      return world::PartRole::kStick;
    case machine::ShapeRole::kHead:
      break;
  }
  return world::PartRole::kHead;
}

multibody::RigidInertia log_inertia(const world::Log& log) {
  multibody::RigidInertia out;
  out.mass = world::mass(log);
  const double r2 = log.radius * log.radius;
  const double along = 0.5 * out.mass * r2;
  const double across = out.mass * (0.25 * r2 + log.length * log.length / 12.0);
  out.about_com = Vec3(along, across, across).asDiagonal();
  return out;
}

world::Capsule log_capsule(const world::Log& log, const Vec3& p_W, const Vec3& axis_W) {
  const Vec3 half = (0.5 * log.length) * axis_W;
  return {p_W - half, p_W + half, log.radius};
}
world::Capsule log_capsule(const world::Log& log, const world::LogState& state) {
  return log_capsule(log, vec(state.p), quaternion(state.q) * Vec3::UnitX());
}

// The grapple's measures; it hangs at the origin.
world::GrappleFrame grapple_shape(const machine::Grapple& g) {
  world::GrappleFrame out;
  out.hinge_distance = g.hinge_distance;
  out.jaw_length = g.jaw_length;
  out.jaw_width = g.jaw_width;
  out.tine_radius = g.tine_radius;
  out.opening_max = g.opening_max;
  return out;
}

// Contact forces are held over a step. What a machine shows of its mass at jaws that are pressed in
// deep bears no longer one: docs/theory/contact.md, eq. 12.
constexpr double kLongestStep = 1e-3;  // s

int steps_in_tick(double rate_Hz) {
  return std::max(1, static_cast<int>(std::ceil(1.0 / (rate_Hz * kLongestStep) - 1e-9)));
}

bool actuated(const machine::MachineModel& machine, const std::string& joint) {
  const int link = machine.tree.find_joint(joint);
  return link != multibody::kBase && !machine.passive(link);
}

// The exercise's own first: what is recorded names them by their number.
void add_faults(const machine::MachineModel& machine, const Exercise& exercise,
                std::vector<command::Fault>& faults, std::vector<std::string>& notes) {
  for (const command::Fault& fault : exercise.faults) {
    if (fault.function.empty() || actuated(machine, fault.function))
      faults.push_back(fault);
    else
      notes.push_back("fault '" + fault.name + "' is one of joint '" + fault.function +
                      "', which machine '" + machine.name + "' does not drive");
  }
  command::draw_card(exercise.fault_lot, faults);
  std::size_t left_out = 0;
  for (command::Fault& usual : sim::usual_faults(machine)) {
    const bool named = std::any_of(faults.begin(), faults.end(), [&usual](const command::Fault& f) {
      return f.name == usual.name;
    });
    if (named)
      notes.push_back("the exercise's own fault '" + usual.name + "' stands for the usual one of " +
                      "machine '" + machine.name + "', which has the same name");
    else if (faults.size() < static_cast<std::size_t>(command::kMaxFaults))
      faults.push_back(std::move(usual));
    else
      ++left_out;
  }
  if (left_out > 0)
    notes.push_back("there is no room for " + std::to_string(left_out) +
                    " of the usual faults of machine '" + machine.name + "'");
}

command::Scenario start_of(const machine::MachineModel& machine, const Exercise& exercise,
                           int steps, std::vector<std::string>& notes) {
  command::Scenario out;
  out.name = exercise.name;
  out.machine = machine.name;
  out.tick_s = 1.0 / (exercise.rate_Hz * steps);
  for (const command::InitialJoint& joint : exercise.initial) {
    if (machine.tree.find_joint(joint.joint) == multibody::kBase)
      notes.push_back("the exercise starts joint '" + joint.joint + "', which machine '" +
                      machine.name + "' does not have");
    else
      out.initial.push_back(joint);
  }
  add_faults(machine, exercise, out.faults, notes);
  return out;
}

}  // namespace

// The machine's capsules in this tick, and the link each hangs on.
struct Session::Parts {
  int count = 0;
  world::MachinePart part[world::kMaxMachineShapes];
  int link[world::kMaxMachineShapes];

  std::span<const world::MachinePart> span() const {
    return {part, static_cast<std::size_t>(count)};
  }
};

Session::Session(machine::MachineModel machine, command::LeverPattern levers, Exercise exercise)
    : exercise_(std::move(exercise)),
      steps_(steps_in_tick(exercise_.rate_Hz)),
      simulation_(machine, start_of(machine, exercise_, steps_, notes_)),
      control_(simulation_, std::move(levers)),
      world_(exercise_.world),
      task_(exercise_) {
  if (this->machine().grapple.present) {
    // These searches are too long for a tick, and depend on the log's thickness only.
    const world::GrappleFrame frame = grapple_shape(this->machine().grapple);
    const auto seat = [&](double radius, double around) {
      return world::grapple_seat(frame, around, radius);
    };
    for (int i = 0; i < world_.log_count(); ++i) {
      const auto n = static_cast<std::size_t>(i);
      const double radius = world_.recipe().logs[n].radius;
      around_[n] = world::grapple_min_opening(frame, radius);
      seat_[n] = seat(radius, around_[n]);
    }
    usual_seat_ = seat(kUsualLog, world::grapple_min_opening(frame, kUsualLog));
  }
  for (const std::string& joint : control_.missing())
    notes_.push_back("the lever pattern moves '" + joint + "', which machine '" + machine.name +
                     "' does not have");
  if (exercise_.task == TaskKind::kLogs && !this->machine().grapple.present)
    notes_.push_back("machine '" + machine.name +
                     "' has no grapple: the logs of this exercise cannot be picked up");
  for (const Limit& limit : exercise_.limits)
    for (const Figure& figure : figures())
      if (figure.name == limit.figure && (figure.needs & kObservedHead) != 0 &&
          !this->machine().grapple.present)
        notes_.push_back("machine '" + machine.name + "' has no head: the limit on '" +
                         limit.figure + "' cannot be kept");
}

SessionState Session::initial_state() const {
  SessionState state;
  std::memset(static_cast<void*>(&state), 0, sizeof state);
  state.sim = simulation_.initial_state(exercise_.fidelity);
  state.control = control_.initial_state(state.sim, exercise_.mode);
  state.world = world_.initial_state();
  state.grapple.opening = std::clamp(exercise_.grapple_opening, 0.0, 1.0);
  state.grapple.held = -1;
  state.grapple.slot = -1;
  state.task = task_.initial_state();
  state.score = task_.initial_score();
  return state;
}

void Session::apply(const Command& command, SessionState& state) const {
  switch (command.kind) {
    case CommandKind::kControlMode:
      control_.set_mode(static_cast<command::ControlMode>(command.value), state.sim, state.control);
      break;
    case CommandKind::kFidelity:
      simulation_.set_fidelity(state.sim, static_cast<machine::Fidelity>(command.value));
      break;
    case CommandKind::kRestart: {
      // The operator's choices of mode and model outlive a restart.
      const std::int64_t tick = state.tick;
      const auto mode = static_cast<command::ControlMode>(state.control.mode);
      const machine::Fidelity fidelity = state.sim.fidelity;
      state = initial_state();
      state.tick = tick;
      simulation_.set_fidelity(state.sim, fidelity);
      state.control = control_.initial_state(state.sim, mode);
      break;
    }
    case CommandKind::kFault:
      simulation_.set_fault(state.sim, command.value, true);
      break;
    case CommandKind::kClearFault:
      simulation_.set_fault(state.sim, command.value, false);
      break;
  }
}

world::GrappleFrame Session::grapple_frame(const Kinematics& kinematics) const {
  const machine::Grapple& g = machine().grapple;
  const BodyMotion body = body_motion(machine().tree, kinematics, g.body);
  const Mat3& R = body.pose.R;
  world::GrappleFrame out = grapple_shape(g);
  out.pin_W = body.pose.p + R * g.pin_B;
  out.log_axis_W = R * g.log_axis_B;
  out.open_axis_W = R * g.open_axis_B;
  out.reach_axis_W = R * g.reach_axis_B;
  out.v_W = body.v_W + body.omega_W.cross(out.pin_W - body.pose.p);
  out.omega_W = body.omega_W;
  return out;
}

void Session::gather(const Kinematics& kinematics, const SessionState& state, Parts& parts) const {
  const machine::MachineModel& model = machine();
  int id = 0;
  for (const machine::ContactShape& shape : model.shapes) {
    if (parts.count == world::kMaxMachineShapes) return;
    const BodyMotion body = body_motion(model.tree, kinematics, shape.body);
    world::MachinePart& part = parts.part[parts.count];
    part.shape = {body.pose.R * shape.from_B + body.pose.p, body.pose.R * shape.to_B + body.pose.p,
                  shape.radius};
    part.p_W = body.pose.p;
    part.v_W = body.v_W;
    part.omega_W = body.omega_W;
    part.role = part_role(shape.role);
    part.id = ++id;
    parts.link[parts.count++] = link_of(model.tree, shape.body);
  }
  if (!model.grapple.present) return;
  const int link = link_of(model.tree, model.grapple.body);
  const world::GrappleFrame frame = grapple_frame(kinematics);
  if (parts.count + world::kGrappleParts > world::kMaxMachineShapes) return;
  const int jaws = world::grapple_parts(frame, state.grapple.opening, state.grapple.speed,
                                        kFirstJawId, parts.part + parts.count);
  for (int i = 0; i < jaws; ++i) parts.link[parts.count++] = link;
  if (state.grapple.held < 0 || parts.count == world::kMaxMachineShapes) return;
  const world::LogState& log = state.world.log[state.grapple.held];
  world::MachinePart& part = parts.part[parts.count];
  part.shape = log_capsule(world_.recipe().logs[static_cast<std::size_t>(state.grapple.held)], log);
  part.p_W = vec(log.p);
  part.v_W = vec(log.v);
  part.omega_W = vec(log.omega);
  part.role = world::PartRole::kHeldLog;
  part.id = kHeldLogId;
  parts.link[parts.count++] = link;
}

// tau = J^T f, link by link towards the base.
void Session::joint_forces(const Kinematics& kinematics, const Parts& parts,
                           const world::PartForces& forces, double* tau) const {
  const multibody::Tree& tree = machine().tree;
  for (int i = 0; i < tree.link_count(); ++i) tau[i] = 0.0;
  for (int n = 0; n < forces.count; ++n) {
    const world::PartForce& force = forces.force[n];
    for (int i = parts.link[force.part]; i != multibody::kBase; i = tree.link(i).parent) {
      const multibody::LinkMotion& m = kinematics.link[static_cast<std::size_t>(i)];
      tau[i] += tree.link(i).revolute ? m.axis_W.dot((force.p_W - m.in_world.p).cross(force.f_W))
                                      : m.axis_W.dot(force.f_W);
    }
  }
}

void Session::grip(int log, const Kinematics& kinematics, SessionState& state) const {
  const machine::MachineModel& model = machine();
  const world::LogState& l = state.world.log[log];
  const int body = model.grapple.body;
  const int link = link_of(model.tree, body);
  if (link == multibody::kBase) return;
  const Pose body_W = multibody::body_pose(model.tree, kinematics, body);
  const Pose& link_W = kinematics.link[static_cast<std::size_t>(link)].in_world;
  const Mat3 R_WL = quaternion(l.q).toRotationMatrix();
  const Pose in_link{link_W.R.transpose() * R_WL, link_W.R.transpose() * (vec(l.p) - link_W.p)};
  const multibody::LinkInertia inertia = multibody::to_link_inertia(
      log_inertia(world_.recipe().logs[static_cast<std::size_t>(log)]), in_link);
  const int slot = simulation_.attach(state.sim, link, inertia, vec(l.v), vec(l.omega));
  if (slot < 0) return;
  state.grapple.slot = slot;
  state.grapple.held = log;
  state.grapple.slipping_s = 0.0;
  store(Vec3(body_W.R.transpose() * (vec(l.p) - body_W.p)), state.grapple.log_p);
  store(Eigen::Quaterniond(Mat3(body_W.R.transpose() * R_WL)).normalized(), state.grapple.log_q);
  world_.hold(log, state.world);
}

void Session::let_go(SessionState& state) const {
  const multibody::FreeMotion motion = simulation_.detach(state.sim, state.grapple.slot);
  world_.release(state.grapple.held, motion.v_com_W, motion.omega_W, state.world);
  state.grapple.held = state.grapple.slot = -1;
  state.grapple.slipping_s = 0.0;
}

void Session::move_grapple(double demand, const Kinematics& kinematics, SessionState& state) const {
  const machine::Grapple& g = machine().grapple;
  if (!g.present) return;
  GrappleState& grapple = state.grapple;
  const double h = simulation_.tick_s();
  const double before = grapple.opening;
  double next = std::clamp(before - demand * h / g.closing_time_s, 0.0, 1.0);
  const world::GrappleFrame frame = grapple_frame(kinematics);
  const std::vector<world::Log>& logs = world_.recipe().logs;
  if (grapple.held >= 0) {
    const double around =
        world::grapple_min_opening(frame, logs[static_cast<std::size_t>(grapple.held)].radius);
    next = std::max(next, std::min(around, before));
    if (next > around + kLetGo) let_go(state);
  } else if (demand > 0.0) {
    for (int i = 0; i < world_.log_count(); ++i) {
      const world::Log& log = logs[static_cast<std::size_t>(i)];
      const double around = around_[static_cast<std::size_t>(i)];
      if (next > around + kGripSlack || next < around - 2.0 * kLetGo) continue;
      if (!world::can_grip(frame, next, log_capsule(log, state.world.log[i]))) continue;
      next = std::max(next, around);
      grip(i, kinematics, state);
      if (grapple.held >= 0) break;
    }
  }
  grapple.opening = next;
  grapple.speed = (next - before) / h;
}

void Session::carry_log(const Kinematics& kinematics, SessionState& state) const {
  if (state.grapple.held < 0) return;
  const BodyMotion body = body_motion(machine().tree, kinematics, machine().grapple.body);
  world::LogState& log = state.world.log[state.grapple.held];
  const Vec3 arm_W = body.pose.R * vec(state.grapple.log_p);
  store(Vec3(body.pose.p + arm_W), log.p);
  store((Eigen::Quaterniond(body.pose.R) * quaternion(state.grapple.log_q)).normalized(), log.q);
  store(Vec3(body.v_W + body.omega_W.cross(arm_W)), log.v);
  store(body.omega_W, log.omega);
}

// The pull on the jaws: what it takes to move the log as it moves, less what the world does to it.
void Session::watch_grip(const Parts& parts, const world::PartForces& forces,
                         const Vec3& v_before_W, SessionState& state) const {
  GrappleState& grapple = state.grapple;
  if (grapple.held < 0) return;
  const double m = world::mass(world_.recipe().logs[static_cast<std::size_t>(grapple.held)]);
  Vec3 pull_W = m * ((vec(state.world.log[grapple.held].v) - v_before_W) / simulation_.tick_s() -
                     machine().tree.gravity_W);
  for (int n = 0; n < forces.count; ++n)
    if (parts.part[forces.force[n].part].role == world::PartRole::kHeldLog)
      pull_W -= forces.force[n].f_W;
  const bool beyond =
      pull_W.squaredNorm() > machine().grapple.grip_force_N * machine().grapple.grip_force_N;
  grapple.slipping_s = beyond ? grapple.slipping_s + simulation_.tick_s() : 0.0;
  if (grapple.slipping_s < kSlipTime) return;
  ++state.logs_slipped;
  let_go(state);
}

void Session::step(const command::OperatorInput& input, SessionState& state,
                   SessionSnapshot& snapshot) const {
  const double pump_before_J = machine::pump_work(state.sim.machine);
  const command::OperatorInput used = delayed(input, state);
  for (int i = 0; i < steps_; ++i) small_step(used, state, snapshot);
  snapshot.input = input;
  state.last_input = input;
  ++state.tick;
  snapshot.pump_power_W = (machine::pump_work(state.sim.machine) - pump_before_J) / tick_s();
}

// Where the levers were some ticks ago. When a delay begins they stand still for so long.
command::OperatorInput Session::delayed(const command::OperatorInput& input,
                                        SessionState& state) const {
  LeverHistory& history = state.levers;
  const double delay_s = state.sim.fault.lever_delay_s;
  if (delay_s <= 0.0) [[likely]] {
    history.running = 0;
    return input;
  }
  constexpr double kFull = 32767.0;
  const auto store = [&history](std::int64_t tick, const command::OperatorInput& levers) {
    for (int i = 0; i < command::kLeverAxes; ++i)
      history.axis[tick % LeverHistory::kTicks][i] =
          static_cast<std::int16_t>(std::lround(std::clamp(levers.axis[i], -1.0, 1.0) * kFull));
  };
  if (history.running == 0)
    for (std::int64_t i = 0; i < LeverHistory::kTicks; ++i) store(i, state.last_input);
  history.running = 1;
  store(state.tick, input);
  const auto ticks =
      std::min<std::int64_t>(std::llround(delay_s / tick_s()), LeverHistory::kTicks - 1);
  const std::int64_t then = (state.tick + LeverHistory::kTicks - ticks) % LeverHistory::kTicks;
  command::OperatorInput out{};
  for (int i = 0; i < command::kLeverAxes; ++i) out.axis[i] = history.axis[then][i] / kFull;
  return out;
}

void Session::small_step(const command::OperatorInput& input, SessionState& state,
                         SessionSnapshot& snapshot) const {
  const multibody::Tree& tree = machine().tree;
  machine::MachineState& m = state.sim.machine;
  const sim::OperatorDemand demand = control_.drive(input, state.sim, state.control);
  const Kinematics before = multibody::forward_kinematics(tree, m.q, m.v);
  move_grapple(demand.grapple, before, state);
  Parts parts;
  // A log gripped or let go in this tick changed the joint rates by its momentum; the parts may
  // still move as they did just before.
  gather(before, state, parts);
  world::PartForces forces;
  world_.step(parts.span(), simulation_.tick_s(), state.world, forces);
  double tau[kMaxLinks];
  joint_forces(before, parts, forces, tau);
  const Vec3 v_before_W =
      state.grapple.held < 0 ? Vec3::Zero().eval() : vec(state.world.log[state.grapple.held].v);
  simulation_.step(state.sim, demand.input, tau);
  const Kinematics after = multibody::forward_kinematics(tree, m.q, m.v);
  carry_log(after, state);
  watch_grip(parts, forces, v_before_W, state);

  fill(state, snapshot);
  snapshot.input = input;
  task_.observe(simulation_.tick_s(), snapshot, state.task, state.score);
}

SessionSnapshot Session::snapshot(const SessionState& state) const {
  SessionSnapshot out;
  fill(state, out);
  out.input = state.last_input;
  task_.show(simulation_.tick_s(), state.task, state.score, out);
  return out;
}

void Session::fill(const SessionState& state, SessionSnapshot& out) const {
  const machine::MachineModel& model = machine();
  const machine::MachineState& m = state.sim.machine;
  std::memset(static_cast<void*>(&out), 0, sizeof out);
  out.sim = sim::take_snapshot(simulation_, state.sim);
  const Kinematics kinematics = multibody::forward_kinematics(model.tree, m.q, m.v);
  for (int i = 0; i < model.joint_count(); ++i) {
    const Pose pose = multibody::body_pose(model.tree, kinematics, model.tree.link(i).body);
    store(pose.p, out.body[i].p);
    store(Eigen::Quaterniond(pose.R).normalized(), out.body[i].q);
  }
  const multibody::PointMotion tip =
      multibody::point_motion(model.tree, kinematics, model.tip_body, model.tip_B);
  store(tip.v_W, out.tip_v_W);
  if (model.grapple.present) {
    const world::GrappleFrame frame = grapple_frame(kinematics);
    const double seat =
        state.grapple.held < 0 ? usual_seat_ : seat_[static_cast<std::size_t>(state.grapple.held)];
    store(Vec3(frame.pin_W + seat * frame.reach_axis_W), out.grip_W);
    store(frame.log_axis_W, out.grip_axis_W);
    store(frame.reach_axis_W, out.hang_W);
  } else {
    store(tip.p_W, out.grip_W);
  }
  out.control_mode = state.control.mode;
  out.fidelity = static_cast<std::int32_t>(state.sim.fidelity);
  for (int i = 0; i < sim::kMaxLeverFunctions; ++i) out.shaped[i] = state.control.shaped[i];
  out.grapple_opening = state.grapple.opening;
  out.held_log = state.grapple.held;
  out.log_count = world_.log_count();
  for (int i = 0; i < out.log_count; ++i) {
    const world::LogState& log = state.world.log[i];
    std::memcpy(out.log[i].p, log.p, sizeof log.p);
    std::memcpy(out.log[i].q, log.q, sizeof log.q);
    out.log_status[i] = log.status;
  }
  for (int i = 0; i < world::kObstacles; ++i) {
    out.collisions[i] = state.world.collisions[i];
    out.impulse[i] = state.world.impulse[i];
  }
  out.contact_force = state.world.machine_force;
  out.last_impact_speed = state.world.last_impact_speed;
  out.last_collision_tick = state.world.last_collision_tick;
  out.pump_work_J = machine::pump_work(m);
}

}  // namespace knuckleboom::training
