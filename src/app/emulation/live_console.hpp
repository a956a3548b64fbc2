// The terminal of a running emulation: a block of live values above the input line. If standard
// output is not a terminal: a line per second, and a line for each event.
//
// No library for line editing: those available own the terminal and redraw their own line, as the
// block does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <termios.h>

#include "app/emulation/line_editor.hpp"

namespace knuckleboom::app {

struct Typed {
  std::vector<std::string> lines;
  bool stop = false;  // space bar
  bool end = false;   // Ctrl-D
};

class LiveConsole {
 public:
  explicit LiveConsole(LineEditor::Complete complete);
  ~LiveConsole();  // gives the terminal back
  LiveConsole(const LiveConsole&) = delete;
  LiveConsole& operator=(const LiveConsole&) = delete;

  bool at_terminal() const { return raw_; }
  // Input typed or received from a pipe. Waits at most for the given time.
  Typed read(int wait_ms);
  // Above the block.
  void say(std::string_view text);
  // On a terminal: replaces the last block.
  void show(const std::vector<std::string>& block);
  // Leaves the last block where it is.
  void release();

 private:
  void erase();
  void draw();

  LineEditor editor_;
  bool raw_ = false, open_ = true;
  struct termios before_ {};
  std::string part_;  // of a line, by a pipe
  std::vector<std::string> block_;
  std::size_t drawn_ = 0;  // lines above the one that is typed
};

}  // namespace knuckleboom::app
