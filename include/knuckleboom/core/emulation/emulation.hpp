// Hardware in the loop: a host manipulator moves its tip as another machine's tip would move,
// touches a worksite with it, and the measured force acts on the other machine.
// docs/theory/emulation.md
//
// A tick, in the declared order of exchange:
//   1. the sensor samples the contact on the host's tip; external inputs are latched
//   2. the emulated machine advances over the tick under the measured force: acceleration of its tip
//   3. the host's control turns that into torques, its torque control into valve commands
//   4. the host's plant and the contact advance over the same tick in sub-steps
// exchanges() lists every delay of a transfer.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "knuckleboom/core/emulation/contact.hpp"
#include "knuckleboom/core/emulation/delay_line.hpp"
#include "knuckleboom/core/emulation/force_observer.hpp"
#include "knuckleboom/core/emulation/force_sensor.hpp"
#include "knuckleboom/core/emulation/joint_sensor.hpp"
#include "knuckleboom/core/emulation/tip_emulation.hpp"
#include "knuckleboom/core/emulation/torque_control.hpp"
#include "knuckleboom/core/emulation/tuning.hpp"
#include "knuckleboom/core/machine/metering.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::emulation {

// A machine and the start positions of its joints, at rest.
struct Part {
  machine::MachineModel model;
  std::vector<command::InitialJoint> initial;
};

enum class Integrator {
  kRealTimeStep,   // the usual step
  kExplicitEuler,  // as in the paper; for machines without hydraulics
};

// Compliance of the emulated machine's control: speed per force on its tip.
struct Accommodation {
  double translation = 0.0;  // m/(s N)
  double rotation = 0.0;     // rad/(s N m)
  double filter_Hz = 2.0;    // of the force
};

// A command of the operator to the emulated machine's tip.
struct Phase {
  std::string name;
  double duration_s = 0.0;         // longest duration
  Vec3 velocity_S = Vec3::Zero();  // in the site frame: z into the material [m/s]
  double until_depth =
      std::numeric_limits<double>::infinity();  // ends at this depth of the peg's end below the
                                                // surface [m]
  double until_force =
      std::numeric_limits<double>::infinity();  // or at this force against the peg [N]
};

// Limits that stop a run, and what a stop does. hil_bench.hpp
struct SafetyLimits {
  double most_force = std::numeric_limits<double>::infinity();  // as measured [N]
  double most_tip_error = 0.05;                                 // host's tip less target [m]
  double late_tick_s = 0.1;    // of a tick that starts late in real time
  double console_s = 2.0;      // of a console that does not respond
  double stale_stop_s = 0.5;   // of a hold due to a lost signal
  double swing = 2e-4;         // of an oscillation of the host's tip about its target, from peak to
                               // peak [m]
  double force_share = 0.25;   // the same of the measured force, of most_force
  double energy_budget = 0.5;  // that the loop may add at once [J]
  double let_go_force = 20.0;  // a stop at more than this lets go of the contact [N]
};

// Connections between the parts of the loop that are slower than within one program. What is
// simulated here the control counts on as well.
struct PathDelays {
  PathDelay joint_sensors;  // positions, speeds and pressures of the host, to its control
  PathDelay force;          // measured wrench, in addition to the sensor's own delay
  PathDelay valves;         // commands to the host's drives
  PathDelay emulated;       // motion of the emulated tip, to the host's control
};

struct EmulationPlan {
  std::string name, description;
  Part host;      // six joints; each with its own motor, or none with one: ideal torques
  Part emulated;  // joints with springs (their far ends are the motors), or with hydraulics
  // The host as it is, where that differs from host.model, which its control goes by.
  std::optional<machine::MachineModel> plant;
  double tick_s = 1e-3;
  int plant_substeps = 8;  // of the host and the contact, per tick
  int emulated_every = 1;  // ticks
  Integrator integrator = Integrator::kRealTimeStep;

  Worksite site;
  Peg peg;
  Vec3 start_S = Vec3::Zero();         // of the peg's end, in the site frame [m]
  Vec3 misalignment_S = Vec3::Zero();  // rotation of the peg relative to the site [rad]
  ForceSensor sensor;
  JointSensors joint_sensors;
  PathDelays delays;

  Scheme scheme = Scheme::kAcceleration;
  TipGains gains;                      // of the acceleration scheme's drift feedback
  TipGains position_gains{10.0, 1.0};  // of the position scheme
  double torque_bandwidth_Hz = 80.0;
  // Extrapolates the measured force over the delays of the loop (an exchange's delay).
  bool prediction = true;
  double prediction_filter_s = 1e-3;  // of that slope
  double friction_share = 1.0;        // share of the host's modelled friction that is assumed
  double observer_Hz = 10.0;  // above it the force comes from the host's joints, below it from the
                              // sensor

  Accommodation accommodation;
  double operator_acceleration = 0.05;  // of the operator's speed [m/s^2]
  std::vector<Phase> phases;
  SafetyLimits safety;

  double duration_s() const;
};

// Threshold of on/off signals.
inline constexpr double kOn = 0.5;

// Input of one tick, from the caller.
struct EmulationInput {
  double operator_twist[6];   // of the emulated tip, in the world [m/s, rad/s]
  double push[6];             // on the tip in addition to the contact, in the world; the sensor
                              // measures it
  std::int64_t has_operator;  // 1: operator_twist replaces the plan's phases, which wait
  std::int64_t hold;          // 1: the emulated machine stands still and the host holds its pose
  std::int64_t stop;          // 1: and the host's spools are neutral; without hydraulics: brakes
  std::int64_t hardware;      // 1: the host is hardware: its tip and the work on it follow from the
                              // sensors
  double retreat[3];          // while it is held: speed of the host's target, in the world [m/s]
  double damping;             // of the emulated tip, against energy that the loop adds [N s/m]
  double wire_s;              // measured delay to a host in hardware and back [s]
  std::int64_t theirs;        // 1: the tip moves as EmulationSensors::machine says
  std::int64_t follow;        // 1: and the emulated machine is carried along, so that it can go on
};
static_assert(std::is_trivially_copyable_v<EmulationInput>);

// Sensor values of a tick. Another source may replace a value between the stages.
struct EmulationSensors {
  double stop_line;                   // above a half: stop requested; evaluated by HilBench
  double operator_twist[6];           // commanded, in the site frame [m/s, rad/s]
  double wrench[6];                   // on the host's tip about it, in the tool's axes [N, N m]
  double q[kMaxLinks], v[kMaxLinks];  // host's joints [rad, rad/s]
  double emulated_q[kMaxLinks];       // that the emulated machine's controllers see [rad, m]
  double p[kMaxLinks][2];             // pressures of the host's motors, by joint [Pa]
  double echo;                        // time that the other side heard last [s]
  double machine[6];  // emulated tip at the end of the tick, position and speed in the site frame,
                      // less EmulationState::machine_shift [m, m/s]
};
constexpr auto state_fields(const EmulationSensors* /*type*/) {
  using S = EmulationSensors;
  return state::fields_of<S>(KB_FIELD(stop_line), KB_FIELD(operator_twist), KB_FIELD(wrench),
                             KB_FIELD(q), KB_FIELD(v), KB_FIELD(emulated_q), KB_FIELD(p),
                             KB_FIELD(echo), KB_FIELD(machine));
}
// Commands to the machines in a tick.
struct EmulationCommands {
  double motor_rate[kMaxLinks];  // far ends of the emulated springs, or references [rad/s, m/s]
  double drive[kMaxLinks];  // of the host's joints: valves [V], without hydraulics torques [N m]
  double brake;             // above a half: close the host's parking brakes
};
constexpr auto state_fields(const EmulationCommands* /*type*/) {
  using S = EmulationCommands;
  return state::fields_of<S>(KB_FIELD(motor_rate), KB_FIELD(drive), KB_FIELD(brake));
}

// Work over the run [J].
struct EmulationEnergy {
  double host;       // of the contact on the host's tip
  double emulated;   // of the force applied to the emulated tip
  double exchanged;  // magnitude of the energy exchanged through the contact
  double generated;  // largest energy added by the loop on balance so far
};
constexpr auto state_fields(const EmulationEnergy* /*type*/) {
  using S = EmulationEnergy;
  return state::fields_of<S>(KB_FIELD(host), KB_FIELD(emulated), KB_FIELD(exchanged),
                             KB_FIELD(generated));
}

struct TipPose {
  double p[3];      // m
  double R[3][3];   // [column][row]
  double twist[6];  // m/s, rad/s
};
constexpr auto state_fields(const TipPose* /*type*/) {
  using namespace knuckleboom::state;
  using S = TipPose;
  return state::fields_of<S>(KB_FIELD(p, kPosition), KB_FIELD(R, kDirection),
                             KB_FIELD(twist, kSpeed));
}

// Transformation of the emulated tip into the host's world.
struct TipShift {
  double offset[3];   // m
  double turn[3][3];  // [column][row], of the peg in the emulated tip's axes; with fewer than six
                      // joints in the world's
};
constexpr auto state_fields(const TipShift* /*type*/) {
  using namespace knuckleboom::state;
  using S = TipShift;
  return state::fields_of<S>(KB_FIELD(offset, kPosition), KB_FIELD(turn, kDirection));
}

// Values on their way, one line for each of PathDelays.
struct EmulationLines {
  DelayLine<4 * kHostJoints> joint_sensors;
  DelayLine<6> force;
  DelayLine<kHostJoints> valves;
  DelayLine<24> emulated;  // pose, twist and acceleration of the target
};
constexpr auto state_fields(const EmulationLines* /*type*/) {
  using S = EmulationLines;
  return state::fields_of<S>(KB_FIELD(joint_sensors), KB_FIELD(force), KB_FIELD(valves),
                             KB_FIELD(emulated));
}

struct EmulationHealth {
  std::int64_t host_singular, emulated_singular;  // ticks
  std::int64_t valve_full;                        // ticks with a valve at its limit
  std::int64_t non_finite;
};
constexpr auto state_fields(const EmulationHealth* /*type*/) {
  using namespace knuckleboom::state;
  using S = EmulationHealth;
  return state::fields_of<S>(KB_FIELD(host_singular, kCounter),
                             KB_FIELD(emulated_singular, kCounter), KB_FIELD(valve_full, kCounter),
                             KB_FIELD(non_finite, kCounter));
}

struct EmulationState {
  std::int64_t tick;
  std::int64_t phase, phase_tick;  // current phase, and the ticks in it
  Tuning tuning;
  EmulationSensors sensed;
  EmulationCommands commands;
  TipShift shift;
  sim::SimState host, emulated;
  ContactState contact;
  ForceSensorState sensor;
  ForceObserverState observer;
  double contact_W[6];       // on the peg about its end, at the end of the last tick
  double measured_W[6];      // output of the sensor
  double known_W[6];         // present estimate of the wrench
  double slope_W[6];         // its filtered slope [N/s]
  double felt_W[6];          // applied to the emulated machine
  double accommodated_W[6];  // after the accommodation's filter
  double operator_twist[6];  // ramped
  double tip_command[6];     // including the accommodation
  double motor[kMaxLinks];   // far ends of springs, or references of controllers [rad, m]
  double motor_rate[kMaxLinks];
  TipPose target;              // emulated tip in the host's world, at the end of the tick
  TipPose tip;                 // host's
  double tip_acceleration[6];  // commanded to the host, without feedback
  double host_torque[kMaxLinks], host_acceleration[kMaxLinks];
  std::int64_t brake_ticks;   // remaining closed time of the host's parking brakes
  std::int64_t braked;        // 1: they are closed
  double brake_q[kMaxLinks];  // joints, when they closed
  EmulationEnergy energy;
  EmulationHealth health;
  EmulationLines lines;
  double machine_shift[3];  // of the origin of an emulated machine elsewhere, in the site frame [m]
};
constexpr auto state_fields(const EmulationState* /*type*/) {
  using namespace knuckleboom::state;
  using S = EmulationState;
  return state::fields_of<S>(
      KB_FIELD(tick, kCounter), KB_FIELD(phase, kCounter), KB_FIELD(phase_tick, kCounter),
      KB_FIELD(tuning), KB_FIELD(sensed), KB_FIELD(commands), KB_FIELD(shift), KB_FIELD(host),
      KB_FIELD(emulated), KB_FIELD(contact), KB_FIELD(sensor), KB_FIELD(observer),
      KB_FIELD(contact_W), KB_FIELD(measured_W), KB_FIELD(known_W), KB_FIELD(slope_W),
      KB_FIELD(felt_W), KB_FIELD(accommodated_W), KB_FIELD(operator_twist), KB_FIELD(tip_command),
      KB_FIELD(motor), KB_FIELD(motor_rate), KB_FIELD(target), KB_FIELD(tip),
      KB_FIELD(tip_acceleration), KB_FIELD(host_torque), KB_FIELD(host_acceleration),
      KB_FIELD(brake_ticks), KB_FIELD(braked, kFlag), KB_FIELD(brake_q, kPosition),
      KB_FIELD(energy), KB_FIELD(health), KB_FIELD(lines), KB_FIELD(machine_shift, kPosition));
}

// Distance of the host's tip from its target [m].
double tip_error(const EmulationState& state);

// One transfer of a tick.
struct Exchange {
  std::string from, to, what;
  double delay_s;  // from the instant it describes to the middle of its effect
};

class Emulation {
 public:
  // alone: the emulated machine itself touches the worksite, without host, sensor or delay: the
  // ideal. Throws std::invalid_argument with a message for an impossible plan.
  explicit Emulation(EmulationPlan plan, bool alone = false);
  Emulation(const Emulation&) = delete;  // its controls point into its machines
  Emulation& operator=(const Emulation&) = delete;

  EmulationState initial_state() const;
  // One tick. No heap, no exception.
  void step(EmulationState& state, const EmulationInput& input = {}) const;
  // Its stages with a host, in this order: sensors are read; the emulated machine's motors get
  // their commands; it moves; the host's control follows; plant and contact move.
  void read_sensors(EmulationState& state, const EmulationInput& input) const;
  void command_emulated(EmulationState& state, const EmulationInput& input) const;
  void move_emulated(EmulationState& state, const EmulationInput& input) const;
  void control_host(EmulationState& state, const EmulationInput& input) const;
  void move_host(EmulationState& state, const EmulationInput& input) const;
  // Sets the emulated tip to the host's measured tip, at rest.
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
  // Delay of the host's own loop of valves, pressures and joints, besides its tick and that of
  // hardware on a wire [s].
  double host_delay_s() const { return host_delay_s_; }
  // Bandwidth of the pressure loops in use: the tuned one, or less if their delay asks for it [Hz].
  double torque_bandwidth_Hz(const EmulationState& state, double wire_s) const;
  // The same of the drift feedback.
  double drift_Hz(const EmulationState& state, double wire_s) const;
  // Effective mass of the emulated tip towards the site, in its start pose [kg].
  double tip_mass() const { return tip_mass_; }
  // Delay of the loop above which a contact as stiff as the site's swings by itself [s].
  double most_stable_delay_s(const EmulationState& state) const;
  // Delay around the loop besides the force's, which the observer removes [s].
  double heard_delay_s(const EmulationState& state) const;
  // Fastest motion towards the site that the plan asks for before it expects to touch [m/s].
  double approach_speed() const;
  // The same pose or vectors in the site frame.
  PegMotion in_site(const TipPose& tip) const;
  // Force on the tip as the sensor says, in the world [N].
  Vec3 sensed_force(const EmulationState& state) const {
    return sensed_orientation(state) * vec(state.sensed.wrench);
  }
  Vec3 to_site(const Vec3& vector_W) const { return site_W_.R.transpose() * vector_W; }

 private:
  void check() const;
  void place();
  void list_exchanges();
  void predict(const Wrench& measured, const EmulationInput& input, EmulationState& state) const;
  Wrench observe(const Wrench& measured, EmulationState& state) const;
  void command(double h, EmulationState& state) const;
  void drive(const EmulationState& state, sim::TickInput& input, double* outside) const;
  void advance_emulated(const sim::Simulation& simulation, const Wrench& felt,
                        EmulationState& state) const;
  void lead_references(EmulationState& state) const;
  void euler(double h, const double* force, sim::SimState& state) const;
  TipTarget target_of(const EmulationState& state) const;
  TipTarget target_that_arrives(EmulationState& state) const;
  void hear_joints(EmulationState& state) const;
  void command_host(const TipTarget& target, const EmulationInput& input,
                    EmulationState& state) const;
  sim::TickInput host_input(bool stop, EmulationState& state) const;
  void advance_host(const sim::TickInput& input, const Wrench& push, EmulationState& state) const;
  void sense_host(const EmulationEnergy& before, EmulationState& state) const;
  TipMotion end_of_target(const EmulationState& state) const;
  void move_target(const EmulationInput& input, EmulationState& state) const;
  void hear_machine(const EmulationInput& input, EmulationState& state) const;
  Vec3 machine_position(const EmulationState& state) const;  // in the world
  double tip_mass_of(const machine::MachineModel& model, const multibody::LinkInertia* inertia,
                     const double* q, const TipMotion& tip) const;
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
  // Tip of the emulated machine, in the host's world.
  void emulated_tip(const TipShift& shift, const sim::SimState& state, TipMotion& out) const;

  EmulationPlan plan_;
  bool alone_;
  int rows_;  // 6, or 3: the emulated machine does not control the orientation, which is constant
  sim::Simulation emulated_;
  sim::Simulation plant_;  // the host as it is; its control goes by plan_.host.model
  std::vector<TorqueControl> torque_controls_;
  std::vector<machine::Metering> metering_;
  multibody::Pose site_W_;
  TipShift start_shift_{};
  double start_bias_[kMaxLinks] = {};
  std::vector<Exchange> exchanges_;
  double delay_without_sensor_s_ = 0.0;
  double force_delay_s_ = 0.0;  // of the force's path
  double host_delay_s_ = 0.0;
  double tip_mass_ = 0.0, host_mass_ = 0.0;
};

}  // namespace knuckleboom::emulation
