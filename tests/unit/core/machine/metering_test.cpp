// The command for a speed, against the circuit itself.

#include "knuckleboom/core/machine/metering.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "knuckleboom/core/hydraulics/stage.hpp"
#include "support/machines.hpp"
#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

using hydraulics::Circuit;
using machine::Load;
using machine::Metering;

// Steady speed of the circuit at a command under a load, by bisection on the force of the open network.
double speed_of(const Circuit& circuit, double command_V, const Load& load) {
  const hydraulics::Orifices o =
      hydraulics::orifices(circuit.valve, command_V, load.pump_Pa, load.tank_Pa);
  const hydraulics::StageConstants k = hydraulics::make_stage(circuit, 0.0);
  const hydraulics::StageInput in{{0.0, 0.0}, {0.0, 0.0}, {o.P_S1, o.P_S2}, {o.C_R1, o.C_R2}};
  double low = -10.0, high = 10.0;
  for (int i = 0; i < 80; ++i) {
    const double v = 0.5 * (low + high);
    const double p_start[2] = {0.0, 0.0};
    hydraulics::StageResult out;
    hydraulics::evaluate_stage(hydraulics::LineModel::kResistive, k, in, v, p_start, out);
    const double net = out.force - (circuit.B + load.damping) * v - load.force;
    (net > 0.0 ? low : high) = v;
  }
  return 0.5 * (low + high);
}

Circuit tight(Circuit circuit) {  // leakage is no part of the command
  circuit.leak_internal = circuit.leak_external1 = circuit.leak_external2 = 0.0;
  return circuit;
}

TEST(Metering, GivesTheSpeedUnderAnyLoad) {
  Circuit uneven = test::reference_cylinder(0.125, 0.080, 7e-12, 6e-12);
  uneven.valve.edge[hydraulics::kBToTank].table = {{0.0, 0.3, 1.0}, {0.0, 0.1, 0.7}};
  uneven.valve.edge[hydraulics::kPumpToB].scale = 2e-6;
  const Circuit circuits[] = {test::reference_cylinder(0.140, 0.090, 9e-12, 7e-12), uneven,
                              tight(test::reference_motor())};
  test::Random random(3);
  double worst = 0.0;
  int running_ahead = 0;
  for (const Circuit& circuit : circuits) {
    const Metering metering(circuit);
    for (int n = 0; n < 400; ++n) {
      Load load;
      load.pump_Pa = random.uniform(10e6, 25e6);
      load.tank_Pa = random.uniform(0.0, 1e6);
      // From strong pull to almost all the pump can hold.
      load.force = random.uniform(-0.8, 0.8) * hydraulics::area2(circuit) * load.pump_Pa;
      load.damping = random.chance(0.5) ? 0.0 : circuit.B;
      const double sign = random.chance(0.5) ? 1.0 : -1.0;
      const double top = metering.top_speed(sign, load);
      ASSERT_GT(top, 0.0);
      EXPECT_NEAR(speed_of(circuit, sign * circuit.valve.full_V, load), sign * top, 0.01 * top);
      const double wanted = sign * top * random.uniform(0.03, 1.0);
      const double got = speed_of(circuit, metering.command_V(wanted, load), load);
      worst = std::max(worst, std::fabs(got / wanted - 1.0));
      running_ahead += sign * load.force < 0.0 ? 1 : 0;
    }
  }
  std::printf("worst relative error of the speed: %.3f\n", worst);
  EXPECT_LT(worst, 0.03);
  EXPECT_GT(running_ahead, 300);
}

TEST(Metering, CrossesTheOverlapWithTheSpeedsSign) {
  const Circuit circuit = test::reference_cylinder(0.140, 0.090, 9e-12, 7e-12);
  const Metering metering(circuit);
  Load load;
  load.pump_Pa = 20e6;
  EXPECT_EQ(metering.command_V(0.0, load), 0.0);
  const double slow = 0.02 * metering.top_speed(1.0, load);
  EXPECT_GT(metering.command_V(slow, load), circuit.valve.overlap_V);
  EXPECT_LT(metering.command_V(-slow, load), -circuit.valve.overlap_V);
  double last = -1.0;
  for (int i = 0; i <= 1000; ++i) {
    const double command = metering.command_V(1e-3 * i, load);
    EXPECT_GE(command, last);
    EXPECT_LE(command, circuit.valve.full_V);
    last = command;
  }
  EXPECT_EQ(metering.command_V(10.0, load), circuit.valve.full_V);
}

TEST(Metering, AnOverloadDoesNotMove) {
  const Circuit circuit = test::reference_cylinder(0.140, 0.090, 9e-12, 7e-12);
  const Metering metering(circuit);
  Load load;
  load.pump_Pa = 20e6;
  load.force = 1.01 * circuit.A1 * load.pump_Pa;
  EXPECT_EQ(metering.top_speed(1.0, load), 0.0);
  EXPECT_EQ(metering.command_V(0.1, load), circuit.valve.full_V);
  EXPECT_GT(metering.top_speed(-1.0, load), 0.0);
}

TEST(Metering, UnloadedSpeedIsThatOfTheCircuit) {
  for (const Circuit& circuit :
       {test::reference_cylinder(0.125, 0.080, 7e-12, 6e-12), tight(test::reference_motor())}) {
    const Metering metering(circuit);
    Load load;
    load.pump_Pa = 20e6;
    for (const double V : {-10.0, -3.0, 0.4, 2.0, 10.0}) {
      const double exact =
          std::fabs(V) > circuit.valve.overlap_V ? speed_of(circuit, V, load) : 0.0;
      EXPECT_NEAR(metering.unloaded_speed(V, load.pump_Pa, load.tank_Pa), exact,
                  0.01 * std::fabs(exact));
    }
  }
}

}  // namespace
}  // namespace knuckleboom
