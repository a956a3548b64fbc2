#include "knuckleboom/core/emulation/hil_signals.hpp"

#include "knuckleboom/core/emulation/hil_bench.hpp"
#include "knuckleboom/core/emulation/tip_motion.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/math/arrays.hpp"

namespace knuckleboom::emulation {
namespace {

using At = const SignalPlace&;
const EmulationState& of(At at) { return at.state.emulation; }

// Signals that may be replaced from outside are read from the same place.
using Slot = double& (*)(EmulationState&, int, int);
template <Slot slot>
double read_slot(At at) {
  return slot(const_cast<EmulationState&>(of(at)), at.joint, at.part);  // only read
}
double& stop_slot(EmulationState& s, int, int) { return s.sensed.stop_line; }
double& operator_slot(EmulationState& s, int, int i) { return s.sensed.operator_twist[i]; }
double& wrench_slot(EmulationState& s, int, int i) { return s.sensed.wrench[i]; }
double& position_slot(EmulationState& s, int joint, int) { return s.sensed.q[joint]; }
double& speed_slot(EmulationState& s, int joint, int) { return s.sensed.v[joint]; }
double& pressure_slot(EmulationState& s, int joint, int side) { return s.sensed.p[joint][side]; }
double& emulated_slot(EmulationState& s, int joint, int) { return s.sensed.emulated_q[joint]; }
double& motor_slot(EmulationState& s, int joint, int) { return s.commands.motor_rate[joint]; }
double& echo_slot(EmulationState& s, int, int) { return s.sensed.echo; }
double& machine_slot(EmulationState& s, int, int i) { return s.sensed.machine[i]; }
double& brake_slot(EmulationState& s, int, int) { return s.commands.brake; }
double& drive_slot(EmulationState& s, int joint, int) { return s.commands.drive[joint]; }

// Component of a vector and its moment, in the site frame.
double in_site(At at, const double (&w)[6]) {
  return at.emulation.to_site(vec(w + 3 * (at.part / 3)))[at.part % 3];
}
template <auto vector>
double site_vector(At at) {
  return in_site(at, of(at).*vector);
}

template <auto tip>
double tip_position(At at) {
  return at.emulation.in_site(of(at).*tip).p[at.part];
}
template <auto tip>
double tip_rotation(At at) {
  return rotation_error(Mat3::Identity(), at.emulation.in_site(of(at).*tip).R)[at.part];
}
template <auto tip>
double tip_twist(At at) {
  return in_site(at, (of(at).*tip).twist);
}

const machine::MachineState& host_of(At at) { return of(at).host.machine; }
const machine::MachineState& emulated_of(At at) { return of(at).emulated.machine; }

enum class Of { kBench, kHostJoint, kEmulatedJoint, kEmulatedActuator };

// Hosts with hydraulics have valves, others drives.
enum class Only { kAll, kHydraulic, kElectric };

struct Family {
  std::string_view name, unit, description;
  Of of;
  int part;  // of the first axis; side of an actuator
  double (*read)(At);
  Slot slot = nullptr;  // null: only observed
  SignalRole role = SignalRole::kObserved;
  Only only = Only::kAll;
};

template <Slot slot>
constexpr Family outside(std::string_view name, std::string_view unit, std::string_view description,
                         Of of, int part, SignalRole role, Only only = Only::kAll) {
  return {name, unit, description, of, part, read_slot<slot>, slot, role, only};
}

constexpr Of kBench = Of::kBench, kHost = Of::kHostJoint, kJoint = Of::kEmulatedJoint,
             kActuator = Of::kEmulatedActuator;
constexpr SignalRole kSensor = SignalRole::kHostSensor;

constexpr Family kFamilies[] = {
    {"time", "s", "of the simulation", kBench, 0,
     [](At at) { return static_cast<double>(at.state.tick) * at.emulation.plan().tick_s; }},
    {"mode", "1", "0 ready, 1 running, 2 holding, 3 stopped", kBench, 0,
     [](At at) { return static_cast<double>(static_cast<std::int32_t>(at.state.mode)); }},
    {"phase", "1", "of the plan, from 0", kBench, 0,
     [](At at) { return static_cast<double>(of(at).phase); }},
    outside<stop_slot>("stop", "1", "above a half: a stop button is pressed", kBench, 0,
                       SignalRole::kStop),
    outside<operator_slot>("operator.%", "m/s", "asked of the emulated tip, in the site frame",
                           kBench, 0, SignalRole::kOperator),
    outside<operator_slot>("operator.r%", "rad/s", "asked of the emulated tip, in the site frame",
                           kBench, 3, SignalRole::kOperator),
    outside<wrench_slot>("sensor.force_%", "N", "on the host's tip about it, in the tool's axes",
                         kBench, 0, SignalRole::kWrench),
    outside<wrench_slot>("sensor.moment_%", "N m", "on the host's tip about it, in the tool's axes",
                         kBench, 3, SignalRole::kWrench),
    outside<echo_slot>("echo", "s", "time that the host in hardware heard last, sent back", kBench,
                       0, SignalRole::kEcho),
    outside<machine_slot>(
        "machine.%", "m",
        "position of the emulated tip, site frame; from elsewhere with any origin", kBench, 0,
        SignalRole::kMachine),
    outside<machine_slot>("machine.v%", "m/s", "speed of the emulated tip, site frame", kBench, 3,
                          SignalRole::kMachine),
    outside<brake_slot>("host.brake", "1", "above a half: its parking brakes are to be closed",
                        kBench, 0, SignalRole::kDrive),
    outside<position_slot>("host.*.position", "#", "as measured", kHost, 0, kSensor),
    outside<speed_slot>("host.*.speed", "#/s", "as measured", kHost, 0, kSensor),
    outside<pressure_slot>("host.*.pressure_a", "Pa", "as measured", kHost, 0, kSensor,
                           Only::kHydraulic),
    outside<pressure_slot>("host.*.pressure_b", "Pa", "as measured", kHost, 1, kSensor,
                           Only::kHydraulic),
    outside<drive_slot>("host.*.valve", "V", "to the valve", kHost, 0, SignalRole::kDrive,
                        Only::kHydraulic),
    outside<drive_slot>("host.*.torque", "~", "to the drive", kHost, 0, SignalRole::kDrive,
                        Only::kElectric),
    {"host.*.torque_demand", "~", "that the control wants on the joint", kHost, 0,
     [](At at) { return of(at).host_torque[at.joint]; }},
    {"host.*.true_position", "#", "in the simulated host", kHost, 0,
     [](At at) { return host_of(at).q[at.joint]; }},
    {"host.*.true_speed", "#/s", "in the simulated host", kHost, 0,
     [](At at) { return host_of(at).v[at.joint]; }},
    outside<motor_slot>("emulated.*.motor_speed", "#/s",
                        "of its motor, or of its controller's reference", kJoint, 0,
                        SignalRole::kMotor),
    {"emulated.*.motor_position", "#", "of its motor, or its controller's reference", kJoint, 0,
     [](At at) { return of(at).motor[at.joint]; }},
    {"emulated.*.position", "#", "of the joint", kJoint, 0,
     [](At at) { return emulated_of(at).q[at.joint]; }},
    {"emulated.*.speed", "#/s", "of the joint", kJoint, 0,
     [](At at) { return emulated_of(at).v[at.joint]; }},
    outside<emulated_slot>("emulated.*.measured_position", "#", "that the joint's controller sees",
                           kActuator, 0, SignalRole::kEmulatedSensor),
    {"emulated.*.pressure_a", "Pa", "at the actuator's port", kActuator, 0,
     [](At at) { return emulated_of(at).actuator[at.joint].p[at.part]; }},
    {"emulated.*.pressure_b", "Pa", "at the actuator's port", kActuator, 1,
     [](At at) { return emulated_of(at).actuator[at.joint].p[at.part]; }},
    {"emulated.*.spool", "V", "of its valve, behind its lag", kActuator, 0,
     [](At at) { return emulated_of(at).actuator[at.joint].spool_V; }},
    {"tip.%", "m", "position of the host's tip, site frame", kBench, 0,
     tip_position<&EmulationState::tip>},
    {"tip.r%", "rad", "rotation vector of the host's tip, site frame", kBench, 0,
     tip_rotation<&EmulationState::tip>},
    {"tip.v%", "m/s", "speed of the host's tip, site frame", kBench, 0,
     tip_twist<&EmulationState::tip>},
    {"tip.w%", "rad/s", "speed of the host's tip, site frame", kBench, 3,
     tip_twist<&EmulationState::tip>},
    {"target.%", "m", "position of the emulated tip, site frame", kBench, 0,
     tip_position<&EmulationState::target>},
    {"target.r%", "rad", "rotation vector of the emulated tip, site frame", kBench, 0,
     tip_rotation<&EmulationState::target>},
    {"target.v%", "m/s", "speed of the emulated tip, site frame", kBench, 0,
     tip_twist<&EmulationState::target>},
    {"target.w%", "rad/s", "speed of the emulated tip, site frame", kBench, 3,
     tip_twist<&EmulationState::target>},
    {"target.a%", "m/s^2", "acceleration of the emulated tip over the tick, site frame", kBench, 0,
     site_vector<&EmulationState::tip_acceleration>},
    {"target.dw%", "rad/s^2", "acceleration of the emulated tip over the tick, site frame", kBench,
     3, site_vector<&EmulationState::tip_acceleration>},
    {"contact.force_%", "N", "of the site on the peg in the simulation, site frame", kBench, 0,
     site_vector<&EmulationState::contact_W>},
    {"contact.moment_%", "N m", "of the site on the peg in the simulation, site frame", kBench, 3,
     site_vector<&EmulationState::contact_W>},
    {"measured.force_%", "N", "what the sensor says, wherever it is, in the site frame", kBench, 0,
     site_vector<&EmulationState::measured_W>},
    {"measured.moment_%", "N m", "what the sensor says, wherever it is, in the site frame", kBench,
     3, site_vector<&EmulationState::measured_W>},
    {"felt.force_%", "N", "given to the emulated machine, site frame", kBench, 0,
     site_vector<&EmulationState::felt_W>},
    {"felt.moment_%", "N m", "given to the emulated machine, site frame", kBench, 3,
     site_vector<&EmulationState::felt_W>},
    {"tip_error", "m", "distance of the host's tip from the emulated one", kBench, 0,
     [](At at) { return tip_error(of(at)); }},
    {"energy.host", "J", "work of the contact on the host's tip", kBench, 0,
     [](At at) { return of(at).energy.host; }},
    {"energy.emulated", "J", "work of the felt force on the emulated tip", kBench, 0,
     [](At at) { return of(at).energy.emulated; }},
    {"energy.exchanged", "J", "magnitude of what passes through the contact", kBench, 0,
     [](At at) { return of(at).energy.exchanged; }},
    {"energy.generated", "J", "most that the loop has put in", kBench, 0,
     [](At at) { return of(at).energy.generated; }},
    {"energy.at_once", "J", "that the loop has put in of late; safety.energy_budget is the limit",
     kBench, 0, [](At at) { return at.state.watch.put_in; }},
    {"wire_delay", "s", "of the host in hardware, there and back, the longest of late", kBench, 0,
     [](At at) { return at.state.watch.echo_s; }},
};

int count(Of of, const EmulationPlan& plan) {
  switch (of) {
    case Of::kHostJoint:
      return plan.host.model.joint_count();
    case Of::kEmulatedJoint:
      return plan.emulated.model.joint_count();
    case Of::kEmulatedActuator:
      return static_cast<int>(plan.emulated.model.actuators.size());
    case Of::kBench:
      break;
  }
  return 1;
}

sim::MemberNames names_of(const machine::MachineModel& model, int joint) {
  sim::MemberNames names{.owner = model.joint_name(joint)};
  if (!model.tree.link(joint).revolute) {
    names.position = "m";
    names.effort = "N";
  }
  return names;
}

std::string_view use_of(SignalRole role) {
  switch (role) {
    case SignalRole::kObserved:
      break;
    case SignalRole::kEcho:
      return "in; then the last one counts";
    case SignalRole::kStop:
      return "in; then stops, as if pressed";
    case SignalRole::kOperator:
      return "in; then zero, and the run continues";
    case SignalRole::kMachine:
    case SignalRole::kWrench:
    case SignalRole::kEmulatedSensor:
      return "in; then holds, and stops after `safety.stale_stop`";
    case SignalRole::kHostSensor:
      return "in; then stops";
    case SignalRole::kMotor:
    case SignalRole::kDrive:
      return "in; then its safe value, and holds";
  }
  return "out only";
}

}  // namespace

std::vector<HilSignal> hil_signals(const EmulationPlan& plan) {
  const machine::MachineModel& host = plan.host.model;
  const machine::MachineModel& emulated = plan.emulated.model;
  std::vector<HilSignal> out;
  sim::for_each_member(
      kFamilies, [&](Of of) { return count(of, plan); },
      [&](const Family& family, int member, int axis) {
        if (family.only != Only::kAll &&
            (family.only == Only::kHydraulic) == host.actuators.empty())
          return;
        const bool actuator = family.of == kActuator;
        const int link = actuator ? nth(emulated.actuators, member).link : member;
        sim::MemberNames names;
        if (family.of != kBench) names = names_of(family.of == kHost ? host : emulated, link);
        names.axis = sim::kAxes[axis];
        // Sensors are numbered by joint, the state of actuators by actuator.
        const int joint = actuator && family.slot == nullptr ? member : link;
        out.push_back({sim::filled(family.name, names), sim::filled(family.unit, names),
                       std::string(family.description), family.role, family.read, family.slot,
                       joint, family.part + axis});
      });
  return out;
}

std::vector<sim::FamilyRow> hil_signal_rows() {
  std::vector<sim::FamilyRow> rows;
  for (const Family& family : kFamilies) {
    std::string_view owners;
    if (family.of == kHost)
      owners = family.only == Only::kHydraulic  ? "each joint of a hydraulic host"
               : family.only == Only::kElectric ? "each joint of another host"
                                                : "each joint of the host";
    else if (family.of == kJoint)
      owners = "each joint of the emulated machine";
    else if (family.of == kActuator)
      owners = "each actuator of the emulated machine";
    rows.push_back(
        {family.name, family.unit, family.description, "JOINT", owners, use_of(family.role)});
  }
  return rows;
}

}  // namespace knuckleboom::emulation
