// Runs the built program as a user does: arguments in; status, standard output and standard error out.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace knuckleboom::test {

struct Outcome {
  int status = -1;  // exit status, or 128 + signal
  std::string output, errors;
};

// An empty folder of its own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  // Names of what is in it, sorted.
  std::vector<std::string> entries() const;

 private:
  std::filesystem::path path_;
};

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
  Outcome wait();

 private:
  TemporaryFolder folder_;
  pid_t child_ = -1;
};

Outcome run(const std::vector<std::string>& arguments,
            const std::vector<std::string>& environment = {});

std::string content_of(const std::filesystem::path& path);
void write_text(const std::filesystem::path& path, std::string_view text);

// The value of a key in JSON text, as written there; empty if there is none.
std::string json_value(const std::string& json, const std::string& key);
double json_number(const std::string& json, const std::string& key);

}  // namespace knuckleboom::test
