#include "knuckleboom/core/integration/joint_speeds.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "knuckleboom/core/math/quadratic.hpp"
#include "knuckleboom/core/math/vector.hpp"
#include "support/error_norm.hpp"
#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

constexpr int kMost = 8;  // joints

using integration::NewtonReport;
using test::Matrix;
using test::Random;
using test::Vector;

// A torque that falls with speed, made of what a machine can have.
struct Law {
  double offset = 0.0;                            // holds or drives
  double friction = 0.0;                          // linear
  double orifice = 0.0, orifice_at = 0.0;         // parabola, flat at orifice_at
  double relief = 0.0, relief_at = 0.0;           // steep beyond a speed
  double backstop = 0.0, backstop_at = 0.0;       // steep below another
  double step = 0.0, step_at = 0.0, width = 1.0;  // a steep flight between two levels

  void operator()(double v, double& tau, double& dtau) const {
    const double u = v - orifice_at;
    tau = offset - friction * v - orifice * signed_square(u);
    dtau = -friction - 2.0 * orifice * std::fabs(u);
    if (v > relief_at) {
      tau -= relief * (v - relief_at);
      dtau -= relief;
    }
    if (v < backstop_at) {
      tau -= backstop * (v - backstop_at);
      dtau -= backstop;
    }
    const double s = std::clamp((v - step_at) / width, -1.0, 1.0);
    tau -= step * s;
    if (std::fabs(s) < 1.0) dtau -= step / width;
  }
};

struct Problem {
  int n = 0;
  double M[kMaxLinks][kMaxLinks] = {};
  double v_start[kMaxLinks] = {}, bias[kMaxLinks] = {}, guess[kMaxLinks] = {};
  Law law[kMaxLinks];

  void torque(const double* v, double* tau, double* dtau) const {
    for (int i = 0; i < n; ++i) law[i](v[i], tau[i], dtau[i]);
  }

  NewtonReport solve(double* v, const bool* held = nullptr,
                     const double* steepest = nullptr) const {
    return integration::solve_joint_speeds<kMaxLinks>(
        n, M, v_start, bias, held, v,
        [this](const double* x, double* tau, double* dtau) { torque(x, tau, dtau); }, steepest);
  }

  Vector residual(const double* v) const {
    double tau[kMaxLinks], dtau[kMaxLinks];
    torque(v, tau, dtau);
    Vector out(n);
    for (int i = 0; i < n; ++i) {
      out(i) = bias[i] - tau[i];
      for (int j = 0; j < n; ++j) out(i) += M[i][j] * (v[j] - v_start[j]);
    }
    return out;
  }

  // Size of the terms of which the residual is the sum.
  Vector scale(const double* v) const {
    double tau[kMaxLinks], dtau[kMaxLinks];
    torque(v, tau, dtau);
    Vector out(n);
    for (int i = 0; i < n; ++i) {
      out(i) = std::fabs(bias[i]) + std::fabs(tau[i]);
      for (int j = 0; j < n; ++j) out(i) += std::fabs(M[i][j] * (v[j] - v_start[j]));
    }
    return out;
  }
};

// M / g of a machine: 1e2 to 1e5 kg m^2 over 0.3 to 1 ms.
Problem random_problem(Random& random, int n) {
  Problem p;
  p.n = n;
  const double size = random.log_uniform(1e2, 1e5) / random.log_uniform(1e-4, 1e-3);
  double B[kMaxLinks][kMaxLinks];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) B[i][j] = random.uniform(-1.0, 1.0);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = i == j ? 0.05 : 0.0;
      for (int k = 0; k < n; ++k) sum += B[i][k] * B[j][k];
      p.M[i][j] = size * sum;
    }
  for (int i = 0; i < n; ++i) {
    p.v_start[i] = random.uniform(-1.0, 1.0);
    p.guess[i] = random.chance(0.5) ? p.v_start[i] : random.uniform(-3.0, 3.0);
    p.bias[i] = random.uniform(-3e5, 3e5);
    Law& law = p.law[i];
    law.offset = random.uniform(-1e6, 1e6);
    if (random.chance(0.7)) law.friction = random.log_uniform(1e2, 1e6);
    if (random.chance(0.7)) {
      law.orifice = random.log_uniform(1e4, 1e16);  // shut to the maximum resistance
      law.orifice_at = random.chance(0.5) ? 0.0 : random.uniform(-1e-2, 1e-2);  // leakage
    }
    // A light link in a hard end stop: its slope is hundreds of times what the mass gives.
    law.relief_at = random.uniform(-1.0, 1.5);
    law.backstop_at = law.relief_at - random.log_uniform(1e-6, 1.0);
    if (random.chance(0.5)) law.relief = size * random.log_uniform(1e-3, 1e3);
    if (random.chance(0.5)) law.backstop = size * random.log_uniform(1e-3, 1e3);
    law.step_at = random.uniform(-1.0, 1.0);
    law.step = random.chance(0.3) ? random.log_uniform(1e4, 1e6) : 0.0;
    law.width = std::max(random.log_uniform(1e-4, 1.0), law.step / (1e3 * size));
  }
  return p;
}

TEST(JointSpeeds, LinearProblemsTakeTwoEvaluations) {
  Random random(1);
  for (int k = 0; k < 500; ++k) {
    Problem p = random_problem(random, 1 + k % kMost);
    for (int i = 0; i < p.n; ++i) {
      Law law;
      law.offset = p.law[i].offset;
      law.friction = p.law[i].friction;
      p.law[i] = law;
    }
    double v[kMaxLinks];
    std::copy_n(p.guess, kMaxLinks, v);
    const NewtonReport report = p.solve(v);
    ASSERT_TRUE(report.converged);
    ASSERT_LE(report.iterations, 2);
    ASSERT_LT(p.residual(v).cwiseQuotient(p.scale(v)).cwiseAbs().maxCoeff(), 1e-11);
  }
}

TEST(JointSpeeds, KinksAndParabolasConverge) {
  Random random(2);
  int worst_iterations = 0, total = 0;
  double worst_error = 0.0, worst_fine = 0.0;
  constexpr int kProblems = 40000;
  for (int k = 0; k < kProblems; ++k) {
    const Problem p = random_problem(random, 1 + k % kMost);
    double v[kMaxLinks], exact[kMaxLinks];
    std::copy_n(p.guess, kMaxLinks, v);
    const NewtonReport report = p.solve(v);
    ASSERT_TRUE(report.converged) << k << " n " << p.n;
    worst_iterations = std::max(worst_iterations, report.iterations);
    total += report.iterations;
    // Going on from there: the answer to the last digits.
    std::copy_n(v, kMaxLinks, exact);
    for (int again = 0; again < 20; ++again) p.solve(exact);
    // Around a parabola's flat point residuals are small without saying much, and at a steep kink the
    // last bit of v is worth a lot: the residual is compared with what one bit of v can make of it.
    double tau[kMaxLinks], dtau[kMaxLinks];
    p.torque(exact, tau, dtau);
    const Vector left = p.residual(exact), scale = p.scale(exact);
    for (int i = 0; i < p.n; ++i) {
      const double bit = 1e-15 * (1.0 + std::fabs(exact[i])) * (std::fabs(dtau[i]) + 1e8);
      test::keep_worst(worst_fine, std::fabs(left(i)) / (1e-12 * scale(i) + 10.0 * bit));
      test::keep_worst(worst_error, std::fabs(v[i] - exact[i]));
    }
  }
  std::printf("evaluations: mean %.2f, most %d; worst error of a speed %.1e (fine residual %.1e)\n",
              static_cast<double>(total) / kProblems, worst_iterations, worst_error, worst_fine);
  EXPECT_LT(worst_error, 2.0 * integration::kCoarse);  // a parabola leaves as much as its last step
  EXPECT_LT(worst_fine, 1.0);
}

// Oil: steep up to a share of the inertia, flat somewhere, with kinks. Fewer evaluations, and no larger errors.
TEST(JointSpeeds, AKnownSteepestSlopeSavesEvaluations) {
  Random random(6);
  int by_size = 0, by_slope = 0;
  double worst = 0.0;
  for (int k = 0; k < 20000; ++k) {
    Problem p = random_problem(random, 1);
    const double steepest = p.M[0][0] * random.log_uniform(1e-4, 0.3);
    Law& law = p.law[0];
    law = Law{};
    law.offset = random.uniform(-1e6, 1e6);
    law.friction = steepest * random.uniform(0.0, 0.3);
    law.relief = steepest * random.uniform(0.0, 0.3);
    law.backstop = steepest * random.uniform(0.0, 0.3);
    law.step = random.log_uniform(1e4, 1e6);
    law.width = law.step / (0.1 * steepest);
    double exact[kMaxLinks] = {p.v_start[0]};
    for (int again = 0; again < 20; ++again) p.solve(exact);
    law.relief_at = exact[0] + random.uniform(-1e-3, 1e-3);  // kinks where they hurt
    law.backstop_at = law.relief_at - random.log_uniform(1e-6, 1e-3);
    law.step_at = exact[0] + law.width * random.uniform(-1.0, 1.0);
    for (int again = 0; again < 20; ++again) p.solve(exact);
    double v[kMaxLinks], w[kMaxLinks];
    v[0] = w[0] = exact[0] + random.log_uniform(1e-6, 1e-3);
    by_size += p.solve(v).iterations;
    by_slope += p.solve(w, nullptr, &steepest).iterations;
    test::keep_worst(worst, std::fabs(w[0] - exact[0]));
  }
  std::printf("evaluations %d instead of %d, worst error %.1e\n", by_slope, by_size, worst);
  EXPECT_LT(by_slope, 0.9 * by_size);
  EXPECT_LT(worst, 1.5 * integration::kErrorAtBend);
}

// A shut orifice has no slope at rest, and huge ones beside it: what a valve does when it opens.
TEST(JointSpeeds, StartsOnTheFlatOfAParabola) {
  Random random(3);
  int worst_iterations = 0;
  for (int k = 0; k < 5000; ++k) {
    Problem p = random_problem(random, 1);
    p.law[0] = Law{};
    p.law[0].offset = random.uniform(-1e6, 1e6);
    p.law[0].orifice = random.log_uniform(1e6, 1e18);
    p.v_start[0] = p.guess[0] = 0.0;
    double v = 0.0;
    double* const at = &v;
    const NewtonReport report = p.solve(at);
    ASSERT_TRUE(report.converged);
    worst_iterations = std::max(worst_iterations, report.iterations);
    const double exact =
        solve_signed_quadratic(p.law[0].orifice, p.M[0][0], p.law[0].offset - p.bias[0]);
    ASSERT_NEAR(v, exact, integration::kCoarse);
  }
  std::printf("most evaluations: %d\n", worst_iterations);
}

TEST(JointSpeeds, HeldJointsStayAndCarryNothingOver) {
  Random random(4);
  for (int k = 0; k < 2000; ++k) {
    const int n = 2 + k % 6;
    const Problem p = random_problem(random, n);
    bool held[kMaxLinks] = {};
    int free[kMaxLinks], count = 0;
    for (int i = 0; i < n; ++i) {
      held[i] = random.chance(0.4);
      if (!held[i]) free[count++] = i;
    }
    double v[kMaxLinks];
    std::copy_n(p.guess, kMaxLinks, v);
    ASSERT_TRUE(p.solve(v, held).converged);
    // The same problem without the held joints.
    Problem small;
    small.n = count;
    double w[kMaxLinks];
    for (int i = 0; i < count; ++i) {
      small.v_start[i] = p.v_start[free[i]];
      small.bias[i] = p.bias[free[i]];
      small.law[i] = p.law[free[i]];
      w[i] = p.guess[free[i]];
      for (int j = 0; j < count; ++j) small.M[i][j] = p.M[free[i]][free[j]];
    }
    if (count > 0) {
      ASSERT_TRUE(small.solve(w).converged);
    }
    for (int i = 0; i < count; ++i) ASSERT_NEAR(v[free[i]], w[i], 2.0 * integration::kCoarse) << k;
    for (int i = 0; i < n; ++i) {
      if (held[i]) {
        ASSERT_EQ(v[i], p.guess[i]);
      }
    }
  }
}

TEST(JointSpeeds, NamesItWhenThereIsNoSolution) {
  Random random(5);
  Problem p = random_problem(random, 3);
  double v[kMaxLinks] = {};
  p.M[1][1] = -1.0;  // no mass matrix
  p.law[1] = Law{};
  EXPECT_FALSE(p.solve(v).converged);
  p = random_problem(random, 3);
  p.bias[0] = std::nan("");
  const NewtonReport report = p.solve(v);
  EXPECT_FALSE(report.converged);
  EXPECT_LE(report.iterations, integration::kMaxNewtonIterations);
}

// A force across joints, as of a cylinder between pins: slope a matrix.
TEST(JointSpeeds, AForceAcrossJoints) {
  const double row[2] = {0.7, -1.3};
  double M[kMaxLinks][kMaxLinks] = {{3.0, 0.4}, {0.4, 2.0}};
  const double start[2] = {0.1, -0.2};
  const double bias[2] = {1.0, -2.0};
  const auto force = [](double x_dot) { return 4.0 - 5.0 * x_dot * std::fabs(x_dot) - x_dot; };
  double v[2] = {0.0, 0.0};
  const NewtonReport report = integration::solve_dense_joint_speeds<kMaxLinks>(
      2, M, start, bias, nullptr, v,
      [&](const double* u, double* tau, double(&dtau)[kMaxLinks][kMaxLinks]) {
        const double x_dot = row[0] * u[0] + row[1] * u[1];
        const double slope = -10.0 * std::fabs(x_dot) - 1.0;
        for (int i = 0; i < 2; ++i) {
          tau[i] = row[i] * force(x_dot);
          for (int j = 0; j <= i; ++j) dtau[i][j] = row[i] * slope * row[j];
        }
      });
  EXPECT_TRUE(report.converged);
  EXPECT_LT(report.iterations, 12);
  const double f = force(row[0] * v[0] + row[1] * v[1]);
  for (int i = 0; i < 2; ++i) {
    double left = bias[i] - row[i] * f;
    for (int j = 0; j < 2; ++j) left += M[i][j] * (v[j] - start[j]);
    EXPECT_NEAR(left, 0.0, 1e-9);
  }
}

}  // namespace
}  // namespace knuckleboom
