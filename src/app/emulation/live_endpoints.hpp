// The signals of a signal file connected to an emulation: over UDP, over CAN, from a log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "endpoint/log_player.hpp"
#include "endpoint/signal_wire.hpp"
#include "knuckleboom/core/emulation/hil_bench.hpp"
#include "knuckleboom/io/signal_file.hpp"

namespace knuckleboom::app {

struct EndpointCounters {
  endpoint::UdpCounters udp;
  endpoint::CanCounters can;
};

// Checks that all of the file's signals belong to the emulation and its incoming ones are allowed.
// Throws FileError.
void check_signals(const io::SignalFile& signals, const std::string& file,
                   const std::vector<emulation::HilSignal>& known);

// Rules of the incoming signals, in the order of the frames.
std::vector<exchange::SignalRule> incoming_rules(const io::SignalFile& signals);

class LiveEndpoints {
 public:
  // loop: has incoming_rules(signals). played: null: no log. network: false: neither UDP nor CAN. key: of
  // the UDP connection. Throws EndpointError and FileError.
  LiveEndpoints(const io::SignalFile& signals, const emulation::HilBench& bench,
                const io::Trace* played, bool network, const endpoint::WireKey& key);

  // None of these waits or uses the heap.
  void receive(double t_s, std::int64_t now_ns, exchange::ExchangeInput& input);
  // Values of the outgoing signals, limited to their ranges.
  void send(const emulation::HilState& state, std::int64_t now_ns);
  // Sends their safe values as the last packet.
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

  const emulation::HilBench& bench_;
  std::vector<Outgoing> out_;
  std::vector<double> values_;  // of the last packet
  std::optional<endpoint::SignalWire> wire_;
  std::optional<endpoint::LogPlayer> log_;
};

}  // namespace knuckleboom::app
