// The endpoint and the exchange under load, both ends in one process: a machine's side at 1 kHz, a
// sender behind a bad connection, and invalid packets from strangers and from the sender itself.
// The machine's side is compared with a simple model of it.
#pragma once

#include <cstdint>
#include <string>

#include "endpoint/udp.hpp"
#include "peer/wire.hpp"

namespace knuckleboom::peer {

struct CheckSettings {
  double duration_s = 10.0;
  double rate_Hz = 1000.0;
  WireSettings wire;
  double forged =
      0.01;  // of packets, each from a stranger's port and corrupted from the sender's own
  double insane = 0.01;  // of packets: valid ones with values that are not finite, or huge
};

struct CheckResult {
  std::int64_t ticks = 0;
  double worst_lateness_s = 0.0, lost_s = 0.0;  // of the machine's ticks
  endpoint::UdpCounters counters{};
  WireCounters wire{};
  std::int64_t forged_by_strangers = 0, forged_by_peer = 0;  // sent
  std::int64_t in_flight = 0;  // in the connection at the end, neither dropped nor delivered
  std::int64_t stale = 0;      // number of times a signal became stale
  std::int64_t stale_wrong =
      0;  // ticks in which a signal was stale and should not have been, or the reverse
  std::int64_t out_of_bounds = 0;  // ticks with an output beyond range or rate, or not finite
  std::int64_t refused = 0, limited = 0;  // values
  double largest = 0.0;                   // output
  double fastest = 0.0;    // change of the output in a tick that did not go to the safe state
  bool same_bits = false;  // the recorded input, replayed
  double poll_mean_s = 0.0, poll_worst_s = 0.0;  // receive, exchange and send of one tick

  // Identities of the counters on a connection that loses nothing itself. Packets may have come before
  // their sender had answered a challenge; those are former or ahead, and count as lost later.
  bool counters_agree() const;
  bool passed() const;
};

CheckResult check(const CheckSettings& settings);
std::string to_text(const CheckSettings& settings, const CheckResult& result);

}  // namespace knuckleboom::peer
