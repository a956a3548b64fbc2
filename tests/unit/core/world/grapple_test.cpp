// The jaws' shape, motion and grip.
#include "knuckleboom/core/world/grapple.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "world_test_support.hpp"

namespace knuckleboom::world {
namespace {

Capsule cross_log(double x, double y, double angle = 0.0, double radius = 0.12) {
  // In the default frame: x is the log axis, y the open axis, reach is -z.
  const Vec3 along(std::cos(angle), std::sin(angle), 0.0);
  const Vec3 centre(0.0, x, -y);
  return {centre - 1.5 * along, centre + 1.5 * along, radius};
}

TEST(Grapple, TipsMeetWhenClosedAndPartAsAskedWhenOpen) {
  const GrappleFrame frame;
  const JawPoints closed = jaw_points(frame, 1, 0.0);
  EXPECT_NEAR(closed.tip.x(), frame.tine_radius, 1e-12);
  const JawPoints open = jaw_points(frame, 1, 1.0);
  EXPECT_NEAR(2.0 * (open.tip.x() - frame.tine_radius), frame.opening_max, 1e-12);
  for (const double opening : {0.0, 0.3, 1.0}) {
    const JawPoints right = jaw_points(frame, 1, opening);
    const JawPoints left = jaw_points(frame, -1, opening);
    EXPECT_EQ(left.tip, Vec3(-right.tip.x(), right.tip.y(), right.tip.z()));
    EXPECT_NEAR((right.tip - right.hinge).norm(), frame.jaw_length, 1e-12);
    EXPECT_NEAR(right.hinge.x(), 0.15, 1e-15);
    // The arms are alike and bow outwards.
    EXPECT_NEAR((right.elbow - right.hinge).norm(), (right.tip - right.elbow).norm(), 1e-12);
    EXPECT_NEAR((right.elbow - 0.5 * (right.hinge + right.tip)).norm(), kJawBow * 0.6, 1e-12);
    EXPECT_GT(right.elbow.x(), 0.5 * (right.hinge.x() + right.tip.x()));
  }
}

TEST(Grapple, PartsStandWhereThePointsSay) {
  GrappleFrame frame;
  frame.pin_W = Vec3(3.0, 4.0, 5.0);
  MachinePart parts[kGrappleParts];
  ASSERT_EQ(grapple_parts(frame, 0.4, 0.0, 100, parts), kGrappleParts);
  const JawPoints jaw = jaw_points(frame, 1, 0.4);
  // Side +1: tine at +z, then the bar between its elbows.
  const Vec3 tip(3.0 + 0.15, 4.0 + jaw.tip.x(), 5.0 - jaw.tip.y());
  EXPECT_LT((parts[8].shape.b - tip).norm(), 1e-12);
  EXPECT_EQ(parts[7].shape.b, parts[8].shape.a);
  EXPECT_EQ(parts[9].shape.b, parts[7].shape.b);
  EXPECT_EQ(parts[9].shape.a, parts[5].shape.b);
  for (int i = 0; i < kGrappleParts; ++i) {
    EXPECT_EQ(parts[i].id, 100 + i);
    EXPECT_EQ(parts[i].role, PartRole::kJaw);
    EXPECT_EQ(parts[i].shape.radius, frame.tine_radius);
  }
}

TEST(Grapple, VelocityIsTheDerivativeOfThePlace) {
  GrappleFrame frame;
  frame.v_W = Vec3(0.5, -0.2, 0.1);
  frame.omega_W = Vec3(0.3, 0.2, -0.4);
  const double rate = 0.7, h = 1e-6;
  const auto moved = [&](double t) {
    GrappleFrame out = frame;
    out.pin_W = t * frame.v_W;
    const Eigen::AngleAxisd turn(t * frame.omega_W.norm(), frame.omega_W.normalized());
    out.log_axis_W = turn * frame.log_axis_W;
    out.open_axis_W = turn * frame.open_axis_W;
    out.reach_axis_W = turn * frame.reach_axis_W;
    return out;
  };
  MachinePart now[kGrappleParts], before[kGrappleParts], after[kGrappleParts];
  grapple_parts(frame, 0.5, rate, 0, now);
  grapple_parts(moved(-h), 0.5 - rate * h, rate, 0, before);
  grapple_parts(moved(h), 0.5 + rate * h, rate, 0, after);
  for (int i = 0; i < kGrappleParts; ++i) {
    const Vec3 v = now[i].v_W + now[i].omega_W.cross(now[i].shape.b - now[i].p_W);
    const Vec3 expected = (after[i].shape.b - before[i].shape.b) / (2.0 * h);
    EXPECT_LT((v - expected).norm(), 1e-8) << i;
  }
}

TEST(Grapple, OpensWiderForThickerLogs) {
  const GrappleFrame frame;
  EXPECT_EQ(grapple_min_opening(frame, 0.1), 0.0);
  double last = 0.0;
  for (double radius = 0.1; radius < 0.34; radius += 0.02) {
    const double opening = grapple_min_opening(frame, radius);
    EXPECT_GE(opening, last) << radius;
    last = opening;
    // The log has room there: no tine is nearer to its axis than both radii.
    const double y = grapple_seat(frame, opening, radius);
    EXPECT_GE(y, radius * 0.999);
    MachinePart parts[kGrappleParts];
    grapple_parts(frame, opening, 0.0, 0, parts);
    for (const MachinePart& part : parts)
      for (double s = 0.0; s <= 1.0; s += 0.01) {
        const Vec3 p = part.shape.a + s * (part.shape.b - part.shape.a);
        EXPECT_GT(std::hypot(p.y(), p.z() + y), radius + frame.tine_radius - 1e-6) << radius;
      }
  }
  EXPECT_GT(last, 0.1);
  EXPECT_LT(last, 1.0);
  EXPECT_EQ(grapple_min_opening(frame, 2.0), 1.0);
}

TEST(Grapple, GripsWhatLiesBetweenTheJaws) {
  const GrappleFrame frame;
  EXPECT_TRUE(can_grip(frame, 0.5, cross_log(0.0, 0.3)));
  EXPECT_TRUE(can_grip(frame, 0.5, cross_log(0.1, 0.3)));
  EXPECT_TRUE(can_grip(frame, 0.5, cross_log(0.0, 0.3, 0.5)));
  EXPECT_TRUE(can_grip(frame, 0.5, cross_log(0.0, 0.3, 3.0))) << "either way round";
  EXPECT_FALSE(can_grip(frame, 0.5, cross_log(0.0, 0.3, 0.65))) << "turned too far";
  EXPECT_FALSE(can_grip(frame, 0.5, cross_log(0.0, 0.3, 1.571)));
  EXPECT_FALSE(can_grip(frame, 0.5, cross_log(0.0, 0.62))) << "below the tips";
  EXPECT_FALSE(can_grip(frame, 0.5, cross_log(0.0, -0.1))) << "above the hinges";
  EXPECT_FALSE(can_grip(frame, 0.5, cross_log(0.9, 0.3))) << "outside";
  Capsule beside = cross_log(0.0, 0.3);
  beside.a.x() += 1.75;
  beside.b.x() += 1.75;
  EXPECT_FALSE(can_grip(frame, 0.5, beside)) << "the log ends before the jaws";
  beside.a.x() -= 0.25;
  EXPECT_TRUE(can_grip(frame, 0.5, beside)) << "an end reaches through";
}

// Open jaws come down over a lying log and close: they scoop it up and hold it without a grip.
TEST(Grapple, ClosingJawsScoopUpALog) {
  for (const double dt : {0.5e-3, 1e-3, 4e-3}) {
    const double radius = 0.12;
    const World world(with_logs({log_at(0.0, 0.08, 0.0, 0.0, radius, 3.0)}));
    WorldState state = world.initial_state();
    PartForces forces;
    GrappleFrame frame;
    double opening = 1.0;
    MachinePart parts[kGrappleParts];
    const double closing = 0.7;
    const long ticks = std::lround(3.0 / dt);
    for (long k = 0; k < ticks; ++k) {
      const JawPoints jaw = jaw_points(frame, 1, opening);
      frame.pin_W = Vec3(0.0, 0.0, jaw.tip.y() + frame.tine_radius + 0.01);
      const double rate = opening > 0.0 ? -closing : 0.0;
      const double next = std::max(0.0, opening + rate * dt);
      frame.v_W = Vec3(0.0, 0.0, (jaw_points(frame, 1, next).tip.y() - jaw.tip.y()) / dt);
      grapple_parts(frame, opening, rate, 50, parts);
      world.step(parts, dt, state, forces);
      opening = next;
    }
    EXPECT_TRUE(can_grip(frame, 0.0, log_shape(world.recipe().logs[0], state.log[0]))) << dt;
    EXPECT_LT(vec(state.log[0].v).norm(), 0.05) << dt;
    EXPECT_GT(state.log[0].p[2], radius + 0.03) << dt;  // lies on the tines
    EXPECT_LT(std::fabs(state.log[0].p[1]), 0.1) << dt;
    double lift = 0.0;
    for (int i = 0; i < forces.count; ++i) lift += forces.force[i].f_W.z();
    EXPECT_NEAR(lift, -mass(world.recipe().logs[0]) * kTestGravity,
                0.1 * mass(world.recipe().logs[0]) * kTestGravity);
  }
}

}  // namespace
}  // namespace knuckleboom::world
