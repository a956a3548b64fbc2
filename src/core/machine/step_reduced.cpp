// Reduced model: one exponentially fitted theta step.
#include "knuckleboom/core/integration/fitted_theta.hpp"
#include "knuckleboom/core/machine/stepper.hpp"
#include "step_friction.hpp"
#include "step_parts.hpp"

namespace knuckleboom::machine {
namespace {

using hydraulics::LineModel;
using hydraulics::StageConstants;

// Below this product of settling rate and step, an open valve's speed follows its resistance smoothly.
constexpr double kSlowSettling = 0.4;

template <class Pressures>
bool outside(const StageConstants& k, const Pressures& a) {
  const double high = std::max(std::max(a.P_C[0], a.P_C[1]), std::max(a.p[0], a.p[1]));
  const double low = std::min(std::min(a.P_C[0], a.P_C[1]), std::min(a.p[0], a.p[1]));
  return high > k.P_high || low < k.P_low;
}

// Quasi-static closed valve: the piston goes to eq. 25's position through a filter of second order
// (the flow filtered by eq. 15 is the one that moves the piston there). load: force of the machine
// on the piston. Sets the ports by eq. 26; returns the piston speed at the end of the step.
double quasi_static_speed(double tau, double h, double load, const ActuatorState& a,
                          ActuatorStep& d) {
  const double shift = held_shift(*d.actuator, a, load);
  d.out = hydraulics::StageResult{};
  held_pressures(d.actuator->circuit, a, shift, d.out.P_C);
  for (int s = 0; s < 2; ++s) d.out.p[s] = d.out.P_C[s];
  const double r = h / tau;
  d.x_dot = (d.x_dot * (1.0 - 0.5 * r * r) + r / tau * (a.x_hold + shift - d.x_n)) /
            (1.0 + r + 0.5 * r * r);
  return d.x_dot;
}

// Speed at which an open valve would settle if the load kept its force of the end of the last step
// (eq. 17, with friction, leakage and protective valves): a bracketed Newton iteration. Leaves the
// drive as evaluated at the start, and d.settled; returns the mean slope of the force between the
// start and that speed.
double settle(const ActuatorState& a, bool opening, const Force& start, ActuatorStep& d) {
  constexpr int kMaxIterations = 30;
  constexpr double kClose = 1e-2;  // last Newton step, relative; the remaining error is its square
  const double x_start = d.x_dot;
  const hydraulics::StageResult at_start = d.out;
  const StopForce stop = d.stop;
  const double oil =
      d.constants->side[0].sign_area * a.p[0] + d.constants->side[1].sign_area * a.p[1];
  const double load = oil - d.constants->B * x_start;
  double low = -INFINITY;
  double high = INFINITY;
  double x = opening ? quasi_steady_speed(d.actuator->circuit, d.in, oil) : x_start;
  Force f = start;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    if (iteration > 0 || opening) f = evaluate(x, 0.0, d);
    const double excess = f.force - load;
    (excess > 0.0 ? low : high) = x;
    double next = x - excess / f.dforce;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (!(std::fabs(next) < INFINITY)) break;
    const double change = next - x;
    f.force += f.dforce * change;
    x = next;
    if (std::fabs(change) <= kClose * std::fabs(x)) break;
  }
  const double slope = std::fabs(x - x_start) > 1e-9 * std::fabs(x)
                           ? (start.force - f.force) / (x - x_start)
                           : -f.dforce;
  d.settled = x;
  d.x_dot = x_start;
  d.out = at_start;
  d.stop = stop;
  return std::max(slope, -f.dforce * 1e-3);
}

// Start value of Newton: the actuator at its settling speed, through the joint that moves it most.
void settle_independent(const Mechanism& mechanism, const double* row, double x_dot, double* v) {
  int most = 0;
  double speed = 0.0;
  for (int c = 0; c < mechanism.count; ++c) {
    if (std::fabs(row[c]) > std::fabs(row[most])) most = c;
    speed += row[c] * v[mechanism.joint[c]];
  }
  if (row[most] != 0.0) v[mechanism.joint[most]] += (x_dot - speed) / row[most];
}

// Joints moved by an actuator take its weight.
void raise_theta(const Mechanism& mechanism, const double* row, double theta, double* of_joint) {
  for (int c = 0; c < mechanism.count; ++c)
    if (row[c] != 0.0) of_joint[mechanism.joint[c]] = std::max(of_joint[mechanism.joint[c]], theta);
}

// Acceleration of joint i by a unit torque.
double joint_mobility(bool coupled, const Mechanism& mechanism, const multibody::MassAndBias& body,
                      int n, int i) {
  if (!coupled) return inverse_diagonal<kMaxLinks>(n, body.M, i);
  double by_joint[kMaxLinks] = {};
  double row[kMaxLinks];
  by_joint[i] = 1.0;
  to_independent(mechanism, by_joint, row);
  return mobility(mechanism, row);
}

// The circuit's share of the force, `left` ticks before the end of the transition.
void from_before(const ActuatorState& a, int left, double h, ActuatorStep& d) {
  const double done = 1.0 - static_cast<double>(left) / hand_over_ticks(h);
  d.share = done * done * (3.0 - 2.0 * done);
  d.force_before =
      d.constants->side[0].sign_area * a.P_hold[0] + d.constants->side[1].sign_area * a.P_hold[1];
}

// Ports between those before the change and the circuit's own, with matching line drop and flow.
void mix_ports(const ActuatorState& a, ActuatorStep& d) {
  for (int s = 0; s < 2; ++s) {
    const double drop = d.out.P_C[s] - d.out.p[s];
    d.out.p[s] += (1.0 - d.share) * (a.P_hold[s] - d.out.p[s]);
    d.out.P_C[s] = d.out.p[s] + drop;
    d.out.Q[s] = hydraulics::residual_flow(d.in.P_S[s], d.out.P_C[s], d.in.C_R[s]);
  }
}

// Force of a closed valve at the start of a step, from the ports as the last step left them.
Force closed_start(const ActuatorState& a, ActuatorStep& d) {
  const StageConstants& k = *d.constants;
  d.out.force = k.side[0].sign_area * a.p[0] + k.side[1].sign_area * a.p[1];
  if (d.actuator->stops.enabled) d.stop = stop_force(d.actuator->stops, d.x_n, d.x_dot, 0.0);
  return {d.out.force - k.B * d.x_dot + d.stop.force, 0.0};
}

// A closed valve's losses over a trapezoidal step, from the means of flow and pressure: these balance
// the change of kinetic and oil energy exactly.
void book_closed(const ActuatorState& start, double x_dot_start, double h, const ActuatorStep& d,
                 EnergyLedger& energy) {
  const StageConstants& k = *d.constants;
  const double x_dot = 0.5 * (x_dot_start + d.x_dot);
  double p[2];
  double line = 0.0;
  double relief = 0.0;
  for (int s = 0; s < 2; ++s) {
    p[s] = 0.5 * (start.p[s] + d.out.p[s]);
    const double P_C = 0.5 * (start.P_C[s] + d.out.P_C[s]);
    const double side_flow = d.out.o_R[s] - k.side[s].sign_area * d.x_dot;
    line += (P_C - p[s]) * (k.side[s].sign_area * x_dot + side_flow);
    relief += P_C * d.out.bypass_C[s] + p[s] * d.out.bypass_p[s];
  }
  energy.line += h * line;
  energy.friction += h * k.B * x_dot * x_dot;
  energy.relief += h * relief;
  energy.stops -= h * d.mean_stop * x_dot;
  if (k.coupled)
    for (int s = 0; s < 2; ++s)
      energy.leakage +=
          h * p[s] *
          (k.leak_internal * (d.out.p[s] - d.out.p[1 - s]) + k.side[s].leak_external * d.out.p[s]);
}

}  // namespace

void Stepper::step_reduced(MachineState& state, const double* joint_force,
                           const SpeedCommands* speeds, Draw* draws) const {
  const int n = model_.joint_count();
  const int m = static_cast<int>(model_.actuators.size());
  const double h = h_;
  ActuatorStep drives[kMaxActuators];
  ActuatorConstants faulty[kMaxActuators];
  const ActuatorConstants* all_constants[kMaxActuators];

  std::int32_t was_open[kMaxActuators];
  for (int k = 0; k < m; ++k) was_open[k] = state.actuator[k].open;
  hydraulics::StageInput inputs[kMaxActuators];
  follow_volumes(model_, Fidelity::kReduced, h, state);
  update_valves(model_, Fidelity::kReduced, state, inputs);
  double q_mid[kMaxLinks];
  multibody::MassAndBias body;
  Mechanism mechanism;
  const bool coupled = coupled_ || state.absent != 0;
  if (coupled) [[unlikely]]
    middle_of_mechanism(model_, state, h, joint_force, conservative_ && speeds == nullptr, q_mid,
                        body, mechanism);
  else
    middle(model_.tree, state, h, joint_force, q_mid, body);

  // Per joint: weight of the step's end, explicit part of the torque, start value of the speed.
  double theta[kMaxLinks], bias[kMaxLinks], v[kMaxLinks];
  bool held[kMaxLinks] = {};
  bool any_held = false;
  for (int i = 0; i < n; ++i) {
    theta[i] = 0.5;
    bias[i] = body.bias[i];
    v[i] = state.v[i] + h * state.a[i];
  }

  double x_dot_start[kMaxActuators];
  for (int k = 0; k < m; ++k) {
    ActuatorStep& d = drives[k];
    const Actuator& actuator = model_.actuators[static_cast<std::size_t>(k)];
    const ActuatorState& a = state.actuator[k];
    all_constants[k] = &constants_of(k, a, faulty[k]);
    const ActuatorConstants& constants = *all_constants[k];
    const int i = actuator.link;
    start_drive(actuator, constants.now, Fidelity::kReduced, a, inputs[k], state.q[i], q_mid, body,
                d);
    if (between_pins(actuator)) start_pins(model_, state.q, q_mid, d);
    d.x_dot = speed_of(model_, d, state.v);
    held[i] = quasi_static(model_, Fidelity::kReduced, a);
    if (held[i]) {
      any_held = true;
      continue;
    }
    x_dot_start[k] = d.x_dot;
    if (a.hand_over > 0) [[unlikely]]
      from_before(a, a.hand_over, h, d);
    const Force start =
        d.line == LineModel::kClosed ? closed_start(a, d) : evaluate(d.x_dot, 0.0, d);
    d.mean_stop = 0.5 * d.stop.force;
    d.theta = 0.5;
    if (d.line == LineModel::kResistive) {
      const double share = d.share;
      Force rated = start;
      if (a.hand_over > 0) [[unlikely]] {  // the end of the step determines the weights
        from_before(a, a.hand_over - 1, h, d);
        rated = evaluate(d.x_dot, 0.0, d);
      }
      double row[kMaxLinks];
      if (coupled) independent_row(model_, mechanism, d, row);
      const double compliance = coupled ? h * mobility(mechanism, row)
                                        : h * d.J * d.J * inverse_diagonal<kMaxLinks>(n, body.M, i);
      double z = -compliance * rated.dforce;
      if (was_open[k] == 0 || z > kSlowSettling || outside(constants.now, d.out)) {
        z = compliance * settle(a, was_open[k] == 0, rated, d);
        if (coupled)
          settle_independent(mechanism, row, d.settled, v);
        else
          v[i] = d.settled / d.J;
      }
      d.theta = integration::fitted_theta(z);
      if (coupled)
        raise_theta(mechanism, row, d.theta, theta);
      else
        theta[i] = d.theta;
      const double share_at_end = d.share;
      d.share = share;
      book(d, h * (1.0 - d.theta), state.energy);
      d.share = share_at_end;
    } else {
      d.constants = &constants.half;
      for (int s = 0; s < 2; ++s)
        d.in.P_star[s] -= constants.half.side[s].g_C * constants.half.side[s].sign_area * d.x_dot;
    }
    if (between_pins(actuator))
      for (int j = 0; j < n; ++j) bias[j] -= (1.0 - d.theta) * d.row[j] * start.force;
    else
      bias[i] -= (1.0 - d.theta) * d.J * start.force;
    d.x_star = d.x_n + h * (1.0 - d.theta) * d.x_dot;
  }
  if (speeds != nullptr) [[unlikely]]
    for (int i = 0; i < n; ++i) {
      const ServoTorque start = servo_torque(*speeds, i, state.v[i]);
      const double z = -h * start.slope * joint_mobility(coupled, mechanism, body, n, i);
      if (z > 0.0) theta[i] = std::max(theta[i], integration::fitted_theta(z));
      bias[i] -= (1.0 - theta[i]) * start.torque;
      state.energy.external += h * (1.0 - theta[i]) * start.torque * state.v[i];
    }
  if (any_damping_)
    for (int i = 0; i < n; ++i) {
      const double damping = model_.tree.link(i).damping;
      bias[i] += (1.0 - theta[i]) * damping * state.v[i];
      state.energy.friction += h * (1.0 - theta[i]) * damping * state.v[i] * state.v[i];
    }

  double stop[2][kMaxLinks] = {};  // of the joints' own stops, at the start and the end
  double q_star[kMaxLinks];
  if (any_joint_stops_ || any_springs_)
    for (int i = 0; i < n; ++i) {
      const EndStops& stops = model_.joint_stops[static_cast<std::size_t>(i)];
      const StopForce start = stop_force(stops, state.q[i], state.v[i], 0.0);
      if (start.active && theta[i] == 0.5)
        theta[i] = integration::fitted_theta(-h * joint_mobility(coupled, mechanism, body, n, i) *
                                             start.dforce);
      stop[0][i] = start.force;
      bias[i] -= (1.0 - theta[i]) * start.force;
      q_star[i] = state.q[i] + h * (1.0 - theta[i]) * state.v[i];
    }

  if (any_springs_)  // after the stops, which choose the weights
    for (int i = 0; i < n; ++i) {
      const multibody::Link& link = model_.tree.link(i);
      bias[i] += (1.0 - theta[i]) * link.stiffness * (state.q[i] - link.rest);
    }

  double(&M_h)[kMaxLinks][kMaxLinks] = body.M;
  const double rate = 1.0 / h;
  if (!coupled) [[likely]]
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) M_h[i][j] *= rate;
  const auto law = [&](const double* speed, double* tau, double* dtau) {
    for (int i = 0; i < n; ++i) tau[i] = dtau[i] = 0.0;
    for (int k = 0; k < m; ++k) {
      ActuatorStep& d = drives[k];
      if (held[d.actuator->link]) continue;
      act(model_, evaluate(speed_of(model_, d, speed), h * d.theta, d), d.theta, d, tau, dtau);
    }
    if (any_damping_)
      for (int i = 0; i < n; ++i) {
        tau[i] -= theta[i] * model_.tree.link(i).damping * speed[i];
        dtau[i] -= theta[i] * model_.tree.link(i).damping;
      }
    if (any_springs_)
      for (int i = 0; i < n; ++i) {
        const multibody::Link& link = model_.tree.link(i);
        const double g = h * theta[i];
        tau[i] -= theta[i] * link.stiffness * (q_star[i] + g * speed[i] - link.rest);
        dtau[i] -= theta[i] * g * link.stiffness;
      }
    if (any_joint_stops_)
      for (int i = 0; i < n; ++i) {
        const double g = h * theta[i];
        const StopForce f = stop_force(model_.joint_stops[static_cast<std::size_t>(i)],
                                       q_star[i] + g * speed[i], speed[i], g);
        stop[1][i] = f.force;
        tau[i] += theta[i] * f.force;
        dtau[i] += theta[i] * f.dforce;
      }
    if (speeds != nullptr) [[unlikely]]
      for (int i = 0; i < n; ++i) {
        const ServoTorque servo = servo_torque(*speeds, i, speed[i]);
        tau[i] += theta[i] * servo.torque;
        dtau[i] += theta[i] * servo.slope;
      }
  };
  StepFriction friction;
  const bool dry = friction_.count > 0;
  if (dry) [[unlikely]]
    friction.start(friction_, model_, state, drives, coupled ? &mechanism : nullptr, M_h, h, true);
  const bool* const given = any_held ? held : nullptr;
  count(coupled ? solve_mechanism(model_, mechanism, rate, drives, body, bias, state.v, v, state,
                                  law, dry ? &friction : nullptr)
        : dry   ? friction.solve(state.v, bias, given, v, law, state.health)
                : integration::solve_joint_speeds<kMaxLinks>(n, M_h, state.v, bias, given, v, law),
        state.health);
  if (dry) [[unlikely]] {
    double moved[kMaxLinks];
    for (int i = 0; i < n; ++i) moved[i] = h * ((1.0 - theta[i]) * state.v[i] + theta[i] * v[i]);
    friction.book(moved);
    friction.finish(v, state);
  }

  bool relief = false;
  bool cavitation = false;
  for (int k = 0; k < m; ++k) {
    ActuatorStep& d = drives[k];
    const int i = d.actuator->link;
    ActuatorState& a = state.actuator[k];
    const StageConstants& constants = all_constants[k]->now;
    const double oil_before =
        held[i] ? oil_energy(d.actuator->circuit, a, LineModel::kClosed) : 0.0;
    if (held[i]) {
      double load = body.bias[i];  // inverse dynamics with this joint itself at rest
      for (int j = 0; j < n; ++j)
        if (!held[j]) load += M_h[i][j] * (v[j] - state.v[j]);
      v[i] = quasi_static_speed(model_.tau_Q, h, load / d.J, a, d) / d.J;
    } else {
      carry_to(speed_of(model_, d, v), d);
      d.mean_stop += 0.5 * d.stop.force;
      if (d.line == LineModel::kClosed)
        book_closed(a, x_dot_start[k], h, d, state.energy);
      else
        book(d, h * d.theta, state.energy);
      if (a.hand_over > 0) [[unlikely]] {
        --a.hand_over;
        mix_ports(a, d);
      }
    }
    for (int s = 0; s < 2; ++s) {
      a.P_C[s] = d.out.P_C[s];
      a.p[s] = d.out.p[s];
      a.Q[s] = d.out.Q[s];
    }
    if (held[i]) release_held_oil(*d.actuator, constants, h, oil_before, d.x_n, a, state.energy);
    watch(*d.actuator, d.out, d.stop.active, a, state.health, relief, cavitation);
    // The piston's inertia prevents a source from changing the flow within a tick.
    draws[k] = {d.drawn[pump_side(a.spool_V)], 0.0};
  }
  if (any_held) {
    // Work on the bodies with no actuator behind it: the held joints' prescribed motion, and its
    // reaction on the free joints, which the model leaves out.
    for (int i = 0; i < n; ++i) {
      double tau = held[i] ? body.bias[i] : 0.0;
      for (int j = 0; j < n; ++j)
        if (held[i] || held[j]) tau += M_h[i][j] * (v[j] - state.v[j]);
      state.energy.model += 0.5 * h * tau * (state.v[i] + v[i]);
    }
  }
  state.health.relief_ticks += relief ? 1 : 0;
  state.health.cavitation_ticks += cavitation ? 1 : 0;
  for (int i = 0; i < n; ++i) {
    const double v_0 = state.v[i];
    const double moved = h * ((1.0 - theta[i]) * v_0 + theta[i] * v[i]);
    state.q[i] += moved;
    if (joint_force != nullptr) state.energy.external += joint_force[i] * moved;
    state.a[i] = dry && friction.rests(i) ? 0.0 : (v[i] - v_0) / h;
    state.v[i] = v[i];
    if (speeds != nullptr) [[unlikely]]
      state.energy.external += h * theta[i] * servo_torque(*speeds, i, v[i]).torque * v[i];
    if (any_damping_)
      state.energy.friction += h * theta[i] * model_.tree.link(i).damping * v[i] * v[i];
    if (any_joint_stops_ && !held[i])
      state.energy.stops -=
          0.5 * h * (v_0 + v[i]) * ((1.0 - theta[i]) * stop[0][i] + theta[i] * stop[1][i]);
  }
  if (coupled) [[unlikely]]
    close_mechanism(model_, h, conservative_ && speeds == nullptr, state, mechanism);
}

}  // namespace knuckleboom::machine
