// Cost of external signals in a tick of 1 ms.
#include <array>
#include <vector>

#include <benchmark/benchmark.h>

#include "endpoint/udp.hpp"
#include "knuckleboom/core/exchange/exchange.hpp"
#include "support/wire_keys.hpp"

namespace knuckleboom::endpoint {
namespace {

constexpr int kSignals = 8;

void ReceiveNothing(benchmark::State& state) {
  UdpEndpoint endpoint({{"127.0.0.1", 9}, {}, kSignals, {}, 0.05, 1});
  exchange::SignalFrame frame{};
  std::int64_t now = 0;
  for (auto _ : state) endpoint.receive(now += 1000, frame);
}
BENCHMARK(ReceiveNothing);

// One packet through the kernel and back, with its evaluation.
void SendReceiveAndExchange(benchmark::State& state) {
  const WireKey key = drawn_key();
  UdpEndpoint machine({{"127.0.0.1", 9}, {}, kSignals, key, 0.05, 1});
  UdpEndpoint peer({machine.listens_at(), {}, kSignals, key, 0.05, 2});
  machine.set_peer(peer.listens_at());
  test::introduce(peer, machine);
  exchange::SignalRule rule;
  rule.source = exchange::Source::kNetwork;
  const exchange::Exchange exchange(std::vector(kSignals, rule), 1e-3);
  exchange::ExchangeState signals = exchange.start();
  exchange::ExchangeInput input{};
  const std::array<double, kSignals> values{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
  std::int64_t now = 0;
  for (auto _ : state) {
    now += 1000;
    peer.send(values, now);
    machine.receive(now, input.network);
    exchange.step(signals, input, values);
  }
  if (signals.signal[0].stale != 0) state.SkipWithError("nothing came through");
}
BENCHMARK(SendReceiveAndExchange);

// The cryptography of a packet: making it, and checking it at the other end.
void EncodeAndDecode(benchmark::State& state) {
  const WireKey key = drawn_key();
  Packet packet{};
  packet.count = state.range(0);
  std::array<std::byte, kMaxPacket> bytes{};
  for (auto _ : state) {
    ++packet.sequence;
    const std::size_t size = encode(packet, key, bytes);
    if (decode(std::span(bytes).first(size), key, packet) != Refusal::kNone)
      state.SkipWithError("refused");
  }
}
BENCHMARK(EncodeAndDecode)->Arg(0)->Arg(kSignals)->Arg(kMaxValues);

void ExchangeAlone(benchmark::State& state) {
  exchange::SignalRule rule;
  rule.source = exchange::Source::kNetwork;
  const exchange::Exchange exchange(std::vector(exchange::kMaxSignals, rule), 1e-3);
  exchange::ExchangeState signals = exchange.start();
  exchange::ExchangeInput input{};
  const std::vector<double> own(exchange::kMaxSignals, 0.0);
  for (auto _ : state) {
    input.network.fresh = ~input.network.fresh;
    exchange.step(signals, input, own);
    benchmark::DoNotOptimize(signals);
  }
}
BENCHMARK(ExchangeAlone);

}  // namespace
}  // namespace knuckleboom::endpoint
