// Libraries of Foxglove as independent readers of files and of the live server: tests/telemetry.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace knuckleboom::test {

struct NodeReading {
  std::string fault;  // why there is none: no node, no network to fetch the libraries
  // Bits of each number, nothing for null, by topic and field; in the order of the messages.
  std::map<std::pair<std::string, std::string>, std::vector<std::optional<std::uint64_t>>> numbers;
};

// script: of tests/telemetry. The libraries are fetched once into the build folder, in the pinned versions.
NodeReading read_with_node(const std::string& script, const std::vector<std::string>& arguments);

}  // namespace knuckleboom::test
