#include "knuckleboom/core/training/channels.hpp"

#include <utility>

#include "knuckleboom/core/math/arrays.hpp"

namespace knuckleboom::training {
namespace {

using Actuator = sim::ActuatorSnapshot;
using Shot = const SessionSnapshot&;
using Read = double (*)(Shot, int);

const Actuator* actuator(Shot s, int joint) {
  const int k = s.sim.actuator_of_joint[joint];
  return k < 0 ? nullptr : &s.sim.actuator[k];
}
template <double Actuator::*value>
double of_actuator(Shot s, int joint) {
  const Actuator* a = actuator(s, joint);
  return a != nullptr ? a->*value : 0.0;
}
// One bit each: a relief valve is open, a side cavitates, an end stop is touched.
double trouble(Shot s, int joint) {
  const Actuator* a = actuator(s, joint);
  if (a == nullptr) return 0.0;
  return (a->at_relief != 0 ? 1.0 : 0.0) + (a->cavitating != 0 ? 2.0 : 0.0) +
         (a->at_stop != 0 ? 4.0 : 0.0);
}

double tip_speed(Shot s, int i) { return s.tip_v_W[i]; }
double grip(Shot s, int i) { return s.grip_W[i]; }
double lever(Shot s, int i) { return s.input.axis[i]; }
double impulse(Shot s, int i) { return s.impulse[i]; }
double collisions(Shot s, int i) { return static_cast<double>(s.collisions[i]); }
double figure(Shot s, int i) { return nth(figures(), i).read(s.score); }

struct Plain {
  const char* name;
  const char* unit;
  const char* description;
  Read read;
};

// Channels that occur once.
constexpr Plain kPlain[] = {
    {"grapple_opening", "", "0: closed, 1: open", [](Shot s, int) { return s.grapple_opening; }},
    {"held_log", "", "number of the log in the grapple, -1: none",
     [](Shot s, int) { return static_cast<double>(s.held_log); }},
    {"control_mode", "", "0: valve, 1: joint rate, 2: boom tip",
     [](Shot s, int) { return static_cast<double>(s.control_mode); }},
    {"fidelity", "", "0: full, 1: reduced",
     [](Shot s, int) { return static_cast<double>(s.fidelity); }},
    {"pump_Pa", "Pa", "pressure of the pump", [](Shot s, int) { return s.sim.pump_Pa; }},
    {"pump_power_W", "W", "mean over the tick", [](Shot s, int) { return s.pump_power_W; }},
    {"pump_work_J", "J", "since the start of the attempt",
     [](Shot s, int) { return s.pump_work_J; }},
    {"contact_force_N", "N", "largest contact force on the machine",
     [](Shot s, int) { return s.contact_force; }},
    {"task_phase", "", "0: ready, 1: running, 2: passed, 3: failed",
     [](Shot s, int) { return static_cast<double>(s.task.phase); }},
    {"task_step", "", "targets or logs done",
     [](Shot s, int) { return static_cast<double>(s.task.step); }},
    {"task_distance_m", "m", "from the target or the path",
     [](Shot s, int) { return s.task.distance; }},
    {"task_angle_rad", "rad", "from the wanted direction",
     [](Shot s, int) { return s.task.angle; }},
};

constexpr const char* kAxes[3] = {"x", "y", "z"};

}  // namespace

std::vector<SessionChannel> session_channels(const Session& session) {
  const machine::MachineModel& model = session.machine();
  std::vector<SessionChannel> out;
  for (sim::Channel& channel : sim::channels(model)) {
    const std::string name = channel.name, unit = channel.unit, words = channel.description;
    out.push_back({name, unit, words, std::move(channel)});
  }
  const auto add = [&out](std::string name, std::string unit, std::string description, Read read,
                          int index) {
    out.push_back(
        {std::move(name), std::move(unit), std::move(description), std::nullopt, read, index});
  };
  for (int i = 0; i < model.joint_count(); ++i) {
    const std::string& joint = model.joint_name(i);
    const std::string effort = model.tree.link(i).revolute ? "N or N m" : "N";
    add(joint + "_spool_V", "V", "valve spool behind its lag", of_actuator<&Actuator::spool_V>, i);
    add(joint + "_flow_a_m3_s", "m3/s", "through the valve into line 1",
        of_actuator<&Actuator::flow_a_m3_per_s>, i);
    add(joint + "_flow_b_m3_s", "m3/s", "through the valve into line 2",
        of_actuator<&Actuator::flow_b_m3_per_s>, i);
    add(joint + "_force", effort, "of the oil on the cylinder or motor",
        of_actuator<&Actuator::force>, i);
    add(joint + "_limits", "", "sum of 1: at relief, 2: cavitating, 4: at an end stop", trouble, i);
  }
  for (int i = 0; i < 3; ++i)
    add(std::string("tip_v") + kAxes[i] + "_m_s", "m/s", "velocity of the tip in the world frame",
        tip_speed, i);
  for (int i = 0; i < 3; ++i)
    add(std::string("grip_") + kAxes[i] + "_m", "m", "centre of the grip in the world frame", grip,
        i);
  for (int i = 0; i < command::kLeverAxes; ++i)
    add(std::string("lever_") + command::kLeverAxisNames[i], "", "lever position, -1 to 1", lever,
        i);
  for (const Plain& plain : kPlain) add(plain.name, plain.unit, plain.description, plain.read, 0);
  for (int i = 0; i < world::kObstacles; ++i) {
    add(std::string("collisions_") + world::kObstacleNames[i], "", "contacts begun with it so far",
        collisions, i);
    add(std::string("impulse_") + world::kObstacleNames[i] + "_Ns", "N s",
        "of all contacts with it so far", impulse, i);
  }
  const std::vector<Figure>& scores = figures();
  for (std::size_t i = 0; i < scores.size(); ++i)
    add("score_" + scores[i].name, scores[i].unit, scores[i].description, figure,
        static_cast<int>(i));
  return out;
}

}  // namespace knuckleboom::training
