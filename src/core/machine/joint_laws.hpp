// Laws at the joints themselves within a step: dampers, springs, end stops, and drives that hold a speed.
#pragma once

#include "knuckleboom/core/integration/fitted_theta.hpp"
#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/machine/stepper.hpp"

namespace knuckleboom::machine {

// Evaluated and booked for all joints together. A stage ends at q_star + g theta v, with weight theta of
// the forces there: gamma h and 1 in a stage of the full model, h and the fitted weight in the reduced one.
struct JointLaws {
  JointLaws(const MachineModel& of, const JointKinds& kinds, const SpeedCommands* commands,
            double stage)
      : model(of), has(kinds), speeds(commands), g(stage), any(kinds.any || commands != nullptr) {}

  const MachineModel& model;
  const JointKinds& has;
  const SpeedCommands* speeds;  // null: no drive holds a speed
  double g;
  bool any;  // else none of the functions below has anything to do
  bool bend() const { return has.stops || speeds != nullptr; }  // the others are straight lines
  double theta[kMaxLinks];
  double q_star[kMaxLinks];
  double stop[2][kMaxLinks];  // forces of the end stops, at the start and the end

  // Adds the torques at joint speeds v, and their slopes.
  void add(const double* v, double* tau, double* dtau) {
    for (int i = 0; i < model.joint_count(); ++i) {
      const multibody::Link& link = model.tree.link(i);
      const double step = g * theta[i];
      if (has.dampers) {
        tau[i] -= theta[i] * link.damping * v[i];
        dtau[i] -= theta[i] * link.damping;
      }
      if (has.springs) {
        tau[i] -= theta[i] * link.stiffness * (q_star[i] + step * v[i] - link.rest);
        dtau[i] -= theta[i] * step * link.stiffness;
      }
      if (has.stops) {
        const StopForce f = stop_force(model.joint_stops[static_cast<std::size_t>(i)],
                                       q_star[i] + step * v[i], v[i], step);
        stop[1][i] = f.force;
        tau[i] += theta[i] * f.force;
        dtau[i] += theta[i] * f.dforce;
      }
      if (speeds != nullptr) {
        const ServoTorque servo = servo_torque(*speeds, i, v[i]);
        tau[i] += theta[i] * servo.torque;
        dtau[i] += theta[i] * servo.slope;
      }
    }
  }

  // --- Full model: whole stages ------------------------------------------------------------------------

  // Each stage's explicit part of the positions.
  void begin_stage(const double* q, double moved_s, const double* v) {
    for (int i = 0; i < model.joint_count(); ++i) {
      theta[i] = 1.0;
      q_star[i] = q[i] + moved_s * v[i];
    }
  }

  // weight: of the stage in the step [s].
  void book(double weight, const double* v, EnergyLedger& energy) const {
    for (int i = 0; i < model.joint_count(); ++i) {
      if (has.dampers) energy.friction += weight * model.tree.link(i).damping * v[i] * v[i];
      if (has.stops) energy.stops -= weight * stop[1][i] * v[i];
      if (speeds != nullptr)
        energy.external += weight * servo_torque(*speeds, i, v[i]).torque * v[i];
    }
  }

  // --- Reduced model: one step of fitted weights -------------------------------------------------------

  // The part of the step's start, from weights theta that actuators have set; raises them where a law is
  // fast. mobility(i): what a unit torque at joint i accelerates it by. bias: less what acts at the start.
  template <class Mobility>
  void start_step(const MachineState& state, Mobility mobility, double* bias,
                  EnergyLedger& energy) {
    for (int i = 0; i < model.joint_count(); ++i) {
      const multibody::Link& link = model.tree.link(i);
      const double v = state.v[i];
      if (speeds != nullptr) {
        const ServoTorque servo = servo_torque(*speeds, i, v);
        const double z = -g * servo.slope * mobility(i);
        if (z > 0.0) theta[i] = std::max(theta[i], integration::fitted_theta(z));
        bias[i] -= (1.0 - theta[i]) * servo.torque;
        energy.external += g * (1.0 - theta[i]) * servo.torque * v;
      }
      if (has.dampers) {
        bias[i] += (1.0 - theta[i]) * link.damping * v;
        energy.friction += g * (1.0 - theta[i]) * link.damping * v * v;
      }
      stop[0][i] = stop[1][i] = 0.0;
      if (has.stops) {
        const StopForce start =
            stop_force(model.joint_stops[static_cast<std::size_t>(i)], state.q[i], v, 0.0);
        if (start.active && theta[i] == 0.5)
          theta[i] = integration::fitted_theta(-g * mobility(i) * start.dforce);
        stop[0][i] = start.force;
        bias[i] -= (1.0 - theta[i]) * start.force;
      }
      q_star[i] = state.q[i] + g * (1.0 - theta[i]) * v;
      if (has.springs)  // after the stops, which choose the weights
        bias[i] += (1.0 - theta[i]) * link.stiffness * (state.q[i] - link.rest);
    }
  }

  double moved(int i, double v_0, double v) const {
    return g * ((1.0 - theta[i]) * v_0 + theta[i] * v);
  }

  // Joint i from speed v_0 to v. held: given by the model, at no stop.
  void book_end(int i, double v_0, double v, bool held, EnergyLedger& energy) const {
    if (speeds != nullptr) energy.external += g * theta[i] * servo_torque(*speeds, i, v).torque * v;
    if (has.dampers) energy.friction += g * theta[i] * model.tree.link(i).damping * v * v;
    if (has.stops && !held)
      energy.stops -= 0.5 * g * (v_0 + v) * ((1.0 - theta[i]) * stop[0][i] + theta[i] * stop[1][i]);
  }
};

}  // namespace knuckleboom::machine
