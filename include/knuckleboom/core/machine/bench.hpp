// A rig for one actuator alone, or for friction alone: one load on a slide or a shaft. It is an
// ordinary machine, so that the same step, controller and traces apply.
// docs/reference/scenario_file.md#bench
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "knuckleboom/core/machine/model.hpp"

namespace knuckleboom::machine {

// Joint and body of the load; its position is the actuator's displacement (pin to pin length of a
// cylinder, angle of a motor's shaft behind the gear).
inline constexpr const char* kBenchJoint = "load";

struct Bench {
  std::string actuator;  // of the machine; empty: none, the load is moved by external forces
  bool turning = false;  // rotating load of a motor, or sliding load of a cylinder
  double load = 0.0;     // mass [kg], or inertia about the shaft [kg m^2]
  double slope =
      0.0;  // of the slide, uphill in the direction of extension [rad]; a shaft has its weight on
            // the axis
  double spring = 0.0;       // between load and frame, or a far end that moves [N/m, N m/rad]
  double spring_rest = 0.0;  // position without force [m, rad]
  // A wall in the direction of extension.
  bool wall = false;
  double wall_position = 0.0;        // m, rad
  double wall_stiffness = 0.0;       // N/m, N m/rad
  double wall_damping = 0.0;         // N s/m, N m s/rad
  friction::FrictionModel friction;  // of the load's guide, in addition to the actuator's own
  double viscous = 0.0;              // N s/m, N m s/rad
  std::optional<control::PidGains>
      controller;  // on the displacement; without: the machine's, if its
                   // joint is the displacement, else none (valve shut)
};

// The rig; faults receives a message for each error.
MachineModel make_bench(const MachineModel& machine, const Bench& bench,
                        std::vector<std::string>& faults);

}  // namespace knuckleboom::machine
