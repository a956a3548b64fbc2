// Signals over UDP with one other program. Nothing here waits: receive() takes a bounded number of
// datagrams from the kernel, and neither it nor send() uses the heap. One thread at a time.
//
// Two sockets share the local address. One is connected to the peer: nobody else's datagrams are in
// its buffer. All others come to the second one, of which less is read at a time. There a peer that was
// restarted at another port of its computer can answer a challenge, if there is a key (sessions.hpp);
// then the first socket is connected to that port. Everything else there is counted as a stranger's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "endpoint/error.hpp"
#include "endpoint/packet.hpp"
#include "endpoint/sessions.hpp"
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
  WireKey key;
  double late_s = 0.05;       // older values are not used
  std::uint64_t session = 0;  // of this run; 0: a random number
  int may_lack = 0;           // so many of the last values may be left out; they are not fresh then
};

// "udp:PEER:PORT" or "udp:PEER:PORT@OWN:PORT"; without the second part it listens on 127.0.0.1 at
// the next port. Throws EndpointError: no address, or an address on another computer without the
// second part.
UdpSettings udp_settings(const std::string& text);

struct UdpCounters {
  SessionCounters session;
  std::int64_t datagrams;           // taken from the kernel; see accounted()
  std::int64_t strangers;           // from elsewhere and not proved to be the peer
  std::int64_t refused[kRefusals];  // forged: from the peer's address, by reason
  std::int64_t asked;               // challenges that we sent
  std::int64_t sent, unsent;        // unsent: refused by the kernel
  std::int64_t full_polls;          // receive() left datagrams for the next time
  std::int64_t overflowed;          // dropped by the kernel, since its buffers were full

  std::int64_t forged() const {
    std::int64_t sum = 0;
    for (const std::int64_t n : refused) sum += n;
    return sum;
  }
  // Equals `datagrams`: each is counted once.
  std::int64_t accounted() const {
    const ArrivalCounters& a = session.arrivals;
    return a.received + a.late + a.repeated + a.reordered + a.ahead + session.former +
           session.challenges + strangers + forged();
  }
};

// Why the peer was not believed between two counts, as far as what arrived tells: a sentence for
// its user; empty where nothing tells.
std::string_view unheard_because(const UdpCounters& before, const UdpCounters& now);

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
  // of order are fresh in the frame, whose other values are unchanged. Answers the challenges among
  // them with the next packet, and challenges senders, by itself. now_ns: CLOCK_MONOTONIC.
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
  struct Place {
    std::uint32_t host = 0;  // network order, as the kernel gives it
    std::uint16_t port = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  struct Buffers;
  void open_sockets();
  void connect_to(Place place);
  bool send_to(Place place, const Datagram& datagram);
  // From one socket; false if it had more than `batches`.
  bool drain(int socket, int batches, std::int64_t now_ns, exchange::SignalFrame& frame);
  void take(std::span<const std::byte> bytes, Place from, std::int64_t now_ns,
            exchange::SignalFrame& frame);
  void use(const Packet& packet, exchange::SignalFrame& frame) const;
  void doubt(const Packet& packet, Place from);
  void ask(std::int64_t now_ns);

  UdpSettings settings_;
  Sessions sessions_;
  int open_ = -1, connected_ = -1;  // sockets: for everybody, for the peer
  Place peer_;
  // Senders to be challenged at the end of a receive(): a fair draw from all that it heard, so that a
  // flood cannot take the places of the true one.
  struct Doubt {
    std::uint64_t session, sequence;
    Place from;
  };
  std::array<Doubt, 8> doubts_{};
  std::uint64_t doubted_ = 0, draws_;
  UdpCounters counters_{};
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace knuckleboom::endpoint
