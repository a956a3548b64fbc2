#include "can_log.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "csv_fields.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "table_times.hpp"

namespace knuckleboom::io {
namespace {

constexpr std::uint32_t kExtendedFlag = 0x8000'0000U, kRemoteFlag = 0x4000'0000U,
                        kErrorFlag = 0x2000'0000U;  // of SocketCAN
constexpr int kUnnamedBus = 0;

template <typename Number>
std::optional<Number> whole_in(std::string_view text, int base) {
  Number out{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

int nibble(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool add_byte(unsigned value, CanFrame& frame) {
  if (value > 255 || frame.size == frame.bytes.size()) return false;
  frame.bytes[frame.size++] = static_cast<std::uint8_t>(value);
  return true;
}

// 2A366C2B, in pairs that points may separate.
bool add_pairs(std::string_view text, CanFrame& frame) {
  for (std::size_t i = 0; i < text.size(); i += 2) {
    if (text[i] == '.') ++i;
    if (i + 1 >= text.size()) return false;
    const int high = nibble(text[i]), low = nibble(text[i + 1]);
    if (high < 0 || low < 0 || !add_byte(static_cast<unsigned>(16 * high + low), frame))
      return false;
  }
  return true;
}

// candump writes extended identifiers with eight digits, the others with three.
bool set_socketcan_id(std::string_view text, CanFrame& frame) {
  const auto id = whole_in<std::uint32_t>(text, 16);
  if (!id || (text.size() != 3 && text.size() != 8)) return false;
  frame.extended = text.size() == 8;
  frame.id = *id & ~kExtendedFlag;
  return frame.extended || frame.id <= 0x7FFU;
}

// The seconds of "(1436509052.249713)" less those of the start; digits are kept.
std::optional<double> seconds_of(std::string_view text, double start) {
  const std::size_t point = text.find('.');
  const auto seconds = whole_in<std::int64_t>(text.substr(0, point), 10);
  if (!seconds || std::abs(static_cast<double>(*seconds)) > 1e12) return std::nullopt;
  double fraction = 0.0;
  if (point != std::string_view::npos) {
    const std::string_view digits = text.substr(point + 1);
    const auto number = whole_in<std::int64_t>(digits, 10);
    if (!number || *number < 0 || digits.size() > 15) return std::nullopt;
    fraction = static_cast<double>(*number) / std::pow(10.0, static_cast<double>(digits.size()));
  }
  return (static_cast<double>(*seconds) - start) + fraction;
}

bool is_direction(std::string_view word) { return word == "Rx" || word == "Tx" || word == "TxRq"; }

// "(1436509052.249713) vcan0 044#2A366C2B", "(000.000000)  can0  044   [4]  2A 36 6C 2B"; without the
// time it is one that was not told to log.
bool looks_like_candump(std::string_view text, bool& timed) {
  timed = text.starts_with('(');
  if (timed) {
    const std::size_t end = text.find(')');
    if (end == std::string_view::npos) return false;
    text = trimmed(text.substr(end + 1));
  }
  bool found = false;
  std::size_t words = 0;
  std::string_view before;
  CanFrame frame;
  split_blanks(text, [&](std::string_view word, std::size_t) {
    const std::size_t hash = word.find('#');
    if (words == 1 && hash != std::string_view::npos)
      found = set_socketcan_id(word.substr(0, hash), frame);
    if (words >= 2 && words <= 5 && word.size() >= 3 && word.front() == '[' && word.back() == ']')
      found = found || set_socketcan_id(before, frame);
    before = word;
    ++words;
  });
  return found;
}

bool looks_like_asc(std::string_view text) {
  return (text.starts_with("base hex") || text.starts_with("base dec")) &&
         text.find("timestamps") != std::string_view::npos;
}

}  // namespace

std::optional<CanForm> can_form(std::string_view head) {
  std::optional<CanForm> out;
  int seen = 0;
  for_each_line(head, [&](std::string_view line, int) {
    const std::string_view text = trimmed(line);
    if (text.empty()) return true;
    bool timed = false;
    if (looks_like_asc(text)) out = CanForm::kAsc;
    if (looks_like_candump(text, timed)) out = CanForm::kCandump;
    return !out && ++seen < 40;
  });
  return out;
}

CanText::CanText(const TableBytes& bytes, CanForm form) : bytes_(bytes), form_(form) {
  buses_.emplace_back();
  if (form != CanForm::kCandump) return;
  int number_of = 0;
  for_each_line(bytes.head(), [&](std::string_view line, int number) {
    bool timed = false;
    if (!looks_like_candump(trimmed(line), timed)) return number_of == 0;
    if (!timed) number_of = number;
    return false;
  });
  if (number_of > 0)
    throw FileError(
        {{bytes.file(), number_of, 0,
          "this is a log of candump without times; log with candump -l, or show it with "
          "candump -t a"}});
}

void CanText::fault(int line) {
  if (unread_++ == 0) first_unread_ = line;
}

int CanText::bus_of(std::string_view name) {
  for (std::size_t i = buses_.size(); i-- > 0;)
    if (buses_[i] == name) return static_cast<int>(i);
  if (buses_.size() > 255) return kUnnamedBus;
  buses_.emplace_back(name);
  return static_cast<int>(buses_.size() - 1);
}

void CanText::for_each(const std::function<bool(const CanFrame& frame)>& visit) {
  unread_ = 0;
  before_s_ = 0.0;
  decimal_ = relative_ = false;
  bool go_on = true;
  int number = 0;
  CanFrame frame;
  bytes_.for_each_piece([&](std::string_view piece, bool) {
    if (number == 0 && piece.starts_with("\xEF\xBB\xBF")) piece.remove_prefix(3);
    while (!piece.empty() && go_on) {
      const std::size_t end = piece.find('\n');
      const std::string_view text = trimmed(piece.substr(0, end));
      piece.remove_prefix(end == std::string_view::npos ? piece.size() : end + 1);
      frame.line = ++number;
      frame.size = 0;
      if (!text.empty() && line(text, frame)) go_on = visit(frame);
    }
    return go_on;
  });
}

bool CanText::line(std::string_view text, CanFrame& frame) {
  return form_ == CanForm::kAsc ? asc(text, frame) : candump(text, frame);
}

bool CanText::candump(std::string_view text, CanFrame& frame) {
  const std::size_t end = text.find(')');
  const auto no_frame = [&] {
    fault(frame.line);
    return false;
  };
  if (!text.starts_with('(') || end == std::string_view::npos) return no_frame();
  const std::string_view stamp = trimmed(text.substr(1, end - 1));
  auto t = seconds_of(stamp, start_s_.value_or(0.0));
  if (!t) {
    t = clock_time(stamp);
    if (t) *t -= start_s_.value_or(0.0);
  }
  if (!t) return no_frame();
  constexpr double kLongAgo = 1e7;  // s: no log runs so long
  if (first_ && *t > kLongAgo) {
    start_s_ = std::floor(*t);
    *t = seconds_of(stamp, *start_s_).value_or(*t - *start_s_);
  }
  first_ = false;
  frame.t_s = *t;

  words_.clear();
  split_blanks(text.substr(end + 1),
               [this](std::string_view word, std::size_t) { words_.push_back(word); });
  if (words_.size() < 2) return no_frame();
  if (const std::size_t hash = words_[1].find('#'); hash != std::string_view::npos) {
    if (!set_socketcan_id(words_[1].substr(0, hash), frame)) return no_frame();
    std::string_view data = words_[1].substr(hash + 1);
    if (data.starts_with('R')) return false;
    if (data.starts_with('#')) data.remove_prefix(std::min<std::size_t>(2, data.size()));
    if ((frame.id & kErrorFlag) != 0) return false;
    if (!add_pairs(data, frame)) return no_frame();
  } else {
    std::size_t at = 2;
    while (at < words_.size() && words_[at].front() != '[') ++at;
    if (at == words_.size() || !set_socketcan_id(words_[at - 1], frame)) return no_frame();
    const auto size = whole_in<std::size_t>(
        words_[at].substr(1, std::max<std::size_t>(words_[at].size(), 2) - 2), 10);
    if (!size || *size > frame.bytes.size()) return no_frame();
    if ((frame.id & (kErrorFlag | kRemoteFlag)) != 0) return false;
    if (at + 1 < words_.size() && words_[at + 1] == "remote") return false;
    if (words_.size() < at + 1 + *size) return no_frame();
    for (std::size_t i = 0; i < *size; ++i) {
      const std::string_view word = words_[at + 1 + i];
      if (word.size() != 2 || !add_pairs(word, frame)) return no_frame();
    }
  }
  frame.bus = bus_of(words_[0]);
  return true;
}

bool CanText::asc(std::string_view text, CanFrame& frame) {
  words_.clear();
  split_blanks(text, [this](std::string_view word, std::size_t) { words_.push_back(word); });
  if (words_.size() >= 2 && words_[0] == "base") {
    decimal_ = words_[1] == "dec";
    relative_ = text.find("relative") != std::string_view::npos;
    return false;
  }
  double t = 0.0;
  const std::string_view stamp = words_[0];
  const auto [end, error] = std::from_chars(stamp.data(), stamp.data() + stamp.size(), t);
  if (error != std::errc() || end != stamp.data() + stamp.size() || !std::isfinite(t)) return false;
  if (relative_) t = before_s_ += t;
  frame.t_s = t;
  const int base = decimal_ ? 10 : 16;
  const auto no_frame = [&] {
    fault(frame.line);
    return false;
  };
  const auto set_id = [&](std::string_view word) {
    frame.extended = word.ends_with('x') || word.ends_with('X');
    if (frame.extended) word.remove_suffix(1);
    const auto id = whole_in<std::uint32_t>(word, base);
    frame.id = id.value_or(0);
    return id.has_value();
  };
  std::size_t size = 0, from = 0;
  if (words_.size() >= 9 && words_[1] == "CANFD") {
    // Channel, direction, identifier, its name or none, two bits, code and number of bytes.
    const auto is_bit = [&](std::size_t i) { return words_[i] == "0" || words_[i] == "1"; };
    const std::size_t bits = is_bit(5) && is_bit(6) ? 5 : 6;
    if (words_.size() < bits + 4 || !set_id(words_[4])) return no_frame();
    size = whole_in<std::size_t>(words_[bits + 3], 10).value_or(words_.size());
    from = bits + 4;
    frame.bus = bus_of(words_[2]);
  } else {
    if (words_.size() < 6 || !is_direction(words_[3]) || words_[4] != "d") return false;
    if (!set_id(words_[2])) return no_frame();
    size = whole_in<std::size_t>(words_[5], base).value_or(words_.size());
    from = 6;
    frame.bus = bus_of(words_[1]);
  }
  if (size > frame.bytes.size() || words_.size() < from + size) return no_frame();
  for (std::size_t i = 0; i < size; ++i) {
    const auto value = whole_in<unsigned>(words_[from + i], base);
    if (!value || !add_byte(*value, frame)) return no_frame();
  }
  return true;
}

}  // namespace knuckleboom::io
