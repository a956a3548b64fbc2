#include "endpoint/udp.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <random>
#include <string_view>
#include <system_error>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "knuckleboom/core/math/hash.hpp"

namespace knuckleboom::endpoint {
namespace {

constexpr unsigned kBatch = 32;    // datagrams per system call
constexpr int kBatchesOfPeer = 4;  // at a time; the rest waits for the next
constexpr int kBatchesOfOthers = 1;
constexpr int kKernelBuffer = 1 << 18;         // bytes
constexpr std::size_t kSlot = kMaxPacket + 1;  // one more byte, to detect longer datagrams

UdpAddress parsed(std::string_view text, const std::string& whole) {
  const std::size_t colon = text.rfind(':');
  UdpAddress address;
  unsigned port = 0;
  if (colon != std::string_view::npos) {
    address.host = std::string(text.substr(0, colon));
    const std::string_view digits = text.substr(colon + 1);
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (fault != std::errc() || end != digits.data() + digits.size()) port = 0;
  }
  in_addr host{};
  if (port == 0 || port > 65535 || inet_pton(AF_INET, address.host.c_str(), &host) != 1)
    throw EndpointError(fmt::format(
        "'{}' is no endpoint; write udp:ADDRESS:PORT, for example udp:127.0.0.1:47001", whole));
  address.port = static_cast<std::uint16_t>(port);
  return address;
}

bool is_loopback(const UdpAddress& address) { return address.host.starts_with("127."); }

sockaddr_in socket_address(const UdpAddress& address) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(address.port);
  if (inet_pton(AF_INET, address.host.c_str(), &out.sin_addr) != 1)
    throw EndpointError(fmt::format("'{}' is no IPv4 address", address.host));
  return out;
}

sockaddr_in address_of(std::uint32_t host, std::uint16_t port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_addr.s_addr = host;
  out.sin_port = port;
  return out;
}

std::uint64_t drawn_number() {
  std::random_device random;
  return static_cast<std::uint64_t>(random()) << 32 | random();
}

std::string reason() { return std::generic_category().message(errno); }

std::int64_t late_ns(double late_s) {
  if (!(late_s > 0.0 && late_s <= 3600.0))
    throw EndpointError("values are late after a time above 0, an hour at most");
  return static_cast<std::int64_t>(late_s * 1e9);
}

void share_address(int socket, bool on) {
  const int value = on ? 1 : 0;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &value, sizeof value);
}

int new_socket() {
  const int out = ::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (out < 0) throw EndpointError(fmt::format("no UDP socket can be had: {}", reason()));
  const int on = 1;
  ::setsockopt(out, SOL_SOCKET, SO_RCVBUF, &kKernelBuffer, sizeof kKernelBuffer);
  ::setsockopt(out, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);
  return out;
}

void note_dropped(msghdr& header, std::uint32_t& dropped) {
  const cmsghdr* const told = CMSG_FIRSTHDR(&header);
  if (told != nullptr && told->cmsg_level == SOL_SOCKET && told->cmsg_type == SO_RXQ_OVFL)
    std::memcpy(&dropped, CMSG_DATA(told), sizeof dropped);
}

}  // namespace

struct UdpEndpoint::Buffers {
  std::array<std::array<std::byte, kSlot>, kBatch> bytes;
  std::array<sockaddr_in, kBatch> from;
  std::array<iovec, kBatch> vectors;
  std::array<mmsghdr, kBatch> messages;
  // With each datagram the kernel says how many it had dropped before.
  struct alignas(cmsghdr) Control {
    std::byte bytes[CMSG_SPACE(sizeof(std::uint32_t))];
  };
  std::array<Control, kBatch> control;
  std::uint32_t dropped[2] = {0, 0};  // by the socket for the peer, for everybody
};

std::string to_string(const UdpAddress& address) {
  return fmt::format("{}:{}", address.host, address.port);
}

UdpSettings udp_settings(const std::string& text) {
  std::string_view rest = text;
  if (!rest.starts_with("udp:"))
    throw EndpointError(fmt::format(
        "'{}' is no endpoint; write udp:ADDRESS:PORT, for example udp:127.0.0.1:47001", text));
  rest.remove_prefix(4);
  const std::size_t at = rest.find('@');
  UdpSettings settings;
  settings.peer = parsed(rest.substr(0, at), text);
  if (at != std::string_view::npos) {
    settings.own = parsed(rest.substr(at + 1), text);
  } else if (!is_loopback(settings.peer)) {
    throw EndpointError(
        fmt::format("{} is on another machine: say where to listen for it, {}@ADDRESS:PORT with an "
                    "address of this "
                    "machine",
                    to_string(settings.peer), text));
  } else if (settings.peer.port == 65535) {
    throw EndpointError(
        fmt::format("there is no port after 65535: say where to listen, {}@ADDRESS:PORT", text));
  } else {
    settings.own.port = static_cast<std::uint16_t>(settings.peer.port + 1);
  }
  return settings;
}

UdpEndpoint::UdpEndpoint(const UdpSettings& settings)
    : settings_(settings),
      sessions_(settings.session, late_ns(settings.late_s)),
      draws_(drawn_number()),
      buffers_(std::make_unique<Buffers>()) {
  if (settings.receives < 0 || settings.receives > kMaxValues)
    throw EndpointError(fmt::format("a packet holds {} values at most", kMaxValues));
  socket_address(settings.peer);
  open_sockets();
  set_peer(settings.peer);
  for (unsigned i = 0; i < kBatch; ++i) {
    buffers_->vectors[i] = {buffers_->bytes[i].data(), kSlot};
    buffers_->messages[i] = {};
    msghdr& header = buffers_->messages[i].msg_hdr;
    header.msg_name = &buffers_->from[i];
    header.msg_iov = &buffers_->vectors[i];
    header.msg_iovlen = 1;
    header.msg_control = buffers_->control[i].bytes;
  }
}

UdpEndpoint::~UdpEndpoint() {
  ::close(open_);
  ::close(connected_);
}

// The address is shared between the two sockets alone: nobody else gets hold of it, not even another
// program of the same user.
void UdpEndpoint::open_sockets() {
  sockaddr_in own = socket_address(settings_.own);
  if (own.sin_addr.s_addr == htonl(INADDR_ANY))
    throw EndpointError("0.0.0.0 would listen on every network: name one address of this machine");
  const auto bound = [&own](int socket) {
    return ::bind(socket, reinterpret_cast<const sockaddr*>(&own), sizeof own) == 0;
  };
  open_ = new_socket();
  bool good = bound(open_);
  if (good) {
    own.sin_port = htons(listens_at().port);
    connected_ = new_socket();
    share_address(open_, true);
    share_address(connected_, true);
    good = bound(connected_);
    share_address(open_, false);
    share_address(connected_, false);
  }
  if (good) return;
  const int fault = errno;
  ::close(open_);
  if (connected_ >= 0) ::close(connected_);
  errno = fault;
  throw EndpointError(fault == EADDRINUSE
                          ? fmt::format("{} is in use by another program: choose another port",
                                        to_string(settings_.own))
                          : fmt::format("it is not possible to listen at {}: {}",
                                        to_string(settings_.own), reason()));
}

std::string_view unheard_because(const UdpCounters& before, const UdpCounters& now) {
  if (now.session.arrivals.received > before.session.arrivals.received) return {};
  const auto more = [&](Refusal reason) {
    const int i = static_cast<int>(reason);
    return now.refused[i] > before.refused[i];
  };
  if (more(Refusal::kTag))
    return "its packets are of another key: compare what 'knuckleboom key show' says on both sides";
  if (more(Refusal::kVersion)) return "its packets are of another version of the program";
  if (more(Refusal::kCount))
    return "its packets have another number of values: both sides need the same signals";
  if (now.strangers > before.strangers)
    return "what arrives comes from elsewhere, or is of another key";
  return {};
}

void UdpEndpoint::set_peer(const UdpAddress& peer) {
  const sockaddr_in address = socket_address(peer);
  settings_.peer = peer;
  connect_to({address.sin_addr.s_addr, address.sin_port});
}

void UdpEndpoint::connect_to(Place place) {
  peer_ = place;
  const sockaddr_in to = address_of(place.host, place.port);
  // Where there is no way to the peer yet, its datagrams come to the other socket.
  ::connect(connected_, reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

UdpAddress UdpEndpoint::listens_at() const {
  sockaddr_in own{};
  socklen_t size = sizeof own;
  ::getsockname(open_, reinterpret_cast<sockaddr*>(&own), &size);
  UdpAddress address = settings_.own;
  address.port = ntohs(own.sin_port);
  return address;
}

void UdpEndpoint::use(const Packet& packet, exchange::SignalFrame& frame) const {
  std::copy_n(packet.value, packet.count, frame.value);
  frame.fresh = (std::uint64_t{1} << packet.count) - 1;
  frame.sequence = packet.sequence;
  frame.stamp_ns = packet.stamp_ns;
}

void UdpEndpoint::take(std::span<const std::byte> bytes, Place from, std::int64_t now_ns,
                       exchange::SignalFrame& frame) {
  ++counters_.datagrams;
  const bool elsewhere = from != peer_;
  if (elsewhere && (!settings_.key.given || from.host != peer_.host)) {
    ++counters_.strangers;
    return;
  }
  Packet packet{};
  Refusal refusal = decode(bytes, settings_.key, packet);
  const std::int64_t most = packet.kind == PacketKind::kValues ? settings_.receives : 0;
  const std::int64_t least = most > 0 ? most - settings_.may_lack : 0;
  if (refusal == Refusal::kNone && (packet.count > most || packet.count < least))
    refusal = Refusal::kCount;
  if (refusal != Refusal::kNone) {
    ++(elsewhere ? counters_.strangers : counters_.refused[static_cast<int>(refusal)]);
    return;
  }
  const Belief belief = sessions_.hear(packet, elsewhere, now_ns);
  counters_.session = sessions_.counters();
  if (elsewhere && belief != Belief::kNew && belief != Belief::kChallenge) ++counters_.strangers;
  if (belief == Belief::kUnproved) doubt(packet, from);
  if (belief != Belief::kNew) return;
  if (elsewhere) connect_to(from);
  use(packet, frame);
}

void UdpEndpoint::doubt(const Packet& packet, Place from) {
  const std::uint64_t place =
      doubted_ < doubts_.size() ? doubted_ : mixed_bits(draws_++) % (doubted_ + 1);
  ++doubted_;
  if (place < doubts_.size()) doubts_[place] = {packet.session, packet.sequence, from};
}

void UdpEndpoint::ask(std::int64_t now_ns) {
  for (std::size_t i = 0; i < std::min<std::uint64_t>(doubted_, doubts_.size()); ++i) {
    const Doubt& doubt = doubts_[i];
    Datagram datagram;
    datagram.size = encode(sessions_.challenge(doubt.session, doubt.sequence, now_ns),
                           settings_.key, datagram.bytes);
    send_to(doubt.from, datagram);
    ++counters_.asked;
  }
  doubted_ = 0;
}

// By the open socket: the connected one would refuse while nobody listens at the other end.
bool UdpEndpoint::send_to(Place place, const Datagram& datagram) {
  const sockaddr_in to = address_of(place.host, place.port);
  return ::sendto(open_, datagram.bytes, datagram.size, MSG_DONTWAIT,
                  reinterpret_cast<const sockaddr*>(&to),
                  sizeof to) == static_cast<ssize_t>(datagram.size);
}

bool UdpEndpoint::drain(int socket, int batches, std::int64_t now_ns,
                        exchange::SignalFrame& frame) {
  Buffers& b = *buffers_;
  for (int batch = 0; batch < batches; ++batch) {
    for (mmsghdr& message : b.messages) {
      message.msg_hdr.msg_namelen = sizeof(sockaddr_in);
      message.msg_hdr.msg_controllen = sizeof(Buffers::Control);
    }
    const int n = ::recvmmsg(socket, b.messages.data(), kBatch, MSG_DONTWAIT, nullptr);
    // Nobody listens at the peer's port: that is said once, in place of datagrams.
    if (n < 0 && errno == ECONNREFUSED) continue;
    if (n <= 0) return true;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      note_dropped(b.messages[i].msg_hdr, b.dropped[socket == open_ ? 1 : 0]);
      const std::size_t length = std::min<std::size_t>(b.messages[i].msg_len, kSlot);
      take(std::span(b.bytes[i]).first(length), {b.from[i].sin_addr.s_addr, b.from[i].sin_port},
           now_ns, frame);
    }
    if (static_cast<unsigned>(n) < kBatch) return true;
  }
  return false;
}

void UdpEndpoint::receive(std::int64_t now_ns, exchange::SignalFrame& frame) {
  frame.fresh = 0;
  const bool all_of_peer = drain(connected_, kBatchesOfPeer, now_ns, frame);
  const bool all_of_others = drain(open_, kBatchesOfOthers, now_ns, frame);
  ask(now_ns);
  if (!all_of_peer || !all_of_others) ++counters_.full_polls;
  counters_.overflowed = std::int64_t{buffers_->dropped[0]} + buffers_->dropped[1];
}

Datagram UdpEndpoint::compose(std::span<const double> values, std::int64_t now_ns) {
  Packet packet = sessions_.next(now_ns);
  packet.count = static_cast<std::int64_t>(std::min<std::size_t>(values.size(), kMaxValues));
  std::copy_n(values.begin(), packet.count, packet.value);
  Datagram datagram;
  datagram.size = encode(packet, settings_.key, datagram.bytes);
  return datagram;
}

void UdpEndpoint::send(const Datagram& datagram) {
  ++(send_to(peer_, datagram) ? counters_.sent : counters_.unsent);
}

void UdpEndpoint::send(std::span<const double> values, std::int64_t now_ns) {
  send(compose(values, now_ns));
}

}  // namespace knuckleboom::endpoint
