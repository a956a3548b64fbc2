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

#include "knuckleboom/core/integration/sdirk2.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "reference/right_side.hpp"

namespace knuckleboom::reference {
namespace {

using hydraulics::LineModel;
using machine::Fidelity;

// The accounts that are integrated with the motion.
using machine::EnergyLedger;
constexpr double EnergyLedger::*kAccounts[] = {
    &EnergyLedger::pump,     &EnergyLedger::valve,    &EnergyLedger::line,  &EnergyLedger::relief,
    &EnergyLedger::leakage,  &EnergyLedger::friction, &EnergyLedger::stops, &EnergyLedger::model,
    &EnergyLedger::external, &EnergyLedger::air};
constexpr int kLedgerStates = static_cast<int>(std::size(kAccounts));

void refuse_sticking(const friction::FrictionModel& dry, const std::string& who) {
  if (friction::sticks(dry.kind))
    throw std::invalid_argument(
        "the friction of " + who +
        " truly sticks, which the converged solution does not follow; run it "
        "with full or reduced, "
        "or choose its friction model continuous_coulomb_viscous or lugre");
}

void silent(int, const char*, const char*, char*, void*) {}

}  // namespace

struct ConvergedSolver::Impl : RightSide {
  const sim::Simulation& simulation;
  ConvergedOptions options;
  int size = 0;   // values, then the ledger's integrals, then
  int flows = 0;  // the volumes drawn from the pump by each circuit [m^3]
  sundials::Context context;
  N_Vector y = nullptr, tolerance = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  void* cvode = nullptr;

  // Data of the current segment.
  double force_room[kMaxLinks];
  machine::SpeedCommands speed_room;
  double segment_start = 0.0;
  double spool_start[kMaxActuators];
  double oil_start[kMaxActuators];  // energy at the start of the tick, for
                                    // trapped oil

  // A pump's supply and valve sections are held over a tick, as the real-time
  // step does.
  bool supplied;  // the volumes drawn by the circuits are needed
  std::vector<machine::SectionLags> lags;
  machine::Draw draws[kMaxActuators];

  Impl(const sim::Simulation& s, ConvergedOptions o)
      : RightSide(s.model()),
        simulation(s),
        options(o),
        supplied(model.supply.kind == hydraulics::SupplyKind::kPump) {
    if (!model.wheels.empty())
      throw std::invalid_argument("machine '" + model.name +
                                  "' stands on wheels, which have no converged solution; choose "
                                  "full, reduced or paper");
    for (const Rubbing& r : rubbing)
      refuse_sticking(*r.model, r.actuator < 0
                                    ? "joint '" + model.joint_name(r.link) + "'"
                                    : "actuator '" + nth(model.actuators, r.actuator).name + "'");
    size = ledger_at() + (o.energy_audit ? kLedgerStates : 0);
    for (const machine::Actuator& actuator : model.actuators) {
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

  int ledger_at() const { return value_count(); }

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
      const machine::Actuator& actuator = nth(model.actuators, k);
      if (actuator.air || actuator.circuit.valve.spool_time_constant_s > 0.0)
        RightSide::set_orifices(k, spool_at(k, t));
    }
  }

  double spool_at(int k, double t) const {
    const machine::ActuatorState& a = state->actuator[k];
    const double lag = nth(model.actuators, k).circuit.valve.spool_time_constant_s;
    if (lag <= 0.0) return a.command_V;
    return a.command_V + (spool_start[k] - a.command_V) * std::exp(-(t - segment_start) / lag);
  }

  static int rhs(double t, N_Vector yv, N_Vector dyv, void* user) {
    Impl& self = *static_cast<Impl*>(user);
    const double* values = N_VGetArrayPointer(yv);
    double* d = N_VGetArrayPointer(dyv);
    self.set_orifices(t);
    Evaluation e;
    self.evaluate(values, e);
    self.rates(values, e, d);
    for (int k = 0; self.options.energy_audit && k < self.m; ++k) {
      const int at = 2 * self.n + 4 * k;
      e.ledger.model += self.gained_by_volume(k, e.x[k], e.x_dot[k], values + at, d + at);
    }
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
    RightSide::load(values);
    for (int i = ledger_at(); i < size; ++i) values[i] = 0.0;
  }

  // Takes over the solution, with the algebraic ports, and updates the ledger.
  void unload(Evaluation& e) {
    const double* values = N_VGetArrayPointer(y);
    evaluate(values, e);
    take_over(values, e);
    if (supplied)
      for (int k = 0; k < m; ++k) draws[k].volume += values[flows + k];
    if (!options.energy_audit) return;
    const double* w = values + ledger_at();
    for (std::size_t i = 0; i < kLedgerStates; ++i) state->energy.*kAccounts[i] += w[i];
  }

  // Times within the tick at which a lagging spool passes its overlap: in
  // closed form.
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
    const double h = simulation.tick_s();
    const double t = simulation.time(s);
    for (int k = 0; k < m; ++k) spool_start[k] = state->actuator[k].spool_V;
    simulation.begin_tick(s);
    joint_force = simulation.joint_force(s, nullptr, force_room);
    speeds = simulation.speed_commands(s, speed_room);
    take(s.machine, s.fidelity);
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
      // A spool at its overlap belongs to the side it is moving to: evaluate
      // slightly later.
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
