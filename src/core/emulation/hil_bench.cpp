#include "knuckleboom/core/emulation/hil_bench.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "hil_modes.hpp"
#include "knuckleboom/core/emulation/tip_motion.hpp"
#include "knuckleboom/core/machine/actuator.hpp"

namespace knuckleboom::emulation {
namespace {

constexpr double kMostGain = 1e6;
constexpr double kArm = 0.1;  // of turns, as motions of the tip [m]
constexpr double kFastSwing =
    0.05;                           // half a period of an oscillation; slower ones are the emulated
                                    // machine's own, which the host follows with some error [s]
constexpr double kSlowSwing = 0.5;  // s
constexpr double kSlowShare = 5.0;  // of safety.swing, where it is slow
constexpr double kEnergyMemory = 1.0;       // s
constexpr double kControlFrom = 0.5;        // of the energy budget
constexpr double kDampingTime = 0.02;       // of the emulated tip, where it is damped most [s]
constexpr double kEchoMemory = 1.0;         // s
constexpr double kMostKnock = 0.5;          // of safety.most_force
constexpr double kMostDelay = 0.5;          // of the largest one that is stable
constexpr double kLetGoSpeed = 0.03;        // m/s
constexpr double kLetGoAcceleration = 1.0;  // m/s^2
constexpr double kLetGoMost = 3.0;          // s
constexpr double kClear = 1e-3;             // way from the contact after which the brakes close [m]
constexpr double kBouncing = 0.05;          // speed away from it that does as well [m/s]

std::int64_t ticks_of(double time_s, double tick_s) {
  return static_cast<std::int64_t>(std::ceil(time_s / tick_s - 1e-9));
}

bool possible(const Tunable& tunable, double value) {
  return value >= tunable.least && value <= tunable.most &&
         (!tunable.whole || value == std::floor(value));
}

}  // namespace

HilBench::HilBench(EmulationPlan plan, const std::vector<exchange::SignalRule>& incoming)
    : emulation_(std::move(plan)),
      signals_(hil_signals(emulation_.plan())),
      exchange_(incoming, emulation_.plan().tick_s) {
  list_tunables();
  for (const exchange::SignalRule& rule : incoming) {
    const int signal = find_signal(rule.name);
    if (signal < 0) throw std::invalid_argument("the emulation has no signal '" + rule.name + "'");
    if (nth(signals_, signal).slot == nullptr)
      throw std::invalid_argument("signal '" + rule.name +
                                  "' is only observed; it cannot come from outside");
    if (std::find(incoming_.begin(), incoming_.end(), signal) != incoming_.end())
      throw std::invalid_argument("signal '" + rule.name + "' comes in twice");
    incoming_.push_back(signal);
  }
  emulated_sensors_ = mask(SignalRole::kEmulatedSensor);
  wrench_ = mask(SignalRole::kWrench);
  host_sensors_ = mask(SignalRole::kHostSensor);
  motors_ = mask(SignalRole::kMotor);
  drives_ = mask(SignalRole::kDrive);
  stops_ = mask(SignalRole::kStop);
  operators_ = mask(SignalRole::kOperator);
  echo_ = mask(SignalRole::kEcho);
  machine_ = mask(SignalRole::kMachine);
  sensors_ = stops_ | operators_ | wrench_ | host_sensors_ | emulated_sensors_ | echo_;
}

std::uint64_t HilBench::mask(SignalRole role) const {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < incoming_.size(); ++i)
    if (point(i).role == role) out |= std::uint64_t{1} << i;
  return out;
}

HilState HilBench::initial_state() const {
  HilState state;
  std::memset(static_cast<void*>(&state), 0, sizeof state);
  state.emulation = emulation_.initial_state();
  state.exchange = exchange_.start();
  state.mode = HilMode::kReady;
  return state;
}

// --- Modes ------------------------------------------------------------------------------------------

// False: in this mode the event changes nothing.
bool HilBench::change(HilEvent event, HilReason reason, HilState& state, std::int64_t index,
                      double value) const {
  const HilWay& way = way_of(state.mode, event);
  if (!way.leads) return false;
  if (way.to == HilMode::kStopped) begin_let_go(event, state);
  if (way.to == HilMode::kRunning) {
    std::fill(std::begin(state.watch.swing), std::end(state.watch.swing), SwingState{});
    state.watch.put_in = 0.0;
  }
  if (way.to == HilMode::kRunning) ++state.runs;
  if (way.to == HilMode::kHolding) ++state.holds;
  if (way.to == HilMode::kStopped) ++state.stops;
  state.mode = way.to;
  state.reason = reason;
  state.reason_tick = state.tick;
  state.reason_index = index;
  state.reason_value = value;
  return true;
}

// A sentence that refuses a command; empty: nothing is in its way.
const char* HilBench::why_not(HilEvent event, const HilState& state) const {
  const HilWay& way = way_of(state.mode, event);
  const bool runs = event == HilEvent::kRun;
  if (!way.leads || (!runs && event != HilEvent::kReset)) return way.refusal;
  if (stop_asked(state)) return "the stop button outside is pressed or silent";
  if (any_unsettled(state, host_sensors_ | (runs ? wrench_ | emulated_sensors_ | machine_ : 0)))
    return "a sensor that comes from outside is silent or not yet taken over";
  if (runs && !(knock(state) <= kMostKnock * emulation_.plan().safety.most_force))
    return "the contact would be struck too hard: site.stiffness x speed of approach x 2 x "
           "loop_delay "
           "must be at most half of safety.most_force; approach more slowly, or make the delay "
           "shorter";
  if (runs && !(emulation_.heard_delay_s(state.emulation) + wire_s(state) <=
                kMostDelay * emulation_.most_stable_delay_s(state.emulation)))
    return "the delay is too long for this contact: without the force sensor's, loop_delay must be "
           "at "
           "most half of pi / sqrt(site.stiffness (2 / m_host - 1 / m_emulated)), masses at the "
           "tip; "
           "take a softer contact, or make the delay shorter";
  return "";
}

const char* HilBench::ask(HilEvent event, HilState& state) const {
  const char* const refusal = why_not(event, state);
  if (*refusal != '\0') return refusal;
  if (event == HilEvent::kReset) {
    emulation_.place_on_host(state.emulation);
    state.let_go = {};
  }
  change(event, HilReason::kUser, state);
  return refusal;
}

const char* HilBench::apply(const HilCommand& command, HilState& state) const {
  const auto index = static_cast<std::size_t>(command.index);
  if (state.reason == HilReason::kNotFinite) return "it has left the real numbers; start it anew";
  switch (command.kind) {
    case HilCommandKind::kRun:
    case HilCommandKind::kHold:
    case HilCommandKind::kStop:
    case HilCommandKind::kReset:
      return ask(static_cast<HilEvent>(command.kind), state);
    case HilCommandKind::kTune:
      if (index >= tunables_.size()) return "there is no such tunable";
      if (!possible(tunables_[index], command.value)) return "the value is out of its range";
      tuned_slot(state.emulation, command.index) = command.value;
      return "";
    case HilCommandKind::kSource:
      if (index >= incoming_.size()) return "there is no such incoming signal";
      if (!(command.value == 0.0 || command.value == 1.0 || command.value == 2.0))
        return "there is no such source";
      exchange_.select(state.exchange, command.index,
                       static_cast<exchange::Source>(static_cast<std::int32_t>(command.value)));
      return "";
    case HilCommandKind::kWatchdog:
      if (command.index != static_cast<std::int32_t>(HilReason::kLateTick) &&
          command.index != static_cast<std::int32_t>(HilReason::kConsoleSilent))
        return "a watchdog has no such reason";
      if (!change(HilEvent::kWatchdog, static_cast<HilReason>(command.index), state, 0,
                  command.value))
        return way_of(state.mode, HilEvent::kWatchdog).refusal;
      return "";
  }
  return "there is no such command";
}

// Also while the motion goes over to ours again.
bool HilBench::machine_elsewhere(const HilState& state) const {
  if ((from_outside(state) & machine_) != 0) return true;
  for (std::size_t i = 0; i < incoming_.size(); ++i)
    if ((machine_ >> i & 1U) != 0 && state.exchange.signal[i].blend_ticks != 0) return true;
  return false;
}

bool HilBench::stop_asked(const HilState& state) const {
  return first_silent(state, stops_) >= 0 || state.emulation.sensed.stop_line > kOn;
}

bool HilBench::unsettled(const HilState& state, int incoming) const {
  const exchange::SignalState& s = state.exchange.signal[incoming];
  if (s.source == exchange::Source::kSimulated) return false;
  return s.stale != 0 || s.waiting != 0 || s.blend_ticks != 0;
}

bool HilBench::any_unsettled(const HilState& state, std::uint64_t which) const {
  for (std::size_t i = 0; i < incoming_.size(); ++i)
    if ((which >> i & 1U) != 0 && unsettled(state, static_cast<int>(i))) return true;
  return false;
}

std::uint64_t HilBench::from_outside(const HilState& state) const {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < incoming_.size(); ++i)
    if (state.exchange.signal[i].source != exchange::Source::kSimulated)
      out |= std::uint64_t{1} << i;
  return out;
}

std::uint64_t HilBench::silent(const HilState& state) const {
  std::uint64_t out = from_outside(state);
  for (std::size_t i = 0; i < incoming_.size(); ++i)
    if (state.exchange.signal[i].stale == 0) out &= ~(std::uint64_t{1} << i);
  return out;
}

// -1: none.
int HilBench::first_silent(const HilState& state, std::uint64_t which) const {
  const std::uint64_t mask = silent(state) & which;
  return mask == 0 ? -1 : std::countr_zero(mask);
}

double& HilBench::slot(std::size_t incoming, EmulationState& state) const {
  const HilSignal& p = point(incoming);
  return p.slot(state, p.joint, p.part);
}

// --- The tick ---------------------------------------------------------------------------------------

void HilBench::exchange_signals(HilState& state, const exchange::ExchangeInput& outside,
                                std::uint64_t which) const {
  if (which == 0) return;
  double values[exchange::kMaxSignals] = {};
  for (std::size_t i = 0; i < incoming_.size(); ++i) {
    values[i] = slot(i, state.emulation);
  }
  exchange_.step(state.exchange, outside, std::span(values).first(incoming_.size()), which);
  for (std::size_t i = 0; i < incoming_.size(); ++i) {
    if ((which >> i & 1U) != 0) slot(i, state.emulation) = state.exchange.signal[i].output;
  }
}

// A disconnected button counts as pressed.
void HilBench::heed_stop_line(HilState& state) const {
  if (const int i = first_silent(state, stops_); i >= 0)
    change(HilEvent::kStopLine, HilReason::kSilentSignal, state, i);
  else if (state.emulation.sensed.stop_line > kOn)
    change(HilEvent::kStopLine, HilReason::kStopSignal, state);
}

// Without the host's joints no pose can be held: stop. Without the wrench, or the emulated
// machine's joints, the host can hold for a while.
void HilBench::heed_sensors(HilState& state) const {
  if (const int i = first_silent(state, host_sensors_); i >= 0)
    change(HilEvent::kHostSilent, HilReason::kSilentSignal, state, i);
  if (const int i = first_silent(state, wrench_ | emulated_sensors_ | machine_); i >= 0) {
    change(HilEvent::kSensorSilent, HilReason::kSilentSignal, state, i);
    const std::int64_t most = ticks_of(emulation_.plan().safety.stale_stop_s, tick_s());
    if (state.reason == HilReason::kSilentSignal && state.tick - state.reason_tick >= most)
      change(HilEvent::kSilentTooLong, HilReason::kSilentSignal, state, i);
  }
  // Nothing has moved yet: the tip is set to the host's.
  if (state.mode == HilMode::kReady && host_sensors_ != 0 && any_unsettled(state, host_sensors_))
    emulation_.place_on_host(state.emulation);
}

// The commands are at their safe values.
void HilBench::heed_commands(HilState& state) const {
  if (const int i = first_silent(state, motors_ | drives_); i >= 0)
    change(HilEvent::kCommandSilent, HilReason::kSilentSignal, state, i);
}

void HilBench::guard(HilState& state) const {
  const EmulationState& e = state.emulation;
  if (e.health.non_finite > 0 || e.host.machine.health.non_finite > 0 ||
      e.emulated.machine.health.non_finite > 0) {
    change(HilEvent::kNotFinite, HilReason::kNotFinite, state);
    return;
  }
  const SafetyLimits& safety = emulation_.plan().safety;
  const double* const w = e.sensed.wrench;
  const double force = vec(w).norm();
  const double error = tip_error(e);
  if (!(force <= safety.most_force))
    change(HilEvent::kLimitExceeded, HilReason::kForce, state, 0, force);
  else if (!(error <= safety.most_tip_error))
    change(HilEvent::kLimitExceeded, HilReason::kTipError, state, 0, error);
  if (state.mode == HilMode::kRunning && e.braked == 0)
    watch_loop(state);
  else
    state.watch.balance = e.energy.emulated - e.energy.host;
}

void HilBench::step(HilState& state, const exchange::ExchangeInput& outside) const {
  step(state, outside, EmulationInput{});
}

void HilBench::step(HilState& state, const exchange::ExchangeInput& outside,
                    const EmulationInput& more) const {
  if (state.reason == HilReason::kNotFinite) {
    ++state.tick;
    return;
  }
  EmulationState& e = state.emulation;
  EmulationInput input = more;
  // External operator axes steer alone: the other axes are zero and the plan's phases wait.
  if ((from_outside(state) & operators_) != 0) input.has_operator = 1;
  emulation_.read_sensors(e, input);
  exchange_signals(state, outside, sensors_);
  heed_stop_line(state);
  heed_sensors(state);
  const bool blind = state.mode == HilMode::kReady && any_unsettled(state, host_sensors_);
  let_go(input, state);
  input.stop = (state.mode == HilMode::kStopped && state.let_go.on == 0) || blind ? 1 : 0;
  input.hold = state.mode != HilMode::kRunning || e.braked > 0 ? 1 : 0;
  input.hardware = (from_outside(state) & host_sensors_) != 0 ? 1 : 0;
  input.theirs = machine_elsewhere(state) ? 1 : 0;
  input.follow = (from_outside(state) & machine_) != 0 ? 1 : 0;
  measure_wire(state);
  input.wire_s = wire_s(state);
  const double excess = state.watch.put_in / emulation_.plan().safety.energy_budget - kControlFrom;
  if (state.mode == HilMode::kRunning && excess > 0.0)
    input.damping =
        std::min(1.0, excess / (1.0 - kControlFrom)) * emulation_.tip_mass() / kDampingTime;
  emulation_.command_emulated(e, input);
  exchange_signals(state, outside, motors_);
  emulation_.move_emulated(e, input);
  exchange_signals(state, outside, machine_);
  emulation_.control_host(e, input);
  exchange_signals(state, outside, drives_);
  if (input.stop != 0) std::fill(std::begin(e.commands.drive), std::end(e.commands.drive), 0.0);
  heed_commands(state);
  emulation_.move_host(e, input);
  guard(state);
  ++state.tick;
}

// --- Watchdogs of the loop --------------------------------------------------------------------------

void HilBench::watch_loop(HilState& state) const {
  watch_energy(state);
  watch_swings(state);
}

// A sum that never falls below zero: what the loop has taken away long ago excuses nothing, and what
// sensors' errors add slowly is forgotten.
void HilBench::watch_energy(HilState& state) const {
  const EmulationEnergy& energy = state.emulation.energy;
  LoopWatch& watch = state.watch;
  const double balance = energy.emulated - energy.host;
  const double kept = 1.0 - tick_s() / kEnergyMemory;
  watch.put_in = std::max(0.0, kept * watch.put_in + balance - watch.balance);
  watch.balance = balance;
  if (!(watch.put_in <= emulation_.plan().safety.energy_budget))
    change(HilEvent::kLimitExceeded, HilReason::kEnergy, state, 0, watch.put_in);
}

void HilBench::watch_swings(HilState& state) const {
  const EmulationState& e = state.emulation;
  const SafetyLimits& safety = emulation_.plan().safety;
  const PegMotion tip = emulation_.in_site(e.tip), target = emulation_.in_site(e.target);
  const Vec3 turn = rotation_error(target.R, tip.R);
  const SwingLimits limits[] = {
      {safety.swing, kFastSwing},
      {safety.swing / kArm, kFastSwing},
      {safety.force_share * safety.most_force, kFastSwing},
      {kSlowShare * safety.swing, kSlowSwing},
  };
  for (int i = 0; i < kSwingAxes; ++i) {
    const int axis = i % 3;
    const double away = tip.p[axis] - target.p[axis];
    const double values[] = {away, turn[axis], e.sensed.wrench[axis], away};
    const double frequency_Hz =
        watch_swing(limits[i / 3], values[i / 3], state.tick, tick_s(), state.watch.swing[i]);
    if (frequency_Hz > 0.0)
      change(HilEvent::kLimitExceeded, HilReason::kOscillation, state, i / 3, frequency_Hz);
  }
}

// By the time of this bench as the host in hardware heard it last, which it sends back.
void HilBench::measure_wire(HilState& state) const {
  if ((from_outside(state) & echo_) == 0 || (silent(state) & echo_) != 0) return;
  double& known = state.watch.echo_s;
  const double way = std::max(0.0, time(state) - state.emulation.sensed.echo);
  known = std::max(way, known - tick_s() / kEchoMemory * known);
}

// Without a host in hardware it is that of the other side, which is none of this loop.
double HilBench::wire_s(const HilState& state) const {
  const bool hardware = (from_outside(state) & host_sensors_) != 0;
  return hardware && (from_outside(state) & echo_) != 0 ? state.watch.echo_s : 0.0;
}

double HilBench::loop_delay_s(const HilState& state) const {
  return emulation_.loop_delay_s(state.emulation) + wire_s(state);
}

double HilBench::knock(const HilState& state) const {
  double speed = emulation_.approach_speed();
  if (const std::uint64_t steered = from_outside(state) & operators_; steered != 0) {
    speed = 0.0;
    for (std::size_t i = 0; i < incoming_.size(); ++i) {
      const exchange::SignalRule& rule = exchange_.rule(static_cast<int>(i));
      if ((steered >> i & 1U) != 0 && point(i).part < 3)
        speed = std::max({speed, std::fabs(rule.least), std::fabs(rule.most)});
    }
  }
  return state.emulation.tuning.site_stiffness * speed * 2.0 * loop_delay_s(state);
}

// --- Letting go -------------------------------------------------------------------------------------

// A host that presses on something when it is stopped moves away from it first. That needs its joints
// and its force sensor, and brakes that are open.
void HilBench::begin_let_go(HilEvent event, HilState& state) const {
  EmulationState& e = state.emulation;
  state.let_go = {};
  if (event == HilEvent::kNotFinite || e.braked != 0 || state.mode == HilMode::kReady) return;
  if (any_unsettled(state, host_sensors_ | wrench_ | drives_)) return;
  const Vec3 force = emulation_.sensed_force(e);
  if (!(force.norm() > emulation_.plan().safety.let_go_force)) return;
  emulation_.place_on_host(e);
  state.let_go.on = 1;
  std::copy_n(Vec3(force.normalized()).data(), 3, state.let_go.away);
}

void HilBench::let_go(EmulationInput& input, HilState& state) const {
  LetGo& l = state.let_go;
  if (state.mode != HilMode::kStopped || l.on == 0) return;
  const double h = tick_s();
  const EmulationState& e = state.emulation;
  ++l.ticks;
  l.speed = std::min(kLetGoSpeed, l.speed + h * kLetGoAcceleration);
  const Vec3 away = vec(l.away);
  const bool free = vec(e.sensed.wrench).norm() <= emulation_.plan().safety.let_go_force;
  l.freed = free ? l.freed + h * l.speed : 0.0;
  const double outwards = vec(e.tip.twist).dot(away);
  const bool lost = any_unsettled(state, host_sensors_ | wrench_ | drives_);
  const bool clear = free && ((l.freed >= kClear && outwards >= 0.0) || outwards > kBouncing);
  if (lost || clear || static_cast<double>(l.ticks) * h > kLetGoMost) {
    l.on = 0;
    return;
  }
  std::copy_n(Vec3(l.speed * away).data(), 3, input.retreat);
}

// --- Tunables ---------------------------------------------------------------------------------------

namespace {

constexpr int kGains = 4;
constexpr const char* kGainNames[kGains] = {"kp", "ki", "kd", "feed_forward"};
constexpr double control::PidGains::*kGainValues[kGains] = {
    &control::PidGains::Kp, &control::PidGains::Ki, &control::PidGains::Kd,
    &control::PidGains::feed_forward};

int find_name(const auto& list, std::string_view name) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) return static_cast<int>(i);
  return -1;
}

}  // namespace

void HilBench::list_tunables() {
  for (const TuningField& f : tuning_fields())
    tunables_.push_back({f.name, f.unit, f.description, f.least, f.most, f.whole});
  const machine::MachineModel& model = emulation_.plan().emulated.model;
  for (const machine::Actuator& actuator : model.actuators)
    for (const char* gain : kGainNames)
      tunables_.push_back({"emulated." + model.joint_name(actuator.link) + "." + gain, "SI",
                           "of the joint's controller", 0.0, kMostGain, false});
}

double& HilBench::tuned_slot(EmulationState& state, int tunable) const {
  const std::vector<TuningField>& fields = tuning_fields();
  const auto i = static_cast<std::size_t>(tunable);
  if (i < fields.size()) return state.tuning.*fields[i].value;
  const std::size_t gain = i - fields.size();
  return state.emulated.gains[gain / kGains].*kGainValues[gain % kGains];
}

double HilBench::tuned(const HilState& state, int tunable) const {
  return tuned_slot(const_cast<EmulationState&>(state.emulation), tunable);  // only read
}

int HilBench::find_tunable(std::string_view name) const { return find_name(tunables_, name); }

int HilBench::find_signal(std::string_view name) const { return find_name(signals_, name); }

int HilBench::incoming_of(int signal) const {
  const auto found = std::find(incoming_.begin(), incoming_.end(), signal);
  return found == incoming_.end() ? -1 : static_cast<int>(found - incoming_.begin());
}

double HilBench::value(const HilState& state, int signal) const {
  const HilSignal& s = nth(signals_, signal);
  return s.read({emulation_, state, s.joint, s.part});
}

}  // namespace knuckleboom::emulation
