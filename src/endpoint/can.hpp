// Signals on a CAN bus by SocketCAN, where the kernel has it. Standard frames (11-bit ids) only.
// Neither receive() nor send() waits or uses the heap. Without a guard (can_guard.hpp) CAN has no
// sequence numbers and no sender's address: lost, repeated and forged frames cannot be detected, only
// silence can.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "endpoint/can_frames.hpp"
#include "endpoint/can_guard.hpp"

namespace knuckleboom::endpoint {

struct CanCounters {
  std::int64_t received;  // frames with a signal; with a guard the frames of good rounds
  std::int64_t refused;   // error, remote or extended frames, and those too short for their signals
  std::int64_t forged;    // rounds with another tag
  std::int64_t former;    // rounds that were heard before
  std::int64_t challenges;    // that asked us
  std::int64_t sent, unsent;  // unsent: the bus was full or down, or a value not finite
  std::int64_t full_polls;    // receive() left frames for the next time
};

class CanEndpoint {
 public:
  // in, out: signals; those without a place in a frame are left out. Throws EndpointError.
  CanEndpoint(const std::string& interface, std::vector<io::OutsideSignal> in,
              std::vector<io::OutsideSignal> out, std::optional<CanGuard> guard);
  ~CanEndpoint();
  CanEndpoint(const CanEndpoint&) = delete;
  CanEndpoint& operator=(const CanEndpoint&) = delete;

  // Signals of received frames are fresh, with a guard once their round has proved to be the other
  // side's; others keep their values. stamp_ns of the frame is the given time.
  void receive(std::int64_t now_ns, exchange::SignalFrame& frame);
  // One frame for each id; values in the order of the signals.
  void send(std::span<const double> values);

  const CanCounters& counters() const { return counters_; }

 private:
  void put(const CanFrame& frame);
  void take(const CanFrame& received, std::int64_t now_ns, exchange::SignalFrame& frame);
  void hear_guard(const CanFrame& received, std::int64_t now_ns, exchange::SignalFrame& frame);

  std::vector<io::OutsideSignal> in_, out_;
  std::vector<CanFrame> frames_, round_;  // to be sent; received since the last guard frame
  std::optional<CanGuard> guard_;
  int socket_ = -1;
  CanCounters counters_{};
};

}  // namespace knuckleboom::endpoint
