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

// In a process group of its own, to be killed as a whole, and with default handling of the signals ignored here.
// 0, or the error.
int spawn(const std::vector<std::string>& arguments, int in, int out, int err, pid_t& child) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  sigaddset(&usual, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

void take_status(int status, ChildResult& result) {
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& arguments, const std::string& input,
                      double limit_s) {
  MemoryFile in, out, err;
  in.fill(input);
  pid_t child = 0;
  ChildResult result;
  result.start_error = spawn(arguments, in.descriptor(), out.descriptor(), err.descriptor(), child);
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
  take_status(status, result);
  result.output = out.content();
  result.errors = err.content();
  return result;
}

struct FedChild::Running {
  MemoryFile out, err;
  pid_t child = 0;
  int start_error = 0, pipe = -1;

  void close_pipe() {
    if (pipe >= 0) close(pipe);
    pipe = -1;
  }
};

FedChild::FedChild(const std::vector<std::string>& arguments)
    : running_(std::make_unique<Running>()) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  running_->start_error = spawn(arguments, ends[0], running_->out.descriptor(),
                                running_->err.descriptor(), running_->child);
  close(ends[0]);
  running_->pipe = ends[1];
}

FedChild::~FedChild() {
  running_->close_pipe();
  if (running_->child <= 0) return;
  kill(-running_->child, SIGKILL);
  while (waitpid(running_->child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

int FedChild::start_error() const { return running_->start_error; }

bool FedChild::feed(const void* data, std::size_t size) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0 && running_->start_error == 0) {
    const ssize_t n = write(running_->pipe, bytes, size);
    if (n < 0 && errno == EINTR && !interrupted()) continue;
    if (n <= 0) return false;
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
  return size == 0;
}

ChildResult FedChild::finish() {
  ChildResult result;
  result.start_error = running_->start_error;
  running_->close_pipe();
  if (result.start_error != 0) return result;
  int status = 0;
  while (waitpid(running_->child, &status, 0) < 0 && errno == EINTR) {
  }
  running_->child = 0;
  take_status(status, result);
  result.output = running_->out.content();
  result.errors = running_->err.content();
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
