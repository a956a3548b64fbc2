#include "reference/converged.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "knuckleboom/core/friction/friction.hpp"
#include "knuckleboom/core/integration/sdirk2.hpp"
#include "knuckleboom/core/machine/joint_law.hpp"
#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/machine/power.hpp"
#include "knuckleboom/core/machine/stepper.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/cholesky.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"

namespace knuckleboom::reference {
namespace {

using hydraulics::LineModel;
using machine::Fidelity;

constexpr double kPortTolerance = 1e-6;  // Pa; coarser, its noise would stop the step control
// The accounts that are integrated with the motion.
using machine::EnergyLedger;
constexpr double EnergyLedger::*kAccounts[] = {
    &EnergyLedger::pump,     &EnergyLedger::valve,    &EnergyLedger::line,  &EnergyLedger::relief,
    &EnergyLedger::leakage,  &EnergyLedger::friction, &EnergyLedger::stops, &EnergyLedger::model,
    &EnergyLedger::external, &EnergyLedger::air};
constexpr int kLedgerStates = static_cast<int>(std::size(kAccounts));

// Intermediate results of one evaluation of the right-hand side.
struct Evaluation {
  double q[kMaxLinks], v[kMaxLinks];  // loops closed
  double a[kMaxLinks];
  double lack[kMaxLinks];  // forces of the loops on the dependent joints
  hydraulics::StageResult out[kMaxActuators];
  machine::StopForce stop[kMaxActuators];
  double x[kMaxActuators], x_dot[kMaxActuators];
  double bristle_rate[kMaxActuators + kMaxLinks];
  EnergyLedger ledger;  // powers [W]
};

// Dry friction at one place.
struct Rubbing {
  const friction::FrictionModel* model;
  int link;
  int actuator;  // -1: at the joint itself
  int bristle;   // its state among those of bristles; -1: none
};

void refuse_sticking(const friction::FrictionModel& dry, const std::string& who) {
  if (friction::sticks(dry.kind))
    throw std::invalid_argument(
        "the friction of " + who +
        " truly sticks, which the converged solution does not follow; run it with full or reduced, "
        "or choose its friction model continuous_coulomb_viscous or lugre");
}

void silent(int, const char*, const char*, char*, void*) {}

}  // namespace

struct ConvergedSolver::Impl {
  const sim::Simulation& simulation;
  const machine::MachineModel& model;
  ConvergedOptions options;
  int n, m, size;
  std::vector<Rubbing> rubbing;
  int rubbing_of[kMaxActuators];  // -1: no dry friction
  int bristles = 0;               // their states follow those of the circuits, then the ledger's
  int flows = 0;                  // index of the volumes drawn from the pump by each circuit [m^3]
  std::vector<hydraulics::StageConstants> constants;  // with zero step weight: instantaneous
  sundials::Context context;
  N_Vector y = nullptr, tolerance = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  void* cvode = nullptr;

  // Data of the current segment.
  machine::MachineState* state = nullptr;
  machine::MachineState trial;  // for solving the joints of loops
  machine::Mechanism mechanism;
  bool coupled = false;
  double force_room[kMaxLinks];
  machine::SpeedCommands speed_room;
  const double* joint_force = nullptr;
  const machine::SpeedCommands* speeds = nullptr;
  Fidelity fidelity = Fidelity::kFull;
  hydraulics::StageInput in[kMaxActuators];
  // For a machine on air.
  pneumatics::FlowLaw air_law;
  pneumatics::Air air;
  pneumatics::Openings openings[kMaxActuators];
  pneumatics::CylinderStage chambers[kMaxActuators];  // last evaluation
  double segment_start = 0.0;
  double spool_start[kMaxActuators];
  double oil_start[kMaxActuators];  // energy at the start of the tick, for trapped oil

  // A pump's supply and valve sections are held over a tick, as the real-time step does.
  bool supplied;  // the volumes drawn by the circuits are needed
  std::vector<machine::SectionLags> lags;
  machine::Draw draws[kMaxActuators];

  Impl(const sim::Simulation& s, ConvergedOptions o)
      : simulation(s),
        model(s.model()),
        options(o),
        n(model.joint_count()),
        m(static_cast<int>(model.actuators.size())),
        size(2 * n + 4 * m),
        air_law(s.model().air.gas),
        air(s.model().air),
        supplied(model.supply.kind == hydraulics::SupplyKind::kPump) {
    if (!model.wheels.empty())
      throw std::invalid_argument("machine '" + model.name +
                                  "' stands on wheels, which have no converged solution; choose "
                                  "full, reduced or paper");
    find_friction();
    size = ledger_at() + (o.energy_audit ? kLedgerStates : 0);
    for (const machine::Actuator& actuator : model.actuators) {
      constants.push_back(actuator.air
                              ? hydraulics::StageConstants{}
                              : hydraulics::make_stage(actuator.circuit, 0.0, kPortTolerance));
      lags.push_back(machine::section_lags(actuator.circuit, simulation.tick_s()));
      supplied = supplied || hydraulics::has_section(actuator.circuit);
    }
    flows = size;
    if (supplied) size += m;
    y = N_VNew_Serial(size, context);
    tolerance = N_VNew_Serial(size, context);
    matrix = SUNDenseMatrix(size, size, context);
    linear = SUNLinSol_Dense(y, matrix, context);
    cvode = CVodeCreate(CV_BDF, context);
    set_tolerances();
    N_VConst(0.0, y);
    if (cvode == nullptr || CVodeInit(cvode, &Impl::rhs, 0.0, y) != CV_SUCCESS ||
        CVodeSVtolerances(cvode, options.relative_tolerance, tolerance) != CV_SUCCESS ||
        CVodeSetLinearSolver(cvode, linear, matrix) != CV_SUCCESS ||
        CVodeSetUserData(cvode, this) != CV_SUCCESS ||
        CVodeSetMaxNumSteps(cvode, 200000) != CV_SUCCESS ||
        CVodeSetErrHandlerFn(cvode, silent, nullptr) != CV_SUCCESS)
      throw std::runtime_error("SUNDIALS could not be set up for the converged solution");
  }
  ~Impl() {
    CVodeFree(&cvode);
    SUNLinSolFree(linear);
    SUNMatDestroy(matrix);
    N_VDestroy(tolerance);
    N_VDestroy(y);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  int bristles_at() const { return 2 * n + 4 * m; }
  int ledger_at() const { return bristles_at() + bristles; }

  void find_friction() {
    const auto add = [this](const friction::FrictionModel& dry, int link, int actuator,
                            const std::string& who) {
      refuse_sticking(dry, who);
      rubbing.push_back(
          {&dry, link, actuator, dry.kind == friction::Kind::kLuGre ? bristles++ : -1});
    };
    for (int k = 0; k < m; ++k) {
      const machine::Actuator& actuator = nth(model.actuators, k);
      rubbing_of[k] = -1;
      if (actuator.friction.kind == friction::Kind::kNone) continue;
      rubbing_of[k] = static_cast<int>(rubbing.size());
      add(actuator.friction, actuator.link, k, "actuator '" + actuator.name + "'");
    }
    for (std::size_t i = 0; i < model.joint_friction.size(); ++i)
      if (model.joint_friction[i].kind != friction::Kind::kNone) {
        const int link = static_cast<int>(i);
        add(model.joint_friction[i], link, -1, "joint '" + model.joint_name(link) + "'");
      }
  }

  double& bristle_of(const Rubbing& r) const {
    return r.actuator < 0 ? state->bristle[r.link] : state->actuator[r.actuator].bristle;
  }

  // Force that a motion has to overcome there; bristles' rate and losses.
  double rub(const Rubbing& r, double x_dot, const double* values, Evaluation& e) const {
    if (r.bristle < 0) {
      const double force = friction::continuous(*r.model, x_dot).force;
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

  // Absolute tolerances: the relative one times a small value of each quantity.
  void set_tolerances() {
    double* t = N_VGetArrayPointer(tolerance);
    const double r = options.relative_tolerance;
    for (int i = 0; i < n; ++i) {
      t[i] = 1e-3 * r;      // rad
      t[n + i] = 1e-2 * r;  // rad/s
    }
    for (int k = 0; k < m; ++k) {
      double* a = t + 2 * n + 4 * k;
      const bool on_air = nth(model.actuators, k).air.has_value();
      a[0] = a[1] = (on_air ? 1e-6 : 1e5) * r;   // kg, Pa
      a[2] = a[3] = (on_air ? 1e-1 : 1e-5) * r;  // J, m^3/s
    }
    for (const Rubbing& rub : rubbing)
      if (rub.bristle >= 0)
        t[bristles_at() + rub.bristle] = 1e-3 * r * rub.model->F_c / rub.model->sigma_0;
    for (int i = ledger_at(); i < size; ++i) t[i] = 1e30;  // integrals do not affect the step
  }

  void set_orifices(double t) {
    for (int k = 0; k < m; ++k) {
      const auto u = static_cast<std::size_t>(k);
      const hydraulics::Valve& valve = model.actuators[u].circuit.valve;
      if (const auto& own = model.actuators[u].air) {
        openings[k] = pneumatics::openings(own->valve, spool_at(k, t));
        continue;
      }
      if (valve.spool_time_constant_s <= 0.0) continue;
      const hydraulics::Orifices o =
          machine::section_orifices(model.actuators[u].circuit, state->actuator[k], spool_at(k, t),
                                    state->pump_Pa, state->tank_Pa);
      in[k].P_S[0] = o.P_S1, in[k].P_S[1] = o.P_S2;
      in[k].C_R[0] = o.C_R1, in[k].C_R[1] = o.C_R2;
    }
  }

  double spool_at(int k, double t) const {
    const machine::ActuatorState& a = state->actuator[k];
    const double lag = nth(model.actuators, k).circuit.valve.spool_time_constant_s;
    if (lag <= 0.0) return a.command_V;
    return a.command_V + (spool_start[k] - a.command_V) * std::exp(-(t - segment_start) / lag);
  }

  void evaluate(const double* values, Evaluation& e) {
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
    double tau[kMaxLinks];
    bool held[kMaxLinks] = {};
    double J[kMaxActuators], x[kMaxActuators];
    e.ledger = {};
    std::fill(e.bristle_rate, e.bristle_rate + bristles, 0.0);
    for (int i = 0; i < n; ++i) {
      const double given = joint_force != nullptr ? joint_force[i] : 0.0;
      tau[i] = given - body.bias[i];
      e.ledger.external += given * v[i];
      machine::for_each_joint_law(model, machine::kAllJointLaws, speeds, i, q[i], v[i], 0.0, 1.0,
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
      e.stop[k] = machine::stop_force(actuator.stops, linkage.x, e.x_dot[k], 0.0);
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
      hydraulics::evaluate_stage(machine::line_model(a.open != 0, fidelity), nth(constants, k),
                                 in[k], e.x_dot[k], a.p, e.out[k]);
      push(k, e.out[k].force, linkage.J, pins ? row : nullptr, values, e, tau);
      const machine::Powers w = machine::powers(nth(constants, k), in[k], e.out[k], e.x_dot[k]);
      e.ledger.pump += w.pump;
      e.ledger.valve += w.valve;
      e.ledger.line += w.line;
      e.ledger.relief += w.relief;
      e.ledger.leakage += w.leakage;
    }
    for (const Rubbing& r : rubbing)
      if (r.actuator < 0 && !held[r.link]) tau[r.link] -= rub(r, v[r.link], values, e);
    if (coupled)
      mechanism_accelerations(body, tau, e);
    else
      accelerations(body, held, J, x, v, tau, e);
  }

  // An actuator on the joints, with its friction and stop. medium: force of oil or air. row: over the joints,
  // null: the lever on its own.
  void push(int k, double medium, double lever, const double* row, const double* values,
            Evaluation& e, double* tau) const {
    const machine::Actuator& actuator = nth(model.actuators, k);
    const double x_dot = e.x_dot[k];
    double force = medium - actuator.circuit.B * x_dot + e.stop[k].force;
    if (rubbing_of[k] >= 0) force -= rub(nth(rubbing, rubbing_of[k]), x_dot, values, e);
    tau[actuator.link] += lever * force;
    for (int j = 0; row != nullptr && j < n; ++j) tau[j] += row[j] * force;
    e.ledger.friction += actuator.circuit.B * x_dot * x_dot;
    e.ledger.stops -= e.stop[k].force * x_dot;
  }

  // tau: less the bias.
  void mechanism_accelerations(const multibody::MassAndBias& body, double* tau, Evaluation& e) {
    double u_dot[kMaxLinks], M[kMaxLinks][kMaxLinks];
    machine::to_independent(mechanism, tau, u_dot);
    for (int r = 0; r < mechanism.count; ++r)
      std::copy(mechanism.M[r], mechanism.M[r] + mechanism.count, M[r]);
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

  bool quasi_static(int k) const {
    return machine::quasi_static(model, fidelity, state->actuator[k]);
  }

  void accelerations(const multibody::MassAndBias& body, const bool* held, const double* J,
                     const double* x, const double* v, const double* tau, Evaluation& e) {
    double A[kMaxLinks][kMaxLinks];
    for (int i = 0; i < n; ++i) {
      e.a[i] = held[i] ? 0.0 : tau[i];
      for (int j = 0; j <= i; ++j)
        A[i][j] = held[i] || held[j] ? (i == j ? 1.0 : 0.0) : body.M[i][j];
    }
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

  static int rhs(double t, N_Vector yv, N_Vector dyv, void* user) {
    Impl& self = *static_cast<Impl*>(user);
    const double* values = N_VGetArrayPointer(yv);
    double* d = N_VGetArrayPointer(dyv);
    self.set_orifices(t);
    Evaluation e;
    self.evaluate(values, e);
    const int n = self.n;
    for (int i = 0; i < n; ++i) {
      d[i] = e.v[i];
      d[n + i] = e.a[i];
    }
    for (int k = 0; k < self.m; ++k) {
      const hydraulics::Circuit& c = nth(self.model.actuators, k).circuit;
      const hydraulics::Line* lines[2] = {&c.line1, &c.line2};
      const hydraulics::StageResult& out = e.out[k];
      const double* own = values + 2 * n + 4 * k;
      double* rate = d + 2 * n + 4 * k;
      if (const auto& of_air = nth(self.model.actuators, k).air) {
        const double area[2] = {of_air->cylinder.area_cap, -of_air->cylinder.area_rod};
        for (int s = 0; s < 2; ++s) {
          const pneumatics::ChamberStage& chamber = self.chambers[k].chamber[s];
          rate[s] = chamber.m_dot;
          rate[2 + s] = chamber.H_dot - chamber.P * area[s] * e.x_dot[k];
        }
        continue;
      }
      double C[2];
      hydraulics::capacitances(c, {}, e.x[k], {own[0], own[1]}, C);
      const LineModel line = machine::line_model(self.state->actuator[k].open != 0, self.fidelity);
      for (int s = 0; s < 2; ++s) {
        const double P = own[s];
        const double Q = own[2 + s];
        if (line == LineModel::kResistive || self.quasi_static(k)) {
          rate[s] = rate[2 + s] = 0.0;
        } else if (line == LineModel::kFilling) {
          rate[s] = (out.Q[s] - out.o_R[s] - out.bypass_C[s]) / C[s];
          rate[2 + s] = 0.0;
        } else if (line == LineModel::kDynamic) {
          rate[s] = (Q - out.o_R[s] - out.bypass_C[s]) / C[s];
          rate[2 + s] =
              (self.in[k].P_S[s] - self.in[k].C_R[s] * signed_square(Q) - P) / lines[s]->I;
        } else {
          rate[s] = (-out.o_R[s] - out.bypass_C[s]) / C[s];
          rate[2 + s] = (hydraulics::residual_flow(self.in[k].P_S[s], P, self.in[k].C_R[s]) - Q) /
                        self.model.tau_Q;
        }
      }
    }
    for (int k = 0; self.options.energy_audit && k < self.m; ++k)
      e.ledger.model +=
          self.gained_by_volume(k, e.x[k], e.x_dot[k], values + 2 * n + 4 * k, d + 2 * n + 4 * k);
    for (int i = 0; i < self.bristles; ++i) d[self.bristles_at() + i] = e.bristle_rate[i];
    if (self.options.energy_audit)
      for (std::size_t i = 0; i < kLedgerStates; ++i)
        d[self.ledger_at() + static_cast<int>(i)] = e.ledger.*kAccounts[i];
    if (self.supplied)
      for (int k = 0; k < self.m; ++k) {
        const machine::ActuatorState& a = self.state->actuator[k];
        d[self.flows + k] = a.open != 0 ? e.out[k].Q[machine::pump_side(self.spool_at(k, t))] : 0.0;
      }
    for (int i = 0; i < self.size; ++i)
      if (!std::isfinite(d[i])) return 1;
    return 0;
  }

  // P^2/2 dC/dt of both lines [W].
  double gained_by_volume(int k, double x, double x_dot, const double* P, const double* P_dot) {
    const hydraulics::Circuit& c = nth(model.actuators, k).circuit;
    if (!c.volumes) return 0.0;
    constexpr double kApart = 1e-7;  // s
    double now[2], then[2];
    hydraulics::capacitances(c, {}, x, {P[0], P[1]}, now);
    hydraulics::capacitances(c, {}, x + kApart * x_dot,
                             {P[0] + kApart * P_dot[0], P[1] + kApart * P_dot[1]}, then);
    return 0.5 * (P[0] * P[0] * (then[0] - now[0]) + P[1] * P[1] * (then[1] - now[1])) / kApart;
  }

  void load() {
    double* values = N_VGetArrayPointer(y);
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
    for (int i = ledger_at(); i < size; ++i) values[i] = 0.0;
  }

  // Takes over the solution, with the algebraic ports, and updates the ledger.
  void unload(Evaluation& e) {
    const double* values = N_VGetArrayPointer(y);
    evaluate(values, e);
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
    if (supplied)
      for (int k = 0; k < m; ++k) draws[k].volume += values[flows + k];
    for (const Rubbing& r : rubbing)
      if (r.bristle >= 0) bristle_of(r) = values[bristles_at() + r.bristle];
    if (!options.energy_audit) return;
    const double* w = values + ledger_at();
    for (std::size_t i = 0; i < kLedgerStates; ++i) state->energy.*kAccounts[i] += w[i];
  }

  // Times within the tick at which a lagging spool passes its overlap: in closed form.
  std::vector<double> spool_events(double h) const {
    std::vector<double> times;
    for (int k = 0; k < m; ++k) {
      const hydraulics::Valve& valve = nth(model.actuators, k).circuit.valve;
      if (valve.spool_time_constant_s <= 0.0) continue;
      const double command = state->actuator[k].command_V;
      for (const double edge : {-valve.overlap_V, valve.overlap_V}) {
        const double ratio = (edge - command) / (spool_start[k] - command);
        if (!(ratio > 0.0 && ratio < 1.0)) continue;
        const double t = -valve.spool_time_constant_s * std::log(ratio);
        if (t > 1e-9 && t < h - 1e-9) times.push_back(t);
      }
    }
    std::sort(times.begin(), times.end());
    // Spools with equal motion cross together.
    times.erase(
        std::unique(times.begin(), times.end(), [](double a, double b) { return b - a < 1e-9; }),
        times.end());
    return times;
  }

  void integrate(double from, double to) {
    load();
    if (CVodeReInit(cvode, from, y) != CV_SUCCESS || CVodeSetStopTime(cvode, to) != CV_SUCCESS)
      throw std::runtime_error("SUNDIALS refused to start");
    double reached = from;
    const int flag = CVode(cvode, to, y, &reached, CV_NORMAL);
    if (flag < 0)
      throw std::runtime_error("the converged solution stops at t = " + std::to_string(reached) +
                               " s: " + CVodeGetReturnFlagName(flag));
  }

  void step(sim::SimState& s) {
    state = &s.machine;
    fidelity = s.fidelity;
    const double h = simulation.tick_s();
    const double t = simulation.time(s);
    for (int k = 0; k < m; ++k) spool_start[k] = state->actuator[k].spool_V;
    simulation.begin_tick(s);
    joint_force = simulation.joint_force(s, nullptr, force_room);
    speeds = simulation.speed_commands(s, speed_room);
    coupled = model.coupled() || state->absent != 0;
    trial = *state;
    air.P_supply = air.P_ambient + state->pump_Pa;
    segment_start = t;
    std::vector<double> stops = spool_events(h);
    stops.push_back(h);
    double from = 0.0;
    Evaluation e;
    for (int k = 0; k < m; ++k)
      oil_start[k] = machine::oil_energy(nth(model.actuators, k).circuit, state->actuator[k],
                                         LineModel::kClosed);
    if (supplied) {
      for (int k = 0; k < m; ++k) {
        state->actuator[k].spool_V = spool_at(k, t + 1e-9);
        draws[k] = {0.0, 0.0};
      }
      machine::advance_sections(model, lags.data(), *state);
    }
    for (const double to : stops) {
      // A spool at its overlap belongs to the side it is moving to: evaluate slightly later.
      for (int k = 0; k < m; ++k) state->actuator[k].spool_V = spool_at(k, t + from + 1e-9);
      machine::update_valves(model, fidelity, *state, in);
      integrate(t + from, t + to);
      unload(e);
      from = to;
    }
    for (int k = 0; k < m; ++k) state->actuator[k].spool_V = spool_at(k, t + h);
    finish(e);
    if (supplied) finish_supply(h);
    ++s.tick;
    simulation.watch(s);
  }

  void finish_supply(double h) {
    const double g = integration::Sdirk2::kGamma * h;
    for (int k = 0; k < m; ++k) {
      const hydraulics::Circuit& circuit = nth(model.actuators, k).circuit;
      const machine::ActuatorState& a = state->actuator[k];
      const int s = machine::pump_side(a.spool_V);
      const double I = s == 0 ? circuit.line1.I : circuit.line2.I;
      if (machine::line_model(a.open != 0, fidelity) == LineModel::kDynamic)
        draws[k].conductance = machine::line_conductance(g / I, g / a.C[s], in[k].C_R[s], a.Q[s]);
    }
    machine::finish_supply(model, h, draws, *state);
  }

  void finish(const Evaluation& e) {
    bool relief = false;
    bool cavitation = false;
    bool finite = true;
    for (int k = 0; k < m; ++k) {
      if (!quasi_static(k)) continue;
      const machine::Actuator& actuator = nth(model.actuators, k);
      machine::release_held_oil(actuator, nth(constants, k), simulation.tick_s(), oil_start[k],
                                machine::displacement_row(model, k, state->q, nullptr),
                                state->actuator[k], state->energy);
    }
    for (int k = 0; k < m; ++k) {
      const machine::Actuator& actuator = nth(model.actuators, k);
      machine::ActuatorState& a = state->actuator[k];
      if (actuator.air)
        machine::watch_stop(e.stop[k].active, a, state->health);
      else
        machine::watch(actuator, e.out[k], e.stop[k].active, a, state->health, relief, cavitation);
    }
    for (int i = 0; i < n; ++i) finite = finite && std::isfinite(state->q[i]);
    state->health.relief_ticks += relief ? 1 : 0;
    state->health.cavitation_ticks += cavitation ? 1 : 0;
    state->health.non_finite += finite ? 0 : 1;
    if (coupled) machine::close_mechanism(model, simulation.tick_s(), false, *state, mechanism);
    ++state->health.ticks;
  }
};

ConvergedSolver::ConvergedSolver(const sim::Simulation& simulation, ConvergedOptions options)
    : impl_(std::make_unique<Impl>(simulation, options)) {}
ConvergedSolver::~ConvergedSolver() = default;
void ConvergedSolver::step(sim::SimState& state) { impl_->step(state); }

}  // namespace knuckleboom::reference
