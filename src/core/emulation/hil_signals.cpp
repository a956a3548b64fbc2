#include "knuckleboom/core/emulation/hil_signals.hpp"

#include <utility>

#include "knuckleboom/core/emulation/hil_bench.hpp"
#include "knuckleboom/core/emulation/tip_motion.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/math/arrays.hpp"

namespace knuckleboom::emulation {
namespace {

constexpr const char* kAxis[3] = {"x", "y", "z"};

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
double& brake_slot(EmulationState& s, int, int) { return s.commands.brake; }
double& drive_slot(EmulationState& s, int joint, int) { return s.commands.drive[joint]; }

// Component of a vector and its moment, in the site frame.
double in_site(At at, const double (&w)[6]) {
  return at.emulation.to_site(vec(w + 3 * (at.part / 3)))[at.part % 3];
}

const TipPose& tip_of(At at) { return at.joint == 0 ? of(at).tip : of(at).target; }

struct JointUnits {
  const char *position, *rate, *effort;
};
JointUnits units_of(const machine::MachineModel& model, int joint) {
  return model.tree.link(joint).revolute ? JointUnits{"rad", "rad/s", "N m"}
                                         : JointUnits{"m", "m/s", "N"};
}

class Catalogue {
 public:
  explicit Catalogue(const EmulationPlan& plan) : plan_(plan) {
    list_bench();
    list_host();
    list_emulated();
    list_tip("tip.", " of the host's tip, site frame", 0);
    list_tip("target.", " of the emulated tip, site frame", 1);
    list_forces();
    list_energy();
  }
  std::vector<HilSignal> take() { return std::move(out_); }

 private:
  using Read = double (*)(At);

  void add(std::string name, const char* unit, std::string description, int joint, int part,
           Read read) {
    out_.push_back({std::move(name), unit, std::move(description), SignalRole::kObserved, read,
                    nullptr, joint, part});
  }
  void add(std::string name, const char* unit, std::string description, Read read) {
    add(std::move(name), unit, std::move(description), 0, 0, read);
  }
  template <Slot slot>
  void add_slot(std::string name, const char* unit, const char* description, SignalRole role,
                int joint, int part = 0) {
    out_.push_back({std::move(name), unit, description, role, read_slot<slot>, slot, joint, part});
  }
  // Parts 0 to 2 of a vector, 3 to 5 of the moment that goes with it.
  void add_vectors(const std::string& linear, const std::string& angular, const char* unit,
                   const char* angular_unit, const std::string& description, Read read,
                   int joint = 0) {
    for (int i = 0; i < 6; ++i)
      add((i < 3 ? linear : angular) + kAxis[i % 3], i < 3 ? unit : angular_unit, description,
          joint, i, read);
  }

  void list_bench() {
    add("time", "s", "of the simulation",
        [](At at) { return static_cast<double>(at.state.tick) * at.emulation.plan().tick_s; });
    add("mode", "1", "0 ready, 1 running, 2 holding, 3 stopped",
        [](At at) { return static_cast<double>(static_cast<std::int32_t>(at.state.mode)); });
    add("phase", "1", "of the plan, from 0",
        [](At at) { return static_cast<double>(of(at).phase); });
    add_slot<stop_slot>("stop", "1", "above a half: a stop button is pressed", SignalRole::kStop,
                        0);
    for (int i = 0; i < 6; ++i)
      add_slot<operator_slot>(
          std::string(i < 3 ? "operator." : "operator.r") + kAxis[i % 3], i < 3 ? "m/s" : "rad/s",
          "asked of the emulated tip, in the site frame", SignalRole::kOperator, 0, i);
    for (int i = 0; i < 6; ++i)
      add_slot<wrench_slot>(std::string(i < 3 ? "sensor.force_" : "sensor.moment_") + kAxis[i % 3],
                            i < 3 ? "N" : "N m", "on the host's tip about it, in the tool's axes",
                            SignalRole::kWrench, 0, i);
  }

  void list_host() {
    const machine::MachineModel& host = plan_.host.model;
    add_slot<brake_slot>("host.brake", "1", "above a half: its parking brakes are to be closed",
                         SignalRole::kDrive, 0);
    for (int j = 0; j < host.joint_count(); ++j) {
      const std::string joint = "host." + host.joint_name(j) + ".";
      const JointUnits unit = units_of(host, j);
      constexpr SignalRole kSensor = SignalRole::kHostSensor;
      add_slot<position_slot>(joint + "position", unit.position, "as measured", kSensor, j);
      add_slot<speed_slot>(joint + "speed", unit.rate, "as measured", kSensor, j);
      if (!host.actuators.empty()) {
        add_slot<pressure_slot>(joint + "pressure_a", "Pa", "as measured", kSensor, j, 0);
        add_slot<pressure_slot>(joint + "pressure_b", "Pa", "as measured", kSensor, j, 1);
        add_slot<drive_slot>(joint + "valve", "V", "to the valve", SignalRole::kDrive, j);
      } else {
        add_slot<drive_slot>(joint + "torque", unit.effort, "to the drive", SignalRole::kDrive, j);
      }
      add(joint + "torque_demand", unit.effort, "that the control wants on the joint", j, 0,
          [](At at) { return of(at).host_torque[at.joint]; });
      add(joint + "true_position", unit.position, "in the simulated host", j, 0,
          [](At at) { return of(at).host.machine.q[at.joint]; });
      add(joint + "true_speed", unit.rate, "in the simulated host", j, 0,
          [](At at) { return of(at).host.machine.v[at.joint]; });
    }
  }

  void list_emulated() {
    const machine::MachineModel& model = plan_.emulated.model;
    for (int j = 0; j < model.joint_count(); ++j) {
      const std::string joint = "emulated." + model.joint_name(j) + ".";
      const JointUnits unit = units_of(model, j);
      add_slot<motor_slot>(joint + "motor_speed", unit.rate,
                           "of its motor, or of its controller's reference", SignalRole::kMotor, j);
      add(joint + "motor_position", unit.position, "of its motor, or its controller's reference", j,
          0, [](At at) { return of(at).motor[at.joint]; });
      add(joint + "position", unit.position, "of the joint", j, 0,
          [](At at) { return of(at).emulated.machine.q[at.joint]; });
      add(joint + "speed", unit.rate, "of the joint", j, 0,
          [](At at) { return of(at).emulated.machine.v[at.joint]; });
    }
    for (std::size_t k = 0; k < model.actuators.size(); ++k) {
      const int link = model.actuators[k].link;
      const std::string joint = "emulated." + model.joint_name(link) + ".";
      const int actuator = static_cast<int>(k);
      add_slot<emulated_slot>(joint + "measured_position", units_of(model, link).position,
                              "that the joint's controller sees", SignalRole::kEmulatedSensor,
                              link);
      for (int side = 0; side < 2; ++side)
        add(joint + (side == 0 ? "pressure_a" : "pressure_b"), "Pa", "at the actuator's port",
            actuator, side,
            [](At at) { return of(at).emulated.machine.actuator[at.joint].p[at.part]; });
      add(joint + "spool", "V", "of its valve, behind its lag", actuator, 0,
          [](At at) { return of(at).emulated.machine.actuator[at.joint].spool_V; });
    }
  }

  void list_tip(const std::string& name, const std::string& of_tip, int tip) {
    for (int i = 0; i < 3; ++i)
      add(name + kAxis[i], "m", "position" + of_tip, tip, i,
          [](At at) { return at.emulation.in_site(tip_of(at)).p[at.part]; });
    for (int i = 0; i < 3; ++i)
      add(name + "r" + kAxis[i], "rad", "rotation vector" + of_tip, tip, i, [](At at) {
        return rotation_error(Mat3::Identity(), at.emulation.in_site(tip_of(at)).R)[at.part];
      });
    add_vectors(
        name + "v", name + "w", "m/s", "rad/s", "speed" + of_tip,
        [](At at) { return in_site(at, tip_of(at).twist); }, tip);
  }

  void list_forces() {
    add_vectors("target.a", "target.dw", "m/s^2", "rad/s^2",
                "acceleration of the emulated tip over the tick, site frame",
                [](At at) { return in_site(at, of(at).tip_acceleration); });
    add_vectors("contact.force_", "contact.moment_", "N", "N m",
                "of the site on the peg in the simulation, site frame",
                [](At at) { return in_site(at, of(at).contact_W); });
    add_vectors("measured.force_", "measured.moment_", "N", "N m",
                "what the sensor says, wherever it is, in the site frame",
                [](At at) { return in_site(at, of(at).measured_W); });
    add_vectors("felt.force_", "felt.moment_", "N", "N m",
                "given to the emulated machine, site frame",
                [](At at) { return in_site(at, of(at).felt_W); });
    add("tip_error", "m", "distance of the host's tip from the emulated one",
        [](At at) { return tip_error(of(at)); });
  }

  void list_energy() {
    add("energy.host", "J", "work of the contact on the host's tip",
        [](At at) { return of(at).energy.host; });
    add("energy.emulated", "J", "work of the felt force on the emulated tip",
        [](At at) { return of(at).energy.emulated; });
    add("energy.exchanged", "J", "magnitude of what passes through the contact",
        [](At at) { return of(at).energy.exchanged; });
    add("energy.generated", "J", "most that the loop has put in",
        [](At at) { return of(at).energy.generated; });
  }

  const EmulationPlan& plan_;
  std::vector<HilSignal> out_;
};

}  // namespace

std::vector<HilSignal> hil_signals(const EmulationPlan& plan) { return Catalogue(plan).take(); }

}  // namespace knuckleboom::emulation
