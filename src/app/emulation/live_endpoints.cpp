#include "app/emulation/live_endpoints.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/shell/text.hpp"

namespace knuckleboom::app {
namespace {

using emulation::HilSignal;

const HilSignal* find(const std::vector<HilSignal>& known, const std::string& name) {
  const auto at = std::find_if(known.begin(), known.end(),
                               [&name](const HilSignal& s) { return s.name == name; });
  return at == known.end() ? nullptr : &*at;
}

std::vector<std::string> names_of(const std::vector<HilSignal>& known, bool incoming) {
  std::vector<std::string> out;
  for (const HilSignal& signal : known)
    if (!incoming || signal.slot != nullptr) out.push_back(signal.name);
  return out;
}

}  // namespace

void check_signals(const io::SignalFile& signals, const std::string& file,
                   const std::vector<HilSignal>& known) {
  std::vector<io::Diagnostic> faults;
  const auto look_at = [&](const io::OutsideSignal& signal, bool incoming) {
    const HilSignal* const found = find(known, signal.rule.name);
    if (found == nullptr)
      faults.push_back({file, signal.line, 0,
                        fmt::format("the emulation has no signal '{}'{}", signal.rule.name,
                                    alternatives(signal.rule.name, names_of(known, incoming)))});
    else if (incoming && found->slot == nullptr)
      faults.push_back({file, signal.line, 0,
                        fmt::format("signal '{}' is only observed: it can go out and not come in; "
                                    "sensors, commands and what the operator asks for can",
                                    signal.rule.name)});
  };
  for (const io::OutsideSignal& signal : signals.in) look_at(signal, true);
  for (const io::OutsideSignal& signal : signals.out) look_at(signal, false);
  if (!faults.empty()) throw io::FileError(std::move(faults));
}

std::vector<exchange::SignalRule> incoming_rules(const io::SignalFile& signals) {
  std::vector<exchange::SignalRule> out;
  for (const io::OutsideSignal& signal : signals.in) out.push_back(signal.rule);
  return out;
}

LiveEndpoints::LiveEndpoints(const io::SignalFile& signals, const emulation::HilBench& bench,
                             const io::Trace* played, bool network, const endpoint::WireKey& key)
    : bench_(bench) {
  for (const io::OutsideSignal& signal : signals.out) {
    out_.push_back({bench.find_signal(signal.rule.name), signal.rule});
    values_.push_back(signal.rule.safe_value);
  }
  if (played != nullptr) log_.emplace(*played, signals.in);
  if (network) wire_.emplace(signals, endpoint::WireEnd::kMachine, key);
}

void LiveEndpoints::receive(double t_s, std::int64_t now_ns, exchange::ExchangeInput& input) {
  input.network.fresh = 0;
  if (wire_) wire_->receive(now_ns, input.network);
  if (log_) log_->play(t_s, input.log);
}

void LiveEndpoints::send(const emulation::HilState& state, std::int64_t now_ns) {
  if (!wire_ || !wire_->named()) return;
  for (std::size_t i = 0; i < out_.size(); ++i) {
    const double value = bench_.value(state, out_[i].signal);
    const exchange::SignalRule& rule = out_[i].rule;
    if (std::isfinite(value))
      values_[i] = std::clamp(value, rule.least, rule.most);
    else if (rule.safe_state == exchange::SafeState::kValue)
      values_[i] = rule.safe_value;
  }
  put(now_ns);
}

void LiveEndpoints::send_safe(std::int64_t now_ns) {
  if (!wire_ || !wire_->named()) return;
  for (std::size_t i = 0; i < out_.size(); ++i)
    if (out_[i].rule.safe_state == exchange::SafeState::kValue)
      values_[i] = out_[i].rule.safe_value;
  put(now_ns);
}

void LiveEndpoints::put(std::int64_t now_ns) {
  if (wire_->udp) wire_->udp->send(values_, now_ns);
  if (wire_->can) wire_->can->send(values_);
}

EndpointCounters LiveEndpoints::counters() const {
  EndpointCounters out{};
  if (has_udp()) out.udp = wire_->udp->counters();
  if (has_can()) out.can = wire_->can->counters();
  return out;
}

}  // namespace knuckleboom::app
