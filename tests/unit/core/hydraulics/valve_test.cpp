#include "knuckleboom/core/hydraulics/valve.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "knuckleboom/core/hydraulics/spool.hpp"
#include "support/machines.hpp"

namespace knuckleboom {
namespace {

using hydraulics::Orifices;
using hydraulics::Valve;

constexpr double kPump = 20e6, kTank = 0.3e6;

Orifices at(const Valve& valve, double volts) {
  return hydraulics::orifices(valve, volts, kPump, kTank);
}

double g1(const Orifices& o) { return 1.0 / std::sqrt(o.C_R1); }
double g2(const Orifices& o) { return 1.0 / std::sqrt(o.C_R2); }

TEST(Valve, ReferenceConductance) {
  // g = 3e-6 (0.6 s + 0.4 s^2), s = (|u| - 0.5) / 9.5
  const Valve valve = test::reference_valve();
  const struct {
    double volts, s;
  } points[] = {{10.0, 1.0}, {5.25, 0.5}, {2.4, 0.2}, {0.595, 0.01}, {12.0, 1.0}};
  for (const auto& p : points)
    for (const double sign : {1.0, -1.0}) {
      const Orifices o = at(valve, sign * p.volts);
      const double expected = 3e-6 * (0.6 * p.s + 0.4 * p.s * p.s);
      EXPECT_NEAR(g1(o), expected, 1e-13 * expected + 1e-20);
      EXPECT_NEAR(g2(o), expected, 1e-13 * expected + 1e-20);
      EXPECT_TRUE(o.open);
    }
}

TEST(Valve, IsShutWithinItsOverlap) {
  const Valve valve = test::reference_valve();
  for (const double volts : {0.0, 0.3, 0.5, -0.3, -0.5}) {
    const Orifices o = at(valve, volts);
    EXPECT_FALSE(o.open) << volts;
    EXPECT_NEAR(g1(o), 3e-10, 1e-22);  // the maximum resistance
    EXPECT_NEAR(g2(o), 3e-10, 1e-22);
  }
  EXPECT_TRUE(at(valve, std::nextafter(0.5, 1.0)).open);
  EXPECT_TRUE(at(valve, std::nextafter(-0.5, -1.0)).open);
  // Just open, the orifice is not narrower than shut.
  EXPECT_NEAR(g1(at(valve, 0.5 + 1e-4)), 3e-10, 1e-22);
  EXPECT_GT(g1(at(valve, 0.5 + 3e-3)), 3.1e-10);
}

TEST(Valve, SignSelectsTheSources) {
  const Valve valve = test::reference_valve();
  for (const double volts : {0.0, 0.2, 7.0}) {
    EXPECT_EQ(at(valve, volts).P_S1, kPump);
    EXPECT_EQ(at(valve, volts).P_S2, kTank);
  }
  for (const double volts : {-0.2, -7.0}) {
    EXPECT_EQ(at(valve, volts).P_S1, kTank);
    EXPECT_EQ(at(valve, volts).P_S2, kPump);
  }
  EXPECT_EQ(at(valve, -0.0).P_S1, kPump);  // zero counts as positive, whatever its sign bit
}

TEST(Valve, EachDirectionUsesItsOwnEdges) {
  Valve valve = test::reference_valve();
  valve.edge[hydraulics::kPumpToA].scale = 1e-6;
  valve.edge[hydraulics::kBToTank].scale = 2e-6;
  valve.edge[hydraulics::kPumpToB].scale = 3e-6;
  valve.edge[hydraulics::kAToTank].scale = 4e-6;
  EXPECT_NEAR(g1(at(valve, 10.0)), 1e-6, 1e-18);
  EXPECT_NEAR(g2(at(valve, 10.0)), 2e-6, 1e-18);
  EXPECT_NEAR(g1(at(valve, -10.0)), 4e-6, 1e-18);
  EXPECT_NEAR(g2(at(valve, -10.0)), 3e-6, 1e-18);
  // The least conductance is a share of the same edge.
  valve.min_conductance_ratio = 1e-3;
  EXPECT_NEAR(g1(at(valve, 0.0)), 1e-9, 1e-21);
  EXPECT_NEAR(g2(at(valve, -0.1)), 3e-9, 1e-21);
}

TEST(Valve, AnEdgeMayFollowATable) {
  Valve valve = test::reference_valve();
  valve.edge[hydraulics::kPumpToA].table = {{0.0, 0.5, 1.0}, {0.0, 0.1, 1.0}};
  EXPECT_NEAR(g1(at(valve, 5.25)), 3e-7, 1e-19);
  EXPECT_NEAR(g1(at(valve, 0.5 + 0.75 * 9.5)), 3e-6 * 0.55, 1e-18);
  EXPECT_NEAR(g1(at(valve, 10.0)), 3e-6, 1e-18);
  EXPECT_NEAR(g2(at(valve, 5.25)), 3e-6 * 0.4, 1e-18);  // the other edge keeps its polynomial
}

TEST(Valve, CubicTermCounts) {
  Valve valve = test::reference_valve();
  valve.edge[hydraulics::kPumpToA].polynomial = {0.0, 0.0, 1.0};
  EXPECT_NEAR(g1(at(valve, 5.25)), 3e-6 / 8.0, 1e-19);
}

}  // namespace
}  // namespace knuckleboom

// --- Spool --------------------------------------------------------------------

namespace knuckleboom::hydraulics {
namespace {

Valve lagging(double lag_s) {
  Valve valve;
  valve.full_V = 10.0;
  valve.spool_time_constant_s = lag_s;
  return valve;
}

TEST(Spool, FollowsItsCommandByAFirstOrderLag) {
  const SpoolLag lag(lagging(0.05), 0.01);
  double spool_V = -2.0;
  for (int i = 1; i <= 5; ++i) {
    lag.move(6.0, spool_V);
    EXPECT_NEAR(spool_V, 6.0 - 8.0 * std::exp(-0.2 * i), 1e-12);
  }
  SpoolLag(lagging(0.0), 0.01).move(-3.0, spool_V);
  EXPECT_EQ(spool_V, -3.0);
}

TEST(Spool, StandsBesideItsCommandAsFarAsItCanGo) {
  const SpoolLag lag(lagging(0.0), 0.01);
  double spool_V = 0.0;
  std::int32_t stuck = 0;
  lag.move(4.0, {0.0, 1.5}, spool_V, stuck);
  EXPECT_EQ(spool_V, 5.5);
  lag.move(9.0, {0.0, 1.5}, spool_V, stuck);
  EXPECT_EQ(spool_V, 10.0);
  EXPECT_EQ(stuck, 0);
}

TEST(Spool, SticksUntilTheCommandIsFarEnoughAway) {
  const SpoolLag lag(lagging(0.01), 0.01);
  const SpoolFault fault{1.0, 0.0};
  double spool_V = 0.0;
  std::int32_t stuck = 0;
  lag.move(0.05, fault, spool_V, stuck);  // as near as this, it sticks at once
  EXPECT_EQ(stuck, 1);
  EXPECT_EQ(spool_V, 0.0);
  lag.move(0.99, fault, spool_V, stuck);
  EXPECT_EQ(spool_V, 0.0);
  lag.move(2.0, fault, spool_V, stuck);
  EXPECT_EQ(stuck, 0);
  EXPECT_GT(spool_V, 1.0);
  for (int i = 0; i < 20 && stuck == 0; ++i) lag.move(2.0, fault, spool_V, stuck);
  EXPECT_EQ(stuck, 1);
  EXPECT_NEAR(spool_V, 2.0, kStuckAgain * fault.breakout_V);
  EXPECT_NE(spool_V, 2.0);
}

}  // namespace
}  // namespace knuckleboom::hydraulics
