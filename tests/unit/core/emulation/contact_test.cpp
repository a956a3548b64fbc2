// Contact of a peg against closed forms: penetration, bounce, Coulomb's limit, two-point contact and Whitney's
// jamming line.
#include "knuckleboom/core/emulation/contact.hpp"

#include <cmath>
#include <cstring>
#include <numbers>

#include <gtest/gtest.h>

namespace knuckleboom {
namespace {

using emulation::contact_wrench;
using emulation::ContactState;
using emulation::Peg;
using emulation::PegMotion;
using emulation::SiteKind;
using emulation::Worksite;
using emulation::Wrench;

constexpr Peg kPeg{0.02, 0.12};

ContactState no_contact() {
  ContactState state;
  std::memset(&state, 0, sizeof state);
  return state;
}

Worksite plane(double k, double tau, double mu) {
  Worksite site;
  site.law = {k, tau, mu};
  return site;
}

Worksite hole(double k, double tau, double mu, double clearance = 3e-4) {
  Worksite site = plane(k, tau, mu);
  site.kind = SiteKind::kHole;
  site.hole_radius = kPeg.radius + clearance;
  site.chamfer = 0.005;
  site.depth = 0.05;
  return site;
}

Mat3 tilted(double angle) {  // about y: the peg's axis leans towards +x
  Mat3 R = Mat3::Identity();
  R(0, 0) = R(2, 2) = std::cos(angle);
  R(0, 2) = std::sin(angle);
  R(2, 0) = -std::sin(angle);
  return R;
}

// A rigid peg with its centre of mass at the end face, under a constant wrench.
struct FreePeg {
  double mass, inertia;
  PegMotion motion;
  ContactState contact = no_contact();
  double work = 0.0;  // of the contact [J]

  Wrench step(const Worksite& site, const Wrench& applied, double h) {
    const Wrench w = contact_wrench(site, kPeg, motion, h, contact);
    const Vec3 v = motion.v + h / mass * (w.force + applied.force);
    const Vec3 omega = motion.omega + h / inertia * (w.moment + applied.moment);
    work += 0.5 * h * (w.force.dot(motion.v + v) + w.moment.dot(motion.omega + omega));
    motion.v = v;
    motion.omega = omega;
    motion.p += h * v;
    const double angle = h * omega.norm();
    if (angle > 0.0)
      motion.R = Eigen::AngleAxisd(angle, omega.normalized()).toRotationMatrix() * motion.R;
    return w;
  }
};

TEST(PegContact, RestsAtForceOverStiffness) {
  const double k = 1e5, F = 100.0;
  FreePeg peg{20.0, 0.5, {}, no_contact(), 0.0};
  const Worksite site = plane(k, 5e-3, 0.3);
  for (int i = 0; i < 20000; ++i) peg.step(site, {F * Vec3::UnitZ(), Vec3::Zero()}, 1e-4);
  EXPECT_NEAR(peg.motion.p.z(), F / k, 1e-9);
  const Wrench w = peg.step(site, {F * Vec3::UnitZ(), Vec3::Zero()}, 1e-4);
  EXPECT_NEAR(w.force.z(), -F, 1e-4);
  EXPECT_NEAR(w.moment.norm(), 0.0, 1e-6);
}

// Stands on its face: n points at radius r turn against k r^2 / 2.
TEST(PegContact, FaceResistsTilting) {
  const double k = 1e6, angle = 1e-4;
  PegMotion motion;
  motion.p.z() = 1e-4;
  motion.R = tilted(angle);
  ContactState state = no_contact();
  const Wrench w = contact_wrench(plane(k, 0.0, 0.0), kPeg, motion, 1e-4, state);
  EXPECT_NEAR(w.moment.y(), -k * kPeg.radius * kPeg.radius / 2.0 * angle, 1e-6);
}

// A spring and damper that let go when the force is zero: the speed back follows from the motion's closed form.
TEST(PegContact, BounceHasItsCoefficientOfRestitution) {
  const double k = 1e5, m = 10.0, v0 = 0.1;
  const double omega = std::sqrt(k / m);
  for (const double zeta : {0.0, 0.05, 0.2, 0.6}) {
    FreePeg peg{m, 0.5, {}, no_contact(), 0.0};
    peg.motion.v.z() = v0;
    peg.motion.p.z() = 1e-9;
    const Worksite site = plane(k, 2.0 * zeta / omega, 0.0);
    double least = 0.0;
    for (int i = 0; i < 400000 && peg.motion.p.z() > 0.0; ++i) {
      const Wrench w = peg.step(site, {}, 1e-6);
      least = std::min(least, -w.force.z());
    }
    EXPECT_GE(least, 0.0) << "it pulls";
    // x = e^(-zeta w t) sin(w_d t) v0 / w_d; the force ends at tan(w_d t) = 2 zeta s / (2 zeta^2 - 1).
    const double s = std::sqrt(1.0 - zeta * zeta);
    const double end = std::atan2(2.0 * zeta * s, 2.0 * zeta * zeta - 1.0);
    const double e = std::exp(-zeta / s * end);
    EXPECT_NEAR(-peg.motion.v.z() / v0, e, 2e-3) << zeta;
  }
}

// Whatever a peg does on a rough plane or in a hole, the contact generates no energy.
TEST(PegContact, NeverGeneratesEnergy) {
  for (const bool in_hole : {false, true}) {
    const Worksite site = in_hole ? hole(1e6, 2e-4, 0.3) : plane(1e6, 2e-4, 0.3);
    for (int seed = 0; seed < 20; ++seed) {
      FreePeg peg{10.0, 0.1, {}, no_contact(), 0.0};
      peg.motion.p = Vec3(0.003 * std::sin(seed), 0.003 * std::cos(2.0 * seed), -1e-3);
      peg.motion.R = tilted(0.01 * std::sin(3.0 * seed));
      peg.motion.v = Vec3(0.05 * std::cos(seed), 0.03, 0.2);
      peg.motion.omega = Vec3(0.3, -0.2 * std::sin(seed), 1.0);
      double most = -1.0;
      for (int i = 0; i < 20000; ++i) {
        peg.step(site, {}, 1e-5);
        most = std::max(most, peg.work);
      }
      EXPECT_LT(most, 1e-4 * 0.2) << "hole " << in_hole << ", seed " << seed;  // of 0.2 J
    }
  }
}

TEST(PegContact, SticksBelowCoulombsLimitAndSlidesAtIt) {
  const double mu = 0.3, F = 100.0;
  for (const double share : {0.9, 1.1}) {
    FreePeg peg{20.0, 0.5, {}, no_contact(), 0.0};
    const Worksite site = plane(1e5, 5e-3, mu);
    double pull = 0.0;  // grows by 10 N/s
    const auto held = [&](int ticks, double side) {
      Wrench w;
      for (int i = 0; i < ticks; ++i) {
        peg.motion.omega.setZero();  // guided: it does not tilt
        pull += std::min(side - pull, 1e-3);
        w = peg.step(site, {Vec3(pull, 0.0, F), Vec3::Zero()}, 1e-4);
      }
      return w;
    };
    held(20000, 0.0);
    const Wrench w = held(60000, share * mu * F);
    const double x = peg.motion.p.x();
    held(20000, share * mu * F);
    if (share < 1.0) {
      EXPECT_NEAR(peg.motion.p.x(), x, 1e-12) << "it creeps";
      EXPECT_NEAR(x, share * mu * F / (0.5 * 1e5), 1e-8);  // of the bristles
      EXPECT_NEAR(w.force.x(), -share * mu * F, 1e-4);
    } else {
      EXPECT_NEAR(w.force.x(), -mu * F, 1e-6);
      EXPECT_GT(peg.motion.p.x(), x + 1.0);
    }
  }
}

TEST(PegContact, ChamferGuidesIn) {
  ContactState state = no_contact();
  PegMotion motion;
  motion.p = Vec3(0.003, 0.0, 0.0024);  // the rim at +x is 0.1 mm below the chamfer's line
  const Worksite site = hole(1e6, 0.0, 0.0);
  const Wrench w = contact_wrench(site, kPeg, motion, 1e-4, state);
  const double depth = (0.003 + 0.02 - 0.0203 - 0.005 + 0.0024) / std::numbers::sqrt2;
  ASSERT_GT(depth, 0.0);
  EXPECT_EQ(state.touching, std::int64_t{1} << emulation::kRimPoint);
  EXPECT_NEAR(w.force.x(), -1e6 * depth / std::numbers::sqrt2, 1e-9);
  EXPECT_NEAR(w.force.z(), w.force.x(), 1e-9);
  motion.p = Vec3(0.0, 0.0, 0.03);  // in the middle of the hole nothing touches
  EXPECT_EQ(contact_wrench(site, kPeg, motion, 1e-4, state).force.norm(), 0.0);
  motion.p = Vec3(0.0, 0.0, 0.0501);  // on the bottom
  EXPECT_NEAR(contact_wrench(site, kPeg, motion, 1e-4, state).force.z(), -1e6 * 1e-4, 1e-6);
  motion.p = Vec3(0.0, 0.05, 0.0001);  // beside the hole
  EXPECT_LT(contact_wrench(site, kPeg, motion, 1e-4, state).force.z(), -50.0);
}

// The wrench that drives a tilted peg on lies on Whitney's line M/(r F_z) + mu (1 + lambda) F_x/F_z = lambda.
TEST(PegContact, TwoPointContactLiesOnWhitneysLine) {
  for (const double mu : {0.1, 0.3}) {
    for (const double angle : {0.003, 0.004}) {
      const Worksite site = hole(1e6, 0.0, mu, 5e-5);  // nearly upright
      PegMotion motion;
      motion.R = tilted(angle);
      motion.p = Vec3(0.5 * 0.04 * angle, 0.0, 0.045);
      motion.v = 0.01 * motion.R.col(2);
      ContactState state = no_contact();
      Wrench w;
      for (int i = 0; i < 100; ++i) w = contact_wrench(site, kPeg, motion, 1e-3, state);
      ASSERT_EQ(state.touching, (std::int64_t{1} << emulation::kRimPoint) |
                                    (std::int64_t{1} << emulation::kEdgePoint));
      const Vec3 force = -motion.R.transpose() * w.force;  // applied, along the peg's axes
      const double M = -w.moment.y();
      const double f1 = state.normal[emulation::kRimPoint];
      const double f2 = state.normal[emulation::kEdgePoint];
      EXPECT_NEAR(force.z(), mu * (f1 + f2), 0.03 * force.z());
      const double lambda = 0.04 / (2.0 * kPeg.radius * mu);  // engaged below the edge: 40 mm
      const double x = force.x() / force.z();
      EXPECT_NEAR(M / (kPeg.radius * force.z()) + mu * (1.0 + lambda) * x, lambda, 0.05 * lambda)
          << mu << " " << angle;
    }
  }
}

// A moment inside Whitney's parallelogram lets the peg slide in, one outside jams it.
TEST(PegContact, JamsBeyondWhitneysLine) {
  const double mu = 0.2, F_z = 50.0;
  const double angle = 2.0 * 5e-5 / 0.03;  // both sides touch at 30 mm of engagement
  const double lambda = 0.03 / (2.0 * kPeg.radius * mu);
  for (const double share : {0.7, 1.3}) {
    FreePeg peg{5.0, 0.02, {}, no_contact(), 0.0};
    peg.motion.R = tilted(angle);
    peg.motion.p = Vec3(5e-5, 0.0, 0.035);
    const Worksite site = hole(3e6, 2e-4, mu, 5e-5);
    const double M = share * lambda * kPeg.radius * F_z;
    const auto way = [&](int steps) {
      const double z = peg.motion.p.z();
      for (int i = 0; i < steps; ++i)
        peg.step(site, {Vec3(0.0, 0.0, F_z), Vec3(0.0, M, 0.0)}, 1e-5);
      return peg.motion.p.z() - z;
    };
    const double first = way(30000);
    if (share < 1.0)
      EXPECT_GT(first, 4e-3);
    else
      EXPECT_NEAR(way(30000), 0.0, 1e-6) << "after " << first;
  }
}

}  // namespace
}  // namespace knuckleboom
