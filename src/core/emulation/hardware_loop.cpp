#include "knuckleboom/core/emulation/hardware_loop.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace knuckleboom::emulation {
namespace {

constexpr double kMostGain = 1e6;
constexpr const char* kStopIsPressed = "the stop button outside is pressed or silent";

std::int64_t ticks_of(double time_s, double tick_s) {
  return static_cast<std::int64_t>(std::ceil(time_s / tick_s - 1e-9));
}

bool possible(const Tunable& tunable, double value) {
  return value >= tunable.least && value <= tunable.most &&
         (!tunable.whole || value == std::floor(value));
}

}  // namespace

HardwareLoop::HardwareLoop(EmulationPlan plan, const std::vector<exchange::SignalRule>& incoming)
    : emulation_(std::move(plan)),
      signals_(loop_signals(emulation_.plan())),
      exchange_(incoming, emulation_.plan().tick_s) {
  list_tunables();
  for (const exchange::SignalRule& rule : incoming) {
    const int signal = find_signal(rule.name);
    if (signal < 0) throw std::invalid_argument("the emulation has no signal '" + rule.name + "'");
    if (signals_[static_cast<std::size_t>(signal)].slot == nullptr)
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
  sensors_ = stops_ | operators_ | wrench_ | host_sensors_ | emulated_sensors_;
}

std::uint64_t HardwareLoop::mask(SignalRole role) const {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < incoming_.size(); ++i)
    if (point(i).role == role) out |= std::uint64_t{1} << i;
  return out;
}

LoopState HardwareLoop::initial_state() const {
  LoopState state;
  std::memset(static_cast<void*>(&state), 0, sizeof state);
  state.emulation = emulation_.initial_state();
  state.exchange = exchange_.start();
  state.mode = LoopMode::kReady;
  return state;
}

// --- Modes ------------------------------------------------------------------------------------------

void HardwareLoop::enter(LoopMode mode, LoopReason reason, LoopState& state, std::int64_t index,
                         double value) const {
  if (mode == LoopMode::kRunning) ++state.runs;
  if (mode == LoopMode::kHolding) ++state.holds;
  if (mode == LoopMode::kStopped) ++state.stops;
  state.mode = mode;
  state.reason = reason;
  state.reason_tick = state.tick;
  state.reason_index = index;
  state.reason_value = value;
}

const char* HardwareLoop::run(LoopState& state) const {
  if (state.mode == LoopMode::kRunning) return "it is running already";
  if (state.mode == LoopMode::kStopped) return "it is stopped; reset it first";
  if (stop_asked(state)) return kStopIsPressed;
  if (any_unsettled(state, host_sensors_ | wrench_ | emulated_sensors_))
    return "a sensor that comes from outside is silent or not yet taken over";
  enter(LoopMode::kRunning, LoopReason::kUser, state);
  return "";
}

const char* HardwareLoop::apply(const LoopCommand& command, LoopState& state) const {
  const auto index = static_cast<std::size_t>(command.index);
  if (state.reason == LoopReason::kNotFinite) return "it has left the real numbers; start it anew";
  switch (command.kind) {
    case LoopCommandKind::kRun:
      return run(state);
    case LoopCommandKind::kHold:
      if (state.mode != LoopMode::kRunning) return "it is not running";
      enter(LoopMode::kHolding, LoopReason::kUser, state);
      return "";
    case LoopCommandKind::kStop:
      if (state.mode == LoopMode::kStopped) return "it is stopped already";
      enter(LoopMode::kStopped, LoopReason::kUser, state);
      return "";
    case LoopCommandKind::kReset:
      if (state.mode != LoopMode::kStopped) return "it is not stopped";
      if (stop_asked(state)) return kStopIsPressed;
      if (any_unsettled(state, host_sensors_))
        return "a sensor that comes from outside is silent or not yet taken over";
      emulation_.place_on_host(state.emulation);
      enter(LoopMode::kHolding, LoopReason::kUser, state);
      return "";
    case LoopCommandKind::kTune:
      if (index >= tunables_.size()) return "there is no such tunable";
      if (!possible(tunables_[index], command.value)) return "the value is out of its range";
      tuned_slot(state.emulation, command.index) = command.value;
      return "";
    case LoopCommandKind::kSource:
      if (index >= incoming_.size()) return "there is no such incoming signal";
      if (!(command.value == 0.0 || command.value == 1.0 || command.value == 2.0))
        return "there is no such source";
      exchange_.select(state.exchange, command.index,
                       static_cast<exchange::Source>(static_cast<std::int32_t>(command.value)));
      return "";
    case LoopCommandKind::kWatchdog:
      if (command.index != static_cast<std::int32_t>(LoopReason::kLateTick) &&
          command.index != static_cast<std::int32_t>(LoopReason::kConsoleSilent))
        return "a watchdog has no such reason";
      if (state.mode == LoopMode::kStopped) return "it is stopped already";
      enter(LoopMode::kStopped, static_cast<LoopReason>(command.index), state, 0, command.value);
      return "";
  }
  return "there is no such command";
}

bool HardwareLoop::stop_asked(const LoopState& state) const {
  return first_silent(state, stops_) >= 0 || state.emulation.sensed.stop_line > kOn;
}

bool HardwareLoop::unsettled(const LoopState& state, int incoming) const {
  const exchange::SignalState& s = state.exchange.signal[incoming];
  if (s.source == exchange::Source::kSimulated) return false;
  return s.stale != 0 || s.waiting != 0 || s.blend_ticks != 0;
}

bool HardwareLoop::any_unsettled(const LoopState& state, std::uint64_t which) const {
  for (std::size_t i = 0; i < incoming_.size(); ++i)
    if ((which >> i & 1U) != 0 && unsettled(state, static_cast<int>(i))) return true;
  return false;
}

std::uint64_t HardwareLoop::from_outside(const LoopState& state) const {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < incoming_.size(); ++i)
    if (state.exchange.signal[i].source != exchange::Source::kSimulated)
      out |= std::uint64_t{1} << i;
  return out;
}

std::uint64_t HardwareLoop::silent(const LoopState& state) const {
  std::uint64_t out = from_outside(state);
  for (std::size_t i = 0; i < incoming_.size(); ++i)
    if (state.exchange.signal[i].stale == 0) out &= ~(std::uint64_t{1} << i);
  return out;
}

// -1: none.
int HardwareLoop::first_silent(const LoopState& state, std::uint64_t which) const {
  const std::uint64_t mask = silent(state) & which;
  return mask == 0 ? -1 : std::countr_zero(mask);
}

double& HardwareLoop::slot(std::size_t incoming, EmulationState& state) const {
  const LoopSignal& p = point(incoming);
  return p.slot(state, p.joint, p.part);
}

// --- The tick ---------------------------------------------------------------------------------------

void HardwareLoop::exchange_signals(LoopState& state, const exchange::ExchangeInput& outside,
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
void HardwareLoop::heed_stop_line(LoopState& state) const {
  if (state.mode != LoopMode::kRunning && state.mode != LoopMode::kHolding) return;
  if (const int i = first_silent(state, stops_); i >= 0)
    enter(LoopMode::kStopped, LoopReason::kSilentSignal, state, i);
  else if (state.emulation.sensed.stop_line > kOn)
    enter(LoopMode::kStopped, LoopReason::kStopSignal, state);
}

// Without the host's joints no pose can be held: stop. Without the wrench, or the emulated
// machine's joints, the host can hold for a while.
void HardwareLoop::heed_sensors(LoopState& state) const {
  const bool moving = state.mode == LoopMode::kRunning || state.mode == LoopMode::kHolding;
  if (const int i = first_silent(state, host_sensors_); moving && i >= 0)
    enter(LoopMode::kStopped, LoopReason::kSilentSignal, state, i);
  if (const int i = first_silent(state, wrench_ | emulated_sensors_); i >= 0) {
    if (state.mode == LoopMode::kRunning)
      enter(LoopMode::kHolding, LoopReason::kSilentSignal, state, i);
    const bool because = state.reason == LoopReason::kSilentSignal;
    const std::int64_t most = ticks_of(emulation_.plan().safety.stale_stop_s, tick_s());
    if (state.mode == LoopMode::kHolding && because && state.tick - state.reason_tick >= most)
      enter(LoopMode::kStopped, LoopReason::kSilentSignal, state, i);
  }
  // Nothing has moved yet: the tip is set to the host's.
  if (state.mode == LoopMode::kReady && host_sensors_ != 0 && any_unsettled(state, host_sensors_))
    emulation_.place_on_host(state.emulation);
}

// The commands are at their safe values.
void HardwareLoop::heed_commands(LoopState& state) const {
  if (const int i = first_silent(state, motors_ | drives_);
      i >= 0 && state.mode == LoopMode::kRunning)
    enter(LoopMode::kHolding, LoopReason::kSilentSignal, state, i);
}

void HardwareLoop::guard(LoopState& state) const {
  const EmulationState& e = state.emulation;
  if (e.health.non_finite > 0 || e.host.machine.health.non_finite > 0 ||
      e.emulated.machine.health.non_finite > 0) {
    enter(LoopMode::kStopped, LoopReason::kNotFinite, state);
    return;
  }
  if (state.mode != LoopMode::kRunning && state.mode != LoopMode::kHolding) return;
  const SafetyLimits& safety = emulation_.plan().safety;
  const double* const w = e.sensed.wrench;
  const double force = std::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  const double error = tip_error(e);
  if (!(force <= safety.most_force))
    enter(LoopMode::kStopped, LoopReason::kForce, state, 0, force);
  else if (!(error <= safety.most_tip_error))
    enter(LoopMode::kStopped, LoopReason::kTipError, state, 0, error);
}

void HardwareLoop::step(LoopState& state, const exchange::ExchangeInput& outside) const {
  step(state, outside, EmulationInput{});
}

void HardwareLoop::step(LoopState& state, const exchange::ExchangeInput& outside,
                        const EmulationInput& more) const {
  if (state.reason == LoopReason::kNotFinite) {
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
  const bool blind = state.mode == LoopMode::kReady && any_unsettled(state, host_sensors_);
  input.stop = state.mode == LoopMode::kStopped || blind ? 1 : 0;
  input.hold = state.mode != LoopMode::kRunning || e.braked > 0 ? 1 : 0;
  input.hardware = (from_outside(state) & host_sensors_) != 0 ? 1 : 0;
  emulation_.command_emulated(e, input);
  exchange_signals(state, outside, motors_);
  emulation_.control_host(e, input);
  exchange_signals(state, outside, drives_);
  if (input.stop != 0) std::fill(std::begin(e.commands.drive), std::end(e.commands.drive), 0.0);
  heed_commands(state);
  emulation_.move_host(e, input);
  guard(state);
  ++state.tick;
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

void HardwareLoop::list_tunables() {
  for (const TuningField& f : tuning_fields())
    tunables_.push_back({f.name, f.unit, f.description, f.least, f.most, f.whole});
  const machine::MachineModel& model = emulation_.plan().emulated.model;
  for (const machine::Actuator& actuator : model.actuators)
    for (const char* gain : kGainNames)
      tunables_.push_back({"emulated." + model.joint_name(actuator.link) + "." + gain, "SI",
                           "of the joint's controller", 0.0, kMostGain, false});
}

double& HardwareLoop::tuned_slot(EmulationState& state, int tunable) const {
  const std::vector<TuningField>& fields = tuning_fields();
  const auto i = static_cast<std::size_t>(tunable);
  if (i < fields.size()) return state.tuning.*fields[i].value;
  const std::size_t gain = i - fields.size();
  return state.emulated.gains[gain / kGains].*kGainValues[gain % kGains];
}

double HardwareLoop::tuned(const LoopState& state, int tunable) const {
  return tuned_slot(const_cast<EmulationState&>(state.emulation), tunable);  // only read
}

int HardwareLoop::find_tunable(std::string_view name) const { return find_name(tunables_, name); }

int HardwareLoop::find_signal(std::string_view name) const { return find_name(signals_, name); }

int HardwareLoop::incoming_of(int signal) const {
  const auto found = std::find(incoming_.begin(), incoming_.end(), signal);
  return found == incoming_.end() ? -1 : static_cast<int>(found - incoming_.begin());
}

double HardwareLoop::value(const LoopState& state, int signal) const {
  const LoopSignal& s = signals_[static_cast<std::size_t>(signal)];
  return s.read(emulation_, state, s.joint, s.part);
}

}  // namespace knuckleboom::emulation
