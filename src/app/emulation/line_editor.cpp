#include "app/emulation/line_editor.hpp"

#include <algorithm>
#include <utility>

namespace knuckleboom::app {
namespace {

constexpr char kEscape = '\x1b';
constexpr std::size_t kMostTyped = 1000;
constexpr char control(char letter) { return static_cast<char>(letter & 0x1F); }

}  // namespace

LineEditor::Event LineEditor::feed(char byte) {
  if (const auto event = escape(byte)) return *event;
  switch (byte) {
    case '\r':
    case '\n':
      return enter();
    case ' ':
      if (line_.empty()) return Event::kSpace;
      break;
    case '\t':
      complete();
      return Event::kNone;
    case '\x7f':
    case '\b':
      if (cursor_ > 0) line_.erase(--cursor_, 1);
      return Event::kNone;
    case control('D'):
      if (line_.empty()) return Event::kEnd;
      press(Key::kDelete);
      return Event::kNone;
    case control('A'):
      press(Key::kHome);
      return Event::kNone;
    case control('E'):
      press(Key::kEnd);
      return Event::kNone;
    case control('U'):
      line_.erase(0, cursor_);
      cursor_ = 0;
      return Event::kNone;
    case control('K'):
      line_.erase(cursor_);
      return Event::kNone;
    case control('W'):
      while (cursor_ > 0 && line_[cursor_ - 1] == ' ') line_.erase(--cursor_, 1);
      while (cursor_ > 0 && line_[cursor_ - 1] != ' ') line_.erase(--cursor_, 1);
      return Event::kNone;
    default:
      break;
  }
  if (byte >= ' ' && byte <= '~' && line_.size() < kMostTyped) line_.insert(cursor_++, 1, byte);
  return Event::kNone;
}

// Sequences of keys without a character: ESC [ or ESC O, digits, a final letter or '~'.
std::optional<LineEditor::Event> LineEditor::escape(char byte) {
  if (byte == kEscape) {
    escape_ = byte;
    return Event::kNone;
  }
  if (escape_.empty()) return std::nullopt;
  if (escape_.size() == 1 && byte != '[' && byte != 'O') {
    escape_.clear();  // Alt and a key, or the escape key itself before it
    return std::nullopt;
  }
  escape_ += byte;
  const bool ends = escape_.size() > 2 && byte >= '@' && byte <= '~';
  if (!ends && escape_.size() < 16) return Event::kNone;
  const std::string sequence = std::exchange(escape_, {}).substr(2);
  constexpr std::pair<const char*, Key> kKeys[] = {
      {"A", Key::kUp},    {"B", Key::kDown}, {"C", Key::kRight},
      {"D", Key::kLeft},  {"H", Key::kHome}, {"F", Key::kEnd},
      {"1~", Key::kHome}, {"4~", Key::kEnd}, {"3~", Key::kDelete}};
  for (const auto& [name, key] : kKeys)
    if (sequence == name) press(key);
  return Event::kNone;
}

void LineEditor::press(Key key) {
  switch (key) {
    case Key::kUp:
      if (at_ > 0) recall(at_ - 1);
      return;
    case Key::kDown:
      if (at_ < history_.size()) recall(at_ + 1);
      return;
    case Key::kLeft:
      if (cursor_ > 0) --cursor_;
      return;
    case Key::kRight:
      if (cursor_ < line_.size()) ++cursor_;
      return;
    case Key::kHome:
      cursor_ = 0;
      return;
    case Key::kEnd:
      cursor_ = line_.size();
      return;
    case Key::kDelete:
      if (cursor_ < line_.size()) line_.erase(cursor_, 1);
      return;
  }
}

void LineEditor::recall(std::size_t at) {
  at_ = at;
  line_ = at < history_.size() ? history_[at] : std::string();
  cursor_ = line_.size();
}

// As far as all candidates agree.
void LineEditor::complete() {
  if (!complete_ || cursor_ != line_.size()) return;
  const std::vector<std::string> candidates = complete_(line_);
  if (candidates.empty()) return;
  std::string common = candidates.front();
  for (const std::string& candidate : candidates) {
    const auto differ =
        std::mismatch(common.begin(), common.end(), candidate.begin(), candidate.end());
    common.erase(differ.first, common.end());
  }
  if (candidates.size() == 1) common += ' ';
  const std::size_t space = line_.find_last_of(' ');
  const std::size_t word = space == std::string::npos ? 0 : space + 1;
  if (common.size() <= line_.size() - word) return;
  line_.replace(word, std::string::npos, common);
  cursor_ = line_.size();
}

LineEditor::Event LineEditor::enter() {
  taken_ = std::exchange(line_, {});
  cursor_ = 0;
  if (!taken_.empty() && (history_.empty() || history_.back() != taken_))
    history_.push_back(taken_);
  at_ = history_.size();
  return Event::kLine;
}

}  // namespace knuckleboom::app
