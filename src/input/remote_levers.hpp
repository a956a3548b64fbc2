// Levers over the network: a lever stand that is a separate program or computer. It sends ten
// values in the order of command::LeverAxis, and an eleventh of its buttons if it has any: the sum
// of 2^n over those held down, n by command::LeverButton (docs/reference/endpoints.md).
//
// As with levers on the desk: silence gives neutral and no button, after kRemoteStale exactly to a
// poll's tick, and a stand that appears or returns gives neutral until all its axes have been near
// their centres and no button was held at the same time.
#pragma once

#include <array>
#include <string>

#include "endpoint/udp.hpp"
#include "knuckleboom/core/command/operator_input.hpp"
#include "knuckleboom/core/exchange/exchange.hpp"

namespace knuckleboom::input {

inline constexpr double kRemoteTick = 1e-3;    // s
inline constexpr double kRemoteStale = 0.05;   // s
inline constexpr double kRemoteCentre = 0.05;  // share of the travel
inline constexpr int kRemoteValues = command::kLeverAxes + 1;

// The values that a stand sends for an input.
std::array<double, kRemoteValues> remote_values(const command::OperatorInput& input);

class RemoteLevers {
 public:
  enum class State { kSilent, kCentre, kInUse };  // kCentre: received, but not centred yet

  // address: as endpoint::udp_settings() has it. Throws EndpointError.
  RemoteLevers(const std::string& address, const endpoint::WireKey& key);

  // Takes received values. Times are the caller's, on a monotonic clock [s].
  void poll(double now_s);

  const command::OperatorInput& input() const { return input_; }
  State state() const { return state_; }
  const endpoint::UdpEndpoint& endpoint() const { return endpoint_; }
  std::string name() const;  // "the lever stand at 127.0.0.1:47001"
  // "is silent", and why as far as known; state() is kSilent.
  std::string silence() const;

 private:
  endpoint::UdpEndpoint endpoint_;
  exchange::Exchange exchange_;
  exchange::ExchangeState state_of_signals_;
  exchange::ExchangeInput frame_{};
  command::OperatorInput input_{};
  State state_ = State::kSilent;
  endpoint::UdpCounters heard_{};  // when it was last heard
  double tick_due_s_ = 0.0;
  bool started_ = false;
};

}  // namespace knuckleboom::input
