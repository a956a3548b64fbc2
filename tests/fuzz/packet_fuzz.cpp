// Whatever comes over the wire: a packet is refused or comes back as the same bytes; what is made of it
// keeps to range and rate.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "endpoint/can_frames.hpp"
#include "endpoint/packet.hpp"
#include "endpoint/sessions.hpp"
#include "knuckleboom/core/exchange/exchange.hpp"

namespace {

using namespace knuckleboom;

const endpoint::WireKey kKey{{5}, true};

// Random bytes never have the right tag: this gives them one.
std::vector<std::byte> with_tag(std::span<const std::byte> bytes) {
  endpoint::Packet packet{};
  packet.count =
      static_cast<std::int64_t>(std::min<std::size_t>(bytes.size() / 8, endpoint::kMaxValues));
  std::memcpy(packet.value, bytes.data(), 8 * static_cast<std::size_t>(packet.count));
  if (bytes.size() >= 16) {
    std::memcpy(&packet.sequence, bytes.data(), 4);
    std::memcpy(&packet.stamp_ns, bytes.data() + 8, 8);
    packet.session = packet.sequence % 3U;
    packet.answer = std::to_integer<std::uint64_t>(bytes[4]);
    packet.kind = static_cast<endpoint::PacketKind>(std::to_integer<int>(bytes[5]) & 1);
  }
  std::vector<std::byte> out(endpoint::kMaxPacket);
  out.resize(endpoint::encode(packet, kKey, out));
  return out;
}

void must(bool good) {
  if (!good) std::abort();
}

void feed(std::span<const std::byte> bytes, endpoint::Sessions& sessions, std::int64_t now,
          exchange::SignalFrame& frame) {
  endpoint::Packet packet{};
  if (endpoint::decode(bytes, kKey, packet) != endpoint::Refusal::kNone) return;
  std::vector<std::byte> again(endpoint::kMaxPacket);
  again.resize(endpoint::encode(packet, kKey, again));
  must(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()));
  const endpoint::Belief belief = sessions.hear(packet, packet.sequence % 5 == 0, now);
  if (belief == endpoint::Belief::kUnproved && packet.sequence % 2 == 0) {  // it answers
    packet.answer = sessions.challenge(packet.session, packet.sequence, now).answer;
    must(sessions.hear(packet, false, now) != endpoint::Belief::kNotNow);
  } else if (belief != endpoint::Belief::kNew) {
    return;
  }
  std::copy_n(packet.value, packet.count, frame.value);
  frame.fresh = (std::uint64_t{1} << packet.count) - 1;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const exchange::Exchange exchange = [] {
    exchange::SignalRule rule;
    rule.source = exchange::Source::kNetwork;
    rule.most_rate = 10.0;
    rule.safe_rate = 10.0;
    return exchange::Exchange(std::vector(exchange::kMaxSignals, rule), 1e-3);
  }();
  const auto bytes = std::as_bytes(std::span(data, size));
  endpoint::Packet packet{};
  endpoint::decode(bytes, kKey, packet);

  // The bytes as a run of packets, each up to 40 bytes and its checksum.
  exchange::ExchangeState state = exchange.start();
  endpoint::Sessions sessions(2, 50'000'000);
  const std::vector<double> own(exchange::kMaxSignals, 0.0);
  std::int64_t now = 0;
  for (std::size_t at = 0; at < size; at += 40, now += 1'000'000) {
    exchange::ExchangeInput input{};
    feed(with_tag(bytes.subspan(at, std::min<std::size_t>(40, size - at))), sessions, now,
         input.network);
    double before[exchange::kMaxSignals];
    for (int i = 0; i < exchange::kMaxSignals; ++i) before[i] = state.signal[i].output;
    exchange.step(state, input, own);
    for (int i = 0; i < exchange::kMaxSignals; ++i) {
      const double output = state.signal[i].output;
      must(std::fabs(output) <= 1.0 && std::fabs(output - before[i]) <= 0.01 + 1e-12);
    }
  }

  io::OutsideSignal signal;
  signal.can = io::CanPlace{1, 4, true, 1e-3, 0.0};
  endpoint::CanFrame frame{1, static_cast<int>(std::min<std::size_t>(size, 8)), {}, true};
  std::copy_n(data, std::min<std::size_t>(size, 8), frame.data);
  exchange::SignalFrame values{};
  must(endpoint::unpack(std::span(&signal, 1), frame, values) == (size >= 8));
  must(std::isfinite(values.value[0]));
  return 0;
}
