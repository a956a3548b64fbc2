// Numbers of an actuator for who computes many machines at once, without the types behind them.
#pragma once

namespace knuckleboom::hydraulics {
struct Valve;
// C_R of an edge (hydraulics::Edge) at a relative opening.
double table_resistance(const Valve& valve, int edge, double opening);
}  // namespace knuckleboom::hydraulics

namespace knuckleboom::machine {

struct MachineModel;
struct EndStops;
struct ActuatorState;
struct ActuatorConstants;

struct ActuatorNumbers {
  // Neither pins, air, dry friction, valve section nor volumes that change.
  bool plain;
  bool direct;        // displacement is the joint's position
  double k0, kc, ks;  // of a triangle: Linkage
  double area[2], hose_I[2];
  double overlap_V, full_V;
  bool tables;                         // of any edge
  double scale[4], c[4][3], least[4];  // of each edge
  const hydraulics::Valve* valve;
  bool protected_;
  double relief_Pa, anti_cavitation_Pa;
  const EndStops* stops;
};
// state: with a fault, protection is that of the faulty circuit; null: of the sound one.
ActuatorNumbers actuator_numbers(const MachineModel& model, int actuator,
                                 const ActuatorState* state = nullptr);
// Constants of a circuit with the state's fault, over steps of h [s].
ActuatorConstants faulty_constants(const MachineModel& model, int actuator,
                                   const ActuatorState& state, double h);

}  // namespace knuckleboom::machine
