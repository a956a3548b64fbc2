// Keys for tests of connections, and the handshake before values count.
#pragma once

#include <cstdint>
#include <vector>

#include "endpoint/udp.hpp"

namespace knuckleboom::test {

inline endpoint::WireKey key_of(std::uint8_t number) {
  endpoint::WireKey key;
  key.given = true;
  key.bytes.fill(number);
  return key;
}

// The listener challenges the sender, which answers with its next packet.
inline void introduce(endpoint::UdpEndpoint& sender, endpoint::UdpEndpoint& listener,
                      std::int64_t now_ns = 0) {
  exchange::SignalFrame frame{};
  sender.send(std::vector<double>(static_cast<std::size_t>(listener.settings().receives)), now_ns);
  listener.receive(now_ns, frame);
  sender.receive(now_ns, frame);
}

}  // namespace knuckleboom::test
