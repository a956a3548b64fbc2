// knuckleboom export mcap, end to end: read back by the format's specification, and by Foxglove's own library.
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/io/trace.hpp"
#include "knuckleboom/recording/session_columns.hpp"
#include "mcap_file.hpp"
#include "node_reader.hpp"
#include "program.hpp"

namespace knuckleboom::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;

// The topic that has a channel; empty: none or several.
std::string topic_with(const McapFile& file, const std::string& channel) {
  std::string found;
  for (const auto& [name, topic] : file.topics) {
    if (topic.schema.find('"' + channel + "\":{") == std::string::npos) continue;
    if (!found.empty()) return {};
    found = name;
  }
  return found;
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

TEST(ExportMcap, GivesATraceBackBitForBit) {
  const TemporaryFolder folder;
  const std::string csv = (folder / "t.csv").string(), mcap = (folder / "t.mcap").string();
  ASSERT_EQ(run({"run", "stick_sine", "--set", "scenario.duration_s=3", "--trace", csv}).status, 0);
  const Outcome outcome = run({"export", "mcap", csv, "-o", mcap});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;

  const io::Trace trace = io::read_trace(csv);
  const McapFile file = read_mcap(mcap);
  EXPECT_THAT(file.faults, IsEmpty());
  EXPECT_EQ(file.messages, trace.rows() * file.topics.size());
  EXPECT_EQ(file.texts.at("table").at("fidelity"), "reduced");
  for (std::size_t k = 0; k < trace.columns.size(); ++k) {
    const std::string& channel = trace.columns[k];
    const std::string name = topic_with(file, channel);
    ASSERT_FALSE(name.empty()) << channel;
    const std::vector<McapMessage>& messages = file.topics.at(name).messages;
    ASSERT_EQ(messages.size(), trace.rows());
    int missing = 0;
    for (std::size_t i = 0; i < trace.rows(); ++i)
      ASSERT_EQ(bits(number_in(messages[i].text, channel, missing)), bits(trace.data[k][i]))
          << channel << " in row " << i;
    EXPECT_EQ(missing, 0);
  }
  // Where they are shown, with unit and meaning; and when.
  EXPECT_EQ(topic_with(file, "stick_port_a_Pa"), "/joints/stick");
  EXPECT_EQ(topic_with(file, "tip_z_m"), "/machine");
  const McapTopic& stick = file.topics.at("/joints/stick");
  EXPECT_EQ(stick.language, "json");
  EXPECT_EQ(stick.schema_language, "jsonschema");
  EXPECT_THAT(stick.schema,
              HasSubstr(R"("stick_rad_s":{"type":"number","description":"joint rate [rad/s]"})"));
  EXPECT_EQ(stick.messages[1].time_ns, 10'000'000U);
  EXPECT_THAT(stick.messages[1].text, HasSubstr(R"({"timestamp":{"sec":0,"nsec":10000000},)"));

  // Its own file is written again, somebody else's is not.
  EXPECT_EQ(run({"export", "mcap", csv, "-o", mcap}).status, 0);
  write_text(mcap, "\x89MCAP0\r\nof somebody");
  const Outcome refused = run({"export", "mcap", csv, "-o", mcap});
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.errors, HasSubstr("was not written by this command"));
  EXPECT_EQ(content_of(mcap), "\x89MCAP0\r\nof somebody");
}

// The numbers of a session are those of its file, read by the specification and by Foxglove's library.
class ExportedSession : public testing::Test {
 protected:
  void SetUp() override {
    const std::string h5 = (folder_ / "s.h5").string();
    ASSERT_EQ(
        run({"drive", "logs", "--headless", "--demonstrate", "--duration", "0.5", "--session", h5})
            .status,
        0);
    session_ = io::read_session_columns(h5);
    ASSERT_GE(session_.channels.size(), 145U);
    const Outcome outcome = run({"export", "mcap", h5, "-o", mcap_});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
  }
  double value(std::size_t row, std::size_t channel) const {
    return session_.rows[row * session_.channels.size() + channel];
  }

  const TemporaryFolder folder_;
  const std::string mcap_ = (folder_ / "s.mcap").string();
  io::SessionColumns session_;
};

TEST_F(ExportedSession, HasAllChannels) {
  const McapFile file = read_mcap(mcap_);
  EXPECT_THAT(file.faults, IsEmpty());
  for (std::size_t k = 0; k < session_.channels.size(); ++k) {
    const io::ChannelInfo& channel = session_.channels[k];
    const std::string name = topic_with(file, channel.name);
    ASSERT_FALSE(name.empty()) << channel.name;
    const McapTopic& topic = file.topics.at(name);
    EXPECT_THAT(topic.schema, HasSubstr(channel.description));
    ASSERT_EQ(topic.messages.size(), session_.channel_ticks.size());
    int missing = 0;
    for (std::size_t i = 0; i < topic.messages.size(); ++i) {
      const double told = number_in(topic.messages[i].text, channel.name, missing);
      if (std::isnan(value(i, k))) {
        ASSERT_TRUE(std::isnan(told));
      } else {
        ASSERT_EQ(bits(told), bits(value(i, k))) << channel.name << " in row " << i;
      }
      ASSERT_EQ(topic.messages[i].time_ns,
                static_cast<std::uint64_t>(session_.channel_ticks[i]) * 1'000'000);
    }
    EXPECT_EQ(missing, 0);
  }
  for (const char* topic : {"/joints/boom", "/levers", "/machine", "/session", "/score"})
    EXPECT_THAT(file.topics, Contains(Key(topic)));
  // Who drove is nobody's business.
  EXPECT_EQ(file.texts.at("session").count("learner_id"), 0U);
  EXPECT_EQ(file.texts.at("session").at("exercise"), "logs");
}

TEST_F(ExportedSession, IsReadByFoxglovesLibrary) {
  const NodeReading reading = read_with_node("read_mcap.cjs", {mcap_});
  if (!reading.fault.empty()) GTEST_SKIP() << reading.fault;
  const McapFile file = read_mcap(mcap_);
  for (std::size_t k = 0; k < session_.channels.size(); ++k) {
    const std::string& channel = session_.channels[k].name;
    const auto found = reading.numbers.find({topic_with(file, channel), channel});
    ASSERT_NE(found, reading.numbers.end()) << channel;
    ASSERT_EQ(found->second.size(), session_.channel_ticks.size()) << channel;
    for (std::size_t i = 0; i < found->second.size(); ++i) {
      ASSERT_EQ(found->second[i].has_value(), std::isfinite(value(i, k))) << channel;
      if (std::isfinite(value(i, k))) {
        ASSERT_EQ(*found->second[i], bits(value(i, k))) << channel;
      }
    }
  }
}

TEST(ExportMcap, TakesTablesOfOthers) {
  const TemporaryFolder folder;
  const std::string csv = (folder / "log.csv").string(), mcap = (folder / "log.mcap").string();
  write_text(csv, "t,boom_rad,Ölpressure \"A\",mode\n0,0.1,1e5,1\n0.5,nan,-0,2\n");
  const Outcome outcome = run({"export", "mcap", csv, "-o", mcap});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const McapFile file = read_mcap(mcap);
  EXPECT_THAT(file.faults, IsEmpty());
  // The time is known; one column does not make a joint.
  EXPECT_THAT(file.topics, ElementsAre(Key("/channels"), Key("/machine")));
  const std::vector<McapMessage>& messages = file.topics.at("/channels").messages;
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[1].time_ns, 500'000'000U);
  EXPECT_THAT(messages[1].text, HasSubstr("\"boom_rad\":null,\"Ölpressure \\\"A\\\"\":-0,"));

  write_text(csv, "t,x\n-1,0\n0,0\n");
  const Outcome early = run({"export", "mcap", csv, "-o", (folder / "early.mcap").string()});
  EXPECT_NE(early.status, 0);
  EXPECT_THAT(early.errors, HasSubstr("row 1 is at -1 s"));
  EXPECT_FALSE(std::filesystem::exists(folder / "early.mcap"));
}

}  // namespace
}  // namespace knuckleboom::test
