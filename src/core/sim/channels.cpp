#include "knuckleboom/core/sim/channels.hpp"

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/sim/parts.hpp"

namespace knuckleboom::sim {
namespace {

using hydraulics::ActuatorKind;
using Shot = const Snapshot&;

const ActuatorSnapshot* actuator(Shot s, int joint) {
  const int k = s.actuator_of_joint[joint];
  return k < 0 ? nullptr : &s.actuator[k];
}
template <auto value>
double of_actuator(Shot s, int joint) {
  const ActuatorSnapshot* a = actuator(s, joint);
  return a != nullptr ? a->*value : 0.0;
}
template <auto value>
double of_joint(Shot s, int joint) {
  return s.joint[joint].*value;
}

double time(Shot s, int) { return s.t_s; }
double tip(Shot s, int axis) { return s.tip_W[axis]; }
double gallery(Shot s, int) { return s.pump_Pa; }

// A ball is known by its first turn.
Eigen::Quaterniond orientation(Shot s, int first) {
  double q[multibody::kTurns];
  for (int t = 0; t < multibody::kTurns; ++t) q[t] = s.joint[first + t].position;
  return multibody::orientation(q);
}
Vec3 angular_velocity(Shot s, int first) {
  double q[multibody::kTurns], v[multibody::kTurns];
  for (int t = 0; t < multibody::kTurns; ++t) {
    q[t] = s.joint[first + t].position;
    v[t] = s.joint[first + t].rate;
  }
  return multibody::angular_velocity(q, v);
}

enum class Of {
  kRun,
  kJoint,
  kBall,
  kDrive,
  kLoop,
  kCoupling,
  kWheel,
  kCarrier,
  kDriveline,
  kPump,
  kActuator
};

enum class Only { kAll, kCylinders, kMotors, kSliding, kTurning };

struct Family {
  std::string_view name, unit, description;
  Of of;
  double (*read)(Shot, int);  // of a joint, or of a component
  bool traced = true;         // a column of traces, and so of sessions
  Only only = Only::kAll;
};

constexpr Family kFamilies[] = {
    {"t_s", "s", "simulated time", Of::kRun, time},
    {"*_#", "#", "joint position", Of::kJoint, of_joint<&JointSnapshot::position>},
    {"*_#_s", "#/s", "joint rate", Of::kJoint, of_joint<&JointSnapshot::rate>},
    {"*_ref_#", "#", "reference of the tick that led here", Of::kJoint,
     of_joint<&JointSnapshot::reference>},
    {"*_valve_V", "V", "valve command of the tick that led here", Of::kJoint,
     of_actuator<&ActuatorSnapshot::valve_V>},
    {"*_port_a_Pa", "Pa", "head side (P1) or motor inlet (P_Re1); gauge, of air too", Of::kJoint,
     of_actuator<&ActuatorSnapshot::port_a_Pa>},
    {"*_port_b_Pa", "Pa", "rod side (P4) or motor outlet (P_Re2)", Of::kJoint,
     of_actuator<&ActuatorSnapshot::port_b_Pa>},
    {"*_valve_open", "", "1: valve beyond its overlap", Of::kJoint,
     of_actuator<&ActuatorSnapshot::open>},
    {"*_qw", "", "orientation against position zero as a quaternion, this part not below zero",
     Of::kBall, [](Shot s, int i) { return orientation(s, i / 3).w(); }},
    {"*_q%", "", "likewise, in the axes of position zero", Of::kBall,
     [](Shot s, int i) { return orientation(s, i / 3).vec()(i % 3); }},
    {"*_omega_%_rad_s", "rad/s", "angular velocity against the parent, along the body's axes",
     Of::kBall, [](Shot s, int i) { return angular_velocity(s, i / 3)(i % 3); }},
    {"*_drive", "",
     "torque, force or speed asked of the joint's own drive in the tick that led here", Of::kDrive,
     [](Shot s, int j) { return s.joint_drive[j]; }},
    {"*_applied_N", "N",
     "of the joint's own drive on it, by the positions and speeds at the end of the tick",
     Of::kDrive, [](Shot s, int j) { return s.joint_applied[j]; }, true, Only::kSliding},
    {"*_applied_Nm", "Nm",
     "of the joint's own drive on it, by the positions and speeds at the end of the tick",
     Of::kDrive, [](Shot s, int j) { return s.joint_applied[j]; }, true, Only::kTurning},
    {"*_force_%_N", "N", "of body b on body a of the loop, world frame, in the tick that led here",
     Of::kLoop, [](Shot s, int i) { return s.loop_force_W[i / 3][i % 3]; }},
    {"*_coupling_N", "N", "of its coupling on the joint that follows, in the tick that led here",
     Of::kCoupling, [](Shot s, int j) { return s.coupling_force[j]; }, true, Only::kSliding},
    {"*_coupling_Nm", "Nm", "of its coupling on the joint that follows, in the tick that led here",
     Of::kCoupling, [](Shot s, int j) { return s.coupling_force[j]; }, true, Only::kTurning},
    {"*_load_N", "N", "of the ground on the wheel, across the ground, in the tick that led here",
     Of::kWheel, [](Shot s, int i) { return s.wheel[i / 3].load; }},
    {"*_spin_rad_s", "rad/s", "of the wheel against the body that carries it, forwards positive",
     Of::kWheel, [](Shot s, int i) { return s.wheel[i / 3].spin; }},
    {"*_slip", "",
     "speed of the tread over the ground as a share of the larger of its own and the hub's",
     Of::kWheel, [](Shot s, int i) { return s.wheel[i / 3].slip; }},
    {"drive_Pa", "Pa", "difference of pressure in the drive of the wheels, forwards positive",
     Of::kDriveline, [](Shot s, int) { return s.drive_Pa; }},
    {"speed_m_s", "m/s", "of the driven wheels' treads, their mean, forwards positive",
     Of::kCarrier, [](Shot s, int) { return s.speed; }},
    {"brake", "", "service brake, 0 to 1", Of::kCarrier, [](Shot s, int) { return s.brake; }},
    {"parking_brake", "", "1: on", Of::kCarrier,
     [](Shot s, int) { return static_cast<double>(s.parked); }},
    {"high_gear", "", "1: in use", Of::kCarrier,
     [](Shot s, int) { return static_cast<double>(s.high_gear); }},
    {"differential_lock", "", "1: on", Of::kCarrier,
     [](Shot s, int) { return static_cast<double>(s.differential_locked); }},
    {"joint_lock", "", "1: on", Of::kCarrier,
     [](Shot s, int) { return static_cast<double>(s.joint_locked); }},
    {"tip_%_m", "m", "tip in the world frame", Of::kRun, tip},
    {"supply_Pa", "Pa", "pressure of the gallery", Of::kPump, gallery},
    {"load_signal_Pa", "Pa", "what a load-sensing pump adds its margin to", Of::kPump,
     [](Shot s, int) { return s.load_signal_Pa; }},
    {"pump_flow_m3_s", "m3/s", "delivered by the pump", Of::kPump,
     [](Shot s, int) { return s.pump_flow_m3_per_s; }},
    {"main_relief_flow_m3_s", "m3/s", "over the main relief", Of::kPump,
     [](Shot s, int) { return s.relief_flow_m3_per_s; }},
    {"engine_rad_s", "rad/s", "speed of the engine", Of::kPump,
     [](Shot s, int) { return s.engine_rad_per_s; }},
    {"*_length_m", "m", "cylinder between its pins", Of::kActuator,
     of_actuator<&ActuatorSnapshot::displacement>, false, Only::kCylinders},
    {"*_force_N", "N", "of oil or air on the actuator", Of::kActuator,
     of_actuator<&ActuatorSnapshot::force>, false, Only::kCylinders},
    {"*_torque_Nm", "Nm", "of the oil on the actuator", Of::kActuator,
     of_actuator<&ActuatorSnapshot::force>, false, Only::kMotors},
    {"pump_Pa", "Pa", "supply pressure", Of::kRun, gallery, false},
};

int count(Of of, const machine::MachineModel& model) {
  switch (of) {
    case Of::kJoint:
      return model.joint_count();
    case Of::kBall:
      return static_cast<int>(model.balls.size());
    case Of::kDrive:
      return static_cast<int>(model.drives.size());
    case Of::kLoop:
      return static_cast<int>(model.loops.size());
    case Of::kCoupling:
      return static_cast<int>(model.couplings.size());
    case Of::kWheel:
      return static_cast<int>(model.wheels.size());
    case Of::kCarrier:
      return model.wheels.empty() ? 0 : 1;
    case Of::kDriveline:
      return model.driveline.present ? 1 : 0;
    case Of::kPump:
      return model.supply.kind == hydraulics::SupplyKind::kPump ? 1 : 0;
    case Of::kActuator:
      return static_cast<int>(model.actuators.size());
    case Of::kRun:
      break;
  }
  return 1;
}

// -1: it is of no joint.
int joint_of(Of of, const machine::MachineModel& model, int member) {
  const auto i = static_cast<std::size_t>(member);
  return of == Of::kJoint      ? member
         : of == Of::kBall     ? model.balls[i].first
         : of == Of::kDrive    ? model.drives[i].link
         : of == Of::kCoupling ? model.couplings[i].joint
         : of == Of::kActuator ? model.actuators[i].link
                               : -1;
}

bool exists(const Family& family, const machine::MachineModel& model, int member) {
  if (family.of == Of::kJoint && model.ball_of(member) != nullptr) return false;
  if (family.only == Only::kAll) return true;
  if (family.of == Of::kCoupling || family.of == Of::kDrive) {
    const int joint = joint_of(family.of, model, member);
    return model.tree.link(joint).revolute == (family.only == Only::kTurning);
  }
  const bool cylinder =
      model.actuators[static_cast<std::size_t>(member)].circuit.kind == ActuatorKind::kCylinder;
  return cylinder == (family.only == Only::kCylinders);
}

std::vector<Channel> channels(const machine::MachineModel& model, bool all) {
  std::vector<Channel> out;
  for_each_member(
      kFamilies, [&](Of of) { return count(of, model); },
      [&](const Family& family, int member, int axis) {
        if (!(all || family.traced) || !exists(family, model, member)) return;
        const int joint = joint_of(family.of, model, member);
        MemberNames names{.owner = {}, .axis = kAxes[axis]};
        if (joint >= 0) {
          names.owner = model.shown_name(joint);
          if (!model.tree.link(joint).revolute) names.position = "m";
        } else if (family.of == Of::kLoop) {
          names.owner = model.loops[static_cast<std::size_t>(member)].name;
        } else if (family.of == Of::kWheel) {
          names.owner = model.wheels[static_cast<std::size_t>(member)].name;
        }
        out.push_back({filled(family.name, names), filled(family.unit, names),
                       std::string(family.description), family.read,
                       family.of == Of::kBall ? 3 * joint + axis
                       : joint >= 0           ? joint
                                              : 3 * member + axis});
      });
  return out;
}

std::string_view owners(const Family& family) {
  switch (family.of) {
    case Of::kJoint:
      return "each joint with a coordinate";
    case Of::kBall:
      return "each spherical and free joint";
    case Of::kDrive:
      return family.only == Only::kAll       ? "each joint with a drive of its own"
             : family.only == Only::kSliding ? "each joint that slides with a drive of its own"
                                             : "each joint that turns with a drive of its own";
    case Of::kLoop:
      return "each loop of bodies";
    case Of::kCoupling:
      return family.only == Only::kSliding ? "each coupling of a joint that slides"
                                           : "each coupling of a joint that turns";
    case Of::kWheel:
      return "each wheel";
    case Of::kCarrier:
      return "a machine on wheels";
    case Of::kDriveline:
      return "a drive of the wheels";
    case Of::kPump:
      return "a modelled pump";
    case Of::kActuator:
      return family.only == Only::kCylinders ? "each cylinder" : "each motor";
    case Of::kRun:
      break;
  }
  return {};
}

}  // namespace

std::vector<Channel> channels(const machine::MachineModel& model) { return channels(model, false); }

std::vector<Channel> all_channels(const machine::MachineModel& model) {
  return channels(model, true);
}

unsigned parts_of(const Channel& channel) {
  const auto reads = [&](const auto... functions) { return ((channel.read == functions) || ...); };
  if (reads(time)) return 0;
  if (reads(of_joint<&JointSnapshot::position>, of_joint<&JointSnapshot::rate>,
            of_joint<&JointSnapshot::reference>))
    return kJointPart;
  if (reads(of_actuator<&ActuatorSnapshot::valve_V>, of_actuator<&ActuatorSnapshot::port_a_Pa>,
            of_actuator<&ActuatorSnapshot::port_b_Pa>, of_actuator<&ActuatorSnapshot::open>,
            of_actuator<&ActuatorSnapshot::force>))
    return kActuatorPart;
  if (reads(of_actuator<&ActuatorSnapshot::displacement>)) return kLengthPart;
  if (reads(tip)) return kTipPart;
  return reads(gallery) ? kSupplyPart : kAllParts;
}

std::vector<FamilyRow> channel_rows() {
  std::vector<FamilyRow> rows;
  for (const Family& family : kFamilies)
    rows.push_back({family.name, family.unit, family.description,
                    family.of == Of::kLoop    ? "LOOP"
                    : family.of == Of::kWheel ? "WHEEL"
                                              : "J",
                    owners(family), family.traced ? "trace, session, bundle" : "bundle"});
  return rows;
}

}  // namespace knuckleboom::sim
