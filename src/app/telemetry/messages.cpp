#include "app/telemetry/messages.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "app/shell/json.hpp"
#include "app/telemetry/little_endian.hpp"

namespace knuckleboom::app {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;  // ns

std::string meaning(const TopicField& field) {
  if (field.unit.empty()) return field.description;
  return fmt::format("{}{}[{}]", field.description, field.description.empty() ? "" : " ",
                     field.unit);
}

// A name in a ROS message: letters, digits and '_', a letter first.
std::string ros_name(std::string_view name) {
  std::string out;
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (out.empty() || std::isalpha(static_cast<unsigned char>(out.front())) == 0) out = "c_" + out;
  return out;
}

}  // namespace

void append_time(std::uint64_t time_ns, std::string& out) {
  fmt::format_to(std::back_inserter(out), R"({{"sec":{},"nsec":{}}})", time_ns / kSecond,
                 time_ns % kSecond);
}

std::string time_schema() {
  return R"({"type":"object","title":"time","properties":{"sec":{"type":"integer","minimum":0},)"
         R"("nsec":{"type":"integer","minimum":0,"maximum":999999999}}})";
}

std::string json_type(const Topic& topic) {
  std::string name = "knuckleboom" + topic.name;
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

std::string json_schema(const Topic& topic) {
  std::string out = R"({"type":"object","title":)";
  append_quoted(json_type(topic), out);
  out += R"(,"properties":{)";
  append_quoted(kTimestamp, out);
  out += ":" + time_schema();
  for (const TopicField& field : topic.fields) {
    out += ',';
    append_quoted(field.name, out);
    out += R"(:{"type":"number","description":)";
    append_quoted(meaning(field), out);
    out += '}';
  }
  return out + "}}";
}

JsonMessages::JsonMessages(const Topic& topic) {
  for (const TopicField& field : topic.fields) {
    Value value{",", field.channel};
    append_quoted(field.name, value.name);
    value.name += ':';
    values_.push_back(std::move(value));
  }
}

void JsonMessages::append(std::uint64_t time_ns, std::span<const double> row,
                          std::string& out) const {
  out += '{';
  append_quoted(kTimestamp, out);
  out += ':';
  append_time(time_ns, out);
  for (const Value& value : values_) {
    out += value.name;
    const double number = row[value.channel];
    if (std::isfinite(number))
      fmt::format_to(std::back_inserter(out), "{}", number);
    else
      out += "null";
  }
  out += '}';
}

std::string ros_type(const Topic& topic) {
  std::string out = "knuckleboom/msg/";
  bool begins = true;
  for (const char c : topic.name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      begins = true;
      continue;
    }
    out += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    begins = false;
  }
  return out;
}

std::string ros_schema(const Topic& topic) {
  std::string out;
  for (const TopicField& field : topic.fields) {
    out += "float64 " + ros_name(field.name);
    if (const std::string words = meaning(field); !words.empty()) out += "  # " + words;
    out += '\n';
  }
  return out;
}

// As in DDS-XTypes: "CDR, little-endian", no options, then the numbers, each at a multiple of 8 behind that.
void append_cdr(const Topic& topic, std::span<const double> row, std::string& out) {
  out.append("\x00\x01\x00\x00", 4);
  for (const TopicField& field : topic.fields)
    add_number(std::bit_cast<std::uint64_t>(row[field.channel]), out);
}

}  // namespace knuckleboom::app
