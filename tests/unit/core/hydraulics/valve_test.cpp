#include "knuckleboom/core/hydraulics/valve.hpp"

#include <cmath>

#include <gtest/gtest.h>

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
