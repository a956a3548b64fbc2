// A machine: rigid bodies, the actuators that move their joints, and the joint controllers.
// Built once, validated, then constant.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "knuckleboom/core/control/pid.hpp"
#include "knuckleboom/core/friction/parameters.hpp"
#include "knuckleboom/core/hydraulics/supply.hpp"
#include "knuckleboom/core/machine/linkage_laws.hpp"
#include "knuckleboom/core/machine/watch.hpp"
#include "knuckleboom/core/math/table.hpp"
#include "knuckleboom/core/multibody/ball.hpp"
#include "knuckleboom/core/multibody/loops.hpp"
#include "knuckleboom/core/multibody/tree.hpp"
#include "knuckleboom/core/pneumatics/air.hpp"

namespace knuckleboom::machine {

struct Actuator;  // actuator.hpp

enum class LinkageKind {
  kDirect,    // displacement = joint position (motor on a revolute joint, cylinder along a slide)
  kTriangle,  // cylinder between a pin on the joint's parent body and a pin on its own body
  kPins,  // cylinder between pins on any two bodies: its length follows from all joints between them
};

// Actuator displacement x as a function of the joint position q; x_dot = J q_dot (eq. 4).
struct Linkage {
  LinkageKind kind = LinkageKind::kDirect;
  Vec3 base_pin = Vec3::Zero();  // triangle: in the joint frame at q = 0 (origin at the joint), m
  Vec3 rod_pin = Vec3::Zero();   // triangle: in the moving body's frame, m
  // Pins: the bodies (or multibody::kBase), each pin in its body's frame.
  int base_body = multibody::kBase, rod_body = multibody::kBase;
  multibody::PointPair pins;                  // filled by finish()
  double length_min = 0.0, length_max = 0.0;  // over the joint's range [m]; filled by finish()
  // Length^2 = k0 + kc cos q + ks sin q; filled by finish().
  double k0 = 0.0, kc = 0.0, ks = 0.0;
  double sign =
      1.0;  // of dx/dq over the joint range (pins: in the middle of it); filled by finish()
};

using LinkageState = BasicLinkageState<double>;
inline LinkageState linkage_state(const Linkage& linkage, double q, double sin_q, double cos_q) {
  if (linkage.kind == LinkageKind::kDirect) return {q, 1.0};
  if (linkage.kind == LinkageKind::kPins) [[unlikely]]
    return {0.0, 0.0};  // not determined by one joint: machine/mechanism.hpp
  return triangle_state(linkage.k0, linkage.kc, linkage.ks, sin_q, cos_q);
}

// Cushioned end stop at both ends of the actuator's displacement. Inside the cushion a damping grows
// linearly up to the stop; beyond it a spring and damper push back.
struct EndStops {
  bool enabled = false;
  double x_min = 0.0, x_max = 0.0;  // m or rad
  double cushion = 0.0;             // m or rad
  double cushion_damping = 0.0;     // N s/m at the stop
  double stiffness = 0.0;           // N/m
  double damping = 0.0;             // N s/m
};

// A drive on a joint without hydraulics: it applies the scenario's torque (or force), or follows a
// speed with a torque proportional to the speed error.
struct JointDrive {
  int link = 0;
  double torque_limit = 0.0;  // N m, N; 0: none
  double speed_gain = 0.0;    // N m s/rad, N s/m; 0: no speed control
  // With speed control: adds the torque that holds the machine at rest as it stands, payloads included, so that no
  // weight is left to a speed error.
  bool holds_load = false;
};

enum class ClosedValveModel {
  kDynamic,      // eq. 21
  kQuasiStatic,  // eq. 25-26 with the residual-flow filter
  kOrifice,      // an orifice at its maximum resistance, equations never switched: the load drifts
};

struct Supply {
  double pump_Pa = 20e6;  // of the constant source; highest pressure of a regulated pump
  double tank_Pa = 0.0;
  hydraulics::SupplyKind kind = hydraulics::SupplyKind::kConstant;
  hydraulics::PumpSupply pump;
};

// A part of the machine that can touch the world: a capsule fixed to a body.
enum class ShapeRole {
  kCarrier,
  kBoom,
  kStick,
  kHead,
  kStake,
  kBed
};  // the last two of a load space
struct ContactShape {
  std::string name;
  int body = 0;  // or multibody::kBase
  ShapeRole role = ShapeRole::kHead;
  Vec3 from_B = Vec3::Zero(), to_B = Vec3::Zero();  // m
  double radius = 0.1;                              // m
};

// Room for logs between a headboard and pairs of stakes, in its body's frame: they lie along x, z points up.
// Its contact shapes are among the machine's.
struct LoadSpace {
  bool present = false;
  int body = multibody::kBase;
  Vec3 front_B = Vec3::Zero();     // middle of the headboard's foot, at the height of the floor [m]
  double length = 4.7;             // from the headboard to its end [m]
  double width = 2.75;             // between the stakes [m]
  double height = 1.75;            // of the stakes above the floor [m]
  double headboard_height = 1.05;  // above the floor [m]
  int pairs = 4;                   // of stakes
};
// Stakes, headboard and beams of the floor: roles kStake and kBed.
std::vector<ContactShape> load_space_shapes(const LoadSpace& space);
struct MachineModel;
// For work that needs the room: the machine without its load space.
void remove_load_space(MachineModel& machine);

// Two jaws that close around a log. Either they are bodies of the tree with an actuator, and hold what
// friction holds; or they are no bodies, follow the lever whatever the oil does, and hold a log like a
// body of the tree.
struct Grapple {
  bool present = false;
  int body = 0;
  // Bodies of the jaws on side -1 and +1 of the open axis, each turning about its hinge: its joint's
  // position is the angle of its chord, outwards from the reach axis (core/world/grapple.hpp). kBase:
  // there are none.
  int jaw[2] = {multibody::kBase, multibody::kBase};
  Vec3 pin_B = Vec3::Zero();           // between the two jaws' hinges [m]
  Vec3 log_axis_B = Vec3::UnitX();     // along the log it holds
  Vec3 open_axis_B = Vec3::UnitY();    // opening direction of the jaws
  Vec3 reach_axis_B = -Vec3::UnitZ();  // from the pin to the log
  double hinge_distance = 0.3;         // between the jaws' hinges [m]
  double jaw_length = 0.6;             // from hinge to tip, along the jaw's chord [m]
  double jaw_width = 0.3;              // between the tines of one jaw, along the log [m]
  double tine_radius = 0.04;           // m
  double opening_max = 1.2;            // between the tips, fully open [m]
  // For jaws that are no bodies.
  double closing_time_s = 1.5;  // from open to closed, at full lever
  double grip_force_N = 15e3;   // a held log slips out if pulled with more

  bool driven() const { return present && jaw[0] != multibody::kBase; }
};

// A harvester's head, on the body of a grapple whose jaws, its knives, are no bodies: it grips standing trees and
// saws them. Tilt, knives and saw have a circuit of their own, which is no oil but limits of force, rate and power.
struct Head {
  bool present = false;
  int tilt_link = multibody::kBase;  // the joint that tilts it; without an actuator
  double tilt_rate = 1.2;            // at full lever [rad/s]
  double tilt_torque = 20e3;         // N m
  double saw_distance = 0.7;         // of the saw's plane from the middle of the grip [m]
  double knife_distance = 0.8;       // between the two pairs of knives [m]
  double knife_force = 20e3;         // of a pair [N]
  double roller_force = 24e3;        // that holds a stem along its axis [N]
  double feed_force = 25e3;          // of the rollers' motors, stalled [N]
  double feed_speed = 5.0;           // m/s
  double feed_power = 124e3;         // W
  double reset_error = 0.010;        // of the wheel's zero, standard deviation [m]
  double length_drift = 0.008;       // after a metre, growing with the root of the length [m]
  double diameter_error = 0.0043;    // of the knives [m]
  double length_allowance = 0.0;     // beyond a product's length, to be fed to [m]
  double plan_step = 0.0;            // of feeding, after which it plans anew; 0: at cuts alone [m]
  double chain_speed = 38.0;         // m/s
  double saw_power = 45e3;           // W
  double saw_energy = 0.6e6;         // for an area of wood [J/m^2]
  double bar_force = 350.0;          // that presses the bar into the wood [N]
  double bar_time_s = 0.2;           // to the wood, and back home
};

// A wheel: a disc that turns about an axis fixed to a body. Its spin is a state of its own, not a body's; its mass
// is part of the body's.
struct Wheel {
  std::string name;
  int body = 0;
  Vec3 centre_B = Vec3::Zero();     // m
  Vec3 axis_B = Vec3::UnitY();      // right-handed about it the wheel rolls forwards
  double radius = 0.67;             // m
  double width = 0.71;              // m
  double stiffness = 450e3;         // of the tyre, upright on flat ground [N/m]
  double damping = 5e3;             // N s/m
  double grip_stiffness = 400e3;    // of the tread along the ground [N/m]
  double grip_damping = 6e3;        // the same, as long as the wheel hardly moves [N s/m]
  Table grip;                       // share of the load along the ground over slip, from (0, 0) on
  double inertia = 80.0;            // about the axis [kg m^2]
  double rolling_resistance = 0.0;  // share of the load
  double brake_torque = 0.0;        // fully braked or parked [N m]
  bool driven = false;
};

// Hydrostatic drive of the wheels: a pump on the engine, a motor, a gear box with two gears and differentials
// that share the torque equally, or lock.
struct Driveline {
  bool present = false;
  int body = 0;                     // takes the reaction to the wheels' torque
  double pump_displacement = 0.0;   // m^3/rad at full stroke
  double pump_ratio = 1.0;          // pump over engine
  double stroke_time_s = 1.0;       // from none to full stroke
  double motor_displacement = 0.0;  // m^3/rad
  double motor_least =
      1.0;  // share of it that is left when half the lever has used up the pump's stroke
  double motor_full_Pa =
      0.0;  // pressure beyond which the motor takes its displacement back, up to the relief
  double ratio[2] = {1.0, 1.0};  // turns of the motor for one of the wheels, in low and high gear
  double relief_Pa = 0.0;        // difference of both sides
  double volume = 5e-3;          // of one side [m^3]
  double bulk_modulus = 1.2e9;   // Pa
  double leak = 0.0;             // from side to side [m^3/(s Pa)]
  double efficiency = 1.0;       // of the motor's torque at the wheels
  double engine_floor =
      0.0;  // share of the engine's speed at which the pump has given up its stroke
  double engine_full = 0.0;  // share at which it begins to
};

// Holds a joint without actuator where it is when the lock closes.
struct JointLock {
  int link = -1;            // -1: none
  double stiffness = 0.0;   // N m/rad
  double damping = 0.0;     // N m s/rad
  double torque_max = 0.0;  // N m; beyond it gives way
};

// Appearance of a body. Without any entry the view derives one from pins, shapes and the next
// joint.
enum class VisualForm { kMesh, kBox, kCylinder, kBall };
struct VisualPart {
  int body = 0;  // or multibody::kBase
  VisualForm form = VisualForm::kMesh;
  std::string mesh;           // file below assets/meshes, or an absolute path
  Vec3 size = Vec3::Ones();   // box: edges; cylinder (along z): radius, length; ball: radius [m]
  Vec3 scale = Vec3::Ones();  // of a mesh: metres per its unit, along its axes
  Vec3 position_B = Vec3::Zero();  // m
  Mat3 R_BM = Mat3::Identity();    // from the part's frame
  bool coloured = false;
  Vec3 colour = Vec3::Ones();  // red, green, blue; a mesh's own materials come first
};

// Origin of a number of the machine file, for `inspect`.
struct Source {
  std::string key;     // path of the key in the file
  std::string value;   // as written, with unit
  std::string source;  // or "representative"
};

// Position and speed of a joint within which nothing need be looked at closely.
struct WatchBand {
  double lower[2], upper[2];  // rad, m; rad/s, m/s
};

// The same for the pressures of an actuator.
struct WatchPressures {
  double low, high;  // Pa
  double relief;     // well above the relief valve's setting; infinite: it has none
  bool cylinder;     // or a motor
};

struct MachineModel {
  // In the source, where an actuator is complete.
  MachineModel();
  MachineModel(const MachineModel&);
  MachineModel(MachineModel&&) noexcept;
  MachineModel& operator=(const MachineModel&);
  MachineModel& operator=(MachineModel&&) noexcept;
  ~MachineModel();

  std::string name;
  std::string description;
  std::string caution;  // what the machine is not good for; every result bears it
  multibody::Tree tree;
  std::vector<Actuator> actuators;             // at most one per joint
  std::vector<control::PidGains> controllers;  // one per actuator
  std::vector<multibody::Loop> loops;
  std::vector<multibody::Coupling> couplings;
  multibody::LoopSystem loop_system;  // of the loops and couplings; filled by finish()
  // Spherical and free joints. Their turns have no actuator, drive, coupling, friction, spring or limits.
  std::vector<multibody::Ball> balls;
  std::int64_t held = 0;           // bit j: joint j is a ball's turn that never moves; by finish()
  std::vector<JointDrive> drives;  // at most one per joint, and none on a joint with an actuator
  Supply supply;
  pneumatics::Air air;  // of a machine on air; its supply is entered in `supply` by finish()
  ClosedValveModel closed_valve = ClosedValveModel::kDynamic;
  double tau_Q = 0.01;                // time constant of the residual flow (eq. 15) [s]
  std::vector<EndStops> joint_stops;  // of each joint, from its body; filled by finish()
  // Dry friction of each joint, also of passive ones; empty: none.
  std::vector<friction::FrictionModel> joint_friction;
  int tip_body = 0;
  Vec3 tip_B = Vec3::Zero();
  std::vector<ContactShape> shapes;
  LoadSpace load_space;
  Grapple grapple;
  Head head;
  std::vector<Wheel> wheels;
  Driveline driveline;
  JointLock joint_lock;
  WatchLimits watch;
  // One for each joint and for each actuator; filled by finish().
  std::vector<WatchBand> watch_bands;
  std::vector<WatchPressures> watch_pressures;
  std::vector<VisualPart> visuals;
  std::vector<Source> sources;
  double danger_zone = 0.0;  // nobody may come nearer while it works; 0: none is known [m]

  int joint_count() const { return tree.link_count(); }
  // Whether joints depend on each other: loops, couplings, a cylinder across more than one joint, or a ball.
  bool coupled() const;
  // The ball that a joint is a turn of; null: it is a freedom of its own.
  const multibody::Ball* ball_of(int link) const;
  // The name that people know: of a turn that of its ball.
  const std::string& shown_name(int link) const;
  bool passive(int link) const;  // no actuator moves it
  bool on_air() const;           // its actuators are pneumatic: all of them, or none
  const std::string& actuator_name(int actuator) const;
  const std::string& joint_name(int link) const {
    return tree.body(tree.link(link).body).joint_name;
  }
};

// Derives the dependent data from the parameters (linkage constants, joint stops, end stops from
// joint limits where the stops are enabled and their ends are equal). Returns a message for each
// impossibility (empty if valid): impossible triangles within the joint range, dead centres, areas,
// non-positive parameters, two actuators on a joint.
std::vector<std::string> finish(MachineModel& model);

}  // namespace knuckleboom::machine
