// Chambers and cylinder against closed forms and balances.
#include "knuckleboom/core/pneumatics/cylinder.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "knuckleboom/core/integration/sdirk2.hpp"

namespace knuckleboom::pneumatics {
namespace {

using integration::Sdirk2;

struct Vessel {
  Air air;
  FlowLaw law{air.gas};
  double V = 1e-4;
  Edges edges;
  Chamber state;
  double m_in = 0.0, H_in = 0.0;

  void fill(double P, double T) { state = filled(air.gas, P, T, V); }
  void step(double h) {
    const double g = Sdirk2::kGamma * h;
    Chamber star = state;
    for (int stage = 0; stage < 2; ++stage) {
      const ChamberStage s = chamber_stage(law, air, edges, star, g, V, 0.0, 0.0, P());
      EXPECT_LT(s.iterations, kMaxChamberIterations);
      m_in += h * Sdirk2::kWeight[stage] * s.m_dot;
      H_in += h * Sdirk2::kWeight[stage] * s.H_dot;
      star.m = state.m + Sdirk2::kCarry * (s.end.m - state.m);
      star.U = state.U + Sdirk2::kCarry * (s.end.U - state.U);
      if (stage == 1) state = s.end;
    }
  }
  double P() const { return pressure(air.gas, state, V); }
  double T() const { return temperature(air.gas, state); }
};

TEST(Chamber, FillsFromVacuumLinearlyAndToTheGammaFoldTemperature) {
  Vessel vessel;
  vessel.edges.supply = 1e-6;
  vessel.fill(0.1, 200.0);
  const double P_0 = vessel.P();
  const Air& air = vessel.air;
  const double m_dot = 1e-6 * std::sqrt(1.4 / 287.0 * std::pow(2.0 / 2.4, 6.0)) * air.P_supply /
                       std::sqrt(air.T_supply);
  const double rate = 1.4 * 287.0 * air.T_supply * m_dot / vessel.V;
  int n = 0;
  for (; vessel.P() + 1e-3 * rate < 0.528 * air.P_supply; ++n) vessel.step(1e-3);
  ASSERT_GT(n, 10);
  EXPECT_NEAR((vessel.P() - P_0) / (rate * 1e-3 * n), 1.0, 1e-9);
  EXPECT_NEAR(vessel.T() / (1.4 * air.T_supply), 1.0, 1e-6);
  // On to the supply's pressure; the temperature stays.
  for (int i = 0; i < 3000; ++i) vessel.step(1e-3);
  EXPECT_NEAR(vessel.P() / air.P_supply, 1.0, 1e-9);
  EXPECT_NEAR(vessel.T() / (1.4 * air.T_supply), 1.0, 1e-6);
}

// With something inside the end is a mixture: first law between start and end.
TEST(Chamber, FillsToTheMixtureOfTheFirstLaw) {
  Vessel vessel;
  vessel.edges.supply = 1e-6;
  vessel.fill(1e5, 280.0);
  const Chamber start = vessel.state;
  for (int i = 0; i < 4000; ++i) vessel.step(1e-3);
  const Air& air = vessel.air;
  const double P = air.P_supply;
  const double dm = (P - 1e5) * vessel.V / (1.4 * 287.0 * air.T_supply);
  EXPECT_NEAR((vessel.state.m - start.m) / dm, 1.0, 1e-9);
  EXPECT_NEAR(vessel.T() / (P * vessel.V / (287.0 * (start.m + dm))), 1.0, 1e-9);
}

// y = m / m_0: y' = -a y^((k+1)/2) while it is choked, T and P isentropic.
TEST(Chamber, EmptiesIsentropically) {
  double error[2];
  for (int k = 0; k < 2; ++k) {
    Vessel vessel;
    vessel.air.P_ambient = 100.0;
    vessel.edges.exhaust = 1e-6;
    vessel.fill(6e5, 293.15);
    const double m_0 = vessel.state.m;
    const double h = k == 0 ? 2e-3 : 1e-3;
    for (int i = 0; i < (k == 0 ? 100 : 200); ++i) vessel.step(h);
    const double a = 1e-6 * vessel.law.c2() * 287.0 * std::sqrt(293.15) / vessel.V;
    const double y = std::pow(1.0 + 0.2 * a * 0.2, -5.0);
    EXPECT_NEAR(vessel.T() / (293.15 * std::pow(vessel.state.m / m_0, 0.4)), 1.0, 1e-6);
    error[k] = std::fabs(vessel.state.m / (m_0 * y) - 1.0);
  }
  EXPECT_LT(error[1], 1e-6);
  EXPECT_NEAR(error[0] / error[1], 4.0, 0.5);  // second order
}

TEST(Chamber, ClosesTheBalancesOfMassAndEnergy) {
  Vessel vessel;
  vessel.edges = {2e-6, 5e-7};
  vessel.fill(2e5, 300.0);
  const Chamber start = vessel.state;
  for (int i = 0; i < 1000; ++i) {
    vessel.edges.supply = i % 100 < 50 ? 2e-6 : 0.0;
    vessel.step(1e-3);
  }
  EXPECT_NEAR((vessel.state.m - start.m) / vessel.m_in, 1.0, 1e-11);
  EXPECT_NEAR((vessel.state.U - start.U) / vessel.H_in, 1.0, 1e-11);
}

// A hundred thousand times stiffer than the step: at the supply's pressure after one, and quiet there.
TEST(Chamber, StaysStableWithNextToNoVolume) {
  Vessel vessel;
  vessel.V = 1e-9;
  vessel.edges.supply = 5e-6;
  vessel.fill(1e5, 293.0);
  for (int i = 0; i < 200; ++i) {
    vessel.step(1e-3);
    EXPECT_NEAR(vessel.P() / vessel.air.P_supply, 1.0, i == 0 ? 1e-4 : 1e-9);
  }
  vessel.edges = {0.0, 5e-6};
  for (int i = 0; i < 200; ++i) vessel.step(1e-3);
  EXPECT_NEAR(vessel.P() / vessel.air.P_ambient, 1.0, 1e-9);
}

Cylinder small() {
  Cylinder c;
  c.area_cap = 1.14e-3;
  c.area_rod = 1.06e-3;
  c.stroke = 0.0381;
  c.dead_cap = c.dead_rod = 2e-6;
  return c;
}

TEST(Cylinder, ForceHasTheAmbientPressureOnTheRodAlone) {
  const Cylinder c = small();
  const Air air;
  EXPECT_NEAR(force(air, c, air.P_ambient, air.P_ambient), 0.0, 1e-12);
  EXPECT_NEAR(force(air, c, 5e5, 3e5), 5e5 * 1.14e-3 - 3e5 * 1.06e-3 - 101325.0 * 8e-5, 1e-9);
}

TEST(Cylinder, SlopeOfTheForceIsThatOfTheStage) {
  const Cylinder c = small();
  const Air air;
  const FlowLaw law(air.gas);
  Valve valve;
  valve.gain = 1e-6;
  valve.area_max = 5e-6;
  valve.leakage = 1e-9;
  const double g = 3e-4;
  for (const double signal : {2.0, 5.0, 5.3, 9.0})
    for (const double v : {-0.4, 0.0, 0.3}) {
      const auto at = [&](double speed) {
        const Chamber star[2] = {filled(air.gas, 4e5, 290.0, volume(c, kCap, 0.01)),
                                 filled(air.gas, 2e5, 320.0, volume(c, kRod, 0.01))};
        CylinderStage stage;
        stage.chamber[0].P = 4e5;
        stage.chamber[1].P = 2e5;
        cylinder_stage(law, air, c, openings(valve, signal), star, g, 0.01 + g * speed, speed,
                       stage);
        return stage;
      };
      const double numeric = (at(v + 1e-4).force - at(v - 1e-4).force) / 2e-4;
      EXPECT_NEAR(at(v).by_v / numeric, 1.0, 1e-6) << signal << " " << v;
      EXPECT_LT(at(v).by_v, 0.0);
    }
}

// Closed chambers: P V^k stays, and the work of the piston is all the energy that comes in.
TEST(Cylinder, ClosedChambersFollowTheIsentrope) {
  const Cylinder c = small();
  const Air air;
  const FlowLaw law(air.gas);
  const double h = 1e-3, g = Sdirk2::kGamma * h, v = -0.1;
  double x = 0.03;
  Chamber state[2] = {filled(air.gas, 3e5, 293.0, volume(c, kCap, x)),
                      filled(air.gas, 3e5, 293.0, volume(c, kRod, x))};
  const double invariant = 3e5 * std::pow(volume(c, kCap, x), 1.4);
  CylinderStage stage;
  stage.chamber[0].P = stage.chamber[1].P = 3e5;
  for (int i = 0; i < 200; ++i) {
    Chamber star[2] = {state[0], state[1]};
    for (int s = 0; s < 2; ++s) {
      const double at = s == 0 ? x + g * v : x + h * v;
      cylinder_stage(law, air, c, Openings{}, star, g, at, v, stage);
      for (int k = 0; k < 2; ++k) {
        star[k].U = state[k].U + Sdirk2::kCarry * (stage.chamber[k].end.U - state[k].U);
        if (s == 1) state[k] = stage.chamber[k].end;
      }
    }
    x += h * v;
  }
  ASSERT_NEAR(x, 0.01, 1e-12);
  const double P = pressure(air.gas, state[kCap], volume(c, kCap, x));
  EXPECT_NEAR(P * std::pow(volume(c, kCap, x), 1.4) / invariant, 1.0, 1e-5);
  // Adiabatic: eq. 3 of the paper, whose factor k R / c_p + 1 of an ideal gas is k.
  EXPECT_DOUBLE_EQ((air.gas.k - 1.0) * air.gas.c_p() / air.gas.R, air.gas.k);
}

TEST(Faults, AreSaid) {
  EXPECT_EQ(fault_of(Air{}), nullptr);
  EXPECT_NE(fault_of(Valve{}), nullptr);  // no area
  EXPECT_EQ(fault_of(small()), nullptr);
  Cylinder c = small();
  c.dead_rod = 0.0;
  EXPECT_NE(fault_of(c), nullptr);
}

}  // namespace
}  // namespace knuckleboom::pneumatics
