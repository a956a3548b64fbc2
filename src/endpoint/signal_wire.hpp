// Both kinds of wire that a signal file can name, as one of its two ends sees them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "endpoint/can.hpp"
#include "endpoint/udp.hpp"
#include "knuckleboom/io/signal_file.hpp"

namespace knuckleboom::endpoint {

// The file has the machine's view; for the peer its two sides are exchanged.
enum class WireEnd { kMachine, kPeer };

struct SignalWire {
  std::optional<UdpEndpoint> udp;
  std::optional<CanEndpoint> can;

  SignalWire() = default;  // neither
  // What the file names. Throws EndpointError.
  SignalWire(const io::SignalFile& signals, WireEnd end);

  bool named() const { return udp || can; }
  // What has come by either is fresh. Neither waits nor uses the heap.
  void receive(std::int64_t now_ns, exchange::SignalFrame& frame);
};

}  // namespace knuckleboom::endpoint
