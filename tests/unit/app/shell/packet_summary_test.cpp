#include "app/shell/packet_summary.hpp"

#include <gtest/gtest.h>

#include "endpoint/packet.hpp"

namespace knuckleboom::app {
namespace {

TEST(PacketSummary, SayWhyDatagramsWereRefused) {
  endpoint::UdpCounters counters{};
  counters.arrivals.received = 12;
  counters.arrivals.late = 3;
  counters.refused[static_cast<int>(endpoint::Refusal::kAddress)] = 2;
  counters.refused[static_cast<int>(endpoint::Refusal::kChecksum)] = 5;
  EXPECT_EQ(packet_sentence(counters),
            "12 received, 0 lost, 3 late, 0 repeated, 0 out of order, 7 forged (2 address, 5 "
            "checksum)");
}

TEST(PacketSummary, SaySentOnlyOfAnEndThatSends) {
  endpoint::UdpCounters counters{};
  EXPECT_EQ(packet_sentence(counters).find("sent"), std::string::npos);
  counters.sent = 4;
  counters.unsent = 1;
  EXPECT_NE(packet_sentence(counters).find("; 4 sent, 1 not sent"), std::string::npos);
}

}  // namespace
}  // namespace knuckleboom::app
