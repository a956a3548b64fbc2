// Eq. A1 of the reference crane written out by hand, against the recursive algorithms.
//
// The boom and stick move in the vertical plane that turns with the swing. Positions in that plane:
// radius from the swing axis and height; theta: boom angle; phi = theta + stick angle. As all parts are
// symmetric about the plane, the swing couples with the others through velocities only:
//   2 T = M11 w^2 + [theta', stick'] [M22 M23; M23 M33] [theta', stick']^T.
#include <cmath>
#include <cstdio>
#include <numbers>

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "knuckleboom/core/multibody/dynamics.hpp"
#include "support/crane.hpp"
#include "support/error_norm.hpp"
#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

struct ClosedForm {
  Mat3 M;
  Vec3 bias;
  double kinetic, potential;  // without the swing structure's constant share
};

// A point fixed to the stick at (x, z) in its frame.
struct StickPoint {
  double radius, height;          // from the swing axis; from the boom pivot
  double radius_phi, height_phi;  // derivatives by phi at fixed theta; the rest goes with the boom
  double square;                  // distance from the stick joint, squared
  double along, along_d;          // component along the boom from the stick joint, d/d stick
};

ClosedForm closed_form(const test::CraneNumbers& k, const Vec3& q, const Vec3& v) {
  const double theta = q(1), phi = q(1) + q(2);
  const double s1 = std::sin(theta), c1 = std::cos(theta);
  const double s12 = std::sin(phi), c12 = std::cos(phi);
  const double s2 = std::sin(q(2)), c2 = std::cos(q(2));
  const double L = k.boom_length;

  const double boom_r = k.boom_pivot_x + k.boom_com_x * c1 - k.boom_com_z * s1;
  const double boom_h = k.boom_com_x * s1 + k.boom_com_z * c1;
  const auto on_stick = [&](double x, double z) {
    StickPoint p;
    p.radius = k.boom_pivot_x + L * c1 + x * c12 - z * s12;
    p.height = L * s1 + x * s12 + z * c12;
    p.radius_phi = -x * s12 - z * c12;
    p.height_phi = x * c12 - z * s12;
    p.square = x * x + z * z;
    p.along = x * c2 - z * s2;
    p.along_d = -x * s2 - z * c2;
    return p;
  };
  const StickPoint com = on_stick(k.stick_com_x, k.stick_com_z);
  const StickPoint tip = on_stick(k.stick_length, 0.0);
  const double mb = k.boom_mass, ms = k.stick_mass, mh = k.head_mass;

  ClosedForm out;
  const double M33 = k.stick_I_t + ms * com.square + mh * tip.square;
  const double along = ms * com.along + mh * tip.along;
  const double along_d = ms * com.along_d + mh * tip.along_d;
  const double M23 = M33 + L * along;
  const double M22 = k.boom_I_t + mb * (k.boom_com_x * k.boom_com_x + k.boom_com_z * k.boom_com_z) +
                     (ms + mh) * L * L + M33 + 2.0 * L * along;
  const double M11 = k.I_swing + k.boom_I_x * s1 * s1 + k.boom_I_t * c1 * c1 +
                     k.stick_I_x * s12 * s12 + k.stick_I_t * c12 * c12 + mb * boom_r * boom_r +
                     ms * com.radius * com.radius + mh * tip.radius * tip.radius;
  out.M << M11, 0.0, 0.0, 0.0, M22, M23, 0.0, M23, M33;

  // Derivatives of M: by the boom (dM_1), by the stick (dM_2); none by the swing.
  const double M11_stick = 2.0 * (k.stick_I_x - k.stick_I_t) * s12 * c12 +
                           2.0 * ms * com.radius * com.radius_phi +
                           2.0 * mh * tip.radius * tip.radius_phi;
  const double M11_boom = M11_stick + 2.0 * (k.boom_I_x - k.boom_I_t) * s1 * c1 -
                          2.0 * mb * boom_r * boom_h -
                          2.0 * L * s1 * (ms * com.radius + mh * tip.radius);
  Mat3 dM[3];
  dM[0].setZero();
  dM[1].setZero();
  dM[1](0, 0) = M11_boom;
  dM[2] << M11_stick, 0.0, 0.0, 0.0, 2.0 * L * along_d, L * along_d, 0.0, L * along_d, 0.0;

  const Vec3 G(0.0,
               k.g * (mb * (boom_r - k.boom_pivot_x) + ms * (com.radius - k.boom_pivot_x) +
                      mh * (tip.radius - k.boom_pivot_x)),
               k.g * (ms * com.height_phi + mh * tip.height_phi));
  out.bias = G;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int m = 0; m < 3; ++m) {
        // Christoffel symbol of the first kind.
        const double c = 0.5 * (dM[m](i, j) + dM[j](i, m) - dM[i](j, m));
        out.bias(i) += c * v(j) * v(m);
      }
  out.kinetic = 0.5 * v.dot(out.M * v);
  out.potential = k.g * (mb * (k.boom_pivot_z + boom_h) + ms * (k.boom_pivot_z + com.height) +
                         mh * (k.boom_pivot_z + tip.height));
  return out;
}

TEST(CraneClosedForm, AgreesWithTheRecursiveAlgorithms) {
  const multibody::Tree tree = test::reference_crane();
  const auto* inertia = tree.link_inertias().data();
  const test::CraneNumbers numbers;
  test::Random random(20020604);
  double worst_M = 0.0, worst_bias = 0.0, worst_a = 0.0, worst_tau = 0.0, worst_energy = 0.0;
  for (int k = 0; k < 5000; ++k) {
    const Vec3 q = random.vector(std::numbers::pi);
    const Vec3 v = random.vector(3.0), a = random.vector(5.0), tau = random.vector(2e5);
    const ClosedForm exact = closed_form(numbers, q, v);

    multibody::MassAndBias ours;
    multibody::mass_and_bias(tree, inertia, q.data(), v.data(), ours);
    test::keep_worst(worst_M, test::relative_error(test::to_matrix(ours.M, 3), exact.M));
    test::keep_worst(worst_bias, test::relative_error(test::to_vector(ours.bias, 3), exact.bias));

    Vec3 torque, acceleration;
    multibody::inverse_dynamics(tree, inertia, q.data(), v.data(), a.data(), torque.data());
    test::keep_worst(worst_tau, test::relative_error(torque, Vec3(exact.M * a + exact.bias)));

    const Vec3 expected = exact.M.llt().solve(tau - exact.bias);
    multibody::forward_dynamics(tree, inertia, q.data(), v.data(), tau.data(), acceleration.data());
    test::keep_worst(worst_a, test::relative_error(acceleration, expected));

    const multibody::Energy energy = multibody::energy(tree, inertia, q.data(), v.data());
    test::keep_worst(worst_energy, std::fabs(energy.kinetic - exact.kinetic) / exact.kinetic);
    // The potential passes through zero: compare with the weight at 10 m.
    test::keep_worst(worst_energy, std::fabs(energy.potential - exact.potential) / 2.8e5);
  }
  std::printf(
      "worst relative difference from the closed form: M %.1e, bias %.1e, forward %.1e, "
      "inverse %.1e, energy %.1e\n",
      worst_M, worst_bias, worst_a, worst_tau, worst_energy);
  EXPECT_LT(worst_M, 1e-12);
  EXPECT_LT(worst_bias, 1e-12);
  EXPECT_LT(worst_a, 1e-12);
  EXPECT_LT(worst_tau, 1e-12);
  EXPECT_LT(worst_energy, 1e-12);
}

TEST(CraneClosedForm, HoldsItselfUpByHand) {
  // Everything level: the torque about the boom pivot is weight times lever arm.
  const multibody::Tree tree = test::reference_crane();
  const double q[3] = {0.4, 0.0, 0.0}, rest[3] = {};
  double tau[3];
  multibody::inverse_dynamics(tree, tree.link_inertias().data(), q, rest, rest, tau);
  const double stick = 9.81 * (650.0 * 1.3 + 800.0 * 3.2);
  const double boom = 9.81 * (1400.0 * 2.3 + 650.0 * 6.3 + 800.0 * 8.2);
  EXPECT_NEAR(tau[0], 0.0, 1e-9);
  EXPECT_NEAR(tau[1], boom, 1e-9);
  EXPECT_NEAR(tau[2], stick, 1e-9);
}

}  // namespace
}  // namespace knuckleboom
