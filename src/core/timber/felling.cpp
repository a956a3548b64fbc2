#include "knuckleboom/core/timber/felling.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "knuckleboom/core/math/angle.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/limited.hpp"

namespace knuckleboom::timber {
namespace {

constexpr double kGravity = 9.81;
constexpr double kSubstep = 1.25e-4;  // s
// Stiffness and damping of what holds the butt, over the tree's mass: it gives by less than 0.1 mm.
constexpr double kStrip = 1e5, kStripDamping = 60.0;  // uncut wood [1/s^2, 1/s]
constexpr double kRim = 2e5, kRimDamping = 150.0;     // stump under one point of the rim
// A head's grip: knives and bark across the stem, spikes in it along.
constexpr double kKnives = 4e5, kRollers = 4e5;  // N/m
constexpr double kGripDamping = 5e3;             // N s/m
constexpr double kBendDamping = 0.02;            // s; over the stiffness
constexpr double kRub = 4e3;           // damping of friction that is not full, over the mass [1/s]
constexpr double kFirm = 200.0;        // mass from which on the ground is as stiff as given [kg]
constexpr double kSoilDamping = 0.05;  // s; over the stiffness
constexpr int kBack = 4;               // point of the rim where the saw comes in
constexpr double kRimReach = 0.03;     // deeper it is beside the stump [m]
constexpr double kSlow = 0.02;         // friction is full beyond this speed [m/s]
constexpr double kAir = 1.2;           // kg/m^3
constexpr double kCalm = 0.05, kCalmTime = 0.4;  // m/s, s
constexpr double kLow = 0.3, kHangs = 0.98;      // rise of its axis, as it lies or hangs
constexpr double kMostStep = 1e-2;               // s

// The wood that is left of a round section of radius R after a plane cut: a segment of height h.
struct Segment {
  double area, centre, weak, strong;  // m^2, from the middle [m], second moments [m^4]
};
Segment segment(double R, double h) {
  const double cosine = std::clamp((R - h) / R, -1.0, 1.0);
  const double sine = std::sqrt(1.0 - cosine * cosine);
  const double angle = angle_of(sine, cosine);
  const double base = angle - sine * cosine, cube = 2.0 * sine * sine * sine;
  Segment s{};
  s.area = R * R * base;
  if (s.area <= 0.0) return s;
  s.centre = R * R * R * cube / (3.0 * s.area);
  s.weak = 0.25 * R * R * R * R * (base + cube * cosine) - s.area * s.centre * s.centre;
  s.strong = R * R * R * R / 12.0 * (3.0 * base - cube * cosine);
  return s;
}

double distance(double x, double y) { return std::sqrt(x * x + y * y); }

double spring_energy(double k, double x) { return 0.5 * k * x * x; }

struct Angles {
  double weak, strong;  // towards, and across to the left of it [rad]
};
Angles angles(const Vec3& n, const Vec3& f, const Vec3& c) {
  const double aside = n.dot(c);
  return {angle_of(n.dot(f), n.z()),
          angle_of(aside, std::sqrt(std::max(1.0 - aside * aside, 0.0)))};
}

// Friction against a slip: full beyond kSlow, in proportion below. A blow presses many times as hard as the weight; what damps
// more firmly than `firmest` [N s/m] then would swing about rest from substep to substep, at the cost of the energy's balance.
Vec3 friction(const Vec3& slip, double most, double firmest) {
  return -std::min(most / std::max(slip.norm(), kSlow), firmest) * slip;
}

}  // namespace

struct Felling::Rates {
  Vec3 force, torque;
  double pushed, lost;
  double grip_work, grip_lost;
  Vec3 grip[3];
  double rollers;
};

// One moment of a grip.
struct Felling::Hold {
  Vec3 at[3], v_head[3];  // of knives and rollers on the head
  Vec3 off[2];            // of the head's knives from the stem's axis
  double stretch;         // by which the head is ahead of where the rollers hold [m]
};

// A point of the stem over the ground.
struct Felling::OnGround {
  Vec3 axis, up;  // from the centre of mass; of the ground
  double depth;   // of the lowest point of the round
  double lever;   // by which that is ahead of the axis' point along the stem [m]
};

FellingForm felling_form(const Tree& tree, const FellingSetup& setup) {
  if (!(setup.stump >= 0.0 && setup.stump <= 0.5 * tree.height()))
    throw std::invalid_argument("The cut must be in the lower half of the tree.");
  return rest_form(tree, setup.stump, 0.0, setup);
}

FellingForm rest_form(const Tree& tree, double from, double bare_to, const FellingSetup& setup) {
  FellingForm form{};
  const Round body = tree.above(from, bare_to);
  form.mass = body.mass;
  form.centre = body.centre - from;
  form.inertia = body.transverse;
  form.length = tree.height() - from;
  form.radius = 0.5 * over_bark(tree.profile(), from);
  form.strength = tree.strength();
  form.modulus = tree.modulus();
  form.lean = tree.recipe().lean;
  form.lean_towards = tree.recipe().lean_towards;
  // Under a sapling as soft as its weight, or the steps would be too long for it.
  form.soil = setup.soil_stiffness * std::min(1.0, form.mass / kFirm);
  const double thick = 2.0 * form.radius / 0.2;
  form.root = setup.root_stiffness * thick * thick * thick;
  const std::vector<Whorl>& whorls = tree.whorls();
  for (std::size_t i = 0; i < whorls.size(); ++i) {
    if (whorls[i].height < std::max(from, bare_to)) continue;
    const double above = i + 1 < whorls.size() ? whorls[i + 1].height : tree.height();
    const double outline = 2.0 * whorls[i].length * (above - whorls[i].height);
    form.drag += outline;
    form.drag_at += outline * (whorls[i].height - from);
  }
  form.drag_at = form.drag > 0.0 ? form.drag_at / form.drag : 0.0;
  form.drag *= 0.5 * kAir * setup.crown_drag;
  for (int i = 0; i < kStemPoints; ++i)
    form.point_radius[i] =
        0.5 * over_bark(tree.profile(), from + std::min(stem_point(form, i), 0.999 * form.length));
  return form;
}

Felling::Felling(const Tree& tree, const FellingSetup& setup)
    : Felling(felling_form(tree, setup), setup) {
  if (!(setup.hinge >= 0.0 && setup.hinge <= 2.0 * form_.radius))
    throw std::invalid_argument("The hinge that is left must not be thicker than the stem.");
}

Felling::Felling(const FellingForm& form, const FellingSetup& setup) : setup_(setup), form_(form) {
  const SinCos towards = sin_cos(setup.towards);
  f_ = Vec3(towards.cos, towards.sin, 0.0);
  c_ = Vec3(-towards.sin, towards.cos, 0.0);
}

double Felling::strip_width(double cut) const {
  const double h = 2.0 * form_.radius - cut;
  return h >= form_.radius ? 2.0 * form_.radius
                           : 2.0 * std::sqrt(std::max(h * (2.0 * form_.radius - h), 0.0));
}

// A chord of the round section.
double Felling::cut_width(double cut) const {
  return 2.0 * std::sqrt(std::max(cut * (2.0 * form_.radius - cut), 1e-6));
}

double Felling::weak_moment(double cut) const {
  const double h = std::max(2.0 * form_.radius - cut, 0.0);
  return form_.strength * strip_width(cut) * h * h / 6.0;
}

double Felling::strong_moment(double cut) const {
  const double h = std::max(2.0 * form_.radius - cut, 0.0), b = strip_width(cut);
  return form_.strength * h * b * b / 6.0;
}

Felling::Stiffness Felling::stiffness(double cut) const {
  const Segment s = segment(form_.radius, std::max(2.0 * form_.radius - cut, 0.0));
  // Root and strip bend one after the other.
  const auto with_root = [&](double second) {
    const double strip = form_.modulus * second / setup_.hinge_length;
    return strip * form_.root / (strip + form_.root);
  };
  return {with_root(s.weak), with_root(s.strong)};
}

double Felling::strip_offset(double cut) const {
  return segment(form_.radius, std::max(2.0 * form_.radius - cut, 0.0)).centre;
}

Vec3 Felling::butt(const FellingState& s) const { return s.p - form_.centre * s.n; }
Vec3 Felling::tip(const FellingState& s) const { return s.p + (form_.length - form_.centre) * s.n; }

Vec3 Felling::anchor(const FellingState& s) const {
  const Vec3 across = f_ - f_.dot(s.n) * s.n;
  return butt(s) + strip_offset(s.cut) / std::max(across.norm(), 1e-9) * across;
}

FellingState Felling::initial_state() const {
  FellingState s;
  const SinCos lean = sin_cos(form_.lean), to = sin_cos(form_.lean_towards);
  s.n = Vec3(lean.sin * to.cos, lean.sin * to.sin, lean.cos);
  s.p = Vec3(0.0, 0.0, setup_.stump + setup_.play) + form_.centre * s.n;
  s.v = s.omega = Vec3::Zero();
  // The cut is across the stem: the play is the same all around.
  for (int i = 0; i < kRimPoints; ++i) {
    Vec3 arm;
    rim_depth(s, i, arm);
    s.torn[i] = setup_.stump + setup_.play - (s.p + arm).z();
  }
  s.stump_anchor = anchor(s);
  // It has grown to stand like this under its weight.
  s.stump_anchor.z() += kGravity / kStrip;
  const Stiffness k = stiffness(0.0);
  const Angles a = angles(s.n, f_, c_);
  const double torque = form_.mass * kGravity * form_.centre;
  // Its weight's moment about both axes of the strip.
  s.rest_weak =
      a.weak - torque * std::sqrt(1.0 - s.n.dot(c_) * s.n.dot(c_)) * sin_cos(a.weak).sin / k.weak;
  s.rest_strong = a.strong - torque * sin_cos(a.strong).sin * sin_cos(a.weak).cos / k.strong;
  return s;
}

double Felling::lean(const FellingState& s) const {
  return angle_of(distance(s.n.x(), s.n.y()), s.n.z());
}
double Felling::direction(const FellingState& s) const { return angle_of(s.n.y(), s.n.x()); }
bool Felling::lies(const FellingState& s) const { return s.calm_s >= kCalmTime; }

// How deep a point of the butt's rim is in the stump: 0 where it does not touch it, is not cut yet, or has been
// beside it.
double Felling::rim_depth(const FellingState& s, int point, Vec3& arm) const {
  constexpr double kHalf = 0.70710678118654752;
  constexpr double kAround[kRimPoints][2] = {{1, 0},  {kHalf, kHalf},   {0, 1},  {-kHalf, kHalf},
                                             {-1, 0}, {-kHalf, -kHalf}, {0, -1}, {kHalf, -kHalf}};
  const auto& [along, aside] = kAround[point];
  const Vec3 across = f_ - f_.dot(s.n) * s.n;
  const Vec3 g = across / std::max(across.norm(), 1e-9);
  arm = -form_.centre * s.n + form_.radius * (along * g + aside * s.n.cross(g));
  if (s.off[point] || (s.attached && along * form_.radius > s.cut - form_.radius)) return 0.0;
  return std::max(setup_.stump - s.torn[point] - (s.p + arm).z(), 0.0);
}

// Its place on the round moves, its speed is that of the axis.
Felling::OnGround Felling::on_ground(const FellingState& s, int i) const {
  const FellingGround& ground = setup_.ground;
  OnGround out{(stem_point(form_, i) - form_.centre) * s.n, Vec3::UnitZ(), 0.0, 0.0};
  const Vec3 p = s.p + out.axis;
  double over = p.z();
  if (ground.uneven) {
    out.up = vec(ground.up[i]);
    over = (p - vec(ground.at[i])).dot(out.up);
  }
  if (over >= form_.point_radius[i]) return out;
  const double rise = s.n.dot(out.up);
  const double flat = std::sqrt(std::max(1.0 - rise * rise, 0.0));
  out.depth = form_.point_radius[i] * flat - over;
  out.lever = form_.point_radius[i] * rise / std::max(flat, 1e-6);
  return out;
}

// Where the head is a time t after the beginning of the step, and how far the stem is off it.
Felling::Hold Felling::hold(const FellingGrip& grip, double t, const FellingState& s) const {
  Hold h;
  const Vec3 p = grip.p + t * grip.v;
  const Vec3 axis = grip.axis + t * grip.omega.cross(grip.axis);
  for (const int k : {0, 1}) {
    const Vec3 arm = (k == 0 ? -grip.half : grip.half) * axis;
    h.at[k] = p + arm;
    h.v_head[k] = grip.v + grip.omega.cross(arm);
    const Vec3 from_butt = h.at[k] - butt(s);
    h.off[k] = from_butt - from_butt.dot(s.n) * s.n;
  }
  h.at[2] = p;
  h.v_head[2] = grip.v;
  h.stretch = (p - butt(s)).dot(s.n) - s.grip_at;
  return h;
}

void Felling::take_hold(const FellingGrip& grip, FellingState& s) const {
  s.grip_at = (grip.p - butt(s)).dot(s.n);
}

double Felling::grip_energy(const FellingGrip& grip, const FellingState& s) const {
  const Hold h = hold(grip, 0.0, s);
  double sum = spring_energy(kRollers, h.stretch);
  for (const Vec3& off : h.off) {
    const double most = grip.knives / kKnives, away = off.norm();
    sum += away <= most ? spring_energy(kKnives, away) : grip.knives * (away - 0.5 * most);
  }
  return sum;
}

// Beyond what they hold the stem slips through the rollers, which turn meanwhile.
void Felling::slip(const FellingGrip& grip, double t, double dt, FellingState& s) const {
  const double before = hold(grip, t, s).stretch;
  s.grip_at += dt * grip.feed;
  const double stretch = before - dt * grip.feed;
  s.grip_work += spring_energy(kRollers, stretch) - spring_energy(kRollers, before);
  const double most = grip.rollers / kRollers;
  if (std::fabs(stretch) <= most) return;
  const double left = std::copysign(most, stretch);
  s.grip_at += stretch - left;
  s.grip_lost += spring_energy(kRollers, stretch) - spring_energy(kRollers, left);
}

Felling::Rates Felling::rates(const FellingState& s, const FellingGrip* grip,
                              const FellingTouch* touch, double t) const {
  Rates r{Vec3(0.0, 0.0, -form_.mass * kGravity),     Vec3::Zero(), 0.0, 0.0, 0.0, 0.0,
          {Vec3::Zero(), Vec3::Zero(), Vec3::Zero()}, 0.0};
  const auto act = [&](const Vec3& force, const Vec3& arm) {
    r.force += force;
    r.torque += arm.cross(force);
  };
  const auto velocity = [&](const Vec3& arm) { return Vec3(s.v + s.omega.cross(arm)); };

  if (s.attached) {
    const Vec3 arm = anchor(s) - s.p;
    const Vec3 v = velocity(arm);
    act(-form_.mass * (kStrip * (s.p + arm - s.stump_anchor) + kStripDamping * v), arm);
    r.lost += form_.mass * kStripDamping * v.squaredNorm();
    // Springs of the two angles, whose torque follows from how the angles change with the axis.
    const Stiffness k = stiffness(s.cut);
    const Angles a = angles(s.n, f_, c_);
    const double nf = s.n.dot(f_), nc = s.n.dot(c_);
    const double weak = std::clamp(k.weak * (a.weak - s.rest_weak - s.bent_weak),
                                   -weak_moment(s.cut), weak_moment(s.cut));
    const double strong = std::clamp(k.strong * (a.strong - s.rest_strong - s.bent_strong),
                                     -strong_moment(s.cut), strong_moment(s.cut));
    const Vec3 up = Vec3::UnitZ();
    // Root and wood damp in proportion to their stiffness.
    const double over = s.omega.dot(c_), aside = s.omega.dot(f_);
    r.torque -= kBendDamping * (k.weak * over * c_ + k.strong * aside * f_);
    r.lost += kBendDamping * (k.weak * over * over + k.strong * aside * aside);
    const Vec3 gradient =
        weak / std::max(nf * nf + s.n.z() * s.n.z(), 1e-12) * (s.n.z() * f_ - nf * up) +
        strong / std::sqrt(std::max(1.0 - nc * nc, 1e-12)) * c_;
    r.torque -= s.n.cross(gradient);
  }

  for (int i = 0; i < kRimPoints; ++i) {
    Vec3 arm;
    const double depth = rim_depth(s, i, arm);
    if (depth <= 0.0) continue;
    const Vec3 v = velocity(arm);
    const double N = form_.mass * std::max(kRim * depth - kRimDamping * v.z(), 0.0);
    const Vec3 slip =
        friction(Vec3(v.x(), v.y(), 0.0), setup_.wood_friction * N, kRub * form_.mass / kRimPoints);
    act(N * Vec3::UnitZ() + slip, arm);
    r.lost -= slip.dot(v) + (N - form_.mass * kRim * depth) * v.z();
  }

  for (int i = 0; i < kStemPoints; ++i) {
    const OnGround g = on_ground(s, i);
    if (g.depth <= 0.0) continue;
    const Vec3 v = velocity(g.axis);
    const double rate = v.dot(g.up) + g.lever * s.omega.cross(s.n).dot(g.up);
    const double N = std::max(form_.soil * (g.depth - kSoilDamping * rate), 0.0);
    const Vec3 slip =
        friction(v - v.dot(g.up) * g.up, setup_.soil_friction * N, kRub * form_.mass / kStemPoints);
    act(slip, g.axis);
    // Acts so that its power is that of the depth.
    r.force += N * g.up;
    r.torque += N * (g.axis + g.lever * s.n).cross(g.up);
    r.lost -= slip.dot(v) + (N - form_.soil * g.depth) * rate;
  }

  if (setup_.push != 0.0 && lean(s) < setup_.push_until) {
    const SinCos to = sin_cos(setup_.push_towards);
    const Vec3 arm = (setup_.push_height - form_.centre) * s.n;
    const Vec3 force = setup_.push * Vec3(to.cos, to.sin, 0.0);
    act(force, arm);
    r.pushed += force.dot(velocity(arm));
  }
  if (form_.drag > 0.0) {
    const Vec3 arm = (form_.drag_at - form_.centre) * s.n;
    const Vec3 v = velocity(arm);
    const Vec3 force = -form_.drag * v.norm() * v;
    act(force, arm);
    r.lost -= force.dot(v);
  }
  if (touch != nullptr) {
    r.force += touch->force;
    r.torque += touch->torque;
    r.pushed += touch->force.dot(s.v) + touch->torque.dot(s.omega);
  }
  if (grip != nullptr) {
    const Hold h = hold(*grip, t, s);
    for (int k = 0; k < 3; ++k) {
      const Vec3 arm = h.at[k] - s.p;
      const Vec3 slip = h.v_head[k] - velocity(arm);
      Vec3 spring, force, drive = Vec3::Zero();
      if (k < 2) {
        spring = limited(kKnives * h.off[k], grip->knives);
        force = limited(spring + kGripDamping * (slip - slip.dot(s.n) * s.n), grip->knives);
      } else {
        drive = grip->feed * s.n;
        spring = kRollers * h.stretch * s.n;
        force = limited(spring + kGripDamping * (slip.dot(s.n) - grip->feed) * s.n, grip->rollers);
        r.rollers = force.dot(s.n);
        const double way = slip.dot(s.n);
        const double most = grip->drag + (way > 0.0 ? grip->branches : 0.0);
        const Vec3 rub =
            std::clamp(std::min(most / kSlow, kRub * form_.mass) * way, -most, most) * s.n;
        r.grip_work += rub.dot(h.v_head[k]);
        r.grip_lost += rub.dot(slip);
        r.pushed += rub.dot(velocity(arm));
        act(rub, arm);
        r.grip[k] = rub;
      }
      act(force, arm);
      r.grip[k] += force;
      r.pushed += force.dot(velocity(arm));
      r.grip_work += force.dot(h.v_head[k]) - (force - spring).dot(drive);
      r.grip_lost += (force - spring).dot(slip - drive);
    }
  }
  r.torque -= r.torque.dot(s.n) * s.n;  // round and without spin
  return r;
}

double Felling::energy(const FellingState& s) const {
  double sum = 0.5 * form_.mass * s.v.squaredNorm() + 0.5 * form_.inertia * s.omega.squaredNorm() +
               form_.mass * kGravity * s.p.z();
  if (s.attached) {
    sum += 0.5 * form_.mass * kStrip * (anchor(s) - s.stump_anchor).squaredNorm();
    const Stiffness k = stiffness(s.cut);
    const Angles a = angles(s.n, f_, c_);
    sum += spring_energy(k.weak, a.weak - s.rest_weak - s.bent_weak) +
           spring_energy(k.strong, a.strong - s.rest_strong - s.bent_strong);
  }
  for (int i = 0; i < kRimPoints; ++i) {
    Vec3 arm;
    sum += spring_energy(form_.mass * kRim, rim_depth(s, i, arm));
  }
  for (int i = 0; i < kStemPoints; ++i)
    if (const double depth = on_ground(s, i).depth; depth > 0.0)
      sum += spring_energy(form_.soil, depth);
  return sum;
}

double Felling::residual(const FellingState& start, const FellingState& s) const {
  const double left = energy(s) - energy(start) - (s.pushed - start.pushed) +
                      (s.lost - start.lost) + (s.released - start.released);
  return std::fabs(left) / (form_.mass * kGravity * form_.centre);
}

// The saw takes wood away: what is left is softer, bends about another place, and holds what it held.
void Felling::advance_cut(double dt, double saw, FellingState& s) const {
  const double most = 2.0 * form_.radius - setup_.hinge;
  if (!s.attached || saw <= 0.0 || s.pinched || s.cut >= most) return;
  const double before = energy(s);
  const Vec3 stretch = anchor(s) - s.stump_anchor;
  s.cut = std::min(s.cut + saw / cut_width(s.cut) * dt, most);
  s.stump_anchor = anchor(s) - stretch;
  if (2.0 * form_.radius - s.cut < 1e-4) {
    s.attached = false;
    tear(s);
  }
  s.released += before - energy(s);
}

void Felling::yield(FellingState& s) const {
  const Stiffness k = stiffness(s.cut);
  const Angles a = angles(s.n, f_, c_);
  const auto flow = [&](double stiff, double most, double angle, double& bent) {
    const double moment = stiff * (angle - bent);
    if (std::fabs(moment) <= most) return;
    const double held = std::copysign(most, moment);
    const double moved = angle - held / stiff - bent;
    bent += moved;
    s.lost += std::fabs(most * moved);
  };
  flow(k.weak, weak_moment(s.cut), a.weak - s.rest_weak, s.bent_weak);
  flow(k.strong, strong_moment(s.cut), a.strong - s.rest_strong, s.bent_strong);
  const double h = 2.0 * form_.radius - s.cut, b = strip_width(s.cut);
  const double strain = std::max(std::fabs(s.bent_weak) * h, std::fabs(s.bent_strong) * b) /
                        (2.0 * setup_.hinge_length);
  if (strain <= setup_.break_strain) return;
  const double before = energy(s);
  s.attached = false;
  tear(s);
  s.released += before - energy(s);
}

// Where the strip was, the stump is as low as the butt presses it when the strip lets go.
void Felling::tear(FellingState& s) const {
  for (int i = 0; i < kRimPoints; ++i) {
    FellingState before = s;
    before.attached = true;
    Vec3 arm;
    if (rim_depth(before, i, arm) == 0.0) s.torn[i] += rim_depth(s, i, arm);
  }
}

void Felling::look_at_stump(FellingState& s) const {
  bool touches = s.attached;
  for (int i = 0; i < kRimPoints; ++i) {
    Vec3 arm;
    const double depth = rim_depth(s, i, arm);
    touches = touches || depth > 0.0;
    const Vec3 at = s.p + arm;
    if (s.off[i] || (depth < kRimReach && distance(at.x(), at.y()) < 1.1 * form_.radius)) continue;
    s.off[i] = true;
    s.lost += spring_energy(form_.mass * kRim, depth);
  }
  s.on_stump = touches;
  s.jumped = s.jumped || (!s.attached && std::ranges::all_of(s.off, [](bool off) { return off; }));
  // The kerf has closed behind the bar.
  s.pinched = false;
  if (s.attached && s.cut > 0.05 * form_.radius) {
    const Vec3 across = f_ - f_.dot(s.n) * s.n;
    const Vec3 back = butt(s) - form_.radius / std::max(across.norm(), 1e-9) * across;
    s.pinched = back.z() <= setup_.stump - s.torn[kBack];
  }
}

void Felling::substep(double dt, double saw, const FellingGrip* grip, const FellingTouch* touch,
                      double t, FellingState& s, FellingGripLoad& load) const {
  advance_cut(dt, saw, s);
  struct Slope {
    Vec3 p, v, n, omega;
    Rates r;
  };
  const auto slope = [&](const FellingState& at, double later) {
    const Rates r = rates(at, grip, touch, t + later);
    return Slope{at.v, r.force / form_.mass, at.omega.cross(at.n), r.torque / form_.inertia, r};
  };
  const auto along = [&](const Slope& k, double h) {
    FellingState at = s;
    at.p += h * k.p;
    at.v += h * k.v;
    at.n += h * k.n;
    at.omega += h * k.omega;
    return at;
  };
  const Slope a = slope(s, 0.0), b = slope(along(a, 0.5 * dt), 0.5 * dt),
              c = slope(along(b, 0.5 * dt), 0.5 * dt), d = slope(along(c, dt), dt);
  const double w = dt / 6.0;
  s.p += w * (a.p + 2.0 * b.p + 2.0 * c.p + d.p);
  s.v += w * (a.v + 2.0 * b.v + 2.0 * c.v + d.v);
  s.n += w * (a.n + 2.0 * b.n + 2.0 * c.n + d.n);
  s.omega += w * (a.omega + 2.0 * b.omega + 2.0 * c.omega + d.omega);
  s.pushed += w * (a.r.pushed + 2.0 * b.r.pushed + 2.0 * c.r.pushed + d.r.pushed);
  s.lost += w * (a.r.lost + 2.0 * b.r.lost + 2.0 * c.r.lost + d.r.lost);
  s.n /= s.n.norm();
  s.omega -= s.omega.dot(s.n) * s.n;
  s.t += dt;
  if (grip != nullptr) {
    s.grip_work += w * (a.r.grip_work + 2.0 * b.r.grip_work + 2.0 * c.r.grip_work + d.r.grip_work);
    s.grip_lost += w * (a.r.grip_lost + 2.0 * b.r.grip_lost + 2.0 * c.r.grip_lost + d.r.grip_lost);
    for (int k = 0; k < 3; ++k)
      load.force[k] += w * (a.r.grip[k] + 2.0 * b.r.grip[k] + 2.0 * c.r.grip[k] + d.r.grip[k]);
    load.rollers += w * (a.r.rollers + 2.0 * b.r.rollers + 2.0 * c.r.rollers + d.r.rollers);
    slip(*grip, t + dt, dt, s);
  }
  if (s.attached) yield(s);
  look_at_stump(s);
  // It may hang in something.
  const Vec3 up = setup_.ground.uneven ? vec(setup_.ground.up[kStemPoints / 2]) : Vec3::UnitZ();
  const bool rests = s.n.dot(up) < kLow || (touch != nullptr && !s.attached && s.n.z() < kHangs);
  const bool calm = rests && s.v.norm() + form_.length * s.omega.norm() < kCalm;
  s.calm_s = calm ? s.calm_s + dt : 0.0;
}

void Felling::step(double dt, double saw, FellingState& s, const FellingGrip* grip,
                   FellingGripLoad* load, const FellingTouch* touch) const {
  const double whole = std::min(dt, kMostStep);
  const int count = std::max(static_cast<int>(std::ceil(whole / kSubstep - 1e-9)), 1);
  FellingGripLoad impulse;
  for (int i = 0; i < count; ++i)
    substep(whole / count, saw, grip, touch, i * (whole / count), s, impulse);
  if (load == nullptr) return;
  for (int k = 0; k < 3; ++k) load->force[k] = impulse.force[k] / whole;
  load->rollers = impulse.rollers / whole;
}

}  // namespace knuckleboom::timber
