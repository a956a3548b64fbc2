// The real-time step: rigid bodies and circuits together, at a fixed step and bounded cost.
//
// Two SDIRK stages. In each, the circuits are functions of the joint speeds (hydraulics/stage.hpp), so
// that only those are unknown (integration/joint_speeds.hpp). Mass matrix, bias and lever arms are taken
// once, at the middle of the step, from an extrapolation with the last acceleration: the weighted mean
// of the stage times is the middle, which keeps second order. docs/theory/integration.md has the proof
// and the measured errors.
#pragma once

#include <array>

#include "knuckleboom/core/hydraulics/stage.hpp"
#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/machine/state.hpp"

namespace knuckleboom::machine {

class Stepper {
 public:
  // h: step [s]. The model must outlive the stepper.
  Stepper(const MachineModel& model, double h);

  // One step with the valve commands that stand in the state. No allocation, no exception: a solver
  // that does not converge or a number that is not finite is counted in state.health.
  void step(Fidelity fidelity, MachineState& state) const;

  double h() const { return h_; }

 private:
  const MachineModel& model_;
  double h_;
  double residual_decay_;  // of eq. 15 over one step
  std::array<hydraulics::StageConstants, kMaxActuators> constants_;
  std::array<int, kMaxActuators> link_;
  bool any_damping_ = false;
};

}  // namespace knuckleboom::machine
