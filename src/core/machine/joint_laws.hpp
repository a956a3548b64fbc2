// The laws at the joints themselves within a step.
#pragma once

#include "ball_laws.hpp"
#include "knuckleboom/core/integration/fitted_theta.hpp"
#include "knuckleboom/core/machine/joint_law.hpp"

namespace knuckleboom::machine {

// Evaluated and booked for all joints together. A stage ends at q_star + g theta v, with weight theta of
// the forces there: gamma h and 1 in a stage of the full model, h and the fitted weight in the reduced one.
struct JointLaws {
  JointLaws(const MachineModel& of, const JointKinds& kinds, const SpeedCommands* commands,
            double stage, BallLaws& of_balls)
      : model(of),
        has(kinds),
        speeds(commands),
        balls(of_balls),
        g(stage),
        any(kinds.any || commands != nullptr) {}

  const MachineModel& model;
  const JointKinds& has;
  const SpeedCommands* speeds;  // null: no drive holds a speed
  BallLaws& balls;
  double g;
  bool any;  // else none of the functions below has anything to do
  bool bend() const { return has.stops || speeds != nullptr; }  // the others are straight lines
  double theta[kMaxLinks];
  double q_star[kMaxLinks];
  double stop_start[kMaxLinks];  // (1 - theta) of the end stop's force at the start of a step

  template <class Use>
  void each_at_end(int i, double v, double weight, Use use) const {
    const double step = g * theta[i];
    for_each_joint_law(model, has, speeds, i, q_star[i] + step * v, v, step, weight, use);
  }

  // Adds the torques at joint speeds v, and their slopes, except those of balls (BallLaw::slope).
  void add(const double* v, double* tau, double* dtau) const {
    for (int i = 0; i < model.joint_count(); ++i)
      each_at_end(i, v[i], theta[i], [&](JointLaw, double torque, double slope) {
        tau[i] += torque;
        dtau[i] += slope;
      });
    if (has.balls) balls.add(v, tau);
  }

  // --- Full model: whole stages ------------------------------------------------------------------------

  // Each stage's explicit part of the positions.
  void begin_stage(const double* q, double moved_s, const double* v) {
    for (int i = 0; i < model.joint_count(); ++i) {
      theta[i] = 1.0;
      q_star[i] = q[i] + moved_s * v[i];
    }
    if (has.balls) balls.begin_stage(moved_s, v, 1.0, g);
  }

  // weight: of the stage in the step [s].
  void book(double weight, const double* v, EnergyLedger& energy) const {
    for (int i = 0; i < model.joint_count(); ++i)
      each_at_end(i, v[i], weight, [&](JointLaw law, double impulse, double) {
        enter(law, impulse * v[i], energy);
      });
    if (has.balls) balls.book(weight, v, energy);
  }

  // --- Reduced model: one step of fitted weights -------------------------------------------------------

  // The part of the step's start, from weights theta that actuators have set; raises them where a law is
  // fast. mobility(i): what a unit torque at joint i accelerates it by. bias: less what acts at the start.
  template <class Mobility>
  void start_step(const MachineState& state, Mobility mobility, double* bias,
                  EnergyLedger& energy) {
    for (int i = 0; i < model.joint_count(); ++i) {
      const double q = state.q[i];
      const double v = state.v[i];
      const auto each = [&](double weight, auto use) {
        for_each_joint_law(model, has, speeds, i, q, v, 0.0, weight, use);
      };
      // A drive raises the weight; a stop chooses it where nothing else has.
      each(1.0, [&](JointLaw law, double torque, double slope) {
        if (law == JointLaw::kServo && slope != 0.0)
          theta[i] = std::max(theta[i], integration::fitted_theta(-g * slope * mobility(i)));
        if (law == JointLaw::kStop && torque != 0.0 && theta[i] == 0.5)
          theta[i] = integration::fitted_theta(-g * mobility(i) * slope);
      });
      stop_start[i] = 0.0;
      each(1.0 - theta[i], [&](JointLaw law, double torque, double) {
        bias[i] -= torque;
        if (law == JointLaw::kStop) stop_start[i] = torque;
      });
      each(g * (1.0 - theta[i]), [&](JointLaw law, double impulse, double) {
        if (law != JointLaw::kStop) enter(law, impulse * v, energy);
      });
      q_star[i] = q + g * (1.0 - theta[i]) * v;
    }
    if (!has.balls) return;
    // Nothing raises the weights of turns.
    balls.begin_stage(0.5 * g, state.v, 0.5, 0.5 * g);
    balls.add_start(state.v, 0.5, bias);
    balls.book(0.5 * g, state.v, energy);
  }

  void book_balls_end(const double* v, EnergyLedger& energy) const {
    if (has.balls) balls.book(0.5 * g, v, energy);
  }

  double moved(int i, double v_0, double v) const {
    return g * ((1.0 - theta[i]) * v_0 + theta[i] * v);
  }

  // Joint i from speed v_0 to v. held: given by the model, at no stop. A stop's work is that of the mean
  // force along the mean speed, which the bodies take up exactly, however hard the blow.
  void book_end(int i, double v_0, double v, bool held, EnergyLedger& energy) const {
    each_at_end(i, v, g * theta[i], [&](JointLaw law, double impulse, double) {
      if (law != JointLaw::kStop)
        enter(law, impulse * v, energy);
      else if (!held)
        enter(law, 0.5 * (v_0 + v) * (g * stop_start[i] + impulse), energy);
    });
  }
};

}  // namespace knuckleboom::machine
