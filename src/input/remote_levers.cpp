#include "input/remote_levers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "language/text.hpp"

namespace knuckleboom::input {
namespace {

constexpr double kAllButtons = (1 << command::kLeverButtons) - 1;

endpoint::UdpSettings settings_of(const std::string& address, const endpoint::WireKey& key) {
  endpoint::UdpSettings settings = endpoint::udp_settings(address);
  settings.receives = kRemoteValues;
  settings.may_lack = kRemoteValues - command::kLeverAxes;
  settings.key = key;
  settings.late_s = kRemoteStale;
  return settings;
}

exchange::Exchange rules() {
  std::vector<exchange::SignalRule> rules(kRemoteValues);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    rules[i].name = i < command::kLeverAxes ? command::kLeverAxisNames[i] : "buttons";
    rules[i].stale_s = kRemoteStale;
    rules[i].blend_s = 0.0;
    rules[i].source = exchange::Source::kNetwork;
  }
  rules.back().most = kAllButtons + 1.0;  // limited to that, it is none
  return {std::move(rules), kRemoteTick};
}

// A number that is no set of buttons holds none down.
std::int64_t buttons_of(const exchange::SignalState& s) {
  if (s.stale != 0 || s.output < 0.0 || s.output > kAllButtons || s.output != std::floor(s.output))
    return 0;
  return static_cast<std::int64_t>(s.output);
}

}  // namespace

std::array<double, kRemoteValues> remote_values(const command::OperatorInput& input) {
  std::array<double, kRemoteValues> values{};
  std::copy_n(input.axis, command::kLeverAxes, values.begin());
  values.back() = static_cast<double>(input.buttons);
  return values;
}

RemoteLevers::RemoteLevers(const std::string& address, const endpoint::WireKey& key)
    : endpoint_(settings_of(address, key)),
      exchange_(rules()),
      state_of_signals_(exchange_.start()) {}

std::string RemoteLevers::name() const {
  return tr_format("the lever stand at {}", endpoint::to_string(endpoint_.settings().peer));
}

void RemoteLevers::poll(double now_s) {
  const std::array<double, kRemoteValues> none{};
  if (!started_) tick_due_s_ = now_s;
  started_ = true;
  if (now_s < tick_due_s_) return;
  // Ticks between two polls count as silent; the values belong to the newest. More of them than
  // needed for staleness make no difference.
  const auto passed = static_cast<std::int64_t>((now_s - tick_due_s_) / kRemoteTick);
  tick_due_s_ += static_cast<double>(passed + 1) * kRemoteTick;
  frame_.network.fresh = 0;
  for (std::int64_t i = std::min(passed, exchange_.stale_ticks(0)); i > 0; --i)
    exchange_.step(state_of_signals_, frame_, none);
  endpoint_.receive(static_cast<std::int64_t>(now_s * 1e9), frame_.network);
  exchange_.step(state_of_signals_, frame_, none);

  bool silent = false, centred = true;
  for (std::size_t i = 0; i < command::kLeverAxes; ++i) {
    const exchange::SignalState& s = state_of_signals_.signal[i];
    silent = silent || s.stale != 0;
    centred = centred && std::fabs(s.output) <= kRemoteCentre;
    input_.axis[i] = s.output;
  }
  input_.buttons = buttons_of(state_of_signals_.signal[command::kLeverAxes]);
  centred = centred && input_.buttons == 0;
  if (silent)
    state_ = State::kSilent;
  else if (state_ != State::kInUse)
    state_ = centred ? State::kInUse : State::kCentre;
  if (state_ != State::kInUse) input_ = {};
  if (state_ != State::kSilent) heard_ = endpoint_.counters();
}

std::string RemoteLevers::silence() const {
  const std::string_view why = endpoint::unheard_because(heard_, endpoint_.counters());
  return fmt::format("{} is silent: neutral{}{}", name(), why.empty() ? "" : "; ", why);
}

}  // namespace knuckleboom::input
