#include "app/shell/packet_summary.hpp"

#include <gtest/gtest.h>

#include "endpoint/packet.hpp"

namespace knuckleboom::app {
namespace {

TEST(PacketSummary, SayWhyDatagramsWereRefused) {
  endpoint::UdpCounters counters{};
  counters.datagrams = 29;
  counters.session.arrivals = {12, 9, 3, 0, 1, 0};
  counters.session.restarts = 1;
  counters.session.former = 4;
  counters.strangers = 2;
  counters.refused[static_cast<int>(endpoint::Refusal::kLength)] = 2;
  counters.refused[static_cast<int>(endpoint::Refusal::kTag)] = 5;
  counters.full_polls = 6;
  counters.overflowed = 80;
  EXPECT_EQ(counters.accounted(), counters.datagrams);
  EXPECT_EQ(packet_sentence(counters),
            "29 datagrams: 12 received, 3 late, 0 repeated, 1 out of order, 0 ahead, 4 former, 0 "
            "challenges, 2 from strangers, 7 forged (2 length, 5 tag); 9 lost, 1 restarts; the "
            "buffer was full 6 times, 80 datagrams did not fit");
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
