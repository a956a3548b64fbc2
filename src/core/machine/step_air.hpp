// Pneumatic cylinders within the stages of a step. docs/theory/pneumatics.md
#pragma once

#include "step_parts.hpp"

namespace knuckleboom::machine {

class AirMedium {
 public:
  // All must outlive this.
  AirMedium(const MachineModel& model, const pneumatics::FlowLaw& law, const MachineState& state,
            ActuatorStep* drives)
      : law_(law), air_(model.air), drives_(drives) {
    air_.P_supply = air_.P_ambient + state.pump_Pa;
    for (std::size_t k = 0; k < model.actuators.size(); ++k) {
      const ActuatorState& a = state.actuator[k];
      Cylinder& c = cylinder_[k];
      c.own = &*model.actuators[k].air;
      c.openings = pneumatics::openings(c.own->valve, a.spool_V);
      for (int s = 0; s < 2; ++s) {
        c.star[s] = {a.air.m[s], a.air.U[s]};
        c.stage.chamber[s].P = a.P_C[s] + air_.P_ambient;
      }
    }
  }

  // As evaluate() of a circuit.
  Force force(int k, double x_dot, double g) {
    Cylinder& c = cylinder_[k];
    ActuatorStep& d = drives_[k];
    const double x = d.x_star + g * x_dot;
    d.x_dot = x_dot;
    pneumatics::cylinder_stage(law_, air_, c.own->cylinder, c.openings, c.star, g,
                               x - c.own->retracted, x_dot, c.stage);
    d.stop = stop_force(d.actuator->stops, x, x_dot, g);
    const double B = d.actuator->circuit.B;
    return {c.stage.force - B * x_dot + d.stop.force, c.stage.by_v - B + d.stop.dforce};
  }

  // The chambers at the speed that Newton found: evaluated, not extrapolated, so that mass and energy balance
  // to rounding. weight: of the stage in the step [s].
  void accept(int k, double x_dot, double g, double weight, MachineState& state) {
    force(k, x_dot, g);
    const ActuatorStep& d = drives_[k];
    const Cylinder& c = cylinder_[k];
    const pneumatics::Cylinder& size = c.own->cylinder;
    AirState& a = state.actuator[k].air;
    for (const pneumatics::ChamberStage& chamber : c.stage.chamber) {
      a.m_in += weight * chamber.m_dot;
      state.energy.air += weight * chamber.H_dot;
      if (chamber.iterations == pneumatics::kMaxChamberIterations)
        ++state.health.newton_unconverged;
    }
    state.energy.air -= weight * air_.P_ambient * (size.area_cap - size.area_rod) * x_dot;
    state.energy.friction += weight * d.actuator->circuit.B * x_dot * x_dot;
    state.energy.stops -= weight * d.stop.force * x_dot;
  }

  // Explicit part of the second stage.
  void next_stage(int k, double carry, const MachineState& state) {
    const AirState& a = state.actuator[k].air;
    Cylinder& c = cylinder_[k];
    for (int s = 0; s < 2; ++s) {
      const pneumatics::Chamber& end = c.stage.chamber[s].end;
      c.star[s] = {a.m[s] + carry * (end.m - a.m[s]), a.U[s] + carry * (end.U - a.U[s])};
    }
  }

  void finish(int k, MachineState& state) const {
    ActuatorState& a = state.actuator[k];
    for (int s = 0; s < 2; ++s) {
      const pneumatics::ChamberStage& chamber = cylinder_[k].stage.chamber[s];
      a.air.m[s] = chamber.end.m;
      a.air.U[s] = chamber.end.U;
      a.P_C[s] = a.p[s] = chamber.P - air_.P_ambient;
    }
    watch_stop(drives_[k].stop.active, a, state.health);
  }

 private:
  struct Cylinder {
    const AirCylinder* own;
    pneumatics::Openings openings;
    pneumatics::Chamber star[2];  // explicit part of a stage's end
    pneumatics::CylinderStage stage;
  };
  const pneumatics::FlowLaw& law_;
  pneumatics::Air air_;
  ActuatorStep* drives_;
  Cylinder cylinder_[kMaxActuators];
};

}  // namespace knuckleboom::machine
