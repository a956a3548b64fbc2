// Payloads taken up and released: what must not change by it.
#include <array>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "knuckleboom/core/multibody/dynamics.hpp"
#include "support/crane.hpp"
#include "support/error_norm.hpp"
#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

using multibody::Body;
using multibody::JointType;
using multibody::kBase;
using multibody::LinkInertia;
using multibody::RigidInertia;
using multibody::Tree;
using test::Coordinates;
using test::keep_worst;
using test::relative_error;
using test::Vector;

using Inertias = std::array<LinkInertia, kMaxLinks>;

struct Payload {
  RigidInertia body;  // in the frame of the body that moves with the link
  Vec3 v_com, omega;  // before

  // The engine takes payloads in the link's frame.
  LinkInertia in_link(const Tree& tree, int link) const {
    return multibody::to_link_inertia(body, tree.body(tree.link(link).body).in_link);
  }
  double kinetic(const Mat3& R) const {
    return 0.5 * (body.mass * v_com.squaredNorm() +
                  omega.dot(R * body.about_com * R.transpose() * omega));
  }
};

Payload random_payload(test::Random& random) {
  Payload out;
  out.body = test::random_inertia(random, random.log_uniform(1.0, 200.0), 0.7);
  out.v_com = random.vector(3.0);
  out.omega = random.vector(2.0);
  return out;
}

Vector momentum(const Tree& tree, const Inertias& inertia, const Coordinates& q,
                const Coordinates& v) {
  const int n = tree.link_count();
  multibody::MassAndBias system;
  multibody::mass_and_bias(tree, inertia.data(), q.data(), v.data(), system);
  return test::to_matrix(system.M, n) * test::to_vector(v.data(), n);
}

// Generalised momentum of a free body at the joints, as if it were part of the link.
Vector momentum_of(const Payload& payload, const Tree& tree, int link, const Coordinates& q) {
  const int n = tree.link_count();
  const Coordinates rest{};
  const auto kinematics = multibody::forward_kinematics(tree, q.data(), rest.data());
  const int body = tree.link(link).body;
  const auto com = multibody::point_motion(tree, kinematics, body, payload.body.com);
  const Mat3 R = multibody::body_pose(tree, kinematics, body).R;
  const Vec3 spin = R * payload.body.about_com * R.transpose() * payload.omega;
  Vector out(n);
  for (int i = 0; i < n; ++i)
    out(i) = com.J_W[static_cast<std::size_t>(i)].dot(payload.body.mass * payload.v_com);
  for (int i = link; i != kBase; i = tree.link(i).parent)
    if (tree.link(i).revolute)
      out(i) += kinematics.link[static_cast<std::size_t>(i)].axis_W.dot(spin);
  return out;
}

// Linear momentum, and angular momentum about the world origin.
struct SpatialMomentum {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();

  void add(double mass, const Mat3& I_com_W, const Vec3& p, const Vec3& v, const Vec3& omega) {
    linear += mass * v;
    angular += p.cross(mass * v) + I_com_W * omega;
  }
};

void add_body(SpatialMomentum& sum, const Tree& tree, const multibody::Kinematics& kinematics,
              int body, const RigidInertia& inertia) {
  const auto com = multibody::point_motion(tree, kinematics, body, inertia.com);
  const Mat3 R = multibody::body_pose(tree, kinematics, body).R;
  const int link = tree.body(body).link;
  if (link == kBase) return;
  sum.add(inertia.mass, R * inertia.about_com * R.transpose(), com.p_W, com.v_W,
          kinematics.link[static_cast<std::size_t>(link)].omega_W);
}

SpatialMomentum momentum_of_bodies(const Tree& tree, const Coordinates& q, const Coordinates& v) {
  SpatialMomentum sum;
  const auto kinematics = multibody::forward_kinematics(tree, q.data(), v.data());
  for (int b = 0; b < tree.body_count(); ++b)
    add_body(sum, tree, kinematics, b, tree.body(b).inertia);
  return sum;
}

struct Case {
  Tree tree;
  test::MotionState s;
  int link;
  Payload payload;
  Inertias inertia;
};

template <class Check>
void for_random_cases(std::uint64_t seed, Check check) {
  test::Random random(seed);
  for (int k = 0; k < 300; ++k) {
    Case c{test::random_tree(random), {}, 0, {}, {}};
    c.s = test::random_state(random, c.tree);
    c.link = random.index(c.tree.link_count());
    c.payload = random_payload(random);
    c.inertia = c.tree.link_inertias();
    SCOPED_TRACE(k);
    check(c);
    if (testing::Test::HasFatalFailure()) return;
  }
}

void attach(Case& c) {
  multibody::attach(c.tree, c.inertia.data(), c.s.q.data(), c.s.v.data(), c.link,
                    c.payload.in_link(c.tree, c.link), c.payload.v_com, c.payload.omega);
}

double kinetic_energy(const Case& c) {
  return multibody::energy(c.tree, c.inertia.data(), c.s.q.data(), c.s.v.data()).kinetic;
}

Mat3 orientation(const Case& c) {
  const auto kinematics = multibody::forward_kinematics(c.tree, c.s.q.data(), c.s.v.data());
  return multibody::body_pose(c.tree, kinematics, c.tree.link(c.link).body).R;
}

double difference(const LinkInertia& a, const LinkInertia& b) {
  double sum = std::fabs(a.mass - b.mass) / b.mass;
  double I = 0.0, size = 0.0;
  for (int k = 0; k < 6; ++k) {
    I += std::fabs(a.I[k] - b.I[k]);
    size += std::fabs(b.I[k]);
  }
  double c = 0.0;
  for (int k = 0; k < 3; ++k) c += std::fabs(a.mc[k] - b.mc[k]);
  return sum + I / size + c / b.mass;
}

TEST(Attach, KeepsGeneralisedMomentum) {
  double worst = 0.0;
  for_random_cases(1, [&](Case& c) {
    const Vector before =
        momentum(c.tree, c.inertia, c.s.q, c.s.v) + momentum_of(c.payload, c.tree, c.link, c.s.q);
    attach(c);
    const Vector after = momentum(c.tree, c.inertia, c.s.q, c.s.v);
    keep_worst(worst, relative_error(after, before));
  });
  std::printf("worst: %.1e\n", worst);
  EXPECT_LT(worst, 1e-12);
}

TEST(Attach, NeverGainsEnergy) {
  for_random_cases(2, [&](Case& c) {
    const double before = kinetic_energy(c) + c.payload.kinetic(orientation(c));
    attach(c);
    ASSERT_LE(kinetic_energy(c), before * (1.0 + 1e-12));
  });
}

TEST(Attach, ABodyAtRestTakesEnergyAway) {
  for_random_cases(3, [&](Case& c) {
    c.payload.v_com.setZero();
    c.payload.omega.setZero();
    const double before = kinetic_energy(c);
    attach(c);
    ASSERT_LT(kinetic_energy(c), before);
    ASSERT_GE(kinetic_energy(c), 0.0);
  });
}

TEST(Attach, RestStaysRest) {
  for_random_cases(4, [&](Case& c) {
    c.payload.v_com.setZero();
    c.payload.omega.setZero();
    c.s.v = {};
    attach(c);
    for (const double v : c.s.v) ASSERT_EQ(v, 0.0);
  });
}

// A payload that already moves with the link jolts nothing; so release and regrip is no change.
TEST(Attach, AfterDetachRestoresEverything) {
  double worst_inertia = 0.0, worst_rate = 0.0;
  for_random_cases(5, [&](Case& c) {
    const LinkInertia bare = c.inertia[static_cast<std::size_t>(c.link)];
    const int n = c.tree.link_count();
    attach(c);
    const Coordinates carried = c.s.v;
    const auto body = c.tree.link(c.link).body;
    const auto kinematics = multibody::forward_kinematics(c.tree, c.s.q.data(), c.s.v.data());
    const auto com = multibody::point_motion(c.tree, kinematics, body, c.payload.body.com);

    const auto released = multibody::detach(c.tree, c.inertia.data(), c.s.q.data(), c.s.v.data(),
                                            c.link, c.payload.in_link(c.tree, c.link));
    ASSERT_EQ(c.s.v, carried);
    keep_worst(worst_inertia, difference(c.inertia[static_cast<std::size_t>(c.link)], bare));
    ASSERT_LT((released.p_com_W - com.p_W).norm(), 1e-13);
    ASSERT_LT((released.v_com_W - com.v_W).norm(), 1e-13 * (1.0 + com.v_W.norm()));
    ASSERT_EQ(released.omega_W, kinematics.link[static_cast<std::size_t>(c.link)].omega_W);

    c.payload.v_com = released.v_com_W;
    c.payload.omega = released.omega_W;
    attach(c);
    keep_worst(worst_rate, relative_error(test::to_vector(c.s.v.data(), n),
                                          test::to_vector(carried.data(), n)));
  });
  std::printf("worst: inertia %.1e, rates %.1e\n", worst_inertia, worst_rate);
  EXPECT_LT(worst_inertia, 1e-12);
  EXPECT_LT(worst_rate, 1e-12);
}

// The swing bearing gives no moment about z: with the payload counted throughout, that angular
// momentum is kept, whatever the other joints do.
TEST(Attach, KeepsAngularMomentumAboutAFreeSwing) {
  test::Random random(6);
  const Tree tree = test::reference_crane();
  double worst = 0.0;
  for (int k = 0; k < 300; ++k) {
    Case c{tree, test::random_state(random, tree), random.index(3), random_payload(random),
           tree.link_inertias()};
    SpatialMomentum before = momentum_of_bodies(tree, c.s.q, c.s.v);
    const int body = tree.link(c.link).body;
    const auto kinematics = multibody::forward_kinematics(tree, c.s.q.data(), c.s.v.data());
    const Mat3 R = orientation(c);
    before.add(c.payload.body.mass, R * c.payload.body.about_com * R.transpose(),
               multibody::point_motion(tree, kinematics, body, c.payload.body.com).p_W,
               c.payload.v_com, c.payload.omega);
    attach(c);
    SpatialMomentum after = momentum_of_bodies(tree, c.s.q, c.s.v);
    add_body(after, tree, multibody::forward_kinematics(tree, c.s.q.data(), c.s.v.data()), body,
             c.payload.body);
    keep_worst(worst, std::fabs(after.angular.z() - before.angular.z()) /
                          (before.angular.norm() + after.angular.norm()));
  }
  std::printf("worst: %.1e\n", worst);
  EXPECT_LT(worst, 1e-12);
}

// The same for linear momentum: a trolley rolls freely along its rail.
TEST(Attach, KeepsLinearMomentumAlongAFreeRail) {
  test::Random random(7);
  double worst = 0.0;
  for (int k = 0; k < 100; ++k) {
    Tree tree;
    Body trolley;
    trolley.name = trolley.joint_name = "trolley";
    trolley.type = JointType::kPrismatic;
    trolley.axis_B = random.direction();
    trolley.inertia = test::random_inertia(random, 500.0, 0.5);
    tree.add_body(trolley);
    Body arm = trolley;
    arm.name = arm.joint_name = "arm";
    arm.parent = 0;
    arm.type = JointType::kRevolute;
    arm.in_parent.R = random.rotation();
    tree.add_body(arm);
    Case c{tree, test::random_state(random, tree), 1, random_payload(random), tree.link_inertias()};
    const Vec3 rail = trolley.axis_B;
    const Vec3 before =
        momentum_of_bodies(tree, c.s.q, c.s.v).linear + c.payload.body.mass * c.payload.v_com;
    attach(c);
    SpatialMomentum after = momentum_of_bodies(tree, c.s.q, c.s.v);
    add_body(after, tree, multibody::forward_kinematics(tree, c.s.q.data(), c.s.v.data()), 1,
             c.payload.body);
    keep_worst(worst, std::fabs(rail.dot(after.linear - before)) / before.norm());
  }
  std::printf("worst: %.1e\n", worst);
  EXPECT_LT(worst, 1e-12);
}

TEST(Attach, WeighsLikeAWeldedBody) {
  // A payload and the same body welded from the start make the same equations.
  test::Random random(8);
  Tree tree = test::reference_crane();
  Inertias inertia = tree.link_inertias();
  const Payload log = random_payload(random);
  Coordinates q{0.3, 0.4, -1.2}, v{};
  multibody::attach(tree, inertia.data(), q.data(), v.data(), 2, log.in_link(tree, 2), Vec3::Zero(),
                    Vec3::Zero());
  Body weld;
  weld.name = "log";
  weld.parent = tree.find_body("stick");
  weld.inertia = log.body;
  tree.add_body(weld);
  EXPECT_LT(difference(inertia[2], tree.link_inertias()[2]), 1e-15);
}

}  // namespace
}  // namespace knuckleboom
