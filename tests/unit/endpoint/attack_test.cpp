// Seven kinds of attack on a machine whose true sender goes on at 1 kHz, over true sockets in a time of
// the test's own. Whatever comes: only what the sender said is taken, it is heard at the latest 0.5 s
// after the attack has ended, and every datagram is counted once.
//
// KNUCKLEBOOM_ATTACK_S: seconds of each attack; ./dev long gives ten minutes.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "endpoint/udp.hpp"
#include "knuckleboom/core/math/hash.hpp"
#include "support/stranger.hpp"
#include "support/wire_keys.hpp"

namespace knuckleboom::endpoint::attack_test {
namespace {

using test::Stranger;

constexpr std::int64_t kMs = 1'000'000;
constexpr int kValues = 2;
constexpr double kEvil = 1e6;  // no value of the true sender is as large
using Bytes = std::vector<std::byte>;

std::int64_t ticks_of_attack() {
  const char* seconds = std::getenv("KNUCKLEBOOM_ATTACK_S");
  return seconds == nullptr ? 400 : std::lround(1e3 * std::atof(seconds));
}

Bytes bytes_of(const Datagram& datagram) {
  return {datagram.bytes, datagram.bytes + datagram.size};
}

class Rig {
 public:
  Rig() : machine_({{"127.0.0.1", 9}, {}, kValues, key_, 0.05, 0}) {
    restart({});
    machine_.set_peer(sender_->listens_at());
    quiet(100);
  }

  // The true sender, killed and started anew.
  void restart(const UdpAddress& at) {
    if (sender_) gone_ += sender_->counters().sent + sender_->counters().asked;
    sender_.reset();
    sender_ = std::make_unique<UdpEndpoint>(
        UdpSettings{machine_.listens_at(), at, kValues, key_, 0.05, 0});
  }

  void attack(const std::function<void(std::int64_t)>& attack) {
    for (std::int64_t k = 0; k < ticks_of_attack(); ++k) {
      attack(k);
      tick();
    }
    silent_ = 0;
    quiet(500);
    stranger({}, last_);  // with the next datagram the kernel says how many it has dropped
    tick();
    EXPECT_LE(first_heard_, 500);
    EXPECT_EQ(evil_, 0);
    EXPECT_EQ(old_, 0);
    const UdpCounters& c = machine_.counters();
    EXPECT_EQ(c.accounted(), c.datagrams);
    EXPECT_EQ(c.datagrams + c.overflowed,
              sent_ + gone_ + sender_->counters().sent + sender_->counters().asked);
  }

  // A datagram from the sender's own address and port.
  void spoof(std::span<const std::byte> bytes) {
    Datagram datagram{};
    datagram.size = std::min(bytes.size(), kMaxPacket);
    std::copy_n(bytes.begin(), datagram.size, datagram.bytes);
    sender_->send(datagram);
  }
  void stranger(std::span<const std::byte> bytes, const Stranger& from) {
    from.send(bytes, machine_.listens_at());
    ++sent_;
  }
  // As somebody makes it who knows the format, and the key if there is one.
  Bytes forged(std::uint64_t session, std::uint64_t sequence, std::int64_t stamp_ns,
               const WireKey& key) const {
    Packet packet{};
    packet.session = session;
    packet.sequence = sequence;
    packet.stamp_ns = stamp_ns;
    packet.count = kValues;
    packet.value[0] = packet.value[1] = kEvil;
    Bytes bytes(kMaxPacket);
    bytes.resize(encode(packet, key, bytes));
    return bytes;
  }

  const UdpCounters& counters() const { return machine_.counters(); }
  std::int64_t now() const { return now_; }
  std::uint64_t sequence() const { return said_.sequence; }  // of the sender's newest packet
  std::uint64_t session() const { return said_.session; }
  const std::vector<Bytes>& recorded() const { return recorded_; }
  const WireKey& key() const { return key_; }
  std::int64_t longest_silence() const { return longest_; }
  std::int64_t heard() const { return heard_; }
  UdpAddress sender_at() const { return sender_->listens_at(); }

 private:
  void quiet(int ticks) {
    first_heard_ = ticks + 1;
    for (int k = 1; k <= ticks; ++k)
      if (tick() && first_heard_ > ticks) first_heard_ = k;
  }

  // Whether the machine heard its sender.
  bool tick() {
    now_ += kMs;
    exchange::SignalFrame frame{};
    sender_->receive(now_, frame);
    const std::array<double, kValues> values{1e-6 * static_cast<double>(now_ / kMs), -0.5};
    const Datagram datagram = sender_->compose(values, now_);
    decode(std::span(datagram.bytes).first(datagram.size), key_, said_);
    if (recorded_.size() < 3000) recorded_.push_back(bytes_of(datagram));
    sender_->send(datagram);
    machine_.receive(now_, frame);
    machine_.send(std::array<double, kValues>{}, now_);
    ++silent_;
    if (frame.fresh == 0) {
      longest_ = std::max(longest_, silent_);
      return false;
    }
    silent_ = 0;
    ++heard_;
    evil_ += std::fabs(frame.value[0]) >= kEvil ? 1 : 0;
    old_ += frame.value[0] <= newest_ ? 1 : 0;
    newest_ = frame.value[0];
    return true;
  }

  const Stranger last_;
  WireKey key_ = drawn_key();
  UdpEndpoint machine_;
  std::unique_ptr<UdpEndpoint> sender_;
  std::int64_t now_ = 0, sent_ = 0, gone_ = 0;
  std::int64_t silent_ = 0, longest_ = 0, heard_ = 0, evil_ = 0, old_ = 0, first_heard_ = 0;
  double newest_ = 0.0;
  Packet said_{};
  std::vector<Bytes> recorded_;
};

TEST(Attack, ForgedStreamTakesNothingOver) {
  Rig rig;
  const Stranger attacker;
  WireKey guessed = rig.key();
  guessed.bytes[31] ^= 1;
  rig.attack([&](std::int64_t k) {
    for (const WireKey& key : {guessed, WireKey{}}) {
      const auto n = static_cast<std::uint64_t>(k);
      rig.spoof(rig.forged(7, n, rig.now(), key));
      rig.spoof(rig.forged(rig.session(), rig.sequence() + 1 + n, rig.now(), key));
      rig.stranger(rig.forged(rig.session(), rig.sequence() + 1, rig.now(), key), attacker);
    }
  });
  EXPECT_EQ(rig.longest_silence(), 1);  // the first packet of all was challenged
  EXPECT_EQ(rig.counters().refused[static_cast<int>(Refusal::kTag)], 4 * ticks_of_attack());
  EXPECT_EQ(rig.counters().strangers, 2 * ticks_of_attack() + 1);  // the last one
}

TEST(Attack, RecordedStreamIsNotHeardAgain) {
  Rig rig;
  const Stranger attacker;
  const std::vector<Bytes> former = rig.recorded();
  rig.restart({});  // at another port, so that the recording is of an earlier run
  rig.attack([&](std::int64_t k) {
    const auto n = static_cast<std::size_t>(k);
    const std::vector<Bytes>& all = rig.recorded();
    for (std::size_t i = 0; i < 4; ++i) {
      rig.spoof(former[(n + i) % former.size()]);
      rig.spoof(all[(5 * n + i) % all.size()]);
      rig.stranger(former[(n + i) % former.size()], attacker);
      rig.stranger(all[(7 * n + i) % all.size()], attacker);
    }
  });
  EXPECT_EQ(rig.counters().session.restarts, 1);
  EXPECT_LE(rig.longest_silence(), 110);  // of the restart: until the former run counts as gone
  EXPECT_GT(rig.counters().session.former, 0);
  EXPECT_GT(rig.counters().session.arrivals.repeated, 0);
}

// By somebody who has the key, or by a sender that is broken.
TEST(Attack, JumpOfNumbersSilencesNobody) {
  Rig rig;
  rig.attack([&](std::int64_t k) {
    const std::uint64_t skipped =
        kMostSkipped + 2 + (mixed_bits(static_cast<std::uint64_t>(k)) >> 2);
    if (k % 3 == 0)
      rig.spoof(rig.forged(rig.session(), rig.sequence() + skipped, rig.now(), rig.key()));
  });
  EXPECT_EQ(rig.longest_silence(), 1);
  EXPECT_EQ(rig.counters().session.arrivals.ahead, (ticks_of_attack() + 2) / 3);
}

TEST(Attack, StampOfTheFutureSilencesNobody) {
  Rig rig;
  rig.attack([&](std::int64_t k) {
    const std::int64_t ahead =
        60 * kMs + static_cast<std::int64_t>(mixed_bits(static_cast<std::uint64_t>(k)) >> 2);
    if (k % 3 == 0)
      rig.spoof(rig.forged(rig.session(), rig.sequence() + 1, rig.now() + ahead, rig.key()));
  });
  EXPECT_EQ(rig.longest_silence(), 1);
  EXPECT_EQ(rig.counters().session.arrivals.ahead, (ticks_of_attack() + 2) / 3);
}

TEST(Attack, FloodLeavesRoomForTheSender) {
  Rig rig;
  const Stranger attacker, elsewhere("127.0.0.2");
  const Bytes large = rig.forged(7, 1, 0, {});
  const Bytes recorded = rig.recorded().front();
  const std::int64_t before = rig.heard();
  rig.attack([&](std::int64_t) {
    for (int i = 0; i < 150; ++i) rig.stranger(large, attacker);
    for (int i = 0; i < 20; ++i) rig.stranger(recorded, elsewhere);
    for (int i = 0; i < 60; ++i) rig.spoof(large);
  });
  EXPECT_EQ(rig.longest_silence(), 1);  // what came from elsewhere came to the other socket
  EXPECT_EQ(rig.heard() - before, ticks_of_attack() + 501);
  EXPECT_GT(rig.counters().full_polls, ticks_of_attack() / 2);
  EXPECT_GT(rig.counters().overflowed, 0);
}

TEST(Attack, StrangerWithTheKeyIsNotTheSender) {
  Rig rig;
  const Stranger attacker, elsewhere("127.0.0.2");
  rig.attack([&](std::int64_t k) {
    const auto n = static_cast<std::uint64_t>(k);
    rig.stranger(rig.forged(99, n, rig.now(), rig.key()), attacker);
    rig.stranger(rig.forged(rig.session(), rig.sequence() + 1, rig.now(), rig.key()), elsewhere);
    rig.stranger(rig.forged(rig.session(), rig.sequence() + 1, rig.now(), rig.key()), attacker);
  });
  EXPECT_EQ(rig.longest_silence(), 1);
  EXPECT_EQ(rig.counters().strangers, 3 * ticks_of_attack() + 1);
}

// It is told from an attack by its answer; recordings and floods go on meanwhile.
TEST(Attack, RestartOfTheSenderIsHeard) {
  Rig rig;
  const Stranger attacker;
  const std::vector<Bytes> former = rig.recorded();
  const Bytes rubbish = rig.forged(7, 1, 0, {});
  std::int64_t restarts = 0;
  rig.attack([&](std::int64_t k) {
    if (k % 200 == 100) {
      const bool same_port = restarts % 2 == 1;
      rig.restart(same_port ? rig.sender_at() : UdpAddress{});
      ++restarts;
    }
    rig.spoof(former[static_cast<std::size_t>(k) % former.size()]);
    for (int i = 0; i < 40; ++i) rig.stranger(rubbish, attacker);
  });
  EXPECT_EQ(rig.counters().session.restarts, restarts);
  EXPECT_LE(rig.longest_silence(), 200);
}

TEST(Attack, TruncatedAndOversizedAreCounted) {
  Rig rig;
  const Stranger attacker;
  rig.attack([&](std::int64_t k) {
    Bytes bytes = rig.recorded()[static_cast<std::size_t>(k) % rig.recorded().size()];
    const std::uint64_t draw = mixed_bits(static_cast<std::uint64_t>(k));
    bytes.resize(k % 2 == 0 ? draw % bytes.size() : bytes.size() + 1 + draw % 1400);
    rig.spoof(bytes);
    rig.stranger(bytes, attacker);
  });
  EXPECT_EQ(rig.longest_silence(), 1);
  EXPECT_EQ(rig.counters().refused[static_cast<int>(Refusal::kLength)] +
                rig.counters().refused[static_cast<int>(Refusal::kTag)],
            ticks_of_attack());
}

}  // namespace
}  // namespace knuckleboom::endpoint::attack_test
