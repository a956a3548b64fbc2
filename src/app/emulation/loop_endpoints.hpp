// The signals of a signal file as those of an emulation: over UDP, over CAN, from a log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "endpoint/log_player.hpp"
#include "endpoint/signal_wire.hpp"
#include "knuckleboom/core/emulation/hardware_loop.hpp"
#include "knuckleboom/io/signal_file.hpp"

namespace knuckleboom::app {

struct EndpointCounters {
  endpoint::UdpCounters udp;
  endpoint::CanCounters can;
};

// That all of the file's signals are the emulation's, and those that come in may do so. Throws FileError.
void check_signals(const io::SignalFile& signals, const std::string& file,
                   const std::vector<emulation::LoopSignal>& known);

// Of those that come in, in the order of the frames.
std::vector<exchange::SignalRule> incoming_rules(const io::SignalFile& signals);

class LoopEndpoints {
 public:
  // loop: has incoming_rules(signals). played: null: no log. network: false: neither UDP nor CAN. Throws
  // EndpointError and FileError.
  LoopEndpoints(const io::SignalFile& signals, const emulation::HardwareLoop& loop,
                const io::Trace* played, bool network);

  // None of these waits or uses the heap.
  void receive(double t_s, std::int64_t now_ns, exchange::ExchangeInput& input);
  // Values of the outgoing signals, held within their ranges.
  void send(const emulation::LoopState& state, std::int64_t now_ns);
  // Their safe values: the last that is said.
  void send_safe(std::int64_t now_ns);

  EndpointCounters counters() const;
  bool has_udp() const { return wire_ && wire_->udp; }
  bool has_can() const { return wire_ && wire_->can; }

 private:
  struct Outgoing {
    int signal;
    exchange::SignalRule rule;
  };
  void put(std::int64_t now_ns);

  const emulation::HardwareLoop& loop_;
  std::vector<Outgoing> out_;
  std::vector<double> values_;  // of the last packet
  std::optional<endpoint::SignalWire> wire_;
  std::optional<endpoint::LogPlayer> log_;
};

}  // namespace knuckleboom::app
