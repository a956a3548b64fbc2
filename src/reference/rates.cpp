#include "reference/rates.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/cholesky.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"
#include "reference/right_side.hpp"

namespace knuckleboom::reference {
namespace {

using hydraulics::LineModel;

constexpr double kPortTolerance = 1e-6;  // Pa; coarser, its noise would stop a step control
// Inertia along what sticks, as a share of the machine's own.
constexpr double kHeavy = 1e9;

void make_heavy(int n, const double* along, double (&M)[kMaxLinks][kMaxLinks]) {
  double most = 0.0;
  for (int i = 0; i < n; ++i) most = std::max(most, M[i][i]);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) M[i][j] += kHeavy * most * along[i] * along[j];
}

}  // namespace

// --- Right side ---------------------------------------------------------------

RightSide::RightSide(const machine::MachineModel& machine, bool dry_friction, bool end_stops)
    : model(machine),
      n(machine.joint_count()),
      m(static_cast<int>(machine.actuators.size())),
      stops_act(end_stops),
      air_law(machine.air.gas),
      air(machine.air) {
  std::fill(std::begin(rubbing_of), std::end(rubbing_of), -1);
  if (dry_friction) find_friction();
  for (const machine::Actuator& actuator : model.actuators)
    constants.push_back(actuator.air
                            ? hydraulics::StageConstants{}
                            : hydraulics::make_stage(actuator.circuit, 0.0, kPortTolerance));
}

void RightSide::find_friction() {
  const auto add = [this](const friction::FrictionModel& dry, int link, int actuator) {
    rubbing.push_back({&dry, link, actuator, dry.kind == friction::Kind::kLuGre ? bristles++ : -1});
  };
  for (int k = 0; k < m; ++k) {
    const machine::Actuator& actuator = nth(model.actuators, k);
    if (actuator.friction.kind == friction::Kind::kNone) continue;
    rubbing_of[k] = static_cast<int>(rubbing.size());
    add(actuator.friction, actuator.link, k);
  }
  for (std::size_t i = 0; i < model.joint_friction.size(); ++i)
    if (model.joint_friction[i].kind != friction::Kind::kNone)
      add(model.joint_friction[i], static_cast<int>(i), -1);
}

void RightSide::take(machine::MachineState& s, machine::Fidelity f) {
  state = &s;
  fidelity = f;
  coupled = model.coupled() || s.absent != 0;
  trial = s;
  air.P_supply = air.P_ambient + s.pump_Pa;
}

void RightSide::set_orifices(int k, double spool_V) {
  const machine::Actuator& actuator = nth(model.actuators, k);
  if (actuator.air) {
    openings[k] = pneumatics::openings(actuator.air->valve, spool_V);
    return;
  }
  const hydraulics::Orifices o = machine::section_orifices(actuator.circuit, state->actuator[k],
                                                           spool_V, state->pump_Pa, state->tank_Pa);
  in[k].P_S[0] = o.P_S1, in[k].P_S[1] = o.P_S2;
  in[k].C_R[0] = o.C_R1, in[k].C_R[1] = o.C_R2;
}

// Force that a motion has to overcome there; bristles' rate and losses.
double RightSide::rub(const Rubbing& r, double x_dot, const double* values, Evaluation& e) const {
  if (r.stuck) return 0.0;  // as large as it needs to be: stick()
  if (r.bristle < 0) {
    const double force = friction::sticks(r.model->kind)
                             ? friction::sliding(*r.model, r.sense, x_dot).force
                             : friction::continuous(*r.model, x_dot).force;
    e.ledger.friction += force * x_dot;
    return force;
  }
  const double z = values[bristles_at() + r.bristle];
  const double rate = x_dot - r.model->sigma_0 * std::fabs(x_dot) * z /
                                  friction::stribeck_level(*r.model, x_dot).force;
  const double force = r.model->sigma_0 * z + r.model->sigma_1 * rate;
  e.bristle_rate[r.bristle] = rate;
  e.ledger.friction += force * x_dot - r.model->sigma_0 * z * rate;
  return force;
}

void RightSide::stick(const double* row) { stuck_.emplace_back(row, row + n); }

void RightSide::load(double* values) {
  for (int i = 0; i < n; ++i) {
    values[i] = state->q[i];
    values[n + i] = state->v[i];
  }
  for (int k = 0; k < m; ++k)
    for (int s = 0; s < 2; ++s) {
      const machine::ActuatorState& a = state->actuator[k];
      const bool on_air = nth(model.actuators, k).air.has_value();
      values[2 * n + 4 * k + s] = on_air ? a.air.m[s] : a.P_C[s];
      values[2 * n + 4 * k + 2 + s] = on_air ? a.air.U[s] : a.Q[s];
      chambers[k].chamber[s].P = air.P_ambient + a.P_C[s];  // where its search starts
    }
  for (const Rubbing& r : rubbing)
    if (r.bristle >= 0) values[bristles_at() + r.bristle] = bristle_of(r);
}

void RightSide::evaluate(const double* values, Evaluation& e) {
  const double* q = e.q;
  const double* v = e.v;
  std::copy(values, values + n, e.q);
  std::copy(values + n, values + 2 * n, e.v);
  multibody::MassAndBias body;
  if (coupled) {
    // Only the independent joints are integrated; the others follow.
    std::copy(values, values + n, trial.q);
    std::copy(values + n, values + 2 * n, trial.v);
    machine::middle_of_mechanism(model, trial, 0.0, nullptr, false, e.q, body, mechanism);
    std::copy(trial.v, trial.v + n, e.v);
  } else {
    multibody::mass_and_bias(model.tree, state->inertia, q, v, body);
  }
  machine::JointKinds laws = machine::kAllJointLaws;
  laws.stops = stops_act;
  double tau[kMaxLinks];
  bool held[kMaxLinks] = {};
  double J[kMaxActuators], x[kMaxActuators];
  e.ledger = {};
  stuck_.clear();
  std::fill(e.bristle_rate, e.bristle_rate + bristles, 0.0);
  for (int i = 0; i < n; ++i) {
    const double given = joint_force != nullptr ? joint_force[i] : 0.0;
    tau[i] = given - body.bias[i];
    e.ledger.external += given * v[i];
    machine::for_each_joint_law(model, laws, speeds, i, q[i], v[i], 0.0, 1.0,
                                [&](machine::JointLaw law, double torque, double) {
                                  tau[i] += torque;
                                  machine::enter(law, torque * v[i], e.ledger);
                                });
  }
  e.ledger.friction += machine::add_ball_torques(model, q, v, 1.0, tau);
  for (int k = 0; k < m; ++k) {
    const machine::Actuator& actuator = nth(model.actuators, k);
    const int i = actuator.link;
    machine::LinkageState linkage =
        machine::linkage_state(actuator.linkage, q[i], body.sin_q[i], body.cos_q[i]);
    const bool pins = actuator.linkage.kind == machine::LinkageKind::kPins;
    double row[kMaxLinks];
    if (pins) linkage.x = machine::displacement_row(model, k, q, row);
    J[k] = linkage.J;
    x[k] = e.x[k] = linkage.x;
    e.x_dot[k] = linkage.J * v[i];
    for (int j = 0; pins && j < n; ++j) e.x_dot[k] += row[j] * v[j];
    const machine::ActuatorState& a = state->actuator[k];
    if (quasi_static(k)) {
      held[i] = true;
      e.out[k] = hydraulics::StageResult{};
      e.stop[k] = machine::StopForce{0.0, 0.0, false};
      continue;
    }
    const double* own = values + 2 * n + 4 * k;
    e.stop[k] = stops_act ? machine::stop_force(actuator.stops, linkage.x, e.x_dot[k], 0.0)
                          : machine::StopForce{0.0, 0.0, false};
    if (actuator.air) {
      const pneumatics::Chamber content[2] = {{own[0], own[2]}, {own[1], own[3]}};
      // With no step weight: the instantaneous relations.
      pneumatics::cylinder_stage(air_law, air, actuator.air->cylinder, openings[k], content, 0.0,
                                 linkage.x - actuator.air->retracted, e.x_dot[k], chambers[k]);
      const pneumatics::Cylinder& c = actuator.air->cylinder;
      for (const pneumatics::ChamberStage& chamber : chambers[k].chamber)
        e.ledger.air += chamber.H_dot;
      e.ledger.air -= air.P_ambient * (c.area_cap - c.area_rod) * e.x_dot[k];
      push(k, chambers[k].force, linkage.J, pins ? row : nullptr, values, e, tau);
      continue;
    }
    for (int s = 0; s < 2; ++s) {
      in[k].P_star[s] = own[s];
      in[k].Q_star[s] = own[2 + s];
    }
    hydraulics::evaluate_stage(machine::line_model(a.open != 0, fidelity), nth(constants, k), in[k],
                               e.x_dot[k], a.p, e.out[k]);
    push(k, e.out[k].force, linkage.J, pins ? row : nullptr, values, e, tau);
    const machine::Powers w = machine::powers(nth(constants, k), in[k], e.out[k], e.x_dot[k]);
    e.ledger.pump += w.pump;
    e.ledger.valve += w.valve;
    e.ledger.line += w.line;
    e.ledger.relief += w.relief;
    e.ledger.leakage += w.leakage;
  }
  for (const Rubbing& r : rubbing) {
    if (r.actuator >= 0 || held[r.link]) continue;
    tau[r.link] -= rub(r, v[r.link], values, e);
    if (!r.stuck) continue;
    double row[kMaxLinks] = {};
    row[r.link] = 1.0;
    stick(row);
  }
  if (coupled)
    mechanism_accelerations(body, tau, e);
  else
    accelerations(body, held, J, x, v, tau, e);
}

void RightSide::push(int k, double medium, double lever, const double* row, const double* values,
                     Evaluation& e, double* tau) {
  const machine::Actuator& actuator = nth(model.actuators, k);
  const double x_dot = e.x_dot[k];
  double force = medium - actuator.circuit.B * x_dot + e.stop[k].force;
  const Rubbing* dry = rubbing_of[k] >= 0 ? &nth(rubbing, rubbing_of[k]) : nullptr;
  if (dry != nullptr) force -= rub(*dry, x_dot, values, e);
  if (dry != nullptr && dry->stuck) {
    double along[kMaxLinks] = {};
    for (int j = 0; row != nullptr && j < n; ++j) along[j] = row[j];
    along[actuator.link] += lever;
    stick(along);
  }
  tau[actuator.link] += lever * force;
  for (int j = 0; row != nullptr && j < n; ++j) tau[j] += row[j] * force;
  e.ledger.friction += actuator.circuit.B * x_dot * x_dot;
  e.ledger.stops -= e.stop[k].force * x_dot;
}

void RightSide::mechanism_accelerations(const multibody::MassAndBias& body, double* tau,
                                        Evaluation& e) {
  double u_dot[kMaxLinks], M[kMaxLinks][kMaxLinks];
  machine::to_independent(mechanism, tau, u_dot);
  for (int r = 0; r < mechanism.count; ++r)
    std::copy(mechanism.M[r], mechanism.M[r] + mechanism.count, M[r]);
  for (std::vector<double>& row : stuck_) {
    double along[kMaxLinks];
    machine::to_independent(mechanism, row.data(), along);
    make_heavy(mechanism.count, along, M);
  }
  solve_positive_definite<kMaxLinks>(mechanism.count, M, u_dot);
  std::fill(e.a, e.a + n, 0.0);
  machine::to_joints(mechanism, u_dot, e.a);
  for (int i = 0; i < n; ++i) {
    e.lack[i] = -tau[i];
    for (int j = 0; j < n; ++j) e.lack[i] += body.M[i][j] * e.a[j];
  }
  for (int g = 0; g < mechanism.embedding.groups; ++g) {
    const multibody::Embedding::Group& group = mechanism.embedding.group[g];
    for (int d = 0; d < group.dependents; ++d)
      e.a[group.dependent[d]] += mechanism.embedding.gamma[group.dependent[d]];
  }
}

void RightSide::accelerations(const multibody::MassAndBias& body, const bool* held, const double* J,
                              const double* x, const double* v, const double* tau,
                              Evaluation& e) const {
  double A[kMaxLinks][kMaxLinks];
  for (int i = 0; i < n; ++i) {
    e.a[i] = held[i] ? 0.0 : tau[i];
    for (int j = 0; j <= i; ++j) A[i][j] = held[i] || held[j] ? (i == j ? 1.0 : 0.0) : body.M[i][j];
  }
  for (const std::vector<double>& row : stuck_) make_heavy(n, row.data(), A);
  solve_positive_definite<kMaxLinks>(n, A, e.a);
  double held_a[kMaxLinks] = {};
  for (int k = 0; k < m; ++k) {
    const machine::Actuator& actuator = nth(model.actuators, k);
    const int i = actuator.link;
    if (!held[i]) continue;
    double load = body.bias[i];
    for (int j = 0; j < n; ++j)
      if (!held[j]) load += body.M[i][j] * e.a[j];
    load /= J[k];
    const machine::ActuatorState& a = state->actuator[k];
    const double tau_Q = model.tau_Q;
    const double shift = machine::held_shift(actuator, a, load);
    const double x_dot = J[k] * v[i];
    held_a[i] = ((a.x_hold + shift - x[k]) / tau_Q - x_dot) / tau_Q / J[k];
    machine::held_pressures(actuator.circuit, a, shift, e.out[k].P_C);
    for (int s = 0; s < 2; ++s) e.out[k].p[s] = e.out[k].P_C[s];
  }
  for (int i = 0; i < n; ++i)
    if (held[i]) e.a[i] = held_a[i];
  // Work that the held joints' motion and its missing reaction put into the bodies.
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (held[i] || held[j]) e.ledger.model += v[i] * body.M[i][j] * e.a[j];
  for (int i = 0; i < n; ++i)
    if (held[i]) e.ledger.model += v[i] * body.bias[i];
}

void RightSide::rates(const double* values, const Evaluation& e, double* d) const {
  for (int i = 0; i < n; ++i) {
    d[i] = e.v[i];
    d[n + i] = e.a[i];
  }
  for (int k = 0; k < m; ++k) {
    const hydraulics::Circuit& c = nth(model.actuators, k).circuit;
    const hydraulics::Line* lines[2] = {&c.line1, &c.line2};
    const hydraulics::StageResult& out = e.out[k];
    const double* own = values + 2 * n + 4 * k;
    double* rate = d + 2 * n + 4 * k;
    if (const auto& of_air = nth(model.actuators, k).air) {
      const double area[2] = {of_air->cylinder.area_cap, -of_air->cylinder.area_rod};
      for (int s = 0; s < 2; ++s) {
        const pneumatics::ChamberStage& chamber = chambers[k].chamber[s];
        rate[s] = chamber.m_dot;
        rate[2 + s] = chamber.H_dot - chamber.P * area[s] * e.x_dot[k];
      }
      continue;
    }
    double C[2];
    hydraulics::capacitances(c, state->actuator[k].fault, e.x[k], {own[0], own[1]}, C);
    const LineModel line = machine::line_model(state->actuator[k].open != 0, fidelity);
    for (int s = 0; s < 2; ++s) {
      const double P = own[s];
      const double Q = own[2 + s];
      if (line == LineModel::kResistive || quasi_static(k)) {
        rate[s] = rate[2 + s] = 0.0;
      } else if (line == LineModel::kFilling) {
        rate[s] = (out.Q[s] - out.o_R[s] - out.bypass_C[s]) / C[s];
        rate[2 + s] = 0.0;
      } else if (line == LineModel::kDynamic) {
        rate[s] = (Q - out.o_R[s] - out.bypass_C[s]) / C[s];
        rate[2 + s] = (in[k].P_S[s] - in[k].C_R[s] * signed_square(Q) - P) / lines[s]->I;
      } else {
        rate[s] = (-out.o_R[s] - out.bypass_C[s]) / C[s];
        rate[2 + s] = (hydraulics::residual_flow(in[k].P_S[s], P, in[k].C_R[s]) - Q) / model.tau_Q;
      }
    }
  }
  for (int i = 0; i < bristles; ++i) d[bristles_at() + i] = e.bristle_rate[i];
}

void RightSide::take_over(const double* values, const Evaluation& e) {
  for (int i = 0; i < n; ++i) {
    state->q[i] = e.q[i];
    state->v[i] = e.v[i];
    state->a[i] = e.a[i];
  }
  if (!model.loop_system.empty())
    model.loop_system.forces(model.tree, mechanism.embedding, e.q, e.lack, state->loop_force_W,
                             state->coupling_force);
  for (int k = 0; k < m; ++k) {
    machine::ActuatorState& a = state->actuator[k];
    if (nth(model.actuators, k).air) {
      for (int s = 0; s < 2; ++s) {
        a.air.m_in += values[2 * n + 4 * k + s] - a.air.m[s];
        a.air.m[s] = values[2 * n + 4 * k + s];
        a.air.U[s] = values[2 * n + 4 * k + 2 + s];
        a.P_C[s] = a.p[s] = chambers[k].chamber[s].P - air.P_ambient;
      }
      continue;
    }
    const LineModel line = machine::line_model(a.open != 0, fidelity);
    const bool algebraic = quasi_static(k) || line == LineModel::kResistive;
    const bool flow_follows = algebraic || line == LineModel::kFilling;
    for (int s = 0; s < 2; ++s) {
      a.P_C[s] = algebraic ? e.out[k].P_C[s] : values[2 * n + 4 * k + s];
      a.Q[s] = flow_follows ? e.out[k].Q[s] : values[2 * n + 4 * k + 2 + s];
      a.p[s] = e.out[k].p[s];
    }
    hydraulics::capacitances(nth(model.actuators, k).circuit, a.fault, e.x[k], a.P_C, a.C);
  }
  for (const Rubbing& r : rubbing)
    if (r.bristle >= 0) bristle_of(r) = values[bristles_at() + r.bristle];
}

// --- Rates --------------------------------------------------------------------

namespace {

// Slower than this is at rest, where dry friction may stick [m/s, rad/s].
constexpr double kAtRest = 1e-9;
// Nearer to its overlap than this a valve stands at it [V].
constexpr double kAtOverlap = 1e-6;
// Less across an open edge makes its slope by the square root depend on the step [Pa].
constexpr double kNoDrop = 2e4;
// Valve sections and pump are advanced by so little for their rates [s].
constexpr double kInstant = 1e-6;

// Over which slopes are taken.
constexpr double kPositionStep = 1e-4, kSpeedStep = 1e-6, kPressureStep = 1e3, kFlowStep = 1e-8,
                 kVoltageStep = 1e-3, kShareStep = 1e-4, kForceStep = 1.0, kTorqueStep = 1e-2,
                 kRelativeStep = 1e-5;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

}  // namespace

struct Rates::Impl {
  const sim::Simulation& simulation;
  const machine::MachineModel& model;
  RightSide right;
  sim::SimState at;     // at the instant
  sim::SimState shown;  // of the last evaluation
  machine::MachineState held;
  std::vector<double> values, d;
  double command[kMaxActuators] = {}, spool[kMaxActuators] = {};
  double force[kMaxLinks] = {};
  double force_room[kMaxLinks];
  machine::SpeedCommands speed_room;
  // Rates of what is not in values.
  double spool_rate[kMaxActuators] = {}, compensated_rate[kMaxActuators] = {},
         check_rate[kMaxActuators] = {}, holding_rate[kMaxActuators][2] = {};
  double pump_rate = 0.0;
  hydraulics::SupplyState supply_rate{};
  bool pump = false, sections = false, resting;

  std::vector<Quantity> states, inputs;
  std::vector<double*> state_at, input_at;
  std::vector<const double*> rate_of;
  std::vector<sim::Channel> outputs;
  std::vector<DriveFacts> drives;
  std::vector<std::string> remarks;
  std::vector<double> y, u;

  Impl(const sim::Simulation& s, const sim::SimState& state, const RatesOptions& options)
      : simulation(s),
        model(s.model()),
        right(model, options.dry_friction, options.end_stops),
        at(state),
        pump(model.supply.kind == hydraulics::SupplyKind::kPump && !options.at_rest),
        resting(options.at_rest),
        outputs(sim::all_channels(model)) {
    start(state);
    for (int k = 0; k < right.m; ++k) {
      const hydraulics::Circuit& circuit = nth(model.actuators, k).circuit;
      sections = sections || (!resting && hydraulics::has_section(circuit));
      if (!nth(model.actuators, k).air)
        nth(right.constants, k) =
            hydraulics::make_stage(circuit, 0.0, kPortTolerance, 1.0, at.machine.actuator[k].fault);
    }
    held = at.machine;
    values.resize(static_cast<std::size_t>(right.value_count()));
    d.resize(values.size());
    right.take(held, at.fidelity);
    right.load(values.data());
    for (int k = 0; k < right.m && !resting; ++k) right.set_orifices(k, spool[k]);
    look_for_sticking();
    name_states();
    name_inputs();
    for (const double* place : state_at) y.push_back(*place);
    for (const double* place : input_at) u.push_back(*place);
    shown = at;
    look_for_edges();
  }

  // The tick that starts at the instant: events, commands, valves.
  void start(const sim::SimState& state) {
    machine::MachineState& machine = at.machine;
    if (resting) {
      for (int k = 0; k < right.m; ++k) {
        machine.actuator[k].open = 0;
        right.openings[k] = {};
        right.in[k] = {};
      }
      right.joint_force = nullptr;
    } else {
      simulation.begin_tick(at);
      for (int k = 0; k < right.m; ++k)
        if (nth(model.actuators, k).circuit.valve.spool_time_constant_s > 0.0)
          machine.actuator[k].spool_V = state.machine.actuator[k].spool_V;
      machine::update_valves(model, at.fidelity, machine, right.in);
      for (int k = 0; k < right.m; ++k) {
        command[k] = machine.actuator[k].command_V;
        spool[k] = machine.actuator[k].spool_V;
      }
      if (const double* given = simulation.joint_force(at, nullptr, force_room))
        std::copy(given, given + right.n, force);
      right.speeds = simulation.speed_commands(at, speed_room);
    }
    for (int k = 0; k < right.m; ++k) {
      const machine::Actuator& actuator = nth(model.actuators, k);
      drives.push_back({model.joint_name(actuator.link), actuator.link, actuator.linkage.sign,
                        actuator.circuit.valve.overlap_V, machine.actuator[k].spool_V,
                        machine.actuator[k].open != 0});
    }
    right.joint_force = force;
  }

  void look_for_sticking() {
    Evaluation e;
    right.evaluate(values.data(), e);
    for (Rubbing& r : right.rubbing) {
      if (!friction::sticks(r.model->kind)) continue;
      const double speed = r.actuator >= 0 ? e.x_dot[r.actuator] : e.v[r.link];
      r.stuck = std::fabs(speed) < kAtRest;
      r.sense = speed < 0.0 ? -1.0 : 1.0;
      if (r.stuck)
        remarks.push_back("dry friction holds joint '" + model.shown_name(r.link) +
                          "': the model is that of the joint at rest, and of neither sense of "
                          "motion once the friction of " +
                          number(r.model->F_s) + (of_force(r) ? " N" : " N m") + " is overcome");
    }
  }

  bool of_force(const Rubbing& r) const {
    return r.actuator >= 0 ? nth(model.actuators, r.actuator).circuit.kind ==
                                 hydraulics::ActuatorKind::kCylinder
                           : !model.tree.link(r.link).revolute;
  }

  void look_for_edges() {
    if (resting) return;
    for (int k = 0; k < right.m; ++k) {
      const machine::Actuator& actuator = nth(model.actuators, k);
      const hydraulics::Valve& valve = actuator.circuit.valve;
      const std::string& joint = model.joint_name(actuator.link);
      const double apart = std::fabs(spool[k]) - valve.overlap_V;
      if (std::fabs(apart) < kAtOverlap && !actuator.air)
        remarks.push_back("the valve of '" + joint + "' stands at its overlap of " +
                          number(valve.overlap_V) +
                          " V: the slopes are those of the closed side, where a small command "
                          "moves nothing; beyond it the valve's equations are others");
      if (held.actuator[k].open == 0 || at.fidelity != machine::Fidelity::kReduced || actuator.air)
        continue;
      for (int s = 0; s < 2; ++s)
        if (std::fabs(right.in[k].P_S[s] - held.actuator[k].P_C[s]) < kNoDrop)
          remarks.push_back("no pressure drops across the edge of '" + joint + "' at line " +
                            (s == 0 ? "a" : "b") +
                            ": its flow grows with the root of the drop and has no slope there; "
                            "taken over " +
                            number(kPressureStep) + " Pa");
    }
  }

  void add(std::string name, std::string unit, double step, double* place, const double* rate) {
    states.push_back({std::move(name), std::move(unit), step});
    state_at.push_back(place);
    rate_of.push_back(rate);
  }

  void name_states() {
    const int n = right.n;
    std::vector<int> joints;
    for (int i = 0; i < n; ++i)
      if (!right.coupled) joints.push_back(i);
    if (right.coupled)  // of the evaluation for sticking
      joints.assign(right.mechanism.joint, right.mechanism.joint + right.mechanism.count);
    const auto place = [&](int i) { return values.data() + i; };
    const auto rate = [&](int i) { return d.data() + i; };
    const auto unit = [&](int i) -> std::string {
      return model.tree.link(i).revolute ? "rad" : "m";
    };
    for (const int i : joints)
      add(model.joint_name(i) + "_" + unit(i), unit(i), kPositionStep, place(i), rate(i));
    for (const int i : joints)
      add(model.joint_name(i) + "_" + unit(i) + "_s", unit(i) + "/s", kSpeedStep, place(n + i),
          rate(n + i));
    for (int k = 0; k < right.m; ++k) name_oil(k);
    for (const Rubbing& r : right.rubbing)
      if (r.bristle >= 0)
        add(model.joint_name(r.link) + (r.actuator >= 0 ? "_cylinder" : "") + "_bristle",
            of_force(r) ? "m" : "rad", 1e-3 * r.model->F_c / r.model->sigma_0,
            place(right.bristles_at() + r.bristle), rate(right.bristles_at() + r.bristle));
    if (!pump) return;
    add("supply_Pa", "Pa", kPressureStep, &held.pump_Pa, &pump_rate);
    const hydraulics::PumpSupply& p = model.supply.pump;
    if (p.control != hydraulics::PumpControl::kFixed)
      add("pump_stroke", "", kShareStep, &held.supply.stroke, &supply_rate.stroke);
    if (p.control == hydraulics::PumpControl::kLoadSensing && p.load_line_s > 0.0)
      add("load_signal_Pa", "Pa", kPressureStep, &held.supply.load_Pa, &supply_rate.load_Pa);
    if (p.engine.inertia > 0.0) {
      add("engine_rad_s", "rad/s", kTorqueStep, &held.supply.engine_speed,
          &supply_rate.engine_speed);
      if (p.engine.governor_s > 0.0)
        add("engine_torque_Nm", "N m", kTorqueStep, &held.supply.engine_torque,
            &supply_rate.engine_torque);
    }
  }

  void name_oil(int k) {
    const machine::Actuator& actuator = nth(model.actuators, k);
    const std::string& joint = model.joint_name(actuator.link);
    const int own = 2 * right.n + 4 * k;
    machine::ActuatorState& a = held.actuator[k];
    static constexpr const char* kSide[2] = {"_a", "_b"};
    const LineModel line = machine::line_model(a.open != 0, at.fidelity);
    const auto both = [&](int offset, const std::string& what, const std::string& unit,
                          double step) {
      for (int s = 0; s < 2; ++s) {
        double* place = values.data() + own + offset + s;
        add(joint + what + kSide[s] + "_" + unit, unit,
            step > 0.0 ? step : kRelativeStep * std::fabs(*place), place,
            d.data() + own + offset + s);
        if (unit == "m3_s") states.back().unit = "m3/s";
      }
    };
    if (actuator.air) {
      both(0, "_mass", "kg", 0.0);
      both(2, "_energy", "J", 0.0);
    } else if (!right.quasi_static(k) && line != LineModel::kResistive) {
      both(0, "_line", "Pa", kPressureStep);
      if (line == LineModel::kDynamic) both(2, "_flow", "m3_s", kFlowStep);
    }
    if (resting) return;
    if (actuator.circuit.valve.spool_time_constant_s > 0.0)
      add(joint + "_spool_V", "V", kVoltageStep, spool + k, spool_rate + k);
    if (!hydraulics::has_section(actuator.circuit) || actuator.air) return;
    const hydraulics::Valve& valve = actuator.circuit.valve;
    const bool compensated = valve.compensator.kind != hydraulics::CompensatorKind::kNone;
    if (compensated)
      add(joint + "_compensated_Pa", "Pa", kPressureStep, &a.P_compensated, compensated_rate + k);
    if (compensated || valve.load_check)
      add(joint + "_load_check", "", kShareStep, &a.load_check, check_rate + k);
    for (int s = 0; s < 2; ++s)
      if (actuator.circuit.holding[s].kind != hydraulics::HoldingKind::kNone)
        add(joint + "_holding" + kSide[s], "", kShareStep, a.holding + s, holding_rate[k] + s);
  }

  void name_inputs() {
    const auto add_input = [&](std::string name, std::string unit, double step, double* place) {
      inputs.push_back({std::move(name), std::move(unit), step});
      input_at.push_back(place);
    };
    for (int k = 0; k < right.m && !resting; ++k)
      add_input(drives[static_cast<std::size_t>(k)].joint + "_valve_V", "V", kVoltageStep,
                command + k);
    for (int i = 0; i < right.n; ++i) {
      if (model.ball_of(i) != nullptr) continue;
      const bool turns = model.tree.link(i).revolute;
      add_input(model.joint_name(i) + (turns ? "_torque_Nm" : "_force_N"), turns ? "N m" : "N",
                kForceStep, force + i);
    }
    if (resting || right.m == 0) return;
    if (pump)
      add_input("pump_set_Pa", "Pa", kPressureStep, &held.supply.set_Pa);
    else
      add_input("pump_Pa", "Pa", kPressureStep, &held.pump_Pa);
    if (!model.on_air()) add_input("tank_Pa", "Pa", kPressureStep, &held.tank_Pa);
  }

  void evaluate(const std::vector<double>& y_in, const std::vector<double>& u_in,
                std::vector<double>& rates, std::vector<double>& out) {
    for (std::size_t i = 0; i < state_at.size(); ++i) *state_at[i] = y_in[i];
    for (std::size_t i = 0; i < input_at.size(); ++i) *input_at[i] = u_in[i];
    for (int k = 0; k < right.m && !resting; ++k) {
      const double lag = nth(model.actuators, k).circuit.valve.spool_time_constant_s;
      if (lag > 0.0)
        spool_rate[k] = (command[k] - spool[k]) / lag;
      else
        spool[k] = command[k];
      held.actuator[k].command_V = command[k];
      held.actuator[k].spool_V = spool[k];
      right.set_orifices(k, spool[k]);
    }
    right.air.P_supply = right.air.P_ambient + held.pump_Pa;
    Evaluation e;
    right.evaluate(values.data(), e);
    right.rates(values.data(), e, d.data());
    shown.machine = held;
    right.state = &shown.machine;
    right.take_over(values.data(), e);
    right.state = &held;
    if (sections || pump) move_supply();
    rates.resize(rate_of.size());
    for (std::size_t i = 0; i < rate_of.size(); ++i) rates[i] = *rate_of[i];
    const sim::Snapshot snapshot = sim::take_snapshot(simulation, shown);
    out.resize(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) out[i] = outputs[i].value(snapshot);
  }

  // Rates of valve sections and pump. With a share of one their targets appear; what opens at once takes a tick.
  void move_supply() {
    const double h = simulation.tick_s();
    const auto rate = [h](double lag_s, double from, double to) {
      return (to - from) / (lag_s > 0.0 ? lag_s : h);
    };
    machine::MachineState compensated = shown.machine, rest = shown.machine;
    machine::SectionLags only[kMaxActuators], others[kMaxActuators];
    for (int k = 0; k < right.m; ++k) {
      only[k] = {1.0, 0.0, {0.0, 0.0}};
      others[k] = {0.0, 1.0, {1.0, 1.0}};
    }
    machine::advance_sections(model, only, compensated);
    machine::advance_sections(model, others, rest);
    for (int k = 0; k < right.m; ++k) {
      const hydraulics::Circuit& circuit = nth(model.actuators, k).circuit;
      if (!hydraulics::has_section(circuit)) continue;
      const machine::ActuatorState& a = shown.machine.actuator[k];
      compensated_rate[k] = rate(circuit.valve.compensator.lag_s, a.P_compensated,
                                 compensated.actuator[k].P_compensated);
      check_rate[k] =
          rate(circuit.valve.load_check_lag_s, a.load_check, rest.actuator[k].load_check);
      for (int s = 0; s < 2; ++s)
        holding_rate[k][s] =
            rate(circuit.holding[s].lag_s, a.holding[s], rest.actuator[k].holding[s]);
    }
    if (!pump) return;
    // First order in the step, so that two steps give the rate at none.
    machine::MachineState ends[2];
    for (int half = 0; half < 2; ++half) {
      const double dt = half == 0 ? kInstant : 0.5 * kInstant;
      ends[half] = shown.machine;
      ends[half].supply.owed = 0.0;
      machine::Draw draws[kMaxActuators] = {};
      for (int k = 0; k < right.m; ++k) {
        const machine::ActuatorState& a = shown.machine.actuator[k];
        draws[k] = {a.open != 0 ? a.Q[machine::pump_side(spool[k])] * dt : 0.0, 0.0};
      }
      machine::finish_supply(model, dt, draws, ends[half]);
    }
    const auto slope = [&](auto value) {
      const double start = value(shown.machine);
      const double full = (value(ends[0]) - start) / kInstant;
      return 2.0 * (value(ends[1]) - start) / (0.5 * kInstant) - full;
    };
    using State = machine::MachineState;
    pump_rate = slope([](const State& s) { return s.pump_Pa; });
    supply_rate.stroke = slope([](const State& s) { return s.supply.stroke; });
    supply_rate.load_Pa = slope([](const State& s) { return s.supply.load_Pa; });
    supply_rate.engine_speed = slope([](const State& s) { return s.supply.engine_speed; });
    supply_rate.engine_torque = slope([](const State& s) { return s.supply.engine_torque; });
    for (int k = 0; k < right.m; ++k)
      compensated_rate[k] += slope([k](const State& s) { return s.actuator[k].P_compensated; });
  }
};

Rates::Rates(const sim::Simulation& simulation, const sim::SimState& state, RatesOptions options)
    : impl_(std::make_unique<Impl>(simulation, state, options)) {}
Rates::~Rates() = default;
const std::vector<Quantity>& Rates::states() const { return impl_->states; }
const std::vector<Quantity>& Rates::inputs() const { return impl_->inputs; }
const std::vector<sim::Channel>& Rates::outputs() const { return impl_->outputs; }
const std::vector<DriveFacts>& Rates::drives() const { return impl_->drives; }
const sim::SimState& Rates::state() const { return impl_->at; }
std::vector<double> Rates::y() const { return impl_->y; }
std::vector<double> Rates::u() const { return impl_->u; }
const std::vector<std::string>& Rates::remarks() const { return impl_->remarks; }
void Rates::evaluate(const std::vector<double>& y, const std::vector<double>& u,
                     std::vector<double>& rates, std::vector<double>& outputs) {
  impl_->evaluate(y, u, rates, outputs);
}

}  // namespace knuckleboom::reference
