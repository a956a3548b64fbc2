// What came over the network and what did not, in a sentence for people. Pure.
#pragma once

#include <string>

#include "endpoint/udp.hpp"

namespace knuckleboom::app {

// "12 received, 1 lost, ...", with the reasons of what was refused. What was sent is left out of an end that
// only listens.
std::string packet_sentence(const endpoint::UdpCounters& counters);

}  // namespace knuckleboom::app
