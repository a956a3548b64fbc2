#include "knuckleboom/core/machine/stepper.hpp"

#include "knuckleboom/core/integration/sdirk2.hpp"
#include "knuckleboom/core/machine/actuator_numbers.hpp"
#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/exponential.hpp"
#include "step_parts.hpp"

namespace knuckleboom::machine {

namespace {
constexpr double kAbsurd = 1e12;        // rad, m/s^2: no real machine reaches this
constexpr double kPortTolerance = 1.0;  // Pa; the remaining error of Newton is far smaller

ActuatorConstants make_constants(const hydraulics::Circuit& circuit,
                                 const hydraulics::CircuitFault& fault, const double* C, double h) {
  using hydraulics::make_stage;
  return {make_stage(circuit, 0.0, kPortTolerance, 1.0, fault, C),
          make_stage(circuit, integration::Sdirk2::kGamma * h, kPortTolerance, 1.0, fault, C),
          make_stage(circuit, 0.5 * h, kPortTolerance, 2.0, fault, C)};
}

}  // namespace

ActuatorConstants faulty_constants(const MachineModel& model, int actuator,
                                   const ActuatorState& state, double h) {
  return make_constants(nth(model.actuators, actuator).circuit, state.fault, state.C, h);
}

Stepper::Stepper(const MachineModel& model, double h)
    : model_(model),
      h_(h),
      residual_decay_(decay(h / model.tau_Q)),
      coupled_(model.coupled()),
      on_air_(model.on_air()),
      air_law_(model.air.gas) {
  for (std::size_t k = 0; k < model.actuators.size() && !on_air_; ++k) {
    constants_[k] = make_constants(model.actuators[k].circuit, {}, nullptr, h);
    lags_[k] = section_lags(model.actuators[k].circuit, h);
    any_sections_ = any_sections_ || hydraulics::has_section(model.actuators[k].circuit);
    any_volumes_ = any_volumes_ || model.actuators[k].circuit.volumes;
  }
  pump_ = model.supply.kind == hydraulics::SupplyKind::kPump;
  draws_count_ = pump_ || any_sections_;
  const auto add_friction = [&](const friction::FrictionModel& dry, int link, int actuator) {
    if (dry.kind == friction::Kind::kNone) return;
    nth(friction_.site, friction_.count++) = {&dry, link, actuator};
  };
  for (std::size_t k = 0; k < model.actuators.size(); ++k)
    add_friction(model.actuators[k].friction, model.actuators[k].link, static_cast<int>(k));
  for (std::size_t i = 0; i < model.joint_friction.size(); ++i)
    add_friction(model.joint_friction[i], static_cast<int>(i), -1);
  for (int i = 0; i < model.joint_count(); ++i) {
    joint_kinds_.dampers = joint_kinds_.dampers || model.tree.link(i).damping > 0.0;
    joint_kinds_.springs = joint_kinds_.springs || model.tree.link(i).stiffness > 0.0;
  }
  for (const EndStops& stops : model.joint_stops)
    joint_kinds_.stops = joint_kinds_.stops || stops.enabled;
  for (const multibody::Ball& ball : model.balls)
    joint_kinds_.balls =
        joint_kinds_.balls || !ball.damping.isZero(0.0) || !ball.stiffness.isZero(0.0);
  joint_kinds_.any =
      joint_kinds_.dampers || joint_kinds_.springs || joint_kinds_.stops || joint_kinds_.balls;
  conservative_ = model.actuators.empty() && !joint_kinds_.any && friction_.count == 0;
}

const ActuatorConstants& Stepper::own_constants(int actuator, const ActuatorState& state,
                                                ActuatorConstants& own) const {
  const auto k = static_cast<std::size_t>(actuator);
  const hydraulics::Circuit& circuit = model_.actuators[k].circuit;
  if (state.faulty == 0 && !circuit.volumes) return constants_[k];
  hydraulics::CircuitFault fault = state.fault;
  // A leaking hose is on the spool's side of a holding valve.
  for (int s = 0; s < 2; ++s)
    if (circuit.holding[s].kind != hydraulics::HoldingKind::kNone)
      fault.leak_external[s] *= state.holding[s];
  own = make_constants(circuit, fault, state.C, h_);
  return own;
}

void Stepper::begin_step(Fidelity fidelity, MachineState& state, const double* joint_force,
                         const SpeedCommands* speeds, StepStart& start) const {
  const int m = static_cast<int>(model_.actuators.size());
  hydraulics::StageInput valves[kMaxActuators];
  if (any_volumes_) follow_volumes(model_, fidelity, h_, state);
  update_valves(model_, fidelity, state, valves);
  start.coupled = coupled_ || state.absent != 0;
  if (start.coupled) [[unlikely]]
    middle_of_mechanism(model_, state, h_, joint_force, conservative_ && speeds == nullptr,
                        start.q_mid, start.body, start.mechanism);
  else
    middle(model_.tree, state, h_, joint_force, start.q_mid, start.body);
  if (joint_kinds_.balls) [[unlikely]]
    start.balls.start(model_, state.q, start.q_mid);
  for (int k = 0; k < m; ++k) {
    const Actuator& actuator = model_.actuators[static_cast<std::size_t>(k)];
    const ActuatorState& a = state.actuator[k];
    start_drive(actuator, constants_of(k, a, start.own[k]), fidelity, a, valves[k],
                state.q[actuator.link], start.q_mid, start.body, start.drives[k]);
    if (start.drives[k].pins) start_pins(model_, state.q, start.q_mid, start.drives[k]);
  }
}

void Stepper::step(Fidelity fidelity, MachineState& state, const double* joint_force,
                   const SpeedCommands* speeds) const {
  Draw draws[kMaxActuators];
  if (any_sections_) advance_sections(model_, lags_.data(), state);
  if (on_air_) [[unlikely]]
    step_on_air(state, joint_force, speeds);
  else
    switch (fidelity) {
      case Fidelity::kFull:
        step_full(state, joint_force, speeds, draws);
        break;
      case Fidelity::kReduced:
        step_reduced(state, joint_force, speeds, draws);
        break;
      case Fidelity::kPaper:
        step_paper(state, joint_force, speeds, draws);
        break;
    }
  if (draws_count_) finish_supply(model_, h_, draws, state);
  double sum = 0.0;
  for (int i = 0, n = model_.joint_count(); i < n; ++i)
    sum += std::fabs(state.q[i]) + std::fabs(state.a[i]);
  Health& health = state.health;
  ++health.ticks;
  if (sum < kAbsurd) return;
  ++health.non_finite;
  if (health.first_non_finite == 0) health.first_non_finite = health.ticks;
}

}  // namespace knuckleboom::machine
