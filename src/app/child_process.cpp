#include "app/child_process.hpp"

#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT(readability-redundant-declaration): not every libc declares it

namespace knuckleboom::app {
namespace {

// A nameless file in memory: it holds any amount, so that no pipe can fill up and block both sides.
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

ChildResult run_child(const std::vector<std::string>& arguments, const std::string& input) {
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
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);

  ChildResult result;
  if (error == ENOENT) return result;
  if (error != 0)
    throw std::system_error(error, std::generic_category(), "cannot start " + arguments.front());
  result.started = true;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.output = out.content();
  result.errors = err.content();
  return result;
}

}  // namespace knuckleboom::app
