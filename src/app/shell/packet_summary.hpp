// Summary of received and rejected packets. Pure.
#pragma once

#include <string>

#include "endpoint/udp.hpp"

namespace knuckleboom::app {

// "12 received, 1 lost, ...", with the reasons of refusals. For an end that only listens, sent
// packets are left out.
std::string packet_sentence(const endpoint::UdpCounters& counters);

}  // namespace knuckleboom::app
