#include "endpoint/can.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <linux/can.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include "endpoint/error.hpp"

namespace knuckleboom::endpoint {
namespace {

constexpr int kFramesPerPoll = 128;

std::string reason(int fault) { return std::generic_category().message(fault); }

int opened() {
  const int socket = ::socket(PF_CAN, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, CAN_RAW);
  if (socket < 0)
    throw EndpointError(errno == EAFNOSUPPORT || errno == EPROTONOSUPPORT
                            ? "this system's kernel has no SocketCAN: use a UDP endpoint, or load "
                              "the modules can and can_raw"
                            : fmt::format("no CAN socket can be had: {}", reason(errno)));
  return socket;
}

int bind_to(int socket, const std::string& interface) {
  sockaddr_can address{};
  address.can_family = AF_CAN;
  address.can_ifindex = static_cast<int>(::if_nametoindex(interface.c_str()));
  if (address.can_ifindex == 0) return ENODEV;
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return errno;
  return 0;
}

}  // namespace

CanEndpoint::CanEndpoint(const std::string& interface, std::vector<io::OutsideSignal> in,
                         std::vector<io::OutsideSignal> out, std::optional<CanGuard> guard)
    : in_(std::move(in)),
      out_(std::move(out)),
      frames_(frames_of(out_)),
      round_(frames_of(in_)),
      guard_(std::move(guard)),
      socket_(opened()) {
  // The kernel delivers only the requested ids, and none of our own frames.
  std::vector<can_filter> filters;
  for (const CanFrame& frame : frames_of(in_))
    filters.push_back({frame.id, CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG});
  if (guard_)
    filters.push_back({guard_->id_of_other(), CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG});
  ::setsockopt(socket_, SOL_CAN_RAW, CAN_RAW_FILTER, filters.data(),
               static_cast<socklen_t>(filters.size() * sizeof(can_filter)));
  const int fault = bind_to(socket_, interface);
  if (fault == 0) return;
  ::close(socket_);
  throw EndpointError(
      fault == ENODEV
          ? fmt::format("there is no CAN interface '{}'; 'ip link show type can' and 'ip link show "
                        "type vcan' name those there are",
                        interface)
          : fmt::format("the CAN interface '{}' cannot be used: {}", interface, reason(fault)));
}

CanEndpoint::~CanEndpoint() { ::close(socket_); }

void CanEndpoint::hear_guard(const CanFrame& received, std::int64_t now_ns,
                             exchange::SignalFrame& frame) {
  switch (guard_->hear(received, round_, now_ns)) {
    case CanGuard::Heard::kChallenge:
      ++counters_.challenges;
      return;
    case CanGuard::Heard::kForged:
      ++counters_.forged;
      return;
    case CanGuard::Heard::kFormer:
      ++counters_.former;
      return;
    case CanGuard::Heard::kGood:
      break;
  }
  for (const CanFrame& one : round_) unpack(in_, one, frame);
  counters_.received += static_cast<std::int64_t>(round_.size());
  ++frame.sequence;
  frame.stamp_ns = now_ns;
}

void CanEndpoint::take(const CanFrame& received, std::int64_t now_ns,
                       exchange::SignalFrame& frame) {
  if (guard_ && received.id == guard_->id_of_other()) return hear_guard(received, now_ns, frame);
  if (guard_) {
    for (CanFrame& one : round_)
      if (one.id == received.id && one.length == received.length) one = received;
    return;
  }
  if (!unpack(in_, received, frame)) {
    ++counters_.refused;
    return;
  }
  ++counters_.received;
  ++frame.sequence;
  frame.stamp_ns = now_ns;
}

void CanEndpoint::receive(std::int64_t now_ns, exchange::SignalFrame& frame) {
  frame.fresh = 0;
  if (guard_ && guard_->must_ask(now_ns)) put(guard_->challenge());
  for (int i = 0; i < kFramesPerPoll; ++i) {
    can_frame raw{};
    const ssize_t n = ::recv(socket_, &raw, sizeof raw, MSG_DONTWAIT);
    if (n < 0) return;
    CanFrame received;
    received.id = raw.can_id & CAN_SFF_MASK;
    received.length = std::min<int>(raw.can_dlc, CAN_MAX_DLEN);
    std::copy_n(raw.data, received.length, received.data);
    if (n == sizeof raw && (raw.can_id & (CAN_EFF_FLAG | CAN_RTR_FLAG | CAN_ERR_FLAG)) == 0)
      take(received, now_ns, frame);
    else
      ++counters_.refused;
  }
  ++counters_.full_polls;
}

void CanEndpoint::put(const CanFrame& frame) {
  can_frame raw{};
  raw.can_id = frame.id;
  raw.can_dlc = static_cast<__u8>(frame.length);
  std::copy_n(frame.data, frame.length, raw.data);
  const ssize_t n = ::send(socket_, &raw, sizeof raw, MSG_DONTWAIT);
  ++(n == static_cast<ssize_t>(sizeof raw) ? counters_.sent : counters_.unsent);
}

void CanEndpoint::send(std::span<const double> values) {
  pack(out_, values, frames_);
  bool whole = true;
  for (const CanFrame& frame : frames_) {
    whole = whole && frame.whole;
    if (frame.whole)
      put(frame);
    else
      ++counters_.unsent;
  }
  // A round that is not whole stays without its guard frame: to the other side it is silence.
  if (!guard_ || !whole) return;
  if (const CanFrame guard = guard_->seal(frames_); guard.length > 0) put(guard);
}

}  // namespace knuckleboom::endpoint
