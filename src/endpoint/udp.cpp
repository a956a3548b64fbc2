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

namespace knuckleboom::endpoint {
namespace {

constexpr unsigned kBatch = 32;                // datagrams per system call
constexpr int kBatchesPerPoll = 4;             // the rest waits for the next poll
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

std::uint32_t drawn_stream() {
  std::random_device random;
  return static_cast<std::uint32_t>(random()) | 1U;
}

std::string reason() { return std::generic_category().message(errno); }

}  // namespace

struct UdpEndpoint::Buffers {
  std::array<std::array<std::byte, kSlot>, kBatch> bytes;
  std::array<sockaddr_in, kBatch> from;
  std::array<iovec, kBatch> vectors;
  std::array<mmsghdr, kBatch> messages;
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
      stream_(settings.stream != 0 ? settings.stream : drawn_stream()),
      buffers_(std::make_unique<Buffers>()) {
  if (settings.receives < 0 || settings.receives > kMaxValues)
    throw EndpointError(fmt::format("a packet holds {} values at most", kMaxValues));
  if (!(settings.late_s > 0.0 && settings.late_s <= 3600.0))
    throw EndpointError("values are late after a time above 0, an hour at most");
  set_peer(settings.peer);
  const sockaddr_in own = socket_address(settings.own);
  if (own.sin_addr.s_addr == htonl(INADDR_ANY))
    throw EndpointError("0.0.0.0 would listen on every network: name one address of this machine");
  socket_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket_ < 0) throw EndpointError(fmt::format("no UDP socket can be had: {}", reason()));
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &kKernelBuffer, sizeof kKernelBuffer);
  if (::bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) {
    const int fault = errno;
    ::close(socket_);
    errno = fault;
    throw EndpointError(fault == EADDRINUSE
                            ? fmt::format("{} is in use by another program: choose another port",
                                          to_string(settings.own))
                            : fmt::format("it is not possible to listen at {}: {}",
                                          to_string(settings.own), reason()));
  }
  for (unsigned i = 0; i < kBatch; ++i) {
    buffers_->vectors[i] = {buffers_->bytes[i].data(), kSlot};
    buffers_->messages[i] = {};
    msghdr& header = buffers_->messages[i].msg_hdr;
    header.msg_name = &buffers_->from[i];
    header.msg_iov = &buffers_->vectors[i];
    header.msg_iovlen = 1;
  }
}

UdpEndpoint::~UdpEndpoint() { ::close(socket_); }

void UdpEndpoint::set_peer(const UdpAddress& peer) {
  const sockaddr_in address = socket_address(peer);
  settings_.peer = peer;
  peer_host_ = address.sin_addr.s_addr;
  peer_port_ = address.sin_port;
}

UdpAddress UdpEndpoint::listens_at() const {
  sockaddr_in own{};
  socklen_t size = sizeof own;
  ::getsockname(socket_, reinterpret_cast<sockaddr*>(&own), &size);
  UdpAddress address = settings_.own;
  address.port = ntohs(own.sin_port);
  return address;
}

void UdpEndpoint::take(std::span<const std::byte> bytes, std::int64_t now_ns,
                       exchange::SignalFrame& frame) {
  Packet packet;
  Refusal refusal = decode(bytes, settings_.key, packet);
  if (refusal == Refusal::kNone && packet.count != settings_.receives) refusal = Refusal::kCount;
  if (refusal != Refusal::kNone) {
    ++counters_.refused[static_cast<int>(refusal)];
    return;
  }
  const auto late_ns = static_cast<std::int64_t>(settings_.late_s * 1e9);
  const Arrival arrival =
      judge(arrivals_, packet.stream, packet.sequence, packet.stamp_ns, now_ns, late_ns);
  counters_.arrivals = arrivals_.counters;
  if (arrival == Arrival::kFormer) ++counters_.former;
  if (arrival != Arrival::kNew) return;
  std::copy_n(packet.value, settings_.receives, frame.value);
  frame.fresh = (std::uint64_t{1} << settings_.receives) - 1;
  frame.sequence = packet.sequence;
  frame.stamp_ns = packet.stamp_ns;
}

void UdpEndpoint::receive(std::int64_t now_ns, exchange::SignalFrame& frame) {
  frame.fresh = 0;
  Buffers& b = *buffers_;
  for (int batch = 0; batch < kBatchesPerPoll; ++batch) {
    for (mmsghdr& message : b.messages) message.msg_hdr.msg_namelen = sizeof(sockaddr_in);
    const int n = ::recvmmsg(socket_, b.messages.data(), kBatch, MSG_DONTWAIT, nullptr);
    if (n <= 0) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      const sockaddr_in& from = b.from[i];
      if (from.sin_addr.s_addr != peer_host_ || from.sin_port != peer_port_) {
        ++counters_.refused[static_cast<int>(Refusal::kAddress)];
        continue;
      }
      const std::size_t length = std::min<std::size_t>(b.messages[i].msg_len, kSlot);
      take(std::span(b.bytes[i]).first(length), now_ns, frame);
    }
    if (static_cast<unsigned>(n) < kBatch) return;
  }
  ++counters_.full_polls;
}

Datagram UdpEndpoint::compose(std::span<const double> values, std::int64_t now_ns) {
  Packet packet;
  packet.stream = stream_;
  packet.sequence = sequence_++;
  packet.stamp_ns = now_ns;
  packet.count = static_cast<std::int64_t>(std::min<std::size_t>(values.size(), kMaxValues));
  std::copy_n(values.begin(), packet.count, packet.value);
  Datagram datagram;
  datagram.size = encode(packet, settings_.key, datagram.bytes);
  return datagram;
}

void UdpEndpoint::send(const Datagram& datagram) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = peer_host_;
  to.sin_port = peer_port_;
  const ssize_t n = ::sendto(socket_, datagram.bytes, datagram.size, MSG_DONTWAIT,
                             reinterpret_cast<const sockaddr*>(&to), sizeof to);
  ++(n == static_cast<ssize_t>(datagram.size) ? counters_.sent : counters_.unsent);
}

void UdpEndpoint::send(std::span<const double> values, std::int64_t now_ns) {
  send(compose(values, now_ns));
}

}  // namespace knuckleboom::endpoint
