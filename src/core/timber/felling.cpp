#include "knuckleboom/core/timber/felling.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "knuckleboom/core/math/angle.hpp"

namespace knuckleboom::timber {
namespace {

constexpr double kGravity = 9.81;
constexpr double kSubstep = 1.25e-4;  // s
// Stiffness and damping of what holds the butt, over the tree's mass: it gives by less than 0.1 mm.
constexpr double kStrip = 1e5, kStripDamping = 60.0;  // uncut wood [1/s^2, 1/s]
constexpr double kRim = 2e5, kRimDamping = 150.0;     // stump under one point of the rim
constexpr double kBendDamping = 0.02;                 // s; over the stiffness
constexpr double kFirm = 200.0;        // mass from which on the ground is as stiff as given [kg]
constexpr double kSoilDamping = 0.05;  // s; over the stiffness
constexpr int kBack = 4;               // point of the rim where the saw comes in
constexpr double kRimReach = 0.03;     // deeper it is beside the stump [m]
constexpr double kSlow = 0.02;         // friction is full beyond this speed [m/s]
constexpr double kAir = 1.2;           // kg/m^3
constexpr double kCalm = 0.05, kCalmTime = 0.4;  // m/s, s
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

// Friction against a slip: full beyond kSlow, in proportion below.
Vec3 friction(const Vec3& slip, double most) { return -most / std::max(slip.norm(), kSlow) * slip; }

}  // namespace

struct Felling::Rates {
  Vec3 force, torque;
  double pushed, lost;
};

Felling::Felling(const Tree& tree, const FellingSetup& setup)
    : setup_(setup), recipe_(tree.recipe()), strength_(tree.strength()), modulus_(tree.modulus()) {
  if (!(setup.stump >= 0.0 && setup.stump <= 0.5 * tree.height()))
    throw std::invalid_argument("The cut must be in the lower half of the tree.");
  const Round body = tree.above(setup.stump);
  mass_ = body.mass;
  centre_ = body.centre - setup.stump;
  inertia_ = body.transverse;
  length_ = tree.height() - setup.stump;
  radius_ = 0.5 * over_bark(tree.profile(), setup.stump);
  if (!(setup.hinge >= 0.0 && setup.hinge <= 2.0 * radius_))
    throw std::invalid_argument("The hinge that is left must not be thicker than the stem.");
  // Under a sapling as soft as its weight, or the steps would be too long for it.
  soil_ = setup.soil_stiffness * std::min(1.0, mass_ / kFirm);
  const double thick = 2.0 * radius_ / 0.2;
  root_ = setup.root_stiffness * thick * thick * thick;
  drag_ = 0.0;
  const std::vector<Whorl>& whorls = tree.whorls();
  for (std::size_t i = 0; i < whorls.size(); ++i) {
    const double above = i + 1 < whorls.size() ? whorls[i + 1].height : tree.height();
    const double outline = 2.0 * whorls[i].length * (above - whorls[i].height);
    drag_ += outline;
    drag_at_ += outline * (whorls[i].height - setup.stump);
  }
  drag_at_ = drag_ > 0.0 ? drag_at_ / drag_ : 0.0;
  drag_ *= 0.5 * kAir * setup.crown_drag;
  const SinCos towards = sin_cos(setup.towards);
  f_ = Vec3(towards.cos, towards.sin, 0.0);
  c_ = Vec3(-towards.sin, towards.cos, 0.0);
  for (int i = 0; i < kStemPoints; ++i) {
    point_at_[i] = length_ * i / (kStemPoints - 1.0);
    point_radius_[i] =
        0.5 * over_bark(tree.profile(), setup.stump + std::min(point_at_[i], 0.999 * length_));
  }
}

double Felling::strip_width(double cut) const {
  const double h = 2.0 * radius_ - cut;
  return h >= radius_ ? 2.0 * radius_ : 2.0 * std::sqrt(std::max(h * (2.0 * radius_ - h), 0.0));
}

double Felling::weak_moment(double cut) const {
  const double h = std::max(2.0 * radius_ - cut, 0.0);
  return strength_ * strip_width(cut) * h * h / 6.0;
}

double Felling::strong_moment(double cut) const {
  const double h = std::max(2.0 * radius_ - cut, 0.0), b = strip_width(cut);
  return strength_ * h * b * b / 6.0;
}

Felling::Stiffness Felling::stiffness(double cut) const {
  const Segment s = segment(radius_, std::max(2.0 * radius_ - cut, 0.0));
  // Root and strip bend one after the other.
  const auto with_root = [&](double second) {
    const double strip = modulus_ * second / setup_.hinge_length;
    return strip * root_ / (strip + root_);
  };
  return {with_root(s.weak), with_root(s.strong)};
}

double Felling::strip_offset(double cut) const {
  return segment(radius_, std::max(2.0 * radius_ - cut, 0.0)).centre;
}

Vec3 Felling::butt(const FellingState& s) const { return s.p - centre_ * s.n; }
Vec3 Felling::tip(const FellingState& s) const { return s.p + (length_ - centre_) * s.n; }

Vec3 Felling::anchor(const FellingState& s) const {
  const Vec3 across = f_ - f_.dot(s.n) * s.n;
  return butt(s) + strip_offset(s.cut) / std::max(across.norm(), 1e-9) * across;
}

FellingState Felling::initial_state() const {
  FellingState s;
  const SinCos lean = sin_cos(recipe_.lean), to = sin_cos(recipe_.lean_towards);
  s.n = Vec3(lean.sin * to.cos, lean.sin * to.sin, lean.cos);
  s.p = Vec3(0.0, 0.0, setup_.stump + setup_.play) + centre_ * s.n;
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
  const double torque = mass_ * kGravity * centre_;
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
  arm = -centre_ * s.n + radius_ * (along * g + aside * s.n.cross(g));
  if (s.off[point] || (s.attached && along * radius_ > s.cut - radius_)) return 0.0;
  return std::max(setup_.stump - s.torn[point] - (s.p + arm).z(), 0.0);
}

Felling::Rates Felling::rates(const FellingState& s) const {
  Rates r{Vec3(0.0, 0.0, -mass_ * kGravity), Vec3::Zero(), 0.0, 0.0};
  const auto act = [&](const Vec3& force, const Vec3& arm) {
    r.force += force;
    r.torque += arm.cross(force);
  };
  const auto velocity = [&](const Vec3& arm) { return Vec3(s.v + s.omega.cross(arm)); };

  if (s.attached) {
    const Vec3 arm = anchor(s) - s.p;
    const Vec3 v = velocity(arm);
    act(-mass_ * (kStrip * (s.p + arm - s.stump_anchor) + kStripDamping * v), arm);
    r.lost += mass_ * kStripDamping * v.squaredNorm();
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
    const double N = mass_ * std::max(kRim * depth - kRimDamping * v.z(), 0.0);
    const Vec3 slip = friction(Vec3(v.x(), v.y(), 0.0), setup_.wood_friction * N);
    act(N * Vec3::UnitZ() + slip, arm);
    r.lost -= slip.dot(v) + (N - mass_ * kRim * depth) * v.z();
  }

  const double flat = std::sqrt(std::max(1.0 - s.n.z() * s.n.z(), 0.0));
  for (int i = 0; i < kStemPoints; ++i) {
    const Vec3 axis = (point_at_[i] - centre_) * s.n;
    const double depth = point_radius_[i] * flat - (s.p + axis).z();
    if (depth <= 0.0) continue;
    // The lowest point of the round; its place on it moves, its speed is that of the axis.
    const Vec3 v = velocity(axis);
    const double rate =
        v.z() + point_radius_[i] * s.n.z() / std::max(flat, 1e-6) * s.omega.cross(s.n).z();
    const double N = std::max(soil_ * (depth - kSoilDamping * rate), 0.0);
    const Vec3 slip = friction(Vec3(v.x(), v.y(), 0.0), setup_.soil_friction * N);
    act(slip, axis);
    // Acts so that its power is that of the depth.
    r.force += N * Vec3::UnitZ();
    r.torque +=
        N * (axis + point_radius_[i] * s.n.z() / std::max(flat, 1e-6) * s.n).cross(Vec3::UnitZ());
    r.lost -= slip.dot(v) + (N - soil_ * depth) * rate;
  }

  if (setup_.push != 0.0 && lean(s) < setup_.push_until) {
    const SinCos to = sin_cos(setup_.push_towards);
    const Vec3 arm = (setup_.push_height - centre_) * s.n;
    const Vec3 force = setup_.push * Vec3(to.cos, to.sin, 0.0);
    act(force, arm);
    r.pushed += force.dot(velocity(arm));
  }
  if (drag_ > 0.0) {
    const Vec3 arm = (drag_at_ - centre_) * s.n;
    const Vec3 v = velocity(arm);
    const Vec3 force = -drag_ * v.norm() * v;
    act(force, arm);
    r.lost -= force.dot(v);
  }
  r.torque -= r.torque.dot(s.n) * s.n;  // round and without spin
  return r;
}

double Felling::energy(const FellingState& s) const {
  double sum = 0.5 * mass_ * s.v.squaredNorm() + 0.5 * inertia_ * s.omega.squaredNorm() +
               mass_ * kGravity * s.p.z();
  if (s.attached) {
    sum += 0.5 * mass_ * kStrip * (anchor(s) - s.stump_anchor).squaredNorm();
    const Stiffness k = stiffness(s.cut);
    const Angles a = angles(s.n, f_, c_);
    sum += spring_energy(k.weak, a.weak - s.rest_weak - s.bent_weak) +
           spring_energy(k.strong, a.strong - s.rest_strong - s.bent_strong);
  }
  for (int i = 0; i < kRimPoints; ++i) {
    Vec3 arm;
    sum += spring_energy(mass_ * kRim, rim_depth(s, i, arm));
  }
  const double flat = std::sqrt(std::max(1.0 - s.n.z() * s.n.z(), 0.0));
  for (int i = 0; i < kStemPoints; ++i) {
    const double depth = point_radius_[i] * flat - (s.p + (point_at_[i] - centre_) * s.n).z();
    if (depth > 0.0) sum += spring_energy(soil_, depth);
  }
  return sum;
}

double Felling::residual(const FellingState& start, const FellingState& s) const {
  const double left = energy(s) - energy(start) - (s.pushed - start.pushed) +
                      (s.lost - start.lost) + (s.released - start.released);
  return std::fabs(left) / (mass_ * kGravity * centre_);
}

// The saw takes wood away: what is left is softer, bends about another place, and holds what it held.
void Felling::advance_cut(double dt, double saw, FellingState& s) const {
  const double most = 2.0 * radius_ - setup_.hinge;
  if (!s.attached || saw <= 0.0 || s.pinched || s.cut >= most) return;
  const double before = energy(s);
  const Vec3 stretch = anchor(s) - s.stump_anchor;
  // Width of the cut's front: a chord of the round section.
  const double chord = 2.0 * std::sqrt(std::max(s.cut * (2.0 * radius_ - s.cut), 1e-6));
  s.cut = std::min(s.cut + saw / chord * dt, most);
  s.stump_anchor = anchor(s) - stretch;
  if (2.0 * radius_ - s.cut < 1e-4) {
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
  const double h = 2.0 * radius_ - s.cut, b = strip_width(s.cut);
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
    if (s.off[i] || (depth < kRimReach && distance(at.x(), at.y()) < 1.1 * radius_)) continue;
    s.off[i] = true;
    s.lost += spring_energy(mass_ * kRim, depth);
  }
  s.on_stump = touches;
  s.jumped = s.jumped || (!s.attached && std::ranges::all_of(s.off, [](bool off) { return off; }));
  // The kerf has closed behind the bar.
  s.pinched = false;
  if (s.attached && s.cut > 0.05 * radius_) {
    const Vec3 across = f_ - f_.dot(s.n) * s.n;
    const Vec3 back = butt(s) - radius_ / std::max(across.norm(), 1e-9) * across;
    s.pinched = back.z() <= setup_.stump - s.torn[kBack];
  }
}

void Felling::substep(double dt, double saw, FellingState& s) const {
  advance_cut(dt, saw, s);
  struct Slope {
    Vec3 p, v, n, omega;
    double pushed, lost;
  };
  const auto slope = [&](const FellingState& at) {
    const Rates r = rates(at);
    return Slope{at.v,     r.force / mass_, at.omega.cross(at.n), r.torque / inertia_,
                 r.pushed, r.lost};
  };
  const auto along = [&](const Slope& k, double h) {
    FellingState at = s;
    at.p += h * k.p;
    at.v += h * k.v;
    at.n += h * k.n;
    at.omega += h * k.omega;
    return at;
  };
  const Slope a = slope(s), b = slope(along(a, 0.5 * dt)), c = slope(along(b, 0.5 * dt)),
              d = slope(along(c, dt));
  const double w = dt / 6.0;
  s.p += w * (a.p + 2.0 * b.p + 2.0 * c.p + d.p);
  s.v += w * (a.v + 2.0 * b.v + 2.0 * c.v + d.v);
  s.n += w * (a.n + 2.0 * b.n + 2.0 * c.n + d.n);
  s.omega += w * (a.omega + 2.0 * b.omega + 2.0 * c.omega + d.omega);
  s.pushed += w * (a.pushed + 2.0 * b.pushed + 2.0 * c.pushed + d.pushed);
  s.lost += w * (a.lost + 2.0 * b.lost + 2.0 * c.lost + d.lost);
  s.n /= s.n.norm();
  s.omega -= s.omega.dot(s.n) * s.n;
  s.t += dt;
  if (s.attached) yield(s);
  look_at_stump(s);
  const bool calm = s.v.norm() + length_ * s.omega.norm() < kCalm && s.n.z() < 0.3;
  s.calm_s = calm ? s.calm_s + dt : 0.0;
}

void Felling::step(double dt, double saw, FellingState& s) const {
  const double whole = std::min(dt, kMostStep);
  const int count = std::max(static_cast<int>(std::ceil(whole / kSubstep - 1e-9)), 1);
  for (int i = 0; i < count; ++i) substep(whole / count, saw, s);
}

}  // namespace knuckleboom::timber
