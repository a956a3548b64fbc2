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
#include "knuckleboom/core/emulation/loop_signals.hpp"
#include "knuckleboom/core/exchange/exchange.hpp"

namespace knuckleboom::emulation {

enum class LoopMode : std::int32_t {
  kReady,  // at the start: the host holds its pose, the emulated machine stands
  kRunning,
  kHolding,  // the emulated machine stands, the host holds its pose
  kStopped,  // spools are neutral and parking brakes closed; left only by a reset
};
inline constexpr int kLoopModes = 4;

enum class LoopReason : std::int32_t {  // of the last change of the mode
  kNone,
  kUser,
  kLateTick,       // value: by how much [s]
  kConsoleSilent,  // value: for how long [s]
  kSilentSignal,   // index: incoming signal
  kStopSignal,     // external stop button
  kForce,          // value: N
  kTipError,       // value: m
  kNotFinite,      // the state is not finite: nothing is computed any more
};

enum class LoopCommandKind : std::int32_t {
  kRun,       // from ready or holding
  kHold,      // from running
  kStop,      // from anywhere
  kReset,     // from stopped to holding; the emulated tip is set to the host's
  kTune,      // index: tunable, value
  kSource,    // index: incoming signal, value: exchange::Source as a number
  kWatchdog,  // from anywhere to stopped; index: LoopReason, value
};

struct LoopCommand {
  LoopCommandKind kind;
  std::int32_t index;
  double value;
};
static_assert(std::is_trivially_copyable_v<LoopCommand> && sizeof(LoopCommand) == 16);

struct LoopState {
  EmulationState emulation;
  exchange::ExchangeState exchange;
  std::int64_t tick;
  LoopMode mode;
  LoopReason reason;
  std::int64_t reason_tick, reason_index;
  double reason_value;
  std::int64_t runs, holds, stops;  // number of times each began
};
static_assert(std::is_trivially_copyable_v<LoopState>);

struct Tunable {
  std::string name, unit, description;
  double least, most;
  bool whole;
};

class HardwareLoop {
 public:
  // incoming: rules of signals that may come from outside, by the names of signals(), in the order
  // of the frames. Throws std::invalid_argument with a message.
  explicit HardwareLoop(EmulationPlan plan, const std::vector<exchange::SignalRule>& incoming = {});

  LoopState initial_state() const;
  // Between two ticks. Empty: done. Otherwise a message, and nothing has changed.
  const char* apply(const LoopCommand& command, LoopState& state) const;
  // One tick. No heap, no exception.
  void step(LoopState& state, const exchange::ExchangeInput& outside) const;
  // The same with an additional input: a push on the tip.
  void step(LoopState& state, const exchange::ExchangeInput& outside,
            const EmulationInput& more) const;

  const Emulation& emulation() const { return emulation_; }
  const exchange::Exchange& exchange() const { return exchange_; }
  double tick_s() const { return emulation_.plan().tick_s; }
  double time(const LoopState& state) const { return static_cast<double>(state.tick) * tick_s(); }
  // All phases of the plan are over.
  bool finished(const LoopState& state) const { return emulation_.finished(state.emulation); }
  // The selected external source is silent, or its handover is not complete.
  bool unsettled(const LoopState& state, int incoming) const;
  // Bit i: incoming signal i has an external source; and it is silent.
  std::uint64_t from_outside(const LoopState& state) const;
  std::uint64_t silent(const LoopState& state) const;

  const std::vector<LoopSignal>& signals() const { return signals_; }
  int find_signal(std::string_view name) const;  // -1: none
  // Value used in the last tick.
  double value(const LoopState& state, int signal) const;
  int incoming_of(int signal) const;  // -1: not an incoming signal
  int signal_of(int incoming) const { return incoming_[static_cast<std::size_t>(incoming)]; }

  const std::vector<Tunable>& tunables() const { return tunables_; }
  int find_tunable(std::string_view name) const;  // -1: none
  double tuned(const LoopState& state, int tunable) const;

 private:
  void list_tunables();
  double& tuned_slot(EmulationState& state, int tunable) const;
  const char* run(LoopState& state) const;
  bool stop_asked(const LoopState& state) const;
  void enter(LoopMode mode, LoopReason reason, LoopState& state, std::int64_t index = 0,
             double value = 0.0) const;
  void exchange_signals(LoopState& state, const exchange::ExchangeInput& outside,
                        std::uint64_t which) const;
  void heed_stop_line(LoopState& state) const;
  void heed_sensors(LoopState& state) const;
  void heed_commands(LoopState& state) const;
  void guard(LoopState& state) const;
  int first_silent(const LoopState& state, std::uint64_t which) const;
  bool any_unsettled(const LoopState& state, std::uint64_t which) const;
  std::uint64_t mask(SignalRole role) const;
  const LoopSignal& point(std::size_t incoming) const {
    return signals_[static_cast<std::size_t>(incoming_[incoming])];
  }
  double& slot(std::size_t incoming, EmulationState& state) const;

  Emulation emulation_;
  std::vector<LoopSignal> signals_;
  std::vector<Tunable> tunables_;
  exchange::Exchange exchange_;
  std::vector<int> incoming_;  // signals
  std::uint64_t sensors_ = 0, operators_ = 0, wrench_ = 0, host_sensors_ = 0, emulated_sensors_ = 0;
  std::uint64_t motors_ = 0, drives_ = 0, stops_ = 0;
};

}  // namespace knuckleboom::emulation
