// Everything a simulation needs to continue, as one value: copy it to save, rewind or branch.
#pragma once

#include <cstdint>
#include <type_traits>

#include "knuckleboom/core/command/fault.hpp"
#include "knuckleboom/core/control/pid.hpp"
#include "knuckleboom/core/machine/state.hpp"

namespace knuckleboom::sim {

inline constexpr int kMaxPayloads = 8;

// Command of one actuator during a tick. Its recording replays the run.
enum class ActuatorMode : std::int32_t {
  kVoltage,   // value goes to the valve [V]
  kPosition,  // value is the controller's reference [rad, m]
  // The same, with the voltage for the motion of the reference, which replaces the controller's own
  // feed-forward and overlap compensation.
  kFedPosition,
};
struct ActuatorCommand {
  double value;
  ActuatorMode mode;
  std::int32_t hold_sum;  // of kFedPosition: 1 if the controller's sum is frozen
  double feed_forward_V;  // of kFedPosition; in the valve's sign, whatever the linkage's
};
// Command of one joint without hydraulics.
enum class JointCommandMode : std::int64_t {
  kNone,
  kTorque,  // value on the joint [N m, N]
  kSpeed,   // value is the reference of the joint's drive [rad/s, m/s]
};
struct JointCommand {
  double value;
  JointCommandMode mode;
};
struct TickInput {
  ActuatorCommand actuator[kMaxActuators];
  JointCommand joint[kMaxLinks];
};

inline constexpr std::int32_t kSlotFree = -1;
inline constexpr std::int32_t kNoEvent = -2;  // attached by Simulation::attach
struct Payload {
  multibody::LinkInertia inertia;  // in the link's frame
  std::int32_t link;
  std::int32_t event;  // scenario event that attached it, kNoEvent or kSlotFree
};

// Active faults, and their effects as the tick reads them.
struct FaultState {
  double share[command::kMaxFaults];     // present share of each, 0 to 1
  std::int32_t on[command::kMaxFaults];  // it is requested
  double measured[kMaxLinks];            // joint positions that controllers see [rad, m]
  double breakout_V[kMaxActuators];      // of sticking spools; 0: none
  double offset_V[kMaxActuators];        // of spools
  std::int32_t controller_off[kMaxActuators];
  double lever_delay_s;
  double pump_set_Pa;         // set pressure of a sound pump
  double pump_flow;           // of a worn one, smoothed [m^3/s]
  std::int32_t active;        // number of faults present or ramping; 0: nothing here applies
  std::int32_t next_in_plan;  // in the plan of timed faults
};

struct SimState {
  std::int64_t tick;
  machine::Fidelity fidelity;
  std::int32_t next_event;
  machine::MachineState machine;
  control::PidState pid[kMaxActuators];
  control::PidGains gains[kMaxActuators];
  TickInput input;                  // of the last tick
  double reference[kMaxLinks];      // of the joints, in that tick [rad, m]
  double tip_joints[2][kMaxLinks];  // last two solutions of the inverse kinematics, newest first
  std::int64_t tip_unreachable;     // ticks in which the tip path was out of reach
  Payload payload[kMaxPayloads];
  ActuatorCommand override_command[kMaxActuators];  // by event
  std::int32_t overridden[kMaxActuators];
  FaultState fault;
};
static_assert(std::is_trivially_copyable_v<SimState>);
// No padding anywhere: equal states have equal bytes, and a hash of the bytes is a hash of the state.
static_assert(sizeof(control::PidGains) == 9 * sizeof(double) + 2 * sizeof(int));
static_assert(sizeof(machine::ActuatorState) == 24 * sizeof(double) + 8 * sizeof(std::int32_t));
static_assert(sizeof(FaultState) ==
              (command::kMaxFaults + kMaxLinks + 2 * kMaxActuators + 3) * sizeof(double) +
                  (command::kMaxFaults + kMaxActuators + 2) * sizeof(std::int32_t));
static_assert(sizeof(JointCommand) == 2 * sizeof(double));
static_assert(sizeof(ActuatorCommand) == 3 * sizeof(double) &&
              sizeof(Payload) == 11 * sizeof(double));

}  // namespace knuckleboom::sim
