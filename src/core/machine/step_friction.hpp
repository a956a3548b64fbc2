// Dry friction within a step: the sticking coordinates, and the force on the others.
//
// A stage is solved with the sticking coordinates held at speed zero. After it, one whose friction
// would have to hold more than F_s breaks away, and one whose speed changed its sign sticks; then
// the stage is solved again, a bounded number of times. Coordinates are the joints, or the
// independent joints of a mechanism. docs/theory/friction.md
#pragma once

#include <cmath>

#include "knuckleboom/core/friction/friction.hpp"
#include "knuckleboom/core/integration/joint_speeds.hpp"
#include "knuckleboom/core/machine/stepper.hpp"

namespace knuckleboom::machine {

struct ActuatorStep;
struct Mechanism;

class StepFriction {
 public:
  // g: weight of a stage's own part (gamma h; the step itself in a one-stage method). M_g: mass
  // matrix of the joints over g; with a mechanism its own is used. one_stage: friction acts at a
  // weighted mean of the step's two speeds. All of them must outlive this.
  void start(const FrictionSites& sites, const MachineModel& model, const MachineState& state,
             ActuatorStep* drives, const Mechanism* mechanism, const double (*M_g)[kMaxLinks],
             double g, bool one_stage);

  // Newton on the joint speeds of a stage; as integration::solve_joint_speeds, with a law without
  // dry friction. Not with a mechanism.
  template <class Law>
  integration::NewtonReport solve(const double* v_star, const double* bias, const bool* held,
                                  double* v, Law& law, Health& health);

  // The parts of solve(). v: of all joints, u: of the coordinates. held (may be null): coordinates
  // that the model moves. Sets sticking coordinates to zero in u.
  void begin_stage(const bool* held, const double* v, double* u);
  // Adds the force of sliding friction to a law over all joints.
  void add(const double* v, double* tau, double* dtau);
  // newton(bias, given, u, tau): solves for u, those given[] excepted (null: none), and leaves the law's
  // last force in tau.
  template <class Newton>
  integration::NewtonReport settle(const double* u_star, const double* bias, double* u,
                                   Newton&& newton, Health& health);
  void end_stage(const double* v);

  // Work of a stage; moved[i]: its motion of joint i.
  void book(const double* moved);
  // Continues with the second stage: explicit part = start + carry (stage - start).
  void next_stage(const double* v, double carry);
  // Bristles into the state, losses into the ledger.
  void finish(const double* v, MachineState& state);
  // After finish(): whether joint i came to rest in this step. Its last acceleration is then
  // meaningless.
  bool rests(int i) const { return rests_[i]; }

 private:
  static constexpr int kMaxRounds = 8;

  struct Source {
    const FrictionSites::Site* site;
    int column;                        // coordinate through which it sticks; -1: it does not move
    double lever;                      // its speed by that of the coordinate
    double x_dot_start, x_dot_before;  // at the start of the step, at the stage before
    double weight;                     // weight of a stage's speed in the speed at which it acts
    double z_start, z_star, z;         // of the bristles
    double v_curve;                    // speed for a falling curve that inertia could not follow
    bool exact;                        // inertia follows the falling curve
    int branch;  // of a continuous law that inertia cannot follow: 0 the line through zero, +1, -1
                 // beyond the fall
    bool left[3];  // branches left in this stage
    bool in_fall;  // no solution on either: oil and damping then hold it on the fall itself
    double force;
  };

  bool sticks(int c) const { return capacity_[c] > 0.0 && sense_[c] == 0.0; }
  bool idle(const Source& s) const { return s.column < 0 || idle_[s.column]; }
  double speed(const Source& source, const double* v) const;
  double acting_speed(const Source& source, const double* v) const {
    return (1.0 - source.weight) * source.x_dot_start + source.weight * speed(source, v);
  }
  friction::Force evaluate(double x_dot, Source& source) const;
  bool leave_branch(Source& source, const double* u) const;
  void come_to_rest(int c, double* u);
  // Impulse over g that took coordinates that came to rest from the stage's explicit part to their
  // new start, with the others free to yield.
  void landing_impulse(const double* u_star, double* p) const;
  void choose_weights(const Mechanism* mechanism, const double (*row)[kMaxLinks]);

  const MachineModel* model_;
  ActuatorStep* drives_;
  int n_, count_;  // coordinates, sources
  double g_;
  bool one_stage_;
  Source source_[kMaxActuators + kMaxLinks];
  int joint_[kMaxLinks];  // of each coordinate
  double M_[kMaxLinks][kMaxLinks];
  double capacity_[kMaxLinks];  // largest force held by sticking; 0: it does not stick
  double sense_[kMaxLinks];     // +1, -1, or 0: sticks
  double start_[kMaxLinks];     // speed at the start of the step
  bool idle_[kMaxLinks];        // moved by the model, not by forces
  // Coordinates that came to rest start again from there: explicit part of their speed, and the
  // work of the net force on them, from which the loss of the stop follows.
  bool landed_[kMaxLinks];
  double own_star_[kMaxLinks];
  double net_[kMaxLinks], net_work_[kMaxLinks];
  double work_;
  bool rests_[kMaxLinks];
};

template <class Law>
integration::NewtonReport StepFriction::solve(const double* v_star, const double* bias,
                                              const bool* held, double* v, Law& law,
                                              Health& health) {
  begin_stage(held, v, v);
  const auto newton = [&](const double* own_bias, const bool* given, double* speed, double* tau) {
    const auto with_friction = [&](const double* at, double* out, double* slope) {
      law(at, out, slope);
      add(at, out, slope);
      for (int i = 0; i < n_; ++i) tau[i] = out[i];
    };
    return integration::solve_joint_speeds<kMaxLinks>(n_, M_, v_star, own_bias, given, speed,
                                                      with_friction);
  };
  const integration::NewtonReport report = settle(v_star, bias, v, newton, health);
  end_stage(v);
  return report;
}

template <class Newton>
integration::NewtonReport StepFriction::settle(const double* u_star, const double* bias, double* u,
                                               Newton&& newton, Health& health) {
  double tau[kMaxLinks];
  double stopped[kMaxLinks];
  bool broke[kMaxLinks] = {};  // away in this stage
  integration::NewtonReport total{0, true};
  for (int round = 0;; ++round) {
    bool still[kMaxLinks];  // speed given
    bool any_still = false;
    double from_others[kMaxLinks];  // bias, including the impulse of coordinates that came to rest
    double own_bias[kMaxLinks];
    landing_impulse(u_star, stopped);
    for (int i = 0; i < n_; ++i) {
      still[i] = idle_[i] || sticks(i);
      any_still = any_still || still[i];
      from_others[i] = bias[i];
    }
    for (int j = 0; j < n_; ++j)
      if (landed_[j] && sticks(j))
        for (int i = 0; i < n_; ++i)
          if (i != j) from_others[i] -= M_[i][j] * u_star[j];
    for (int i = 0; i < n_; ++i) {
      own_bias[i] = from_others[i] + stopped[i];
    }
    const integration::NewtonReport report = newton(own_bias, any_still ? still : nullptr, u, tau);
    total.iterations += report.iterations;
    total.converged = report.converged;
    if (round == kMaxRounds) {
      ++health.friction_unsettled;
      break;
    }
    bool changed = false;
    for (int i = 0; i < n_; ++i) {
      if (capacity_[i] == 0.0 || idle_[i]) continue;
      if (sense_[i] != 0.0) {
        if (sense_[i] * u[i] > 0.0) continue;
        come_to_rest(i, u);
        changed = true;
      } else if (!(broke[i] && landed_[i])) {  // broke away and returned: sticks
        double needed = own_bias[i] - tau[i];
        if (landed_[i]) needed -= M_[i][i] * u_star[i];
        for (int j = 0; j < n_; ++j)
          if (!still[j]) needed += M_[i][j] * (u[j] - u_star[j]);
        if (std::fabs(needed) <= capacity_[i]) continue;
        sense_[i] = needed > 0.0 ? -1.0 : 1.0;
        broke[i] = true;
        changed = true;
      }
    }
    for (int s = 0; s < count_; ++s) changed = leave_branch(source_[s], u) || changed;
    if (!changed) break;
  }
  for (int i = 0; i < n_; ++i) {
    net_[i] = 0.0;
    if (capacity_[i] == 0.0 || sticks(i)) continue;
    net_[i] = stopped[i];
    for (int j = 0; j < n_; ++j)
      if (!idle_[j]) net_[i] += M_[i][j] * (u[j] - u_star[j]);
  }
  return total;
}

}  // namespace knuckleboom::machine
