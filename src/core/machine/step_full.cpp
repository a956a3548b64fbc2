// Full model: two SDIRK stages.
#include "knuckleboom/core/integration/sdirk2.hpp"
#include "knuckleboom/core/machine/stepper.hpp"
#include "step_friction.hpp"
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
  ActuatorStep drives[kMaxActuators];
  ActuatorConstants faulty[kMaxActuators];

  hydraulics::StageInput inputs[kMaxActuators];
  follow_volumes(model_, Fidelity::kFull, h, state);
  update_valves(model_, Fidelity::kFull, state, inputs);
  double q_mid[kMaxLinks];
  multibody::MassAndBias body;
  Mechanism mechanism;
  const bool coupled = coupled_ || state.absent != 0;
  if (coupled) [[unlikely]] {
    middle_of_mechanism(model_, state, h, joint_force, conservative_ && speeds == nullptr, q_mid,
                        body, mechanism);
  } else {
    middle(model_.tree, state, h, joint_force, q_mid, body);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) body.M[i][j] *= 1.0 / g;
  }

  for (int k = 0; k < m; ++k) {
    const Actuator& actuator = model_.actuators[static_cast<std::size_t>(k)];
    start_drive(actuator, constants_of(k, state.actuator[k], faulty[k]).sdirk, Fidelity::kFull,
                state.actuator[k], inputs[k], state.q[actuator.link], q_mid, body, drives[k]);
    if (between_pins(actuator)) start_pins(model_, state.q, q_mid, drives[k]);
  }

  double q_star[kMaxLinks];  // joint positions before the stage's own part
  double stop[kMaxLinks] = {};
  for (int i = 0; i < n; ++i) q_star[i] = state.q[i];
  const auto law = [&](const double* v, double* tau, double* dtau) {
    for (int i = 0; i < n; ++i) tau[i] = dtau[i] = 0.0;
    for (int k = 0; k < m; ++k) {
      ActuatorStep& d = drives[k];
      act(model_, evaluate(speed_of(model_, d, v), g, d), 1.0, d, tau, dtau);
    }
    if (any_damping_)
      for (int i = 0; i < n; ++i) {
        tau[i] -= model_.tree.link(i).damping * v[i];
        dtau[i] -= model_.tree.link(i).damping;
      }
    if (any_springs_)
      for (int i = 0; i < n; ++i) {
        const multibody::Link& link = model_.tree.link(i);
        tau[i] -= link.stiffness * (q_star[i] + g * v[i] - link.rest);
        dtau[i] -= g * link.stiffness;
      }
    if (any_joint_stops_)
      for (int i = 0; i < n; ++i) {
        const StopForce f = stop_force(model_.joint_stops[static_cast<std::size_t>(i)],
                                       q_star[i] + g * v[i], v[i], g);
        stop[i] = f.force;
        tau[i] += f.force;
        dtau[i] += f.dforce;
      }
    if (speeds != nullptr) [[unlikely]]
      for (int i = 0; i < n; ++i) {
        const ServoTorque servo = servo_torque(*speeds, i, v[i]);
        tau[i] += servo.torque;
        dtau[i] += servo.slope;
      }
  };

  StepFriction friction;
  const bool dry = friction_.count > 0;
  if (dry) [[unlikely]]
    friction.start(friction_, model_, state, drives, coupled ? &mechanism : nullptr, body.M, g,
                   false);
  double v_star[kMaxLinks], v[kMaxLinks], v_first[kMaxLinks];
  for (int i = 0; i < n; ++i) {
    v_star[i] = state.v[i];
    v[i] = state.v[i] + g * state.a[i];
  }
  for (int stage = 0; stage < 2; ++stage) {
    count(coupled ? solve_mechanism(model_, mechanism, 1.0 / g, drives, body, body.bias, v_star, v,
                                    state, law, dry ? &friction : nullptr)
          : dry   ? friction.solve(v_star, body.bias, nullptr, v, law, state.health)
                : integration::solve_joint_speeds<kMaxLinks>(n, body.M, v_star, body.bias, nullptr,
                                                             v, law),
          state.health);
    const double weight = h * Sdirk2::kWeight[stage];
    if (dry) [[unlikely]] {
      double moved[kMaxLinks];
      for (int i = 0; i < n; ++i) moved[i] = weight * v[i];
      friction.book(moved);
    }
    for (int k = 0; k < m; ++k) {
      ActuatorStep& d = drives[k];
      carry_to(speed_of(model_, d, v), d);
      book(d, weight, state.energy);
    }
    if (any_damping_)
      for (int i = 0; i < n; ++i)
        state.energy.friction += weight * model_.tree.link(i).damping * v[i] * v[i];
    if (any_joint_stops_)
      for (int i = 0; i < n; ++i) state.energy.stops -= weight * stop[i] * v[i];
    if (speeds != nullptr) [[unlikely]]
      for (int i = 0; i < n; ++i)
        state.energy.external += weight * servo_torque(*speeds, i, v[i]).torque * v[i];
    if (stage == 1) break;
    if (dry) [[unlikely]]
      friction.next_stage(v, Sdirk2::kCarry);
    for (int i = 0; i < n; ++i) {
      v_first[i] = v[i];
      q_star[i] = state.q[i] + h * Sdirk2::kWeight[0] * v[i];
      const double a_first = (v[i] - v_star[i]) / g;
      v_star[i] = state.v[i] + Sdirk2::kCarry * (v[i] - state.v[i]);
      v[i] = v_star[i] + g * a_first;
    }
    for (int k = 0; k < m; ++k) {
      ActuatorStep& d = drives[k];
      for (int s = 0; s < 2; ++s) {
        d.in.P_star[s] += Sdirk2::kCarry * (d.out.P_C[s] - d.in.P_star[s]);
        d.in.Q_star[s] += Sdirk2::kCarry * (d.out.Q[s] - d.in.Q_star[s]);
      }
      d.x_star = d.x_n + h * Sdirk2::kWeight[0] * d.x_dot;
    }
  }

  if (dry) [[unlikely]]
    friction.finish(v, state);
  bool relief = false;
  bool cavitation = false;
  for (int k = 0; k < m; ++k) {
    const ActuatorStep& d = drives[k];
    ActuatorState& a = state.actuator[k];
    for (int s = 0; s < 2; ++s) {
      a.P_C[s] = d.out.P_C[s];
      a.p[s] = d.out.p[s];
      a.Q[s] = d.line == LineModel::kClosed
                   ? follow_residual(a.Q[s], d.in, s, a.P_C[s], residual_decay_)
                   : d.out.Q[s];
    }
    watch(*d.actuator, d.out, d.stop.active, a, state.health, relief, cavitation);
    const int s = pump_side(a.spool_V);
    draws[k] = {d.drawn[s], d.line == LineModel::kDynamic
                                ? line_conductance(d.constants->side[s], d.in.C_R[s], a.Q[s])
                                : 0.0};
  }
  state.health.relief_ticks += relief ? 1 : 0;
  state.health.cavitation_ticks += cavitation ? 1 : 0;
  for (int i = 0; i < n; ++i) {
    const double moved = h * (Sdirk2::kWeight[0] * v_first[i] + Sdirk2::kWeight[1] * v[i]);
    state.q[i] += moved;
    if (joint_force != nullptr) state.energy.external += joint_force[i] * moved;
    state.a[i] = dry && friction.rests(i) ? 0.0 : (v[i] - v_star[i]) / g;
    state.v[i] = v[i];
  }
  if (coupled) [[unlikely]]
    close_mechanism(model_, h, conservative_ && speeds == nullptr, state, mechanism);
}

}  // namespace knuckleboom::machine
