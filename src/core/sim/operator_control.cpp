#include "knuckleboom/core/sim/operator_control.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"

namespace knuckleboom::sim {
namespace {

using command::ControlMode;
using command::LeverTarget;

// Joint names by the convention of the lever files: positive is out and up.
constexpr const char* kReachJoint = "stick";
constexpr const char* kHeightJoint = "boom";

constexpr double kFadeTime = 0.3;     // s, from one law to the next
constexpr double kTipSpeed = 1.2;     // m/s; full lever where the pattern gives none
constexpr double kLead = 0.03;        // reference ahead of the joint at most [rad, m]
constexpr double kTopShare = 0.95;    // of an actuator's top speed; the rest is left to the
                                      // controller
constexpr double kBrakingTime = 0.8;  // s, from full speed to rest before the end of the range
constexpr double kStandstill = 0.01;  // share of full speed that counts as motion when modes change
constexpr double kAtRest = 0.005;     // share of full speed below which a lever stays in the middle
constexpr double kOwnLever = 0.25;    // deflection of its own lever that takes a joint from the tip
constexpr double kNudge = 0.015;  // share of full speed that a lagging joint is asked for at least:
                                  // its valve's overlap is crossed

constexpr double kMiddle = 0.05;  // of an axis: it has been let go
// The first half of the service brake takes the drive's stroke back, so that the two do not work against each other.
constexpr double kInching = 2.0;

constexpr std::int32_t bit(command::Switch of) { return 1 << static_cast<int>(of); }
bool is_on(const OperatorState& state, command::Switch of) {
  return (state.switches & bit(of)) != 0;
}

double fade(double left_s) {
  const double s = std::clamp(left_s / kFadeTime, 0.0, 1.0);
  return s * s * (3.0 - 2.0 * s);
}

const multibody::Body& body_of(const machine::MachineModel& model, int link) {
  return model.tree.body(model.tree.link(link).body);
}

// Mean of |dx/dq| over the joint's range. start: pose at the scenario's start.
double mean_lever(const machine::MachineModel& model, int actuator, const double* start) {
  const machine::Actuator& a = nth(model.actuators, actuator);
  const multibody::Body& body = body_of(model, a.link);
  if (a.linkage.kind == machine::LinkageKind::kDirect || !(body.upper > body.lower)) return 1.0;
  // Its range depends on the mechanism: use the lever arm at the scenario's start.
  if (a.linkage.kind == machine::LinkageKind::kPins)
    return std::fabs(machine::displacement(model, actuator, start).J);
  const double low = machine::displacement(model, actuator, body.lower).x;
  const double high = machine::displacement(model, actuator, body.upper).x;
  return std::fabs(high - low) / (body.upper - body.lower);
}

}  // namespace

OperatorControl::OperatorControl(const Simulation& simulation, command::LeverPattern pattern)
    : simulation_(simulation),
      pattern_(std::move(pattern)),
      tip_(machine::crane_tip(simulation.model())) {
  const machine::MachineModel& model = simulation_.model();
  if (pattern_.functions.size() > kMaxLeverFunctions)
    throw std::invalid_argument("lever pattern '" + pattern_.name + "' has more than " +
                                std::to_string(kMaxLeverFunctions) + " functions");
  scale_.fill(1.0);
  SimState start = simulation_.initial_state(machine::Fidelity::kReduced);
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const machine::Actuator& actuator = model.actuators[k];
    metering_.emplace_back(actuator.circuit);
    unloaded_.push_back(unloaded(actuator.circuit));
    mean_lever_[k] = mean_lever(model, static_cast<int>(k), start.machine.q);
    const double full_V = actuator.circuit.valve.full_V;
    const double speed = unloaded_speed(k, full_V);
    if (speed > 0.0) nth(scale_, actuator.link) = speed / mean_lever_[k];
  }
  to_crane_frame(start.machine.q);
  if (model.grapple.driven())
    for (const int body : model.grapple.jaw)
      jaw_actuator_ = std::max(jaw_actuator_, actuator_of(model.tree.body(body).joint_name));
  own_lever_.fill(-1);
  int first = multibody::kBase;  // of the chain to the tip, above what the wheels carry
  for (int i = tip_.link; i != multibody::kBase && !simulation_.carrier().carries(i);
       i = model.tree.link(i).parent)
    first = i;
  if (first != multibody::kBase) {
    origin_W_ = model.tree.link(first).in_parent.p;
    if (!model.wheels.empty()) {
      machine::PointPose foot;
      machine::locate(model, {first, Vec3::Zero()}, start.machine.q, foot);
      origin_W_ = foot.p_W;
    }
  }
  if (!model.wheels.empty()) {
    const double zero[kMaxLinks] = {};
    const multibody::Kinematics kinematics = multibody::forward_kinematics(model.tree, zero, zero);
    double ahead = 0.0;
    for (const machine::Wheel& wheel : model.wheels) {
      const Vec3 axis_W = multibody::body_pose(model.tree, kinematics, wheel.body).R * wheel.axis_B;
      ahead += axis_W.cross(Vec3::UnitZ()).x();
    }
    crane_ahead_ = ahead >= 0.0;
  }
  bool any = false;
  for (const command::LeverFunction& lever : pattern_.functions) {
    functions_.push_back(make_function(lever));
    const Function& f = functions_.back();
    const bool here = f.actuator >= 0 || f.full_grapple != 0.0 || f.full_drive != 0.0 ||
                      f.full_brake != 0.0 || f.full_tilt != 0.0 || f.full_feed != 0.0;
    any = any || here;
    if (here) continue;
    missing_.push_back(lever.target == LeverTarget::kJoint       ? lever.joint
                       : lever.target == LeverTarget::kGrapple   ? "grapple"
                       : lever.target == LeverTarget::kDrive     ? "the wheels"
                       : lever.target == LeverTarget::kBrake     ? "the wheels' brake"
                       : lever.target == LeverTarget::kTilt      ? "the head's tilt"
                       : lever.target == LeverTarget::kFeed      ? "the head's feed"
                       : lever.target == LeverTarget::kTipHeight ? "tip height"
                                                                 : "tip reach");
  }
  if (!any)
    throw std::invalid_argument("lever pattern '" + pattern_.name + "' moves nothing of machine '" +
                                model.name + "'; choose another one");
  assign_tip_functions(start.machine.q);
}

int OperatorControl::actuator_of(const std::string& joint) const {
  const machine::MachineModel& model = simulation_.model();
  const int link = model.tree.find_joint(joint);
  for (std::size_t k = 0; k < model.actuators.size(); ++k)
    if (link != multibody::kBase && model.actuators[k].link == link) return static_cast<int>(k);
  return -1;
}

// The whole supply for this function.
machine::Load OperatorControl::unloaded(const hydraulics::Circuit& circuit) const {
  const machine::Supply& supply = simulation_.model().supply;
  machine::Load load;
  double pump_Pa = supply.pump_Pa;
  hydraulics::SupplyState state{};
  if (supply.kind == hydraulics::SupplyKind::kPump)
    state = hydraulics::settled_supply(supply.pump, supply.pump_Pa, supply.tank_Pa, pump_Pa);
  machine::count_on(supply, state, pump_Pa, circuit, load);
  return load;
}

// The lower of both directions.
double OperatorControl::unloaded_speed(std::size_t actuator, double volts) const {
  const machine::Load& load = unloaded_[actuator];
  const machine::Metering& metering = metering_[actuator];
  return std::min(metering.unloaded_speed(volts, load), -metering.unloaded_speed(-volts, load));
}

int OperatorControl::joint_of(std::size_t function) const {
  const Function& f = functions_[function];
  return f.actuator == jaw_actuator_ ? multibody::kBase : link_of(f);
}

int OperatorControl::link_of(const Function& function) const {
  return function.actuator < 0 ? multibody::kBase
                               : nth(simulation_.model().actuators, function.actuator).link;
}

double OperatorControl::top_rate(std::size_t function) const {
  return nth(scale_, link_of(functions_[function]));
}

void OperatorControl::travel(const double* q, double grapple_opening,
                             double (&seconds)[kMaxLeverFunctions]) const {
  const double closing_s = simulation_.model().grapple.closing_time_s;
  for (std::size_t n = 0; n < functions_.size(); ++n) {
    const int link = link_of(functions_[n]);
    if (link != multibody::kBase)
      seconds[n] = q[link] / nth(scale_, link);
    else
      seconds[n] = functions_[n].full_grapple != 0.0 ? (1.0 - grapple_opening) * closing_s : 0.0;
  }
}

double OperatorControl::deflection(std::size_t function, ControlMode mode, double rate,
                                   const double* q) const {
  const Function& f = functions_[function];
  if (f.actuator < 0 || f.actuator == jaw_actuator_) return 0.0;
  if (mode != ControlMode::kValve) return f.full_rate > 0.0 ? rate / f.full_rate : 0.0;
  if (std::fabs(rate) < kAtRest * f.full_rate) return 0.0;
  const auto k = static_cast<std::size_t>(f.actuator);
  const double x_dot = machine::displacement(simulation_.model(), f.actuator, q).J * rate;
  const double side = x_dot < 0.0 ? -1.0 : 1.0;
  const int way = rate < 0.0 ? 1 : 0;
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 20; ++i) {
    const double share = 0.5 * (low + high);
    const double volts =
        f.valve.start_V[way] + share * (f.valve.full_V[way] - f.valve.start_V[way]);
    const double speed = metering_[k].unloaded_speed(side * volts, unloaded_[k]);
    (std::fabs(speed) < std::fabs(x_dot) ? low : high) = share;
  }
  return std::copysign(high, rate);
}

OperatorControl::Function OperatorControl::make_function(
    const command::LeverFunction& lever) const {
  const machine::MachineModel& model = simulation_.model();
  Function f;
  if (lever.target == LeverTarget::kDrive) {
    f.full_drive = model.driveline.present ? lever.full : 0.0;
    return f;
  }
  if (lever.target == LeverTarget::kBrake) {
    f.full_brake = model.wheels.empty() ? 0.0 : lever.full;
    return f;
  }
  if (lever.target == LeverTarget::kTilt) {
    f.full_tilt = model.head.present ? lever.full : 0.0;
    return f;
  }
  if (lever.target == LeverTarget::kFeed) {
    f.full_feed = model.head.present ? lever.full : 0.0;
    return f;
  }
  const bool jaws = lever.target == LeverTarget::kGrapple;
  if (jaws) f.full_grapple = model.grapple.present ? lever.full : 0.0;
  const bool joint = lever.target == LeverTarget::kJoint;
  const std::string name = joint                                    ? lever.joint
                           : lever.target == LeverTarget::kTipReach ? kReachJoint
                                                                    : kHeightJoint;
  f.actuator = jaws ? jaw_actuator_ : actuator_of(name);
  if (f.actuator < 0) return f;
  const auto k = static_cast<std::size_t>(f.actuator);
  const machine::Actuator& actuator = model.actuators[k];
  f.steers = joint && simulation_.carrier().carries(actuator.link);
  const machine::ValveDriver& driver = actuator.driver;
  const double most = joint ? lever.full : actuator.circuit.valve.full_V;
  for (const std::size_t way : {0, 1}) {
    const bool own = joint && way == 1 && lever.full_negative_V > 0.0;
    const double full = std::min(own ? lever.full_negative_V : most, driver.largest_V[way]);
    const double start =
        (joint || jaws) && lever.start_V ? (*lever.start_V)[way] : driver.start_V[way];
    f.valve.full_V[way] = full;
    f.valve.start_V[way] = std::min(start, full);
  }
  if (jaws) return f;
  if (lever.full_rate > 0.0 && joint) {
    if (lever.full_rate_is_angular != model.tree.link(actuator.link).revolute)
      throw std::invalid_argument(
          "lever pattern '" + pattern_.name + "': joint '" + name + "' of machine '" + model.name +
          (lever.full_rate_is_angular ? "' slides; give its full_rate in m_per_s"
                                      : "' turns; give its full_rate in deg_per_s"));
    f.full_rate = lever.full_rate;
  } else {
    f.full_rate =
        unloaded_speed(k, std::min(f.valve.full_V[0], f.valve.full_V[1])) / mean_lever_[k];
  }
  return f;
}

// A joint that moves the tip in its vertical plane rather than across it, as a swing does.
bool OperatorControl::moves_tip(int link, const double* start) const {
  const machine::MachineModel& model = simulation_.model();
  if (simulation_.carrier().carries(link)) return false;
  machine::PointPose pose;
  machine::locate(model, tip_, start, pose);
  if (!nth(pose.carries, link)) return false;
  double rate[kMaxLinks] = {};
  rate[link] = 1.0;
  const machine::TipVelocity v = machine::tip_velocity(model, pose, origin_W_, rate);
  const double speed = nth(pose.J_W, link).norm();
  return speed > 1e-6 && std::hypot(v.reach, v.height) > 0.5 * speed;
}

// Functions for reach and height: dedicated ones, or those of stick and boom.
void OperatorControl::assign_tip_functions(const double* start) {
  const auto has = [&](LeverTarget target) {
    return std::any_of(pattern_.functions.begin(), pattern_.functions.end(),
                       [&](const command::LeverFunction& f) { return f.target == target; });
  };
  const bool has_reach = has(LeverTarget::kTipReach);
  const bool has_height = has(LeverTarget::kTipHeight);
  const machine::MachineModel& model = simulation_.model();
  for (const machine::Actuator& actuator : model.actuators)
    nth(tip_used_, actuator.link) = !simulation_.carrier().carries(actuator.link);
  if (jaw_actuator_ >= 0) nth(tip_used_, nth(model.actuators, jaw_actuator_).link) = false;
  std::array<bool, kMaxActuators> by_lever{};
  for (std::size_t n = 0; n < functions_.size(); ++n) {
    const command::LeverFunction& lever = pattern_.functions[n];
    Function& f = functions_[n];
    if (lever.target == LeverTarget::kTipReach) f.full_tip.reach = lever.full;
    if (lever.target == LeverTarget::kTipHeight) f.full_tip.height = lever.full;
    if (lever.target != LeverTarget::kJoint || f.actuator < 0) continue;
    nth(by_lever, f.actuator) = true;
    if (!has_reach && lever.joint == kReachJoint)
      f.full_tip.reach = kTipSpeed;
    else if (!has_height && lever.joint == kHeightJoint)
      f.full_tip.height = kTipSpeed;
    else
      f.rate_in_tip_mode = true;
    if (!f.rate_in_tip_mode) continue;
    const int link = nth(model.actuators, f.actuator).link;
    nth(own_lever_, link) = static_cast<int>(n);
    nth(tip_used_, link) = moves_tip(link, start);
  }
  // A joint has only one lever outside the boom-tip mode.
  for (std::size_t n = 0; n < functions_.size(); ++n)
    if (pattern_.functions[n].target != LeverTarget::kJoint && functions_[n].actuator >= 0 &&
        nth(by_lever, functions_[n].actuator))
      functions_[n].actuator = -1;
}

OperatorState OperatorControl::initial_state(const SimState& sim, ControlMode mode) const {
  OperatorState state;
  std::memset(static_cast<void*>(&state), 0, sizeof state);
  set_mode(mode, sim, state);
  state.driven_mode = -1;
  for (int i = 0; i < simulation_.model().joint_count(); ++i)
    state.reference[i] = simulation_.measured(sim, i);
  return state;
}

void OperatorControl::set_mode(ControlMode mode, const SimState& /*sim*/,
                               OperatorState& state) const {
  // The next tick detects the change and starts from the machine's position.
  state.mode = static_cast<std::int32_t>(mode);
}

bool OperatorControl::looks_forwards(const OperatorState& state) const {
  return crane_ahead_ != is_on(state, command::Switch::kSeat);
}

// The crane as if its carrier stood upright, straight and at the origin.
void OperatorControl::to_crane_frame(double* q) const {
  if (!simulation_.carrier().present()) return;
  for (int i = 0; i < simulation_.model().joint_count(); ++i)
    if (simulation_.carrier().carries(i)) q[i] = 0.0;
}

// An axis with another meaning counts only once it has been in the middle.
void OperatorControl::change_lever_mode(int mode, const command::OperatorInput& input,
                                        OperatorState& state) const {
  for (int i = 0; i < command::kLeverAxes; ++i) {
    const auto axis = static_cast<command::LeverAxis>(i);
    if (pattern_.acts_as(axis, mode) != pattern_.acts_as(axis, state.lever_mode) &&
        std::fabs(input.axis[i]) > kMiddle)
      state.waiting |= 1 << i;
  }
  state.lever_mode = mode;
}

void OperatorControl::press(const command::OperatorInput& input, OperatorState& state) const {
  const auto now = static_cast<std::int32_t>(input.buttons);
  const std::int32_t changed = now ^ state.buttons;
  if (changed == 0) [[likely]]
    return;
  state.buttons = now;
  const int mode = state.lever_mode;  // that of the press, whatever it does
  for (const command::ButtonUse& use : pattern_.buttons) {
    const std::int32_t button = 1 << static_cast<int>(use.button);
    const bool held = use.how == command::ButtonKind::kHold;
    if ((changed & button) == 0) continue;
    const bool down = (now & button) != 0;
    // A held switch ends with the button, in whatever mode that is.
    if (!down && !held) continue;
    if (down && use.mode >= 0 && use.mode != mode) continue;
    if (use.does == command::Switch::kLeverMode) {
      int to = (mode + 1) % pattern_.mode_count();
      if (use.how == command::ButtonKind::kPressOff) to = 0;
      if (held) to = down ? std::min(1, pattern_.mode_count() - 1) : 0;
      change_lever_mode(to, input, state);
      continue;
    }
    const bool on = use.how == command::ButtonKind::kToggle ? !is_on(state, use.does)
                    : held                                  ? down
                           : use.how == command::ButtonKind::kPressOn;
    state.switches = on ? state.switches | bit(use.does) : state.switches & ~bit(use.does);
  }
}

void OperatorControl::shape(const command::OperatorInput& input, OperatorState& state) const {
  double moved[command::kLeverAxes];
  const double* axes = input.axis;
  if (state.lever_mode != 0 || state.waiting != 0) [[unlikely]] {
    std::fill_n(moved, command::kLeverAxes, 0.0);
    for (int i = 0; i < command::kLeverAxes; ++i) {
      if (std::fabs(input.axis[i]) <= kMiddle) state.waiting &= ~(1 << i);
      if ((state.waiting >> i & 1) != 0) continue;
      double& to =
          nth(moved, pattern_.acts_as(static_cast<command::LeverAxis>(i), state.lever_mode));
      to = std::clamp(to + input.axis[i], -1.0, 1.0);
    }
    axes = moved;
  }
  for (std::size_t n = 0; n < functions_.size(); ++n) {
    const command::LeverFunction& lever = pattern_.functions[n];
    const double axis = axes[static_cast<std::size_t>(lever.axis)];
    state.shaped[n] = command::ramp(command::shape(axis, lever.shape), simulation_.tick_s(),
                                    lever.ramp, state.shaped[n]);
  }
}

double OperatorControl::demand(std::size_t function, const OperatorState& state) const {
  const double value = state.shaped[function];
  return functions_[function].steers && !looks_forwards(state) ? -value : value;
}

machine::Load OperatorControl::load(int actuator, const SimState& sim, const double* torque) const {
  const machine::MachineModel& model = simulation_.model();
  const int link = nth(model.actuators, actuator).link;
  const double J = machine::displacement(model, actuator, simulation_.measured(sim)).J;
  machine::Load load;
  load.force = torque[link] / J;
  load.damping = model.tree.link(link).damping / (J * J);
  machine::count_on(model.supply, sim.machine.supply, sim.machine.pump_Pa,
                    nth(model.actuators, actuator).circuit, load);
  load.tank_Pa = sim.machine.tank_Pa;
  return load;
}

// side: -1 to 1, positive towards larger positions.
void OperatorControl::ask_valve(std::size_t function, double side, Asked& asked) const {
  const Function& f = functions_[function];
  const auto k = static_cast<std::size_t>(f.actuator);
  const double share = std::fabs(side);
  const int way = side < 0.0 ? 1 : 0;
  const double volts =
      share > 0.0 ? f.valve.start_V[way] + share * (f.valve.full_V[way] - f.valve.start_V[way])
                  : 0.0;
  asked.volts[k] = simulation_.model().actuators[k].linkage.sign * std::copysign(volts, side);
}

void OperatorControl::ask_valves(const OperatorState& state, Asked& asked) const {
  for (std::size_t n = 0; n < functions_.size(); ++n)
    if (functions_[n].actuator >= 0 && functions_[n].full_grapple == 0.0)
      ask_valve(n, demand(n, state), asked);
}

void OperatorControl::ask_rates(const OperatorState& state, Asked& asked) const {
  const bool tip_mode = state.mode == static_cast<std::int32_t>(ControlMode::kBoomTip);
  for (std::size_t n = 0; n < functions_.size(); ++n) {
    const Function& f = functions_[n];
    if (f.actuator < 0 || f.full_grapple != 0.0 || (tip_mode && !f.rate_in_tip_mode)) continue;
    const auto k = static_cast<std::size_t>(f.actuator);
    asked.rate[simulation_.model().actuators[k].link] = demand(n, state) * f.full_rate;
    asked.moves[k] = state.shaped[n] != 0.0;
  }
}

// Rate as far as the joint's range allows: it can still come to rest before the end.
double OperatorControl::approach(int link, double position, double rate) const {
  const multibody::Body& body = body_of(simulation_.model(), link);
  if (!(body.upper > body.lower)) return rate;
  const double room = std::max(0.0, rate > 0.0 ? body.upper - position : position - body.lower);
  const double braking = nth(scale_, link) / kBrakingTime;
  const double most = std::min(std::sqrt(2.0 * braking * room), room / simulation_.tick_s());
  return std::clamp(rate, -most, most);
}

void OperatorControl::ask_tip(const SimState& sim, const machine::Load* loads, OperatorState& state,
                              Asked& asked) const {
  machine::TipVelocity velocity;
  bool moves = false;
  for (std::size_t n = 0; n < functions_.size(); ++n) {
    velocity.reach += state.shaped[n] * functions_[n].full_tip.reach;
    velocity.height += state.shaped[n] * functions_[n].full_tip.height;
    const bool tip = functions_[n].full_tip.reach != 0.0 || functions_[n].full_tip.height != 0.0;
    moves = moves || (tip && state.shaped[n] != 0.0);
  }
  if (!moves) return;
  const machine::MachineModel& model = simulation_.model();
  double q[kMaxLinks];
  for (int i = 0; i < model.joint_count(); ++i) q[i] = simulation_.measured(sim, i);
  machine::RateLimits limits;
  bool used[kMaxLinks];
  for (int i = 0; i < model.joint_count(); ++i) {
    used[i] = nth(tip_used_, i);
    limits.lower[i] = limits.upper[i] = limits.down[i] = limits.up[i] = 0.0;
    limits.scale[i] = 1.0;
  }
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const int i = model.actuators[k].link;
    const auto u = static_cast<std::size_t>(i);
    if (state.following[k] != 0) q[i] = state.reference[i];
    const double J = machine::displacement(model, static_cast<int>(k), simulation_.measured(sim)).J;
    const double top = kTopShare / std::fabs(J);
    limits.scale[i] = scale_[u];
    // The more its own lever is deflected, the less the tip makes use of a joint.
    if (const int n = own_lever_[u]; used[i] && n >= 0) {
      const double left = 1.0 - std::fabs(state.shaped[n]) / kOwnLever;
      used[i] = left > 0.0;
      if (used[i]) limits.scale[i] *= left;
    }
    limits.up[i] = top * metering_[k].top_speed(J, loads[k]);
    limits.down[i] = top * metering_[k].top_speed(-J, loads[k]);
    constexpr double kAny = 1e9;
    limits.upper[i] = approach(i, q[i], kAny);
    limits.lower[i] = approach(i, q[i], -kAny);
  }
  double rate[kMaxLinks];
  to_crane_frame(q);
  if (machine::tip_rates(model, tip_, origin_W_, q, velocity, used, limits, rate) ==
      machine::TipAnswer::kLimited)
    ++state.at_reach_limit;
  // All wait for a lagging joint, which itself goes on being asked.
  const auto lead = [&](std::size_t k) {
    const int i = model.actuators[k].link;
    return state.following[k] != 0 ? state.reference[i] - simulation_.measured(sim, i) : 0.0;
  };
  double share = 1.0;
  for (std::size_t k = 0; k < model.actuators.size(); ++k)
    if (lead(k) * rate[model.actuators[k].link] > 0.0)
      share = std::min(share, std::max(0.0, 2.0 * (1.0 - std::fabs(lead(k)) / kLead)));
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const int i = model.actuators[k].link;
    if (!used[i]) continue;
    double wanted = share * rate[i];
    if (lead(k) * rate[i] > 0.0)
      wanted = std::copysign(
          std::max(std::fabs(wanted), std::min(std::fabs(rate[i]), kNudge * nth(scale_, i))),
          rate[i]);
    asked.rate[i] = asked.moves[k] ? asked.rate[i] + wanted : wanted;
    asked.moves[k] = true;
  }
}

// Decides which joints follow a reference from now on, and starts the fades that prevent jumps.
void OperatorControl::start_fades(const SimState& sim, OperatorState& state,
                                  const Asked& asked) const {
  const machine::MachineModel& model = simulation_.model();
  const bool changed = state.driven_mode >= 0 && state.mode != state.driven_mode;
  const bool valve = state.mode == static_cast<std::int32_t>(ControlMode::kValve);
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const int i = model.actuators[k].link;
    const auto u = static_cast<std::size_t>(i);
    const double v = sim.machine.v[i];
    const bool was = state.following[k] != 0;
    bool is = false;
    if (!valve && static_cast<int>(k) != jaw_actuator_) {
      const bool rolling = changed && !was && std::fabs(v) > kStandstill * scale_[u];
      is = asked.moves[k] || rolling || (was && (changed || state.rate_fade_s[i] > 0.0));
    }
    if (is && !was) {
      state.reference[i] = simulation_.measured(sim, i);
      state.reference_rate[i] = v;
    }
    if (is && (!was || changed)) {
      state.rate_offset[i] = state.reference_rate[i] - asked.rate[i];
      state.rate_fade_s[i] = kFadeTime;
    }
    if (is != was || (changed && !is)) {
      state.volt_offset[k] = sim.machine.actuator[k].command_V;  // less the new law's, below
      state.volt_fade_s[k] = -1.0;
    }
    state.following[k] = is ? 1 : 0;
  }
  state.driven_mode = state.mode;
}

namespace {

// Output of the new law plus the remaining offset of the last one.
double faded(double volts, double h, double& offset, double& left_s) {
  if (left_s < 0.0) {  // begins here
    offset -= volts;
    left_s = kFadeTime;
  }
  const double out = volts + offset * fade(left_s);
  left_s = std::max(0.0, left_s - h);
  return out;
}

}  // namespace

ActuatorCommand OperatorControl::follow(int actuator, const SimState& sim,
                                        const machine::Load& load, Asked& asked,
                                        OperatorState& state) const {
  const machine::MachineModel& model = simulation_.model();
  const auto k = static_cast<std::size_t>(actuator);
  const int i = model.actuators[k].link;
  const double h = simulation_.tick_s();
  const double q = simulation_.measured(sim, i);
  const double J = machine::displacement(model, actuator, simulation_.measured(sim)).J;
  const machine::Metering& metering = metering_[k];

  double rate = asked.rate[i] + state.rate_offset[i] * fade(state.rate_fade_s[i]);
  state.rate_fade_s[i] = std::max(0.0, state.rate_fade_s[i] - h);
  const double top = kTopShare / std::fabs(J);
  rate = std::clamp(rate, -top * metering.top_speed(-J, load), top * metering.top_speed(J, load));
  rate = approach(i, state.reference[i], rate);
  const double wanted = state.reference[i] + h * rate;
  double& reference = state.reference[i];
  reference = std::clamp(wanted, q - kLead, q + kLead);
  state.reference_rate[i] = rate;
  const double volts =
      faded(metering.command_V(J * rate, load), h, state.volt_offset[k], state.volt_fade_s[k]);
  return {reference, ActuatorMode::kFedPosition, reference != wanted ? 1 : 0, volts};
}

ActuatorCommand OperatorControl::open_loop(int actuator, const SimState& sim, double volts,
                                           OperatorState& state) const {
  const auto k = static_cast<std::size_t>(actuator);
  const int i = simulation_.model().actuators[k].link;
  state.reference[i] = simulation_.measured(sim, i);
  state.reference_rate[i] = 0.0;
  state.rate_fade_s[i] = 0.0;
  return {faded(volts, simulation_.tick_s(), state.volt_offset[k], state.volt_fade_s[k]),
          ActuatorMode::kVoltage, 0, 0.0};
}

// A machine that nobody drives parks once it stands. Its frames are locked while it is parked and while the crane
// moves: the roll joint would let the carrier tip to the side of the load.
carrier::CarrierCommand OperatorControl::drive_wheels(const SimState& sim,
                                                      const OperatorState& state) const {
  using command::Switch;
  constexpr double kStands = 0.05;  // rad/s of the wheels
  carrier::CarrierCommand out{};
  const machine::MachineModel& model = simulation_.model();
  if (model.wheels.empty()) return out;
  bool crane = false;
  for (std::size_t n = 0; n < functions_.size(); ++n) {
    const Function& f = functions_[n];
    out.drive += state.shaped[n] * f.full_drive;
    out.brake += std::max(0.0, state.shaped[n]) * f.full_brake;
    crane = crane || (f.actuator >= 0 && !f.steers && state.shaped[n] != 0.0);
  }
  if (looks_forwards(state) == is_on(state, Switch::kDirection)) out.drive = 0.0 - out.drive;
  out.drive = std::clamp(out.drive, -1.0, 1.0);
  out.brake = is_on(state, Switch::kServiceBrake) ? 1.0 : std::min(out.brake, 1.0);
  out.inching = std::min(1.0, kInching * out.brake);
  out.high_gear = is_on(state, Switch::kHighGear) ? 1 : 0;
  out.differential_lock = is_on(state, Switch::kDifferentialLock) ? 1 : 0;
  bool rolls = false;
  for (std::size_t i = 0; i < model.wheels.size(); ++i)
    rolls = rolls || std::fabs(sim.carrier.wheel[i].spin) > kStands;
  if (is_on(state, Switch::kParkingBrake))
    out.drive = 0.0;
  else
    out.released = out.drive != 0.0 || (rolls && sim.input.carrier.released != 0) ? 1 : 0;
  out.joint_lock = out.released == 0 || crane || is_on(state, Switch::kJointLock) ? 1 : 0;
  return out;
}

OperatorDemand OperatorControl::drive(const command::OperatorInput& input, const SimState& sim,
                                      OperatorState& state) const {
  const machine::MachineModel& model = simulation_.model();
  press(input, state);
  shape(input, state);

  machine::Load loads[kMaxActuators];
  const int actuators = static_cast<int>(model.actuators.size());
  if (state.mode != static_cast<std::int32_t>(ControlMode::kValve)) {
    double torque[kMaxLinks];
    double q[kMaxLinks], zero[kMaxLinks];
    for (int i = 0; i < model.joint_count(); ++i) {
      q[i] = simulation_.measured(sim, i);
      zero[i] = 0.0;
    }
    multibody::inverse_dynamics(model.tree, sim.machine.inertia, q, zero, zero, torque);
    for (int k = 0; k < actuators; ++k) loads[k] = load(k, sim, torque);
    if (model.coupled()) [[unlikely]] {
      double force[kMaxActuators];
      machine::static_loads(model, sim.machine.inertia, q, sim.machine.dependent, force, torque);
      for (int k = 0; k < actuators; ++k) loads[k].force = force[k];
    }
  }

  Asked asked;
  std::fill_n(asked.rate, model.joint_count(), 0.0);
  std::fill_n(asked.volts, actuators, 0.0);
  std::fill_n(asked.moves, actuators, false);
  switch (static_cast<ControlMode>(state.mode)) {
    case ControlMode::kValve:
      ask_valves(state, asked);
      break;
    case ControlMode::kJointRate:
      ask_rates(state, asked);
      break;
    case ControlMode::kBoomTip:
      ask_rates(state, asked);
      ask_tip(sim, loads, state, asked);
      break;
  }
  // The more open the jaws, the larger their position.
  if (jaw_actuator_ >= 0)
    for (std::size_t n = 0; n < functions_.size(); ++n)
      if (functions_[n].full_grapple != 0.0)
        ask_valve(n, std::clamp(-state.shaped[n] * functions_[n].full_grapple, -1.0, 1.0), asked);
  start_fades(sim, state, asked);

  OperatorDemand demand;  // as far as the machine reaches
  demand.input.carrier = drive_wheels(sim, state);
  std::fill_n(demand.input.joint, model.joint_count(), JointCommand{});
  for (int k = 0; k < actuators; ++k)
    demand.input.actuator[k] = state.following[k] != 0 ? follow(k, sim, loads[k], asked, state)
                                                       : open_loop(k, sim, asked.volts[k], state);
  for (std::size_t n = 0; n < functions_.size(); ++n)
    demand.grapple += state.shaped[n] * functions_[n].full_grapple;
  demand.grapple = std::clamp(demand.grapple, -1.0, 1.0);
  if (model.head.present) {
    for (std::size_t n = 0; n < functions_.size(); ++n) {
      demand.tilt += state.shaped[n] * functions_[n].full_tilt;
      demand.feed += state.shaped[n] * functions_[n].full_feed;
    }
    demand.butt_reset = is_on(state, command::Switch::kButtReset);
    constexpr int kFirst = static_cast<int>(command::Switch::kLength1);
    constexpr int kLengths = command::kSwitches - kFirst;
    for (int i = 0; i < kLengths; ++i)
      if (demand.length == 0 && is_on(state, static_cast<command::Switch>(kFirst + i)))
        demand.length = i + 1;
    if (is_on(state, command::Switch::kBestLength)) demand.length = kLengths + 1;
    demand.saw = is_on(state, command::Switch::kSaw);
  }
  return demand;
}

}  // namespace knuckleboom::sim
