// The source of each signal of a running machine: the simulation itself, a log, or another program
// over a network; and the safe state when that source is lost. Pure: data received since the last
// tick is latched once into a plain ExchangeInput, so that a recorded one gives the same bits.
//
// Nothing from outside passes without limits. A non-finite number is refused, as if not received;
// others are limited to the signal's range, and the output to its rate.
//
// Staleness is counted in ticks, not read from a clock: after exactly stale_ticks ticks in a row
// without a fresh value the signal is stale and its safe state applies at once. A fresh value ends
// that bumplessly. docs/reference/endpoints.md
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::exchange {

inline constexpr int kMaxSignals = 32;

enum class Source : std::int32_t { kSimulated, kLog, kNetwork };
inline constexpr int kOutsideSources = 2;  // log and network

// Transition of the output to a new source with another value.
enum class Handover : std::int32_t {
  kBlend,          // the gap between the two fades within blend_s
  kHoldUntilNear,  // holds until the source comes near or passes, then follows it
};

// Behaviour of a stale signal.
enum class SafeState : std::int32_t {
  kValue,  // goes to the safe value: spools to neutral
  kHold,   // keeps its value: a host holds its pose
};

// Rule of one signal, in its own unit U.
struct SignalRule {
  std::string name;
  double least = -1.0, most = 1.0;  // range of external values, finite [U]
  // Largest rate of the output while it follows an external source, above 0; infinite: only the
  // range limits [U/s].
  double most_rate = std::numeric_limits<double>::infinity();
  SafeState safe_state = SafeState::kValue;
  double safe_value = 0.0;  // within the range [U]
  // Rate towards the safe value; infinite: at once [U/s].
  double safe_rate = std::numeric_limits<double>::infinity();
  double stale_s = 0.05;  // rounded up to whole ticks, one at least
  Handover handover = Handover::kBlend;
  double blend_s = 0.2;                // longer if the largest rate requires it
  double near = 0.02;                  // of kHoldUntilNear, above 0 [U]
  Source source = Source::kSimulated;  // at the start
};

// Data received from one external source since the last tick.
struct SignalFrame {
  double value[kMaxSignals];
  std::uint64_t fresh;     // bit i: value[i] is new
  std::uint64_t sequence;  // of the newest packet; for the recording only
  std::int64_t stamp_ns;   // on the sender's clock; for the recording only
};

// Input of one tick: besides the simulation, the tick depends only on this and the previous state.
struct ExchangeInput {
  SignalFrame log, network;
};
static_assert(std::is_trivially_copyable_v<ExchangeInput>);

// Reception of one signal from one external source.
struct Received {
  double value;              // newest good value, within the range [U]
  std::int64_t age;          // ticks since its reception; stops at stale_ticks
  std::int64_t refused;      // values that were not finite
  std::int64_t limited;      // values beyond the range
  std::int64_t times_stale;  // how often it was lost after it had been received
};
constexpr auto state_fields(const Received* /*type*/) {
  using namespace knuckleboom::state;
  using S = Received;
  return state::fields_of<S>(KB_FIELD(value), KB_FIELD(age, kCounter), KB_FIELD(refused, kCounter),
                             KB_FIELD(limited, kCounter), KB_FIELD(times_stale, kCounter));
}

struct SignalState {
  double output;  // [U]
  double held;    // output at the last change of source [U]
  double gap;     // between that and the new source at the start of the handover [U]
  double before;  // source's value in the last tick, to detect its passing the held one [U]
  std::int64_t
      blend_ticks;  // length of the current handover; 0: none, below 0: begins with the next tick
  std::int64_t blend_tick;    // of it
  std::int64_t rate_limited;  // ticks in which the rate limited the output
  Source source;
  std::int32_t stale;         // 1: the safe state applies
  std::int32_t waiting;       // 1: holds until the source is near
  std::int32_t before_known;  // 1: `before` belongs to this source
  Received received[kOutsideSources];
};
constexpr auto state_fields(const SignalState* /*type*/) {
  using namespace knuckleboom::state;
  using S = SignalState;
  return state::fields_of<S>(KB_FIELD(output), KB_FIELD(held), KB_FIELD(gap), KB_FIELD(before),
                             KB_FIELD(blend_ticks), KB_FIELD(blend_tick, kCounter),
                             KB_FIELD(rate_limited, kCounter), KB_FIELD(source, below(3)),
                             KB_FIELD(stale, kFlag), KB_FIELD(waiting, kFlag),
                             KB_FIELD(before_known, kFlag), KB_FIELD(received));
}

struct ExchangeState {
  SignalState signal[kMaxSignals];
};
constexpr auto state_fields(const ExchangeState* /*type*/) {
  using namespace knuckleboom::state;
  using S = ExchangeState;
  return state::fields_of<S>(KB_FIELD(signal, Along::kSignals));
}

class Exchange {
 public:
  // Throws std::invalid_argument with a message: too many signals, an invalid range, a safe value
  // outside it, rates or times that are not above 0.
  Exchange(std::vector<SignalRule> rules, double tick_s);

  // Nothing has been received: external signals are stale.
  ExchangeState start() const;

  // Another source from the next tick on, bumplessly: the output continues from its value.
  void select(ExchangeState& state, int signal, Source source) const;

  // One tick. simulated: the simulation's own values, one per signal; they are not limited, but a
  // non-finite one counts as stale. which: bit i: signal i takes part; for a tick whose signals are
  // computed one after the other, each exactly once.
  void step(ExchangeState& state, const ExchangeInput& input, std::span<const double> simulated,
            std::uint64_t which = ~std::uint64_t{0}) const;

  int signals() const { return static_cast<int>(rules_.size()); }
  const SignalRule& rule(int signal) const { return nth(rules_, signal); }
  int find(const std::string& name) const;  // -1: none of that name
  // Ticks without a fresh value until the signal is stale.
  std::int64_t stale_ticks(int signal) const { return nth(stale_, signal); }

 private:
  std::vector<SignalRule> rules_;
  std::vector<std::int64_t> stale_;
  double tick_s_;
};

}  // namespace knuckleboom::exchange
