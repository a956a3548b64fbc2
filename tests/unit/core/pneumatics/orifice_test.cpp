// Flow of air through an orifice against its closed forms.
#include "knuckleboom/core/pneumatics/orifice.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "knuckleboom/core/pneumatics/valve.hpp"

namespace knuckleboom::pneumatics {
namespace {

constexpr double kArea = 2e-6;

// At the throat the air moves at the speed of sound of its own temperature there: what the constant of
// choked flow says, from the gas laws alone.
TEST(Orifice, ChokedFlowIsSonicInTheThroat) {
  for (const Gas gas : {Gas{287.0, 1.4}, Gas{2077.0, 5.0 / 3.0}, Gas{188.9, 1.289}}) {
    const FlowLaw law(gas);
    const double P = 6e5, T = 293.15;
    const double T_throat = T * 2.0 / (gas.k + 1.0);
    const double P_throat = P * std::pow(T_throat / T, gas.k / (gas.k - 1.0));
    const double sonic = P_throat / (gas.R * T_throat) * std::sqrt(gas.k * gas.R * T_throat);
    EXPECT_NEAR(law.critical_ratio() / (P_throat / P), 1.0, 1e-12);
    const Flow f = flow(law, kArea, P, T, 1e5, 250.0);
    EXPECT_TRUE(f.choked);
    EXPECT_NEAR(f.m_dot / (kArea * sonic), 1.0, 1e-12);
    // No more with less pressure behind.
    EXPECT_EQ(flow(law, kArea, P, T, 1.0, 250.0).m_dot, f.m_dot);
    EXPECT_EQ(f.by_P2, 0.0);
  }
}

TEST(Orifice, AirIsThePapersAir) {
  const FlowLaw law{Gas{}};
  EXPECT_NEAR(law.critical_ratio(), 0.528, 5e-4);  // DB, above eq. 2
  EXPECT_NEAR(law.c2(), 0.0404, 5e-5);             // in many texts
  // Eq. 2b as the paper prints it, with ((k + 1)/2) below the line.
  EXPECT_NEAR(law.c2(), std::sqrt(1.4 / (287.0 * std::pow(1.2, 6.0))), 1e-14);
  // Eq. 2a meets eq. 2b at the critical ratio.
  const double r = law.critical_ratio();
  const double unchoked =
      law.c1() * std::pow(r, 1.0 / 1.4) * std::sqrt(1.0 - std::pow(r, 0.4 / 1.4));
  EXPECT_NEAR(unchoked / law.c2(), 1.0, 1e-12);
}

TEST(Orifice, UnchokedFlowFollowsEquation2a) {
  const FlowLaw law{Gas{}};
  for (const double r : {0.53, 0.6, 0.75, 0.9, 0.99, 0.998}) {
    const double P = 5e5, T = 300.0;
    const double expected = kArea * std::sqrt(2.0 * 1.4 / (287.0 * 0.4)) * P / std::sqrt(T) *
                            std::pow(r, 1.0 / 1.4) * std::sqrt(1.0 - std::pow(r, 0.4 / 1.4));
    EXPECT_NEAR(flow(law, kArea, P, T, r * P, T).m_dot / expected, 1.0, 1e-11) << r;
  }
}

// Isentropic energy balance of the jet: c_p (T - T_jet) = u^2 / 2.
TEST(Orifice, UnchokedFlowIsAnIsentropicJet) {
  const Gas gas;
  const double r = 0.8, P = 4e5, T = 310.0;
  const double T_jet = T * std::pow(r, 0.4 / 1.4);
  const double u = std::sqrt(2.0 * gas.c_p() * (T - T_jet));
  EXPECT_LT(u, std::sqrt(gas.k * gas.R * T_jet));
  EXPECT_NEAR(
      flow(FlowLaw(gas), kArea, P, T, r * P, 1.0).m_dot / (kArea * r * P / (gas.R * T_jet) * u),
      1.0, 1e-11);
}

TEST(Orifice, FlowsBackAsItFlowsForth) {
  const FlowLaw law{Gas{}};
  for (const double r : {0.2, 0.7, 0.9995, 1.0}) {
    const Flow forth = flow(law, kArea, 5e5, 280.0, r * 5e5, 320.0);
    const Flow back = flow(law, kArea, r * 5e5, 320.0, 5e5, 280.0);
    EXPECT_EQ(forth.m_dot, -back.m_dot);
    // At equal pressures either side is upstream, with its own temperature.
    if (r < 1.0) {
      EXPECT_EQ(forth.by_P1, -back.by_P2);
    }
  }
}

// Continuous with finite slopes through equal pressures, rising all the way.
TEST(Orifice, SlopesAreThoseOfTheFlowEvenNearEqualPressures) {
  const FlowLaw law{Gas{}};
  const double P1 = 5e5, T1 = 293.0, T2 = 293.0, step = 0.05;
  double before = flow(law, kArea, P1, T1, 0.9 * P1, T2).m_dot;
  for (double P2 = 0.9 * P1 + 7.0; P2 < 1.1 * P1; P2 += 13.7) {
    const Flow f = flow(law, kArea, P1, T1, P2, T2);
    EXPECT_LT(f.m_dot, before);
    before = f.m_dot;
    const double by_P2 = (flow(law, kArea, P1, T1, P2 + step, T2).m_dot -
                          flow(law, kArea, P1, T1, P2 - step, T2).m_dot) /
                         (2.0 * step);
    const double by_P1 = (flow(law, kArea, P1 + step, T1, P2, T2).m_dot -
                          flow(law, kArea, P1 - step, T1, P2, T2).m_dot) /
                         (2.0 * step);
    ASSERT_NEAR(f.by_P2, by_P2, 2e-3 * std::fabs(by_P2) + 1e-13) << P2 / P1;
    ASSERT_NEAR(f.by_P1, by_P1, 2e-3 * std::fabs(by_P1) + 1e-13) << P2 / P1;
  }
  EXPECT_EQ(flow(law, kArea, P1, T1, P1, T2).m_dot, 0.0);
  const Flow hot = flow(law, kArea, P1, 400.0, 3e5, T2);
  const double by_T =
      (flow(law, kArea, P1, 400.1, 3e5, T2).m_dot - flow(law, kArea, P1, 399.9, 3e5, T2).m_dot) /
      0.2;
  EXPECT_NEAR(hot.by_T / by_T, 1.0, 1e-6);
}

TEST(Valve, SaturatesAndHasADeadZone) {
  Valve valve;
  valve.dead_zone_V = 0.2;
  valve.gain = 1e-6;
  valve.area_max = 3e-6;
  valve.leakage = 1e-9;
  for (const double u : {-0.19, 0.0, 0.19}) {
    const Openings o = openings(valve, u);
    EXPECT_DOUBLE_EQ(o.cap.supply, 1e-9);
    EXPECT_DOUBLE_EQ(o.cap.exhaust, 1e-9);
  }
  const Openings out = openings(valve, 2.2);
  EXPECT_DOUBLE_EQ(out.cap.supply, 2.001e-6);
  EXPECT_DOUBLE_EQ(out.rod.exhaust, 2.001e-6);
  EXPECT_DOUBLE_EQ(out.cap.exhaust, 1e-9);
  const Openings in = openings(valve, -5.0);
  EXPECT_DOUBLE_EQ(in.rod.supply, 3.001e-6);
  EXPECT_DOUBLE_EQ(in.cap.exhaust, 3.001e-6);
  EXPECT_DOUBLE_EQ(openings(valve, 20.0).cap.supply, openings(valve, 5.0).cap.supply);
}

TEST(Valve, AreaOfADataSheetGivesItsFlow) {
  const double area = area_from_nominal_flow(Gas{}, 100e-3 / 60.0, 7e5, 6e5);
  const Flow f = flow(FlowLaw{Gas{}}, area, 7e5, 293.15, 6e5, 293.15);
  EXPECT_NEAR(f.m_dot, 100e-3 / 60.0 * 1.18858, 1e-8);  // dry air of 1 bar and 20 C
}

}  // namespace
}  // namespace knuckleboom::pneumatics
