// Chambers whose compliance goes with stroke and pressure.
#include "knuckleboom/core/hydraulics/chamber.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "knuckleboom/core/hydraulics/parameters.hpp"
#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/machine/stepper.hpp"
#include "support/machines.hpp"

namespace knuckleboom::hydraulics {
namespace {

Chamber head_side() {
  Chamber c;
  c.hose_m3 = 1.9e-4;
  c.hose_bulk_Pa = 500e6;
  c.wall_bulk_Pa = 1.3e11;
  c.area = 7.854e-3;
  c.x_empty = 0.82;
  return c;
}

TEST(Chamber, OilHoseAndWallAddUp) {
  Fluid fluid;
  fluid.bulk_Pa = 900e6;
  // 0.1 m of stroke: 0.7854 l.
  const double expected = 9.754e-4 / 900e6 + 1.9e-4 / 500e6 + 7.854e-4 / 1.3e11;
  EXPECT_NEAR(capacitance(fluid, head_side(), 0.92, 50e5), expected, 1e-18);
  Chamber rod = head_side();
  rod.x_empty = 1.02;  // the far end of the stroke
  EXPECT_NEAR(capacitance(fluid, rod, 0.92, 50e5), expected, 1e-18);
}

TEST(Chamber, AirIsThatOfItsLaw) {
  Fluid fluid;
  fluid.bulk_Pa = kRigid;
  fluid.polytropic = 1.0;
  Chamber c;
  c.trapped_air_m3 = 1e-3;
  // A litre at 1 bar is half a litre at 2 bar absolute, and dV/dP = V/p.
  EXPECT_NEAR(air_volume(fluid, c, 0.0, 1e5), 0.5e-3, 1e-15);
  EXPECT_NEAR(capacitance(fluid, c, 0.0, 1e5), 0.5e-3 / 2e5, 1e-18);
  fluid.polytropic = 1.4;
  const double V = 1e-3 * std::pow(0.25, 1.0 / 1.4);
  EXPECT_NEAR(air_volume(fluid, c, 0.0, 3e5), V, 1e-15);
  const double step = 10.0;
  const double slope =
      (air_volume(fluid, c, 0.0, 3e5 - step) - air_volume(fluid, c, 0.0, 3e5 + step)) / (2 * step);
  EXPECT_NEAR(capacitance(fluid, c, 0.0, 3e5) / slope, 1.0, 1e-6);
  // Near vacuum it stays a number.
  EXPECT_TRUE(std::isfinite(capacitance(fluid, c, 0.0, -2e5)));
  EXPECT_GT(air_volume(fluid, c, 0.0, -0.9e5), 1e-3);
}

TEST(Chamber, AirInTheOilSoftensIt) {
  Fluid fluid;
  fluid.bulk_Pa = 1.4e9;
  fluid.air_share = 0.01;
  fluid.polytropic = 1.0;
  const Chamber c = head_side();
  const double V = c.hose_m3 + chamber_volume(c, 1.0);
  const double plain = V / 1.4e9 + c.hose_m3 / 500e6 + chamber_volume(c, 1.0) / 1.3e11;
  // 1 % at 1 bar is 0.01 V (1/11) at 11 bar: dV/dP = 0.01 V 1e5 / p^2.
  EXPECT_NEAR(capacitance(fluid, c, 1.0, 10e5) - plain, 0.01 * V * 1e5 / (11e5 * 11e5), 1e-17);
}

// A mass on a locked cylinder whose oil is stiff and holds a bubble on either side: its speed is all turned
// into work on the bubbles, known in closed form.
machine::MachineModel mass_between_bubbles() {
  machine::MachineModel model;
  model.name = "bubbles";
  multibody::Body body;
  body.name = "mass";
  body.joint_name = "slide";
  body.type = multibody::JointType::kPrismatic;
  body.axis_B = Vec3::UnitX();
  body.inertia.mass = 500.0;
  body.lower = 0.0;
  body.upper = 1.0;
  model.tree.add_body(body);
  machine::Actuator actuator;
  actuator.name = "slide";
  Circuit& c = actuator.circuit;
  c = test::reference_cylinder(0.100, 0.056, 1e-12, 1e-12);
  c.B = 0.0;
  c.line1.R = c.line2.R = 1.0;
  c.protection.enabled = false;
  c.volumes = true;
  c.fluid.bulk_Pa = kRigid;
  c.fluid.polytropic = 1.3;
  for (Chamber& chamber : c.chamber) {
    chamber.dead_m3 = 1e-3;
    chamber.trapped_air_m3 = 2e-4;
  }
  c.chamber[0].area = c.A1;
  c.chamber[1].area = c.A2;
  c.chamber[1].x_empty = 1.0;
  model.actuators.push_back(actuator);
  model.controllers.resize(1);
  EXPECT_TRUE(machine::finish(model).empty());
  return model;
}

TEST(Chamber, BubblesTakeTheWholeMotion) {
  const machine::MachineModel model = mass_between_bubbles();
  const Circuit& c = model.actuators[0].circuit;
  for (const auto fidelity :
       {machine::Fidelity::kFull, machine::Fidelity::kReduced, machine::Fidelity::kPaper}) {
    machine::MachineState state{};
    state.inertia[0] = model.tree.link_inertias()[0];
    state.q[0] = 0.5;
    state.v[0] = -0.5;
    state.pump_Pa = 20e6;
    machine::ActuatorState& a = state.actuator[0];
    const double P0 = 10e5;
    for (int s = 0; s < 2; ++s) a.P_C[s] = a.p[s] = a.P_hold[s] = P0;
    capacitances(c, {}, 0.5, a.P_C, a.C);
    const double h = 1e-4;
    const machine::Stepper stepper(model, h);
    double lowest = 1.0, peak = 0.0;
    const double start = machine::stored_energy(model, state, fidelity);
    for (int tick = 0; tick < 400; ++tick) {
      stepper.step(fidelity, state);
      lowest = std::min(lowest, state.q[0]);
      peak = std::max(peak, a.P_C[0]);
    }
    // Work of the oil on the mass while it moves by -d, the outside of the cylinder at 1 bar on both sides'
    // difference left out as in the model (gauge pressures).
    const double n = 1.3;
    const double p0 = P0 + kAtmosphere;
    const double V = 2e-4 * std::pow(kAtmosphere / p0, 1.0 / n);
    const auto work = [&](double area, double d) {  // taken from the mass by compressing by area d
      const double V1 = V - area * d;
      return p0 * V / (n - 1.0) * (std::pow(V / V1, n - 1.0) - 1.0) - kAtmosphere * area * d;
    };
    double low = 0.0, high = 0.9 * V / c.A1;
    for (int i = 0; i < 100; ++i) {
      const double d = 0.5 * (low + high);
      (work(c.A1, d) + work(c.A2, -d) < 0.5 * 500.0 * 0.25 ? low : high) = d;
    }
    EXPECT_NEAR((0.5 - lowest) / low, 1.0, 2e-3);
    EXPECT_NEAR((peak + kAtmosphere) / (p0 * std::pow(V / (V - c.A1 * low), n)), 1.0, 5e-3);
    const double left = start + state.energy.model - state.energy.friction - state.energy.line -
                        machine::stored_energy(model, state, fidelity);
    EXPECT_NEAR(left, 0.0, 0.1) << "of 62.5 J";
  }
}

// A passive joint with a spring swings at sqrt(k/I) and keeps its energy.
TEST(JointSpring, SwingsAtItsFrequency) {
  machine::MachineModel model;
  model.name = "spring";
  multibody::Body body;
  body.name = "rotor";
  body.joint_name = "hinge";
  body.type = multibody::JointType::kRevolute;
  body.axis_B = Vec3::UnitZ();
  body.inertia.mass = 10.0;
  body.inertia.about_com = Vec3(1.0, 1.0, 2.0).asDiagonal();
  body.stiffness = 200.0;  // 10 rad/s
  body.rest = 0.3;
  model.tree.add_body(body);
  EXPECT_TRUE(machine::finish(model).empty());
  for (const auto fidelity :
       {machine::Fidelity::kFull, machine::Fidelity::kReduced, machine::Fidelity::kPaper}) {
    machine::MachineState state{};
    state.inertia[0] = model.tree.link_inertias()[0];
    state.q[0] = 0.5;
    const double start = machine::stored_energy(model, state, fidelity);
    EXPECT_NEAR(start, 0.5 * 200.0 * 0.04, 1e-12);
    const machine::Stepper stepper(model, 1e-3);
    for (int tick = 0; tick < 2000; ++tick) stepper.step(fidelity, state);
    EXPECT_NEAR(state.q[0], 0.3 + 0.2 * std::cos(20.0), 2e-4);
    EXPECT_NEAR(machine::stored_energy(model, state, fidelity) / start, 1.0, 1e-4);
  }
}

}  // namespace
}  // namespace knuckleboom::hydraulics
