#include "knuckleboom/core/worksite/felling_site.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "knuckleboom/core/math/angle.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/core/worksite/worksite.hpp"
#include "knuckleboom/core/world/closest_points.hpp"

namespace knuckleboom::worksite {
namespace {

constexpr double kGripHeight = 0.9;     // m, where the knives usually are
constexpr double kPressTime = 0.15;     // s, until knives press with all their force
constexpr double kLeastStump = 0.01;    // m
constexpr double kMostAskew = 0.45;     // between stem and head, when knives close [rad]
constexpr double kTiltStiffness = 3e5;  // N m/rad; of the oil that holds the tilt
constexpr double kTiltDamping = 1.2e4;  // N m s/rad
constexpr double kTiltLead = 0.05;      // of the reference before the joint at most [rad]
constexpr double kPushes = 0.05;        // lever of the tilt from which on it does not float
constexpr double kStruckLean = 0.1;     // a tree that leans less has struck nothing [rad]
constexpr double kStem = 0.85;          // of a tree's length, below the thin tip

template <class T, std::size_t n>
void put(const T (&from)[n], T (&to)[n]) {
  std::copy(from, from + n, to);
}

void keep(const timber::FellingState& s, MovingTree& m) {
  m.t_s = s.t;
  store(s.p, m.p);
  store(s.v, m.v);
  store(s.n, m.n);
  store(s.omega, m.omega);
  m.cut = s.cut;
  store(s.stump_anchor, m.stump_anchor);
  m.rest_weak = s.rest_weak;
  m.rest_strong = s.rest_strong;
  m.bent_weak = s.bent_weak;
  m.bent_strong = s.bent_strong;
  m.attached = s.attached ? 1 : 0;
  m.pinched = s.pinched ? 1 : 0;
  m.on_stump = s.on_stump ? 1 : 0;
  m.jumped = s.jumped ? 1 : 0;
  m.off = 0;
  for (int i = 0; i < timber::kRimPoints; ++i) m.off |= s.off[i] ? 1 << i : 0;
  put(s.torn, m.torn);
  m.calm_s = s.calm_s;
  m.pushed_J = s.pushed;
  m.lost_J = s.lost;
  m.released_J = s.released;
  m.grip_at = s.grip_at;
  m.grip_work_J = s.grip_work;
  m.grip_lost_J = s.grip_lost;
}

bool lies(int stem, const TimberState& state) {
  return std::any_of(state.felled, state.felled + state.felled_count,
                     [stem](const FelledTree& tree) { return tree.stem == stem; });
}

timber::FellingSetup setup_of(double stump, double towards) {
  timber::FellingSetup setup;
  setup.stump = stump;
  setup.towards = towards;
  return setup;
}

}  // namespace

FellingSite::FellingSite(const machine::MachineModel& machine, const world::World& world,
                         std::vector<StandingTree> trees)
    : head_(machine.head), world_(world), trees_(std::move(trees)) {
  tree_of_.fill(-1);
  if (!head_.present) trees_.clear();
  if (!present()) return;
  const multibody::Body& body = machine.tree.body(machine.tree.link(head_.tilt_link).body);
  lower_ = body.lower;
  upper_ = body.upper;
  saw_.chain_speed = head_.chain_speed;
  saw_.power = head_.saw_power;
  saw_.energy = head_.saw_energy;
  saw_.feed_force = head_.bar_force;
  const world::GrappleFrame frame = grapple_shape(machine);
  for (std::size_t i = 0; i < trees_.size(); ++i) {
    nth(tree_of_, trees_[i].stem) = static_cast<int>(i);
    around_.push_back(world::grapple_min_opening(
        frame, 0.5 * timber::over_bark(trees_[i].tree.profile(), kGripHeight)));
  }
}

void FellingSite::start(TimberState& state) const {
  std::memset(static_cast<void*>(&state), 0, sizeof state);
  state.moving.stem = -1;
}

int FellingSite::tree_of(int stem) const { return stem < 0 ? -1 : nth(tree_of_, stem); }

Vec3 FellingSite::foot_W(int stem) const {
  const world::Stem& at = nth(world_.recipe().stems, stem);
  return {at.x, at.y, world::height(world_.ground(), at.x, at.y)};
}

int FellingSite::gripped(const TimberState& state) const {
  return state.moving.gripped != 0 ? tree_of(state.moving.stem) : -1;
}

timber::Felling FellingSite::felling(const MovingTree& tree) const {
  return {tree.form, setup_of(tree.stump, tree.towards)};
}

timber::FellingState FellingSite::felling_state(const MovingTree& m) {
  timber::FellingState s;
  s.t = m.t_s;
  s.p = vec(m.p);
  s.v = vec(m.v);
  s.n = vec(m.n);
  s.omega = vec(m.omega);
  s.cut = m.cut;
  s.stump_anchor = vec(m.stump_anchor);
  s.rest_weak = m.rest_weak;
  s.rest_strong = m.rest_strong;
  s.bent_weak = m.bent_weak;
  s.bent_strong = m.bent_strong;
  s.attached = m.attached != 0;
  s.pinched = m.pinched != 0;
  s.on_stump = m.on_stump != 0;
  s.jumped = m.jumped != 0;
  for (int i = 0; i < timber::kRimPoints; ++i) s.off[i] = (m.off >> i & 1) != 0;
  put(m.torn, s.torn);
  s.calm_s = m.calm_s;
  s.pushed = m.pushed_J;
  s.lost = m.lost_J;
  s.released = m.released_J;
  s.grip_at = m.grip_at;
  s.grip_work = m.grip_work_J;
  s.grip_lost = m.grip_lost_J;
  return s;
}

int FellingSite::between_knives(const world::GrappleFrame& frame, double opening,
                                const TimberState& state) const {
  const int moving = tree_of(state.moving.stem);
  if (moving < 0 && state.felled_count == kMaxFelled) return -1;
  for (int i = 0; i < static_cast<int>(trees_.size()); ++i) {
    const int stem = nth(trees_, i).stem;
    const Vec3 foot = foot_W(stem);
    if (moving >= 0 && moving != i) continue;
    // Cheap: most are far away.
    if (moving < 0 && Vec3(foot - frame.pin_W).head<2>().norm() > 2.0) continue;
    if (lies(stem, state)) continue;
    world::Capsule shape{foot, foot + Vec3(0.0, 0.0, nth(trees_, i).tree.height()),
                         0.5 * timber::over_bark(nth(trees_, i).tree.profile(), kGripHeight)};
    if (moving == i) {
      const Vec3 n = vec(state.moving.n);
      shape.a = foot + vec(state.moving.p) - state.moving.form.centre * n;
      shape.b = shape.a + state.moving.form.length * n;
    }
    const double along = (shape.b - shape.a).normalized().dot(frame.log_axis_W);
    if (along > sin_cos(kMostAskew).cos && world::can_grip(frame, opening, shape)) return i;
  }
  return -1;
}

void FellingSite::set_up(int tree, double stump, double towards, TimberState& state) const {
  MovingTree& m = state.moving;
  const timber::Tree& from = nth(trees_, tree).tree;
  const timber::FellingSetup setup =
      setup_of(std::clamp(stump, kLeastStump, 0.4 * from.height()), towards);
  m.form = timber::felling_form(from, setup);
  m.stump = setup.stump;
  m.towards = towards;
  m.stem = nth(trees_, tree).stem;
  keep(felling(m).initial_state(), m);
}

void FellingSite::grip(int tree, const HeadFrame& head, TimberState& state) const {
  MovingTree& m = state.moving;
  if (m.stem != nth(trees_, tree).stem) {
    m = MovingTree{};
    const double at = head.p_W.z() - foot_W(nth(trees_, tree).stem).z();
    set_up(tree, at - head_.saw_distance * head.axis_W.z(),
           angle_of(head.reach_W.y(), head.reach_W.x()), state);
  }
  m.gripped = 1;
  state.press = 0.0;
  timber::FellingState s = felling_state(m);
  felling(m).take_hold(grip_of(head, state), s);
  keep(s, m);
}

// A tree that is not cut stands as if nothing had been.
void FellingSite::let_go(TimberState& state) const {
  MovingTree& m = state.moving;
  m.gripped = 0;
  m.calm_s = 0.0;
  state.press = 0.0;
  if (m.cut > 0.0) return;
  m = MovingTree{};
  m.stem = -1;
}

timber::FellingGrip FellingSite::grip_of(const HeadFrame& head, const TimberState& state) const {
  timber::FellingGrip grip;
  // The stem lies against the head's frame.
  const Vec3 arm = state.moving.form.radius * head.reach_W;
  grip.p = head.p_W + arm - foot_W(state.moving.stem);
  grip.axis = head.axis_W;
  grip.v = head.v_W + head.omega_W.cross(arm);
  grip.omega = head.omega_W;
  grip.half = 0.5 * head_.knife_distance;
  grip.knives = state.press * head_.knife_force;
  grip.rollers = state.press * head_.roller_force;
  return grip;
}

// At the height where the saw is now, leaning as it does.
void FellingSite::begin_cut(const HeadFrame& head, TimberState& state) const {
  MovingTree& m = state.moving;
  const timber::FellingState before = felling_state(m);
  const Vec3 butt = felling(m).butt(before);
  const Vec3 saw =
      head.p_W + m.form.radius * head.reach_W - head_.saw_distance * head.axis_W - foot_W(m.stem);
  set_up(tree_of(m.stem), m.stump + (saw - butt).dot(before.n),
         angle_of(head.reach_W.y(), head.reach_W.x()), state);
  const timber::Felling after = felling(m);
  timber::FellingState s = felling_state(m);
  const Vec3 foot = after.butt(s);
  s.n = before.n;
  s.omega = before.omega;
  s.p = foot + m.form.centre * s.n;
  s.v = s.omega.cross(s.p - foot);
  s.t = before.t;
  after.take_hold(grip_of(head, state), s);
  keep(s, m);
}

void FellingSite::step(const HeadDemand& demand, const HeadFrame& head, double dt,
                       TimberState& state, HeadLoad& load) const {
  load.count = 0;
  const double way = dt / head_.bar_time_s;
  state.bar = std::clamp(state.bar + (demand.saw ? way : -way), 0.0, 1.0);
  MovingTree& m = state.moving;
  if (m.stem < 0) return;
  const bool gripped = m.gripped != 0;
  const bool cuts = gripped && demand.saw && state.bar >= 1.0 && m.attached != 0;
  if (cuts && m.cut == 0.0) begin_cut(head, state);
  const timber::Felling tree = felling(m);
  timber::FellingState s = felling_state(m);
  if (gripped) {
    // Knives that press more do work on what gives.
    const double before = tree.grip_energy(grip_of(head, state), s);
    state.press = std::min(state.press + dt / kPressTime, 1.0);
    const timber::FellingGrip grip = grip_of(head, state);
    s.grip_work += tree.grip_energy(grip, s) - before;
    timber::FellingGripLoad on_stem;
    tree.step(dt, cuts ? timber::cutting_rate(saw_, tree.cut_width(m.cut)) : 0.0, s, &grip,
              &on_stem);
    const Vec3 middle = foot_W(m.stem) + grip.p;
    load.count = 3;
    load.p_W[0] = middle - grip.half * grip.axis;
    load.p_W[1] = middle + grip.half * grip.axis;
    load.p_W[2] = middle;
    for (int k = 0; k < 3; ++k) load.f_W[k] = -on_stem.force[k];
  } else {
    tree.step(dt, 0.0, s);
  }
  keep(s, m);
  strike(dt, state);
  if (!gripped && m.attached == 0 && tree.lies(s)) lay_down(state);
}

// Stems that the falling one goes through. It passes them: nothing holds it up.
void FellingSite::strike(double dt, TimberState& state) const {
  MovingTree& m = state.moving;
  if (m.attached != 0 || m.n[2] > sin_cos(kStruckLean).cos) return;
  const Vec3 foot = foot_W(m.stem), n = vec(m.n), omega = vec(m.omega);
  const Vec3 butt = foot + vec(m.p) - m.form.centre * n;
  const Vec3 tip = butt + kStem * m.form.length * n;
  // A stem counts in the tick in which the falling one comes upon it.
  const Vec3 back = dt * (vec(m.v) - m.form.centre * omega.cross(n));
  const Vec3 tip_back = dt * (vec(m.v) + (kStem * m.form.length - m.form.centre) * omega.cross(n));
  const std::vector<world::Stem>& stems = world_.recipe().stems;
  for (int i = 0; i < static_cast<int>(stems.size()); ++i) {
    if (i == m.stem) continue;
    const Vec3 low = foot_W(i);
    const double reach = nth(stems, i).radius + 0.5 * m.form.radius;
    if (Vec3(low - foot).head<2>().norm() > m.form.length + 1.0) continue;
    if (lies(i, state)) continue;
    const Vec3 high = low + Vec3(0.0, 0.0, nth(stems, i).height);
    const world::ClosestPoints now = world::closest_points(butt, tip, low, high);
    if ((now.a - now.b).norm() > reach) continue;
    const world::ClosestPoints then = world::closest_points(butt - back, tip - tip_back, low, high);
    if ((then.a - then.b).norm() > reach) ++m.hits;
  }
}

void FellingSite::lay_down(TimberState& state) const {
  MovingTree& m = state.moving;
  if (state.felled_count < kMaxFelled) {
    FelledTree& felled = state.felled[state.felled_count++];
    store(Vec3(foot_W(m.stem) + vec(m.p) - m.form.centre * vec(m.n)), felled.butt);
    put(m.n, felled.n);
    felled.stump = m.stump;
    felled.stem = m.stem;
    felled.hits = m.hits;
  }
  m = MovingTree{};
  m.stem = -1;
}

double FellingSite::tilt_torque(const HeadDemand& demand, double q, double v, double dt,
                                TimberState& state) const {
  // With the saw out, or a tree that is cut in the head, it follows the tree; its lever pushes.
  const bool floats = state.bar > 0.0 || (state.moving.gripped != 0 && state.moving.cut > 0.0);
  if (floats && std::fabs(demand.tilt) < kPushes) {
    state.tilt_reference = q;
    return 0.0;
  }
  const double rate = std::clamp(demand.tilt, -1.0, 1.0) * head_.tilt_rate;
  double reference = std::clamp(state.tilt_reference + rate * dt, lower_, upper_);
  // Beyond what the torque reaches, its oil goes over the relief.
  reference = std::clamp(reference, q - kTiltLead, q + kTiltLead);
  state.tilt_reference = reference;
  return std::clamp(kTiltStiffness * (reference - q) + kTiltDamping * (rate - v),
                    -head_.tilt_torque, head_.tilt_torque);
}

void FellingSite::changes(const TimberState& state, world::StemChanges& out) const {
  out.count = 0;
  const auto cut = [&out](int stem, double height) { out.cut[out.count++] = {stem, height}; };
  if (state.moving.stem >= 0 && (state.moving.cut > 0.0 || state.moving.gripped != 0))
    cut(state.moving.stem, state.moving.stump);
  for (std::int64_t k = 0; k < state.felled_count; ++k)
    cut(state.felled[k].stem, state.felled[k].stump);
}

std::string check_state(const FellingSite& site, const TimberState& state) {
  const auto is_tree = [&site](int stem) {
    return std::ranges::any_of(site.trees(),
                               [stem](const StandingTree& tree) { return tree.stem == stem; });
  };
  const MovingTree& m = state.moving;
  if (m.stem >= 0 && !is_tree(m.stem))
    return state::objection("moving.stem", m.stem, "there is no such tree");
  if (m.stem < 0 && (m.gripped != 0 || m.form.mass != 0.0))
    return state::objection("moving.gripped", m.gripped, "but no tree moves");
  if (m.stem >= 0) {
    if (!(std::fabs(vec(m.n).squaredNorm() - 1.0) <= 1e-6))
      return state::objection("moving.n", vec(m.n).norm(), "as a direction it must have length 1");
    if (!(m.form.mass > 0.0 && m.form.inertia > 0.0 && m.form.length > 0.0 && m.form.radius > 0.0 &&
          m.form.root > 0.0 && m.form.modulus > 0.0))
      return state::objection("moving.form.mass", m.form.mass,
                              "a tree has mass, length and stiffness");
    if (!(m.cut <= 2.0 * m.form.radius))
      return state::objection("moving.cut", m.cut, "the cut is deeper than the stem is thick");
  }
  for (std::int64_t k = 0; k < kMaxFelled; ++k) {
    const FelledTree& felled = state.felled[k];
    const std::string name = "felled[" + std::to_string(k) + "].";
    if (k >= state.felled_count) {
      if (felled.stem != 0 || felled.stump != 0.0)
        return state::objection(name + "stem", felled.stem, "felled trees end before that place");
      continue;
    }
    if (!is_tree(felled.stem) || felled.stem == m.stem)
      return state::objection(name + "stem", felled.stem, "there is no such tree, or it moves");
    if (!(std::fabs(vec(felled.n).squaredNorm() - 1.0) <= 1e-6))
      return state::objection(name + "n", vec(felled.n).norm(),
                              "as a direction it must have length 1");
  }
  return {};
}

}  // namespace knuckleboom::worksite
