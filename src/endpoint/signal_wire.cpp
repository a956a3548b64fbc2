#include "endpoint/signal_wire.hpp"

#include <utility>

namespace knuckleboom::endpoint {

SignalWire::SignalWire(const io::SignalFile& signals, WireEnd end, const WireKey& key) {
  const bool machine = end == WireEnd::kMachine;
  const std::vector<io::OutsideSignal>& in = machine ? signals.in : signals.out;
  const std::vector<io::OutsideSignal>& out = machine ? signals.out : signals.in;
  if (!signals.udp.empty()) {
    UdpSettings settings = udp_settings(signals.udp);
    if (!machine) std::swap(settings.peer, settings.own);
    settings.receives = static_cast<int>(in.size());
    settings.key = key;
    settings.late_s = signals.late_s;
    udp.emplace(settings);
  }
  if (signals.can.empty()) return;
  std::optional<CanGuard> guard;
  if (signals.can_guard && key.given) guard.emplace(key, *signals.can_guard, machine);
  can.emplace(signals.can, in, out, std::move(guard));
}

void SignalWire::receive(std::int64_t now_ns, exchange::SignalFrame& frame) {
  frame.fresh = 0;
  if (can) can->receive(now_ns, frame);
  const std::uint64_t from_can = frame.fresh;
  if (!udp) return;
  udp->receive(now_ns, frame);
  frame.fresh |= from_can;
}

}  // namespace knuckleboom::endpoint
