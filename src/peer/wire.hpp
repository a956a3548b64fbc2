// A bad connection: packets come out late, at uneven times, twice, out of order or not at all, as
// configured. The same seed and times give the same result. No heap after construction.
#pragma once

#include <cstdint>
#include <vector>

#include "endpoint/udp.hpp"

namespace knuckleboom::peer {

struct WireSettings {
  double latency_s = 0.0;
  double jitter_s = 0.0;         // additional delay, uniform between 0 and this
  double loss = 0.0;             // share of packets
  double repeat = 0.0;           // share delivered twice
  double reorder = 0.0;          // share held back until the next has gone
  double silence_s = 0.0;        // nothing gets through for this time ...
  double silence_every_s = 0.0;  // ... once per this time, at its end; 0: never
  std::uint64_t seed = 1;
};

struct WireCounters {
  std::int64_t put, delivered;
  std::int64_t dropped;    // loss and silence
  std::int64_t repeated;   // delivered again
  std::int64_t overtaken;  // delivered for the first time after a later packet
  std::int64_t crowded;    // dropped because the connection was full: latency too long for the rate
};

class Wire {
 public:
  explicit Wire(const WireSettings& settings);

  void put(const endpoint::Datagram& datagram, std::int64_t now_ns);
  // Sends the due packets in the order of their due times.
  void deliver(std::int64_t now_ns, endpoint::UdpEndpoint& to);
  bool empty() const { return held_ == 0; }

  const WireCounters& counters() const { return counters_; }

 private:
  struct Slot {
    endpoint::Datagram datagram;
    std::int64_t due_ns;
    std::int64_t number;  // in the order of put(); below 0: free
    bool waits;           // for the next packet
  };
  bool chance(double share);
  bool silent(std::int64_t now_ns) const;
  void hold(const endpoint::Datagram& datagram, std::int64_t due_ns, bool waits);
  void send(Slot& slot, endpoint::UdpEndpoint& to);

  WireSettings settings_;
  WireCounters counters_{};
  std::vector<Slot> slots_;
  std::vector<std::int64_t> delivered_;  // newest number of each remainder
  int held_ = 0;
  std::uint64_t draws_ = 0;
  std::int64_t newest_delivered_ = -1;
  std::int64_t first_ns_ = -1;
};

}  // namespace knuckleboom::peer
