// Signals over UDP with one peer. Nothing here waits: receive() takes what the kernel holds, in a bounded
// number of datagrams, and neither it nor send() uses the heap. One thread at a time.
//
// Only datagrams from the peer's address and port are looked at; all others are counted and dropped.
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
  UdpAddress own;    // where to listen; host 127.0.0.1 unless said otherwise
  int receives = 0;  // values of the peer's packets; 0 to kMaxValues
  std::uint64_t key = 0;
  double late_s = 0.05;      // older values are not used
  std::uint32_t stream = 0;  // of what is sent; 0: a number drawn at random
};

// "udp:PEER:PORT" or "udp:PEER:PORT@OWN:PORT"; without the second part we listen on 127.0.0.1 at the port
// after the peer's. Throws EndpointError: no address, or a peer on another machine without the second part.
UdpSettings udp_settings(const std::string& text);

struct UdpCounters {
  ArrivalCounters arrivals;
  std::int64_t former;              // of a stream that has been replaced
  std::int64_t refused[kRefusals];  // forged, by reason
  std::int64_t sent, unsent;        // unsent: the kernel would not take it
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

  // Takes what has come; values of the newest packet that is neither forged nor late nor out of order are
  // fresh in the frame, whose other values stay. now_ns: CLOCK_MONOTONIC.
  void receive(std::int64_t now_ns, exchange::SignalFrame& frame);
  // One packet to the peer, kMaxValues values at most.
  void send(std::span<const double> values, std::int64_t now_ns);
  // The two halves of it, for one who lets time pass in between: the next packet, and off with it.
  Datagram compose(std::span<const double> values, std::int64_t now_ns);
  void send(const Datagram& datagram);

  const UdpCounters& counters() const { return counters_; }
  const UdpSettings& settings() const { return settings_; }
  // Where it listens; the port too if port 0 let the kernel choose.
  UdpAddress listens_at() const;
  // Another peer from now on, for one that is known only later.
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
