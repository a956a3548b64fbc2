// Rigid bodies moved by pneumatic cylinders: the bench of one cylinder, and a leg of several.
//
// A tick: references or foot -> joint references -> PID -> valve -> chambers and bodies, solved
// together in both stages of the step. With exchange (AirRig::exchange_ticks), actuators and bodies
// are two programs that exchange force and motion once a tick with a delay, as in Daepp and Book.
// docs/theory/pneumatics.md
#pragma once

#include <array>
#include <string>
#include <type_traits>
#include <vector>

#include "knuckleboom/core/command/signal.hpp"
#include "knuckleboom/core/control/pid.hpp"
#include "knuckleboom/core/friction/parameters.hpp"
#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/multibody/tree.hpp"
#include "knuckleboom/core/pneumatics/cylinder.hpp"

namespace knuckleboom::machine {

inline constexpr int kMaxExchangeTicks = 63;

enum class AirMode {
  kVoltage,  // the signal is the valve's [V]
  kTrack,    // the signal is the joint's reference [m, rad], followed by the PID
  kFoot,     // the reference comes from the foot's inverse kinematics
};

// The piston's position is the linkage's displacement less that with the piston fully in.
struct AirDrive {
  std::string name;
  int link = 0;
  Linkage linkage;               // direct or triangle, derived by finish()
  double displacement_in = 0.0;  // m
  double sense = 1.0;            // of J; by finish()
  pneumatics::Cylinder cylinder;
  pneumatics::Valve valve;
  EndStops stops;                    // of the piston
  double viscous = 0.0;              // N s/m
  friction::FrictionModel friction;  // of the piston
  control::PidGains gains;           // on the joint; output relative to the valve's middle
  AirMode mode = AirMode::kVoltage;
  command::Signal signal;
  double P_start[2] = {101325.0, 101325.0};  // cap, rod [Pa absolute]
};

// Target of the foot: home + R full lever, all in the world frame.
struct Foot {
  bool used = false;
  int body = 0;
  Vec3 p_B = Vec3::Zero();
  Vec3 home_W = Vec3::Zero();  // by finish(): position of the foot at q_start
  double full = 0.0;           // travel of the foot at full lever [m]
  command::Signal lever[3];    // -1..1, along the world's axes
};

struct AirRig {
  std::string name, description;
  multibody::Tree tree;
  pneumatics::Air air;
  std::vector<AirDrive> drives;  // at most kMaxActuators
  Foot foot;
  double q_start[kMaxLinks] = {};
  double h = 1e-3;          // tick [s]
  int exchange_ticks = -1;  // -1: one program; else delay of the motion seen by the actuators
  double duration_s = 0.0;

  // Throws std::invalid_argument with a message on impossible parameters.
  void finish();
};

struct AirDriveState {
  pneumatics::Chamber chamber[2];
  double P[2], T[2];  // Pa, K
  double x, v;        // of the piston [m, m/s]
  double reference;   // m, rad
  double signal_V, spool_V;
  double force;     // of the air on the piston [N]
  double friction;  // friction force that the motion had to overcome [N]
  double bristle;   // LuGre [m]
  // Totals since the start: through both valves' edges into the chambers, from the supply, work on
  // the piston.
  double m_in, H_in, m_supply, work;  // kg, J, kg, J
  // With exchange: work of the force on the bodies less that along the delayed motion seen by the
  // air [J]. Zero in one program.
  double exchange_gain;
  control::PidState pid;
};

struct AirRigState {
  double q[kMaxLinks], v[kMaxLinks], a[kMaxLinks];
  multibody::LinkInertia inertia[kMaxLinks];
  AirDriveState drive[kMaxActuators];
  double q_foot[kMaxLinks];  // last solution of the inverse kinematics
  double sent[kMaxExchangeTicks + 1][2]
             [kMaxLinks];  // positions and rates in transit to the actuators
  std::int64_t tick;
  std::int64_t newton_worst, newton_unconverged, chamber_worst, friction_unsettled, non_finite;
  std::int64_t foot_out_of_reach;  // ticks
};
static_assert(std::is_trivially_copyable_v<AirRigState>);

AirRigState start(const AirRig& rig);
// No allocation, no exception.
void step(const AirRig& rig, const pneumatics::FlowLaw& law, AirRigState& state);

// Energy of the bodies [J]: kinetic and potential.
double body_energy(const AirRig& rig, const AirRigState& state);
// Target of the foot at time t [m, world].
Vec3 foot_target(const AirRig& rig, double t);
Vec3 foot_position(const AirRig& rig, const double* q);

}  // namespace knuckleboom::machine
