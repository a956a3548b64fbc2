#include "app/telemetry/topics.hpp"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/telemetry/messages.hpp"

namespace knuckleboom::app {
namespace {

std::map<std::string, std::string> topic_places(const std::vector<io::ChannelInfo>& channels) {
  std::map<std::string, std::string> out;
  for (const Topic& topic : topics_of(channels))
    for (const TopicField& field : topic.fields)
      EXPECT_TRUE(out.emplace(channels[field.channel].name, topic.name).second);
  return out;
}

TEST(Topics, FollowTheDotsOfAnEmulation) {
  const std::map<std::string, std::string> at =
      topic_places({{"host.boom.position", "rad", ""}, {"tip.x", "m", ""}, {"mode", "1", ""}});
  EXPECT_EQ(at.at("host.boom.position"), "/host/boom");
  EXPECT_EQ(at.at("tip.x"), "/tip");
  EXPECT_EQ(at.at("mode"), "/bench");
}

TEST(Topics, LeaveAloneWhatOnlyEndsLikeAChannel) {
  const std::vector<std::string> columns = {"t", "depth_m", "mode", "boom_rad"};
  for (const auto& [name, topic] : topic_places(described(columns)))
    EXPECT_EQ(topic, "/channels") << name;
  for (const io::ChannelInfo& one : described(columns)) EXPECT_TRUE(one.description.empty());
}

TEST(Messages, AreTextAndBytesOfTheSameNumbers) {
  const std::vector<io::ChannelInfo> channels = {{"a.x", "m", "first \"one\""}, {"a.y_Pa", "", ""}};
  const std::vector<Topic> topics = topics_of(channels);
  ASSERT_EQ(topics.size(), 1U);
  const std::vector<double> row = {0.1, -0.0};
  std::string json, cdr;
  JsonMessages(topics[0]).append(2'000'000'005, row, json);
  EXPECT_EQ(json, R"({"timestamp":{"sec":2,"nsec":5},"x":0.1,"y_Pa":-0})");
  append_cdr(topics[0], row, cdr);
  EXPECT_EQ(cdr, std::string("\0\1\0\0"
                             "\x9a\x99\x99\x99\x99\x99\xb9\x3f"
                             "\0\0\0\0\0\0\0\x80",
                             20));
  EXPECT_EQ(ros_type(topics[0]), "knuckleboom/msg/A");
  EXPECT_EQ(ros_schema(topics[0]), "float64 x  # first \"one\" [m]\nfloat64 y_Pa\n");
}

}  // namespace
}  // namespace knuckleboom::app
