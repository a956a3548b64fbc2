#include "app/shell/packet_summary.hpp"

#include <cstddef>

#include <fmt/format.h>

#include "endpoint/packet.hpp"

namespace knuckleboom::app {
namespace {

std::string reasons(const endpoint::UdpCounters& counters) {
  std::string out;
  for (std::size_t i = 0; i < endpoint::kRefusals; ++i)
    if (counters.refused[i] > 0)
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", counters.refused[i],
                         endpoint::to_string(static_cast<endpoint::Refusal>(i)));
  return out.empty() ? out : " (" + out + ')';
}

}  // namespace

std::string packet_sentence(const endpoint::UdpCounters& c) {
  std::string out =
      fmt::format("{} received, {} lost, {} late, {} repeated, {} out of order, {} forged{}",
                  c.arrivals.received, c.arrivals.lost, c.arrivals.late, c.arrivals.repeated,
                  c.arrivals.reordered, c.forged(), reasons(c));
  if (c.sent > 0 || c.unsent > 0) out += fmt::format("; {} sent", c.sent);
  if (c.unsent > 0) out += fmt::format(", {} not sent", c.unsent);
  return out;
}

}  // namespace knuckleboom::app
