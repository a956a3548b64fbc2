// Messages of a topic: JSON with its schema, which every tool of the kind reads, and plain numbers as ROS 2 has
// them. Numbers come back with the same bits. docs/reference/telemetry.md
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/telemetry/topics.hpp"

namespace knuckleboom::app {

// Names of the schemas' languages and of the messages' in MCAP and in the Foxglove protocol.
inline constexpr std::string_view kJsonSchemaName = "jsonschema", kJsonName = "json";
inline constexpr std::string_view kRosSchemaName = "ros2msg", kCdrName = "cdr";

// "knuckleboom.joints.boom"
std::string json_type(const Topic& topic);
std::string json_schema(const Topic& topic);

// JSON messages of a topic; in place of a number that is none, which JSON has not, stands null.
class JsonMessages {
 public:
  explicit JsonMessages(const Topic& topic);
  // row: values of all channels.
  void append(std::uint64_t time_ns, std::span<const double> row, std::string& out) const;

 private:
  struct Value {
    std::string name;  // with comma, quotes and colon
    std::size_t channel;
  };
  std::vector<Value> values_;
};

// The time as Foxglove knows it: {"sec":1,"nsec":500000000}.
void append_time(std::uint64_t time_ns, std::string& out);
// Its schema, as the value of a member of that name.
inline constexpr std::string_view kTimestamp = "timestamp";
std::string time_schema();

// "knuckleboom/msg/JointsBoom"
std::string ros_type(const Topic& topic);
std::string ros_schema(const Topic& topic);
void append_cdr(const Topic& topic, std::span<const double> row, std::string& out);

}  // namespace knuckleboom::app
