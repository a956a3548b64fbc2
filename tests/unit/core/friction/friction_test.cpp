// Friction laws: values of the printed curves, slopes against differences, bounds that the solver trusts.
#include "knuckleboom/core/friction/friction.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace knuckleboom {
namespace {

using friction::Force;
using friction::FrictionModel;
using friction::Kind;

FrictionModel stribeck() {
  FrictionModel m;
  m.kind = Kind::kStribeck;
  m.F_c = 100.0;
  m.F_s = 160.0;
  m.v_s = 0.02;
  return m;
}

FrictionModel lugre() {
  FrictionModel m = stribeck();
  m.kind = Kind::kLuGre;
  m.sigma_0 = 1e6;
  m.sigma_1 = 500.0;
  return m;
}

TEST(Friction, SlidingFollowsStribecksCurve) {
  const FrictionModel m = stribeck();
  EXPECT_DOUBLE_EQ(friction::sliding(m, 1.0, 0.0).force, 160.0);
  EXPECT_NEAR(friction::sliding(m, 1.0, 0.02).force, 100.0 + 60.0 / std::exp(1.0), 1e-11);
  EXPECT_NEAR(friction::sliding(m, -1.0, -1.0).force, -100.0, 1e-12);
  for (const double v : {-0.05, -0.01, 0.003, 0.02, 0.06}) {
    const double d = 1e-7;
    const double sense = v > 0.0 ? 1.0 : -1.0;
    EXPECT_NEAR(
        friction::sliding(m, sense, v).slope,
        (friction::sliding(m, sense, v + d).force - friction::sliding(m, sense, v - d).force) /
            (2.0 * d),
        1e-3);
  }
}

// Eq. 10 with its signs settled: F_s at V_min and F_c + C_V n V_min at the fall's end, the viscous part
// included, and no jump anywhere.
TEST(Friction, ContinuousCurveMeetsThePrintedPoints) {
  const double C = 50.0;
  const FrictionModel m = friction::continuous_coulomb_viscous(30.0, 45.0, C, 0.01, 1.8);
  const auto total = [&](double v) { return friction::continuous(m, v).force + C * v; };
  EXPECT_NEAR(total(0.01), 45.0, 1e-12);
  EXPECT_NEAR(total(0.018), 30.0 + C * 0.018, 1e-12);
  EXPECT_NEAR(total(0.5), 30.0 + C * 0.5, 1e-12);
  EXPECT_NEAR(total(-0.014), -0.5 * (45.0 + 30.0 + C * 0.018), 1e-12);
  EXPECT_DOUBLE_EQ(friction::continuous(m, 0.005).force, 0.5 * friction::continuous(m, 0.01).force);
  EXPECT_DOUBLE_EQ(total(0.0), 0.0);
}

TEST(Friction, BristlesSettleOnTheCurve) {
  const FrictionModel m = lugre();
  for (const double v : {-0.3, -0.01, 0.004, 0.1}) {
    double z = 0.0;
    for (int k = 0; k < 2000; ++k) z = friction::bristle(m, z, 1e-3, v).z;
    EXPECT_NEAR(m.sigma_0 * z, std::copysign(friction::stribeck_level(m, v).force, v), 1e-6);
  }
  // Whatever the step: never beyond static friction.
  for (const double g : {1e-6, 1e-3, 1.0}) {
    double z = 0.0;
    for (int k = 0; k < 200; ++k) {
      z = friction::bristle(m, z, g, 0.5 * std::sin(0.7 * k)).z;
      EXPECT_LE(std::fabs(m.sigma_0 * z), m.F_s * (1.0 + 1e-12));
    }
  }
}

TEST(Friction, BristleSlopesAreThoseOfTheStage) {
  const FrictionModel m = lugre();
  for (const double z : {-1.5e-4, 0.0, 1.4e-4})
    for (const double v : {-0.05, -0.01, 0.006, 0.03}) {
      const double d = 1e-8, g = 3e-4;
      const auto force = [&](double speed) {
        return friction::bristle_force(m, z, friction::bristle(m, z, g, speed), g, 0.7);
      };
      EXPECT_NEAR(force(v).slope, (force(v + d).force - force(v - d).force) / (2.0 * d),
                  1e-5 * (m.sigma_0 * g + m.sigma_1));
    }
}

TEST(Friction, BristleStepIsOfSecondOrder) {
  const FrictionModel m = lugre();
  const double v = 0.004, z_0 = -1.2e-4;
  const double level = friction::stribeck_level(m, v).force;
  const double end = level / m.sigma_0;
  double worst[2];
  for (int fine = 0; fine < 2; ++fine) {
    const double h = fine == 0 ? 4e-3 : 2e-3;
    double z = z_0;
    for (int k = 0; k < (fine == 0 ? 10 : 20); ++k) z = friction::bristle_step(m, z, h, v).z;
    worst[fine] = std::fabs(z - (end + (z_0 - end) * std::exp(-0.04 * m.sigma_0 * v / level)));
    const double d = 1e-8;
    EXPECT_NEAR(
        friction::bristle_step(m, z_0, h, v).slope,
        (friction::bristle_step(m, z_0, h, v + d).z - friction::bristle_step(m, z_0, h, v - d).z) /
            (2.0 * d),
        1e-6 * h);
  }
  EXPECT_NEAR(worst[0] / worst[1], 4.0, 0.4);
  // A long step ends where sliding does.
  EXPECT_NEAR(friction::bristle_step(m, z_0, 1e3, v).z, end, 1e-6 * end);
}

// The solver stays on one solution because of this bound.
TEST(Friction, NoCurveFallsMoreSteeplyThanItsBound) {
  const double g = 3e-4;
  const FrictionModel models[] = {
      stribeck(), lugre(), friction::continuous_coulomb_viscous(30.0, 45.0, 50.0, 0.01, 1.8)};
  for (const FrictionModel& m : models) {
    double steepest = 0.0;
    for (int i = 1; i < 20000; ++i) {
      const double v = 1e-5 * i;
      double slope = 0.0;
      if (m.kind == Kind::kStribeck) slope = friction::sliding(m, 1.0, v).slope;
      if (m.kind == Kind::kContinuous) slope = friction::continuous(m, v).slope;
      if (m.kind == Kind::kLuGre) {
        const double z = m.F_s / m.sigma_0;
        slope = std::min(
            friction::bristle_force(m, z, friction::bristle(m, z, g, v), g, 1.0).slope,
            friction::bristle_force(m, z, friction::bristle_step(m, z, g, v), g, 1.0).slope);
      }
      steepest = std::max(steepest, -slope);
    }
    EXPECT_GT(steepest, 0.0);
    EXPECT_LE(steepest, friction::steepest_fall(m, g) * (1.0 + 1e-9));
  }
}

TEST(Friction, RefusesWhatNoFrictionCanBe) {
  EXPECT_EQ(friction::fault_of(stribeck()), nullptr);
  FrictionModel m = stribeck();
  m.F_s = 99.0;
  EXPECT_STREQ(friction::fault_of(m), "static friction must not be below Coulomb friction");
  m = lugre();
  m.sigma_0 = 0.0;
  EXPECT_STREQ(friction::fault_of(m), "the bristles need a stiffness above zero");
}

}  // namespace
}  // namespace knuckleboom
