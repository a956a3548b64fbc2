#include "knuckleboom/core/emulation/hil_signals.hpp"

#include <cmath>
#include <utility>

#include "knuckleboom/core/emulation/hil_bench.hpp"
#include "knuckleboom/core/emulation/tip_motion.hpp"

namespace knuckleboom::emulation {
namespace {

constexpr const char* kAxis[3] = {"x", "y", "z"};

// Signals that may be replaced from outside are read from the same place.
using Slot = double& (*)(EmulationState&, int, int);
template <Slot slot>
double read_slot(const Emulation&, const HilState& state, int joint, int part) {
  return slot(const_cast<EmulationState&>(state.emulation), joint, part);  // only read
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
double in_site(const Emulation& emulation, const double (&w)[6], int i) {
  return i < 3 ? emulation.to_site(Vec3(w[0], w[1], w[2]))[i]
               : emulation.to_site(Vec3(w[3], w[4], w[5]))[i - 3];
}

const TipPose& tip_of(const HilState& s, int tip) {
  return tip == 0 ? s.emulation.tip : s.emulation.target;
}

class Catalogue {
 public:
  explicit Catalogue(const EmulationPlan& plan) : plan_(plan) {
    list_loop();
    list_host();
    list_emulated();
    list_tip("tip.", " of the host's tip, site frame", 0);
    list_tip("target.", " of the emulated tip, site frame", 1);
    list_forces();
    list_energy();
  }
  std::vector<HilSignal> take() { return std::move(out_); }

 private:
  using Read = double (*)(const Emulation&, const HilState&, int, int);

  void add(std::string name, const char* unit, std::string description, Read read, int joint = 0,
           int part = 0) {
    out_.push_back({std::move(name), unit, std::move(description), SignalRole::kObserved, read,
                    nullptr, joint, part});
  }
  template <Slot slot>
  void add_slot(std::string name, const char* unit, const char* description, SignalRole role,
                int joint, int part = 0) {
    out_.push_back({std::move(name), unit, description, role, read_slot<slot>, slot, joint, part});
  }

  void list_loop() {
    add("time", "s", "of the simulation", [](const Emulation& e, const HilState& s, int, int) {
      return static_cast<double>(s.tick) * e.plan().tick_s;
    });
    add("mode", "1", "0 ready, 1 running, 2 holding, 3 stopped",
        [](const Emulation&, const HilState& s, int, int) {
          return static_cast<double>(static_cast<std::int32_t>(s.mode));
        });
    add("phase", "1", "of the plan, from 0", [](const Emulation&, const HilState& s, int, int) {
      return static_cast<double>(s.emulation.phase);
    });
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
      const std::string at = "host." + host.joint_name(j) + ".";
      const bool turns = host.tree.link(j).revolute;
      const char* const unit = turns ? "rad" : "m";
      const char* const rate = turns ? "rad/s" : "m/s";
      const char* const torque = turns ? "N m" : "N";
      constexpr SignalRole kSensor = SignalRole::kHostSensor;
      add_slot<position_slot>(at + "position", unit, "as measured", kSensor, j);
      add_slot<speed_slot>(at + "speed", rate, "as measured", kSensor, j);
      if (!host.actuators.empty()) {
        add_slot<pressure_slot>(at + "pressure_a", "Pa", "as measured", kSensor, j, 0);
        add_slot<pressure_slot>(at + "pressure_b", "Pa", "as measured", kSensor, j, 1);
        add_slot<drive_slot>(at + "valve", "V", "to the valve", SignalRole::kDrive, j);
      } else {
        add_slot<drive_slot>(at + "torque", torque, "to the drive", SignalRole::kDrive, j);
      }
      add(
          at + "torque_demand", torque, "that the control wants on the joint",
          [](const Emulation&, const HilState& s, int i, int) {
            return s.emulation.host_torque[i];
          },
          j);
      add(
          at + "true_position", unit, "in the simulated host",
          [](const Emulation&, const HilState& s, int i, int) {
            return s.emulation.host.machine.q[i];
          },
          j);
      add(
          at + "true_speed", rate, "in the simulated host",
          [](const Emulation&, const HilState& s, int i, int) {
            return s.emulation.host.machine.v[i];
          },
          j);
    }
  }

  void list_emulated() {
    const machine::MachineModel& model = plan_.emulated.model;
    for (int j = 0; j < model.joint_count(); ++j) {
      const std::string at = "emulated." + model.joint_name(j) + ".";
      const bool turns = model.tree.link(j).revolute;
      const char* const unit = turns ? "rad" : "m";
      const char* const rate = turns ? "rad/s" : "m/s";
      add_slot<motor_slot>(at + "motor_speed", rate,
                           "of its motor, or of its controller's reference", SignalRole::kMotor, j);
      add(
          at + "motor_position", unit, "of its motor, or its controller's reference",
          [](const Emulation&, const HilState& s, int i, int) { return s.emulation.motor[i]; }, j);
      add(
          at + "position", unit, "of the joint",
          [](const Emulation&, const HilState& s, int i, int) {
            return s.emulation.emulated.machine.q[i];
          },
          j);
      add(
          at + "speed", rate, "of the joint",
          [](const Emulation&, const HilState& s, int i, int) {
            return s.emulation.emulated.machine.v[i];
          },
          j);
    }
    for (std::size_t k = 0; k < model.actuators.size(); ++k) {
      const int joint = model.actuators[k].link;
      const std::string at = "emulated." + model.joint_name(joint) + ".";
      const int actuator = static_cast<int>(k);
      add_slot<emulated_slot>(
          at + "measured_position", model.tree.link(joint).revolute ? "rad" : "m",
          "that the joint's controller sees", SignalRole::kEmulatedSensor, joint);
      for (int side = 0; side < 2; ++side)
        add(
            at + (side == 0 ? "pressure_a" : "pressure_b"), "Pa", "at the actuator's port",
            [](const Emulation&, const HilState& s, int i, int p) {
              return s.emulation.emulated.machine.actuator[i].p[p];
            },
            actuator, side);
      add(
          at + "spool", "V", "of its valve, behind its lag",
          [](const Emulation&, const HilState& s, int i, int) {
            return s.emulation.emulated.machine.actuator[i].spool_V;
          },
          actuator);
    }
  }

  void list_tip(const std::string& at, const std::string& of, int tip) {
    for (int i = 0; i < 3; ++i)
      add(
          at + kAxis[i], "m", "position" + of,
          [](const Emulation& e, const HilState& s, int t, int axis) {
            return e.in_site(tip_of(s, t)).p[axis];
          },
          tip, i);
    for (int i = 0; i < 3; ++i)
      add(
          at + "r" + kAxis[i], "rad", "rotation vector" + of,
          [](const Emulation& e, const HilState& s, int t, int axis) {
            return rotation_error(Mat3::Identity(), e.in_site(tip_of(s, t)).R)[axis];
          },
          tip, i);
    for (int i = 0; i < 6; ++i)
      add(
          at + (i < 3 ? "v" : "w") + kAxis[i % 3], i < 3 ? "m/s" : "rad/s", "speed" + of,
          [](const Emulation& e, const HilState& s, int t, int k) {
            return in_site(e, tip_of(s, t).twist, k);
          },
          tip, i);
  }

  void add_vectors(const std::string& linear, const std::string& angular, const char* unit,
                   const char* angular_unit, const char* what, Read read) {
    for (int i = 0; i < 6; ++i)
      add((i < 3 ? linear : angular) + kAxis[i % 3], i < 3 ? unit : angular_unit, what, read, 0, i);
  }

  void list_forces() {
    add_vectors("target.a", "target.dw", "m/s^2", "rad/s^2",
                "acceleration of the emulated tip over the tick, site frame",
                [](const Emulation& e, const HilState& s, int, int i) {
                  return in_site(e, s.emulation.tip_acceleration, i);
                });
    add_vectors("contact.force_", "contact.moment_", "N", "N m",
                "of the site on the peg in the simulation, site frame",
                [](const Emulation& e, const HilState& s, int, int i) {
                  return in_site(e, s.emulation.contact_W, i);
                });
    add_vectors("measured.force_", "measured.moment_", "N", "N m",
                "what the sensor says, wherever it is, in the site frame",
                [](const Emulation& e, const HilState& s, int, int i) {
                  return in_site(e, s.emulation.measured_W, i);
                });
    add_vectors("felt.force_", "felt.moment_", "N", "N m",
                "given to the emulated machine, site frame",
                [](const Emulation& e, const HilState& s, int, int i) {
                  return in_site(e, s.emulation.felt_W, i);
                });
    add("tip_error", "m", "distance of the host's tip from the emulated one",
        [](const Emulation&, const HilState& s, int, int) { return tip_error(s.emulation); });
  }

  void list_energy() {
    add("energy.host", "J", "work of the contact on the host's tip",
        [](const Emulation&, const HilState& s, int, int) { return s.emulation.energy.host; });
    add("energy.emulated", "J", "work of the felt force on the emulated tip",
        [](const Emulation&, const HilState& s, int, int) { return s.emulation.energy.emulated; });
    add("energy.exchanged", "J", "magnitude of what passes through the contact",
        [](const Emulation&, const HilState& s, int, int) {
          return s.emulation.energy.exchanged;
        });
    add("energy.generated", "J", "most that the loop has put in",
        [](const Emulation&, const HilState& s, int, int) {
          return s.emulation.energy.generated;
        });
  }

  const EmulationPlan& plan_;
  std::vector<HilSignal> out_;
};

}  // namespace

std::vector<HilSignal> hil_signals(const EmulationPlan& plan) { return Catalogue(plan).take(); }

}  // namespace knuckleboom::emulation
