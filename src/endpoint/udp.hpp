// Signals over UDP with one other program. Nothing here waits: receive() takes a bounded number of
// datagrams from the kernel, and neither it nor send() uses the heap. One thread at a time.
//
// Only datagrams from the configured address and port are read; all others are counted and dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "endpoint/arrivals.hpp"
#include "endpoint/error.hpp"
#include "endpoint/packet.hpp"
#include "knuckleboom/core/exchange/exchange.hpp"

namespace knuckleboom::endpoint {

struct UdpAddress {
  std::string host = "127.0.0.1";  // IPv4, four numbers
  std::uint16_t port = 0;
  friend bool operator==(const UdpAddress&, const UdpAddress&) = default;
};
std::string to_string(const UdpAddress& address);

struct UdpSettings {
  UdpAddress peer;
  UdpAddress own;    // local address; host 127.0.0.1 by default
  int receives = 0;  // values in received packets; 0 to kMaxValues
  std::uint64_t key = 0;
  double late_s = 0.05;      // older values are not used
  std::uint32_t stream = 0;  // of sent packets; 0: a random number
};

// "udp:PEER:PORT" or "udp:PEER:PORT@OWN:PORT"; without the second part it listens on 127.0.0.1 at
// the next port. Throws EndpointError: no address, or an address on another computer without the
// second part.
UdpSettings udp_settings(const std::string& text);

struct UdpCounters {
  ArrivalCounters arrivals;
  std::int64_t former;              // of a replaced stream
  std::int64_t refused[kRefusals];  // forged, by reason
  std::int64_t sent, unsent;        // unsent: refused by the kernel
  std::int64_t full_polls;          // receive() left datagrams for the next time

  std::int64_t forged() const {
    std::int64_t sum = 0;
    for (const std::int64_t n : refused) sum += n;
    return sum;
  }
};

struct Datagram {
  std::byte bytes[kMaxPacket];
  std::size_t size;
};

class UdpEndpoint {
 public:
  // Throws EndpointError.
  explicit UdpEndpoint(const UdpSettings& settings);
  ~UdpEndpoint();
  UdpEndpoint(const UdpEndpoint&) = delete;
  UdpEndpoint& operator=(const UdpEndpoint&) = delete;

  // Takes received datagrams; values of the newest packet that is neither forged nor late nor out
  // of order are fresh in the frame, whose other values are unchanged. now_ns: CLOCK_MONOTONIC.
  void receive(std::int64_t now_ns, exchange::SignalFrame& frame);
  // Sends one packet, kMaxValues values at most.
  void send(std::span<const double> values, std::int64_t now_ns);
  // The two parts of send(), for callers that delay packets: composing and sending.
  Datagram compose(std::span<const double> values, std::int64_t now_ns);
  void send(const Datagram& datagram);

  const UdpCounters& counters() const { return counters_; }
  const UdpSettings& settings() const { return settings_; }
  // Local address, including the port chosen by the kernel for port 0.
  UdpAddress listens_at() const;
  // Changes the remote address, if it becomes known only later.
  void set_peer(const UdpAddress& peer);

 private:
  struct Buffers;
  void take(std::span<const std::byte> bytes, std::int64_t now_ns, exchange::SignalFrame& frame);

  UdpSettings settings_;
  int socket_ = -1;
  std::uint32_t stream_, sequence_ = 0;
  std::uint32_t peer_host_ = 0;  // network order, as the kernel gives it
  std::uint16_t peer_port_ = 0;
  Arrivals arrivals_{};
  UdpCounters counters_{};
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace knuckleboom::endpoint
