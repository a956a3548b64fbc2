#include "knuckleboom/core/emulation/contact.hpp"

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/math/limited.hpp"

namespace knuckleboom::emulation {
namespace {

constexpr double kTangential = 0.5;  // stiffness of the bristle / of the spring
// The edge contact fades in over this length of the peg past the hole's edge, so that the force has
// no jump.
constexpr double kEdgeBlend = 2e-3;  // m
constexpr double kSqrtHalf = 0.70710678118654752;

// Contact of a point inside the material.
struct Touch {
  Vec3 p = Vec3::Zero();       // site frame
  Vec3 normal = Vec3::Zero();  // out of the material
  double depth = -1.0;
  double weight = 1.0;  // share of the stiffness
};

double norm(const Vec3& v) { return std::sqrt(v.squaredNorm()); }
double across(const Vec3& p) { return std::sqrt(p.x() * p.x() + p.y() * p.y()); }
// Away from the hole's axis.
Vec3 radial(const Vec3& p, double rho) { return Vec3(p.x() / rho, p.y() / rho, 0.0); }

// Depth below each face of the hole's mouth; the material is where all are positive.
struct Mouth {
  double plane, chamfer, wall;
};
Mouth mouth(const Worksite& site, const Vec3& p) {
  const double beyond = across(p) - site.hole_radius;
  return {p.z(), (beyond - site.chamfer + p.z()) * kSqrtHalf, beyond};
}

// A point of the end face: on the plane, or on the hole's bottom.
Touch on_level(const Worksite& site, const Vec3& p) {
  Touch touch{p, -Vec3::UnitZ()};
  if (site.kind == SiteKind::kPlane) {
    touch.depth = p.z();
    return touch;
  }
  const Mouth m = mouth(site, p);
  if (p.z() > site.depth && m.wall < site.hole_radius)
    touch.depth = p.z() - site.depth;
  else if (m.plane <= std::min(m.chamfer, m.wall))
    touch.depth = m.plane;
  return touch;
}

// Point of the rim farthest along the slope of `radial + lift z`.
Vec3 farthest(const PegMotion& peg, double radius, double lift) {
  const Vec3 axis = peg.R.col(2);
  Vec3 p = peg.p;
  for (int i = 0; i < 4; ++i) {
    const double rho = across(p);
    Vec3 along = lift * Vec3::UnitZ();
    if (rho > 0.0) along += radial(p, rho);
    along -= along.dot(axis) * axis;
    const double length = norm(along);
    if (!(length > 0.0)) break;
    p = peg.p + along * (radius / length);
  }
  return p;
}

Touch on_sides(const Worksite& site, const Peg& peg, const PegMotion& motion) {
  Touch touch;
  const Vec3 wall = farthest(motion, peg.radius, 0.0);
  const Mouth w = mouth(site, wall);
  // A peg this far beyond the wall has missed the hole.
  if (w.wall <= std::min(w.plane, w.chamfer) && w.wall < 0.5 * site.hole_radius &&
      across(wall) > 0.0)
    touch = {wall, -radial(wall, across(wall)), w.wall, 1.0};
  const Vec3 slope = farthest(motion, peg.radius, 1.0);
  const Mouth c = mouth(site, slope);
  if (c.chamfer < std::min(c.plane, c.wall) && c.chamfer > touch.depth && across(slope) > 0.0)
    touch = {slope, kSqrtHalf * (-radial(slope, across(slope)) - Vec3::UnitZ()), c.chamfer, 1.0};
  return touch;
}

// The hole's edge below the chamfer against the peg's side.
Touch on_edge(const Worksite& site, const Peg& peg, const PegMotion& motion) {
  Touch touch;
  const Vec3 axis = motion.R.col(2);
  if (!(axis.z() > 0.1)) return touch;
  const Vec3 crossing = motion.p + axis * ((site.chamfer - motion.p.z()) / axis.z());
  const double rho = across(crossing);
  if (!(rho > 0.0) || rho > site.hole_radius) return touch;
  Vec3 p = site.hole_radius * radial(crossing, rho);
  p.z() = site.chamfer;
  const double along = (p - motion.p).dot(axis);
  if (along >= 0.0 || along < -peg.length) return touch;
  const Vec3 from_axis = p - motion.p - along * axis;
  const double distance = norm(from_axis);
  if (!(distance > 0.0)) return touch;
  return {p, -from_axis / distance, peg.radius - distance, std::min(1.0, -along / kEdgeBlend)};
}

class Sum {
 public:
  Sum(const ContactLaw& law, const PegMotion& motion, double h, ContactState& state)
      : law_(law), motion_(motion), h_(h), state_(state) {
    state.touching = 0;
  }

  void add(int point, double share, const Touch& touch) {
    double* const memory = state_.bristle[point];
    state_.normal[point] = 0.0;
    if (!(touch.depth > 0.0)) {
      std::fill(memory, memory + 3, 0.0);
      return;
    }
    const Vec3 arm = touch.p - motion_.p;
    const Vec3 v = motion_.v + motion_.omega.cross(arm);
    const double v_n = v.dot(touch.normal);
    const double k = law_.stiffness * share * touch.weight;
    const double N = std::max(0.0, k * (touch.depth - law_.relaxation_s * v_n));
    const double k_t = kTangential * k;
    const double most = law_.friction * N;
    const Vec3 v_t = v - v_n * touch.normal;
    const Vec3 old(memory[0], memory[1], memory[2]);
    const Vec3 bristle =
        k_t > 0.0 ? limited(old - old.dot(touch.normal) * touch.normal + h_ * v_t, most / k_t)
                  : Vec3(Vec3::Zero());
    const Vec3 f = N * touch.normal + limited(-k_t * (bristle + law_.relaxation_s * v_t), most);
    for (int i = 0; i < 3; ++i) memory[i] = bristle[i];
    state_.normal[point] = N;
    state_.touching |= std::int64_t{1} << point;
    total_.force += f;
    total_.moment += arm.cross(f);
  }

  const Wrench& total() const { return total_; }

 private:
  const ContactLaw& law_;
  const PegMotion& motion_;
  double h_;
  ContactState& state_;
  Wrench total_;
};

}  // namespace

Wrench contact_wrench(const Worksite& site, const Peg& peg, const PegMotion& motion, double h,
                      ContactState& state) {
  // Corners of a regular octagon.
  constexpr double kCos[kFacePoints] = {1.0,  kSqrtHalf,  0.0, -kSqrtHalf,
                                        -1.0, -kSqrtHalf, 0.0, kSqrtHalf};
  Sum sum(site.law, motion, h, state);
  for (int i = 0; i < kFacePoints; ++i) {
    const double c = kCos[i], s = kCos[(i + kFacePoints - 2) % kFacePoints];
    const Vec3 p = motion.p + peg.radius * (c * motion.R.col(0) + s * motion.R.col(1));
    sum.add(i, 1.0 / kFacePoints, on_level(site, p));
  }
  const bool hole = site.kind == SiteKind::kHole;
  sum.add(kRimPoint, 1.0, hole ? on_sides(site, peg, motion) : Touch{});
  sum.add(kEdgePoint, 1.0, hole ? on_edge(site, peg, motion) : Touch{});
  return sum.total();
}

}  // namespace knuckleboom::emulation
