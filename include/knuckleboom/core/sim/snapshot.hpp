// Data of a simulation for readers: plain numbers, safe to copy between threads.
#pragma once

#include <cstdint>
#include <type_traits>

#include "knuckleboom/core/sim/simulation.hpp"

namespace knuckleboom::sim {

struct JointSnapshot {
  double position, rate, reference;  // rad or m; reference of the last tick
};

struct ActuatorSnapshot {
  double displacement;  // cylinder length or motor angle [m, rad]
  double valve_V;       // command of the last tick
  double spool_V;       // behind its lag
  double port_a_Pa, port_b_Pa;
  double flow_a_m3_per_s, flow_b_m3_per_s;  // through the valve into the lines; 0: closed
  double force;                             // of the oil on the actuator [N, N m]
  std::int32_t open;
  std::int32_t at_relief, cavitating, at_stop;
};

struct WheelSnapshot {
  double load;    // of the ground on it, across the ground [N]
  double spin;    // rad/s, forwards positive
  double turned;  // within one turn [rad]
  double slip;    // speed of the tread over the ground, against the larger of its own and the hub's
};

struct Snapshot {
  std::int64_t tick;
  double t_s;
  std::int32_t joint_count, actuator_count, loop_count, wheel_count;
  double tip_W[3];  // m
  double pump_Pa;   // of the gallery
  // Modelled pump; zeros with a constant source.
  double pump_flow_m3_per_s, relief_flow_m3_per_s;  // delivered; part of it over the main relief
  double load_signal_Pa;
  double engine_rad_per_s;
  double drive_Pa;  // of the wheels' drive, forwards positive; 0 without one
  double speed;     // of the driven wheels' treads, their mean, forwards positive [m/s]
  double brake;     // service brake, 0 to 1
  std::int32_t high_gear, parked, differential_locked, joint_locked;  // on wheels; 0 or 1
  std::uint32_t faults[command::kMaxFaults / 32];  // bit i: fault i of the scenario is active
  machine::Health health;
  machine::Watch watch;
  // Up to their counts; places beyond are neither written nor copied.
  JointSnapshot joint[kMaxLinks];
  ActuatorSnapshot actuator[kMaxActuators];
  std::int32_t actuator_of_joint[kMaxLinks];     // -1: passive
  double loop_force_W[multibody::kMaxLoops][3];  // of body b on body a [N]
  double coupling_force[kMaxLinks];              // of its coupling on each joint [N m, N]
  WheelSnapshot wheel[kMaxWheels];
  double joint_drive[kMaxLinks];    // commanded torque, force or speed of a joint's own drive
  double joint_applied[kMaxLinks];  // of that drive on the joint [N m, N]; 0 without drives
};
static_assert(std::is_trivially_copyable_v<Snapshot>);

Snapshot take_snapshot(const Simulation& simulation, const SimState& state);
// The same into one that is zero, or an older one of the same machine.
void take_snapshot(const Simulation& simulation, const SimState& state, Snapshot& out);
// Into one that is zero, or another one of the same machine.
void copy_used(const Snapshot& from, Snapshot& to);

}  // namespace knuckleboom::sim
