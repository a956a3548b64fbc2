#include "app/shell/child_process.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/shell/interrupt.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): not every libc declares it

namespace knuckleboom::app {
namespace {

// An anonymous file in memory: it takes any amount, so that no full pipe can block both sides.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("knuckleboom", MFD_CLOEXEC)) {
    if (descriptor_ < 0)
      throw std::system_error(errno, std::generic_category(), "cannot make a file in memory");
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return descriptor_; }

  void fill(const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n = write(descriptor_, text.data() + done, text.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0)
        throw std::system_error(errno, std::generic_category(), "cannot fill a file in memory");
      done += static_cast<std::size_t>(n);
    }
    lseek(descriptor_, 0, SEEK_SET);
  }

  std::string content() const {
    std::string text;
    char buffer[65536];
    for (;;) {
      const ssize_t n = pread(descriptor_, buffer, sizeof buffer, static_cast<off_t>(text.size()));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return text;
      text.append(buffer, static_cast<std::size_t>(n));
    }
  }

 private:
  int descriptor_;
};

}  // namespace

ChildResult run_child(const std::vector<std::string>& arguments, const std::string& input,
                      double limit_s) {
  MemoryFile in, out, err;
  in.fill(input);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);
  // A separate process group, to be killed as a whole, and default handling of the signals ignored
  // here.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  sigaddset(&usual, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  ChildResult result;
  result.start_error = posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (result.start_error != 0) return result;

  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(limit_s));
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) break;
    result.timed_out = Clock::now() > end;
    result.interrupted = interrupted();
    if (result.timed_out || result.interrupted) {
      kill(-child, SIGKILL);
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.output = out.content();
  result.errors = err.content();
  return result;
}

std::string failure_of(const ChildResult& result) {
  if (result.start_error != 0)
    return fmt::format("cannot be started: {}",
                       std::generic_category().message(result.start_error));
  if (result.timed_out) return "did not come to an end and was stopped";
  if (result.interrupted) return "was stopped";
  if (result.signal != 0)
    return fmt::format("was ended by signal {} ({})", result.signal, strsignal(result.signal));
  if (result.status != 0) return fmt::format("ended with status {}", result.status);
  return {};
}

}  // namespace knuckleboom::app
