// What the two real-time steps have in common.
#pragma once

#include "knuckleboom/core/integration/joint_speeds.hpp"
#include "knuckleboom/core/machine/power.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"

namespace knuckleboom::machine {

// One actuator during a step.
struct Drive {
  const Actuator* actuator;
  const hydraulics::StageConstants* constants;
  hydraulics::LineModel line;
  double J;            // lever at the middle of the step
  double x_n, x_star;  // displacement at the start (from the middle), explicit part of the end's
  double x_dot;
  hydraulics::StageInput in;
  hydraulics::StageResult out;
  StopForce stop;
  double settled;    // speed at which an open valve would settle
  double mean_stop;  // force of the end stop over a trapezoidal step
  // After a change of the model: the circuit's share in the oil's force, the rest is that of before.
  double share, force_before;
  double drawn[2];  // through the valve into the lines over the tick [m^3]
};

// Mass matrix, bias and trigonometry at the middle of the step, extrapolated from its start. The bias is
// less what acts from outside.
inline void middle(const multibody::Tree& tree, const MachineState& state, double h,
                   const double* joint_force, double* q_mid, multibody::MassAndBias& out) {
  double v_mid[kMaxLinks];
  for (int i = 0; i < tree.link_count(); ++i) {
    q_mid[i] = state.q[i] + 0.5 * h * (state.v[i] + 0.25 * h * state.a[i]);
    v_mid[i] = state.v[i] + 0.5 * h * state.a[i];
  }
  multibody::mass_and_bias(tree, state.inertia, q_mid, v_mid, out);
  if (joint_force != nullptr)
    for (int i = 0; i < tree.link_count(); ++i) out.bias[i] -= joint_force[i];
}

// The actuator at the start of a step: lever of the middle, states and valve of the start.
inline void start_drive(const Actuator& actuator, const hydraulics::StageConstants& constants,
                        Fidelity fidelity, const ActuatorState& a,
                        const hydraulics::StageInput& valve, double q, const double* q_mid,
                        const multibody::MassAndBias& body, Drive& d) {
  const int i = actuator.link;
  const LinkageState linkage =
      linkage_state(actuator.linkage, q_mid[i], body.sin_q[i], body.cos_q[i]);
  d.actuator = &actuator;
  d.constants = &constants;
  d.line = line_model(a.open != 0, fidelity);
  d.J = linkage.J;
  d.x_n = linkage.x - linkage.J * (q_mid[i] - q);
  d.x_star = d.x_n;
  d.stop = StopForce{0.0, 0.0, false};
  d.share = 1.0;
  d.drawn[0] = d.drawn[1] = 0.0;
  d.in = valve;
  for (int s = 0; s < 2; ++s) {
    d.in.P_star[s] = a.P_C[s];
    d.in.Q_star[s] = a.Q[s];
    d.out.p[s] = a.p[s];
  }
}

// Pressures, flows and force at speed x_dot. g: weight with which the end stop's spring moves.
// Returns the force on the displacement and its slope.
struct Force {
  double force, dforce;
};
inline Force evaluate(double x_dot, double g, Drive& d) {
  d.x_dot = x_dot;
  const double p_start[2] = {d.out.p[0], d.out.p[1]};
  hydraulics::evaluate_stage(d.line, *d.constants, d.in, x_dot, p_start, d.out);
  const double B = d.constants->B;
  Force f{d.out.force - B * x_dot, d.out.dforce - B};
  if (d.share < 1.0) [[unlikely]] {
    f.force += (1.0 - d.share) * (d.force_before - d.out.force);
    f.dforce -= (1.0 - d.share) * d.out.dforce;
  }
  if (d.actuator->stops.enabled) {
    d.stop = stop_force(d.actuator->stops, d.x_star + g * x_dot, x_dot, g);
    f.force += d.stop.force;
    f.dforce += d.stop.dforce;
  }
  return f;
}

// Newton's last evaluation lies one step before the accepted speed; the slopes take it there.
inline void carry_to(double x_dot, Drive& d) {
  const double step = x_dot - d.x_dot;
  for (int s = 0; s < 2; ++s) {
    d.out.P_C[s] += d.out.dP_C[s] * step;
    d.out.Q[s] += d.out.dQ[s] * step;
    d.out.p[s] += d.out.dp[s] * step;
  }
  d.out.force += d.out.dforce * step;
  d.x_dot = x_dot;
}

// Powers and flows of a stage into the books, with its quadrature weight [s].
inline void book(Drive& d, double weight, EnergyLedger& energy) {
  for (int s = 0; s < 2; ++s) d.drawn[s] += weight * d.out.Q[s];
  const Powers w = powers(*d.constants, d.in, d.out, d.x_dot);
  energy.pump += weight * w.pump;
  energy.valve += weight * w.valve;
  energy.line += weight * w.line;
  energy.relief += weight * w.relief;
  energy.leakage += weight * w.leakage;
  energy.friction += weight * w.friction;
  energy.stops -= weight * d.stop.force * d.x_dot;
  if (d.share < 1.0) [[unlikely]]
    energy.switching += weight * (1.0 - d.share) * (d.force_before - d.out.force) * d.x_dot;
}

inline void count(const integration::NewtonReport& report, Health& health) {
  health.newton_iterations += report.iterations;
  health.newton_unconverged += report.converged ? 0 : 1;
  if (report.iterations > health.newton_worst) health.newton_worst = report.iterations;
}

// A closed valve's flow state follows the residual flow (eq. 14-15); the oil does not see it.
inline double follow_residual(double Q, const hydraulics::StageInput& in, int s, double P_C,
                              double decay_over_step) {
  const double residual = hydraulics::residual_flow(in.P_S[s], P_C, in.C_R[s]);
  return residual + decay_over_step * (Q - residual);
}

}  // namespace knuckleboom::machine
