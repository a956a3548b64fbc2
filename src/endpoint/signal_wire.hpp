// The UDP and CAN connections of a signal file, from one of its two ends.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "endpoint/can.hpp"
#include "endpoint/udp.hpp"
#include "knuckleboom/io/signal_file.hpp"

namespace knuckleboom::endpoint {

// The file describes the machine's end; for the other end its two directions are exchanged.
enum class WireEnd { kMachine, kPeer };

struct SignalWire {
  std::optional<UdpEndpoint> udp;
  std::optional<CanEndpoint> can;

  SignalWire() = default;  // neither
  // The connections named by the file. Throws EndpointError.
  SignalWire(const io::SignalFile& signals, WireEnd end, const WireKey& key);

  bool named() const { return udp || can; }
  // Values received by either are fresh. Neither waits nor uses the heap.
  void receive(std::int64_t now_ns, exchange::SignalFrame& frame);
};

}  // namespace knuckleboom::endpoint
