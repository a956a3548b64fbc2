#include "knuckleboom/core/emulation/emulation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <stdexcept>

#include <Eigen/LU>

#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/exponential.hpp"

namespace knuckleboom::emulation {
namespace {

constexpr double kLeastRate = 1e-3;  // rad/s, m/s
constexpr double kLead = 0.02;
constexpr double kAbsurd = 1e9;
constexpr std::uint64_t kJointSeed = 0x6a6f696e74;  // apart from the force sensor's
constexpr std::uint64_t kSamplesOfATick = 4 * kMaxLinks;
constexpr double kBrakeFrequency = 100.0;  // Hz, of the joints against closed brakes
constexpr double kBrakeTime = 0.25;        // remaining closed time after a stop [s]
constexpr double kBrakeStep = 0.5;         // largest part of it in a sub-step [rad]
// Largest product of the pressure loops' rate and their delay: a half of what turns their phase by
// a quarter of a turn.
constexpr double kMostTurn = 0.75;
// Largest product of the drift feedback's bandwidth and the delay of the loop. Within its bandwidth
// the host is tied to the emulated tip, for which a wall that is felt late is a negative damping.
constexpr double kMostDrift = 0.0125;
enum : std::uint64_t { kJointsLate = 11, kForceLate, kValvesLate, kMotionLate };  // seeds of jitter

Vec3 linear(const double (&w)[6]) { return Vec3(w[0], w[1], w[2]); }
Vec3 angular(const double (&w)[6]) { return Vec3(w[3], w[4], w[5]); }
Wrench wrench(const double (&w)[6]) { return {linear(w), angular(w)}; }
void store(const Vec3& first, const Vec3& second, double (&out)[6]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = first[i];
    out[3 + i] = second[i];
  }
}
void store(const Wrench& w, double (&out)[6]) { store(w.force, w.moment, out); }
void store(const Mat3& R, double (&out)[3][3]) {
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) out[k][i] = R(i, k);
}
Mat3 matrix(const double (&columns)[3][3]) {
  Mat3 R;
  for (int k = 0; k < 3; ++k) R.col(k) = Vec3(columns[k][0], columns[k][1], columns[k][2]);
  return R;
}
void store(const TipMotion& tip, TipPose& out) {
  std::copy(tip.p.begin(), tip.p.end(), out.p);
  store(tip.R, out.R);
  store(tip.v, tip.omega, out.twist);
}
Mat3 orientation(const TipPose& tip) { return matrix(tip.R); }
Vec3 position(const TipPose& tip) { return Vec3(tip.p[0], tip.p[1], tip.p[2]); }

Wrench operator+(const Wrench& a, const Wrench& b) {
  return {a.force + b.force, a.moment + b.moment};
}

double power(const Wrench& w, const TipMotion& a, const TipMotion& b) {
  return 0.5 * (w.force.dot(a.v + b.v) + w.moment.dot(a.omega + b.omega));
}

// Adds the joint torques of a wrench on the tip.
void add_to_joints(const TipMotion& tip, int joints, const Wrench& w, double* force) {
  for (int i = 0; i < joints; ++i) {
    const auto u = static_cast<std::size_t>(i);
    force[i] += tip.J_v[u].dot(w.force) + tip.J_w[u].dot(w.moment);
  }
}

// Delay from the middle of the tick for which a torque is intended to the middle of its effect. The
// pressure loop lags by one over its rate and aims at the end of the tick:
// TorqueControl.PassesForty_Hz
double torque_delay_s(double bandwidth_Hz, double tick_s) {
  return std::max(0.0, 1.0 / (2.0 * std::numbers::pi * bandwidth_Hz) - 0.5 * tick_s);
}

command::Scenario scenario_of(const Part& part, double tick_s) {
  command::Scenario scenario;
  scenario.tick_s = tick_s;
  scenario.initial = part.initial;
  return scenario;
}

}  // namespace

double tip_error(const EmulationState& state) {
  return (position(state.tip) - position(state.target)).norm();
}

double EmulationPlan::duration_s() const {
  double sum = 0.0;
  for (const Phase& phase : phases) sum += phase.duration_s;
  return sum;
}

Emulation::Emulation(EmulationPlan plan, bool alone)
    : plan_(std::move(plan)),
      alone_(alone),
      rows_(plan_.emulated.model.joint_count() >= 6 ? 6 : 3),
      emulated_(plan_.emulated.model,
                scenario_of(plan_.emulated, alone ? plan_.tick_s / plan_.plant_substeps
                                                  : plan_.tick_s * plan_.emulated_every)),
      plant_(plan_.plant ? *plan_.plant : plan_.host.model,
             scenario_of(plan_.host, plan_.tick_s / plan_.plant_substeps)) {
  check();
  for (const machine::Actuator& actuator : plan_.host.model.actuators)
    torque_controls_.emplace_back(actuator, plan_.tick_s);
  for (const machine::Actuator& actuator : emulated_.model().actuators)
    metering_.emplace_back(actuator.circuit);
  place();
  list_exchanges();
}

void Emulation::list_exchanges() {
  const double h = plan_.tick_s;
  const PathDelays& late = plan_.delays;
  const bool hydraulic = !torque_controls_.empty();
  const double joints_s = mean_delay(late.joint_sensors, h);
  const double valves_s = mean_delay(late.valves, h);
  force_delay_s_ = mean_delay(late.force, h);
  host_delay_s_ = joints_s + valves_s;
  const double bandwidth_Hz = torque_bandwidth_Hz(initial_state(), 0.0);
  exchanges_ = {
      {"contact", "force sensor", "wrench on the tip", 0.5 * h / plan_.plant_substeps},
      {"force sensor", "emulated machine", "measured wrench, held over its step",
       plan_.sensor.delay * h + force_delay_s_ + 0.5 * h * plan_.emulated_every},
      {"emulated machine", "host control", "tip acceleration over the same step",
       mean_delay(late.emulated, h)},
      {"host control", "torque control", "joint torques", 0.0},
      {"torque control", "host", "valve commands; spools and pressures",
       valves_s + (hydraulic ? torque_delay_s(bandwidth_Hz, h) : 0.0)},
      {"host", "contact", "tip pose in the middle of each sub-step", 0.0},
  };
  if (joints_s > 0.0)
    exchanges_.push_back({"host", "host control", "joints and pressures as measured", joints_s});
  for (const Exchange& e : exchanges_) delay_without_sensor_s_ += e.delay_s;
  delay_without_sensor_s_ -= plan_.sensor.delay * h;
}

double Emulation::torque_bandwidth_Hz(const EmulationState& state, double wire_s) const {
  const double delay_s = host_delay_s_ + wire_s;
  const double tuned = state.tuning.torque_bandwidth_Hz;
  if (!(delay_s > 0.0)) return tuned;
  return std::min(tuned, kMostTurn / (2.0 * std::numbers::pi * delay_s));
}

double Emulation::drift_Hz(const EmulationState& state, double wire_s) const {
  const double delay_s = heard_delay_s(state) + wire_s;
  const double tuned = state.tuning.bandwidth_Hz;
  return delay_s > 0.0 ? std::min(tuned, kMostDrift / delay_s) : tuned;
}

// The observer removes the delay of the force sensor and its path.
double Emulation::heard_delay_s(const EmulationState& state) const {
  return loop_delay_s(state) - state.tuning.sensor_delay * plan_.tick_s - force_delay_s_;
}

// docs/theory/emulation.md, effect of delay.
double Emulation::most_stable_delay_s(const EmulationState& state) const {
  const double square = state.tuning.site_stiffness * (2.0 / host_mass_ - 1.0 / tip_mass_);
  return square > 0.0 ? std::numbers::pi / std::sqrt(square)
                      : std::numeric_limits<double>::infinity();
}

double Emulation::approach_speed() const {
  double most = 0.0;
  for (const Phase& phase : plan_.phases) {
    const Vec3& v = phase.velocity_S;
    most = std::max(most, plan_.site.kind == SiteKind::kPlane ? v.z() : v.norm());
    if (std::isfinite(phase.until_force)) break;
  }
  return most;
}

void Emulation::check() const {
  const auto refuse = [](const std::string& why) { throw std::invalid_argument(why); };
  const machine::MachineModel& host = plan_.host.model;
  const machine::MachineModel& other = plan_.emulated.model;
  const machine::MachineModel& plant = plant_.model();
  for (const machine::MachineModel* model : {&host, &other})
    if (model->on_air())
      refuse("machine '" + model->name +
             "' is on air; an emulation has machines on oil or without "
             "actuators");
  if (host.joint_count() != 6 || host.coupled())
    refuse("host '" + host.name + "' has " + std::to_string(host.joint_count()) +
           " joints; a host has six, one after the other");
  if (!host.actuators.empty() && host.actuators.size() != 6)
    refuse("host '" + host.name + "' drives only some of its joints; each needs a motor");
  for (const machine::Actuator& a : host.actuators)
    if (a.linkage.kind != machine::LinkageKind::kDirect)
      refuse("host '" + host.name + "': actuator '" + a.name +
             "' is no motor on its joint; torque control needs one");
  if (plant.joint_count() != 6 || plant.coupled() || plant.on_air() ||
      !std::equal(plant.actuators.begin(), plant.actuators.end(), host.actuators.begin(),
                  host.actuators.end(), [](const machine::Actuator& a, const machine::Actuator& b) {
                    return a.link == b.link && a.linkage.kind == b.linkage.kind;
                  }))
    refuse("the plant of host '" + host.name +
           "' has other joints or motors; it may differ in numbers only");
  if (other.coupled())
    refuse("machine '" + other.name +
           "' has loops, couplings or cylinders across joints; an emulated machine "
           "has none");
  if (other.joint_count() < 3)
    refuse("machine '" + other.name + "' has " + std::to_string(other.joint_count()) +
           " joints; three are needed to place a tip");
  for (int i = 0; i < other.joint_count(); ++i)
    if (other.passive(i) && other.tree.link(i).stiffness == 0.0)
      refuse("joint '" + other.joint_name(i) + "' of machine '" + other.name +
             "' has neither an actuator nor a spring; nothing could move it");
  if (plan_.integrator == Integrator::kExplicitEuler && !other.actuators.empty())
    refuse("machine '" + other.name + "' has hydraulics, which explicit Euler cannot integrate");
}

void Emulation::place() {
  const double zero[kMaxLinks] = {};
  TipMotion host, plant, other;
  const sim::SimState host_start = plant_.initial_state(machine::Fidelity::kFull);
  tip_motion(plan_.host.model, host_start.machine.q, zero, host);
  tip_motion(plant_.model(), host_start.machine.q, zero, plant);
  const sim::SimState start = emulated_.initial_state(machine::Fidelity::kFull);
  tip_motion(emulated_.model(), start.machine.q, zero, other);
  std::copy_n(Vec3(host.p - other.p).data(), 3, start_shift_.offset);
  store(rows_ == 6 ? Mat3(other.R.transpose() * host.R) : host.R, start_shift_.turn);
  // In the site frame the peg is at start_S, rotated by the misalignment.
  site_W_.R = plant.R * turned(Mat3::Identity(), plan_.misalignment_S).transpose();
  site_W_.p = plant.p - site_W_.R * plan_.start_S;
  multibody::MassAndBias body;
  multibody::mass_and_bias(emulated_.model().tree, start.machine.inertia, start.machine.q, zero,
                           body);
  std::copy(body.bias, body.bias + emulated_.model().joint_count(), start_bias_);
  tip_mass_ = tip_mass_of(emulated_.model(), start.machine.inertia, start.machine.q, other);
  host_mass_ = tip_mass_of(plan_.host.model, plan_.host.model.tree.link_inertias().data(),
                           host_start.machine.q, host);
}

double Emulation::tip_mass_of(const machine::MachineModel& model,
                              const multibody::LinkInertia* inertia, const double* q,
                              const TipMotion& tip) const {
  const double zero[kMaxLinks] = {};
  multibody::MassAndBias body;
  multibody::mass_and_bias(model.tree, inertia, q, zero, body);
  const int n = model.joint_count();
  Eigen::MatrixXd M(n, n);
  Eigen::VectorXd along(n);
  const Vec3 normal = site_W_.R.col(2);
  for (int i = 0; i < n; ++i) {
    along[i] = normal.dot(tip.J_v[static_cast<std::size_t>(i)]);
    for (int j = 0; j < n; ++j) M(i, j) = body.M[i][j];
  }
  return 1.0 / along.dot(M.partialPivLu().solve(along));
}

EmulationState Emulation::initial_state() const {
  EmulationState state;
  std::memset(static_cast<void*>(&state), 0, sizeof state);
  state.tuning = tuning_of(plan_);
  state.shift = start_shift_;
  state.host = plant_.initial_state(machine::Fidelity::kFull);
  state.emulated = emulated_.initial_state(machine::Fidelity::kFull);
  const machine::MachineModel& model = emulated_.model();
  for (int i = 0; i < model.joint_count(); ++i) {
    const multibody::Link& link = model.tree.link(i);
    const double q = state.emulated.machine.q[i];
    state.motor[i] = model.passive(i) ? q - link.rest + start_bias_[i] / link.stiffness : q;
  }
  TipMotion tip;
  emulated_tip(state.shift, state.emulated, tip);
  store(tip, state.target);
  tip_motion(plant_.model(), state.host.machine.q, state.host.machine.v, tip);
  store(tip, state.tip);
  return state;
}

std::int64_t Emulation::tick_count() const {
  return static_cast<std::int64_t>(std::llround(plan_.duration_s() / plan_.tick_s));
}

double Emulation::loop_delay_s() const {
  return delay_without_sensor_s_ + plan_.sensor.delay * plan_.tick_s;
}

double Emulation::loop_delay_s(const EmulationState& state) const {
  return delay_without_sensor_s_ + state.tuning.sensor_delay * plan_.tick_s;
}

PegMotion Emulation::in_site(const TipPose& tip) const {
  const Mat3 to_S = site_W_.R.transpose();
  return {to_S * orientation(tip), to_S * (position(tip) - site_W_.p), to_S * linear(tip.twist),
          to_S * angular(tip.twist)};
}

void Emulation::emulated_tip(const TipShift& shift, const sim::SimState& state,
                             TipMotion& out) const {
  tip_motion(emulated_.model(), state.machine.q, state.machine.v, out);
  out.p += Vec3(shift.offset[0], shift.offset[1], shift.offset[2]);
  if (rows_ == 6) {
    out.R = out.R * matrix(shift.turn);
    return;
  }
  out.R = matrix(shift.turn);
  out.omega.setZero();
}

void Emulation::place_on_host(EmulationState& state) const {
  const double zero[kMaxLinks] = {};
  TipMotion host, own;
  tip_motion(plan_.host.model, state.sensed.q, zero, host);
  std::fill(std::begin(state.emulated.machine.v), std::end(state.emulated.machine.v), 0.0);
  tip_motion(emulated_.model(), state.emulated.machine.q, zero, own);
  std::copy_n(Vec3(host.p - own.p).data(), 3, state.shift.offset);
  store(rows_ == 6 ? Mat3(own.R.transpose() * host.R) : host.R, state.shift.turn);
  store(host, state.target);
}

// --- 1: sensors -----------------------------------------------------------------------------------

void Emulation::read_sensors(EmulationState& state, const EmulationInput& input) const {
  EmulationSensors& sensed = state.sensed;
  sensed.stop_line = 0.0;
  const machine::MachineState& m = state.host.machine;
  std::copy_n(state.emulated.machine.q, kMaxLinks, sensed.emulated_q);
  const JointSensors& sensors = plan_.joint_sensors;
  std::uint64_t number = mixed_bits(plan_.sensor.seed + kJointSeed) +
                         kSamplesOfATick * static_cast<std::uint64_t>(state.tick);
  for (int i = 0; i < kMaxLinks; ++i) {
    sensed.q[i] = emulation::sensed(sensors.position, m.q[i], number++);
    sensed.v[i] = emulation::sensed(sensors.speed, m.v[i], number++);
  }
  for (std::size_t k = 0; k < torque_controls_.size(); ++k)
    for (int s = 0; s < 2; ++s)
      sensed.p[plan_.host.model.actuators[k].link][s] =
          emulation::sensed(sensors.pressure, m.actuator[k].p[s], number++);
  ForceSensor sensor = plan_.sensor;
  sensor.delay = static_cast<int>(state.tuning.sensor_delay);
  sensor.force_noise = state.tuning.sensor_force_noise;
  sensor.moment_noise = state.tuning.sensor_moment_noise;
  const Wrench in_world = measure(sensor, wrench(state.contact_W), state.sensor);
  const Mat3 to_tool = orientation(state.tip).transpose();
  store(to_tool * in_world.force, to_tool * in_world.moment, sensed.wrench);
  pass_on(plan_.delays.force, plan_.tick_s, plan_.sensor.seed + kForceLate, sensed.wrench,
          state.lines.force);
  if (plan_.delays.joint_sensors.any()) hear_joints(state);
  ask_operator(input, sensed.operator_twist, state);
}

void Emulation::hear_joints(EmulationState& state) const {
  EmulationSensors& sensed = state.sensed;
  double values[4 * kHostJoints];
  const auto each = [&](auto use) {
    for (int i = 0; i < kHostJoints; ++i) {
      double* const of_joint = values + 4 * i;
      use(of_joint[0], sensed.q[i]);
      use(of_joint[1], sensed.v[i]);
      use(of_joint[2], sensed.p[i][0]);
      use(of_joint[3], sensed.p[i][1]);
    }
  };
  each([](double& value, double& place) { value = place; });
  pass_on(plan_.delays.joint_sensors, plan_.tick_s, plan_.sensor.seed + kJointsLate, values,
          state.lines.joint_sensors);
  each([](double& value, double& place) { place = value; });
}

// Command in the site frame.
void Emulation::ask_operator(const EmulationInput& input, double (&twist)[6],
                             const EmulationState& state) const {
  Vec3 v = Vec3::Zero(), omega = Vec3::Zero();
  if (input.has_operator != 0) {
    v = to_site(linear(input.operator_twist));
    omega = to_site(angular(input.operator_twist));
  } else if (!finished(state)) {
    v = nth(plan_.phases, state.phase).velocity_S;
  }
  store(v, omega, twist);
}

void Emulation::predict(const Wrench& measured, const EmulationInput& input,
                        EmulationState& state) const {
  const double h = plan_.tick_s;
  const Tuning& t = state.tuning;
  const bool predicts = t.prediction != 0.0;
  store(measured, state.measured_W);
  const Wrench seen = observe(measured, state);
  double now[6];
  store(predicts ? seen : measured, now);
  const double share = h / (t.prediction_filter_s + h);
  const double ahead = predicts ? heard_delay_s(state) + input.wire_s : 0.0;
  for (int i = 0; i < 6; ++i) {
    state.slope_W[i] += share * ((now[i] - state.known_W[i]) / h - state.slope_W[i]);
    state.known_W[i] = now[i];
    state.felt_W[i] = now[i] + ahead * state.slope_W[i];
  }
  if (!(input.damping > 0.0)) return;
  for (int i = 0; i < 3; ++i) state.felt_W[i] -= input.damping * state.target.twist[i];
}

// Present wrench from the force sensor and the joints; also updates the joints' friction.
Wrench Emulation::observe(const Wrench& measured, EmulationState& state) const {
  const machine::MachineState& m = state.host.machine;
  const EmulationSensors& sensed = state.sensed;
  if (state.braked != 0) {  // the holding torque of the brakes is not friction to compensate
    state.observer = {};
    return measured;
  }
  JointSample sample{};
  sample.held = torque_controls_.empty() ? 1.0 : 0.0;
  for (int i = 0; i < 6; ++i) {
    sample.q[i] = sensed.q[i];
    sample.v[i] = sensed.v[i];
    sample.torque[i] = state.host_torque[i];
  }
  for (std::size_t k = 0; k < torque_controls_.size(); ++k) {
    const int i = plan_.host.model.actuators[k].link;
    machine::ActuatorState motor = m.actuator[k];
    std::copy_n(sensed.p[i], 2, motor.p);
    sample.torque[i] = torque_controls_[k].torque(motor, sensed.v[i]);
  }
  const double later_s =
      std::max(0.0, force_delay_s_ - mean_delay(plan_.delays.joint_sensors, plan_.tick_s));
  const int late = static_cast<int>(state.tuning.sensor_delay) +
                   static_cast<int>(std::floor(later_s / plan_.tick_s + 0.5));
  return fused_wrench(plan_.host.model, plan_.host.model.tree.link_inertias().data(), sample,
                      measured, std::min(late, kMaxSensorDelay), state.tuning.observer_Hz,
                      state.tuning.friction_share, plan_.tick_s, state.observer);
}

// --- 2: emulated machine --------------------------------------------------------------------------

// Speed of the tip from the operator and the accommodation, and the motor rates for it.
void Emulation::command(double h, EmulationState& state) const {
  double wanted[6];
  store(site_W_.R * linear(state.sensed.operator_twist),
        site_W_.R * angular(state.sensed.operator_twist), wanted);
  const Tuning& t = state.tuning;
  const double share = 1.0 - decay(2.0 * std::numbers::pi * t.accommodation_filter_Hz * h);
  const double most = t.operator_acceleration * h;
  for (int i = 0; i < 6; ++i) {
    double& speed = state.operator_twist[i];
    speed += std::clamp(wanted[i] - speed, -most, most);
    state.accommodated_W[i] += share * (state.measured_W[i] - state.accommodated_W[i]);
    state.tip_command[i] =
        speed +
        (i < 3 ? t.accommodation_translation : t.accommodation_rotation) * state.accommodated_W[i];
  }
  const machine::MachineModel& model = emulated_.model();
  double q[kMaxLinks];
  const double zero[kMaxLinks] = {};
  for (int i = 0; i < model.joint_count(); ++i)
    q[i] = state.motor[i] + (model.passive(i) ? model.tree.link(i).rest : 0.0);
  TipMotion rigid;
  tip_motion(model, q, zero, rigid);
  if (!joint_rates(rigid, model.joint_count(), rows_, linear(state.tip_command),
                   angular(state.tip_command), state.motor_rate))
    ++state.health.emulated_singular;
  std::copy_n(state.motor_rate, kMaxLinks, state.commands.motor_rate);
}

void Emulation::command_emulated(EmulationState& state, const EmulationInput& input) const {
  const Mat3 R = sensed_orientation(state);
  predict({R * linear(state.sensed.wrench), R * angular(state.sensed.wrench)}, input, state);
  if (input.hold == 0 && state.tick % plan_.emulated_every == 0) command(emulated_.tick_s(), state);
}

Mat3 Emulation::sensed_orientation(const EmulationState& state) const {
  TipMotion tip;
  tip_motion(plan_.host.model, state.sensed.q, state.sensed.v, tip);
  return tip.R;
}

// Action of the motors on the joints, at their present position.
void Emulation::drive(const EmulationState& state, sim::TickInput& input, double* outside) const {
  const machine::MachineModel& model = emulated_.model();
  const machine::MachineState& m = state.emulated.machine;
  for (int i = 0; i < model.joint_count(); ++i)
    outside[i] = model.passive(i) ? model.tree.link(i).stiffness * state.motor[i] +
                                        model.tree.link(i).damping * state.commands.motor_rate[i]
                                  : 0.0;
  if (model.actuators.empty()) return;
  multibody::MassAndBias body;
  multibody::mass_and_bias(model.tree, m.inertia, m.q, m.v, body);
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const int i = model.actuators[k].link;
    const double J = machine::displacement(model, static_cast<int>(k), m.q[i]).J;
    machine::Load load;
    load.force = body.bias[i] / J;
    load.damping = model.tree.link(i).damping / (J * J);
    machine::count_on(model.supply, m.supply, m.pump_Pa, model.actuators[k].circuit, load);
    load.tank_Pa = m.tank_Pa;
    const double rate = state.commands.motor_rate[i];
    // As for a crane's operator: with a centred lever the valve stays shut.
    if (std::fabs(rate) < kLeastRate) {
      input.actuator[k] = {0.0, sim::ActuatorMode::kVoltage, 0, 0.0};
      continue;
    }
    input.actuator[k] = {state.motor[i], sim::ActuatorMode::kFedPosition, 0,
                         metering_[k].command_V(J * rate, load)};
  }
}

// References of controllers lead their joints by a limited amount; motion blocked by a wall is not
// made up later.
void Emulation::lead_references(EmulationState& state) const {
  const double* const q = alone_ ? state.emulated.machine.q : state.sensed.emulated_q;
  for (const machine::Actuator& actuator : emulated_.model().actuators) {
    const int i = actuator.link;
    const bool moves = std::fabs(state.commands.motor_rate[i]) >= kLeastRate;
    state.motor[i] = moves ? std::clamp(state.motor[i], q[i] - kLead, q[i] + kLead) : q[i];
  }
}

void Emulation::euler(double h, const double* force, sim::SimState& state) const {
  const multibody::Tree& tree = emulated_.model().tree;
  machine::MachineState& m = state.machine;
  const int n = tree.link_count();
  double tau[kMaxLinks] = {};
  for (int i = 0; i < n; ++i) {
    const multibody::Link& link = tree.link(i);
    tau[i] = force[i] - link.stiffness * (m.q[i] - link.rest) - link.damping * m.v[i];
  }
  multibody::forward_dynamics(tree, m.inertia, m.q, m.v, tau, m.a);
  for (int i = 0; i < n; ++i) {
    m.q[i] += h * m.v[i];
    m.v[i] += h * m.a[i];
  }
  ++state.tick;
}

// Motion of the motors over a step of the simulation, and the step under a wrench on the tip.
void Emulation::advance_emulated(const sim::Simulation& simulation, const Wrench& felt,
                                 EmulationState& state) const {
  const machine::MachineModel& model = emulated_.model();
  const int n = model.joint_count();
  const double h = simulation.tick_s();
  machine::MachineState& m = state.emulated.machine;
  sim::TickInput input{};
  double outside[kMaxLinks];
  for (int i = 0; i < n; ++i) state.motor[i] += 0.5 * h * state.commands.motor_rate[i];
  drive(state, input, outside);
  double q_mid[kMaxLinks];
  for (int i = 0; i < n; ++i) q_mid[i] = m.q[i] + 0.5 * h * m.v[i];
  TipMotion middle;
  tip_motion(model, q_mid, m.v, middle);
  Wrench acting = felt;
  if (rows_ == 3) acting.moment.setZero();
  add_to_joints(middle, n, acting, outside);
  if (plan_.integrator == Integrator::kExplicitEuler)
    euler(h, outside, state.emulated);
  else
    simulation.step(state.emulated, input, outside, alone_ ? nullptr : state.sensed.emulated_q);
  for (int i = 0; i < n; ++i) state.motor[i] += 0.5 * h * state.commands.motor_rate[i];
  lead_references(state);
}

// --- 3: host control ------------------------------------------------------------------------------

TipTarget Emulation::target_of(const EmulationState& state) const {
  TipTarget target;
  target.R = orientation(state.target);
  target.p = position(state.target);
  target.v = linear(state.target.twist);
  target.omega = angular(state.target.twist);
  target.a = linear(state.tip_acceleration);
  target.alpha = angular(state.tip_acceleration);
  return target;
}

// The target as the host's control hears it, carried forward over its way.
TipTarget Emulation::target_that_arrives(EmulationState& state) const {
  const PathDelay& path = plan_.delays.emulated;
  if (!path.any()) return target_of(state);
  double values[24];
  double* at = std::copy_n(state.target.p, 3, values);
  for (const double(&column)[3] : state.target.R) at = std::copy_n(column, 3, at);
  at = std::copy_n(state.target.twist, 6, at);
  std::copy_n(state.tip_acceleration, 6, at);
  pass_on(path, plan_.tick_s, plan_.sensor.seed + kMotionLate, values, state.lines.emulated);
  const double ahead = mean_delay(path, plan_.tick_s);
  TipTarget out;
  out.p = vec(values);
  for (int k = 0; k < 3; ++k) out.R.col(k) = vec(values + 3 + 3 * k);
  out.v = vec(values + 12);
  out.omega = vec(values + 15);
  out.a = vec(values + 18);
  out.alpha = vec(values + 21);
  out.p += ahead * out.v;
  out.R = turned(out.R, ahead * out.omega);
  return out;
}

void Emulation::move_emulated(EmulationState& state, const EmulationInput& input) const {
  const TipPose last = state.target;
  if (input.hold != 0) {
    // It continues from rest.
    std::fill(std::begin(state.emulated.machine.v), std::end(state.emulated.machine.v), 0.0);
    std::fill(std::begin(state.operator_twist), std::end(state.operator_twist), 0.0);
    std::fill(std::begin(state.target.twist), std::end(state.target.twist), 0.0);
    std::copy_n(input.retreat, 3, state.target.twist);
    std::fill(std::begin(state.tip_acceleration), std::end(state.tip_acceleration), 0.0);
  } else if (state.tick % plan_.emulated_every == 0) {
    const double step_s = emulated_.tick_s();
    TipMotion before, after;
    emulated_tip(state.shift, state.emulated, before);
    advance_emulated(emulated_, wrench(state.felt_W), state);
    emulated_tip(state.shift, state.emulated, after);
    state.energy.emulated += step_s * power(wrench(state.felt_W), before, after);
    store((after.v - before.v) / step_s, (after.omega - before.omega) / step_s,
          state.tip_acceleration);
    store(before, state.target);
  }
  if (input.theirs != 0) {  // the target goes on from where theirs was
    std::copy_n(last.p, 3, state.target.p);
    if (input.hold == 0) std::copy_n(last.twist, 3, state.target.twist);
  }
  TipMotion end = end_of_target(state);
  if (input.hold == 0 && (state.tick + 1) % plan_.emulated_every == 0)
    emulated_tip(state.shift, state.emulated, end);
  const Vec3 p = site_W_.R.transpose() * (end.p - site_W_.p) - vec(state.machine_shift);
  const Vec3 v = to_site(end.v);
  std::copy_n(p.data(), 3, state.sensed.machine);
  std::copy_n(v.data(), 3, state.sensed.machine + 3);
}

Vec3 Emulation::machine_position(const EmulationState& state) const {
  return site_W_.p + site_W_.R * (vec(state.sensed.machine) + vec(state.machine_shift));
}

// An emulated machine elsewhere says where its tip is at the end of the tick. While the host is held
// its origin is moved, so that it goes on from there.
void Emulation::hear_machine(const EmulationInput& input, EmulationState& state) const {
  if (input.theirs == 0) return;
  if (input.hold != 0) {
    const Vec3 p = site_W_.R.transpose() * (position(state.target) - site_W_.p);
    for (int i = 0; i < 3; ++i) state.machine_shift[i] = p[i] - state.sensed.machine[i];
    return;
  }
  const Vec3 v = site_W_.R * vec(state.sensed.machine + 3);
  for (int i = 0; i < 3; ++i)
    state.tip_acceleration[i] = (v[i] - state.target.twist[i]) / plan_.tick_s;
}

void Emulation::control_host(EmulationState& state, const EmulationInput& input) const {
  hear_machine(input, state);
  command_host(target_that_arrives(state), input, state);
  // They open when the torques have built up.
  state.brake_ticks =
      input.stop != 0 ? brake_time() : std::max<std::int64_t>(0, state.brake_ticks - 1);
  state.commands.brake = state.brake_ticks > 0 ? 1.0 : 0.0;
}

void Emulation::command_host(const TipTarget& target, const EmulationInput& input,
                             EmulationState& state) const {
  const machine::MachineModel& model = plan_.host.model;
  const machine::MachineState& m = state.host.machine;
  const EmulationSensors& sensed = state.sensed;
  const Tuning& t = state.tuning;
  const double h = plan_.tick_s;
  const bool feeds = t.acceleration_scheme != 0.0;
  const TipGains gains = feeds ? TipGains{drift_Hz(state, input.wire_s), t.damping}
                               : TipGains{t.position_bandwidth_Hz, t.position_damping};
  // The contact acts on the host itself, not by way of the emulated machine.
  const double ahead = t.prediction != 0.0 ? heard_delay_s(state) + input.wire_s -
                                                 mean_delay(plan_.delays.emulated, h)
                                           : 0.0;
  double contact[6];
  for (int i = 0; i < 6; ++i) contact[i] = state.known_W[i] + ahead * state.slope_W[i];
  const TipCommand command =
      tip_command(model, plan_.host.model.tree.link_inertias().data(), sensed.q, sensed.v,
                  state.host_acceleration, feeds ? Scheme::kAcceleration : Scheme::kPosition, gains,
                  target, wrench(contact), h);
  if (command.singular) ++state.health.host_singular;
  for (int i = 0; i < 6; ++i) {
    const double torque = command.torque[i] + state.observer.friction[i];
    state.host_torque[i] = torque;
    state.host_acceleration[i] = command.acceleration[i];
    state.commands.drive[i] = torque;
  }
  bool full = false;
  const double bandwidth_Hz = torque_bandwidth_Hz(state, input.wire_s);
  for (std::size_t k = 0; k < torque_controls_.size(); ++k) {
    const int i = model.actuators[k].link;
    machine::ActuatorState motor = m.actuator[k];
    std::copy_n(sensed.p[i], 2, motor.p);
    hydraulics::capacitances(model.actuators[k].circuit, {}, sensed.q[i], motor.p, motor.C);
    const double volts = torque_controls_[k].command_V(
        {state.host_torque[i], sensed.v[i] + h * command.acceleration[i]}, motor, m.pump_Pa,
        m.tank_Pa, bandwidth_Hz);
    state.commands.drive[i] = volts;
    full = full || std::fabs(volts) >= model.actuators[k].circuit.valve.full_V;
  }
  if (full) ++state.health.valve_full;
}

// --- 4: plant -------------------------------------------------------------------------------------

// Contact in the middle of a sub-step, from the tip's position at its start.
Wrench Emulation::touch(const EmulationState& state, const TipMotion& tip, double h,
                        ContactState& contact) const {
  Worksite site = plan_.site;
  site.law = {state.tuning.site_stiffness, state.tuning.site_relaxation_s,
              state.tuning.site_friction};
  const Mat3 to_S = site_W_.R.transpose();
  const PegMotion motion{to_S * turned(tip.R, 0.5 * h * tip.omega),
                         to_S * (tip.p + 0.5 * h * tip.v - site_W_.p), to_S * tip.v,
                         to_S * tip.omega};
  const Wrench in_S = contact_wrench(site, plan_.peg, motion, h, contact);
  return {site_W_.R * in_S.force, site_W_.R * in_S.moment};
}

// Commands that reach the joints' drives: none after a stop.
sim::TickInput Emulation::host_input(bool stop, EmulationState& state) const {
  const machine::MachineModel& model = plan_.host.model;
  sim::TickInput input{};
  double drive[kHostJoints];
  std::copy_n(state.commands.drive, kHostJoints, drive);
  pass_on(plan_.delays.valves, plan_.tick_s, plan_.sensor.seed + kValvesLate, drive,
          state.lines.valves);
  for (const machine::Actuator& actuator : model.actuators) {
    const double volts = stop ? 0.0 : drive[actuator.link];
    const auto k = static_cast<std::size_t>(&actuator - model.actuators.data());
    input.actuator[k] = {volts, sim::ActuatorMode::kVoltage, 0, 0.0};
  }
  for (int i = 0; torque_controls_.empty() && i < model.joint_count(); ++i)
    input.joint[i] = {stop ? 0.0 : drive[i], sim::JointCommandMode::kTorque};
  return input;
}

std::int64_t Emulation::brake_time() const {
  return static_cast<std::int64_t>(std::ceil(kBrakeTime / plan_.tick_s));
}

// Adds the torque of the brake: a spring with damping to the position at which it closed.
void Emulation::add_brake(const EmulationState& state, double* force) const {
  const machine::MachineState& m = state.host.machine;
  const int n = plan_.host.model.joint_count();
  multibody::MassAndBias body;
  multibody::mass_and_bias(plant_.model().tree, m.inertia, m.q, m.v, body);
  const double w = std::min(2.0 * std::numbers::pi * kBrakeFrequency, kBrakeStep / plant_.tick_s());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      force[i] -= body.M[i][j] * (w * w * (m.q[j] - state.brake_q[j]) + 2.0 * w * m.v[j]);
}

void Emulation::work_brakes(const EmulationInput& input, EmulationState& state) const {
  const bool close = input.stop != 0 || state.commands.brake > kOn;
  if (close && state.braked == 0) std::copy_n(state.host.machine.q, kMaxLinks, state.brake_q);
  state.braked = close ? 1 : 0;
}

void Emulation::move_host(EmulationState& state, const EmulationInput& input) const {
  work_brakes(input, state);
  const EmulationEnergy before = state.energy;
  advance_host(host_input(input.stop != 0, state), wrench(input.push), state);
  if (input.hardware != 0) sense_host(before, state);
  if (input.hold == 0)
    move_target(input, state);
  else
    for (int i = 0; i < 3; ++i) state.target.p[i] += plan_.tick_s * input.retreat[i];
  state.energy.generated =
      std::max(state.energy.generated, state.energy.emulated - state.energy.host);
  if (input.hold == 0 && input.has_operator == 0) next_phase(state);
  end_tick(state);
}

// The target at the end of the tick; where a step of the emulated machine ends, it is the machine's
// own tip.
TipMotion Emulation::end_of_target(const EmulationState& state) const {
  const double h = plan_.tick_s;
  const TipTarget target = target_of(state);
  TipMotion end;
  end.p = target.p + h * target.v + 0.5 * h * h * target.a;
  end.R = turned(target.R, h * target.omega + 0.5 * h * h * target.alpha);
  end.v = target.v + h * target.a;
  end.omega = target.omega + h * target.alpha;
  return end;
}

void Emulation::move_target(const EmulationInput& input, EmulationState& state) const {
  TipMotion end = end_of_target(state), own = end;
  if ((state.tick + 1) % plan_.emulated_every == 0) emulated_tip(state.shift, state.emulated, own);
  if (input.theirs == 0) {
    store(own, state.target);
    return;
  }
  end.p = machine_position(state);
  end.v = site_W_.R * vec(state.sensed.machine + 3);
  end.R = own.R;
  end.omega = own.omega;
  store(end, state.target);
  if (input.follow == 0) return;
  for (int i = 0; i < 3; ++i) state.shift.offset[i] += end.p[i] - own.p[i];
}

// Tip and work of a hardware host at the end of the tick; the simulated one has drifted away.
void Emulation::sense_host(const EmulationEnergy& before, EmulationState& state) const {
  const double h = plan_.tick_s;
  TipMotion tip;
  tip_motion(plan_.host.model, state.sensed.q, state.sensed.v, tip);
  const double work = h * power(wrench(state.measured_W), tip, tip);
  state.energy.host = before.host + work;
  state.energy.exchanged = before.exchanged + std::fabs(work);
  tip.p += h * tip.v;
  tip.R = turned(tip.R, h * tip.omega);
  store(tip, state.tip);
}

void Emulation::advance_host(const sim::TickInput& input, const Wrench& push,
                             EmulationState& state) const {
  const machine::MachineModel& model = plant_.model();
  const double h = plant_.tick_s();
  TipMotion before, after;
  tip_motion(model, state.host.machine.q, state.host.machine.v, before);
  Wrench w;
  for (int s = 0; s < plan_.plant_substeps; ++s) {
    w = touch(state, before, h, state.contact) + push;
    double outside[kMaxLinks] = {};
    add_to_joints(before, 6, w, outside);
    if (state.braked != 0) add_brake(state, outside);
    plant_.step(state.host, input, outside);
    tip_motion(model, state.host.machine.q, state.host.machine.v, after);
    const double work = h * power(w, before, after);
    state.energy.host += work;
    state.energy.exchanged += std::fabs(work);
    before = after;
  }
  store(w, state.contact_W);
  store(after, state.tip);
}

// --- The tick -------------------------------------------------------------------------------------

void Emulation::next_phase(EmulationState& state) const {
  ++state.phase_tick;
  if (finished(state)) return;
  const Phase& phase = nth(plan_.phases, state.phase);
  const double depth = in_site(state.target).p.z();
  const double force = -to_site(linear(state.measured_W)).z();
  const bool over = static_cast<double>(state.phase_tick) * plan_.tick_s > phase.duration_s - 1e-9;
  if (!over && depth < phase.until_depth && force < phase.until_force) return;
  ++state.phase;
  state.phase_tick = 0;
}

void Emulation::step_alone(EmulationState& state, const EmulationInput& input) const {
  store(wrench(state.contact_W), state.measured_W);
  std::copy(std::begin(state.measured_W), std::end(state.measured_W), state.felt_W);
  ask_operator(input, state.sensed.operator_twist, state);
  command(plan_.tick_s, state);
  TipMotion before, after;
  emulated_tip(state.shift, state.emulated, before);
  const double h = emulated_.tick_s();
  Wrench w;
  for (int s = 0; s < plan_.plant_substeps; ++s) {
    w = touch(state, before, h, state.contact) + wrench(input.push);
    advance_emulated(emulated_, w, state);
    emulated_tip(state.shift, state.emulated, after);
    const double work = h * power(w, before, after);
    state.energy.host += work;
    state.energy.emulated += work;
    state.energy.exchanged += std::fabs(work);
    before = after;
  }
  store(w, state.contact_W);
  store(after, state.target);
  store(after, state.tip);
  if (input.has_operator == 0) next_phase(state);
  end_tick(state);
}

void Emulation::end_tick(EmulationState& state) const {
  ++state.tick;
  double sum = 0.0;
  for (int i = 0; i < 3; ++i)
    sum += std::fabs(state.tip.p[i]) + std::fabs(state.target.p[i]) + std::fabs(state.contact_W[i]);
  if (!(sum < kAbsurd)) ++state.health.non_finite;
}

void Emulation::step(EmulationState& state, const EmulationInput& input) const {
  if (alone_) {
    step_alone(state, input);
    return;
  }
  read_sensors(state, input);
  command_emulated(state, input);
  move_emulated(state, input);
  control_host(state, input);
  move_host(state, input);
}

}  // namespace knuckleboom::emulation
