// The algorithms against each other and against sums over bodies, on random trees.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "knuckleboom/core/math/cholesky.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "support/error_norm.hpp"
#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

using multibody::Body;
using multibody::kBase;
using multibody::LinkInertia;
using multibody::MassAndBias;
using multibody::Tree;
using test::Coordinates;
using test::keep_worst;
using test::Matrix;
using test::MotionState;
using test::relative_error;
using test::to_matrix;
using test::to_vector;
using test::Vector;

constexpr int kTrees = 400;

template <class Check>
void for_random_trees(std::uint64_t seed, Check check) {
  test::Random random(seed);
  for (int k = 0; k < kTrees; ++k) {
    test::TreeOptions options;
    options.massless_links = k % 2 == 1;
    const Tree tree = test::random_tree(random, options);
    const MotionState s = test::random_state(random, tree);
    SCOPED_TRACE(k);
    check(tree, tree.link_inertias().data(), s);
    if (testing::Test::HasFatalFailure()) return;
  }
}

Coordinates along(const Coordinates& x, double t, const Coordinates& rate, double half_t2 = 0.0,
                  const Coordinates& second = {}) {
  Coordinates out = x;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += t * rate[i] + half_t2 * second[i];
  return out;
}

// Sixth order central difference of f at 0.
template <class F>
auto derivative(F f, double h) {
  using Value = decltype(f(h));
  const Value d1 = f(h) - f(-h);
  const Value d2 = f(2.0 * h) - f(-2.0 * h);
  const Value d3 = f(3.0 * h) - f(-3.0 * h);
  return Value((45.0 * d1 - 9.0 * d2 + d3) / (60.0 * h));
}

TEST(MultibodyConsistency, InverseDynamicsIsMassTimesAccelerationPlusBias) {
  double worst = 0.0;
  for_random_trees(1, [&](const Tree& tree, const LinkInertia* inertia, const MotionState& s) {
    const int n = tree.link_count();
    MassAndBias system;
    multibody::mass_and_bias(tree, inertia, s.q.data(), s.v.data(), system);
    double tau[kMaxLinks];
    multibody::inverse_dynamics(tree, inertia, s.q.data(), s.v.data(), s.a.data(), tau);
    const Vector expected =
        to_matrix(system.M, n) * to_vector(s.a.data(), n) + to_vector(system.bias, n);
    keep_worst(worst, relative_error(to_vector(tau, n), expected));
  });
  std::printf("worst: %.1e\n", worst);
  EXPECT_LT(worst, 1e-12);
}

TEST(MultibodyConsistency, ArticulatedBodiesSolveTheSameEquation) {
  double worst = 0.0, worst_residual = 0.0, worst_round_trip = 0.0;
  for_random_trees(2, [&](const Tree& tree, const LinkInertia* inertia, const MotionState& s) {
    const int n = tree.link_count();
    MassAndBias system;
    multibody::mass_and_bias(tree, inertia, s.q.data(), s.v.data(), system);
    const Matrix M = to_matrix(system.M, n);
    const Vector bias = to_vector(system.bias, n), tau = to_vector(s.tau.data(), n);
    double a[kMaxLinks], expected[kMaxLinks], back[kMaxLinks], torque[kMaxLinks];
    multibody::forward_dynamics(tree, inertia, s.q.data(), s.v.data(), s.tau.data(), a);
    for (int i = 0; i < n; ++i) expected[i] = tau(i) - bias(i);
    ASSERT_TRUE(solve_positive_definite(n, system.M, expected));
    const Vector solution = to_vector(a, n);
    keep_worst(worst, relative_error(solution, to_vector(expected, n)));
    // The residual does not depend on the condition of M.
    keep_worst(worst_residual, (M * solution + bias - tau).norm() /
                                   (M.norm() * solution.norm() + bias.norm() + tau.norm()));
    multibody::inverse_dynamics(tree, inertia, s.q.data(), s.v.data(), s.a.data(), torque);
    multibody::forward_dynamics(tree, inertia, s.q.data(), s.v.data(), torque, back);
    keep_worst(worst_round_trip, relative_error(to_vector(back, n), to_vector(s.a.data(), n)));
  });
  std::printf("worst: forward %.1e, residual %.1e, there and back %.1e\n", worst, worst_residual,
              worst_round_trip);
  EXPECT_LT(worst, 1e-9);
  EXPECT_LT(worst_residual, 1e-13);
  EXPECT_LT(worst_round_trip, 1e-9);
}

// M = sum over bodies of J^T m J + W^T I W: no recursion, no composite inertias.
TEST(MultibodyConsistency, MassMatrixIsTheSumOverBodies) {
  double worst_M = 0.0, worst_kinetic = 0.0;
  for_random_trees(3, [&](const Tree& tree, const LinkInertia* inertia, const MotionState& s) {
    const int n = tree.link_count();
    const auto kinematics = multibody::forward_kinematics(tree, s.q.data(), s.v.data());
    Matrix expected = Matrix::Zero(n, n);
    for (int b = 0; b < tree.body_count(); ++b) {
      const Body& body = tree.body(b);
      const auto com = multibody::point_motion(tree, kinematics, b, body.inertia.com);
      const Mat3 R = multibody::body_pose(tree, kinematics, b).R;
      Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, kMaxLinks> J(3, n), W(3, n);
      W.setZero();
      for (int i = 0; i < n; ++i) J.col(i) = com.J_W[static_cast<std::size_t>(i)];
      for (int i = body.link; i != kBase; i = tree.link(i).parent)
        if (tree.link(i).revolute) W.col(i) = kinematics.link[static_cast<std::size_t>(i)].axis_W;
      expected += body.inertia.mass * J.transpose() * J +
                  W.transpose() * (R * body.inertia.about_com * R.transpose()) * W;
    }
    MassAndBias system;
    multibody::mass_and_bias(tree, inertia, s.q.data(), s.v.data(), system);
    const Matrix M = to_matrix(system.M, n);
    ASSERT_EQ(M, M.transpose());
    ASSERT_EQ(M.llt().info(), Eigen::Success);
    keep_worst(worst_M, relative_error(M, expected));
    const Vector v = to_vector(s.v.data(), n);
    const double kinetic = multibody::energy(tree, inertia, s.q.data(), s.v.data()).kinetic;
    keep_worst(worst_kinetic, std::fabs(kinetic - 0.5 * v.dot(M * v)) / kinetic);
  });
  std::printf("worst: M %.1e, kinetic energy %.1e\n", worst_M, worst_kinetic);
  EXPECT_LT(worst_M, 1e-12);
  EXPECT_LT(worst_kinetic, 1e-12);
}

TEST(MultibodyConsistency, BiasAtRestIsTheGradientOfThePotential) {
  double worst_sum = 0.0, worst_gradient = 0.0;
  for_random_trees(4, [&](const Tree& tree, const LinkInertia* inertia, const MotionState& s) {
    const int n = tree.link_count();
    const Coordinates rest{};
    MassAndBias system;
    multibody::mass_and_bias(tree, inertia, s.q.data(), rest.data(), system);
    const Vector bias = to_vector(system.bias, n);

    // Weight of each body times the Jacobian of its centre of mass.
    const auto kinematics = multibody::forward_kinematics(tree, s.q.data(), rest.data());
    Vector sum = Vector::Zero(n);
    double weight = 0.0;
    for (int b = 0; b < tree.body_count(); ++b) {
      const auto& body = tree.body(b).inertia;
      const auto com = multibody::point_motion(tree, kinematics, b, body.com);
      for (int i = 0; i < n; ++i)
        sum(i) -= body.mass * tree.gravity_W.dot(com.J_W[static_cast<std::size_t>(i)]);
      weight += body.mass * tree.gravity_W.norm();
    }
    keep_worst(worst_sum, (bias - sum).norm() / weight);

    for (int i = 0; i < n; ++i) {
      Coordinates unit{};
      unit[static_cast<std::size_t>(i)] = 1.0;
      const double slope = derivative(
          [&](double t) {
            const Coordinates q = along(s.q, t, unit);
            return multibody::energy(tree, inertia, q.data(), rest.data()).potential;
          },
          0.01);
      keep_worst(worst_gradient, std::fabs(slope - bias(i)) / weight);
    }
  });
  std::printf("worst, by weight: sum %.1e, gradient %.1e\n", worst_sum, worst_gradient);
  EXPECT_LT(worst_sum, 1e-13);
  EXPECT_LT(worst_gradient, 1e-10);
}

// d/dt (kinetic + potential) = v . tau along the motion that forward dynamics starts.
TEST(MultibodyConsistency, PowerBalance) {
  double worst = 0.0;
  for_random_trees(5, [&](const Tree& tree, const LinkInertia* inertia, const MotionState& s) {
    const int n = tree.link_count();
    Coordinates a{};
    multibody::forward_dynamics(tree, inertia, s.q.data(), s.v.data(), s.tau.data(), a.data());
    double fastest = 1.0;
    for (std::size_t i = 0; i < a.size(); ++i)
      fastest = std::max({fastest, std::fabs(s.v[i]), std::sqrt(std::fabs(a[i]))});
    const double h = 2e-3 / fastest;
    const double power = derivative(
        [&](double t) {
          const Coordinates q = along(s.q, t, s.v, 0.5 * t * t, a);
          const Coordinates v = along(s.v, t, a);
          const auto e = multibody::energy(tree, inertia, q.data(), v.data());
          return e.kinetic + e.potential;
        },
        h);
    const auto e = multibody::energy(tree, inertia, s.q.data(), s.v.data());
    const Vector tau = to_vector(s.tau.data(), n), v = to_vector(s.v.data(), n);
    const double scale = tau.norm() * v.norm() + (e.kinetic + std::fabs(e.potential)) * fastest;
    keep_worst(worst, std::fabs(power - tau.dot(v)) / scale);
  });
  std::printf("worst: %.1e\n", worst);
  EXPECT_LT(worst, 1e-9);
}

// V from derivatives of M (Lagrange) instead of forces: V = M' v - 1/2 grad(v' M v).
TEST(MultibodyConsistency, VelocityBiasFollowsFromTheMassMatrix) {
  double worst = 0.0;
  for_random_trees(6, [&](const Tree& tree, const LinkInertia* inertia, const MotionState& s) {
    const int n = tree.link_count();
    const Coordinates rest{};
    MassAndBias moving, still;
    multibody::mass_and_bias(tree, inertia, s.q.data(), s.v.data(), moving);
    multibody::mass_and_bias(tree, inertia, s.q.data(), rest.data(), still);
    const Vector v = to_vector(s.v.data(), n);
    const auto momentum = [&](const Coordinates& q) {
      MassAndBias at;
      multibody::mass_and_bias(tree, inertia, q.data(), rest.data(), at);
      return Vector(to_matrix(at.M, n) * v);
    };
    Vector expected = derivative([&](double t) { return momentum(along(s.q, t, s.v)); }, 3e-3);
    for (int i = 0; i < n; ++i) {
      Coordinates unit{};
      unit[static_cast<std::size_t>(i)] = 1.0;
      expected(i) -=
          derivative([&](double t) { return 0.5 * v.dot(momentum(along(s.q, t, unit))); }, 0.01);
    }
    const double scale = to_matrix(still.M, n).norm() * v.squaredNorm();
    keep_worst(worst,
               (to_vector(moving.bias, n) - to_vector(still.bias, n) - expected).norm() / scale);
  });
  std::printf("worst: %.1e\n", worst);
  EXPECT_LT(worst, 1e-9);
}

TEST(MultibodyConsistency, VelocitiesAreDerivativesOfPoses) {
  double worst_jacobian = 0.0, worst_velocity = 0.0, worst_turn = 0.0;
  test::Random random(70);
  for_random_trees(7, [&](const Tree& tree, const LinkInertia*, const MotionState& s) {
    const int n = tree.link_count();
    const int b = random.index(tree.body_count());
    const Vec3 p_B = random.vector(1.0);
    const auto at = [&](const Coordinates& q) {
      return multibody::forward_kinematics(tree, q.data(), s.v.data());
    };
    const auto here = at(s.q);
    const auto motion = multibody::point_motion(tree, here, b, p_B);
    const auto position = [&](const Coordinates& q) {
      const auto pose = multibody::body_pose(tree, at(q), b);
      return Vec3(pose.R * p_B + pose.p);
    };
    keep_worst(worst_velocity, (position(s.q) - motion.p_W).norm());
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      Coordinates unit{};
      unit[k] = 1.0;
      const Vec3 column = derivative([&](double t) { return position(along(s.q, t, unit)); }, 0.01);
      keep_worst(worst_jacobian, (column - motion.J_W[k]).norm());
      sum += motion.J_W[k] * s.v[k];
    }
    keep_worst(worst_velocity, (sum - motion.v_W).norm() / (1.0 + sum.norm()));

    const int link = tree.body(b).link;
    if (link == kBase) return;
    const Mat3 dR = derivative(
        [&](double t) { return multibody::body_pose(tree, at(along(s.q, t, s.v)), b).R; }, 3e-3);
    const Vec3& omega = here.link[static_cast<std::size_t>(link)].omega_W;
    const Mat3 R = multibody::body_pose(tree, here, b).R;
    for (int c = 0; c < 3; ++c)
      keep_worst(worst_turn,
                 (dR.col(c) - omega.cross(Vec3(R.col(c)))).norm() / (1.0 + omega.norm()));
  });
  std::printf("worst: Jacobian %.1e, velocity %.1e, turn %.1e\n", worst_jacobian, worst_velocity,
              worst_turn);
  EXPECT_LT(worst_jacobian, 1e-10);
  EXPECT_LT(worst_velocity, 1e-13);
  EXPECT_LT(worst_turn, 1e-10);
}

TEST(MultibodyConsistency, SinesAndCosinesAreThoseOfTheJoints) {
  for_random_trees(8, [&](const Tree& tree, const LinkInertia* inertia, const MotionState& s) {
    MassAndBias out;
    multibody::mass_and_bias(tree, inertia, s.q.data(), s.v.data(), out);
    for (int i = 0; i < tree.link_count(); ++i) {
      const double q = s.q[static_cast<std::size_t>(i)];
      const bool revolute = tree.link(i).revolute;
      ASSERT_NEAR(out.sin_q[i], revolute ? std::sin(q) : 0.0, 4e-16);
      ASSERT_NEAR(out.cos_q[i], revolute ? std::cos(q) : 0.0, 4e-16);
    }
  });
}

}  // namespace
}  // namespace knuckleboom
