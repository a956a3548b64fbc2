// Where each signal of a running machine comes from: from the simulation itself, from a log, or from a peer
// over a wire; and what holds when that source falls silent. Pure: what came in since the last tick is
// latched once into a plain ExchangeInput, so that a recorded one gives the same bits.
//
// Nothing from outside gets through unbounded. A number that is not finite is refused, as if it had not
// come; others are held within the signal's range, and the output within its rate.
//
// Staleness is counted in ticks, not read from a clock: after exactly stale_ticks ticks in a row without a
// fresh value the signal is stale and its safe state holds, at once. A fresh value ends that without a
// bump. docs/reference/endpoints.md
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace knuckleboom::exchange {

inline constexpr int kMaxSignals = 32;

enum class Source : std::int32_t { kSimulated, kLog, kNetwork };
inline constexpr int kOutsideSources = 2;  // log and network

// How the output gets from what it was to a source that says something else.
enum class Handover : std::int32_t {
  kBlend,          // the gap between the two is faded within blend_s
  kHoldUntilNear,  // holds until the source comes near or passes, then follows it
};

// What a stale signal does.
enum class SafeState : std::int32_t {
  kValue,  // goes to the safe value: spools to neutral
  kHold,   // stays where it is: a host holds its pose
};

// Of one signal, in its own unit U.
struct SignalRule {
  std::string name;
  double least = -1.0, most = 1.0;  // range of what comes from outside, finite [U]
  // Of the output while it follows a source outside, above 0; infinite: no limit but the range [U/s].
  double most_rate = std::numeric_limits<double>::infinity();
  SafeState safe_state = SafeState::kValue;
  double safe_value = 0.0;  // within the range [U]
  // Towards the safe value; infinite: at once [U/s].
  double safe_rate = std::numeric_limits<double>::infinity();
  double stale_s = 0.05;  // rounded up to whole ticks, one at least
  Handover handover = Handover::kBlend;
  double blend_s = 0.2;                // longer where the most rate asks for it
  double near = 0.02;                  // of kHoldUntilNear, above 0 [U]
  Source source = Source::kSimulated;  // at the start
};

// What one source outside brought since the last tick.
struct SignalFrame {
  double value[kMaxSignals];
  std::uint64_t fresh;     // bit i: value[i] is new
  std::uint64_t sequence;  // of the newest packet; for the record only
  std::int64_t stamp_ns;   // on the sender's clock; for the record only
};

// Of one tick: with the state before it, all that the tick depends on besides the simulation.
struct ExchangeInput {
  SignalFrame log, network;
};
static_assert(std::is_trivially_copyable_v<ExchangeInput>);

// Of one source outside for one signal.
struct Received {
  double value;              // newest good value, within the range [U]
  std::int64_t age;          // ticks since it came; stops at stale_ticks
  std::int64_t refused;      // values that were not finite
  std::int64_t limited;      // values beyond the range
  std::int64_t times_stale;  // how often it fell silent after it had been heard
};

struct SignalState {
  double output;  // [U]
  double held;    // where the output stood at the last change of source [U]
  double gap;     // between that and the source that is taken over, when that begins [U]
  double before;  // source's value in the last tick, to see it pass the held one [U]
  std::int64_t
      blend_ticks;  // of the handover that runs; 0: none, below 0: begins with the next tick
  std::int64_t blend_tick;    // of it
  std::int64_t rate_limited;  // ticks in which the output lagged because of its rate
  Source source;
  std::int32_t stale;         // 1: the safe state holds
  std::int32_t waiting;       // 1: holds until the source comes near
  std::int32_t before_known;  // 1: `before` is of this source
  Received received[kOutsideSources];
};

struct ExchangeState {
  SignalState signal[kMaxSignals];
};
static_assert(std::is_trivially_copyable_v<ExchangeState>);

class Exchange {
 public:
  // Throws std::invalid_argument with one sentence: too many signals, a range that is none, a safe value
  // outside it, rates or times that are not above 0.
  Exchange(std::vector<SignalRule> rules, double tick_s);

  // Nothing has been heard: a signal from outside is stale.
  ExchangeState start() const;

  // Another source from the next tick on. No bump: the output goes on from where it is.
  void select(ExchangeState& state, int signal, Source source) const;

  // One tick. simulated: what the simulation itself says, one number per signal; it is not bounded, being
  // no outsider's, but what is not finite counts as a source that is stale. which: bit i: signal i takes part;
  // for a tick whose signals come about one after the other, each exactly once.
  void step(ExchangeState& state, const ExchangeInput& input, std::span<const double> simulated,
            std::uint64_t which = ~std::uint64_t{0}) const;

  int signals() const { return static_cast<int>(rules_.size()); }
  const SignalRule& rule(int signal) const { return rules_[static_cast<std::size_t>(signal)]; }
  int find(const std::string& name) const;  // -1: none of that name
  // Without a fresh value.
  std::int64_t stale_ticks(int signal) const { return stale_[static_cast<std::size_t>(signal)]; }

 private:
  std::vector<SignalRule> rules_;
  std::vector<std::int64_t> stale_;
  double tick_s_;
};

}  // namespace knuckleboom::exchange
