#include "app/emulation/live_console.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/shell/console.hpp"
#include "app/shell/text.hpp"

namespace knuckleboom::app {
namespace {

constexpr std::size_t kMostLine = 4096;  // bytes by a pipe

void put(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
  return size.ws_col;
}

// Columns, not bytes: continuation bytes of a character do not count.
std::string cut(const std::string& text, std::size_t width) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U && ++columns > width)
      return text.substr(0, i);
  return text;
}

// A program in the background must not touch the terminal: it would be suspended.
bool in_background() { return isatty(STDIN_FILENO) != 0 && tcgetpgrp(STDIN_FILENO) != getpgrp(); }
bool has_terminal() {
  return isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0 && !in_background();
}

}  // namespace

LiveConsole::LiveConsole(LineEditor::Complete complete) : editor_(std::move(complete)) {
  open_ = !in_background();
  if (!has_terminal() || tcgetattr(STDIN_FILENO, &before_) != 0) return;
  struct termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  raw.c_cc[VSUSP] = _POSIX_VDISABLE;  // a suspended program could not control a machine
  raw_ = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

LiveConsole::~LiveConsole() { release(); }

void LiveConsole::release() {
  if (!raw_) return;
  erase();
  for (const std::string& line : block_) put(cut(line, terminal_width() - 1) + "\n");
  tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  raw_ = false;
  std::fflush(stdout);
}

Typed LiveConsole::read(int wait_ms) {
  Typed out;
  pollfd in{STDIN_FILENO, POLLIN, 0};
  const bool ready = poll(&in, open_ ? 1 : 0, wait_ms) > 0;
  if (!open_ || !ready) return out;
  char bytes[256];
  const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
  if (count <= 0) {
    // End of input, and the run continues; for a terminal there is merely no input now, as after
    // Ctrl-C.
    if (!raw_) open_ = false;
    return out;
  }
  for (const char byte : std::string_view(bytes, static_cast<std::size_t>(count))) {
    if (raw_) {
      const LineEditor::Event event = editor_.feed(byte);
      if (event == LineEditor::Event::kLine && !editor_.taken().empty())
        out.lines.push_back(editor_.taken());
      out.stop = out.stop || event == LineEditor::Event::kSpace;
      out.end = out.end || event == LineEditor::Event::kEnd;
    } else if (byte == '\n') {
      if (part_.find_first_not_of(" \t\r") != std::string::npos) out.lines.push_back(part_);
      part_.clear();
    } else if (part_.size() < kMostLine) {
      part_ += byte;
    }
  }
  if (raw_) draw();
  return out;
}

void LiveConsole::say(std::string_view text) {
  if (!raw_) {
    app::say(text);
    std::fflush(stdout);
    return;
  }
  erase();
  put(printable(text));
  draw();
}

void LiveConsole::show(const std::vector<std::string>& block) {
  if (!raw_) return;
  block_ = block;
  draw();
}

void LiveConsole::erase() {
  if (drawn_ > 0) put(fmt::format("\x1b[{}A", drawn_));
  put("\r\x1b[J");
  drawn_ = 0;
}

void LiveConsole::draw() {
  erase();
  const std::size_t width = terminal_width() - 1;
  for (const std::string& line : block_) put(cut(printable(line), width) + "\n");
  drawn_ = block_.size();
  constexpr std::string_view kPrompt = "> ";
  const std::size_t room = width - kPrompt.size();
  const std::size_t from = editor_.cursor() > room ? editor_.cursor() - room : 0;
  put(fmt::format("{}{}\r\x1b[{}C", kPrompt, cut(editor_.line().substr(from), room),
                  kPrompt.size() + editor_.cursor() - from));
  std::fflush(stdout);
}

}  // namespace knuckleboom::app
