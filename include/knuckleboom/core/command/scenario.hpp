// References and events of a machine over time: the exact content of a scenario file, in SI units.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom/core/command/fault.hpp"
#include "knuckleboom/core/command/signal.hpp"
#include "knuckleboom/core/command/tip_path.hpp"
#include "knuckleboom/core/math/vector.hpp"
#include "knuckleboom/core/world/ground.hpp"

namespace knuckleboom::command {

enum class JointMode {
  kTrack,    // the joint controller follows the reference
  kVoltage,  // open loop: the program is the valve command in volts
  kTip,      // the joint controller follows the inverse kinematics of the tip path
  kTorque,   // a torque or force on the joint, in addition to everything else that moves it
  kSpeed,    // the joint's own drive follows a speed
  kSpring,   // the far end of the joint's own spring moves
  kShare,    // an input of the wheels, a plain number
};

struct JointProgram {
  std::string joint;
  JointMode mode = JointMode::kTrack;
  // Joint position or far end of a spring [rad, m], valve command [V], torque [N m, N] or speed
  // [rad/s, m/s]; unused in tip mode.
  Signal signal;
};

// Inputs of a machine on wheels; from the parking brake on they are off, or on beyond 0.5.
enum class CarrierInput {
  kDrive,
  kBrake,
  kInching,
  kParkingBrake,  // without a program: on where nothing drives
  kHighGear,
  kDifferentialLock,
  kJointLock,
};
struct CarrierProgram {
  CarrierInput input = CarrierInput::kDrive;
  Signal signal;
};

struct InitialJoint {
  std::string joint;
  double position = 0.0;  // rad or m; at rest
  // Static equilibrium leaves one pressure free; at most one of the two is given for a cylinder.
  // For a motor port_b is the mean of both port pressures: P_e - P_f balances the load.
  bool port_a_given = false, port_b_given = false;
  double port_a_Pa = 0.0, port_b_Pa = 0.0;
  // In place of a position, of a joint that turns in any direction: its body's orientation against position zero.
  bool turned = false;
  Mat3 R = Mat3::Identity();
};

enum class EventKind {
  kAttach,        // payload rigidly to a body, picked up at rest
  kDetach,        // payload of that name released
  kJointMode,     // joint to open loop volts (value) or back to tracking, bumplessly
  kPumpPressure,  // supply pressure becomes value [Pa]
  kGain,          // controller gain `key` of joint becomes value
  kAssemble,      // a body absent until then joins the machine, with its joint
};

struct Event {
  EventKind kind = EventKind::kAttach;
  double at_s = 0.0;
  std::string name;    // payload
  std::string target;  // body or joint
  std::string key;     // gain name: kp, ki, kd, feed_forward, overlap_compensation
  JointMode mode = JointMode::kTrack;
  double value = 0.0;
  double mass_kg = 0.0;       // payload
  Vec3 com_B = Vec3::Zero();  // m, body frame
  Mat3 about_com = Mat3::Zero();
};

struct Scenario {
  std::string name;
  std::string description;
  std::string machine;  // machine used when none is named
  double duration_s = 0.0;
  double tick_s = 1e-3;
  std::vector<InitialJoint> initial;
  std::vector<JointProgram> programs;
  std::vector<CarrierProgram> carrier;
  world::GroundRecipe ground;  // under the machine's wheels
  // Supply pressures over time, for instance measured ones [Pa]; without terms the machine's.
  Signal pump_Pa, tank_Pa;
  double tip_start_s = 0.0;
  TipPath tip_path;
  std::vector<Event> events;  // sorted by time
  std::vector<Fault> faults;
};

}  // namespace knuckleboom::command
