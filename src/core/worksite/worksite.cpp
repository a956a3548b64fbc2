#include "knuckleboom/core/worksite/worksite.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "knuckleboom/core/world/closest_points.hpp"

namespace knuckleboom::worksite {
namespace {

using multibody::Kinematics;
using multibody::Pose;

constexpr int kFirstJawId = 1000;
constexpr int kHeldLogId = 2000;
// The link of a part that is not the machine's, but of a tree that moves: the one in the head, and the other one.
constexpr int kTreeLink = -2, kOtherTreeLink = -3;
static_assert(kTreeLink < multibody::kBase);
constexpr double kLetGo = 0.03;      // opening beyond the grip at which a log falls
constexpr double kSlipTime = 0.05;   // s; shorter pulls are absorbed by the log's bark
constexpr double kUsualLog = 0.13;   // m, radius of the log for the grip point of an empty grapple
constexpr double kGripSlack = 0.02;  // opening within which closing jaws count as around a log
constexpr double kLost = 0.3;        // s without touch from both jaws, after which a log is lost
constexpr double kOpening = 0.02;    // 1/s; jaws that open faster let go

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
  const multibody::LinkMotion& m = nth(kinematics.link, link);
  out.omega_W = m.omega_W;
  out.v_W = m.v_origin_W + m.omega_W.cross(out.pose.p - m.in_world.p);
  return out;
}

int link_of(const multibody::Tree& tree, int body) {
  return body == multibody::kBase ? multibody::kBase : tree.body(body).link;
}

HeadFrame head_of(const world::GrappleFrame& frame) {
  return {frame.pin_W, frame.log_axis_W, frame.reach_axis_W, frame.v_W, frame.omega_W};
}

int jaw_of_contact(const world::ContactState& contact) {
  const int jaw = world::part_of_contact(contact) - kFirstJawId;
  return jaw >= 0 && jaw < world::kGrappleParts ? jaw : -1;
}

// To logs, all that touch one of them or come by themselves, as long as the jaws are about each.
template <class Comes, class Enclosed>
void add_touching(const world::WorldState& state, const Comes& comes, const Enclosed& enclosed,
                  world::LogSet& logs) {
  for (bool more = true; more;) {
    more = false;
    for (std::int64_t n = 0; n < state.contacts.end; ++n) {
      const world::ContactState& contact = state.contact[n];
      const int a = world::log_of_contact(contact), b = world::other_log_of_contact(contact);
      if (a < 0) continue;
      int next = -1;
      if (b >= 0 && logs.has(a) != logs.has(b))
        next = logs.has(a) ? b : a;
      else if (!logs.has(a) && comes(contact))
        next = a;
      if (next < 0 || !enclosed(next)) continue;
      logs.add(next);
      more = true;
    }
  }
}

world::PartRole part_role(machine::ShapeRole role) {
  constexpr world::PartRole kRoles[] = {world::PartRole::kCarrier, world::PartRole::kBoom,
                                        world::PartRole::kStick,   world::PartRole::kHead,
                                        world::PartRole::kStake,   world::PartRole::kBed};
  return kRoles[static_cast<int>(role)];
}

multibody::RigidInertia log_inertia(const world::LogSize& log) {
  multibody::RigidInertia out;
  out.mass = world::mass(log);
  const double r2 = log.radius * log.radius;
  const double along = 0.5 * out.mass * r2;
  const double across = out.mass * (0.25 * r2 + log.length * log.length / 12.0);
  out.about_com = Vec3(along, across, across).asDiagonal();
  return out;
}

}  // namespace

// The machine's capsules in this tick, and the link of each.
struct Worksite::Parts {
  int count = 0;
  world::MachinePart part[world::kMaxMachineShapes];
  int link[world::kMaxMachineShapes];

  std::span<const world::MachinePart> span() const {
    return {part, static_cast<std::size_t>(count)};
  }
};

namespace {

// tau += J^T f: a force on a link at a point, link by link towards the base.
void add_joint_forces(const multibody::Tree& tree, const Kinematics& kinematics, int link,
                      const Vec3& p_W, const Vec3& f_W, double* tau) {
  for (int i = link; i != multibody::kBase; i = tree.link(i).parent) {
    const multibody::LinkMotion& m = nth(kinematics.link, i);
    tau[i] +=
        tree.link(i).revolute ? m.axis_W.dot((p_W - m.in_world.p).cross(f_W)) : m.axis_W.dot(f_W);
  }
}

}  // namespace

// The machine as its parts give way when they are hit; its mass matrix is only worked out if one is.
class Worksite::Crane final : public world::Mobility {
 public:
  Crane(const machine::MachineModel& model, const machine::MachineState& state,
        const Kinematics& kinematics, const Parts& parts, const TimberState& timber)
      : model_(model), state_(state), kinematics_(kinematics), parts_(parts), timber_(timber) {}

  double along(int part, const Vec3& p_W, const Vec3& n_W) const override {
    const int link = parts_.link[part];
    if (link == multibody::kBase) return 0.0;
    if (link <= kTreeLink)
      return FellingSite::inverse_mass(link == kTreeLink ? timber_.moving : timber_.falling,
                                       p_W - parts_.part[part].p_W, n_W);
    if (!mass_) mass_.emplace(model_, state_);
    double row[kMaxLinks] = {};
    add_joint_forces(model_.tree, kinematics_, link, p_W, n_W, row);
    return mass_->inverse_along(row);
  }

 private:
  const machine::MachineModel& model_;
  const machine::MachineState& state_;
  const Kinematics& kinematics_;
  const Parts& parts_;
  const TimberState& timber_;
  mutable std::optional<machine::FreeMass> mass_;
};

Worksite::Worksite(const sim::Simulation& simulation, world::WorldRecipe recipe,
                   std::vector<StandingTree> trees, timber::PriceList prices)
    : simulation_(simulation),
      world_(std::move(recipe)),
      felling_(simulation.model(), world_, std::move(trees), std::move(prices)) {
  if (!machine().grapple.present) return;
  // These searches are too long for a tick, and depend on the log's thickness only.
  shape_ = grapple_shape(machine());
  const world::GrappleFrame& frame = shape_;
  closed_ = world::jaw_angle(shape_, 0.0);
  opening_per_rad_ = 1.0 / (world::jaw_angle(shape_, 1.0) - closed_);
  for (int i = 0; i < world_.log_count(); ++i) {
    const double radius = nth(world_.recipe().logs, i).radius;
    nth(around_, i) = world::grapple_min_opening(frame, radius);
    nth(seat_, i) = world::grapple_seat(frame, nth(around_, i), radius);
  }
  usual_seat_ = usual_seat(frame);
}

world::GrappleFrame grapple_shape(const machine::MachineModel& machine) {
  const machine::Grapple& g = machine.grapple;
  world::GrappleFrame out;
  out.hinge_distance = g.hinge_distance;
  out.jaw_length = g.jaw_length;
  out.jaw_width = g.jaw_width;
  out.tine_radius = g.tine_radius;
  out.opening_max = g.opening_max;
  if (g.driven()) {
    const double closed = sin_cos(machine.tree.body(g.jaw[0]).lower).sin * g.jaw_length;
    out.overlap = 2.0 * (g.tine_radius - 0.5 * g.hinge_distance - closed);
  }
  return out;
}

double usual_seat(const world::GrappleFrame& shape) {
  return world::grapple_seat(shape, world::grapple_min_opening(shape, kUsualLog), kUsualLog);
}

double jaw_opening(const machine::MachineModel& machine, double position) {
  const world::GrappleFrame shape = grapple_shape(machine);
  const double closed = world::jaw_angle(shape, 0.0);
  return std::clamp((position - closed) / (world::jaw_angle(shape, 1.0) - closed), 0.0, 1.0);
}

WorksiteState Worksite::initial_state(double opening) const {
  WorksiteState state;
  std::memset(static_cast<void*>(&state), 0, sizeof state);
  state.world = world_.initial_state();
  state.grapple.opening = std::clamp(opening, 0.0, 1.0);
  state.grapple.held = -1;
  state.grapple.slot = -1;
  felling_.start(state.timber);
  return state;
}

std::string Worksite::start_objection(const sim::SimState& sim, const WorksiteState& state) const {
  Parts parts;
  gather(multibody::forward_kinematics(machine().tree, sim.machine.q, sim.machine.v), state, parts);
  return world_.start_objection(parts.span(), state.world);
}

world::GrappleFrame Worksite::grapple_frame(const Kinematics& kinematics) const {
  const machine::Grapple& g = machine().grapple;
  const BodyMotion body = body_motion(machine().tree, kinematics, g.body);
  const Mat3& R = body.pose.R;
  world::GrappleFrame out = shape_;
  out.pin_W = body.pose.p + R * g.pin_B;
  out.log_axis_W = R * g.log_axis_B;
  out.open_axis_W = R * g.open_axis_B;
  out.reach_axis_W = R * g.reach_axis_B;
  out.v_W = body.v_W + body.omega_W.cross(out.pin_W - body.pose.p);
  out.omega_W = body.omega_W;
  return out;
}

HeadFrame Worksite::head_frame(const Kinematics& kinematics) const {
  return head_of(grapple_frame(kinematics));
}

void Worksite::gather(const Kinematics& kinematics, const WorksiteState& state,
                      Parts& parts) const {
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
    const int link = link_of(model.tree, shape.body);
    part.rides =
        is_of_carrier(part.role) && link != multibody::kBase && simulation_.carrier().carries(link);
    part.id = ++id;
    parts.link[parts.count++] = link;
  }
  if (!model.grapple.present) return;
  const int link = link_of(model.tree, model.grapple.body);
  const world::GrappleFrame frame = grapple_frame(kinematics);
  if (parts.count + world::kGrappleParts > world::kMaxMachineShapes) return;
  world::MachinePart* first = parts.part + parts.count;
  if (model.grapple.driven()) {
    const int jaws = world::grapple_parts(frame, state.grapple.opening, 0.0, kFirstJawId, first);
    for (int i = 0; i < jaws; ++i) {
      const int side = i < jaws / 2 ? 0 : 1;
      const BodyMotion body = body_motion(model.tree, kinematics, model.grapple.jaw[side]);
      first[i].p_W = body.pose.p;
      first[i].v_W = body.v_W;
      first[i].omega_W = body.omega_W;
      parts.link[parts.count++] = link_of(model.tree, model.grapple.jaw[side]);
    }
    return;
  }
  const int jaws =
      world::grapple_parts(frame, state.grapple.opening, state.grapple.speed, kFirstJawId, first);
  for (int i = 0; i < jaws; ++i) parts.link[parts.count++] = link;
  if (state.grapple.held < 0 || parts.count == world::kMaxMachineShapes) return;
  const world::LogState& log = state.world.log[state.grapple.held];
  world::MachinePart& part = parts.part[parts.count];
  part.shape = world::log_shape(size_of(state.grapple.held, state), log);
  part.p_W = vec(log.p);
  part.v_W = vec(log.v);
  part.omega_W = vec(log.omega);
  part.role = world::PartRole::kHeldLog;
  part.id = kHeldLogId;
  parts.link[parts.count++] = link;
}

// tau = J^T f.
void Worksite::joint_forces(const Kinematics& kinematics, const Parts& parts,
                            const world::PartForces& forces, double* tau) const {
  const multibody::Tree& tree = machine().tree;
  for (int i = 0; i < tree.link_count(); ++i) tau[i] = 0.0;
  for (int n = 0; n < forces.count; ++n) {
    const world::PartForce& force = forces.force[n];
    if (parts.link[force.part] <= kTreeLink) continue;
    add_joint_forces(tree, kinematics, parts.link[force.part], force.p_W, force.f_W, tau);
  }
}

// Null: it meets nothing.
const timber::FellingTouch* Worksite::touch_of_tree(const Parts& parts, int link,
                                                    const world::PartForces& forces,
                                                    timber::FellingTouch& touch) {
  bool any = false;
  for (int n = 0; n < forces.count; ++n) {
    const world::PartForce& force = forces.force[n];
    if (parts.link[force.part] != link) continue;
    any = true;
    touch.force += force.f_W;
    touch.torque += (force.p_W - parts.part[force.part].p_W).cross(force.f_W);
  }
  return any ? &touch : nullptr;
}

void Worksite::take_hold(int log, const Kinematics& kinematics, sim::SimState& sim,
                         WorksiteState& state) const {
  const machine::MachineModel& model = machine();
  const world::LogState& l = state.world.log[log];
  const int body = model.grapple.body;
  const int link = link_of(model.tree, body);
  if (link == multibody::kBase) return;
  const Pose body_W = multibody::body_pose(model.tree, kinematics, body);
  const multibody::LinkMotion::Place& link_W = nth(kinematics.link, link).in_world;
  const Mat3 R_WL = quaternion(l.q).toRotationMatrix();
  const Pose in_link{link_W.R.transpose() * R_WL, link_W.R.transpose() * (vec(l.p) - link_W.p)};
  const multibody::LinkInertia inertia =
      multibody::to_link_inertia(log_inertia(size_of(log, state)), in_link);
  const int slot = simulation_.attach(sim, link, inertia, vec(l.v), vec(l.omega));
  if (slot < 0) return;
  state.grapple.slot = slot;
  state.grapple.held = log;
  state.grapple.slipping_s = 0.0;
  store(body_W.R.transpose() * (vec(l.p) - body_W.p), state.grapple.log_p);
  store(Eigen::Quaterniond(Mat3(body_W.R.transpose() * R_WL)).normalized(), state.grapple.log_q);
  world_.hold(log, state.world);
}

void Worksite::let_go(sim::SimState& sim, WorksiteState& state) const {
  const multibody::FreeMotion motion = simulation_.detach(sim, state.grapple.slot);
  world_.release(state.grapple.held, motion.v_com_W, motion.omega_W, state.world);
  state.grapple.held = state.grapple.slot = -1;
  state.grapple.slipping_s = 0.0;
}

void Worksite::move_grapple(double demand, const Kinematics& kinematics, sim::SimState& sim,
                            WorksiteState& state) const {
  const machine::Grapple& g = machine().grapple;
  if (!g.present) return;
  GrappleState& grapple = state.grapple;
  const double h = simulation_.tick_s();
  const double before = grapple.opening;
  double next = std::clamp(before - demand * h / g.closing_time_s, 0.0, 1.0);
  const world::GrappleFrame frame = grapple_frame(kinematics);
  if (felling_.present() && grapple.held < 0 && move_knives(before, next, demand, frame, state)) {
    // They are about a tree.
  } else if (grapple.held >= 0) {
    const double around = this->around(grapple.held, state);
    next = std::max(next, std::min(around, before));
    if (next > around + kLetGo) let_go(sim, state);
  } else if (demand > 0.0) {
    for (int i = 0; i < world_.log_count(); ++i) {
      if (state.world.log[i].status == world::LogStatus::kAbsent) continue;
      const double around = this->around(i, state);
      if (next > around + kGripSlack || next < around - 2.0 * kLetGo) continue;
      if (!world::can_grip(frame, next, world::log_shape(size_of(i, state), state.world.log[i])))
        continue;
      next = std::max(next, around);
      take_hold(i, kinematics, sim, state);
      if (grapple.held >= 0) break;
    }
  }
  grapple.opening = next;
  grapple.speed = (next - before) / h;
}

double Worksite::around(int log, const WorksiteState& state) const {
  return log < world_.first_spare() ? nth(around_, log)
                                    : felling_.around_radius(size_of(log, state).radius);
}
double Worksite::seat(int log, const WorksiteState& state) const {
  return log < world_.first_spare() ? nth(seat_, log)
                                    : felling_.seat_of(size_of(log, state).radius);
}

// A standing tree in the head, or one that the closing knives take. False: there is none.
bool Worksite::move_knives(double before, double& next, double demand,
                           const world::GrappleFrame& frame, WorksiteState& state) const {
  TimberState& timber = state.timber;
  const int held = felling_.gripped(timber);
  const int tree = held >= 0 ? held : felling_.between_knives(frame, before, timber);
  if (tree < 0) return false;
  const double around = felling_.around(tree, frame.pin_W, timber);
  next = std::max(next, std::min(around, before));
  if (held >= 0) {
    if (next > around + kLetGo) felling_.let_go(timber);
  } else if (demand > 0.0 && next <= around + kGripSlack) {
    felling_.grip(tree, head_of(frame), timber);
  }
  return true;
}

// Logs that touch both jaws, or that one jaw presses on the grapple's frame; without one, or without the held one,
// those through which the jaws press on each other: of a bundle perhaps none touches both.
world::LogSet Worksite::between_jaws(const Kinematics& kinematics,
                                     const WorksiteState& state) const {
  const std::vector<machine::ContactShape>& shapes = machine().shapes;
  world::LogSet jaw_side[2], on_frame, out;
  for (std::int64_t n = 0; n < state.world.contacts.end; ++n) {
    const world::ContactState& contact = state.world.contact[n];
    const int log = world::log_of_contact(contact);
    if (log < 0) continue;
    const int part = world::part_of_contact(contact), jaw = jaw_of_contact(contact);
    if (jaw >= 0)
      jaw_side[jaw < world::kGrappleParts / 2 ? 0 : 1].add(log);
    else if (part >= 1 && part <= static_cast<int>(shapes.size()) &&
             nth(shapes, part - 1).role == machine::ShapeRole::kHead)
      on_frame.add(log);
  }
  if (jaw_side[0].empty() && jaw_side[1].empty()) return out;
  const world::GrappleFrame frame = grapple_frame(kinematics);
  const auto enclosed = [&](int log) { return encloses(log, frame, state); };
  for (int i = 0; i < world_.log_count(); ++i) {
    const bool left = jaw_side[0].has(i), right = jaw_side[1].has(i);
    if ((left && right) || ((left || right) && on_frame.has(i) && enclosed(i))) out.add(i);
  }
  const int held = state.grapple.held;
  const bool found = held >= 0 ? out.has(held) : !out.empty();
  if (found || jaw_side[0].empty() || jaw_side[1].empty()) return out;
  world::LogSet linked;
  add_touching(
      state.world,
      [&](const world::ContactState& contact) {
        return jaw_side[0].has(world::log_of_contact(contact));
      },
      enclosed, linked);
  bool across = false;
  for (int i = 0; i < world_.log_count(); ++i)
    across = across || (linked.has(i) && jaw_side[1].has(i));
  for (int i = 0; across && i < world_.log_count(); ++i)
    if (linked.has(i)) out.add(i);
  return out;
}

bool Worksite::encloses(int log, const world::GrappleFrame& frame,
                        const WorksiteState& state) const {
  return world::can_grip(frame, state.grapple.opening,
                         world::log_shape(size_of(log, state), state.world.log[log]));
}

world::LogSet Worksite::carried(const Kinematics& kinematics, const WorksiteState& state) const {
  world::LogSet out;
  if (state.grapple.held < 0) return out;
  out.add(state.grapple.held);
  if (!machine().grapple.driven()) return out;
  out = between_jaws(kinematics, state);
  out.add(state.grapple.held);
  const world::GrappleFrame frame = grapple_frame(kinematics);
  add_touching(
      state.world, [](const world::ContactState& contact) { return jaw_of_contact(contact) >= 0; },
      [&](int log) { return encloses(log, frame, state); }, out);
  return out;
}

// Jaws that are bodies: a log is held as long as both touch it, or one presses it on the frame.
void Worksite::feel_grip(const sim::SimState& sim, const Kinematics& kinematics,
                         WorksiteState& state) const {
  const machine::Grapple& g = machine().grapple;
  const int link = link_of(machine().tree, g.jaw[0]);
  GrappleState& grapple = state.grapple;
  grapple.opening = std::clamp((sim.machine.q[link] - closed_) * opening_per_rad_, 0.0, 1.0);
  grapple.speed = opening_per_rad_ * sim.machine.v[link];
  const world::LogSet between = between_jaws(kinematics, state);
  if (grapple.held >= 0) {
    const bool touched = between.has(grapple.held);
    grapple.slipping_s = touched ? 0.0 : grapple.slipping_s + simulation_.tick_s();
    const bool let_go = grapple.speed > kOpening;
    if (touched || (!let_go && grapple.slipping_s < kLost)) return;
    if (!let_go) ++state.logs_slipped;
    grapple.held = -1;
    grapple.slipping_s = 0.0;
  }
  if (between.empty() || grapple.speed > kOpening) return;
  // The one in the middle counts.
  const Vec3 middle_W = grip(kinematics, state).p_W;
  double least = 1e30;
  for (int i = 0; i < world_.log_count(); ++i) {
    if (!between.has(i)) continue;
    const world::Capsule shape = world::log_shape(size_of(i, state), state.world.log[i]);
    const double away = (middle_W - world::closest_on_segment(shape.a, shape.b, middle_W)).norm();
    if (away < least) {
      least = away;
      grapple.held = i;
    }
  }
}

void Worksite::carry_log(const Kinematics& kinematics, WorksiteState& state) const {
  if (state.grapple.held < 0) return;
  const BodyMotion body = body_motion(machine().tree, kinematics, machine().grapple.body);
  world::LogState& log = state.world.log[state.grapple.held];
  const Vec3 arm_W = body.pose.R * vec(state.grapple.log_p);
  store(body.pose.p + arm_W, log.p);
  store((Eigen::Quaterniond(body.pose.R) * quaternion(state.grapple.log_q)).normalized(), log.q);
  store(body.v_W + body.omega_W.cross(arm_W), log.v);
  store(body.omega_W, log.omega);
}

// The pull on the jaws: the force for the log's motion, less the world's force on it.
void Worksite::watch_grip(const Parts& parts, const world::PartForces& forces,
                          const Vec3& v_before_W, sim::SimState& sim, WorksiteState& state) const {
  GrappleState& grapple = state.grapple;
  if (grapple.held < 0) return;
  const double m = world::mass(size_of(grapple.held, state));
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
  let_go(sim, state);
}

void Worksite::step(const sim::TickInput& input, double grapple, sim::SimState& sim,
                    WorksiteState& state, const HeadDemand& head) const {
  const multibody::Tree& tree = machine().tree;
  machine::MachineState& m = sim.machine;
  const Kinematics before = multibody::forward_kinematics(tree, m.q, m.v);
  const bool driven = machine().grapple.driven();
  if (!driven) move_grapple(grapple, before, sim, state);
  Parts parts;
  // A log gripped or released in this tick changed the joint rates by its momentum; the parts may still
  // have their velocities from before.
  gather(before, state, parts);
  const bool fells = felling_.present();
  world::StemChanges changes;
  if (fells) {
    const world::GrappleFrame frame = grapple_frame(before);
    felling_.look_at_leaving(frame, state.timber);
    const auto used = static_cast<std::size_t>(parts.count);
    const int trees = felling_.parts(parts.span(), simulation_.tick_s(), state.timber, state.world,
                                     std::span(parts.part).subspan(used));
    felling_.changes(state.timber,
                     felling_.between_knives(frame, state.grapple.opening, state.timber), changes);
    for (int i = 0; i < trees; ++i, ++parts.count) {
      const world::MachinePart& part = parts.part[parts.count];
      parts.link[parts.count] = part.role == world::PartRole::kLyingTree ? multibody::kBase
                                : changes.falling_parts.has(part.id)     ? kOtherTreeLink
                                                                         : kTreeLink;
    }
  }
  world::PartForces forces;
  const Crane crane(machine(), m, before, parts, state.timber);
  world::LogSet carried;
  if (driven && state.grapple.held >= 0) carried = this->carried(before, state);
  double tau[kMaxLinks];
  world_.step(parts.span(), simulation_.tick_s(), state.world, forces, &crane, carried,
              fells ? &changes : nullptr);
  joint_forces(before, parts, forces, tau);
  if (fells) {
    timber::FellingTouch touch, other;
    const timber::FellingTouch* const touches[] = {
        touch_of_tree(parts, kTreeLink, forces, touch),
        state.timber.falling.stem < 0 ? nullptr
                                      : touch_of_tree(parts, kOtherTreeLink, forces, other)};
    felling_.feel(parts.span(), forces, state.timber);
    use_head(head, before, sim, touches, state, tau);
  }
  const Vec3 v_before_W =
      state.grapple.held < 0 ? Vec3::Zero().eval() : vec(state.world.log[state.grapple.held].v);
  simulation_.step(sim, input, tau);
  const Kinematics after = multibody::forward_kinematics(tree, m.q, m.v);
  if (driven) {
    feel_grip(sim, after, state);
    return;
  }
  carry_log(after, state);
  watch_grip(parts, forces, v_before_W, sim, state);
}

// Tree, saw and tilt, and what they do to the joints.
void Worksite::use_head(const HeadDemand& demand, const Kinematics& kinematics,
                        const sim::SimState& sim, const timber::FellingTouch* const (&touch)[2],
                        WorksiteState& state, double* tau) const {
  HeadLoad load;
  HeadFrame head = head_frame(kinematics);
  if (state.timber.moving.gripped != 0) {
    // In the mean over the tick it moves as it will if the joints' accelerations stay.
    const machine::MachineState& m = sim.machine;
    const double h = simulation_.tick_s();
    double q[kMaxLinks], v[kMaxLinks];
    for (int i = 0; i < machine().joint_count(); ++i) {
      q[i] = m.q[i] + h * (m.v[i] + 0.5 * h * m.a[i]);
      v[i] = m.v[i] + h * m.a[i];
    }
    const HeadFrame later = head_frame(multibody::forward_kinematics(machine().tree, q, v));
    head.v_W = 0.5 * (head.v_W + later.v_W);
    head.omega_W = 0.5 * (head.omega_W + later.omega_W);
  }
  felling_.step(demand, head, simulation_.tick_s(), state.timber, state.world, load, touch[0],
                touch[1]);
  const int link = link_of(machine().tree, machine().grapple.body);
  for (int k = 0; k < load.count; ++k)
    add_joint_forces(machine().tree, kinematics, link, load.p_W[k], load.f_W[k], tau);
  const int tilt = machine().head.tilt_link;
  tau[tilt] += felling_.tilt_torque(demand, sim.machine.q[tilt], sim.machine.v[tilt],
                                    simulation_.tick_s(), state.timber);
}

Grip Worksite::grip(const Kinematics& kinematics, const WorksiteState& state) const {
  const world::GrappleFrame frame = grapple_frame(kinematics);
  const double seat = state.grapple.held < 0 ? usual_seat_ : this->seat(state.grapple.held, state);
  return {frame.pin_W + seat * frame.reach_axis_W, frame.log_axis_W, frame.reach_axis_W};
}

}  // namespace knuckleboom::worksite
