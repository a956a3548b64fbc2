// Summary of received and rejected packets. Pure.
#pragma once

#include <string>

#include "endpoint/udp.hpp"

namespace knuckleboom::app {

// "15 datagrams: 12 received, 1 late, ...", which add up, with the reasons of refusals. For an end that
// only listens, sent packets are left out.
std::string packet_sentence(const endpoint::UdpCounters& counters);

}  // namespace knuckleboom::app
