// The input line of a terminal, independent of the terminal: bytes in, a line out. Printable ASCII
// only, which is enough for commands.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace knuckleboom::app {

class LineEditor {
 public:
  enum class Event {
    kNone,
    kLine,   // Enter: taken() has it
    kSpace,  // the space bar, with nothing typed
    kEnd,    // Ctrl-D, with nothing typed
  };
  // Candidates for the last word of a line.
  using Complete = std::function<std::vector<std::string>(const std::string& line)>;
  explicit LineEditor(Complete complete = {}) : complete_(std::move(complete)) {}

  Event feed(char byte);

  const std::string& line() const { return line_; }
  std::size_t cursor() const { return cursor_; }
  const std::string& taken() const { return taken_; }

 private:
  enum class Key { kUp, kDown, kLeft, kRight, kHome, kEnd, kDelete };
  void press(Key key);
  std::optional<Event> escape(char byte);
  void recall(std::size_t at);
  void complete();
  Event enter();

  Complete complete_;
  std::string line_, taken_;
  std::size_t cursor_ = 0;
  std::vector<std::string> history_;
  std::size_t at_ = 0;  // in the history; its size: the new line
  std::string escape_;  // sequence so far
};

}  // namespace knuckleboom::app
