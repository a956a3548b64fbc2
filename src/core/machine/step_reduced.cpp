// Reduced model: pressures of the lines as states, hoses without inertance; one trapezoidal step with
// fitted weights of the filling. docs/theory/reduced_model.md
#include "knuckleboom/core/machine/stepper.hpp"
#include "step_parts.hpp"

namespace knuckleboom::machine {
namespace {

using hydraulics::LineModel;
using hydraulics::StageConstants;

using Filling = BasicFilling<Pair>;

// Constants and explicit part of an open valve's lines.
void start_open(const ActuatorState& a, const Filling& f, double h, StageConstants& own,
                ActuatorStep& d) {
  own = d.all_constants->half;
  const OpenLines<Pair> lines = open_lines(a, f, h, own.sign_area, d.x_dot);
  own.g_C = lines.g_C;
  own.side_flow_weight = lines.side_flow_weight;
  store(lines.P_star, d.in.P_star);
  d.constants = &own;
}

void book_filling(const ActuatorState& start, const Filling& f, double x_dot_start, double h,
                  ActuatorStep& d, EnergyLedger& energy) {
  const FillingWork<double> work = filling_work(start, f, x_dot_start, h, d);
  energy.pump += work.pump;
  energy.valve += work.valve;
  energy.model -= work.model;
  store(work.volume, d.drawn);
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
