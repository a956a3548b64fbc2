// Common parts of the three real-time steps.
#pragma once

#include "joint_laws.hpp"
#include "knuckleboom/core/integration/joint_speeds.hpp"
#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/machine/power.hpp"
#include "knuckleboom/core/machine/stepper.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "step_friction.hpp"

namespace knuckleboom::machine {

// One actuator during a step.
struct ActuatorStep {
  const Actuator* actuator;
  const ActuatorConstants* all_constants;
  const hydraulics::StageConstants* constants;  // of these, those in use
  hydraulics::LineModel line;
  int link;
  bool pins;           // a cylinder between pins
  double J;            // lever at the middle of the step
  double x_n, x_star;  // displacement at the start (from the middle), explicit part of the end's
  double x_dot;
  hydraulics::StageInput in;
  hydraulics::StageResult out;
  StopForce stop;
  double settled;    // speed at which an open valve would settle
  double mean_stop;  // force of the end stop over a trapezoidal step
  // After a change of the model: the new circuit's share of the oil's force; the rest is the
  // previous one's.
  double share, share_at_end, force_before;
  double drawn[2];  // through the valve into the lines over the tick [m^3]
  // For a cylinder between pins: derivatives of its length by every joint, and weighted slope of
  // its force.
  double row[kMaxLinks];
  double dforce;
  double theta;  // weight of the step's end (the paper's model)
};

// Mass matrix, bias and trigonometry at the middle of the step, extrapolated from its start.
// External forces are subtracted from the bias.
inline void middle(const multibody::Tree& tree, const MachineState& state, double h,
                   const double* joint_force, double* q_mid, multibody::MassAndBias& out) {
  double v_mid[kMaxLinks];
  for (int i = 0; i < tree.link_count(); ++i) {
    q_mid[i] = state.q[i] + 0.5 * h * (state.v[i] + 0.25 * h * state.a[i]);
    v_mid[i] = state.v[i] + 0.5 * h * state.a[i];
  }
  multibody::mass_and_bias(tree, state.inertia, q_mid, v_mid, out);
  if (joint_force != nullptr)
    for (int i = 0; i < tree.link_count(); ++i) out.bias[i] -= joint_force[i];
}

// The start of a step: the bodies at its middle, every actuator as it is.
struct StepStart {
  bool coupled;  // by loops, pins, balls or absent bodies: the mechanism counts
  double q_mid[kMaxLinks];
  multibody::MassAndBias body;
  Mechanism mechanism;
  ActuatorStep drives[kMaxActuators];
  ActuatorConstants own[kMaxActuators];  // of circuits that are not as their model has them
  BallLaws balls;
};

// Force on an actuator's displacement and its slope.
struct Force {
  double force, dforce;
};

inline bool between_pins(const Actuator& actuator) {
  return actuator.linkage.kind == LinkageKind::kPins;
}

// The actuator at the start of a step: lever of the middle, states and valve of the start.
inline void start_drive(const Actuator& actuator, const ActuatorConstants& constants,
                        Fidelity fidelity, const ActuatorState& a,
                        const hydraulics::StageInput& valve, double q, const double* q_mid,
                        const multibody::MassAndBias& body, ActuatorStep& d) {
  const int i = actuator.link;
  const LinkageState linkage =
      linkage_state(actuator.linkage, q_mid[i], body.sin_q[i], body.cos_q[i]);
  d.actuator = &actuator;
  d.all_constants = &constants;
  d.constants = fidelity == Fidelity::kFull ? &constants.sdirk : &constants.now;
  d.link = i;
  d.pins = between_pins(actuator);
  d.line = line_model(a.open != 0, fidelity);
  d.J = linkage.J;
  d.x_n = linkage.x - linkage.J * (q_mid[i] - q);
  d.x_star = d.x_n;
  d.stop = StopForce{0.0, 0.0, false};
  d.share = 1.0;
  d.drawn[0] = d.drawn[1] = 0.0;
  store(load(valve.P_S), d.in.P_S);
  store(load(valve.C_R), d.in.C_R);
  store(load(a.P_C), d.in.P_star);
  store(load(a.Q), d.in.Q_star);
  store(load(a.p), d.out.p);
}

// Completes start_drive() for a cylinder between pins.
inline void start_pins(const MachineModel& model, const double* q, const double* q_mid,
                       ActuatorStep& d) {
  d.J = 1.0;
  d.x_n = d.actuator->linkage.pins.distance(model.tree, q_mid, d.row);
  for (int j = 0; j < model.joint_count(); ++j) d.x_n -= d.row[j] * (q_mid[j] - q[j]);
  d.x_star = d.x_n;
}

// Speed of an actuator's displacement at joint rates v.
inline double speed_of(const MachineModel& model, const ActuatorStep& d, const double* v) {
  if (!d.pins) [[likely]]
    return d.J * v[d.link];
  double sum = 0.0;
  for (int j = 0; j < model.joint_count(); ++j) sum += d.row[j] * v[j];
  return sum;
}

// Force of an actuator on the joints, with weight w, and its slope.
inline void act(const MachineModel& model, const Force& f, double w, ActuatorStep& d, double* tau,
                double* dtau) {
  if (!d.pins) [[likely]] {
    const int i = d.link;
    tau[i] += w * d.J * f.force;
    dtau[i] += w * d.J * d.J * f.dforce;
    return;
  }
  for (int j = 0; j < model.joint_count(); ++j) tau[j] += w * d.row[j] * f.force;
  d.dforce = w * f.dforce;
}

// Row of an actuator over the independent joints.
inline void independent_row(const MachineModel& model, const Mechanism& mechanism,
                            const ActuatorStep& d, double* row) {
  double by_joint[kMaxLinks] = {};
  if (d.pins)
    std::copy(d.row, d.row + model.joint_count(), by_joint);
  else
    by_joint[d.link] = d.J;
  to_independent(mechanism, by_joint, row);
}

// Acceleration of an actuator's displacement by a unit force on it, through all joints.
inline double mobility(const Mechanism& mechanism, const double* row) {
  double M[kMaxLinks][kMaxLinks], x[kMaxLinks];
  for (int r = 0; r < mechanism.count; ++r) {
    std::copy(mechanism.M[r], mechanism.M[r] + mechanism.count, M[r]);
    x[r] = row[r];
  }
  solve_positive_definite<kMaxLinks>(mechanism.count, M, x);
  double sum = 0.0;
  for (int r = 0; r < mechanism.count; ++r) sum += row[r] * x[r];
  return sum;
}

// Slopes of balls' torques over the independent joints.
inline void ball_slopes(const Mechanism& mechanism, const BallLaws& balls,
                        double (&out)[kMaxLinks][kMaxLinks]) {
  for (int r = 0; r < mechanism.count; ++r) std::fill_n(out[r], mechanism.count, 0.0);
  for (int b = 0; b < balls.count; ++b) {
    const Mat3 slope = balls.ball[b].slope();
    double row[3][kMaxLinks];
    for (int t = 0; t < 3; ++t) {
      double by_joint[kMaxLinks] = {};
      by_joint[balls.ball[b].ball->first + 1 + t] = 1.0;
      to_independent(mechanism, by_joint, row[t]);
    }
    for (int s = 0; s < 3; ++s)
      for (int t = 0; t < 3; ++t)
        for (int r = 0; r < mechanism.count; ++r)
          for (int c = 0; c <= r; ++c) out[r][c] += row[s][r] * slope(s, t) * row[t][c];
  }
}

// Newton over the independent joints with a law over all joints. rate: 1 / g. v_star, v: of all
// joints, on the constraint. friction (may be null): dry friction, which is not in the law. Leaves
// the loops' forces in the state.
template <class Law>
integration::NewtonReport solve_mechanism(const MachineModel& model, Mechanism& mechanism,
                                          double rate, const ActuatorStep* drives,
                                          const BallLaws& balls, const multibody::MassAndBias& body,
                                          const double* bias, const double* v_star, double* v,
                                          MachineState& state, Law& law, StepFriction* friction) {
  const int n = model.joint_count();
  const int m = static_cast<int>(model.actuators.size());
  const multibody::Embedding& e = mechanism.embedding;
  double M_g[kMaxLinks][kMaxLinks], u_star[kMaxLinks], u[kMaxLinks], bias_u[kMaxLinks];
  double row[kMaxActuators][kMaxLinks], work[kMaxLinks], tau[kMaxLinks], dtau[kMaxLinks];
  int column_of[kMaxLinks];
  std::copy(bias, bias + n, work);
  to_independent(mechanism, work, bias_u);
  for (int r = 0; r < mechanism.count; ++r) {
    const int j = mechanism.joint[r];
    column_of[j] = r;
    u_star[r] = v_star[j];
    u[r] = v[j];
    for (int c = 0; c < mechanism.count; ++c) M_g[r][c] = rate * mechanism.M[r][c];
  }
  for (int k = 0; k < m; ++k) independent_row(model, mechanism, drives[k], row[k]);
  double of_balls[kMaxLinks][kMaxLinks];
  if (balls.count > 0) [[unlikely]]
    ball_slopes(mechanism, balls, of_balls);
  const auto independent_law = [&](const double* speed, double* tau_u,
                                   double(&dtau_u)[kMaxLinks][kMaxLinks]) {
    to_joints(mechanism, speed, v);
    for (int i = 0; i < n; ++i) tau[i] = dtau[i] = 0.0;
    law(v, tau, dtau);
    if (friction != nullptr) [[unlikely]]
      friction->add(v, tau, dtau);
    std::copy(tau, tau + n, work);
    to_independent(mechanism, work, tau_u);
    for (int r = 0; r < mechanism.count; ++r) dtau_u[r][r] = dtau[mechanism.joint[r]];
    for (int g = 0; g < e.groups; ++g) {
      const multibody::Embedding::Group& group = e.group[g];
      for (int d = 0; d < group.dependents; ++d) {
        const int j = group.dependent[d];
        if (dtau[j] == 0.0) continue;
        for (int a = 0; a < group.independents; ++a)
          for (int b = 0; b <= a; ++b)
            dtau_u[column_of[group.independent[a]]][column_of[group.independent[b]]] +=
                e.B[j][group.independent[a]] * dtau[j] * e.B[j][group.independent[b]];
      }
    }
    for (int k = 0; k < m; ++k) {
      if (!drives[k].pins) continue;
      for (int r = 0; r < mechanism.count; ++r)
        for (int c = 0; c <= r; ++c) dtau_u[r][c] += row[k][r] * drives[k].dforce * row[k][c];
    }
    if (balls.count > 0) [[unlikely]]
      for (int r = 0; r < mechanism.count; ++r)
        for (int c = 0; c <= r; ++c) dtau_u[r][c] -= of_balls[r][c];
  };
  integration::NewtonReport report;
  if (friction == nullptr) {
    report = integration::solve_dense_joint_speeds<kMaxLinks>(mechanism.count, M_g, u_star, bias_u,
                                                              nullptr, u, independent_law);
  } else {
    friction->begin_stage(nullptr, v, u);
    const auto newton = [&](const double* own_bias, const bool* given, double* to, double* last) {
      const auto recorded = [&](const double* speed, double* tau_u,
                                double(&dtau_u)[kMaxLinks][kMaxLinks]) {
        independent_law(speed, tau_u, dtau_u);
        std::copy(tau_u, tau_u + mechanism.count, last);
      };
      return integration::solve_dense_joint_speeds<kMaxLinks>(mechanism.count, M_g, u_star,
                                                              own_bias, given, to, recorded);
    };
    report = friction->settle(u_star, bias_u, u, newton, state.health);
  }
  to_joints(mechanism, u, v);
  if (friction != nullptr) friction->end_stage(v);
  if (model.loop_system.empty()) return report;
  // The loops supply what the dependent joints lack.
  double lack[kMaxLinks];
  for (int i = 0; i < n; ++i) {
    lack[i] = bias[i] - tau[i];
    for (int j = 0; j < n; ++j) lack[i] += rate * body.M[i][j] * (v[j] - v_star[j]);
  }
  model.loop_system.forces(model.tree, e, state.q, lack, state.loop_force_W, state.coupling_force);
  return report;
}

inline void count(const integration::NewtonReport& report, Health& health) {
  health.newton_iterations += report.iterations;
  health.newton_unconverged += report.converged ? 0 : 1;
  if (report.iterations > health.newton_worst) health.newton_worst = report.iterations;
}

// Newton on the joint speeds of a step's stages: over the joints, or over the independent ones of a mechanism;
// with the machine's dry friction, if it has any.
class SpeedSolver {
 public:
  // g: weight of a stage's own part. one_stage: forces act at a weighted mean of the step's two speeds. From now
  // on the joints' mass matrix is that over g, unless a mechanism has its own. All must outlive this.
  SpeedSolver(const FrictionSites& sites, const MachineModel& model, double g, bool one_stage,
              StepStart& start, MachineState& state)
      : model_(model), start_(start), state_(state), rate_(1.0 / g), dry_(sites.count > 0) {
    double(&M)[kMaxLinks][kMaxLinks] = start.body.M;
    const int n = model.joint_count();
    if (!start.coupled) [[likely]]
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) M[i][j] *= rate_;
    if (dry_) [[unlikely]]
      friction_.start(sites, model, state, start.drives, start.coupled ? &start.mechanism : nullptr,
                      M, g, one_stage);
  }

  // As integration::solve_joint_speeds, over all joints. given (may be null): speeds that the model prescribes, not
  // with a mechanism.
  template <class Law>
  void solve(const double* v_star, const double* bias, const bool* given, double* v, Law& law,
             const double* steepest = nullptr) {
    count(start_.coupled ? solve_mechanism(model_, start_.mechanism, rate_, start_.drives,
                                           start_.balls, start_.body, bias, v_star, v, state_, law,
                                           dry_ ? &friction_ : nullptr)
          : dry_         ? friction_.solve(v_star, bias, given, v, law, state_.health)
                         : integration::solve_joint_speeds<kMaxLinks>(
                       model_.joint_count(), start_.body.M, v_star, bias, given, v, law, steepest),
          state_.health);
  }

  // Work of dry friction over a stage; moved(i): motion of joint i.
  template <class Moved>
  void book_friction(Moved moved) {
    if (!dry_) [[likely]]
      return;
    double by_joint[kMaxLinks];
    for (int i = 0; i < model_.joint_count(); ++i) by_joint[i] = moved(i);
    friction_.book(by_joint);
  }
  void next_stage(const double* v, double carry) {
    if (dry_) [[unlikely]]
      friction_.next_stage(v, carry);
  }
  // Friction into state and ledger; v: at the end of the step.
  void finish_friction(const double* v) {
    if (dry_) [[unlikely]]
      friction_.finish(v, state_);
  }
  // After that: acceleration of joint i, whose speed changed from v_0 to v in a time; none where it came to
  // rest.
  double acceleration(int i, double v_0, double v, double time) const {
    return dry_ && friction_.rests(i) ? 0.0 : (v - v_0) / time;
  }

 private:
  const MachineModel& model_;
  StepStart& start_;
  MachineState& state_;
  double rate_;
  bool dry_;
  StepFriction friction_;  // if dry
};

// Acceleration of joint i by a unit torque.
inline double joint_mobility(const StepStart& start, InverseDiagonal<kMaxLinks>& of_inverse,
                             int i) {
  if (!start.coupled) return of_inverse(i);
  double by_joint[kMaxLinks] = {};
  double row[kMaxLinks];
  by_joint[i] = 1.0;
  to_independent(start.mechanism, by_joint, row);
  return mobility(start.mechanism, row);
}

// Pressures, flows and force at speed x_dot. g: weight with which the end stop's spring moves. Open: the
// equations of an open valve. In the paper's, part of the force may be that of before a change of the model.
template <hydraulics::LineModel Open>
[[gnu::always_inline]] inline Force evaluate(double x_dot, double g, ActuatorStep& d) {
  constexpr bool kShared = Open == hydraulics::LineModel::kResistive;
  d.x_dot = x_dot;
  const double p_start[2] = {d.out.p[0], d.out.p[1]};
  if (d.line == Open)
    hydraulics::evaluate_stage(Open, *d.constants, d.in, x_dot, p_start, d.out);
  else
    hydraulics::evaluate_stage(hydraulics::LineModel::kClosed, *d.constants, d.in, x_dot, p_start,
                               d.out);
  const double B = d.constants->B;
  Force f{d.out.force - B * x_dot, d.out.dforce - B};
  if (kShared && d.share < 1.0) [[unlikely]] {
    f.force += (1.0 - d.share) * (d.force_before - d.out.force);
    f.dforce -= (1.0 - d.share) * d.out.dforce;
  }
  if (d.actuator->stops.enabled) {
    d.stop = stop_force(d.actuator->stops, d.x_star + g * x_dot, x_dot, g);
    f.force += d.stop.force;
    f.dforce += d.stop.dforce;
  }
  return f;
}

// --- Steps whose forces act at weighted means of start and end -------------------------------------------

// Force of the oil, friction and end stop at the start, from the ports as the last step left them.
inline double force_at_start(const ActuatorState& a, ActuatorStep& d) {
  const hydraulics::StageConstants& k = d.all_constants->half;
  if (d.actuator->stops.enabled) d.stop = stop_force(d.actuator->stops, d.x_n, d.x_dot, 0.0);
  return sum(k.sign_area * load(a.p)) - k.B * d.x_dot + d.stop.force;
}

// Lines of a closed valve: trapezoidal, with the piston's flow at the start known.
inline void start_closed(ActuatorStep& d) {
  d.constants = &d.all_constants->half;
  store(closed_start(*d.constants, load(d.in.P_star), d.x_dot), d.in.P_star);
}

// The joints at the end, their speeds v, and the work of what acts on them. held (may be null): joints that the
// model moves.
inline void end_joints(const JointLaws& joints, double h, const double* v, const bool* held,
                       const double* joint_force, const SpeedSolver& solver, MachineState& state) {
  for (int i = 0; i < joints.model.joint_count(); ++i) {
    const double v_0 = state.v[i];
    const double moved = joints.moved(i, v_0, v[i]);
    state.q[i] += moved;
    if (joint_force != nullptr) state.energy.external += joint_force[i] * moved;
    state.a[i] = solver.acceleration(i, v_0, v[i], h);
    state.v[i] = v[i];
    if (joints.any) joints.book_end(i, v_0, v[i], held != nullptr && held[i], state.energy);
  }
  if (joints.any) joints.book_balls_end(v, state.energy);
}

// --- Ledger and limits of an actuator ----------------------------------------------------------------------

// Flows of a stage out of the sources.
inline void draw(double weight, ActuatorStep& d) {
  store(load(d.drawn) + weight * load(d.out.Q), d.drawn);
}

// Whether nothing is to be counted of a circuit: no protective valve and no stop acts or acted.
inline bool calm(const ActuatorStep& d, const ActuatorState& a) {
  return within(load(d.out.P_C), load(d.out.p), d.constants->low, d.constants->high) &&
         !d.stop.active && (a.stop_active | a.relief_active | a.cavitation_active | a.faulty) == 0;
}

// Whether a protective valve of any circuit acts.
struct Alarms {
  bool relief = false, cavitation = false;
};
// Stores a drive's pressures in the state and counts its protective valves and stops.
inline void keep(const ActuatorStep& d, ActuatorState& a, Health& health, Alarms& alarms) {
  store(load(d.out.P_C), a.P_C);
  store(load(d.out.p), a.p);
  if (!calm(d, a))
    watch(*d.actuator, d.out, d.stop.active, a, health, alarms.relief, alarms.cavitation);
}
inline void count(const Alarms& alarms, Health& health) {
  health.relief_ticks += alarms.relief ? 1 : 0;
  health.cavitation_ticks += alarms.cavitation ? 1 : 0;
}

}  // namespace knuckleboom::machine
