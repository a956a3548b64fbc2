#include "knuckleboom/core/exchange/exchange.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace knuckleboom::exchange {
namespace {

constexpr double kMostTicks = 1e12;

// Whole ticks that last at least `time_s`; a rounding error does not add a tick.
std::int64_t ticks_of(double time_s, double tick_s) {
  return static_cast<std::int64_t>(std::ceil(std::min(time_s / tick_s, kMostTicks) - 1e-9));
}

[[noreturn]] void refuse(const SignalRule& rule, const char* fault) {
  throw std::invalid_argument("Signal '" + rule.name + "' " + fault + ".");
}

void check(const SignalRule& rule) {
  if (!std::isfinite(rule.least) || !std::isfinite(rule.most) || rule.least >= rule.most)
    refuse(rule, "needs a finite range, the least below the most");
  if (!(rule.safe_value >= rule.least && rule.safe_value <= rule.most))
    refuse(rule, "has a safe value outside its range");
  if (!(rule.most_rate > 0.0) || !(rule.safe_rate > 0.0))
    refuse(rule, "needs rates above 0; infinite means no limit");
  if (!(rule.stale_s > 0.0) || !std::isfinite(rule.stale_s))
    refuse(rule, "needs a finite time above 0 after which it is stale");
  if (!(rule.blend_s >= 0.0) || !std::isfinite(rule.blend_s))
    refuse(rule, "needs a finite time of 0 or more to cross over");
  if (!(rule.near > 0.0)) refuse(rule, "needs a distance above 0 that counts as near");
}

Received& received_of(SignalState& s, Source source) {
  return s.received[source == Source::kNetwork ? 1 : 0];
}

void receive(Received& received, double value, bool fresh, const SignalRule& rule,
             std::int64_t stale_ticks) {
  if (fresh && !std::isfinite(value)) ++received.refused;
  if (fresh && std::isfinite(value)) {
    received.value = std::clamp(value, rule.least, rule.most);
    if (received.value != value) ++received.limited;
    received.age = 0;
    return;
  }
  if (received.age >= stale_ticks) return;
  if (++received.age == stale_ticks) ++received.times_stale;
}

void begin_handover(SignalState& s, const SignalRule& rule) {
  s.held = s.output;
  s.before_known = 0;
  s.waiting = rule.handover == Handover::kHoldUntilNear ? 1 : 0;
  s.blend_ticks = s.waiting != 0 ? 0 : -1;
}

void go_to_safe(SignalState& s, const SignalRule& rule, double tick_s) {
  s.stale = 1;
  if (rule.safe_state == SafeState::kHold) return;
  const double most = rule.safe_rate * tick_s;
  s.output = std::clamp(rule.safe_value, s.output - most, s.output + most);
}

// The largest rate of a smooth transition is one and a half times its mean.
std::int64_t crossing_ticks(const SignalRule& rule, double way, double tick_s) {
  const double by_rate_s = 1.5 * std::fabs(way) / rule.most_rate;
  return std::max<std::int64_t>(1, ticks_of(std::max(rule.blend_s, by_rate_s), tick_s));
}

bool comes_near(SignalState& s, const SignalRule& rule, double target) {
  const bool passed = s.before_known != 0 && (s.before - s.held) * (target - s.held) <= 0.0;
  s.before = target;
  s.before_known = 1;
  return passed || std::fabs(target - s.held) <= rule.near;
}

// Output during the handover to the target.
double handed_over(SignalState& s, const SignalRule& rule, double target, double tick_s) {
  if (s.waiting != 0) {
    if (!comes_near(s, rule, target)) return s.held;
    s.waiting = 0;
  }
  if (s.blend_ticks < 0) {
    s.gap = s.held - target;
    s.blend_ticks = crossing_ticks(rule, s.gap, tick_s);
    s.blend_tick = 0;
  }
  if (s.blend_ticks == 0) return target;
  if (++s.blend_tick >= s.blend_ticks) {
    s.blend_ticks = 0;
    return target;
  }
  const double x = static_cast<double>(s.blend_tick) / static_cast<double>(s.blend_ticks);
  // The gap fades, not the old value: the transition between agreeing sources is seamless, even in
  // motion.
  return target + (1.0 - x * x * (3.0 - 2.0 * x)) * s.gap;
}

void follow(SignalState& s, const SignalRule& rule, double target, double tick_s) {
  if (s.stale != 0) begin_handover(s, rule);
  s.stale = 0;
  const double wanted = handed_over(s, rule, target, tick_s);
  if (s.source == Source::kSimulated) {
    s.output = wanted;
    return;
  }
  const double most = rule.most_rate * tick_s;
  s.output =
      std::clamp(std::clamp(wanted, s.output - most, s.output + most), rule.least, rule.most);
  if (s.output != wanted) ++s.rate_limited;
}

}  // namespace

Exchange::Exchange(std::vector<SignalRule> rules, double tick_s)
    : rules_(std::move(rules)), tick_s_(tick_s) {
  if (rules_.size() > kMaxSignals)
    throw std::invalid_argument("There may be " + std::to_string(kMaxSignals) +
                                " signals at most.");
  if (!(tick_s > 0.0) || !std::isfinite(tick_s))
    throw std::invalid_argument("A tick needs a finite length above 0.");
  for (const SignalRule& rule : rules_) {
    check(rule);
    stale_.push_back(std::max<std::int64_t>(1, ticks_of(rule.stale_s, tick_s)));
  }
}

ExchangeState Exchange::start() const {
  ExchangeState state{};
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    SignalState& s = state.signal[i];
    s.source = rules_[i].source;
    s.output = rules_[i].safe_value;
    s.stale = s.source == Source::kSimulated ? 0 : 1;
    for (Received& received : s.received) {
      received.value = rules_[i].safe_value;
      received.age = stale_[i];
    }
  }
  return state;
}

void Exchange::select(ExchangeState& state, int signal, Source source) const {
  SignalState& s = state.signal[signal];
  if (s.source == source) return;
  s.source = source;
  begin_handover(s, rule(signal));
}

void Exchange::step(ExchangeState& state, const ExchangeInput& input,
                    std::span<const double> simulated, std::uint64_t which) const {
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if ((which >> i & 1U) == 0) continue;
    const SignalRule& rule = rules_[i];
    SignalState& s = state.signal[i];
    const std::uint64_t bit = std::uint64_t{1} << i;
    receive(s.received[0], input.log.value[i], (input.log.fresh & bit) != 0, rule, stale_[i]);
    receive(s.received[1], input.network.value[i], (input.network.fresh & bit) != 0, rule,
            stale_[i]);
    const bool inside = s.source == Source::kSimulated;
    const Received& received = received_of(s, s.source);
    const double target = inside ? simulated[i] : received.value;
    const bool stale = inside ? !std::isfinite(target) : received.age >= stale_[i];
    if (stale)
      go_to_safe(s, rule, tick_s_);
    else
      follow(s, rule, target, tick_s_);
  }
}

int Exchange::find(const std::string& name) const {
  for (int i = 0; i < signals(); ++i)
    if (rule(i).name == name) return i;
  return -1;
}

}  // namespace knuckleboom::exchange
