// An emulation as a bench that runs live: every sensor and command of its machines may come from
// the simulation, from a log or over a network; it can be run, held, stopped and tuned live; and it
// stops by itself on errors.
//
// A tick depends only on the state, the commands applied before it and its ExchangeInput: with
// these recorded a run gives the same bits again. docs/theory/emulation.md
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "knuckleboom/core/emulation/emulation.hpp"
#include "knuckleboom/core/emulation/hil_signals.hpp"
#include "knuckleboom/core/emulation/swing_watch.hpp"
#include "knuckleboom/core/exchange/exchange.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::emulation {

enum class HilMode : std::int32_t {
  kReady,  // at the start: the host holds its pose, the emulated machine stands
  kRunning,
  kHolding,  // the emulated machine stands, the host holds its pose
  kStopped,  // spools are neutral and parking brakes closed; left only by a reset
};
inline constexpr int kHilModes = 4;

enum class HilReason : std::int32_t {  // of the last change of the mode
  kNone,
  kUser,
  kLateTick,       // value: by how much [s]
  kConsoleSilent,  // value: for how long [s]
  kSilentSignal,   // index: incoming signal
  kStopSignal,     // external stop button
  kForce,          // value: N
  kTipError,       // value: m
  kNotFinite,      // the state is not finite: nothing is computed any more
  kOscillation,    // index: Swing, value: Hz
  kEnergy,         // value: J
};

// Signals that are watched for oscillations.
enum class Swing : std::int32_t {
  kTip,    // of the host less that of the emulated machine [m]
  kTurn,   // the same as an angle [rad]
  kForce,  // as measured, in the tool's axes [N]
  kSlow,   // as kTip, slower than 10 Hz [m]
};
inline constexpr int kSwingAxes = 12;

// Watchdogs of the loop.
struct LoopWatch {
  SwingState swing[kSwingAxes];
  double balance;  // work on the emulated tip less that on the host's, at the last tick [J]
  double put_in;   // that the loop added at once: more than was taken since [J]
  double echo_s;   // longest way to the host in hardware and back of late [s]
};
constexpr auto state_fields(const LoopWatch* /*type*/) {
  using namespace knuckleboom::state;
  using S = LoopWatch;
  return state::fields_of<S>(KB_FIELD(swing), KB_FIELD(balance), KB_FIELD(put_in, kPositive),
                             KB_FIELD(echo_s, kPositive));
}

// After a stop in contact: the host moves away from it before its brakes close.
struct LetGo {
  std::int64_t on;
  std::int64_t ticks;
  double away[3];  // direction, in the world
  double speed;    // m/s
  double freed;    // way since the contact let go [m]
};
constexpr auto state_fields(const LetGo* /*type*/) {
  using namespace knuckleboom::state;
  using S = LetGo;
  return state::fields_of<S>(KB_FIELD(on, kFlag), KB_FIELD(ticks, kCounter),
                             KB_FIELD(away, kDirection), KB_FIELD(speed, kSpeed),
                             KB_FIELD(freed, kPosition));
}

enum class HilCommandKind : std::int32_t {
  kRun,       // from ready or holding
  kHold,      // from running
  kStop,      // from anywhere
  kReset,     // from stopped to holding; the emulated tip is set to the host's
  kTune,      // index: tunable, value
  kSource,    // index: incoming signal, value: exchange::Source as a number
  kWatchdog,  // from anywhere to stopped; index: HilReason, value
};

struct HilCommand {
  HilCommandKind kind;
  std::int32_t index;
  double value;
};
static_assert(std::is_trivially_copyable_v<HilCommand> && sizeof(HilCommand) == 16);

struct HilState {
  EmulationState emulation;
  exchange::ExchangeState exchange;
  std::int64_t tick;
  HilMode mode;
  HilReason reason;
  std::int64_t reason_tick, reason_index;
  double reason_value;
  std::int64_t runs, holds, stops;  // number of times each began
  LoopWatch watch;
  LetGo let_go;
};
constexpr auto state_fields(const HilState* /*type*/) {
  using namespace knuckleboom::state;
  using S = HilState;
  return state::fields_of<S>(KB_FIELD(emulation), KB_FIELD(exchange), KB_FIELD(tick, kCounter),
                             KB_FIELD(mode, below(kHilModes)), KB_FIELD(reason, below(11)),
                             KB_FIELD(reason_tick, kCounter), KB_FIELD(reason_index),
                             KB_FIELD(reason_value), KB_FIELD(runs, kCounter),
                             KB_FIELD(holds, kCounter), KB_FIELD(stops, kCounter), KB_FIELD(watch),
                             KB_FIELD(let_go));
}

enum class HilEvent : std::int32_t;  // all that can change the mode: core/emulation/hil_modes.hpp

struct Tunable {
  std::string name, unit, description;
  double least, most;
  bool whole;
};

class HilBench {
 public:
  // incoming: rules of signals that may come from outside, by the names of signals(), in the order
  // of the frames. Throws std::invalid_argument with a message.
  explicit HilBench(EmulationPlan plan, const std::vector<exchange::SignalRule>& incoming = {});

  HilState initial_state() const;
  // Between two ticks. Empty: done. Otherwise a message, and nothing has changed.
  const char* apply(const HilCommand& command, HilState& state) const;
  // One tick. No heap, no exception.
  void step(HilState& state, const exchange::ExchangeInput& outside) const;
  // The same with an additional input: a push on the tip.
  void step(HilState& state, const exchange::ExchangeInput& outside,
            const EmulationInput& more) const;

  const Emulation& emulation() const { return emulation_; }
  const exchange::Exchange& exchange() const { return exchange_; }
  double tick_s() const { return emulation_.plan().tick_s; }
  double time(const HilState& state) const { return static_cast<double>(state.tick) * tick_s(); }
  // All phases of the plan are over.
  bool finished(const HilState& state) const { return emulation_.finished(state.emulation); }
  // Delay around the loop of contact force and motion, with that of the wire as it was measured [s].
  double loop_delay_s(const HilState& state) const;
  // Force that the plan's approach builds up against the site before the loop can answer:
  // stiffness x speed x 2 x that delay [N].
  double knock(const HilState& state) const;
  // The selected external source is silent, or its handover is not complete.
  bool unsettled(const HilState& state, int incoming) const;
  // Bit i: incoming signal i has an external source; and it is silent.
  std::uint64_t from_outside(const HilState& state) const;
  std::uint64_t silent(const HilState& state) const;

  const std::vector<HilSignal>& signals() const { return signals_; }
  int find_signal(std::string_view name) const;  // -1: none
  // Value used in the last tick.
  double value(const HilState& state, int signal) const;
  int incoming_of(int signal) const;  // -1: not an incoming signal
  int signal_of(int incoming) const { return nth(incoming_, incoming); }

  const std::vector<Tunable>& tunables() const { return tunables_; }
  int find_tunable(std::string_view name) const;  // -1: none
  double tuned(const HilState& state, int tunable) const;

 private:
  void list_tunables();
  double& tuned_slot(EmulationState& state, int tunable) const;
  const char* why_not(HilEvent event, const HilState& state) const;
  const char* ask(HilEvent event, HilState& state) const;
  bool machine_elsewhere(const HilState& state) const;
  bool stop_asked(const HilState& state) const;
  bool change(HilEvent event, HilReason reason, HilState& state, std::int64_t index = 0,
              double value = 0.0) const;
  void exchange_signals(HilState& state, const exchange::ExchangeInput& outside,
                        std::uint64_t which) const;
  void heed_stop_line(HilState& state) const;
  void heed_sensors(HilState& state) const;
  void heed_commands(HilState& state) const;
  void guard(HilState& state) const;
  void watch_loop(HilState& state) const;
  void watch_swings(HilState& state) const;
  void watch_energy(HilState& state) const;
  void measure_wire(HilState& state) const;
  double wire_s(const HilState& state) const;
  void begin_let_go(HilEvent event, HilState& state) const;
  void let_go(EmulationInput& input, HilState& state) const;
  int first_silent(const HilState& state, std::uint64_t which) const;
  bool any_unsettled(const HilState& state, std::uint64_t which) const;
  std::uint64_t mask(SignalRole role) const;
  const HilSignal& point(std::size_t incoming) const { return nth(signals_, incoming_[incoming]); }
  double& slot(std::size_t incoming, EmulationState& state) const;

  Emulation emulation_;
  std::vector<HilSignal> signals_;
  std::vector<Tunable> tunables_;
  exchange::Exchange exchange_;
  std::vector<int> incoming_;  // signals
  std::uint64_t sensors_ = 0, operators_ = 0, wrench_ = 0, host_sensors_ = 0, emulated_sensors_ = 0;
  std::uint64_t motors_ = 0, drives_ = 0, stops_ = 0, echo_ = 0, machine_ = 0;
};

}  // namespace knuckleboom::emulation
