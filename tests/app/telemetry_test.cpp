// Channels of a running program, as Foxglove's own library of its protocol reads them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "knuckleboom/io/trace.hpp"
#include "node_reader.hpp"
#include "program.hpp"

namespace knuckleboom::test {
namespace {

using testing::HasSubstr;

// One that nobody has just now.
int free_port() {
  const int one = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(one, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      getsockname(one, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    address.sin_port = 0;
  close(one);
  return ntohs(address.sin_port);
}

constexpr int kRows = 10;

// The rows of a topic's field.
const std::vector<std::optional<std::uint64_t>>& field(const NodeReading& reading,
                                                       const std::string& name) {
  static const std::vector<std::optional<std::uint64_t>> none;
  for (const auto& [place, numbers] : reading.numbers)
    if (place.second == name) return numbers;
  return none;
}

// A run in real time shows what the same run writes into its trace, row for row.
TEST(Telemetry, OfARunIsReadByFoxglovesLibrary) {
  const TemporaryFolder folder;
  const std::string csv = (folder / "t.csv").string();
  const std::string address = std::to_string(free_port());
  const std::vector<std::string> scenario = {"run", "stick_sine", "--set",
                                             "scenario.duration_s=20"};
  std::vector<std::string> live = scenario, offline = scenario;
  live.insert(live.end(), {"--realtime", "--telemetry", address});
  offline.insert(offline.end(), {"--trace", csv, "--trace-rate", "50"});
  Program program(live);
  ASSERT_TRUE(program.says("telemetry at ws://127.0.0.1:" + address));
  const NodeReading reading =
      read_with_node("read_live.cjs", {"ws://127.0.0.1:" + address, std::to_string(kRows)});
  program.send(SIGINT);
  program.wait();
  if (!reading.fault.empty()) GTEST_SKIP() << reading.fault;
  ASSERT_EQ(run(offline).status, 0);
  const io::Trace trace = io::read_trace(csv);
  const auto& times = field(reading, "t_s");
  ASSERT_EQ(times.size(), static_cast<std::size_t>(kRows));
  ASSERT_TRUE(times.front().has_value());
  const auto found = std::find_if(trace.data[0].begin(), trace.data[0].end(), [&](double t) {
    return std::bit_cast<std::uint64_t>(t) == *times.front();
  });
  ASSERT_NE(found, trace.data[0].end());
  const auto first = static_cast<std::size_t>(found - trace.data[0].begin());
  for (std::size_t k = 0; k < trace.columns.size(); ++k) {
    const auto& numbers = field(reading, trace.columns[k]);
    ASSERT_EQ(numbers.size(), times.size()) << trace.columns[k];
    for (std::size_t i = 0; i < numbers.size(); ++i)
      ASSERT_EQ(numbers[i], std::bit_cast<std::uint64_t>(trace.data[k][first + i]))
          << trace.columns[k] << " in row " << i;
  }
}

// All signals of a live emulation have their places.
TEST(Telemetry, OfAnEmulationIsReadByFoxglovesLibrary) {
  const std::string address = std::to_string(free_port());
  Program program(
      patiently({"emulate", "peg_on_plane", "--live", "--duration", "30", "--telemetry", address}));
  ASSERT_TRUE(program.says("telemetry at ws://127.0.0.1:" + address));
  const NodeReading reading =
      read_with_node("read_live.cjs", {"ws://127.0.0.1:" + address, std::to_string(kRows)});
  program.send(SIGINT);
  program.wait();
  if (!reading.fault.empty()) GTEST_SKIP() << reading.fault;
  for (const auto& [topic, name] :
       std::vector<std::pair<std::string, std::string>>{{"/host/elbow", "position"},
                                                        {"/emulated/elbow", "speed"},
                                                        {"/tip", "x"},
                                                        {"/bench", "mode"}}) {
    const auto found = reading.numbers.find({topic, name});
    ASSERT_NE(found, reading.numbers.end()) << topic;
    EXPECT_EQ(found->second.size(), static_cast<std::size_t>(kRows));
  }
}

TEST(Telemetry, IsRefusedWhereItCannotBe) {
  const Outcome open = run({"run", "stick_sine", "--realtime", "--telemetry", "0.0.0.0:8765"});
  EXPECT_NE(open.status, 0);
  EXPECT_THAT(open.errors, HasSubstr("give a --telemetry-token"));
  const Outcome fast = run({"run", "stick_sine", "--telemetry", "8765"});
  EXPECT_NE(fast.status, 0);
  EXPECT_THAT(fast.errors, HasSubstr("--realtime"));
  const Outcome headless = run({"drive", "reach", "--headless", "--telemetry", "8765"});
  EXPECT_NE(headless.status, 0);
  EXPECT_THAT(headless.errors, HasSubstr("knuckleboom export mcap"));
}

}  // namespace
}  // namespace knuckleboom::test
