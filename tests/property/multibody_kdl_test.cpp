// Dynamics of random chains and trees against KDL (Newton-Euler and composite bodies in body frames).
#include <cstdio>
#include <string>

#include <gtest/gtest.h>
#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/tree.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>

#include "knuckleboom/core/multibody/dynamics.hpp"
#include "support/error_norm.hpp"
#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

using multibody::Body;
using multibody::JointType;
using multibody::kBase;
using test::Matrix;
using test::relative_error;
using test::Vector;

KDL::Vector to_kdl(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

KDL::JntArray to_kdl(const test::Coordinates& x, int n) {
  KDL::JntArray out(static_cast<unsigned>(n));
  for (int i = 0; i < n; ++i) out.data(i) = x[static_cast<std::size_t>(i)];
  return out;
}

// KDL has the joint in the parent's frame and the body frame beyond it; inertias as ours.
KDL::Segment to_segment(const Body& b) {
  const Mat3& R = b.in_parent.R;
  const Mat3& I = b.inertia.about_com;
  const KDL::Vector p = to_kdl(b.in_parent.p);
  const KDL::Rotation turn(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1),
                           R(2, 2));
  const KDL::RigidBodyInertia inertia(
      b.inertia.mass, to_kdl(b.inertia.com),
      KDL::RotationalInertia(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)));
  KDL::Joint joint(b.name, KDL::Joint::Fixed);
  if (b.type != JointType::kFixed)
    joint =
        KDL::Joint(b.joint_name, p, to_kdl(R * b.axis_B),
                   b.type == JointType::kRevolute ? KDL::Joint::RotAxis : KDL::Joint::TransAxis);
  return KDL::Segment(b.name, joint, KDL::Frame(turn, p), inertia);
}

struct Ours {
  Matrix M;
  Vector bias, tau, a;
};

Ours evaluate(const multibody::Tree& tree, const test::MotionState& s) {
  const int n = tree.link_count();
  const auto* inertia = tree.link_inertias().data();
  multibody::MassAndBias system;
  multibody::mass_and_bias(tree, inertia, s.q.data(), s.v.data(), system);
  double tau[kMaxLinks], a[kMaxLinks];
  multibody::inverse_dynamics(tree, inertia, s.q.data(), s.v.data(), s.a.data(), tau);
  multibody::forward_dynamics(tree, inertia, s.q.data(), s.v.data(), s.tau.data(), a);
  return {test::to_matrix(system.M, n), test::to_vector(system.bias, n), test::to_vector(tau, n),
          test::to_vector(a, n)};
}

TEST(MultibodyAgainstKdl, RandomChains) {
  test::Random random(20020602);
  test::TreeOptions options;
  options.serial = true;
  double worst_M = 0.0, worst_bias = 0.0, worst_a = 0.0;
  for (int k = 0; k < 300; ++k) {
    const multibody::Tree tree = test::random_tree(random, options);
    const int n = tree.link_count();
    KDL::Chain chain;
    for (int i = 0; i < tree.body_count(); ++i) chain.addSegment(to_segment(tree.body(i)));
    ASSERT_EQ(static_cast<int>(chain.getNrOfJoints()), n);
    const test::MotionState s = test::random_state(random, tree);
    const KDL::JntArray q = to_kdl(s.q, n), v = to_kdl(s.v, n), tau = to_kdl(s.tau, n);

    KDL::ChainDynParam parameters(chain, to_kdl(tree.gravity_W));
    KDL::JntSpaceInertiaMatrix M(static_cast<unsigned>(n));
    KDL::JntArray coriolis(static_cast<unsigned>(n)), gravity(static_cast<unsigned>(n));
    ASSERT_EQ(parameters.JntToMass(q, M), KDL::SolverI::E_NOERROR);
    ASSERT_EQ(parameters.JntToCoriolis(q, v, coriolis), KDL::SolverI::E_NOERROR);
    ASSERT_EQ(parameters.JntToGravity(q, gravity), KDL::SolverI::E_NOERROR);
    KDL::ChainFdSolver_RNE solver(chain, to_kdl(tree.gravity_W));
    const KDL::Wrenches no_force(chain.getNrOfSegments(), KDL::Wrench::Zero());
    KDL::JntArray a(static_cast<unsigned>(n));
    ASSERT_EQ(solver.CartToJnt(q, v, tau, no_force, a), KDL::SolverI::E_NOERROR);

    const Ours ours = evaluate(tree, s);
    test::keep_worst(worst_M, relative_error(ours.M, M.data));
    test::keep_worst(worst_bias,
                     relative_error(ours.bias, Eigen::VectorXd(coriolis.data + gravity.data)));
    test::keep_worst(worst_a, relative_error(ours.a, a.data));
  }
  std::printf("worst relative difference from KDL, chains: M %.1e, bias %.1e, forward %.1e\n",
              worst_M, worst_bias, worst_a);
  EXPECT_LT(worst_M, 1e-9);
  EXPECT_LT(worst_bias, 1e-9);
  EXPECT_LT(worst_a, 1e-9);
}

TEST(MultibodyAgainstKdl, RandomTrees) {
  test::Random random(20020603);
  double worst_M = 0.0, worst_bias = 0.0, worst_tau = 0.0;
  for (int k = 0; k < 300; ++k) {
    const multibody::Tree tree = test::random_tree(random);
    const int n = tree.link_count();
    KDL::Tree other("base");
    for (int i = 0; i < tree.body_count(); ++i) {
      const Body& b = tree.body(i);
      const std::string parent = b.parent == kBase ? "base" : tree.body(b.parent).name;
      ASSERT_TRUE(other.addSegment(to_segment(b), parent));
    }
    ASSERT_EQ(static_cast<int>(other.getNrOfJoints()), n);
    const test::MotionState s = test::random_state(random, tree);
    const KDL::JntArray q = to_kdl(s.q, n), v = to_kdl(s.v, n), a = to_kdl(s.a, n);
    const KDL::JntArray rest = to_kdl({}, n);

    KDL::TreeIdSolver_RNE solver(other, to_kdl(tree.gravity_W));
    KDL::TreeIdSolver_RNE weightless(other, KDL::Vector::Zero());
    KDL::JntArray tau(static_cast<unsigned>(n)), bias(static_cast<unsigned>(n));
    ASSERT_EQ(solver.CartToJnt(q, v, a, {}, tau), KDL::SolverI::E_NOERROR);
    ASSERT_EQ(solver.CartToJnt(q, v, rest, {}, bias), KDL::SolverI::E_NOERROR);
    Matrix M(n, n);
    for (int i = 0; i < n; ++i) {
      KDL::JntArray unit = rest, column = rest;
      unit.data(i) = 1.0;
      ASSERT_EQ(weightless.CartToJnt(q, rest, unit, {}, column), KDL::SolverI::E_NOERROR);
      M.col(i) = column.data;
    }

    const Ours ours = evaluate(tree, s);
    test::keep_worst(worst_M, relative_error(ours.M, M));
    test::keep_worst(worst_bias, relative_error(ours.bias, bias.data));
    test::keep_worst(worst_tau, relative_error(ours.tau, tau.data));
  }
  std::printf("worst relative difference from KDL, trees: M %.1e, bias %.1e, inverse %.1e\n",
              worst_M, worst_bias, worst_tau);
  EXPECT_LT(worst_M, 1e-9);
  EXPECT_LT(worst_bias, 1e-9);
  EXPECT_LT(worst_tau, 1e-9);
}

}  // namespace
}  // namespace knuckleboom
