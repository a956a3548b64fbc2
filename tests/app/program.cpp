#include "program.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/paths.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): not every libc declares it

namespace knuckleboom::test {
namespace fs = std::filesystem;

std::string peer_binary() { return KNUCKLEBOOM_PEER_BINARY; }

Program::Program(const std::vector<std::string>& arguments,
                 const std::vector<std::string>& environment, const std::string& binary) {
  std::vector<std::string> words = {binary.empty() ? KNUCKLEBOOM_BINARY : binary};
  const std::string path = words.front();
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environment;
  // Logs of tests are not the user's.
  if (std::none_of(variables.begin(), variables.end(),
                   [](const std::string& one) { return one.starts_with("XDG_STATE_HOME="); }))
    variables.push_back("XDG_STATE_HOME=" + (folder_ / "state").string());
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string own = *variable;
    const std::string name = own.substr(0, own.find('=') + 1);
    if (std::none_of(variables.begin(), variables.end(),
                     [&name](const std::string& other) { return other.starts_with(name); }))
      variables.push_back(own);
  }
  const auto pointers = [](std::vector<std::string>& strings) {
    std::vector<char*> out;
    out.reserve(strings.size() + 1);
    for (std::string& string : strings) out.push_back(string.data());
    out.push_back(nullptr);
    return out;
  };
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::string out = (folder_ / "out").string();
  const std::string err = (folder_ / "err").string();
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), kFlags, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), kFlags, 0600);
  std::vector<char*> argv = pointers(words);
  std::vector<char*> envp = pointers(variables);
  const int error = posix_spawn(&child_, path.c_str(), &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + path);
}

Program::~Program() {
  if (child_ < 0) return;
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

void Program::send(int signal) { kill(child_, signal); }

bool Program::says(const std::string& text) const {
  for (int k = 0; k < 1000; ++k) {
    if (content_of(folder_ / "out").find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

Outcome Program::wait() {
  Outcome outcome;
  int status = 0;
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.output = content_of(folder_ / "out");
  outcome.errors = content_of(folder_ / "err");
  return outcome;
}

std::vector<std::string> with_key(std::vector<std::string> arguments) {
  static const TemporaryFolder folder;
  const std::string file = (folder / "wire.key").string();
  if (!fs::exists(file) && run({"key", "make", file}).status != 0)
    throw std::runtime_error("no key was made");
  arguments.insert(arguments.end(), {"--key", file});
  return arguments;
}

Outcome run(const std::vector<std::string>& arguments,
            const std::vector<std::string>& environment) {
  return Program(arguments, environment).wait();
}

std::string content_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string told(const std::string& summary, const std::string& name) {
  const std::string start = "  " + name + " ";
  const std::size_t at = summary.find(start);
  if (at == std::string::npos) return {};
  const std::size_t from = summary.find_first_not_of(' ', at + start.size());
  return summary.substr(from, summary.find('\n', from) - from);
}

void write_text(const fs::path& path, std::string_view text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
}

std::string json_value(const std::string& json, const std::string& key) {
  const std::string quoted = "\"" + key + "\": ";
  const std::size_t at = json.find(quoted);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + quoted.size();
  return json.substr(begin, json.find_first_of(",\n", begin) - begin);
}

double json_number(const std::string& json, const std::string& key) {
  const std::string value = json_value(json, key);
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  return value.empty() || *end != '\0' ? std::numeric_limits<double>::quiet_NaN() : number;
}

}  // namespace knuckleboom::test
