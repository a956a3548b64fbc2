#include "knuckleboom/core/worksite/felling_site.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "knuckleboom/core/math/angle.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/core/worksite/worksite.hpp"
#include "knuckleboom/core/world/box.hpp"
#include "knuckleboom/core/world/closest_points.hpp"
#include "knuckleboom/core/world/fixed_near.hpp"

namespace knuckleboom::worksite {
namespace {

constexpr double kPi = 3.14159265358979323846;
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
constexpr double kFit = 0.2;            // m/s; as fast knives follow a stem's thickness
constexpr double kRadiusStep = 0.01;    // m
constexpr int kRadiusSteps = 50;
constexpr double kMostFree = 0.05;     // m from the tip, where a stem is out of the head
constexpr std::uint64_t kPieces = 64;  // of a stem, with errors of their own
constexpr double kStill = 0.02;        // m/s
constexpr double kOffcut = 0.05;       // m
constexpr double kLeastPiece = 0.03;   // m; nothing shorter is sawn off
constexpr double kLongestLog = 18.0;   // m
constexpr double kKerf = 0.008;        // m; a cut that goes on is no farther away
constexpr double kAsWanted = 0.05;     // m
constexpr double kSlopeReach = 0.25;   // m
constexpr double kReach = 2.0;         // m, of a head about the middle of its knives
constexpr double kTall = 1e3;          // m; higher and lower than anything
constexpr double kNear = 0.6;          // m; what is farther from a tree does not meet it in a tick
constexpr int kFirstTreeId = 2100, kFirstFallingId = 2110, kFirstLyingId = 2200;  // of parts
constexpr double kGravity = 9.81;
constexpr double kLeastPush = 50.0;  // N; what presses less moves no tree
constexpr double kPushed =
    0.3;  // of its weight, along the ground or upwards: a tree that lies gives way

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

// Null: it does not lie.
const FelledTree* lying(int stem, const TimberState& state) {
  const FelledTree* end = state.felled + state.felled_count;
  const FelledTree* found =
      std::find_if(state.felled, end, [stem](const FelledTree& tree) { return tree.stem == stem; });
  return found == end ? nullptr : found;
}

// Beside a place [m].
double radius_at(const FelledTree& felled, const timber::Tree& tree, const Vec3& p_W) {
  const double along = std::max((p_W - vec(felled.butt)).dot(vec(felled.n)), 0.0);
  return 0.5 * timber::over_bark(tree.profile(), std::min(felled.from + along, tree.height()));
}

// The number of the log that is measured, among all: its errors follow from it.
std::uint64_t number_of(const timber::Tree& tree, const MovingTree& m) {
  return tree.recipe().seed * kPieces * timber::kMostStems +
         kPieces * static_cast<std::uint64_t>(m.stem) + static_cast<std::uint64_t>(m.pieces);
}

void forget(MovingTree& m) {
  m = MovingTree{};
  m.stem = -1;
}

// The shortest turn of x to a direction.
void turn_x_to(const Vec3& n, double (&q)[4]) {
  const double w = 1.0 + n.x();
  const double length = std::sqrt(w * w + n.y() * n.y() + n.z() * n.z());
  const bool back = length < 1e-6;
  q[0] = back ? 0.0 : w / length;
  q[1] = 0.0;
  q[2] = back ? 0.0 : -n.z() / length;
  q[3] = back ? 1.0 : n.y() / length;
}

bool is_between(const world::GrappleFrame& frame, double opening, const world::Capsule& stem) {
  const double along = (stem.b - stem.a).normalized().dot(frame.log_axis_W);
  return along > sin_cos(kMostAskew).cos && world::can_grip(frame, opening, stem);
}

timber::FellingSetup setup_of(double stump, double towards) {
  timber::FellingSetup setup;
  setup.stump = stump;
  setup.towards = towards;
  return setup;
}

}  // namespace

FellingSite::FellingSite(const machine::MachineModel& machine, const world::World& world,
                         std::vector<StandingTree> trees, timber::PriceList prices)
    : head_(machine.head), world_(world), trees_(std::move(trees)), prices_(std::move(prices)) {
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
  feed_.force = head_.feed_force / feed_.rollers;
  feed_.speed = head_.feed_speed;
  feed_.power = head_.feed_power;
  feed_.knife_force = 2.0 * head_.knife_force;
  measure_.reset_error = head_.reset_error;
  measure_.drift = head_.length_drift;
  measure_.diameter_error = head_.diameter_error;
  const world::GrappleFrame frame = grapple_shape(machine);
  for (std::size_t i = 0; i < trees_.size(); ++i) {
    nth(tree_of_, trees_[i].stem) = static_cast<int>(i);
    around_.push_back(world::grapple_min_opening(
        frame, 0.5 * timber::over_bark(trees_[i].tree.profile(), kGripHeight)));
  }
  for (int i = 0; i < kRadiusSteps; ++i) {
    const double radius = (i + 1) * kRadiusStep;
    around_radius_.push_back(world::grapple_min_opening(frame, radius));
    seat_.push_back(world::grapple_seat(frame, around_radius_.back(), radius));
  }
}

namespace {
double by_radius(const std::vector<double>& of, double radius) {
  const double step =
      std::clamp(radius / kRadiusStep - 1.0, 0.0, static_cast<double>(kRadiusSteps - 1));
  const int low = std::min(static_cast<int>(step), kRadiusSteps - 2);
  return nth(of, low) + (step - low) * (nth(of, low + 1) - nth(of, low));
}
}  // namespace
double FellingSite::around_radius(double radius) const { return by_radius(around_radius_, radius); }
double FellingSite::seat_of(double radius) const { return by_radius(seat_, radius); }

double FellingSite::around(int tree, const Vec3& pin_W, const TimberState& state) const {
  const double standing = nth(around_, tree);
  if (const FelledTree* felled = lying(nth(trees_, tree).stem, state))
    return around_radius(radius_at(*felled, nth(trees_, tree).tree, pin_W));
  if (gripped(state) != tree || state.moving.attached != 0) return standing;
  return std::min(standing, around_radius(state.moving.grip_radius));
}

void FellingSite::start(TimberState& state) const {
  std::memset(static_cast<void*>(&state), 0, sizeof state);
  state.moving.stem = state.falling.stem = -1;
  state.product = -1;
}

int FellingSite::tree_of(int stem) const { return stem < 0 ? -1 : nth(tree_of_, stem); }

const timber::Tree& FellingSite::grown(const MovingTree& m) const {
  return nth(trees_, tree_of(m.stem)).tree;
}

Vec3 FellingSite::foot_W(int stem) const {
  const world::Stem& at = nth(world_.recipe().stems, stem);
  return {at.x, at.y, world::height(world_.ground(), at.x, at.y)};
}

int FellingSite::gripped(const TimberState& state) const {
  return state.moving.gripped != 0 ? tree_of(state.moving.stem) : -1;
}

timber::Felling FellingSite::felling(const MovingTree& tree) const {
  timber::FellingSetup setup = setup_of(tree.stump, tree.towards);
  look_at_ground(tree, setup.ground);
  return {tree.form, setup};
}

// Planes through the ground under the points of its stem, where it is not level.
void FellingSite::look_at_ground(const MovingTree& m, timber::FellingGround& out) const {
  const world::Ground& ground = world_.ground();
  const Vec3 foot = foot_W(m.stem), butt = butt_W(m), n = vec(m.n);
  const double away = std::max(butt.head<2>().norm(), (butt + m.form.length * n).head<2>().norm());
  if (ground.nx < 2 || away < world_.ground_level()) return;
  out.uneven = true;
  for (int i = 0; i < timber::kStemPoints; ++i) {
    const Vec3 at = butt + timber::stem_point(m.form, i) * n;
    const auto height = [&](double x, double y) {
      return world::height(ground, at.x() + x, at.y() + y);
    };
    const Vec3 up(height(-kSlopeReach, 0.0) - height(kSlopeReach, 0.0),
                  height(0.0, -kSlopeReach) - height(0.0, kSlopeReach), 2.0 * kSlopeReach);
    store(Vec3(at.x() - foot.x(), at.y() - foot.y(), height(0.0, 0.0) - foot.z()), out.at[i]);
    store(Vec3(up / up.norm()), out.up[i]);
  }
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
  int moving = 0;
  for (const MovingTree* m : {&state.moving, &state.falling}) {
    if (m->stem < 0) continue;
    ++moving;
    const Vec3 butt = butt_W(*m);
    if (is_between(frame, opening,
                   {butt, butt + m->form.length * vec(m->n),
                    0.5 * timber::over_bark(grown(*m).profile(), kGripHeight)}))
      return tree_of(m->stem);
    if (m->gripped != 0) return -1;
  }
  // One more that moves needs room to do so, and to lie.
  if (moving == kMaxMovingTrees || state.felled_count + moving >= kMaxFelled) return -1;
  int first = static_cast<int>(trees_.size());
  const Vec3 reach(kReach, kReach, kTall);
  world::each_fixed_near(world_, {frame.pin_W - reach, frame.pin_W + reach}, [&](int k) {
    const int i = k < timber::kMostStems ? tree_of(k) : -1;
    if (i < 0 || i >= first || k == state.moving.stem || lying(k, state) != nullptr) return;
    if (k == state.falling.stem) return;
    const Vec3 foot = foot_W(k);
    if (Vec3(foot - frame.pin_W).head<2>().norm() > kReach) return;
    const timber::Tree& tree = nth(trees_, i).tree;
    if (is_between(frame, opening,
                   {foot, foot + Vec3(0.0, 0.0, tree.height()),
                    0.5 * timber::over_bark(tree.profile(), kGripHeight)}))
      first = i;
  });
  for (std::int64_t n = 0; n < state.felled_count; ++n) {
    const FelledTree& felled = state.felled[n];
    const int i = tree_of(felled.stem);
    if (i >= first) continue;
    const timber::Tree& tree = nth(trees_, i).tree;
    world::Capsule shape{vec(felled.butt), vec(felled.butt), 0.0};
    shape.b += (tree.height() - felled.from) * vec(felled.n);
    if ((frame.pin_W - world::closest_on_segment(shape.a, shape.b, frame.pin_W)).norm() > kReach)
      continue;
    shape.radius = radius_at(felled, tree, frame.pin_W);
    if (is_between(frame, opening, shape)) first = i;
  }
  return first < static_cast<int>(trees_.size()) ? first : -1;
}

void FellingSite::set_up(int tree, double stump, double towards, TimberState& state) const {
  MovingTree& m = state.moving;
  const timber::Tree& from = nth(trees_, tree).tree;
  const timber::FellingSetup setup =
      setup_of(std::clamp(stump, kLeastStump, 0.4 * from.height()), towards);
  m.form = timber::felling_form(from, setup);
  m.stump = m.from = setup.stump;
  m.bare_to = 0.0;
  m.grip_radius = m.form.radius;
  m.towards = towards;
  m.stem = nth(trees_, tree).stem;
  keep(felling(m).initial_state(), m);
}

void FellingSite::grip(int tree, const HeadFrame& head, TimberState& state) const {
  MovingTree& m = state.moving;
  make_room(nth(trees_, tree).stem, state);
  if (const FelledTree* felled = lying(nth(trees_, tree).stem, state)) {
    take_up(static_cast<int>(felled - state.felled), head.p_W, m, state);
  } else if (m.stem != nth(trees_, tree).stem) {
    m = MovingTree{};
    state.hurt.add(nth(trees_, tree).stem);
    const double at = head.p_W.z() - foot_W(nth(trees_, tree).stem).z();
    set_up(tree, at - head_.saw_distance * head.axis_W.z(),
           angle_of(head.reach_W.y(), head.reach_W.x()), state);
  }
  m.gripped = 1;
  state.leaving = 0;
  state.press = state.roller = 0.0;
  timber::FellingState s = felling_state(m);
  felling(m).take_hold(grip_of(head, state), s);
  keep(s, m);
  // The wheel has lost its zero.
  if (m.attached == 0) {
    m.zero_at = saw_at(m);
    plan(state);
  }
}

// The place of the tree in the head is for this one, or for none.
void FellingSite::make_room(int stem, TimberState& state) const {
  if (state.falling.stem == stem)
    std::swap(state.moving, state.falling);
  else if (state.moving.stem >= 0 && state.moving.stem != stem && state.falling.stem < 0) {
    state.falling = state.moving;
    forget(state.moving);
  }
}

// A tree that lies, or hangs, moves again.
void FellingSite::take_up(int k, const Vec3& pin_W, MovingTree& m, TimberState& state) const {
  const FelledTree felled = state.felled[k];
  m = MovingTree{};
  m.stem = felled.stem;
  m.stump = felled.stump;
  m.from = felled.from;
  m.bare_to = felled.bare_to;
  m.hits = felled.hits;
  m.form = timber::rest_form(grown(m), m.from, m.bare_to, setup_of(m.stump, m.towards));
  m.grip_radius = radius_at(felled, grown(m), pin_W);
  for (std::int64_t i = 0; i < state.cut_count; ++i)
    if (state.cut[i].stem == m.stem) ++m.pieces;
  timber::FellingState s;
  s.n = vec(felled.n);
  s.p = vec(felled.butt) - foot_W(m.stem) + m.form.centre * s.n;
  s.v = s.omega = s.stump_anchor = Vec3::Zero();
  s.cut = 2.0 * m.form.radius;
  s.attached = s.on_stump = false;
  s.jumped = true;
  for (bool& off : s.off) off = true;
  keep(s, m);
  std::copy(state.felled + k + 1, state.felled + state.felled_count, state.felled + k);
  state.felled[--state.felled_count] = FelledTree{};
}

// A tree that is not cut stands as if nothing had been.
void FellingSite::let_go(TimberState& state) const {
  MovingTree& m = state.moving;
  m.gripped = 0;
  m.calm_s = 0.0;
  state.press = state.roller = state.wanted_m = 0.0;
  state.product = -1;
  m.kerf = m.stalled_s = 0.0;
  m.runs_up = m.rams = 0;
  if (m.cut > 0.0)
    state.leaving = m.stem + 1;
  else
    forget(m);
}

timber::FellingGrip FellingSite::grip_of(const HeadFrame& head, const TimberState& state) const {
  timber::FellingGrip grip;
  // The stem lies against the head's frame.
  const Vec3 arm = state.moving.grip_radius * head.reach_W;
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
  const timber::Felling uncut = felling(m);
  const timber::FellingGrip held = grip_of(head, state);
  const double energy = uncut.energy(before), given = uncut.grip_energy(held, before);
  const Vec3 butt = uncut.butt(before);
  const Vec3 saw =
      head.p_W + m.grip_radius * head.reach_W - head_.saw_distance * head.axis_W - foot_W(m.stem);
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
  const timber::FellingGrip grip = grip_of(head, state);
  after.take_hold(grip, s);
  // The ledgers go on: what was bent is straight now.
  s.pushed = before.pushed;
  s.lost = before.lost;
  s.released = before.released + energy - after.energy(s);
  s.grip_work = before.grip_work;
  s.grip_lost = before.grip_lost + given - after.grip_energy(grip, s);
  keep(s, m);
}

void FellingSite::step_other(double dt, const timber::FellingTouch* touch,
                             TimberState& state) const {
  MovingTree& m = state.falling;
  if (m.stem < 0) return;
  const timber::Felling tree = felling(m);
  timber::FellingState s = felling_state(m);
  tree.step(dt, 0.0, s, nullptr, nullptr, touch);
  keep(s, m);
  if (m.attached == 0 && tree.lies(s)) lay_down(m, state);
}

void FellingSite::step(const HeadDemand& demand, const HeadFrame& head, double dt,
                       TimberState& state, world::WorldState& world, HeadLoad& load,
                       const timber::FellingTouch* touch,
                       const timber::FellingTouch* other_touch) const {
  load.count = 0;
  step_other(dt, other_touch, state);
  const double way = dt / head_.bar_time_s;
  state.bar = std::clamp(state.bar + (demand.saw ? way : -way), 0.0, 1.0);
  MovingTree& m = state.moving;
  if (demand.length != 0 && demand.length != state.length_held) choose(demand.length, state);
  state.length_held = demand.length;
  if (m.stem < 0) return;
  const bool gripped = m.gripped != 0;
  const bool cuts = gripped && demand.saw && state.bar >= 1.0 && m.attached != 0;
  if (cuts && m.cut == 0.0) begin_cut(head, state);
  const timber::Felling tree = felling(m);
  timber::FellingState s = felling_state(m);
  if (gripped) {
    const bool rooted = m.attached != 0, at_rest = rooted || state.bar > 0.0;
    const double wanted = at_rest ? 0.0 : wanted_feed(demand, state);
    const bool through = demand.saw && state.bar >= 1.0 && saw_through(dt, state);
    // Knives that press otherwise do work on what gives.
    const double before = tree.grip_energy(grip_of(head, state), s);
    fit(dt, at_rest, state);
    timber::FellingGrip grip = grip_of(head, state);
    s.grip_work += tree.grip_energy(grip, s) - before;
    if (m.attached == 0) resist(state, grip);
    timber::FellingGripLoad on_stem;
    const double at = m.grip_at;
    tree.step(dt, cuts ? timber::cutting_rate(saw_, tree.cut_width(m.cut)) : 0.0, s, &grip,
              &on_stem, touch);
    if (m.attached == 0) {
      const double way = s.grip_at - at;
      (way > 0.0 ? m.fed_m : m.fed_back_m) += std::fabs(way);
      m.slipped_m += std::fabs(way - dt * grip.feed);
      const bool held_up = wanted > 0.0 && grip.branches > 0.0 && way < kStill * dt;
      m.stalled_s = held_up ? m.stalled_s + dt : 0.0;
      turn_rollers(wanted, -on_stem.rollers, dt, state);
      delimb(state, s);
      if (through)
        cut_off(state, s, world);
      else
        plan_anew(way, state);
    }
    if (demand.reset && state.reset_held == 0) m.zero_at = saw_at(m);
    if (rooted && !s.attached) {
      keep(s, m);
      plan(state);
    }
    const Vec3 middle = foot_W(m.stem) + grip.p;
    load.count = 3;
    load.p_W[0] = middle - grip.half * grip.axis;
    load.p_W[1] = middle + grip.half * grip.axis;
    load.p_W[2] = middle;
    for (int k = 0; k < 3; ++k) load.f_W[k] = -on_stem.force[k];
  } else {
    tree.step(dt, 0.0, s, nullptr, nullptr, touch);
  }
  state.reset_held = demand.reset ? 1 : 0;
  keep(s, m);
  // Nothing of it is left in the head.
  if (gripped && m.grip_at > m.form.length - kMostFree) let_go(state);
  if (!gripped && m.attached == 0 && tree.lies(s)) lay_down(m, state);
}

// Knives follow the stem's thickness, and press as hard as they can unless it is fed.
void FellingSite::fit(double dt, bool at_rest, TimberState& state) const {
  MovingTree& m = state.moving;
  double press = 1.0;
  if (m.attached == 0) {
    const timber::Profile& profile = grown(m).profile();
    const double d = timber::over_bark(profile, m.from + std::max(m.grip_at, 0.0));
    m.grip_radius += std::clamp(0.5 * d - m.grip_radius, -kFit * dt, kFit * dt);
    if (!at_rest) press = timber::roller_press(feed_, d) / feed_.most_press;
  }
  const double step = dt / kPressTime;
  state.press = std::clamp(press, state.press - step, state.press + step);
}

// First whorl before the knives at the tip's end.
const timber::Whorl* FellingSite::next_whorl(const MovingTree& m) const {
  const double bare = std::max(m.bare_to, knives_at(m) - feed_.branch_length);
  for (const timber::Whorl& whorl : grown(m).whorls())
    if (whorl.height >= bare) return &whorl;
  return nullptr;
}

void FellingSite::resist(const TimberState& state, timber::FellingGrip& grip) const {
  const MovingTree& m = state.moving;
  grip.feed = state.roller;
  grip.drag = feed_.knife_friction * feed_.knife_force * state.press;
  const timber::Whorl* whorl = next_whorl(m);
  if (whorl == nullptr) return;
  if (knives_at(m) - whorl->height >= m.whorl_cut)
    grip.branches = timber::branch_force(feed_, *whorl);
}

// held: by the stem, against their turning towards the tip [N].
void FellingSite::turn_rollers(double wanted, double held, double dt, TimberState& state) const {
  const double limit = timber::drive_force(feed_, state.roller);
  const double drive =
      std::clamp(feed_.inertia * (wanted - state.roller) / dt + held, -limit, limit);
  state.roller += dt * (drive - held) / feed_.inertia;
}

void FellingSite::delimb(TimberState& state, timber::FellingState& s) const {
  MovingTree& m = state.moving;
  const timber::Whorl* whorl = next_whorl(m);
  if (whorl == nullptr) return;
  const double into = m.from + s.grip_at + 0.5 * head_.knife_distance - whorl->height;
  m.whorl_cut = std::max(m.whorl_cut, std::min(into, feed_.branch_length));
  if (m.whorl_cut < feed_.branch_length) return;
  m.whorl_cut = 0.0;
  reform(m.from, whorl->height + 1e-6, m, s);
}

// A length that the operator asks for: of a product, or of highest value.
void FellingSite::choose(int length, TimberState& state) const {
  if (length > kPresets) return plan(state);
  int preset = 0;
  for (std::size_t p = 0; p < prices_.products.size(); ++p)
    for (const double own : prices_.products[p].lengths)
      if (++preset == length) {
        state.product = static_cast<std::int32_t>(p);
        state.wanted_m = own + prices_.products[p].trim + head_.length_allowance;
      }
}

// By what has been measured so far, up to the knives, and what the species lets expect beyond.
void FellingSite::plan(TimberState& state) const {
  const MovingTree& m = state.moving;
  state.product = -1;
  state.wanted_m = 0.0;
  if (m.stem < 0 || prices_.products.empty()) return;
  const StandingTree& from = nth(trees_, tree_of(m.stem));
  const timber::Profile seen =
      timber::forecast(from.species, from.tree.profile(), m.from, knives_at(m));
  const timber::Bucking plan = timber::buck(prices_, seen, from.tree.recipe(), m.from);
  if (plan.count == 0) return;
  const timber::PlannedLog& next = plan.log[0];
  const double offcut = next.from - m.from;
  state.product = offcut > kOffcut ? -1 : next.product;
  state.wanted_m = offcut > kOffcut ? offcut : next.length + next.trim + head_.length_allowance;
}

// While it is fed to the length of highest value, what has been measured meanwhile may tell of a better one.
void FellingSite::plan_anew(double way, TimberState& state) const {
  if (state.length_held <= kPresets || head_.plan_step <= 0.0 || !(way > 0.0)) return;
  const double steps = knives_at(state.moving) / head_.plan_step;
  if (std::floor(steps) == std::floor(steps + way / head_.plan_step)) return;
  const double wanted = state.wanted_m;
  const std::int32_t product = state.product;
  plan(state);
  // Not to one that it has passed, or could not stop at any more.
  const double stop = 0.5 * state.roller * state.roller / feed_.braking;
  if (state.wanted_m >= reading(state).length + stop) return;
  state.wanted_m = wanted;
  state.product = product;
}

double FellingSite::wanted_feed(const HeadDemand& demand, TimberState& state) const {
  MovingTree& m = state.moving;
  if (demand.length == 0 || state.wanted_m <= 0.0) {
    m.runs_up = m.rams = 0;
    return std::clamp(demand.feed, -1.0, 1.0) * feed_.speed;
  }
  timber::FeedState f;
  f.at = reading(state).length;
  f.stalled_s = m.stalled_s;
  f.runs_up = m.runs_up != 0;
  f.rams = m.rams != 0;
  f.back_to = m.back_to;
  f.clear_at = m.clear_at;
  if (const timber::Whorl* whorl = next_whorl(m))
    if (const double into = knives_at(m) - whorl->height; into >= 0.0)
      f.clear_at = f.at - into + feed_.branch_length;
  const double speed = timber::wanted_speed(feed_, state.wanted_m, f);
  m.stalled_s = f.stalled_s;
  m.runs_up = f.runs_up ? 1 : 0;
  m.rams = f.rams ? 1 : 0;
  m.back_to = f.back_to;
  m.clear_at = f.clear_at;
  return std::clamp(speed, -feed_.speed, feed_.speed);
}

bool FellingSite::has_room(const TimberState& state) const {
  return state.cut_count < std::min(kMaxCutLogs, world_.log_count() - world_.first_spare());
}

// A cut across a stem that is off its stump. What has no room as a log, or is too long for one, is not cut off.
bool FellingSite::saw_through(double dt, TimberState& state) const {
  MovingTree& m = state.moving;
  const double at = saw_at(m);
  if (m.attached != 0 || at < kLeastPiece ||
      at > std::min(m.form.length - kLeastPiece, kLongestLog))
    return false;
  if (!has_room(state)) return false;
  if (std::fabs(at - m.kerf_at) > kKerf) m.kerf = 0.0;
  if (m.kerf == 0.0) m.kerf_at = at;
  const double d = timber::over_bark(grown(m).profile(), m.from + at);
  const double width = 2.0 * std::sqrt(std::max(m.kerf * (d - m.kerf), 1e-6));
  m.kerf += timber::cutting_rate(saw_, width) / width * dt;
  return m.kerf >= d;
}

// The lower end becomes a log that moves as it did; what is left is a shorter stem.
void FellingSite::cut_off(TimberState& state, timber::FellingState& s,
                          world::WorldState& world) const {
  MovingTree& m = state.moving;
  const timber::Tree& tree = grown(m);
  const timber::Felling whole = felling(m);
  const double at = m.kerf_at;
  const timber::Round piece = timber::section(tree.profile(), tree.density(), m.from, m.from + at);
  const world::LogSize size{at, std::sqrt(piece.volume / (kPi * at)), piece.mass / piece.volume};
  if (world::can_be_log(size, world_.recipe().contact.stiffness)) {
    const HeadReading measured = reading(state);
    world::LogState& log = world.log[world_.first_spare() + state.cut_count];
    const Vec3 centre = whole.butt(s) + (piece.centre - m.from) * s.n;
    store(Vec3(foot_W(m.stem) + centre), log.p);
    store(Vec3(s.v + s.omega.cross(centre - s.p)), log.v);
    store(s.omega, log.omega);
    turn_x_to(s.n, log.q);
    log.status = world::LogStatus::kFree;
    CutLog& cut = state.cut[state.cut_count++];
    cut.size = size;
    cut.from = m.from;
    const bool as_wanted = std::fabs(measured.length - state.wanted_m) < kAsWanted;
    const double allowance = state.product >= 0 ? head_.length_allowance : 0.0;
    cut.wanted_m = as_wanted ? state.wanted_m - allowance : 0.0;
    cut.measured_m = measured.length;
    // The knives were there before.
    cut.measured_top_m = timber::measured_diameter(
        measure_, timber::over_bark(tree.profile(), m.from + at), number_of(tree, m));
    cut.stem = m.stem;
    cut.product = as_wanted ? state.product : -1;
  }
  reform(m.from + at, std::max(m.bare_to, m.from + at), m, s);
  for (bool& off : s.off) off = true;
  s.attached = s.on_stump = false;
  s.jumped = true;
  s.cut = 2.0 * m.form.radius;
  m.kerf = m.zero_at = 0.0;
  ++m.pieces;
  keep(s, m);
  plan(state);
}

// A piece that comes off goes on as it moved: the rest keeps its velocity.
void FellingSite::reform(double from, double bare_to, MovingTree& m,
                         timber::FellingState& s) const {
  const timber::Felling before = felling(m);
  const double energy = before.energy(s), off = from - m.from;
  const Vec3 butt = before.butt(s) + off * s.n;
  m.form = timber::rest_form(grown(m), from, bare_to, setup_of(m.stump, m.towards));
  m.from = from;
  m.bare_to = bare_to;
  const Vec3 centre = butt + m.form.centre * s.n;
  s.v += s.omega.cross(centre - s.p);
  s.p = centre;
  s.grip_at -= off;
  s.released += energy - felling(m).energy(s);
}

world::LogSize FellingSite::size_of(int log, const TimberState& state) const {
  const int cut = log - world_.first_spare();
  return cut >= 0 && cut < state.cut_count ? state.cut[cut].size
                                           : world::size_of(nth(world_.recipe().logs, log));
}

HeadReading FellingSite::reading(const TimberState& state) const {
  const MovingTree& m = state.moving;
  if (m.stem < 0 || m.gripped == 0 || m.attached != 0) return {};
  const timber::Tree& tree = grown(m);
  const std::uint64_t number = number_of(tree, m);
  return {
      timber::measured_length(measure_, saw_at(m) - m.zero_at, number),
      timber::measured_diameter(
          measure_, timber::over_bark(tree.profile(), std::clamp(knives_at(m), 0.0, tree.height())),
          number)};
}

// Whether it gives way to what presses on it.
bool FellingSite::is_pushed(const FelledTree& felled, const Vec3& force) const {
  const double most = std::max(force.head<2>().norm(), force.z());
  if (most < kLeastPush) return false;
  const double mass =
      nth(trees_, tree_of(felled.stem)).tree.above(felled.from, felled.bare_to).mass;
  return most > kPushed * mass * kGravity;
}

void FellingSite::feel(std::span<const world::MachinePart> parts, const world::PartForces& forces,
                       TimberState& state) const {
  const auto strike = [](int stems, MovingTree& m) {
    if (m.attached == 0 && m.n[2] < sin_cos(kStruckLean).cos) m.hits += stems;
  };
  strike(forces.stems_struck[0], state.moving);
  strike(forces.stems_struck[1], state.falling);
  for (int i = 0; i < forces.struck_count; ++i)
    if (forces.struck[i] < timber::kMostStems) state.hurt.add(forces.struck[i]);
  // A tree that lies is not moved by what falls on it: so it is the machine that pushes, or what it holds.
  if (state.felled_count == 0 || state.falling.stem >= 0 ||
      (state.moving.stem >= 0 && state.moving.gripped == 0))
    return;
  Vec3 force[kMaxFelled];
  bool any = false;
  std::fill(force, force + state.felled_count, Vec3(Vec3::Zero()));
  for (int n = 0; n < forces.count; ++n) {
    const int id = nth(parts, forces.force[n].part).id - kFirstLyingId;
    if (id < 0 || id >= kTreeParts * state.felled_count) continue;
    force[id / kTreeParts] += forces.force[n].f_W;
    any = true;
  }
  for (int k = 0; any && k < static_cast<int>(state.felled_count); ++k)
    if (is_pushed(state.felled[k], force[k]))
      return take_up(k, vec(state.felled[k].butt), state.falling, state);
}

double FellingSite::inverse_mass(const MovingTree& m, const Vec3& arm_W, const Vec3& n_W) {
  const Vec3 moment = arm_W.cross(n_W);
  const double axial = moment.dot(vec(m.n));
  return 1.0 / m.form.mass + (moment.squaredNorm() - axial * axial) / m.form.inertia;
}

namespace {

using world::Box;

// A row of capsules along a stem, as thick as it is in their middles.
struct Row {
  Vec3 butt = Vec3::Zero(), n = Vec3::UnitZ();
  double from = 0.0, length = 0.0;  // height of its lower end on the tree, to the tip [m]
  const timber::Profile* profile = nullptr;

  world::Capsule whole() const {
    return {butt, butt + kStem * length * n, 0.5 * timber::over_bark(*profile, from)};
  }
  world::Capsule part(int i) const {
    const double step = kStem * length / kTreeParts;
    const double radius = 0.5 * timber::over_bark(*profile, from + (i + 0.5) * step);
    // Its round end does not stand out from the butt.
    const double low = i == 0 ? std::min(radius, 0.5 * step) : i * step;
    return {butt + low * n, butt + (i + 1) * step * n, radius};
  }
};

Row row_of(const FelledTree& felled, const timber::Tree& tree) {
  return {vec(felled.butt), vec(felled.n), felled.from, tree.height() - felled.from,
          &tree.profile()};
}
Row row_of(const MovingTree& m, const Vec3& butt_W, const timber::Tree& tree) {
  return {butt_W, vec(m.n), m.from, m.form.length, &tree.profile()};
}

bool holds(const world::MachinePart& part) {
  return part.role == world::PartRole::kHead || part.role == world::PartRole::kJaw;
}

}  // namespace

void FellingSite::look_at_leaving(const world::GrappleFrame& frame, TimberState& state) const {
  if (state.leaving == 0) return;
  const int stem = static_cast<int>(state.leaving) - 1;
  const FelledTree* felled = lying(stem, state);
  const MovingTree& m = state.falling.stem == stem ? state.falling : state.moving;
  if (felled == nullptr && m.stem != stem) {
    state.leaving = 0;
    return;
  }
  const timber::Tree& tree = nth(trees_, tree_of(stem)).tree;
  const world::Capsule shape =
      (felled != nullptr ? row_of(*felled, tree) : row_of(m, butt_W(m), tree)).whole();
  const double away =
      (frame.pin_W - world::closest_on_segment(shape.a, shape.b, frame.pin_W)).norm();
  if (away > frame.jaw_length + shape.radius) state.leaving = 0;
}

namespace {
// A tree that moves, as capsules, and those of them that are near to something.
struct MovingRow {
  const MovingTree* tree = nullptr;
  int first_id = 0;
  world::Capsule shape[kTreeParts];
  Box whole = world::no_box(), segment[kTreeParts];
  bool near[kTreeParts] = {};

  void mark(const Box& other) {
    if (!overlap(other, whole)) return;
    for (int i = 0; i < kTreeParts; ++i) near[i] = near[i] || overlap(other, segment[i]);
  }
};
}  // namespace

int FellingSite::parts(std::span<const world::MachinePart> machine, double dt,
                       const TimberState& state, const world::WorldState& world,
                       std::span<world::MachinePart> out) const {
  MovingRow rows[kMaxMovingTrees];
  int moving = 0;
  for (const MovingTree* m : {&state.moving, &state.falling}) {
    if (m->stem < 0 || !(m->cut > 0.0)) continue;
    MovingRow& row = rows[moving++];
    row.tree = m;
    row.first_id = m == &state.moving ? kFirstTreeId : kFirstFallingId;
    const Row capsules = row_of(*m, butt_W(*m), grown(*m));
    const double fast = vec(m->v).norm() + m->form.length * vec(m->omega).norm();
    for (int i = 0; i < kTreeParts; ++i) {
      row.shape[i] = capsules.part(i);
      row.segment[i] = box_of(row.shape[i], kNear + dt * fast);
      include(row.segment[i], row.whole);
    }
  }
  if (moving == 0 && state.felled_count == 0) return 0;
  int count = 0;
  const auto has_room = [&](int kept) { return count + kept < static_cast<int>(out.size()); };
  const auto add = [&](const world::Capsule& shape, world::PartRole role, int id) {
    world::MachinePart& part = out[static_cast<std::size_t>(count++)];
    part.shape = shape;
    part.rides = false;
    part.role = role;
    part.id = id;
    part.p_W = shape.a;
    part.v_W = part.omega_W = Vec3::Zero();
    return &part;
  };
  // The crane, and whatever else of it may touch what lies.
  Box crane = world::no_box();
  for (const world::MachinePart& part : machine) {
    const Box around = box_of(part.shape, kNear);
    if (!is_of_carrier(part.role)) include(around, crane);
    for (int n = 0; n < moving; ++n)
      if (!(holds(part) && rows[n].tree->gripped != 0)) rows[n].mark(around);
  }
  for (int n = 0; n < moving; ++n)
    world::each_fixed_near(world_, rows[n].whole, [&](int k) {
      const world::World::Fixed& fixed = nth(world_.fixed(), k);
      if (k != rows[n].tree->stem) rows[n].mark({fixed.low, fixed.high});
    });
  Box logs = world::no_box();
  for (int i = 0; i < world_.log_count(); ++i) {
    const world::LogState& log = world.log[i];
    if (log.status == world::LogStatus::kAbsent || log.status == world::LogStatus::kHeld) continue;
    const Box around = box_of(world::log_shape(size_of(i, state), log), kNear);
    if (log.status == world::LogStatus::kFree) include(around, logs);
    for (int n = 0; n < moving; ++n) rows[n].mark(around);
  }
  if (moving == kMaxMovingTrees && overlap(rows[0].whole, rows[1].whole))
    for (int i = 0; i < kTreeParts; ++i) {
      rows[0].mark(rows[1].segment[i]);
      rows[1].mark(rows[0].segment[i]);
    }
  for (int k = 0; k < static_cast<int>(state.felled_count); ++k) {
    const Row felled = row_of(state.felled[k], nth(trees_, tree_of(state.felled[k].stem)).tree);
    const Box whole = box_of(felled.whole(), 0.0);
    bool by_tree = false;
    for (int n = 0; n < moving; ++n) by_tree = by_tree || overlap(whole, rows[n].whole);
    if (!by_tree && !overlap(whole, crane) && !overlap(whole, logs)) continue;
    for (int i = 0; i < kTreeParts; ++i) {
      const world::Capsule lies = felled.part(i);
      const Box part = box_of(lies, 0.0);
      bool meets = overlap(part, crane) || overlap(part, logs);
      for (int n = 0; by_tree && n < moving; ++n)
        for (int j = 0; j < kTreeParts; ++j) {
          if (!overlap(part, rows[n].segment[j])) continue;
          meets = rows[n].near[j] = true;
        }
      // Room is kept for the trees that move.
      if (meets && has_room(moving * kTreeParts))
        add(lies, world::PartRole::kLyingTree, kFirstLyingId + k * kTreeParts + i);
    }
  }
  for (int n = 0; n < moving; ++n) {
    const MovingTree& m = *rows[n].tree;
    const world::PartRole role =
        m.gripped != 0 ? world::PartRole::kTreeInHead : world::PartRole::kTree;
    for (int i = 0; i < kTreeParts; ++i) {
      if (!rows[n].near[i] || !has_room(0)) continue;
      world::MachinePart* part = add(rows[n].shape[i], role, rows[n].first_id + i);
      part->p_W = centre_W(m);
      part->v_W = vec(m.v);
      part->omega_W = vec(m.omega);
    }
  }
  return count;
}

void FellingSite::lay_down(MovingTree& m, TimberState& state) const {
  if (state.felled_count < kMaxFelled) {
    FelledTree& felled = state.felled[state.felled_count++];
    store(butt_W(m), felled.butt);
    put(m.n, felled.n);
    felled.stump = m.stump;
    felled.from = m.from;
    felled.bare_to = m.bare_to;
    felled.stem = m.stem;
    felled.hits = m.hits;
  }
  forget(m);
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

void FellingSite::changes(const TimberState& state, int between, world::StemChanges& out) const {
  out.count = 0;
  out.moving = state.moving.stem;
  out.falling = state.falling.stem;
  out.falling_parts = {kFirstFallingId, kTreeParts};
  const auto parts_of = [&](int stem) -> world::StemChanges::Ids {
    const FelledTree* felled = lying(stem, state);
    if (felled == nullptr)
      return {stem == state.falling.stem ? kFirstFallingId : kFirstTreeId, kTreeParts};
    return {kFirstLyingId + kTreeParts * static_cast<int>(felled - state.felled), kTreeParts};
  };
  if (between >= 0) {
    out.between = stem_of(between);
    out.between_parts = parts_of(out.between);
  }
  if (state.leaving > 0) out.leaving_parts = parts_of(static_cast<int>(state.leaving) - 1);
  const auto cut = [&out](int stem, double height) { out.cut[out.count++] = {stem, height}; };
  for (const MovingTree* m : {&state.moving, &state.falling})
    if (m->stem >= 0 && (m->cut > 0.0 || m->gripped != 0)) cut(m->stem, m->stump);
  for (std::int64_t k = 0; k < state.felled_count; ++k)
    cut(state.felled[k].stem, state.felled[k].stump);
  out.cut_off_count = 0;
  for (std::int64_t k = 0; k < state.cut_count; ++k)
    out.cut_off[out.cut_off_count++] = state.cut[k].size;
}

namespace {
bool alike(double a, double b) { return std::fabs(a - b) <= 1e-6 * std::fabs(b) + 1e-12; }
// Null: the stem is no tree.
const timber::Tree* tree_of_stem(const FellingSite& site, int stem) {
  const auto found = std::ranges::find(site.trees(), stem, &StandingTree::stem);
  return found == site.trees().end() ? nullptr : &found->tree;
}

std::string check_moving(const FellingSite& site, const MovingTree& m, const std::string& name) {
  if (m.stem >= 0 && tree_of_stem(site, m.stem) == nullptr)
    return state::objection(name + "stem", m.stem, "there is no such tree");
  if (m.stem < 0 && (m.gripped != 0 || m.form.mass != 0.0))
    return state::objection(name + "gripped", m.gripped, "but no tree moves");
  if (m.stem >= 0) {
    if (!(std::fabs(vec(m.n).squaredNorm() - 1.0) <= 1e-6))
      return state::objection(name + "n", vec(m.n).norm(), "as a direction it must have length 1");
    if (!(m.form.mass > 0.0 && m.form.inertia > 0.0 && m.form.length > 0.0 && m.form.radius > 0.0 &&
          m.form.root > 0.0 && m.form.modulus > 0.0))
      return state::objection(name + "form.mass", m.form.mass,
                              "a tree has mass, length and stiffness");
    const timber::Tree& tree = *tree_of_stem(site, m.stem);
    if (!(m.from <= tree.height() - kLeastPiece && m.stump <= tree.height()))
      return state::objection(name + "from", m.from, "nothing of the tree is left there");
    if (!(m.bare_to <= tree.height() && m.whorl_cut <= site.feed_law().branch_length))
      return state::objection(name + "bare_to", m.bare_to, "the tree is not so long");
    if (!(m.grip_radius > 0.0 && m.grip_radius < 1.0))
      return state::objection(name + "grip_radius", m.grip_radius, "no stem is as thick");
    if (!(m.cut <= 2.0 * m.form.radius))
      return state::objection(name + "cut", m.cut, "the cut is deeper than the stem is thick");
    // All of the form follows from the tree and from where it is cut and bare.
    const timber::FellingForm form =
        timber::rest_form(tree, m.from, m.bare_to, setup_of(m.stump, m.towards));
    using Form = timber::FellingForm;
    bool same = std::ranges::equal(m.form.point_radius, form.point_radius, alike);
    for (double Form::*field :
         {&Form::mass, &Form::centre, &Form::inertia, &Form::length, &Form::radius, &Form::strength,
          &Form::modulus, &Form::root, &Form::soil, &Form::drag, &Form::drag_at})
      same = same && alike(m.form.*field, form.*field);
    if (!same)
      return state::objection(name + "form", m.form.mass, "the tree has another form there");
  }
  return {};
}
}  // namespace

std::string check_state(const FellingSite& site, const world::World& world,
                        const world::WorldState& world_state, const TimberState& state) {
  const int spare = world.first_spare();
  if (state.cut_count > world.log_count() - spare)
    return state::objection("cut_count", static_cast<double>(state.cut_count),
                            "there are fewer places for logs that are cut off");
  for (std::int64_t k = 0; k < kMaxCutLogs; ++k) {
    const CutLog& cut = state.cut[k];
    const std::string name = "cut[" + std::to_string(k) + "].";
    if (k >= state.cut_count) {
      if (cut.size.length != 0.0 || cut.stem != 0)
        return state::objection(name + "length", cut.size.length,
                                "logs that are cut off end before that place");
      if (spare + k < world.log_count() &&
          world_state.log[spare + k].status != world::LogStatus::kAbsent)
        return state::objection(name + "length", cut.size.length, "but the log is there");
      continue;
    }
    if (!world::can_be_log(cut.size, world.recipe().contact.stiffness))
      return state::objection(name + "length", cut.size.length, "no log has that size");
    if (world_state.log[spare + k].status == world::LogStatus::kAbsent)
      return state::objection(name + "length", cut.size.length, "but the log is not there");
    if (cut.product >= static_cast<int>(site.prices().products.size()))
      return state::objection(name + "product", cut.product, "there is no such product");
  }
  for (int i = 0; i < spare; ++i)
    if (world_state.log[i].status == world::LogStatus::kAbsent)
      return state::objection("world.log", i, "the log is there from the start");
  if (state.product >= static_cast<int>(site.prices().products.size()))
    return state::objection("product", state.product, "there is no such product");
  const auto tree_of = [&site](int stem) { return tree_of_stem(site, stem); };
  if (state.leaving != 0 && tree_of(static_cast<int>(state.leaving) - 1) == nullptr)
    return state::objection("leaving", static_cast<double>(state.leaving), "there is no such tree");
  if (std::string why = check_moving(site, state.moving, "moving."); !why.empty()) return why;
  if (std::string why = check_moving(site, state.falling, "falling."); !why.empty()) return why;
  if (state.falling.stem >= 0 &&
      (state.falling.stem == state.moving.stem || state.falling.gripped != 0))
    return state::objection("falling.stem", state.falling.stem,
                            "a tree moves once, and only the first one may be in the head");
  for (std::int64_t k = 0; k < kMaxFelled; ++k) {
    const FelledTree& felled = state.felled[k];
    const std::string name = "felled[" + std::to_string(k) + "].";
    if (k >= state.felled_count) {
      if (felled.stem != 0 || felled.stump != 0.0)
        return state::objection(name + "stem", felled.stem, "felled trees end before that place");
      continue;
    }
    const timber::Tree* tree = tree_of(felled.stem);
    if (tree == nullptr || felled.stem == state.moving.stem || felled.stem == state.falling.stem)
      return state::objection(name + "stem", felled.stem, "there is no such tree, or it moves");
    for (std::int64_t other = 0; other < k; ++other)
      if (state.felled[other].stem == felled.stem)
        return state::objection(name + "stem", felled.stem, "a tree lies in one place only");
    const double height = tree->height();
    if (!(felled.from <= height - kLeastPiece && felled.bare_to <= height &&
          felled.stump <= height))
      return state::objection(name + "from", felled.from, "nothing of the tree is left there");
    if (!(std::fabs(vec(felled.n).squaredNorm() - 1.0) <= 1e-6))
      return state::objection(name + "n", vec(felled.n).norm(),
                              "as a direction it must have length 1");
  }
  return {};
}

}  // namespace knuckleboom::worksite
