#include "knuckleboom/core/emulation/air_exchange.hpp"

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "knuckleboom/core/friction/friction.hpp"
#include "knuckleboom/core/integration/sdirk2.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/math/arrays.hpp"

namespace knuckleboom::emulation {
namespace {

using integration::Sdirk2;

machine::MachineModel bodies_of(machine::MachineModel model) {
  if (!model.on_air())
    throw std::invalid_argument("machine '" + model.name +
                                "' has no pneumatic cylinders that could exchange anything");
  for (machine::Actuator& actuator : model.actuators) {
    if (friction::sticks(actuator.friction.kind))
      throw std::invalid_argument(
          "actuator '" + actuator.name +
          "': friction that sticks needs force and motion at one time; with exchange take viscous, "
          "continuous_coulomb_viscous or lugre");
    actuator.air->cylinder.area_cap = actuator.air->cylinder.area_rod = 0.0;
    actuator.air->valve = {};
    actuator.circuit.B = 0.0;
    actuator.friction = {};
  }
  return model;
}

// Dry friction of the piston at a speed that is given.
double dry_friction(const friction::FrictionModel& model, double h, double x_dot, double& bristle) {
  if (model.kind == friction::Kind::kContinuous) return friction::continuous(model, x_dot).force;
  if (model.kind != friction::Kind::kLuGre) return 0.0;
  const friction::Bristle end = friction::bristle(model, bristle, h, x_dot);
  const double force = friction::bristle_force(model, bristle, end, h, 1.0).force;
  bristle = end.z;
  return force;
}

// Piston's motion in the middle of a tick from a pose: row over the joints; returns the speed.
double motion(const machine::MachineModel& model, int actuator, const double* q, const double* v,
              double h, double* row) {
  double mid[kMaxLinks];
  for (int j = 0; j < model.joint_count(); ++j) mid[j] = q[j] + 0.5 * h * v[j];
  machine::displacement_row(model, actuator, mid, row);
  double x_dot = 0.0;
  for (int j = 0; j < model.joint_count(); ++j) x_dot += row[j] * v[j];
  return x_dot;
}

}  // namespace

AirExchange::AirExchange(const sim::Simulation& simulation, int late_ticks, bool predicts)
    : simulation_(simulation),
      late_(late_ticks),
      predicts_(predicts),
      law_(simulation.model().air.gas),
      bodies_(bodies_of(simulation.model())),
      stepper_(bodies_, simulation.tick_s()) {
  if (late_ticks < 0 || late_ticks > kMaxTicks)
    throw std::invalid_argument("the exchange is 0 to 63 ticks late");
}

AirExchange::State AirExchange::start() const {
  State state;
  std::memset(static_cast<void*>(&state), 0, sizeof state);
  state.sim = simulation_.initial_state(machine::Fidelity::kFull);
  if (!predicts_) return state;
  const machine::FreeMass free(bodies_, state.sim.machine);
  for (int k = 0; k < static_cast<int>(bodies_.actuators.size()); ++k) {
    double row[kMaxLinks];
    machine::displacement_row(bodies_, k, state.sim.machine.q, row);
    const double mobility = free.inverse_along(row);
    state.mass[k] = mobility > 0.0 ? 1.0 / mobility : 0.0;
  }
  return state;
}

// Where a tick's numbers are in the rings.
int AirExchange::place(std::int64_t tick) {
  return tick > 0 ? static_cast<int>(tick % (kMaxTicks + 1)) : 0;
}

AirExchange::Ahead AirExchange::look_ahead(int actuator, State& state) const {
  const std::int64_t seen = state.sim.tick - late_;
  const double mass = state.mass[actuator];
  if (!predicts_ || late_ == 0 || seen < 1 || mass == 0.0) return {};
  const machine::MachineModel& model = simulation_.model();
  const double h = simulation_.tick_s();
  double row[kMaxLinks];
  const auto speed = [&](std::int64_t tick) {
    const double(&at)[2][kMaxLinks] = state.sent[place(tick)];
    return motion(model, actuator, at[0], at[1], h, row);
  };
  // The force sent just before the newest motion that has come, less what it did not accelerate.
  const double load =
      state.force[place(seen - 1)][actuator] - mass * (speed(seen) - speed(seen - 1)) / h;
  state.load[actuator] += (load - state.load[actuator]) / (late_ + 1);
  Ahead ahead;
  for (std::int64_t tick = seen; tick < state.sim.tick; ++tick) {
    ahead.x_dot += h / mass * (state.force[place(tick)][actuator] - state.load[actuator]);
    ahead.x += h * ahead.x_dot;
  }
  ahead.x += h * late_ * speed(seen);
  return ahead;
}

// The actuators' program: chambers and friction over a tick along the motion that it was told.
AirExchange::Told AirExchange::actuate(int actuator, const double* q, const double* v,
                                       const Ahead& ahead, machine::MachineState& state) const {
  const machine::MachineModel& model = simulation_.model();
  const machine::Actuator& drive = nth(model.actuators, actuator);
  const machine::AirCylinder& own = *drive.air;
  machine::ActuatorState& a = state.actuator[actuator];
  const double h = simulation_.tick_s();
  const double g = Sdirk2::kGamma * h;
  pneumatics::Air air = model.air;
  air.P_supply = air.P_ambient + state.pump_Pa;
  double row[kMaxLinks];
  const double x_dot = motion(model, actuator, q, v, h, row) + ahead.x_dot;
  double x_star = machine::displacement_row(model, actuator, q, nullptr) - own.retracted + ahead.x;
  const pneumatics::Openings openings = pneumatics::openings(own.valve, a.spool_V);
  pneumatics::Chamber star[2];
  pneumatics::CylinderStage stage;
  for (int s = 0; s < 2; ++s) {
    star[s] = {a.air.m[s], a.air.U[s]};
    stage.chamber[s].P = air.P_ambient + a.P_C[s];
  }
  for (int part = 0; part < 2; ++part) {
    pneumatics::cylinder_stage(law_, air, own.cylinder, openings, star, g, x_star + g * x_dot,
                               x_dot, stage);
    x_star += h * Sdirk2::kWeight[0] * x_dot;
    for (int s = 0; s < 2; ++s) {
      const pneumatics::Chamber& end = stage.chamber[s].end;
      star[s] = {a.air.m[s] + Sdirk2::kCarry * (end.m - a.air.m[s]),
                 a.air.U[s] + Sdirk2::kCarry * (end.U - a.air.U[s])};
    }
  }
  for (int s = 0; s < 2; ++s) {
    const pneumatics::ChamberStage& chamber = stage.chamber[s];
    a.air.m_in += chamber.end.m - a.air.m[s];
    a.air.m[s] = chamber.end.m;
    a.air.U[s] = chamber.end.U;
    a.P_C[s] = a.p[s] = chamber.P - air.P_ambient;
  }
  const double friction =
      drive.circuit.B * x_dot + dry_friction(drive.friction, h, x_dot, a.bristle);
  return {stage.force - friction, h * x_dot};
}

void AirExchange::step(State& state) const {
  const machine::MachineModel& model = simulation_.model();
  machine::MachineState& m = state.sim.machine;
  const int n = model.joint_count();
  const int count = static_cast<int>(model.actuators.size());
  double(&now)[2][kMaxLinks] = state.sent[place(state.sim.tick)];
  std::copy(m.q, m.q + n, now[0]);
  std::copy(m.v, m.v + n, now[1]);
  const double(&seen)[2][kMaxLinks] = state.sent[place(state.sim.tick - late_)];
  simulation_.begin_tick(state.sim, simulation_.scenario_input(state.sim), seen[0]);

  Told told[kMaxActuators];
  double x_before[kMaxActuators], force[kMaxLinks] = {};
  machine::ActuatorState actuators[kMaxActuators];
  for (int k = 0; k < count; ++k) {
    const Ahead ahead = look_ahead(k, state);
    told[k] = actuate(k, seen[0], seen[1], ahead, m);
    state.force[place(state.sim.tick)][k] = told[k].force;
    x_before[k] = machine::displacement_row(model, k, m.q, nullptr);
    double row[kMaxLinks];
    motion(model, k, m.q, m.v, simulation_.tick_s(), row);
    for (int j = 0; j < n; ++j) force[j] += row[j] * told[k].force;
    actuators[k] = m.actuator[k];
  }
  stepper_.step(machine::Fidelity::kFull, m, force);
  for (int k = 0; k < count; ++k) {
    machine::ActuatorState& a = m.actuator[k];
    a.air = actuators[k].air;
    a.bristle = actuators[k].bristle;
    for (int s = 0; s < 2; ++s) {
      a.P_C[s] = actuators[k].P_C[s];
      a.p[s] = actuators[k].p[s];
    }
    state.made += told[k].force *
                  (machine::displacement_row(model, k, m.q, nullptr) - x_before[k] - told[k].moved);
  }
  simulation_.end_tick(state.sim);
}

bool is_lost(const machine::MachineModel& model, const machine::MachineState& state) {
  constexpr double kBeyond = 0.5;   // of the stroke
  constexpr double kBurst = 100e5;  // Pa
  for (int k = 0; k < static_cast<int>(model.actuators.size()); ++k) {
    const machine::Actuator& actuator = nth(model.actuators, k);
    if (!actuator.air) continue;
    const double out =
        (machine::displacement_row(model, k, state.q, nullptr) - actuator.air->retracted) /
        actuator.air->cylinder.stroke;
    const machine::ActuatorState& a = state.actuator[k];
    if (!(out > -kBeyond && out < 1.0 + kBeyond && a.p[0] < kBurst && a.p[1] < kBurst)) return true;
  }
  return state.health.non_finite > 0;
}

}  // namespace knuckleboom::emulation
