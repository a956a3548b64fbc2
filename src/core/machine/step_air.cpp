// Machines on air: the stages of the full model. docs/theory/integration.md
#include "step_air.hpp"

#include "knuckleboom/core/machine/stepper.hpp"
#include "step_stages.hpp"

namespace knuckleboom::machine {

void Stepper::step_on_air(MachineState& state, const double* joint_force,
                          const SpeedCommands* speeds) const {
  StepStart start;
  begin_step(Fidelity::kFull, state, joint_force, speeds, start);
  AirMedium air(model_, air_law_, state, start.drives);
  step_stages(start, air, state, joint_force, speeds);
}

}  // namespace knuckleboom::machine
