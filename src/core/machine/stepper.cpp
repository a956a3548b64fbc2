#include "knuckleboom/core/machine/stepper.hpp"

#include "knuckleboom/core/integration/joint_speeds.hpp"
#include "knuckleboom/core/integration/sdirk2.hpp"
#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/math/exponential.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"

namespace knuckleboom::machine {
namespace {

using hydraulics::LineModel;
using hydraulics::StageInput;
using hydraulics::StageResult;
using integration::Sdirk2;

constexpr double kSpeedTolerance = 1e-7;  // rad/s or m/s; Newton's error behind it is its square

// One actuator during a step.
struct Drive {
  LineModel line;
  bool quasi_static;
  double J, x_n, x_star;  // lever, displacement at the start and explicit part of the stage
  double x_dot;
  double oil_before;  // quasi-static only
  StageInput in;
  StageResult out;
  StopForce stop;
};

// Weighted into the ledger; J of each stage with its quadrature weight.
void book(const Actuator& actuator, const Drive& drive, double weight, EnergyLedger& energy) {
  const Powers w = powers(actuator.circuit, drive.in, drive.out, drive.x_dot);
  energy.pump += weight * w.pump;
  energy.valve += weight * w.valve;
  energy.line += weight * w.line;
  energy.relief += weight * w.relief;
  energy.leakage += weight * w.leakage;
  energy.friction += weight * w.friction;
  if (drive.stop.force != 0.0) energy.stops -= weight * drive.stop.force * drive.x_dot;
}

// The law was last evaluated one Newton step before the accepted speed; its slopes take it there.
void carry_to(double x_dot, Drive& drive) {
  const double d = x_dot - drive.x_dot;
  for (int s = 0; s < 2; ++s) {
    drive.out.P_C[s] += drive.out.dP_C[s] * d;
    drive.out.Q[s] += drive.out.dQ[s] * d;
    drive.out.p[s] += drive.out.dp[s] * d;
  }
  drive.x_dot = x_dot;
}

// Quasi-static closed valve: the piston goes to eq. 25's position through a filter of second order
// (the residual flow of eq. 15, itself carrying the piston there within tau_Q).
// load: force that the machine puts on the piston; returns the piston speed, sets pressures by eq. 26.
double quasi_static_speed(const hydraulics::Circuit& circuit, double tau, double g, double x_star,
                          double x_dot_star, double load, const ActuatorState& a, Drive& drive) {
  const double K = hydraulics::closed_stiffness(circuit);
  const double shift = (a.F_hold - load) / K;
  const double r = g / tau;
  const double x_dot =
      (x_dot_star + r / tau * (a.x_hold + shift - x_star)) / (1.0 + r + r * r);
  const double lines[2] = {circuit.line1.C, circuit.line2.C};
  const double areas[2] = {hydraulics::area1(circuit), -hydraulics::area2(circuit)};
  drive.out = StageResult{};
  for (int s = 0; s < 2; ++s) {
    drive.out.p[s] = a.P_hold[s] - areas[s] / lines[s] * shift;
    drive.out.P_C[s] = drive.out.p[s];
  }
  drive.x_dot = x_dot;
  return x_dot;
}

// Protective valves and leakage let the held oil of a quasi-static closed valve go. Over the step,
// implicit in the node's own pressure.
void bleed(const hydraulics::Circuit& circuit, const hydraulics::StageConstants& k, double h,
           ActuatorState& a, EnergyLedger& energy) {
  const double lines[2] = {circuit.line1.C, circuit.line2.C};
  const double areas[2] = {hydraulics::area1(circuit), -hydraulics::area2(circuit)};
  double p[2] = {a.p[0], a.p[1]};
  for (int s = 0; s < 2; ++s) {
    const hydraulics::detail::Bypass y = hydraulics::detail::bypass(k, p[s]);
    const double leak = k.leak_internal * (a.p[s] - a.p[1 - s]) + k.side[s].leak_external * a.p[s];
    const double flow = (y.flow + leak) / (1.0 + h / lines[s] * y.slope);
    const double dP = -h / lines[s] * flow;
    (y.flow != 0.0 ? energy.relief : energy.leakage) += h * p[s] * flow;
    a.P_hold[s] += dP;
    a.F_hold += areas[s] * dP;
    a.p[s] = a.P_C[s] = p[s] + dP;
  }
}

}  // namespace

Stepper::Stepper(const MachineModel& model, double h)
    : model_(model), h_(h), residual_decay_(decay(h / model.tau_Q)) {
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    constants_[k] = hydraulics::make_stage(model.actuators[k].circuit, Sdirk2::kGamma * h);
    link_[k] = model.actuators[k].link;
  }
  for (int i = 0; i < model.joint_count(); ++i)
    any_damping_ = any_damping_ || model.tree.link(i).damping > 0.0;
}

void Stepper::step(Fidelity fidelity, MachineState& state) const {
  const int n = model_.joint_count();
  const int m = static_cast<int>(model_.actuators.size());
  const double h = h_;
  const double g = Sdirk2::kGamma * h;
  Drive drives[kMaxActuators];

  StageInput inputs[kMaxActuators];
  std::int32_t was_open[kMaxActuators];
  for (int k = 0; k < m; ++k) was_open[k] = state.actuator[k].open;
  update_valves(model_, fidelity, state, inputs);

  // Middle of the step, extrapolated.
  double q_mid[kMaxLinks], v_mid[kMaxLinks];
  for (int i = 0; i < n; ++i) {
    q_mid[i] = state.q[i] + 0.5 * h * (state.v[i] + 0.25 * h * state.a[i]);
    v_mid[i] = state.v[i] + 0.5 * h * state.a[i];
  }
  multibody::MassAndBias body;
  multibody::mass_and_bias(model_.tree, state.inertia, q_mid, v_mid, body);
  double (&M_g)[kMaxLinks][kMaxLinks] = body.M;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) M_g[i][j] *= 1.0 / g;

  bool any_held = false;
  bool held[kMaxLinks] = {};
  for (int k = 0; k < m; ++k) {
    Drive& d = drives[k];
    const Actuator& actuator = model_.actuators[static_cast<std::size_t>(k)];
    const ActuatorState& a = state.actuator[k];
    const int i = link_[k];
    d.line = line_model(a.open != 0, fidelity);
    d.quasi_static = fidelity == Fidelity::kReduced && a.open == 0 &&
                     model_.closed_valve == ClosedValveModel::kQuasiStatic;
    held[i] = d.quasi_static;
    any_held = any_held || d.quasi_static;
    d.in = inputs[k];
    d.J = linkage_state(actuator.linkage, q_mid[i], body.sin_q[i], body.cos_q[i]).J;
    d.x_n = actuator.stops.enabled || d.quasi_static ? displacement(model_, k, state.q[i]).x : 0.0;
    d.x_star = d.x_n;
    d.oil_before = d.quasi_static ? oil_energy(actuator.circuit, a, LineModel::kClosed) : 0.0;
    for (int s = 0; s < 2; ++s) {
      d.in.P_star[s] = a.P_C[s];
      d.in.Q_star[s] = a.Q[s];
      d.out.p[s] = a.p[s];
    }
  }

  double v_star[kMaxLinks], v_stage[kMaxLinks], v_first[kMaxLinks], newton[kMaxLinks];
  for (int i = 0; i < n; ++i) {
    v_star[i] = state.v[i];
    v_stage[i] = state.v[i] + g * state.a[i];
  }
  for (int k = 0; k < m; ++k) {
    if (drives[k].line != LineModel::kResistive || was_open[k] != 0) continue;
    // Opening: Newton would start where the orifice has no slope; eq. 17 has the speed.
    const hydraulics::Circuit& c = model_.actuators[static_cast<std::size_t>(k)].circuit;
    const ActuatorState& a = state.actuator[k];
    const double held_force = hydraulics::area1(c) * a.p[0] - hydraulics::area2(c) * a.p[1];
    v_stage[link_[k]] = quasi_steady_speed(c, drives[k].in, held_force) / drives[k].J;
  }

  const auto law = [&](const double* v, double* tau, double* dtau) {
    for (int i = 0; i < n; ++i) {
      tau[i] = 0.0;
      dtau[i] = 0.0;
    }
    if (any_damping_) {
      for (int i = 0; i < n; ++i) {
        const double damping = model_.tree.link(i).damping;
        tau[i] = -damping * v[i];
        dtau[i] = -damping;
      }
    }
    for (int k = 0; k < m; ++k) {
      Drive& d = drives[k];
      if (d.quasi_static) continue;
      const int i = link_[k];
      d.x_dot = d.J * v[i];
      const double p_start[2] = {d.out.p[0], d.out.p[1]};
      hydraulics::evaluate_stage(d.line, constants_[static_cast<std::size_t>(k)], d.in, d.x_dot,
                                 p_start, d.out);
      const double B = constants_[static_cast<std::size_t>(k)].B;
      double force = d.out.force - B * d.x_dot;
      double dforce = d.out.dforce - B;
      const EndStops& stops = model_.actuators[static_cast<std::size_t>(k)].stops;
      d.stop = stop_force(stops, d.x_star + g * d.x_dot, d.x_dot, g);
      force += d.stop.force;
      dforce += d.stop.dforce;
      tau[i] += d.J * force;
      dtau[i] += d.J * d.J * dforce;
    }
  };

  for (int stage = 0; stage < 2; ++stage) {
    const integration::NewtonReport report = integration::solve_joint_speeds<kMaxLinks>(
        n, M_g, v_star, body.bias, any_held ? held : nullptr, kSpeedTolerance, v_stage, newton, law);
    state.health.newton_iterations += report.iterations;
    if (!report.converged) ++state.health.newton_unconverged;
    if (report.iterations > state.health.newton_worst) state.health.newton_worst = report.iterations;

    const double weight = h * Sdirk2::kWeight[stage];
    for (int k = 0; k < m; ++k) {
      Drive& d = drives[k];
      const Actuator& actuator = model_.actuators[static_cast<std::size_t>(k)];
      const int i = link_[k];
      if (d.quasi_static) {
        double load = body.bias[i];  // inverse dynamics, this joint itself at rest
        for (int j = 0; j < n; ++j)
          if (!held[j]) load += M_g[i][j] * (v_stage[j] - v_star[j]);
        d.stop = StopForce{0.0, 0.0, false};
        v_stage[i] = quasi_static_speed(actuator.circuit, model_.tau_Q, g, d.x_star,
                                        d.J * v_star[i], load / d.J, state.actuator[k], d) /
                     d.J;
      } else {
        carry_to(d.J * v_stage[i], d);
        book(actuator, d, weight, state.energy);
      }
    }
    if (any_damping_)
      for (int i = 0; i < n; ++i)
        state.energy.friction += weight * model_.tree.link(i).damping * v_stage[i] * v_stage[i];
    if (any_held) {
      // Work that the held joints' motion puts into the bodies without an actuator behind it.
      for (int i = 0; i < n; ++i) {
        double tau = body.bias[i];
        for (int j = 0; j < n; ++j) tau += M_g[i][j] * (v_stage[j] - v_star[j]);
        state.energy.model += weight * tau * v_stage[i];
      }
      for (int k = 0; k < m; ++k) {
        const Drive& d = drives[k];
        if (!d.quasi_static)
          state.energy.model -= weight * d.x_dot *
                                (d.out.force - constants_[static_cast<std::size_t>(k)].B * d.x_dot +
                                 d.stop.force);
      }
      for (int i = 0; i < n; ++i)
        state.energy.model += weight * model_.tree.link(i).damping * v_stage[i] * v_stage[i];
    }

    if (stage == 1) break;
    for (int i = 0; i < n; ++i) {
      v_first[i] = v_stage[i];
      const double slope = (v_stage[i] - v_star[i]) / g;
      v_star[i] = state.v[i] + Sdirk2::kCarry * (v_stage[i] - state.v[i]);
      v_stage[i] = v_star[i] + g * slope;
    }
    for (int k = 0; k < m; ++k) {
      Drive& d = drives[k];
      for (int s = 0; s < 2; ++s) {
        d.in.P_star[s] += Sdirk2::kCarry * (d.out.P_C[s] - d.in.P_star[s]);
        d.in.Q_star[s] += Sdirk2::kCarry * (d.out.Q[s] - d.in.Q_star[s]);
      }
      d.x_star = d.x_n + h * Sdirk2::kWeight[0] * d.x_dot;
    }
  }

  bool relief = false;
  bool cavitation = false;
  for (int k = 0; k < m; ++k) {
    const Drive& d = drives[k];
    const Actuator& actuator = model_.actuators[static_cast<std::size_t>(k)];
    ActuatorState& a = state.actuator[k];
    for (int s = 0; s < 2; ++s) {
      a.P_C[s] = d.out.P_C[s];
      a.p[s] = d.out.p[s];
      if (d.line != LineModel::kClosed) {
        a.Q[s] = d.out.Q[s];
      } else {
        // The flow state follows the residual flow (eq. 14-15); the oil does not see it.
        const double residual = hydraulics::residual_flow(d.in.P_S[s], a.P_C[s], d.in.C_R[s]);
        a.Q[s] = residual + residual_decay_ * (a.Q[s] - residual);
      }
    }
    if (d.quasi_static) {
      const double booked = state.energy.relief + state.energy.leakage;
      bleed(actuator.circuit, constants_[static_cast<std::size_t>(k)], h, a, state.energy);
      state.energy.model += oil_energy(actuator.circuit, a, LineModel::kClosed) - d.oil_before +
                            (state.energy.relief + state.energy.leakage - booked);
    }
    watch(actuator, d.out, d.stop.active, a, state.health, relief, cavitation);
  }
  if (relief) ++state.health.relief_ticks;
  if (cavitation) ++state.health.cavitation_ticks;

  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    state.q[i] += h * (Sdirk2::kWeight[0] * v_first[i] + Sdirk2::kWeight[1] * v_stage[i]);
    state.a[i] = (v_stage[i] - v_star[i]) / g;
    state.v[i] = v_stage[i];
    sum += std::fabs(state.q[i]) + std::fabs(state.a[i]);
  }
  if (!(sum < INFINITY)) ++state.health.non_finite;
  ++state.health.ticks;
}

}  // namespace knuckleboom::machine
