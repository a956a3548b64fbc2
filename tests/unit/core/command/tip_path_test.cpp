#include "knuckleboom/core/command/tip_path.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/machines.hpp"
#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

using command::Segment;
using command::SegmentKind;
using command::TipPath;

Segment line(const Vec3& delta, double duration_s) {
  Segment segment;
  segment.kind = SegmentKind::kLine;
  segment.duration_s = duration_s;
  segment.delta_W = delta;
  return segment;
}

Segment circle(const Vec3& center, const Vec3& axis, double turns, double duration_s) {
  Segment segment;
  segment.kind = SegmentKind::kCircle;
  segment.duration_s = duration_s;
  segment.center_W = center;
  segment.axis_W = axis;
  segment.turns = turns;
  return segment;
}

Segment hold(double duration_s) {
  Segment segment;
  segment.duration_s = duration_s;
  return segment;
}

TEST(TipPath, NoPathIsNoMotion) {
  EXPECT_EQ(command::offset(TipPath{}, 3.0), Vec3::Zero());
  EXPECT_EQ(command::duration(TipPath{}), 0.0);
}

TEST(TipPath, LineGoesStraight) {
  const Vec3 delta(1.0, -2.0, 0.5);
  const TipPath path{{line(delta, 4.0)}};
  EXPECT_EQ(command::offset(path, -1.0), Vec3::Zero());
  EXPECT_EQ(command::offset(path, 0.0), Vec3::Zero());
  EXPECT_LT((command::offset(path, 2.0) - 0.5 * delta).norm(), 1e-15);
  // The blend of fifth order at a quarter: 10/64 - 15/256 + 6/1024.
  EXPECT_LT((command::offset(path, 1.0) - 0.103515625 * delta).norm(), 1e-15);
  EXPECT_EQ(command::offset(path, 4.0), delta);
  EXPECT_EQ(command::offset(path, 100.0), delta);
}

TEST(TipPath, CircleClosesAndKeepsItsRadius) {
  test::Random random(1);
  for (int k = 0; k < 100; ++k) {
    const Vec3 center = random.vector(2.0);
    const Vec3 axis = 3.0 * random.direction();  // length is of no account
    const TipPath path{{circle(center, axis, k % 2 == 0 ? 1.0 : -2.0, 10.0)}};
    ASSERT_LT(command::offset(path, 0.0).norm(), 1e-14);
    ASSERT_LT(command::offset(path, 10.0).norm(), 1e-14);
    const Vec3 n = axis.normalized();
    for (double t = 0.0; t < 10.0; t += 0.31) {
      const Vec3 p = command::offset(path, t);
      ASSERT_NEAR((p - center).norm(), center.norm(), 1e-14);
      ASSERT_NEAR(n.dot(p), 0.0, 1e-14);  // in the plane of its start
    }
  }
}

TEST(TipPath, TurnsGiveTheSense) {
  // Start at the origin, centre a metre ahead, axis up: the right-hand turn goes to the right first.
  const Vec3 center = Vec3::UnitX();
  EXPECT_LT(
      (command::offset({{circle(center, Vec3::UnitZ(), 0.25, 2.0)}}, 2.0) - Vec3(1.0, -1.0, 0.0))
          .norm(),
      1e-15);
  EXPECT_LT(
      (command::offset({{circle(center, Vec3::UnitZ(), -0.25, 2.0)}}, 2.0) - Vec3(1.0, 1.0, 0.0))
          .norm(),
      1e-15);
  EXPECT_LT(
      (command::offset({{circle(center, Vec3::UnitZ(), 0.5, 2.0)}}, 1.0) - Vec3(1.0, -1.0, 0.0))
          .norm(),
      1e-15);
}

// Velocity and acceleration vanish where segments meet: the tip comes to rest there.
TEST(TipPath, RunsFromRestToRest) {
  const TipPath path = test::tip_circle().tip_path;
  double start = 0.0;
  const double d = 1e-4;
  for (const Segment& segment : path.segments) {
    for (const double t : {start, start + segment.duration_s}) {
      const Vec3 before = command::offset(path, t - d), here = command::offset(path, t),
                 after = command::offset(path, t + d);
      EXPECT_LT((after - here).norm() / d, 1e-6);
      EXPECT_LT((here - before).norm() / d, 1e-6);
      // Third order in the time from the end: over d the acceleration has grown to 60 length d / T^3.
      EXPECT_LT((after - 2.0 * here + before).norm() / (d * d), 0.1);
    }
    start += segment.duration_s;
  }
  EXPECT_EQ(command::duration(path), start);
}

TEST(TipPath, SegmentsFollowEachOther) {
  const TipPath path{{hold(1.0), line(Vec3(1.0, 0.0, 0.0), 2.0), hold(0.5),
                      circle(Vec3(0.0, 0.0, 1.0), Vec3::UnitY(), 0.5, 4.0)}};
  EXPECT_EQ(command::duration(path), 7.5);
  EXPECT_EQ(command::offset(path, 1.0), Vec3::Zero());
  EXPECT_LT((command::offset(path, 2.0) - Vec3(0.5, 0.0, 0.0)).norm(), 1e-15);
  EXPECT_LT((command::offset(path, 3.25) - Vec3(1.0, 0.0, 0.0)).norm(), 1e-15);
  EXPECT_LT((command::offset(path, 9.0) - Vec3(1.0, 0.0, 2.0)).norm(), 1e-15);
  // Without duration: done as soon as it begins.
  const TipPath jump{{line(Vec3::UnitX(), 0.0), hold(1.0)}};
  EXPECT_EQ(command::offset(jump, 0.5), Vec3::UnitX());
}

}  // namespace
}  // namespace knuckleboom
