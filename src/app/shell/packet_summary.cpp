#include "app/shell/packet_summary.hpp"

#include <cstddef>
#include <string_view>

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
  const endpoint::ArrivalCounters& a = c.session.arrivals;
  std::string out = fmt::format(
      "{} datagrams: {} received, {} late, {} repeated, {} out of order, {} ahead, {} former, {} "
      "challenges, {} from strangers, {} forged{}; {} lost, {} restarts",
      c.datagrams, a.received, a.late, a.repeated, a.reordered, a.ahead, c.session.former,
      c.session.challenges, c.strangers, c.forged(), reasons(c), a.lost, c.session.restarts);
  if (c.full_polls > 0 || c.overflowed > 0)
    out += fmt::format("; the buffer was full {} times, {} datagrams did not fit", c.full_polls,
                       c.overflowed);
  if (c.sent > 0 || c.unsent > 0) out += fmt::format("; {} sent", c.sent);
  if (c.unsent > 0) out += fmt::format(", {} not sent", c.unsent);
  if (const std::string_view why = endpoint::unheard_because({}, c); !why.empty())
    out += fmt::format("; {}", why);
  return out;
}

}  // namespace knuckleboom::app
