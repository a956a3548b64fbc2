#include "knuckleboom/core/emulation/hil_bench.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "hil_modes.hpp"
#include "knuckleboom/core/machine/actuator.hpp"

namespace knuckleboom::emulation {
namespace {

constexpr double kMostGain = 1e6;

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
  sensors_ = stops_ | operators_ | wrench_ | host_sensors_ | emulated_sensors_;
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
  if (any_unsettled(state, host_sensors_ | (runs ? wrench_ | emulated_sensors_ : 0)))
    return "a sensor that comes from outside is silent or not yet taken over";
  return "";
}

const char* HilBench::ask(HilEvent event, HilState& state) const {
  const char* const refusal = why_not(event, state);
  if (*refusal != '\0') return refusal;
  if (event == HilEvent::kReset) emulation_.place_on_host(state.emulation);
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
  if (const int i = first_silent(state, wrench_ | emulated_sensors_); i >= 0) {
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
  const double force = std::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  const double error = tip_error(e);
  if (!(force <= safety.most_force))
    change(HilEvent::kLimitExceeded, HilReason::kForce, state, 0, force);
  else if (!(error <= safety.most_tip_error))
    change(HilEvent::kLimitExceeded, HilReason::kTipError, state, 0, error);
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
  input.stop = state.mode == HilMode::kStopped || blind ? 1 : 0;
  input.hold = state.mode != HilMode::kRunning || e.braked > 0 ? 1 : 0;
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
