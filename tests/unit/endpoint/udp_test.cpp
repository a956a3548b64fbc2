// The endpoint on the loopback, with true sockets.
#include "endpoint/udp.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/core/exchange/exchange.hpp"
#include "support/stranger.hpp"
#include "support/wire_keys.hpp"

namespace knuckleboom::endpoint::udp_test {
namespace {

using test::introduce;
using test::key_of;
using test::Stranger;
using testing::HasSubstr;

constexpr std::int64_t kMs = 1'000'000;

// Two endpoints that know each other, at ports the kernel chooses.
struct Pair {
  UdpEndpoint machine, peer;

  explicit Pair(const WireKey& key = key_of(3))
      : machine({{}, {}, 2, key, 0.05, 1}), peer({machine.listens_at(), {}, 2, key, 0.05, 2}) {
    machine.set_peer(peer.listens_at());
    introduce(peer, machine);
  }
  // Data sent over the loopback has arrived when the call returns.
  exchange::SignalFrame at_machine(std::int64_t now) {
    exchange::SignalFrame frame{};
    machine.receive(now, frame);
    return frame;
  }
};

std::string fault_of(const UdpSettings& settings) {
  try {
    const UdpEndpoint endpoint(settings);
  } catch (const EndpointError& error) {
    return error.what();
  }
  return "none";
}

std::string fault_of(const std::string& text) {
  try {
    udp_settings(text);
  } catch (const EndpointError& error) {
    return error.what();
  }
  return "none";
}

TEST(Udp, BringsValuesOfTheNewestPacket) {
  Pair pair;
  EXPECT_EQ(pair.at_machine(kMs).fresh, 0U);
  for (int k = 1; k <= 3; ++k) pair.peer.send(std::array{1.0 * k, -1.0 * k}, k * kMs);
  const exchange::SignalFrame frame = pair.at_machine(4 * kMs);
  EXPECT_EQ(frame.fresh, 3U);
  EXPECT_EQ(frame.value[0], 3.0);
  EXPECT_EQ(frame.value[1], -3.0);
  EXPECT_EQ(frame.sequence, 3U);  // one more, before it was challenged
  EXPECT_EQ(frame.stamp_ns, 3 * kMs);
  EXPECT_EQ(pair.machine.counters().session.arrivals.received, 3);
  EXPECT_EQ(pair.machine.counters().session.former, 1);
  EXPECT_EQ(pair.machine.counters().asked, 1);
  EXPECT_EQ(pair.peer.counters().session.challenges, 1);
  EXPECT_EQ(pair.peer.counters().sent, 4);
  EXPECT_EQ(pair.at_machine(5 * kMs).fresh, 0U);
}

TEST(Udp, ListensToThePeerAlone) {
  Pair pair;
  std::array<std::byte, kMaxPacket> bytes{};
  Packet packet{};
  packet.session = 2;
  packet.sequence = 1;
  packet.count = 2;
  packet.value[0] = 1.0;
  const std::size_t size = encode(packet, key_of(3), bytes);
  const Stranger stranger;  // knows the key and the format, but has another port
  stranger.send(std::span(bytes).first(size), pair.machine.listens_at());
  EXPECT_EQ(pair.at_machine(kMs).fresh, 0U);
  EXPECT_EQ(pair.machine.counters().strangers, 1);
  UdpEndpoint other({pair.machine.listens_at(), {"127.0.0.2", 0}, 2, key_of(3), 0.05, 2});
  other.send(std::array{1.0, 1.0}, kMs);
  EXPECT_EQ(pair.at_machine(2 * kMs).fresh, 0U);
  EXPECT_EQ(pair.machine.counters().strangers, 2);
  EXPECT_EQ(pair.machine.counters().session.arrivals.received, 0);
}

TEST(Udp, RefusesWhatThePeerDidNotMean) {
  Pair pair;
  const UdpAddress here = pair.peer.listens_at();
  pair.peer.send(std::array{1.0}, kMs);            // too few values
  pair.peer.send(std::array{1.0, 2.0, 3.0}, kMs);  // too many
  EXPECT_EQ(pair.at_machine(kMs).fresh, 0U);
  EXPECT_EQ(pair.machine.counters().refused[static_cast<int>(Refusal::kCount)], 2);
  UdpEndpoint with_other_key({{}, {}, 2, key_of(4), 0.05, 2});
  pair.machine.set_peer(with_other_key.listens_at());
  with_other_key.set_peer(pair.machine.listens_at());
  with_other_key.send(std::array{1.0, 2.0}, kMs);
  EXPECT_EQ(pair.at_machine(kMs).fresh, 0U);
  EXPECT_EQ(pair.machine.counters().refused[static_cast<int>(Refusal::kTag)], 1);
  pair.machine.set_peer(here);
  pair.peer.send(std::array{5.0, 6.0}, 2 * kMs);
  EXPECT_EQ(pair.at_machine(2 * kMs).value[1], 6.0);
}

// A packet that waited in the kernel while we stood still must not count as fresh.
TEST(Udp, LeavesOldValuesInTheQueueUnused) {
  Pair pair;
  pair.peer.send(std::array{1.0, 1.0}, 10 * kMs);
  EXPECT_EQ(pair.at_machine(10 * kMs).fresh, 3U);
  pair.peer.send(std::array{2.0, 2.0}, 20 * kMs);
  EXPECT_EQ(pair.at_machine(200 * kMs).fresh, 0U);
  EXPECT_EQ(pair.machine.counters().session.arrivals.late, 1);
}

TEST(Udp, TakesABoundedNumberAtATime) {
  Pair pair;
  for (int k = 0; k < 200; ++k) pair.peer.send(std::array{1.0 * k, 0.0}, k);
  EXPECT_EQ(pair.at_machine(kMs).value[0], 127.0);
  EXPECT_EQ(pair.machine.counters().full_polls, 1);
  EXPECT_EQ(pair.at_machine(kMs).value[0], 199.0);
}

TEST(Udp, FollowsAPeerThatStartsAnew) {
  Pair pair;
  for (int k = 0; k < 50; ++k) pair.peer.send(std::array{1.0, 0.0}, k * kMs);
  pair.at_machine(50 * kMs);
  UdpEndpoint again({pair.machine.listens_at(), {}, 2, key_of(3), 0.05, 77});
  pair.machine.set_peer(again.listens_at());
  introduce(again, pair.machine, 160 * kMs);
  again.send(std::array{8.0, 9.0}, 160 * kMs);
  EXPECT_EQ(pair.at_machine(160 * kMs).value[0], 8.0);
  EXPECT_EQ(pair.machine.counters().session.restarts, 1);
}

TEST(Udp, WorksWithNobodyThere) {
  UdpEndpoint endpoint({{"127.0.0.1", 9}, {}, 2, {}, 0.05, 1});
  exchange::SignalFrame frame{};
  for (int k = 0; k < 20; ++k) {
    endpoint.send(std::array{1.0, 2.0}, k);
    endpoint.receive(k, frame);
    EXPECT_EQ(frame.fresh, 0U);
  }
  EXPECT_EQ(endpoint.counters().sent, 20);
}

TEST(Udp, ReadsAddresses) {
  const UdpSettings near = udp_settings("udp:127.0.0.1:47001");
  EXPECT_EQ(near.peer, (UdpAddress{"127.0.0.1", 47001}));
  EXPECT_EQ(near.own, (UdpAddress{"127.0.0.1", 47002}));
  const UdpSettings far = udp_settings("udp:10.0.0.2:5000@10.0.0.1:6000");
  EXPECT_EQ(far.peer, (UdpAddress{"10.0.0.2", 5000}));
  EXPECT_EQ(far.own, (UdpAddress{"10.0.0.1", 6000}));
  EXPECT_THAT(fault_of("udp:10.0.0.2:5000"), HasSubstr("say where to listen"));
  for (const char* text : {"", "udp:", "tcp:127.0.0.1:80", "udp:127.0.0.1", "udp:127.0.0.1:0",
                           "udp:127.0.0.1:70000", "udp:localhost:80", "udp:127.0.0.1:80x",
                           "udp:127.0.0.1:80@", "udp:1.2.3:80", "udp:127.0.0.1:-4"})
    EXPECT_THAT(fault_of(std::string(text)), HasSubstr("is no endpoint")) << text;
}

TEST(Udp, SaysWhatItCannotOpen) {
  const Pair pair;
  UdpSettings settings;
  settings.peer.port = 9;
  settings.own = pair.machine.listens_at();
  EXPECT_THAT(fault_of(settings), HasSubstr("in use by another program"));
  settings.own = {"0.0.0.0", 0};
  EXPECT_THAT(fault_of(settings), HasSubstr("every network"));
  settings.own = {"192.0.2.1", 0};
  EXPECT_THAT(fault_of(settings), HasSubstr("not possible to listen at 192.0.2.1"));
  settings.own = {};
  settings.receives = 33;
  EXPECT_THAT(fault_of(settings), HasSubstr("32 values"));
  settings.receives = 2;
  settings.late_s = 0.0;
  EXPECT_THAT(fault_of(settings), HasSubstr("late"));
}

}  // namespace
}  // namespace knuckleboom::endpoint::udp_test
