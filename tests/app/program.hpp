// Runs the built program as a user does: arguments in; status, standard output and standard error out.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "support/paths.hpp"
#include "support/temporary_folder.hpp"

namespace knuckleboom::test {

struct Outcome {
  int status = -1;  // exit status, or 128 + signal
  std::string output, errors;
};

inline const std::string kConfig = std::string(KNUCKLEBOOM_SOURCE_DIR) + "/config";

// knuckleboom-peer.
std::string peer_binary();

// A started program; without a binary knuckleboom. environment: "NAME=value" on top of our own.
class Program {
 public:
  explicit Program(const std::vector<std::string>& arguments,
                   const std::vector<std::string>& environment = {},
                   const std::string& binary = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void send(int signal);
  // Until its output says so, or for 20 s: a busy computer starts it late.
  bool says(const std::string& text) const;
  Outcome wait();

 private:
  TemporaryFolder folder_;
  pid_t child_ = -1;
};

// With a key file for a connection, which `knuckleboom key make` has made once for the test.
std::vector<std::string> with_key(std::vector<std::string> arguments);

// Arguments of a live emulation that a busy computer does not stop.
inline std::vector<std::string> patiently(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(),
                   {"--set", "safety.late_tick_ms=3000", "--set", "safety.console_s=20"});
  return arguments;
}

Outcome run(const std::vector<std::string>& arguments,
            const std::vector<std::string>& environment = {});

// The text behind a name in a summary; empty if it is not there.
std::string told(const std::string& summary, const std::string& name);

std::string content_of(const std::filesystem::path& path);
void write_text(const std::filesystem::path& path, std::string_view text);

// The value of a key in JSON text, as written there; empty if there is none.
std::string json_value(const std::string& json, const std::string& key);
double json_number(const std::string& json, const std::string& key);

}  // namespace knuckleboom::test
