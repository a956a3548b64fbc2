#include "knuckleboom/core/sim/channels.hpp"

#include "knuckleboom/core/machine/actuator.hpp"

namespace knuckleboom::sim {
namespace {

const ActuatorSnapshot* actuator(const Snapshot& s, int joint) {
  const int k = s.actuator_of_joint[joint];
  return k < 0 ? nullptr : &s.actuator[k];
}

double time(const Snapshot& s, int) { return s.t_s; }
double position(const Snapshot& s, int joint) { return s.joint[joint].position; }
double rate(const Snapshot& s, int joint) { return s.joint[joint].rate; }
double reference(const Snapshot& s, int joint) { return s.joint[joint].reference; }
template <auto value>
double of_actuator(const Snapshot& s, int joint) {
  const ActuatorSnapshot* a = actuator(s, joint);
  return a != nullptr ? a->*value : 0.0;
}
double length(const Snapshot& s, int joint) { return actuator(s, joint)->displacement; }
double force(const Snapshot& s, int joint) { return actuator(s, joint)->force; }
double pump(const Snapshot& s, int) { return s.pump_Pa; }
double loop_force(const Snapshot& s, int index) { return s.loop_force_W[index / 3][index % 3]; }
double drive(const Snapshot& s, int joint) { return s.joint_drive[joint]; }
double tip(const Snapshot& s, int component) { return s.tip_W[component]; }

double supply(const Snapshot& s, int) { return s.pump_Pa; }
double pump_flow(const Snapshot& s, int) { return s.pump_flow_m3_per_s; }
double relief_flow(const Snapshot& s, int) { return s.relief_flow_m3_per_s; }
double load_signal(const Snapshot& s, int) { return s.load_signal_Pa; }
double engine(const Snapshot& s, int) { return s.engine_rad_per_s; }

}  // namespace

std::vector<Channel> channels(const machine::MachineModel& model) {
  std::vector<Channel> out;
  out.push_back({"t_s", "s", "simulated time", time, 0});
  for (int i = 0; i < model.joint_count(); ++i) {
    const std::string& joint = model.joint_name(i);
    const std::string unit = model.tree.link(i).revolute ? "rad" : "m";
    const std::string rate_unit = unit + "/s";
    out.push_back({joint + "_" + unit, unit, "joint position", position, i});
    out.push_back({joint + "_" + unit + "_s", rate_unit, "joint rate", rate, i});
    out.push_back(
        {joint + "_ref_" + unit, unit, "reference of the tick that led here", reference, i});
    out.push_back({joint + "_valve_V", "V", "valve command of the tick that led here",
                   of_actuator<&ActuatorSnapshot::valve_V>, i});
    out.push_back({joint + "_port_a_Pa", "Pa", "head side (P1) or motor inlet (P_Re1)",
                   of_actuator<&ActuatorSnapshot::port_a_Pa>, i});
    out.push_back({joint + "_port_b_Pa", "Pa", "rod side (P4) or motor outlet (P_Re2)",
                   of_actuator<&ActuatorSnapshot::port_b_Pa>, i});
    out.push_back({joint + "_valve_open", "", "1: valve beyond its overlap",
                   of_actuator<&ActuatorSnapshot::open>, i});
  }
  for (const machine::JointDrive& d : model.drives)
    out.push_back(
        {model.joint_name(d.link) + "_drive", "",
         "torque, force or speed asked of the joint's own drive in the tick that led here", drive,
         d.link});
  for (std::size_t k = 0; k < model.loops.size(); ++k)
    for (int c = 0; c < 3; ++c)
      out.push_back({model.loops[k].name + "_force_" + "xyz"[c] + "_N", "N",
                     "of body b on body a of the loop, world frame, in the tick that led here",
                     loop_force, static_cast<int>(3 * k) + c});
  const char* const axes[3] = {"tip_x_m", "tip_y_m", "tip_z_m"};
  for (int c = 0; c < 3; ++c) out.push_back({axes[c], "m", "tip in the world frame", tip, c});
  if (model.supply.kind == hydraulics::SupplyKind::kPump) {
    out.push_back({"supply_Pa", "Pa", "pressure of the gallery", supply, 0});
    out.push_back(
        {"load_signal_Pa", "Pa", "what a load-sensing pump adds its margin to", load_signal, 0});
    out.push_back({"pump_flow_m3_s", "m3/s", "delivered by the pump", pump_flow, 0});
    out.push_back({"main_relief_flow_m3_s", "m3/s", "over the main relief", relief_flow, 0});
    out.push_back({"engine_rad_s", "rad/s", "speed of the engine", engine, 0});
  }
  return out;
}

std::vector<Channel> all_channels(const machine::MachineModel& model) {
  std::vector<Channel> out = channels(model);
  for (const machine::Actuator& actuator : model.actuators) {
    const std::string& joint = model.joint_name(actuator.link);
    const bool cylinder = actuator.circuit.kind == hydraulics::ActuatorKind::kCylinder;
    if (cylinder)
      out.push_back({joint + "_length_m", "m", "cylinder between its pins", length, actuator.link});
    out.push_back({joint + (cylinder ? "_force_N" : "_torque_Nm"), cylinder ? "N" : "Nm",
                   "of the oil on the actuator", force, actuator.link});
  }
  out.push_back({"pump_Pa", "Pa", "supply pressure", pump, 0});
  return out;
}

}  // namespace knuckleboom::sim
