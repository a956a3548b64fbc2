// Reduced model: pressures of the lines as states, hoses without inertance; one trapezoidal step with
// fitted weights of the filling. docs/theory/reduced_model.md
#include "knuckleboom/core/integration/fitted_theta.hpp"
#include "knuckleboom/core/machine/stepper.hpp"
#include "step_parts.hpp"

namespace knuckleboom::machine {
namespace {

using hydraulics::LineModel;
using hydraulics::StageConstants;

// How a line fills or empties over the step: at this rate its pressure settles behind the orifice.
struct Filling {
  Pair Q;      // at the start
  Pair theta;  // weight of the step's end
};

// Rate 1 / (2 C_R |Q| C).
Filling filling(const ActuatorState& a, const hydraulics::StageInput& in, double h) {
  const Pair dP = load(in.P_S) - load(a.P_C);
  const Pair C_R = load(in.C_R);
  const Pair drop = sqrt(abs(dP) * C_R);  // C_R |Q|
  return {with_sign(drop / C_R, dP),
          integration::fitted_theta_of_inverse(2.0 / h * load(a.C) * drop)};
}

// Constants and explicit part of an open valve's lines. Leakage and protective flow may be faster than the
// step and are taken wholly at its end; so they are in a closed valve's.
void start_open(const ActuatorState& a, const Filling& f, double h, StageConstants& own,
                ActuatorStep& d) {
  own = d.all_constants->half;
  const Pair C = load(a.C);
  own.g_C = h * f.theta / C;
  own.side_flow_weight = 1.0 / f.theta;
  store(load(a.P_C) + h * (1.0 - f.theta) / C * (f.Q - own.sign_area * d.x_dot), d.in.P_star);
  d.constants = &own;
}

// To the accepted speed with all that the ledger needs: as straight as Newton's last step took them, so that
// they balance.
void carry_all(double x_dot, ActuatorStep& d) {
  const StageConstants& k = *d.constants;
  const double step = x_dot - d.x_dot;
  const Pair dp = step * load(d.out.dp);
  Pair flow = step * k.sign_area;
  if (k.coupled) flow += k.leak_internal * (dp - swapped(dp)) + k.leak_external * dp;
  if (d.out.bypassing) [[unlikely]]
    for (int s = 0; s < 2; ++s) {
      const auto slope = [&](double y) { return y > 0.0 ? k.G_high : y < 0.0 ? k.G_low : 0.0; };
      const double change = slope(d.out.bypass_p[s]) * dp[s];
      d.out.bypass_C[s] += slope(d.out.bypass_C[s]) * step * d.out.dP_C[s];
      d.out.bypass_p[s] += change;
      flow[s] += change;
    }
  store(load(d.out.o_R) + flow, d.out.o_R);
  d.stop.force += step * d.stop.dforce;
  carry_to(x_dot, d);
}

// Enters an open line's work: the source's, and the loss in the orifice, from the means of flow and
// pressure. The line weighs the piston's flow otherwise than the bodies do; that is entered as the model's.
void book_filling(const ActuatorState& start, const Filling& f, double x_dot_start, double h,
                  ActuatorStep& d, EnergyLedger& energy) {
  const Pair P_S = load(d.in.P_S);
  const Pair P = 0.5 * (load(start.P_C) + load(d.out.P_C));
  const Pair volume = h * ((1.0 - f.theta) * f.Q + f.theta * load(d.out.Q));
  energy.pump += sum(P_S * volume);
  energy.valve += sum((P_S - P) * volume);
  energy.model -= h * (d.x_dot - x_dot_start) * sum(P * d.constants->sign_area * (f.theta - 0.5));
  store(volume, d.drawn);
}

}  // namespace

void Stepper::step_reduced(MachineState& state, const double* joint_force,
                           const SpeedCommands* speeds, Draw* draws) const {
  const int n = model_.joint_count();
  const int m = static_cast<int>(model_.actuators.size());
  const double h = h_;
  StepStart start;
  begin_step(Fidelity::kReduced, state, joint_force, speeds, start);
  ActuatorStep* const drives = start.drives;

  JointLaws joints(model_, joint_kinds_, speeds, h, start.balls);
  double bias[kMaxLinks], v[kMaxLinks];
  double steepest[kMaxLinks];  // slope of the oil's force, as a spring
  for (int i = 0; i < n; ++i) {
    joints.theta[i] = 0.5;
    bias[i] = start.body.bias[i];
    v[i] = state.v[i] + h * state.a[i];
    steepest[i] = 0.0;
  }
  StageConstants open[kMaxActuators];
  Filling fill[kMaxActuators];
  double x_dot_start[kMaxActuators];
  for (int k = 0; k < m; ++k) {
    ActuatorStep& d = drives[k];
    const ActuatorState& a = state.actuator[k];
    d.x_dot = x_dot_start[k] = speed_of(model_, d, state.v);
    const double force = force_at_start(a, d);
    d.mean_stop = 0.5 * d.stop.force;
    if (d.line == LineModel::kFilling) {
      fill[k] = filling(a, d.in, h);
      start_open(a, fill[k], h, open[k], d);
    } else {
      start_closed(d);
    }
    d.x_star = d.x_n + 0.5 * h * d.x_dot;
    if (d.pins)
      for (int j = 0; j < n; ++j) bias[j] -= 0.5 * d.row[j] * force;
    else
      bias[d.link] -= 0.5 * d.J * force;
    const Pair area = d.J * d.constants->sign_area;
    steepest[d.link] += 0.5 * sum(area * area * d.constants->g_C);
  }
  InverseDiagonal<kMaxLinks> of_inverse(n, start.body.M);
  if (joints.any)
    joints.start_step(
        state, [&](int i) { return joint_mobility(start, of_inverse, i); }, bias, state.energy);

  SpeedSolver solver(friction_, model_, h, true, start, state);
  const auto law = [&](const double* speed, double* tau, double* dtau) {
    for (int k = 0; k < m; ++k) {
      ActuatorStep& d = drives[k];
      act(model_, evaluate<LineModel::kFilling>(speed_of(model_, d, speed), 0.5 * h, d), 0.5, d,
          tau, dtau);
    }
    if (joints.any) joints.add(speed, tau, dtau);
  };
  solver.solve(state.v, bias, nullptr, v, law, joints.bend() ? nullptr : steepest);

  Alarms alarms;
  for (int k = 0; k < m; ++k) {
    ActuatorStep& d = drives[k];
    ActuatorState& a = state.actuator[k];
    carry_all(speed_of(model_, d, v), d);
    d.mean_stop += 0.5 * d.stop.force;
    book_trapezoid(a, x_dot_start[k], h, d, state.energy);
    if (d.line == LineModel::kFilling) book_filling(a, fill[k], x_dot_start[k], h, d, state.energy);
    store(load(d.out.Q), a.Q);
    keep(d, a, state.health, alarms);
    if (!draws_count_) continue;
    const int s = pump_side(a.spool_V);
    draws[k] = {d.drawn[s], d.line == LineModel::kFilling
                                ? fill[k].theta[s] /
                                      (d.constants->g_C[s] + 2.0 * d.in.C_R[s] * std::fabs(a.Q[s]))
                                : 0.0};
  }
  count(alarms, state.health);
  solver.book_friction([&](int i) { return joints.moved(i, state.v[i], v[i]); });
  solver.finish_friction(v);
  end_joints(joints, h, v, nullptr, joint_force, solver, state);
  if (start.coupled) [[unlikely]]
    close_mechanism(model_, h, conservative_ && speeds == nullptr, state, start.mechanism);
}

}  // namespace knuckleboom::machine
