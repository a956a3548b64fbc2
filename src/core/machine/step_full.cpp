// Full model: two SDIRK stages. docs/theory/integration.md
#include "knuckleboom/core/integration/sdirk2.hpp"
#include "knuckleboom/core/machine/stepper.hpp"
#include "step_parts.hpp"

namespace knuckleboom::machine {

using hydraulics::LineModel;
using integration::Sdirk2;

void Stepper::step_full(MachineState& state, const double* joint_force, const SpeedCommands* speeds,
                        Draw* draws) const {
  const int n = model_.joint_count();
  const int m = static_cast<int>(model_.actuators.size());
  const double h = h_;
  const double g = Sdirk2::kGamma * h;
  StepStart start;
  begin_step(Fidelity::kFull, state, joint_force, speeds, start);
  ActuatorStep* const drives = start.drives;
  SpeedSolver solver(friction_, model_, g, false, start, state);

  JointLaws joints(model_, joint_kinds_, speeds, g);
  const auto law = [&](const double* v, double* tau, double* dtau) {
    for (int k = 0; k < m; ++k) {
      ActuatorStep& d = drives[k];
      act(model_, evaluate<LineModel::kDynamic>(speed_of(model_, d, v), g, d), 1.0, d, tau, dtau);
    }
    if (joints.any) joints.add(v, tau, dtau);
  };

  // Speeds: of the stage, the part of it that is known, and those of the first stage.
  double v[kMaxLinks], v_star[kMaxLinks], v_first[kMaxLinks];
  for (int i = 0; i < n; ++i) {
    v_star[i] = state.v[i];
    v[i] = state.v[i] + g * state.a[i];
  }
  if (joints.any) joints.begin_stage(state.q, 0.0, v);
  for (int stage = 0; stage < 2; ++stage) {
    solver.solve(v_star, start.body.bias, nullptr, v, law);
    const double weight = h * Sdirk2::kWeight[stage];
    solver.book_friction([&](int i) { return weight * v[i]; });
    for (int k = 0; k < m; ++k) {
      ActuatorStep& d = drives[k];
      carry_to(speed_of(model_, d, v), d);
      book(d, weight, state.energy);
      if (draws_count_) draw(weight, d);
    }
    if (joints.any) joints.book(weight, v, state.energy);
    if (stage == 1) break;
    solver.next_stage(v, Sdirk2::kCarry);
    if (joints.any) joints.begin_stage(state.q, h * Sdirk2::kWeight[0], v);
    for (int i = 0; i < n; ++i) {
      v_first[i] = v[i];
      const double a_first = (v[i] - v_star[i]) / g;
      v_star[i] = state.v[i] + Sdirk2::kCarry * (v[i] - state.v[i]);
      v[i] = v_star[i] + g * a_first;
    }
    for (int k = 0; k < m; ++k) {
      ActuatorStep& d = drives[k];
      const Pair P = load(d.in.P_star);
      const Pair Q = load(d.in.Q_star);
      store(P + Sdirk2::kCarry * (load(d.out.P_C) - P), d.in.P_star);
      store(Q + Sdirk2::kCarry * (load(d.out.Q) - Q), d.in.Q_star);
      d.x_star = d.x_n + h * Sdirk2::kWeight[0] * d.x_dot;
    }
  }

  solver.finish_friction(v);
  Alarms alarms;
  for (int k = 0; k < m; ++k) {
    const ActuatorStep& d = drives[k];
    ActuatorState& a = state.actuator[k];
    for (int s = 0; s < 2; ++s)
      a.Q[s] = d.line == LineModel::kClosed
                   ? follow_residual(a.Q[s], d.in, s, d.out.P_C[s], residual_decay_)
                   : d.out.Q[s];
    keep(d, a, state.health, alarms);
    if (!draws_count_) continue;
    const int s = pump_side(a.spool_V);
    draws[k] = {d.drawn[s], d.line == LineModel::kDynamic
                                ? line_conductance(d.constants->g_I[s], d.constants->g_C[s],
                                                   d.in.C_R[s], a.Q[s])
                                : 0.0};
  }
  count(alarms, state.health);
  for (int i = 0; i < n; ++i) {
    const double moved = h * (Sdirk2::kWeight[0] * v_first[i] + Sdirk2::kWeight[1] * v[i]);
    state.q[i] += moved;
    if (joint_force != nullptr) state.energy.external += joint_force[i] * moved;
    state.a[i] = solver.acceleration(i, v_star[i], v[i], g);
    state.v[i] = v[i];
  }
  if (start.coupled) [[unlikely]]
    close_mechanism(model_, h, conservative_ && speeds == nullptr, state, start.mechanism);
}

}  // namespace knuckleboom::machine
