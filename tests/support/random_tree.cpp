#include "support/random_tree.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include <Eigen/Geometry>

namespace knuckleboom::test {

using multibody::Body;
using multibody::JointType;
using multibody::kBase;
using multibody::RigidInertia;
using multibody::Tree;

std::uint64_t Random::bits() {
  state_ += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double Random::uniform(double low, double high) {
  return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
}

double Random::log_uniform(double low, double high) {
  return std::exp(uniform(std::log(low), std::log(high)));
}

int Random::index(int count) {
  return static_cast<int>(bits() % static_cast<std::uint64_t>(count));
}

bool Random::chance(double probability) { return uniform(0.0, 1.0) < probability; }

Vec3 Random::vector(double half_width) {
  // Named one by one: the order of evaluation of arguments is the compiler's.
  const double x = uniform(-half_width, half_width);
  const double y = uniform(-half_width, half_width);
  const double z = uniform(-half_width, half_width);
  return {x, y, z};
}

Vec3 Random::direction() {
  Vec3 d;
  do {
    d = vector(1.0);
  } while (d.squaredNorm() > 1.0 || d.squaredNorm() < 0.01);
  return d.normalized();
}

Mat3 Random::rotation() {
  const double two_pi = 2.0 * std::numbers::pi;
  const double u = uniform(0.0, 1.0);
  const double a = uniform(0.0, two_pi);
  const double b = uniform(0.0, two_pi);
  const double s = std::sqrt(1.0 - u), t = std::sqrt(u);
  return Eigen::Quaterniond(t * std::cos(b), s * std::sin(a), s * std::cos(a), t * std::sin(b))
      .normalized()
      .toRotationMatrix();
}

RigidInertia random_inertia(Random& random, double mass, double size) {
  // Mean squares of the mass along three axes; moments made of these keep the triangle rule.
  const double x = random.uniform(0.02, 1.0) * size * size;
  const double y = random.uniform(0.02, 1.0) * size * size;
  const double z = random.uniform(0.02, 1.0) * size * size;
  RigidInertia out;
  out.mass = mass;
  out.com = random.vector(size);
  const Mat3 R = random.rotation();
  const Mat3 I =
      R * Vec3(mass * (y + z), mass * (x + z), mass * (x + y)).asDiagonal() * R.transpose();
  out.about_com = 0.5 * (I + I.transpose());
  return out;
}

namespace {

RigidInertia point_mass(Random& random) {
  RigidInertia out;
  out.mass = random.log_uniform(1.0, 100.0);
  out.com = random.vector(0.5);
  return out;
}

}  // namespace

Tree random_tree(Random& random, const TreeOptions& options) {
  Tree tree;
  const double g = random.uniform(1.0, 15.0);
  tree.gravity_W = g * random.direction();
  const int count = options.min_bodies + random.index(options.max_bodies - options.min_bodies + 1);
  for (int i = 0; i < count; ++i) {
    Body body;
    body.name = "body" + std::to_string(i);
    body.joint_name = "joint" + std::to_string(i);
    body.parent = options.serial ? i - 1 : random.index(i + 1) - 1;
    body.in_parent.R = random.rotation();
    body.in_parent.p = random.vector(1.0);
    body.axis_B = random.direction();
    const double kind = random.uniform(0.0, 1.0);
    const bool last_chance = i == count - 1 && tree.link_count() == 0;
    body.type = kind < 0.55                 ? JointType::kRevolute
                : kind < 0.8 || last_chance ? JointType::kPrismatic
                                            : JointType::kFixed;
    body.inertia = random_inertia(random, random.log_uniform(1.0, 100.0), 0.5);
    if (body.type == JointType::kFixed) {
      const double sort = random.uniform(0.0, 1.0);
      if (sort < 0.25) body.inertia = RigidInertia{};
      if (sort > 0.75) body.inertia = point_mass(random);
    }
    // A massless link needs a full inertia further out, rigidly on it, or no force could hold it.
    const bool bare =
        options.massless_links && body.type != JointType::kFixed && random.chance(0.4);
    if (bare) body.inertia = RigidInertia{};
    const int index = tree.add_body(body);
    if (!bare) continue;
    Body weld;
    weld.name = body.name + "_weld";
    weld.parent = index;
    weld.in_parent.R = random.rotation();
    weld.in_parent.p = random.vector(0.5);
    weld.inertia = random_inertia(random, random.log_uniform(1.0, 100.0), 0.5);
    tree.add_body(weld);
  }
  return tree;
}

MotionState random_state(Random& random, const Tree& tree) {
  MotionState s;
  for (std::size_t i = 0; i < static_cast<std::size_t>(tree.link_count()); ++i) {
    const bool revolute = tree.link(static_cast<int>(i)).revolute;
    s.q[i] = random.uniform(-1.0, 1.0) * (revolute ? std::numbers::pi : 1.0);
    s.v[i] = random.uniform(-3.0, 3.0);
    s.a[i] = random.uniform(-5.0, 5.0);
    s.tau[i] = random.uniform(-500.0, 500.0);
  }
  return s;
}

}  // namespace knuckleboom::test
