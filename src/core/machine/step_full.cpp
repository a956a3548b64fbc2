// Full model: two SDIRK stages, of circuits or of pneumatic cylinders. docs/theory/integration.md
#include "knuckleboom/core/integration/sdirk2.hpp"
#include "knuckleboom/core/machine/stepper.hpp"
#include "step_air.hpp"
#include "step_parts.hpp"

namespace knuckleboom::machine {

using hydraulics::LineModel;
using integration::Sdirk2;

namespace {

// Circuits within the stages.
struct OilMedium {
  ActuatorStep* drives;
  double residual_decay;
  Draw* draws;  // null: nothing reads them
  Alarms alarms{};

  Force force(int k, double x_dot, double g) {
    return evaluate<LineModel::kDynamic>(x_dot, g, drives[k]);
  }
  void accept(int k, double x_dot, double /*g*/, double weight, MachineState& state) {
    ActuatorStep& d = drives[k];
    carry_to(x_dot, d);
    book(d, weight, state.energy);
    if (draws != nullptr) draw(weight, d);
  }
  void next_stage(int k, double carry, const MachineState& /*state*/) {
    ActuatorStep& d = drives[k];
    const Pair P = load(d.in.P_star);
    const Pair Q = load(d.in.Q_star);
    store(P + carry * (load(d.out.P_C) - P), d.in.P_star);
    store(Q + carry * (load(d.out.Q) - Q), d.in.Q_star);
  }
  void finish(int k, MachineState& state) {
    const ActuatorStep& d = drives[k];
    ActuatorState& a = state.actuator[k];
    for (int s = 0; s < 2; ++s)
      a.Q[s] = d.line == LineModel::kClosed
                   ? follow_residual(a.Q[s], d.in, s, d.out.P_C[s], residual_decay)
                   : d.out.Q[s];
    keep(d, a, state.health, alarms);
    if (draws == nullptr) return;
    const int s = pump_side(a.spool_V);
    draws[k] = {d.drawn[s], d.line == LineModel::kDynamic
                                ? line_conductance(d.constants->g_I[s], d.constants->g_C[s],
                                                   d.in.C_R[s], a.Q[s])
                                : 0.0};
  }
};

}  // namespace

template <class Medium>
void Stepper::step_stages(StepStart& start, Medium& medium, MachineState& state,
                          const double* joint_force, const SpeedCommands* speeds) const {
  const int n = model_.joint_count();
  const int m = static_cast<int>(model_.actuators.size());
  const double h = h_;
  const double g = Sdirk2::kGamma * h;
  ActuatorStep* const drives = start.drives;
  SpeedSolver solver(friction_, model_, g, false, start, state);

  JointLaws joints(model_, joint_kinds_, speeds, g, start.balls);
  const auto law = [&](const double* v, double* tau, double* dtau) {
    for (int k = 0; k < m; ++k) {
      ActuatorStep& d = drives[k];
      act(model_, medium.force(k, speed_of(model_, d, v), g), 1.0, d, tau, dtau);
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
    for (int k = 0; k < m; ++k) medium.accept(k, speed_of(model_, drives[k], v), g, weight, state);
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
      medium.next_stage(k, Sdirk2::kCarry, state);
      drives[k].x_star = drives[k].x_n + h * Sdirk2::kWeight[0] * drives[k].x_dot;
    }
  }

  solver.finish_friction(v);
  for (int k = 0; k < m; ++k) medium.finish(k, state);
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

void Stepper::step_full(MachineState& state, const double* joint_force, const SpeedCommands* speeds,
                        Draw* draws) const {
  StepStart start;
  begin_step(Fidelity::kFull, state, joint_force, speeds, start);
  OilMedium oil{start.drives, residual_decay_, draws_count_ ? draws : nullptr};
  step_stages(start, oil, state, joint_force, speeds);
  count(oil.alarms, state.health);
}

void Stepper::step_on_air(MachineState& state, const double* joint_force,
                          const SpeedCommands* speeds) const {
  StepStart start;
  begin_step(Fidelity::kFull, state, joint_force, speeds, start);
  AirMedium air(model_, air_law_, state, start.drives);
  step_stages(start, air, state, joint_force, speeds);
}

}  // namespace knuckleboom::machine
