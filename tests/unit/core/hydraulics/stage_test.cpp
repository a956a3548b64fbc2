// The stage's equations (top of stage.hpp) checked by putting the answer back into them.
#include "knuckleboom/core/hydraulics/stage.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/actuator.hpp"
#include "support/error_norm.hpp"
#include "support/machines.hpp"
#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

using hydraulics::ActuatorKind;
using hydraulics::Circuit;
using hydraulics::LineModel;
using hydraulics::StageConstants;
using hydraulics::StageInput;
using hydraulics::StageResult;
using test::keep_worst;
using test::Random;

constexpr LineModel kModels[] = {LineModel::kDynamic, LineModel::kResistive, LineModel::kFilling,
                                 LineModel::kClosed};
constexpr double kTight = 1e-6;  // Pa

struct Sample {
  Circuit circuit;
  double g = 0.0, side_flow_weight = 1.0;
  StageInput in{};
  double x_dot = 0.0;
  double p_start[2] = {0.0, 0.0};

  StageConstants constants(double port_tolerance = kTight) const {
    return hydraulics::make_stage(circuit, g, port_tolerance, side_flow_weight);
  }
  StageResult evaluate(LineModel model, double speed, double port_tolerance = kTight) const {
    StageResult out{};
    hydraulics::evaluate_stage(model, constants(port_tolerance), in, speed, p_start, out);
    return out;
  }
};

// Calm and violent: from rest to full speed, pressures from deep below the anti-cavitation setting to
// twice the relief setting, orifices from wide open to shut.
Sample random_sample(Random& random, LineModel model) {
  Sample s;
  const bool motor = random.chance(0.5);
  s.circuit = motor ? test::reference_motor() : test::reference_cylinder(0.14, 0.09, 9e-12, 7e-12);
  s.circuit.protection.enabled = random.chance(0.8);
  if (motor && random.chance(0.3))
    s.circuit.leak_internal = s.circuit.leak_external1 = s.circuit.leak_external2 = 0.0;
  if (!motor && random.chance(0.5)) {
    s.circuit.leak_internal = random.log_uniform(1e-14, 1e-11);
    if (random.chance(0.5)) s.circuit.leak_external1 = random.log_uniform(1e-14, 1e-11);
    if (random.chance(0.5)) s.circuit.leak_external2 = random.log_uniform(1e-14, 1e-11);
  }
  const double steps[] = {0.0, 2.9e-4, 5e-4, 1e-3, 1e-2};
  s.g = steps[random.index(5)];
  if (model == LineModel::kClosed && random.chance(0.5)) s.side_flow_weight = 2.0;
  if (model == LineModel::kFilling) s.side_flow_weight = random.uniform(1.0, 2.0);
  const bool violent = random.chance(0.5);
  for (int i = 0; i < 2; ++i) {
    s.in.P_star[i] = violent ? random.uniform(-8e6, 50e6) : random.uniform(0.0, 25e6);
    s.in.Q_star[i] = random.chance(0.3) ? 0.0 : random.uniform(-2e-3, 2e-3);
    s.in.P_S[i] = random.chance(0.5) ? 20e6 : 0.0;
    s.in.C_R[i] = random.log_uniform(1.1e11, 1.2e19);
    s.p_start[i] = random.uniform(-1e6, 40e6);
  }
  const double fastest = violent ? 1.5 : 0.3;
  s.x_dot = random.chance(0.1) ? 0.0 : random.log_uniform(1e-9, fastest);
  if (random.chance(0.5)) s.x_dot = -s.x_dot;
  return s;
}

double leak(const Circuit& c, const StageResult& out, int s) {
  return c.leak_internal * (out.p[s] - out.p[1 - s]) +
         (s == 0 ? c.leak_external1 : c.leak_external2) * out.p[s];
}

double protective_flow(const Circuit& c, double P) {
  const hydraulics::Protection& p = c.protection;
  if (!p.enabled) return 0.0;
  if (P > p.relief_Pa) return p.relief_conductance * (P - p.relief_Pa);
  if (P < p.anti_cavitation_Pa) return p.anti_cavitation_conductance * (P - p.anti_cavitation_Pa);
  return 0.0;
}

struct Worst {
  double node = 0.0, inertance = 0.0, line = 0.0, port = 0.0, force = 0.0;
};

// Residual of sum(terms) = 0 relative to the size of its terms.
template <class... Terms>
double balance(Terms... terms) {
  const double size = (std::fabs(terms) + ...);
  return size > 0.0 ? std::fabs((terms + ...)) / size : 0.0;
}

void substitute(const Sample& sample, LineModel model, Worst& worst) {
  const StageResult out = sample.evaluate(model, sample.x_dot);
  const Circuit& c = sample.circuit;
  const double areas[2] = {hydraulics::area1(c), -hydraulics::area2(c)};
  const hydraulics::Line* lines[2] = {&c.line1, &c.line2};
  double force = 0.0;
  for (int s = 0; s < 2; ++s) {
    const double o = areas[s] * sample.x_dot;
    const double flow = out.o_R[s];
    const double g_C = sample.g / lines[s]->C, g_I = sample.g / lines[s]->I;
    // Closed or filling, leakage and protective flow may have a weight of their own.
    const bool weighs = model == LineModel::kClosed || model == LineModel::kFilling;
    const double w_g_C = (weighs ? sample.side_flow_weight : 1.0) * g_C;
    if (model == LineModel::kResistive) {
      ASSERT_EQ(out.Q[s], flow);
      ASSERT_EQ(out.bypass_C[s], 0.0);
      keep_worst(worst.inertance,
                 balance(out.P_C[s], -sample.in.P_S[s], sample.in.C_R[s] * signed_square(flow)));
    } else {
      keep_worst(worst.node, balance(out.P_C[s], -sample.in.P_star[s], -g_C * out.Q[s], g_C * o,
                                     w_g_C * (flow - o), w_g_C * out.bypass_C[s]));
      ASSERT_NEAR(out.bypass_C[s], protective_flow(c, out.P_C[s]), 1e-12);
      if (model == LineModel::kDynamic) {
        keep_worst(worst.inertance,
                   balance(out.Q[s], -sample.in.Q_star[s], -g_I * sample.in.P_S[s],
                           g_I * sample.in.C_R[s] * signed_square(out.Q[s]), g_I * out.P_C[s]));
      } else if (model == LineModel::kFilling) {
        // The node's terms, from which the pressure is summed up, set the resolution.
        const double left =
            out.P_C[s] - sample.in.P_S[s] + sample.in.C_R[s] * signed_square(out.Q[s]);
        keep_worst(worst.inertance,
                   std::fabs(left) / (std::fabs(out.P_C[s]) + std::fabs(sample.in.P_S[s]) +
                                      std::fabs(sample.in.P_star[s]) + g_C * std::fabs(out.Q[s]) +
                                      w_g_C * std::fabs(flow) + 1.0));
      } else {
        ASSERT_EQ(out.Q[s], 0.0);
      }
    }
    const double drop = lines[s]->R * (c.kind == ActuatorKind::kMotor ? flow : signed_square(flow));
    keep_worst(worst.line, balance(out.p[s], -out.P_C[s], drop));
    // The port's flows belong to a pressure at most 0.1 Pa from the one given: the iteration ends
    // there, and behind a shut orifice numbers have no finer resolution.
    const hydraulics::Protection& p = c.protection;
    const bool near_valve =
        p.enabled && (out.p[s] > p.relief_Pa - 1.0 || out.p[s] < p.anti_cavitation_Pa + 1.0);
    const double slope = c.leak_internal + c.leak_external1 + c.leak_external2 +
                         (near_valve ? p.anti_cavitation_conductance : 0.0);
    const double allowed = slope * (0.1 + 1e-10 * std::fabs(out.p[s])) + 1e-18;
    keep_worst(worst.port, std::fabs(flow - o - leak(c, out, s) - protective_flow(c, out.p[s])) /
                               (allowed + 1e-11 * (std::fabs(flow) + std::fabs(o))));
    force += areas[s] * out.p[s];
  }
  keep_worst(worst.force, balance(out.force, -force));
  ASSERT_EQ(out.bypassing, out.bypass_C[0] != 0.0 || out.bypass_C[1] != 0.0 ||
                               out.bypass_p[0] != 0.0 || out.bypass_p[1] != 0.0);
}

TEST(Stage, AnswersSatisfyTheirEquations) {
  Random random(1);
  for (const LineModel model : kModels) {
    Worst worst;
    for (int k = 0; k < 300000; ++k) {
      SCOPED_TRACE(k);
      substitute(random_sample(random, model), model, worst);
      if (testing::Test::HasFatalFailure()) return;
    }
    std::printf("model %d: node %.1e inertance %.1e line %.1e port %.1e force %.1e\n",
                static_cast<int>(model), worst.node, worst.inertance, worst.line, worst.port,
                worst.force);
    EXPECT_LT(worst.node, 1e-12);
    EXPECT_LT(worst.inertance, 1e-12);
    EXPECT_LT(worst.line, 1e-14);
    EXPECT_LT(worst.port, 1.0);
    EXPECT_LT(worst.force, 1e-14);
  }
}

// Precondition of the joint solver: the oil's force never increases with the speed.
TEST(Stage, ForceFallsWithSpeed) {
  Random random(2);
  for (const LineModel model : kModels)
    for (int k = 0; k < 20000; ++k) {
      const Sample sample = random_sample(random, model);
      const double faster = sample.x_dot + random.log_uniform(1e-6, 0.5);
      const StageResult slow = sample.evaluate(model, sample.x_dot);
      const StageResult fast = sample.evaluate(model, faster);
      ASSERT_LE(slow.dforce, 0.0);
      ASSERT_LE(fast.force, slow.force + 1e-9 * (1.0 + std::fabs(slow.force))) << k;
    }
}

bool smooth_between(const Circuit& c, const StageResult& a, const StageResult& b) {
  for (int s = 0; s < 2; ++s) {
    for (const auto pressure : {&StageResult::P_C, &StageResult::p})
      for (const double setting : {c.protection.relief_Pa, c.protection.anti_cavitation_Pa})
        if (c.protection.enabled && ((a.*pressure)[s] > setting) != ((b.*pressure)[s] > setting))
          return false;
    // Near zero flow an orifice bends too much for a difference.
    for (const auto flow : {&StageResult::Q, &StageResult::o_R}) {
      const double x = (a.*flow)[s], y = (b.*flow)[s];
      if (std::fabs(x - y) > 0.01 * std::fabs(x + y)) return false;
    }
  }
  return true;
}

TEST(Stage, DerivativesAgreeWithDifferences) {
  Random random(3);
  for (const LineModel model : kModels) {
    double worst = 0.0;
    int used = 0;
    for (int k = 0; k < 30000; ++k) {
      Sample sample = random_sample(random, model);
      // Beyond the slowest speeds, where a difference has no digits left.
      if (std::fabs(sample.x_dot) < 1e-3) sample.x_dot = std::copysign(1e-3, sample.x_dot);
      const double d = 1e-4 * std::fabs(sample.x_dot);
      const StageResult low = sample.evaluate(model, sample.x_dot - d);
      const StageResult high = sample.evaluate(model, sample.x_dot + d);
      if (!smooth_between(sample.circuit, low, high)) continue;
      ++used;
      const StageResult out = sample.evaluate(model, sample.x_dot);
      const auto check = [&](double slope, double below, double above, double noise) {
        const double difference = (above - below) / (2.0 * d);
        const double allowed =
            1e-4 * std::fabs(slope) + (noise + 1e-13 * (std::fabs(above) + std::fabs(below))) / d;
        keep_worst(worst, std::fabs(slope - difference) / allowed);
      };
      double noise_of_force = 0.0;
      for (int s = 0; s < 2; ++s) {
        // Behind a shut orifice numbers have no finer resolution.
        const double noise = model == LineModel::kResistive ? 0.05 : 1e-4;
        check(out.dP_C[s], low.P_C[s], high.P_C[s], noise);
        check(out.dp[s], low.p[s], high.p[s], noise);
        check(out.dQ[s], low.Q[s], high.Q[s], 1e-12);
        noise_of_force += noise * hydraulics::area1(sample.circuit);
      }
      check(out.dforce, low.force, high.force, noise_of_force);
    }
    std::printf("model %d: %d samples, worst error over allowed %.2g\n", static_cast<int>(model),
                used, worst);
    EXPECT_GT(used, 20000);
    EXPECT_LT(worst, 1.0);
  }
}

TEST(Stage, TheAnswerDoesNotDependOnTheStart) {
  Random random(4);
  double worst = 0.0;
  for (const LineModel model : kModels)
    for (int k = 0; k < 10000; ++k) {
      Sample sample = random_sample(random, model);
      const StageResult one = sample.evaluate(model, sample.x_dot);
      for (double& p : sample.p_start) p = random.uniform(-2e7, 6e7);
      const StageResult other = sample.evaluate(model, sample.x_dot);
      for (int s = 0; s < 2; ++s)
        keep_worst(worst, std::fabs(one.p[s] - other.p[s]) / (1e-4 + 1e-9 * std::fabs(one.p[s])));
    }
  EXPECT_LT(worst, 1.0);
}

TEST(Stage, TheUsualToleranceCostsAPascal) {
  Random random(5);
  double worst = 0.0;
  for (const LineModel model : kModels)
    for (int k = 0; k < 20000; ++k) {
      const Sample sample = random_sample(random, model);
      const StageResult tight = sample.evaluate(model, sample.x_dot);
      const StageResult usual = sample.evaluate(model, sample.x_dot, 1.0);
      for (int s = 0; s < 2; ++s) keep_worst(worst, std::fabs(tight.p[s] - usual.p[s]));
    }
  std::printf("worst difference of a port pressure: %.2g Pa\n", worst);
  EXPECT_LT(worst, 10.0);
}

TEST(Stage, WithoutWeightTheStatesStand) {
  Random random(6);
  for (int k = 0; k < 5000; ++k) {
    Sample sample = random_sample(random, LineModel::kDynamic);
    sample.g = 0.0;
    const StageResult open = sample.evaluate(LineModel::kDynamic, sample.x_dot);
    const StageResult closed = sample.evaluate(LineModel::kClosed, sample.x_dot);
    for (int s = 0; s < 2; ++s) {
      ASSERT_EQ(open.P_C[s], sample.in.P_star[s]);
      ASSERT_EQ(open.Q[s], sample.in.Q_star[s]);
      ASSERT_EQ(open.dP_C[s], 0.0);
      ASSERT_EQ(open.dQ[s], 0.0);
      ASSERT_EQ(closed.P_C[s], sample.in.P_star[s]);
      ASSERT_EQ(closed.Q[s], 0.0);
    }
  }
}

TEST(Stage, SpringOfTheClosedCylinder) {
  // Closed and without losses: K_Eq of eq. 23.
  Sample sample;
  sample.circuit = test::reference_cylinder(0.14, 0.09, 9e-12, 7e-12);
  sample.circuit.protection.enabled = false;
  sample.circuit.line1.R = sample.circuit.line2.R = 0.0;
  sample.g = 1e-3;
  sample.in.P_star[0] = 5e6;
  sample.in.P_star[1] = 3e6;
  const StageResult still = sample.evaluate(LineModel::kClosed, 0.0);
  const StageResult moved = sample.evaluate(LineModel::kClosed, 0.01);  // 10 um in a step
  const double K = hydraulics::closed_stiffness(sample.circuit);
  EXPECT_NEAR((still.force - moved.force) / 1e-5, K, 1e-6 * K);
  EXPECT_NEAR(still.dforce, -K * 1e-3, 1e-6 * K);
}

TEST(Stage, QuasiSteadyCylinderMovesAsInEquation17) {
  // Full pressure on an unloaded cylinder, resistive: the force vanishes at eq. 17's speed.
  Sample sample;
  sample.circuit = test::reference_cylinder(0.14, 0.09, 9e-12, 7e-12);
  const Circuit& c = sample.circuit;
  sample.in.P_S[0] = 20e6;
  sample.in.C_R[0] = sample.in.C_R[1] = 1.0 / (3e-6 * 3e-6);
  const double held = 1e5;
  const double D = (sample.in.C_R[0] + c.line1.R) * std::pow(c.A1, 3) +
                   (sample.in.C_R[1] + c.line2.R) * std::pow(c.A2, 3);
  const double speed = std::sqrt((c.A1 * 20e6 - held) / D);
  EXPECT_NEAR(sample.evaluate(LineModel::kResistive, speed).force, held, 1e-6 * held);
}

TEST(Stage, ResidualFlowOfAShutValve) {
  const double Q = hydraulics::residual_flow(20e6, 5e6, 1e19);
  EXPECT_NEAR(1e19 * Q * Q, 15e6, 1e-6);
  EXPECT_GT(Q, 0.0);
  EXPECT_EQ(hydraulics::residual_flow(5e6, 20e6, 1e19), -Q);
  EXPECT_EQ(hydraulics::residual_flow(5e6, 5e6, 1e19), 0.0);
}

}  // namespace
}  // namespace knuckleboom
