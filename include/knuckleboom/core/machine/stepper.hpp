// The real-time step: rigid bodies and circuits together, at a fixed step and bounded cost.
//
// The circuits are functions of the joint speeds (hydraulics/stage.hpp), so that only those are unknown
// (integration/joint_speeds.hpp). Mass matrix, bias and lever arms are taken once, at the middle of the
// step, from an extrapolation with the last acceleration. docs/theory/integration.md has the derivation
// and the measured errors.
//   Full model:    two SDIRK stages (integration/sdirk2.hpp). A machine on air takes them in every model: the
//                  others leave out what a hose full of oil does.
//   Reduced model: one trapezoidal step; how an open valve's lines fill has an exponentially fitted
//                  weight (integration/fitted_theta.hpp), since it may be faster than the step.
//   Paper's model: one step with that weight in the bodies: an open valve's speed settles within it.
#pragma once

#include <array>
#include <cmath>

#include "knuckleboom/core/machine/circuit_constants.hpp"
#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/machine/state.hpp"
#include "knuckleboom/core/pneumatics/orifice.hpp"

namespace knuckleboom::machine {

struct Draw;

// Commands of joint drives with speed control during a step.
struct SpeedCommands {
  double speed[kMaxLinks];  // rad/s, m/s
  double gain[kMaxLinks];   // N m s/rad, N s/m; 0: none
  double limit[kMaxLinks];  // of the torque or force; 0: none
};

// Torque of a drive with speed control, decreasing with the speed.
struct ServoTorque {
  double torque, slope;
};
inline ServoTorque servo_torque(const SpeedCommands& c, int i, double v) {
  const double torque = c.gain[i] * (c.speed[i] - v);
  if (c.limit[i] > 0.0 && std::fabs(torque) > c.limit[i])
    return {std::copysign(c.limit[i], torque), 0.0};
  return {torque, -c.gain[i]};
}

// Sites of dry friction.
struct FrictionSites {
  struct Site {
    const friction::FrictionModel* model;
    int link;
    int actuator;  // actuator at whose displacement it acts; -1: at the joint itself
  };
  std::array<Site, kMaxActuators + kMaxLinks> site;
  int count = 0;
};

struct StepStart;

// Laws that any joint of a machine has.
struct JointKinds {
  bool dampers = false, springs = false, stops = false;
  bool balls = false;  // of these some have a damper or a spring
  bool any = false;
};

class Stepper {
 public:
  // h: step [s]. The model must outlive the stepper.
  Stepper(const MachineModel& model, double h);

  // One step with the valve commands in the state. No allocation, no exception: unconverged
  // solutions and non-finite numbers are counted in state.health. joint_force: external generalised
  // force on every joint, constant over the step [N m, N]; null: none. speeds: of joint drives;
  // null: none.
  void step(Fidelity fidelity, MachineState& state, const double* joint_force = nullptr,
            const SpeedCommands* speeds = nullptr) const;

  double h() const { return h_; }
  // Constants of an actuator's circuit without fault, whose capacitances do not change.
  const ActuatorConstants& constants(int actuator) const {
    return constants_[static_cast<std::size_t>(actuator)];
  }
  // Decay of a closed valve's residual flow over a step (eq. 15).
  double residual_decay() const { return residual_decay_; }
  bool any_joint_laws() const { return joint_kinds_.any; }

 private:
  // Constants of a circuit in its present condition; own: storage for those of a faulty one.
  const ActuatorConstants& constants_of(int actuator, const ActuatorState& state,
                                        ActuatorConstants& own) const {
    if (state.faulty == 0 && !any_volumes_) [[likely]]
      return constants_[static_cast<std::size_t>(actuator)];
    return own_constants(actuator, state, own);
  }
  const ActuatorConstants& own_constants(int actuator, const ActuatorState& state,
                                         ActuatorConstants& own) const;
  // Valves to their spools; bodies at the middle of the step, actuators at its start.
  void begin_step(Fidelity fidelity, MachineState& state, const double* joint_force,
                  const SpeedCommands* speeds, StepStart& start) const;
  // draws: of each actuator, output where something reads it.
  void step_full(MachineState& state, const double* joint_force, const SpeedCommands* speeds,
                 Draw* draws) const;
  void step_on_air(MachineState& state, const double* joint_force,
                   const SpeedCommands* speeds) const;
  template <class Medium>
  void step_stages(StepStart& start, Medium& medium, MachineState& state, const double* joint_force,
                   const SpeedCommands* speeds) const;
  void step_reduced(MachineState& state, const double* joint_force, const SpeedCommands* speeds,
                    Draw* draws) const;
  void step_paper(MachineState& state, const double* joint_force, const SpeedCommands* speeds,
                  Draw* draws) const;

  const MachineModel& model_;
  double h_;
  double residual_decay_;  // of eq. 15 over one step
  std::array<ActuatorConstants, kMaxActuators> constants_;
  bool coupled_;       // MachineModel::coupled()
  bool conservative_;  // only gravity acts: the middle of the step is found exactly
  FrictionSites friction_;
  JointKinds joint_kinds_;
  bool any_volumes_ = false;  // capacitances change with stroke and pressure
  std::array<SectionLags, kMaxActuators> lags_{};
  bool any_sections_ = false;
  bool draws_count_ = false;  // what circuits take from their source matters to others
  bool pump_ = false;         // or a constant source
  bool on_air_ = false;
  pneumatics::FlowLaw air_law_;
};

}  // namespace knuckleboom::machine
