#include "app/shell/asked_pin.hpp"

#include <cerrno>
#include <iostream>

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"

namespace knuckleboom::app {

std::string asked_pin(const std::string& question) {
  const bool terminal = ::isatty(STDIN_FILENO) != 0;
  struct termios before {};
  const bool hidden = terminal && ::tcgetattr(STDIN_FILENO, &before) == 0;
  if (terminal) {
    say(question);
    all_was_said();
    struct termios silent = before;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    if (hidden) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
  }
  // Ctrl-C ends the question: reading would go on after it.
  pollfd in{STDIN_FILENO, POLLIN, 0};
  while (terminal && !interrupted() && ::poll(&in, 1, -1) < 0 && errno == EINTR) {
  }
  std::string line;
  const bool read = !(terminal && interrupted()) && static_cast<bool>(std::getline(std::cin, line));
  if (hidden) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
  if (terminal) say("\n");
  if (!read) throw UserError("there is no PIN on standard input");
  return line;
}

}  // namespace knuckleboom::app
