// Rigid bodies on pneumatic cylinders: closed forms, balances that close, and the effect of delayed
// exchange.
#include "knuckleboom/core/machine/air_rig.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

#include <gtest/gtest.h>

namespace knuckleboom {
namespace {

using machine::AirMode;
using machine::AirRig;
using machine::AirRigState;

constexpr double kArea = 1.14e-3, kStroke = 0.04, kMass = 2.0;

// A weightless slide on a cylinder without a rod, its valve shut.
AirRig slide(double gravity = 0.0) {
  AirRig rig;
  multibody::Body body;
  body.name = "piston";
  body.joint_name = "slide";
  body.type = multibody::JointType::kPrismatic;
  body.axis_B = -Vec3::UnitZ();
  body.inertia.mass = kMass;
  rig.tree.add_body(body);
  rig.tree.gravity_W = Vec3(0.0, 0.0, -gravity);
  machine::AirDrive drive;
  drive.name = "slide";
  drive.cylinder = {kArea, kArea, kStroke, 2e-6, 2e-6};
  drive.valve.gain = 1e-6;
  drive.valve.area_max = 2e-6;
  drive.stops.stiffness = 2e5;
  drive.stops.damping = 300.0;
  drive.signal.terms.push_back({command::TermKind::kConstant, 5.0, 0, 0, 0, 0, 0, {}});
  drive.P_start[0] = drive.P_start[1] = 4e5;
  rig.drives.push_back(drive);
  rig.q_start[0] = 0.5 * kStroke;
  return rig;
}

// Both chambers shut: for small motions a spring of k P A^2 (1/V_c + 1/V_r).
TEST(AirRig, RingsOnShutAir) {
  AirRig rig = slide();
  rig.h = 2e-4;
  rig.finish();
  const pneumatics::FlowLaw law(rig.air.gas);
  AirRigState state = start(rig);
  state.v[0] = 0.005;
  const double V = kArea * 0.5 * kStroke + 2e-6;
  const double omega = std::sqrt(1.4 * 4e5 * kArea * kArea * 2.0 / V / kMass);
  int turns = 0;
  double first = 0.0, last = 0.0, before = state.v[0];
  for (int k = 0; k < 20000; ++k) {
    step(rig, law, state);
    if (before < 0.0 && state.v[0] >= 0.0) {
      last = rig.h * (k + 1 - state.v[0] / (state.v[0] - before));
      if (turns++ == 0) first = last;
    }
    before = state.v[0];
  }
  ASSERT_GT(turns, 10);
  EXPECT_NEAR((turns - 1) * 2.0 * std::numbers::pi / (last - first) / omega, 1.0, 1e-3);
  EXPECT_EQ(state.newton_unconverged, 0);
}

// Mass and energy of air, bodies and friction, over a square wave with stops, weight and sticking.
TEST(AirRig, BooksClose) {
  for (const friction::Kind kind : {friction::Kind::kNone, friction::Kind::kCoulomb,
                                    friction::Kind::kContinuous, friction::Kind::kLuGre}) {
    AirRig rig = slide(9.81);
    machine::AirDrive& drive = rig.drives[0];
    drive.viscous = 30.0;
    drive.friction = {kind, 15.0, 24.0, 0.005, 0.001, 5.0, 2e5, 300.0};
    drive.signal.terms = {{command::TermKind::kConstant, 2.5, 0, 0, 0, 0, 0, {}},
                          {command::TermKind::kPulse, 5.0, 0.7, 1.4, 0, 0, 0, {}}};
    rig.finish();
    const pneumatics::FlowLaw law(rig.air.gas);
    AirRigState state = start(rig);
    const auto air = [&] {
      double U = 0.0;
      for (const pneumatics::Chamber& c : state.drive[0].chamber) U += c.U;
      return U;
    };
    const auto mass = [&] { return state.drive[0].chamber[0].m + state.drive[0].chamber[1].m; };
    const double U_0 = air(), m_0 = mass();
    for (int k = 0; k < 2000; ++k) step(rig, law, state);
    EXPECT_NEAR(mass() - m_0, state.drive[0].m_in, 1e-12);
    EXPECT_NEAR(air() - U_0, state.drive[0].H_in - state.drive[0].work,
                1e-8 * std::fabs(state.drive[0].H_in));
    EXPECT_GT(std::fabs(state.drive[0].work), 0.1);
    EXPECT_EQ(state.newton_unconverged, 0);
    EXPECT_EQ(state.friction_unsettled, 0);
    EXPECT_EQ(state.non_finite, 0);
  }
}

// Sticking holds a weight on vented chambers to the bit; viscous friction lets it sink at W / C_V.
TEST(AirRig, WhatHoldsAndWhatSinks) {
  AirRig rig = slide(9.81);
  machine::AirDrive& drive = rig.drives[0];
  drive.P_start[0] = drive.P_start[1] = rig.air.P_ambient;
  drive.valve.leakage = 1e-4;  // wide open to the air
  rig.air.P_supply = rig.air.P_ambient;
  drive.friction = {friction::Kind::kCoulomb, 15.0, 24.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  rig.finish();
  const pneumatics::FlowLaw law(rig.air.gas);
  AirRigState state = start(rig);
  for (int k = 0; k < 5000; ++k) step(rig, law, state);
  EXPECT_EQ(state.q[0], rig.q_start[0]);
  EXPECT_NEAR(state.drive[0].friction, kMass * 9.81, 1e-6);

  drive.friction = {};
  drive.viscous = 2e4;
  rig.finish();
  state = start(rig);
  for (int k = 0; k < 5000; ++k) step(rig, law, state);
  EXPECT_NEAR(state.v[0], kMass * 9.81 / 2e4, 1e-6);
}

// A force that is late by T takes k T from the damping: the shut cylinder, which rings undamped in
// one program, grows at omega^2 T / 2 where two programs exchange force and motion.
TEST(AirRig, LateExchangeMakesEnergy) {
  const double V = kArea * 0.5 * kStroke + 2e-6;
  const double omega_2 = 1.4 * 4e5 * kArea * kArea * 2.0 / V / kMass;
  const auto grown = [](int late) {
    AirRig rig = slide();
    rig.exchange_ticks = late;
    rig.h = 2.5e-4;
    rig.finish();
    const pneumatics::FlowLaw law(rig.air.gas);
    AirRigState state = start(rig);
    state.v[0] = 0.002;
    double energy[2] = {};  // means over a turn early and 0.1 s later, to a factor
    const double omega =
        std::sqrt(1.4 * 4e5 * kArea * kArea * 2.0 / (kArea * 0.5 * kStroke + 2e-6) / kMass);
    for (int k = 0; k < 600; ++k) {
      step(rig, law, state);
      const double shift = omega * (state.q[0] - rig.q_start[0]);
      const double e = state.v[0] * state.v[0] + shift * shift;
      if (k < 148) energy[0] += e;
      if (k >= 400 && k < 548) energy[1] += e;
    }
    return 0.5 * std::log(energy[1] / energy[0]) / 0.1;  // 1/s
  };
  EXPECT_NEAR(grown(-1), 0.0, 0.02);
  // The air extrapolates half a tick along the last speed, and the step of the bodies a little.
  for (const int late : {3, 5, 8}) {
    const double T = (late - 0.75) * 2.5e-4;
    EXPECT_NEAR(grown(late) / (0.5 * omega_2 * T), 1.0, 0.12) << late;
  }
}

// In one program nothing is made of nothing: with the valve shut the energy of bodies and air does not rise by
// more than the error of the step, of second order. The same with late exchange grows.
TEST(AirRig, GainsNoEnergyInOneProgram) {
  struct Energies {
    double highest, last, made;  // over the start [J]
  };
  const auto energies = [](double h, int late) {
    AirRig rig = slide(9.81);
    rig.h = h;
    rig.exchange_ticks = late;
    rig.finish();
    const pneumatics::FlowLaw law(rig.air.gas);
    AirRigState state = start(rig);
    const auto energy = [&] {
      return machine::body_energy(rig, state) + state.drive[0].chamber[0].U +
             state.drive[0].chamber[1].U;
    };
    const double before = energy();
    Energies out{0.0, 0.0, 0.0};
    for (int k = 0; k < std::lround(0.2 / h); ++k) {
      step(rig, law, state);
      out.last = energy() - before;
      out.highest = std::max(out.highest, out.last);
    }
    out.made = state.drive[0].exchange_gain;
    return out;
  };
  // The weight swings by 2 m g / k = 0.7 mm: 6 mJ go to and fro.
  const Energies coarse = energies(1e-3, -1), fine = energies(2.5e-4, -1);
  EXPECT_LT(coarse.highest, 1e-5);
  EXPECT_LT(fine.highest, coarse.highest / 10.0);
  EXPECT_LT(coarse.last, 0.0);
  EXPECT_EQ(coarse.made, 0.0);
  const Energies late = energies(1e-3, 1);
  EXPECT_GT(late.last, 0.02);
  EXPECT_GT(late.made, 0.02);
}

// A weight on shut air comes to rest where both chambers, along their adiabats P V^k, carry it.
TEST(AirRig, ShutAirFollowsItsAdiabat) {
  AirRig rig = slide(9.81);
  rig.tree.gravity_W.z() = -98.1;  // that it goes far
  rig.drives[0].viscous = 300.0;
  rig.finish();
  const pneumatics::FlowLaw law(rig.air.gas);
  AirRigState state = start(rig);
  for (int k = 0; k < 4000; ++k) step(rig, law, state);
  const machine::AirDriveState& s = state.drive[0];
  const double V_0 = kArea * 0.5 * kStroke + 2e-6;
  const double V_cap = kArea * s.x + 2e-6, V_rod = kArea * (kStroke - s.x) + 2e-6;
  EXPECT_GT(s.x, 0.5 * kStroke + 1e-3);
  EXPECT_NEAR(s.P[0] / (4e5 * std::pow(V_0 / V_cap, 1.4)), 1.0, 1e-6);
  EXPECT_NEAR(s.P[1] / (4e5 * std::pow(V_0 / V_rod, 1.4)), 1.0, 1e-6);
  EXPECT_NEAR(s.T[0] / (rig.air.T_ambient * std::pow(V_0 / V_cap, 0.4)), 1.0, 1e-6);
  EXPECT_NEAR((s.P[1] - s.P[0]) * kArea, kMass * 98.1, 1e-6);
}

// Driven into its end, the piston rests where the stop's spring takes the whole force, and bounces less high
// each time.
TEST(AirRig, EndStopTakesTheForce) {
  AirRig rig = slide();
  machine::AirDrive& drive = rig.drives[0];
  drive.stops.stiffness = 5e6;
  drive.signal.terms = {{command::TermKind::kConstant, 10.0, 0, 0, 0, 0, 0, {}}};
  rig.finish();
  const pneumatics::FlowLaw law(rig.air.gas);
  AirRigState state = start(rig);
  double farthest = 0.0;
  for (int k = 0; k < 5000; ++k) {
    step(rig, law, state);
    farthest = std::max(farthest, state.drive[0].x);
  }
  const double force = (rig.air.P_supply - rig.air.P_ambient) * kArea;
  EXPECT_NEAR(state.drive[0].P[0], rig.air.P_supply, 1.0);
  EXPECT_NEAR(state.drive[0].P[1], rig.air.P_ambient, 1.0);
  EXPECT_NEAR(state.drive[0].x, kStroke + force / 5e6, 1e-9);
  EXPECT_NEAR(state.v[0], 0.0, 1e-9);
  EXPECT_LT(farthest, kStroke + 1e-3);
  EXPECT_EQ(state.newton_unconverged, 0);
}

TEST(AirRig, SameBitsTwice) {
  AirRig rig = slide(9.81);
  rig.drives[0].mode = AirMode::kTrack;
  rig.drives[0].viscous = 400.0;
  rig.drives[0].gains.Kp = 300.0;
  rig.drives[0].gains.output_limit_V = 5.0;
  rig.drives[0].signal.terms = {{command::TermKind::kConstant, 0.02, 0, 0, 0, 0, 0, {}},
                                {command::TermKind::kSine, 0.01, 0, 0, 0.16, 0, 0, {}}};
  rig.finish();
  const pneumatics::FlowLaw law(rig.air.gas);
  AirRigState a = start(rig), b = start(rig);
  for (int k = 0; k < 3000; ++k) step(rig, law, a);
  for (int k = 0; k < 3000; ++k) step(rig, law, b);
  EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0);
  EXPECT_NEAR(a.q[0], a.drive[0].reference, 2e-3);
}

TEST(AirRig, RefusesWhatCannotBe) {
  AirRig rig = slide();
  rig.q_start[0] = 1.0;
  EXPECT_THROW(rig.finish(), std::invalid_argument);
  rig = slide();
  rig.exchange_ticks = 4;
  rig.drives[0].friction = {friction::Kind::kCoulomb, 15.0, 24.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  EXPECT_THROW(rig.finish(), std::invalid_argument);
  rig = slide();
  rig.exchange_ticks = 64;
  EXPECT_THROW(rig.finish(), std::invalid_argument);
}

}  // namespace
}  // namespace knuckleboom
