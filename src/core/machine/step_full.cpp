// Full model: two SDIRK stages of circuits. docs/theory/integration.md
#include "knuckleboom/core/machine/stepper.hpp"
#include "step_parts.hpp"
#include "step_stages.hpp"

namespace knuckleboom::machine {

using hydraulics::LineModel;

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

void Stepper::step_full(MachineState& state, const double* joint_force, const SpeedCommands* speeds,
                        Draw* draws) const {
  StepStart start;
  begin_step(Fidelity::kFull, state, joint_force, speeds, start);
  OilMedium oil{start.drives, residual_decay_, draws_count_ ? draws : nullptr};
  step_stages(start, oil, state, joint_force, speeds);
  count(oil.alarms, state.health);
}

}  // namespace knuckleboom::machine
