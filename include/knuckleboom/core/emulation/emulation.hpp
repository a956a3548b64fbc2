// Hardware in the loop: a host manipulator moves its tip as another machine's tip would move, touches a worksite
// with it, and the force that it measures acts on the other machine. docs/theory/emulation.md
//
// A tick, in the declared order of exchange:
//   1. the sensor samples the contact on the host's tip; inputs from outside are latched
//   2. the emulated machine advances over the tick under the measured force: acceleration of its tip
//   3. the host's control turns that into torques, its torque control into valve commands
//   4. the host's plant and the contact advance over the same tick in sub-steps
// Nothing is handed over late but what exchanges() says.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "knuckleboom/core/emulation/contact.hpp"
#include "knuckleboom/core/emulation/force_observer.hpp"
#include "knuckleboom/core/emulation/force_sensor.hpp"
#include "knuckleboom/core/emulation/tip_emulation.hpp"
#include "knuckleboom/core/emulation/torque_control.hpp"
#include "knuckleboom/core/emulation/tuning.hpp"
#include "knuckleboom/core/machine/metering.hpp"
#include "knuckleboom/core/sim/simulation.hpp"

namespace knuckleboom::emulation {

// A machine and where its joints start, at rest.
struct Part {
  machine::MachineModel model;
  std::vector<command::InitialJoint> initial;
};

enum class Integrator {
  kRealTimeStep,   // as everywhere else
  kExplicitEuler,  // as in the paper; for machines without hydraulics
};

// Speed by which the emulated machine's control gives way to the force on its tip.
struct Accommodation {
  double translation = 0.0;  // m/(s N)
  double rotation = 0.0;     // rad/(s N m)
  double filter_Hz = 2.0;    // of the force
};

// What the operator of the emulated machine asks of its tip.
struct Phase {
  std::string name;
  double duration_s = 0.0;         // it ends then at the latest
  Vec3 velocity_S = Vec3::Zero();  // in the site frame: z into the material [m/s]
  double until_depth =
      std::numeric_limits<double>::infinity();  // it ends there: peg's end below the surface [m]
  double until_force =
      std::numeric_limits<double>::infinity();  // or at this force against the peg [N]
};

// When a run is stopped, or stops by itself. hardware_loop.hpp
struct SafetyLimits {
  double most_force = std::numeric_limits<double>::infinity();  // as measured [N]
  double most_tip_error = 0.05;                                 // host's tip less target [m]
  double late_tick_s = 0.1;   // of a tick that starts late in real time
  double console_s = 2.0;     // of a console that gives no sign of life
  double stale_stop_s = 0.5;  // of a hold because of a silent signal
};

struct EmulationPlan {
  std::string name, description;
  Part host;      // six joints; each with a motor of its own, or none at all: perfect torques
  Part emulated;  // joints with springs (their far ends are the motors), or with hydraulics
  double tick_s = 1e-3;
  int plant_substeps = 8;  // of the host and the contact, in a tick
  int emulated_every = 1;  // ticks
  Integrator integrator = Integrator::kRealTimeStep;

  Worksite site;
  Peg peg;
  Vec3 start_S = Vec3::Zero();         // of the peg's end, in the site frame [m]
  Vec3 misalignment_S = Vec3::Zero();  // rotation of the peg against the site [rad]
  ForceSensor sensor;

  Scheme scheme = Scheme::kAcceleration;
  TipGains gains;                      // of the acceleration scheme's drift feedback
  TipGains position_gains{10.0, 1.0};  // of the position scheme
  double torque_bandwidth_Hz = 80.0;
  // Carries the measured force forward over the delays of the loop by its slope (an exchange's delay).
  bool prediction = true;
  double prediction_filter_s = 1e-3;  // of that slope
  double friction_share = 1.0;        // of the host's friction by its law that is counted on
  double observer_Hz = 10.0;  // above it the host's own joints tell the force, below it the sensor

  Accommodation accommodation;
  double operator_acceleration = 0.05;  // of the operator's speed [m/s^2]
  std::vector<Phase> phases;
  SafetyLimits safety;

  double duration_s() const;
};

// Signals that are on or off: above it they are on.
inline constexpr double kOn = 0.5;

// Of one tick, from its caller.
struct EmulationInput {
  double operator_twist[6];   // of the emulated tip, in the world [m/s, rad/s]
  double push[6];             // on the tip beside the contact, in the world; the sensor feels it
  std::int64_t has_operator;  // 1: operator_twist takes the place of the plan's phases, which wait
  std::int64_t hold;          // 1: the emulated machine stands still and the host holds its pose
  std::int64_t stop;          // 1: and the host's spools are neutral; without hydraulics: brakes
  std::int64_t hardware;  // 1: the host is none of ours: where its tip is, and the work on it, say
                          // the sensors
};
static_assert(std::is_trivially_copyable_v<EmulationInput>);

// What the sensors say in a tick. Another source may take a value's place between the stages.
struct EmulationSensors {
  double stop_line;                   // above a half: somebody wants a stop; HardwareLoop heeds it
  double operator_twist[6];           // asked for, in the site frame [m/s, rad/s]
  double wrench[6];                   // on the host's tip about it, in the tool's axes [N, N m]
  double q[kMaxLinks], v[kMaxLinks];  // host's joints [rad, rad/s]
  double emulated_q[kMaxLinks];       // that the emulated machine's controllers see [rad, m]
  double p[kMaxLinks][2];             // pressures of the host's motors, by joint [Pa]
};
// What the machines are told in a tick.
struct EmulationCommands {
  double motor_rate[kMaxLinks];  // far ends of the emulated springs, or references [rad/s, m/s]
  double drive[kMaxLinks];  // of the host's joints: valves [V], without hydraulics torques [N m]
  double brake;             // above a half: the host's parking brakes are to be closed
};

// Work over the run [J].
struct EmulationEnergy {
  double host;       // of the contact on the host's tip
  double emulated;   // of the force that the emulated machine was given, on its tip
  double exchanged;  // magnitude of what passes through the contact
  double generated;  // most that the loop has put in on balance so far
};

struct TipPose {
  double p[3];      // m
  double R[3][3];   // [column][row]
  double twist[6];  // m/s, rad/s
};

// Where the emulated tip is seen in the host's world.
struct TipShift {
  double offset[3];   // m
  double turn[3][3];  // [column][row], of the peg in the emulated tip's axes; with less than six
                      // joints in the world's
};

struct EmulationHealth {
  std::int64_t host_singular, emulated_singular;  // ticks
  std::int64_t valve_full;                        // ticks with a valve at its limit
  std::int64_t non_finite;
};

struct EmulationState {
  std::int64_t tick;
  std::int64_t phase, phase_tick;  // which one, and the ticks in it
  Tuning tuning;
  EmulationSensors sensed;
  EmulationCommands commands;
  TipShift shift;
  sim::SimState host, emulated;
  ContactState contact;
  ForceSensorState sensor;
  ForceObserverState observer;
  double contact_W[6];       // on the peg about its end, at the end of the last tick
  double measured_W[6];      // what came out of the sensor
  double known_W[6];         // what is known of the wrench now
  double slope_W[6];         // of that, smoothed [N/s]
  double felt_W[6];          // what the emulated machine was given
  double accommodated_W[6];  // behind the accommodation's filter
  double operator_twist[6];  // ramped
  double tip_command[6];     // with what the accommodation adds
  double motor[kMaxLinks];   // far ends of springs, or references of controllers [rad, m]
  double motor_rate[kMaxLinks];
  TipPose target;              // emulated tip in the host's world, at the end of the tick
  TipPose tip;                 // host's
  double tip_acceleration[6];  // that the host was asked for, without feedback
  double host_torque[kMaxLinks], host_acceleration[kMaxLinks];
  std::int64_t brake_ticks;   // for which the host's parking brakes are to stay closed
  std::int64_t braked;        // 1: they are closed
  double brake_q[kMaxLinks];  // joints, when they closed
  EmulationEnergy energy;
  EmulationHealth health;
};
static_assert(std::is_trivially_copyable_v<EmulationState>);

// Distance of the host's tip from where it should be [m].
double tip_error(const EmulationState& state);

// One hand-over of a tick.
struct Exchange {
  std::string from, to, what;
  double delay_s;  // from what it describes to the middle of its effect
};

class Emulation {
 public:
  // alone: the emulated machine itself touches the worksite, without host, sensor or delay: the ideal.
  // Throws std::invalid_argument with one sentence for a plan that cannot be.
  explicit Emulation(EmulationPlan plan, bool alone = false);
  Emulation(const Emulation&) = delete;  // its controls point into its machines
  Emulation& operator=(const Emulation&) = delete;

  EmulationState initial_state() const;
  // One tick. No heap, no exception.
  void step(EmulationState& state, const EmulationInput& input = {}) const;
  // Its stages, in this order, with a host: sensors are read; the emulated machine's motors are told; it
  // moves and the host's control follows; plant and contact move.
  void read_sensors(EmulationState& state, const EmulationInput& input) const;
  void command_emulated(EmulationState& state, const EmulationInput& input) const;
  void control_host(EmulationState& state, const EmulationInput& input) const;
  void move_host(EmulationState& state, const EmulationInput& input) const;
  // The emulated tip is put where the host's is by its sensors, at rest.
  void place_on_host(EmulationState& state) const;

  const EmulationPlan& plan() const { return plan_; }
  double time(const EmulationState& state) const {
    return static_cast<double>(state.tick) * plan_.tick_s;
  }
  std::int64_t tick_count() const;
  bool finished(const EmulationState& state) const {
    return state.phase >= static_cast<std::int64_t>(plan_.phases.size());
  }
  const std::vector<Exchange>& exchanges() const { return exchanges_; }
  // Sum of the delays around the loop of contact force and motion, as planned and as tuned [s].
  double loop_delay_s() const;
  double loop_delay_s(const EmulationState& state) const;
  // The same pose or vectors as the site sees them.
  PegMotion in_site(const TipPose& tip) const;
  Vec3 to_site(const Vec3& vector_W) const { return site_W_.R.transpose() * vector_W; }

 private:
  void check() const;
  void place();
  void predict(const Wrench& measured, EmulationState& state) const;
  Wrench observe(const Wrench& measured, EmulationState& state) const;
  void command(double h, EmulationState& state) const;
  void drive(const EmulationState& state, sim::TickInput& input, double* outside) const;
  void advance_emulated(const sim::Simulation& simulation, const Wrench& felt,
                        EmulationState& state) const;
  void lead_references(EmulationState& state) const;
  void euler(double h, const double* force, sim::SimState& state) const;
  TipTarget target_of(const EmulationState& state) const;
  void command_host(const TipTarget& target, EmulationState& state) const;
  sim::TickInput host_input(const EmulationState& state, bool stop) const;
  void advance_host(const sim::TickInput& input, const Wrench& push, EmulationState& state) const;
  void sense_host(const EmulationEnergy& before, EmulationState& state) const;
  void move_target(EmulationState& state) const;
  void add_brake(const EmulationState& state, double* force) const;
  std::int64_t brake_time() const;  // ticks
  void work_brakes(const EmulationInput& input, EmulationState& state) const;
  void ask_operator(const EmulationInput& input, double (&twist)[6],
                    const EmulationState& state) const;
  Mat3 sensed_orientation(const EmulationState& state) const;
  void step_alone(EmulationState& state, const EmulationInput& input) const;
  Wrench touch(const EmulationState& state, const TipMotion& tip, double h,
               ContactState& contact) const;
  void next_phase(EmulationState& state) const;
  void end_tick(EmulationState& state) const;
  // Of the emulated machine, in the host's world.
  void emulated_tip(const TipShift& shift, const sim::SimState& state, TipMotion& out) const;

  EmulationPlan plan_;
  bool alone_;
  int rows_;  // 6, or 3: the emulated machine does not place the orientation, which stays
  sim::Simulation emulated_;
  sim::Simulation host_;
  std::vector<TorqueControl> torque_controls_;
  std::vector<machine::Metering> metering_;
  multibody::Pose site_W_;
  TipShift start_shift_{};
  double start_bias_[kMaxLinks] = {};
  std::vector<Exchange> exchanges_;
  double delay_without_sensor_s_ = 0.0;
};

}  // namespace knuckleboom::emulation
