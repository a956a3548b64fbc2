#include "node_reader.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "support/paths.hpp"
#include "support/temporary_folder.hpp"

namespace knuckleboom::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

// The folder of the libraries; empty: they cannot be had here.
fs::path libraries() {
  const fs::path source = fs::path(KNUCKLEBOOM_SOURCE_DIR) / "tests/telemetry";
  const fs::path folder = fs::path(KNUCKLEBOOM_BINARY).parent_path().parent_path() / "tests/node";
  const fs::path done = folder / "fetched.json";
  if (text_of(done) == text_of(source / "package-lock.json")) return folder / "node_modules";
  fs::create_directories(folder);
  for (const char* name : {"package.json", "package-lock.json"})
    fs::copy_file(source / name, folder / name, fs::copy_options::overwrite_existing);
  // Two tests at a time must not fetch into one folder.
  const std::string fetch = fmt::format(
      "cd '{0}' && flock lock sh -c 'cmp -s package-lock.json fetched.json || "
      "timeout 60 npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=0 "
      ">npm.log 2>&1 && cp package-lock.json fetched.json'",
      folder.string());
  if (std::system(fetch.c_str()) != 0) return {};
  return folder / "node_modules";
}

}  // namespace

NodeReading read_with_node(const std::string& script, const std::vector<std::string>& arguments) {
  NodeReading out;
  if (std::system("command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1") != 0) {
    out.fault = "node and npm are not installed";
    return out;
  }
  const fs::path modules = libraries();
  if (modules.empty()) {
    out.fault = "npm cannot fetch the libraries, as without a network";
    return out;
  }
  const TemporaryFolder folder;
  std::string command = fmt::format("NODE_PATH='{}' timeout 60 node '{}/tests/telemetry/{}'",
                                    modules.string(), KNUCKLEBOOM_SOURCE_DIR, script);
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  command += fmt::format(" >'{}'", (folder / "out").string());
  if (std::system(command.c_str()) != 0) return out;
  std::ifstream lines(folder / "out");
  std::string topic, field, seconds, bits;
  while (lines >> topic >> field >> seconds >> bits)
    out.numbers[{topic, field}].push_back(
        bits == "null" ? std::nullopt
                       : std::optional<std::uint64_t>(std::strtoull(bits.c_str(), nullptr, 16)));
  return out;
}

}  // namespace knuckleboom::test
