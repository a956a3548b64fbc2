// External signals do not use the heap in a tick, whatever is received.
#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "endpoint/udp.hpp"
#include "heap_counter.hpp"
#include "knuckleboom/core/exchange/exchange.hpp"
#include "peer/wire.hpp"
#include "support/wire_keys.hpp"

namespace knuckleboom {
namespace {

TEST(EndpointHeap, IsNotUsedInATick) {
  const endpoint::WireKey key = test::key_of(1);
  endpoint::UdpEndpoint machine({{"127.0.0.1", 9}, {}, 2, key, 0.05, 1});
  endpoint::UdpEndpoint other({machine.listens_at(), {}, 2, key, 0.05, 2});
  endpoint::UdpEndpoint stranger({machine.listens_at(), {}, 2, key, 0.05, 3});
  machine.set_peer(other.listens_at());
  peer::WireSettings settings;
  settings.jitter_s = 0.003;
  settings.loss = 0.2;
  settings.repeat = 0.2;
  settings.reorder = 0.2;
  peer::Wire wire(settings);
  exchange::SignalRule rule;
  rule.source = exchange::Source::kNetwork;
  const exchange::Exchange exchange({rule, rule}, 1e-3);
  exchange::ExchangeState state = exchange.start();
  exchange::ExchangeInput input{};
  const std::array<double, 2> own{};
  exchange::SignalFrame heard{};
  long calls = 0;
  {
    const test::HeapCounter heap;
    for (std::int64_t k = 0; k < 500; ++k) {
      const std::int64_t now = k * 1'000'000;
      wire.put(other.compose(std::array{0.1, 1e300}, now), now);
      wire.deliver(now, other);
      stranger.send(own, now);
      other.send(endpoint::Datagram{{}, 17});
      machine.receive(now, input.network);
      other.receive(now, heard);
      if (k == 200) exchange.select(state, 0, exchange::Source::kSimulated);
      exchange.step(state, input, own);
      machine.send(own, now);
    }
    calls = heap.calls();
  }
  EXPECT_EQ(calls, 0);
  EXPECT_GT(machine.counters().session.arrivals.received, 100);
  EXPECT_GE(machine.counters().forged(), 500);
  EXPECT_EQ(machine.counters().strangers, 500);
}

}  // namespace
}  // namespace knuckleboom
