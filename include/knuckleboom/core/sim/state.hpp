// Everything a simulation needs to continue, as one value: copy it to save, rewind or branch.
#pragma once

#include <cstdint>

#include "knuckleboom/core/carrier/state.hpp"
#include "knuckleboom/core/command/fault.hpp"
#include "knuckleboom/core/control/pid.hpp"
#include "knuckleboom/core/machine/state.hpp"
#include "knuckleboom/core/state/fields.hpp"

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
constexpr auto state_fields(const ActuatorCommand* /*type*/) {
  using namespace knuckleboom::state;
  using S = ActuatorCommand;
  return state::fields_of<S>(KB_FIELD(value), KB_FIELD(mode, below(3)), KB_FIELD(hold_sum, kFlag),
                             KB_FIELD(feed_forward_V, kVoltage));
}
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
constexpr auto state_fields(const JointCommand* /*type*/) {
  using namespace knuckleboom::state;
  using S = JointCommand;
  return state::fields_of<S>(KB_FIELD(value), KB_FIELD(mode, below(3)));
}
struct TickInput {
  ActuatorCommand actuator[kMaxActuators];
  JointCommand joint[kMaxLinks];
  carrier::CarrierCommand carrier;
};
constexpr auto state_fields(const TickInput* /*type*/) {
  using namespace knuckleboom::state;
  using S = TickInput;
  return state::fields_of<S>(KB_FIELD_AS("drive", actuator, Along::kActuators),
                             KB_FIELD(joint, Along::kJoints), KB_FIELD(carrier));
}

inline constexpr std::int32_t kSlotFree = -1;
inline constexpr std::int32_t kNoEvent = -2;  // attached by Simulation::attach
struct Payload {
  multibody::LinkInertia inertia;  // in the link's frame
  std::int32_t link;
  std::int32_t event;  // scenario event that attached it, kNoEvent or kSlotFree
};
constexpr auto state_fields(const Payload* /*type*/) {
  using namespace knuckleboom::state;
  using S = Payload;
  return state::fields_of<S>(KB_FIELD(inertia), KB_FIELD(link, below(kMaxLinks)),
                             KB_FIELD(event, kEventNumber, Along::kAll, kSlotFree));
}

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
constexpr auto state_fields(const FaultState* /*type*/) {
  using namespace knuckleboom::state;
  using S = FaultState;
  return state::fields_of<S>(
      KB_FIELD(share, kShare, Along::kFaults), KB_FIELD(on, kFlag, Along::kFaults),
      KB_FIELD(measured, kPosition, Along::kJoints),
      KB_FIELD(breakout_V, kVoltage, Along::kActuators),
      KB_FIELD(offset_V, kVoltage, Along::kActuators),
      KB_FIELD(controller_off, kFlag, Along::kActuators), KB_FIELD(lever_delay_s, kPositive),
      KB_FIELD(pump_set_Pa, kPressure), KB_FIELD(pump_flow, kFlow),
      KB_FIELD(active, below(command::kMaxFaults + 1)),
      KB_FIELD(next_in_plan, below(2 * command::kMaxFaults + 1)));
}

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
  carrier::CarrierState carrier;
};
constexpr auto state_fields(const SimState* /*type*/) {
  using namespace knuckleboom::state;
  using S = SimState;
  return state::fields_of<S>(
      KB_FIELD(tick, kCounter), KB_FIELD(fidelity, below(3)), KB_FIELD(next_event, kCounter32),
      KB_FIELD(machine), KB_FIELD(pid, Along::kActuators), KB_FIELD(gains, Along::kActuators),
      KB_FIELD(input), KB_FIELD(reference, kPosition, Along::kJoints),
      KB_FIELD(tip_joints, kPosition), KB_FIELD(tip_unreachable, kCounter), KB_FIELD(payload),
      KB_FIELD_AS("override_drive", override_command, Along::kActuators),
      KB_FIELD(overridden, kFlag, Along::kActuators), KB_FIELD(fault), KB_FIELD(carrier));
}

}  // namespace knuckleboom::sim
