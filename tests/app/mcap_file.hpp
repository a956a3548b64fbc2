// MCAP files, read by their specification alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace knuckleboom::test {

struct McapMessage {
  std::uint64_t time_ns = 0;
  std::string text;
};

struct McapTopic {
  std::string language, schema_name, schema_language, schema;
  std::vector<McapMessage> messages;
};

struct McapFile {
  std::string program;
  std::map<std::string, McapTopic> topics;  // by name
  std::map<std::string, std::map<std::string, std::string>> texts;
  std::uint64_t messages = 0;       // by the statistics
  std::vector<std::string> faults;  // lengths, offsets, checksums and counts that do not agree
};

McapFile read_mcap(const std::filesystem::path& path);

// The number of that name in a flat JSON text; nan for null, and for none, which is counted.
double number_in(const std::string& json, const std::string& name, int& missing);

}  // namespace knuckleboom::test
