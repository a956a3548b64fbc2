#include "app/shell/console.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "app/shell/log.hpp"
#include "app/shell/text.hpp"

namespace knuckleboom::app {
namespace {

void put(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
}

}  // namespace

void guard_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) {
      // open() takes the lowest free number, which is this one.
      const int mode = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
      static_cast<void>(open("/dev/null", mode));
    }
}

void say(std::string_view text) { put(stdout, printable(text)); }

void say_at_end(std::string_view text) {
  log(LogLevel::kInfo, text);
  say(text);
}

void complain(std::string_view text) {
  // The readers' "override" was given by --set or --unset.
  constexpr std::string_view kOverride = "override ", kUnset = "override unset ";
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line(text.substr(begin, end - begin));
    if (line.starts_with(kUnset))
      line.replace(0, kUnset.size(), "--unset ");
    else if (line.starts_with(kOverride))
      line.replace(0, kOverride.size(), "--set ");
    log(LogLevel::kWarning, line);
    put(stderr, "knuckleboom: " + printable(line) + "\n");
    begin = end + 1;
  }
}

bool all_was_said() { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0; }

bool reader_went_away() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

}  // namespace knuckleboom::app
