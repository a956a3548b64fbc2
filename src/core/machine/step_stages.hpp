// Two SDIRK stages, of circuits or of pneumatic cylinders. docs/theory/integration.md
#pragma once

#include "knuckleboom/core/integration/sdirk2.hpp"
#include "knuckleboom/core/machine/stepper.hpp"
#include "step_parts.hpp"

namespace knuckleboom::machine {

template <class Medium>
void Stepper::step_stages(StepStart& start, Medium& medium, MachineState& state,
                          const double* joint_force, const SpeedCommands* speeds) const {
  const int n = model_.joint_count();
  const int m = static_cast<int>(model_.actuators.size());
  const double h = h_;
  const double g = integration::Sdirk2::kGamma * h;
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
    const double weight = h * integration::Sdirk2::kWeight[stage];
    solver.book_friction([&](int i) { return weight * v[i]; });
    for (int k = 0; k < m; ++k) medium.accept(k, speed_of(model_, drives[k], v), g, weight, state);
    if (joints.any) joints.book(weight, v, state.energy);
    if (stage == 1) break;
    solver.next_stage(v, integration::Sdirk2::kCarry);
    if (joints.any) joints.begin_stage(state.q, h * integration::Sdirk2::kWeight[0], v);
    for (int i = 0; i < n; ++i) {
      v_first[i] = v[i];
      const double a_first = (v[i] - v_star[i]) / g;
      v_star[i] = state.v[i] + integration::Sdirk2::kCarry * (v[i] - state.v[i]);
      v[i] = v_star[i] + g * a_first;
    }
    for (int k = 0; k < m; ++k) {
      medium.next_stage(k, integration::Sdirk2::kCarry, state);
      drives[k].x_star = drives[k].x_n + h * integration::Sdirk2::kWeight[0] * drives[k].x_dot;
    }
  }

  solver.finish_friction(v);
  for (int k = 0; k < m; ++k) medium.finish(k, state);
  for (int i = 0; i < n; ++i) {
    const double moved =
        h * (integration::Sdirk2::kWeight[0] * v_first[i] + integration::Sdirk2::kWeight[1] * v[i]);
    state.q[i] += moved;
    if (joint_force != nullptr) state.energy.external += joint_force[i] * moved;
    state.a[i] = solver.acceleration(i, v_star[i], v[i], g);
    state.v[i] = v[i];
  }
  if (start.coupled) [[unlikely]]
    close_mechanism(model_, h, conservative_ && speeds == nullptr, state, start.mechanism);
}

}  // namespace knuckleboom::machine
