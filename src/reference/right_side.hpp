// The equations of a machine in continuous time, as they stand between two
// ticks: what machine::Stepper advances. The converged solution integrates
// them, linear models take their slopes. docs/theory/converged.md
#pragma once

#include <vector>

#include "knuckleboom/core/friction/friction.hpp"
#include "knuckleboom/core/machine/joint_law.hpp"
#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/machine/power.hpp"
#include "knuckleboom/core/machine/stepper.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"

namespace knuckleboom::reference {

// Intermediate results of one evaluation of the right-hand side.
struct Evaluation {
  double q[kMaxLinks], v[kMaxLinks];  // loops closed
  double a[kMaxLinks];
  double lack[kMaxLinks];  // forces of the loops on the dependent joints
  hydraulics::StageResult out[kMaxActuators];
  machine::StopForce stop[kMaxActuators];
  double x[kMaxActuators], x_dot[kMaxActuators];
  double bristle_rate[kMaxActuators + kMaxLinks];
  machine::EnergyLedger ledger;  // powers [W]
};

// Dry friction at one place.
struct Rubbing {
  const friction::FrictionModel* model;
  int link;
  int actuator;  // -1: at the joint itself
  int bristle;   // its state among those of bristles; -1: none
  // With friction that truly sticks: the sense in which it slides, and whether it sticks. The converged
  // solution refuses it.
  double sense = 1.0;
  bool stuck = false;
};

// values: q and v of every joint, then of each actuator P_C, P_C, Q, Q (on air:
// mass, mass, energy, energy of its chambers), then the bristles.
struct RightSide {
  // The model must outlive it. dry_friction, stops: whether they act.
  explicit RightSide(const machine::MachineModel& model, bool dry_friction = true,
                     bool end_stops = true);

  int bristles_at() const { return 2 * n + 4 * m; }
  int value_count() const { return bristles_at() + bristles; }
  double& bristle_of(const Rubbing& r) const {
    return r.actuator < 0 ? state->bristle[r.link] : state->actuator[r.actuator].bristle;
  }
  bool quasi_static(int k) const {
    return machine::quasi_static(model, fidelity, state->actuator[k]);
  }

  // From here on the machine is that of this state, which must outlive what
  // follows; state.q and v are where the joints of loops are looked for.
  void take(machine::MachineState& state, machine::Fidelity fidelity);
  // Orifices of an actuator, or openings of its air, at a spool position.
  void set_orifices(int k, double spool_V);
  // The state's own values.
  void load(double* values);
  // Accelerations and oil at these values.
  void evaluate(const double* values, Evaluation& e);
  // Their rates; e: evaluated there.
  void rates(const double* values, const Evaluation& e, double* d) const;
  // Joints, oil and forces of loops into the state; e: evaluated there.
  void take_over(const double* values, const Evaluation& e);

  const machine::MachineModel& model;
  int n, m;
  bool stops_act;
  std::vector<Rubbing> rubbing;
  int rubbing_of[kMaxActuators];  // -1: no dry friction
  int bristles = 0;
  std::vector<hydraulics::StageConstants> constants;  // with zero step weight: instantaneous
  machine::MachineState* state = nullptr;
  machine::MachineState trial;  // for solving the joints of loops
  machine::Mechanism mechanism;
  bool coupled = false;
  const double* joint_force = nullptr;
  const machine::SpeedCommands* speeds = nullptr;
  machine::Fidelity fidelity = machine::Fidelity::kFull;
  hydraulics::StageInput in[kMaxActuators];
  // For a machine on air.
  pneumatics::FlowLaw air_law;
  pneumatics::Air air;
  pneumatics::Openings openings[kMaxActuators];
  pneumatics::CylinderStage chambers[kMaxActuators];  // last evaluation

 private:
  void find_friction();
  double rub(const Rubbing& r, double x_dot, const double* values, Evaluation& e) const;
  void push(int k, double medium, double lever, const double* row, const double* values,
            Evaluation& e, double* tau);
  void stick(const double* row);
  void mechanism_accelerations(const multibody::MassAndBias& body, double* tau, Evaluation& e);
  void accelerations(const multibody::MassAndBias& body, const bool* held, const double* J,
                     const double* x, const double* v, const double* tau, Evaluation& e) const;

  // Rows over the joints along which friction sticks, of the present
  // evaluation.
  std::vector<std::vector<double>> stuck_;
};

}  // namespace knuckleboom::reference
