#include "dbc_file.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "csv_fields.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/utf8.hpp"
#include "knuckleboom/io/words.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

constexpr std::size_t kDbcLimit = std::size_t{64} << 20;
constexpr std::uint32_t kExtendedBit = 0x8000'0000U;
constexpr std::uint32_t kMostStandard = 0x7FFU;
constexpr std::uint32_t kMostExtended = 0x1FFF'FFFFU;

struct DbcToken {
  enum class Kind { kEnd, kWord, kText, kSign };
  Kind kind = Kind::kEnd;
  std::string_view text;  // a text without its quotes
  int line = 0;
  bool first = false;  // of its line
};

class DbcTokens {
 public:
  explicit DbcTokens(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    step();
  }
  const DbcToken& next() const { return next_; }
  DbcToken take() {
    const DbcToken out = next_;
    step();
    return out;
  }

 private:
  static bool is_sign(char c) {
    return std::string_view(":|@(),[];").find(c) != std::string_view::npos;
  }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

  void step() {
    bool first = next_.line == 0;
    for (; at_ < text_.size() && is_blank(text_[at_]); ++at_)
      if (text_[at_] == '\n') {
        ++line_;
        first = true;
      }
    next_ = {DbcToken::Kind::kEnd, {}, line_, first};
    if (at_ == text_.size()) return;
    const std::size_t begin = at_;
    if (text_[at_] == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
        if (text_[at_] == '\n') ++line_;
        if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '"') ++at_;
      }
      next_.kind = DbcToken::Kind::kText;
      next_.text = text_.substr(begin + 1, at_ - begin - 1);
      at_ = std::min(at_ + 1, text_.size());
      return;
    }
    next_.kind = is_sign(text_[at_]) ? DbcToken::Kind::kSign : DbcToken::Kind::kWord;
    do {
      ++at_;
    } while (next_.kind == DbcToken::Kind::kWord && at_ < text_.size() && !is_blank(text_[at_]) &&
             !is_sign(text_[at_]) && text_[at_] != '"');
    next_.text = text_.substr(begin, at_ - begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  DbcToken next_;
};

template <typename Number>
std::optional<Number> dbc_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number out{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

// A statement that is not as it should be is left out, and told.
struct DbcFault {
  int line;
  std::string what;
};

class DbcReader {
 public:
  DbcReader(std::string_view text, const std::string& file) : file_(file), tokens_(text) {}

  CanDescription read() {
    while (tokens_.next().kind != DbcToken::Kind::kEnd) {
      const DbcToken word = tokens_.take();
      try {
        statement(word);
      } catch (const DbcFault& fault) {
        faults_.push_back(fault);
        skip_line(fault.line);
      }
    }
    if (out_.messages.empty()) refuse();
    finish();
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse() const {
    if (!faults_.empty())
      throw FileError(
          {{file_, faults_.front().line, 0,
            fmt::format("{}; no message of this DBC can be read", faults_.front().what)}});
    throw FileError(file_,
                    "this is no DBC file: it has no message (a line that begins with BO_); give "
                    "the file in which the signals of the bus are described");
  }

  [[noreturn]] static void fault(const DbcToken& at, std::string what) {
    throw DbcFault{at.line, std::move(what)};
  }

  void statement(const DbcToken& word) {
    if (word.kind != DbcToken::Kind::kWord) return;
    message_ = word.text == "BO_" || word.text == "SG_" ? message_ : nullptr;
    if (word.text == "NS_")
      skip_symbols();
    else if (word.text == "BO_")
      message(word);
    else if (word.text == "SG_")
      signal(word);
    else if (word.text == "VAL_")
      names_of_values();
    else if (word.text == "SIG_VALTYPE_")
      type_of_value();
    else if (word.text == "SG_MUL_VAL_")
      multiplexing();
    else if (word.text == "BA_DEF_")
      definition();
    else if (word.text == "BA_DEF_DEF_")
      standard();
    else if (word.text == "BA_")
      attribute();
    else if (word.text != "VERSION" && word.text != "BS_" && word.text != "BU_")
      skip_statement();
  }

  // The list of symbols that the file may use.
  void skip_symbols() {
    if (is_sign(":")) tokens_.take();
    while (tokens_.next().kind == DbcToken::Kind::kWord && tokens_.next().text != "BS_" &&
           tokens_.next().text != "BU_" && tokens_.next().text != "BO_")
      tokens_.take();
  }

  bool is_sign(std::string_view text) const {
    return tokens_.next().kind == DbcToken::Kind::kSign && tokens_.next().text == text;
  }

  void skip_line(int line) {
    while (tokens_.next().kind != DbcToken::Kind::kEnd && tokens_.next().line <= line)
      tokens_.take();
  }

  // A lost semicolon costs no message.
  bool over() const {
    const DbcToken& next = tokens_.next();
    return next.kind == DbcToken::Kind::kEnd || (next.first && next.kind == DbcToken::Kind::kWord &&
                                                 (next.text == "BO_" || next.text == "SG_"));
  }
  void skip_statement() {
    while (!over() && !is_sign(";")) tokens_.take();
    if (is_sign(";")) tokens_.take();
  }

  DbcToken word(const char* what) {
    if (tokens_.next().kind != DbcToken::Kind::kWord || over())
      fault(tokens_.next(), fmt::format("{} is missing", what));
    return tokens_.take();
  }
  std::string text(const char* what) {
    if (tokens_.next().kind != DbcToken::Kind::kText)
      fault(tokens_.next(), fmt::format("{} is missing, a text in quotes", what));
    return std::string(tokens_.take().text);
  }
  void sign(std::string_view text) {
    if (!is_sign(text))
      fault(tokens_.next(),
            fmt::format("a '{}' is missing before '{}'", text, shown(tokens_.next().text)));
    tokens_.take();
  }
  template <typename Number>
  Number number(const char* what) {
    const DbcToken at = word(what);
    const auto value = dbc_number<Number>(at.text);
    if (!value) fault(at, fmt::format("{} is '{}', which is no number", what, shown(at.text)));
    return *value;
  }

  void message(const DbcToken& begin) {
    const auto id = number<std::uint32_t>("the identifier of a message");
    CanMessage out;
    out.name = word("the name of a message").text;
    sign(":");
    out.bytes = number<int>("the number of bytes");
    if (out.bytes < 0) fault(begin, "the number of bytes is below zero");
    out.id = id & ~kExtendedBit;
    out.extended = out.id != id || id > kMostStandard;
    if (out.id == id && out.extended && id <= kMostExtended) ++unmarked_;
    skip_line(begin.line);
    unwanted_ = out.id > kMostExtended;  // where signals of no message lie
    if (unwanted_) return;
    at_.emplace(id, out_.messages.size());
    out_.messages.push_back(std::move(out));
    message_ = &out_.messages.back();
  }

  void signal(const DbcToken& begin) {
    if (message_ == nullptr) {
      if (unwanted_) return skip_line(begin.line);
      fault(begin, "this signal is in no message");
    }
    CanSignal out;
    out.name = word("the name of a signal").text;
    Switch is;
    if (!is_sign(":")) is = multiplexed(word("the place of a signal"));
    sign(":");
    out.start = number<int>("the first bit");
    sign("|");
    out.length = number<int>("the number of bits");
    sign("@");
    const DbcToken order = word("the order of bytes");
    if (order.text.size() != 2 || (order.text[0] != '0' && order.text[0] != '1') ||
        (order.text[1] != '+' && order.text[1] != '-'))
      fault(order, fmt::format("the order of bytes is '{}'; expected 0+, 0-, 1+ or 1-",
                               shown(order.text)));
    out.motorola = order.text[0] == '0';
    out.kind = order.text[1] == '-' ? CanSignal::Kind::kSigned : CanSignal::Kind::kUnsigned;
    if (out.start < 0 || out.start > 511 || out.length < 1 || out.length > 64)
      fault(order, fmt::format("signal '{}' lies at bit {} and has {} bits; expected bits of 0 to "
                               "511, and 1 to 64 of them",
                               out.name, out.start, out.length));
    sign("(");
    out.scale = number<double>("the factor");
    sign(",");
    out.offset = number<double>("the offset");
    sign(")");
    if (!std::isfinite(out.scale) || !std::isfinite(out.offset))
      fault(order, fmt::format("factor or offset of '{}' is not finite", out.name));
    if (is_sign("[")) range(out);
    if (tokens_.next().kind == DbcToken::Kind::kText && tokens_.next().line == begin.line)
      out.unit = tokens_.take().text;
    out.states = out.length == 1;
    skip_line(begin.line);
    switches_.push_back({static_cast<std::size_t>(message_ - out_.messages.data()),
                         message_->signals.size(), is, begin.line});
    message_->signals.push_back(std::move(out));
  }

  void range(CanSignal& out) {
    sign("[");
    const auto least = dbc_number<double>(word("the least value").text);
    sign("|");
    const auto most = dbc_number<double>(word("the greatest value").text);
    sign("]");
    if (!least || !most || !(*least < *most)) return;
    out.least = *least;
    out.most = *most;
  }

  // M, m3, m3M
  struct Switch {
    bool switches = false;
    std::optional<std::uint64_t> value;
  };
  static Switch multiplexed(const DbcToken& at) {
    Switch out;
    std::string_view text = at.text;
    if (text.ends_with('M')) {
      out.switches = true;
      text.remove_suffix(1);
    }
    if (text.starts_with('m')) out.value = dbc_number<std::uint64_t>(text.substr(1));
    if (!text.empty() && !out.value)
      fault(at, fmt::format("'{}' is neither M nor m with a number", shown(at.text)));
    return out;
  }

  struct Of {
    CanMessage* message = nullptr;
    CanSignal* signal = nullptr;
  };
  CanMessage* message_of(std::uint32_t id) {
    const auto found = at_.find(id);
    return found == at_.end() ? nullptr : &out_.messages[found->second];
  }
  static CanSignal* signal_in(CanMessage* message, std::string_view name) {
    if (message == nullptr) return nullptr;
    for (CanSignal& one : message->signals)
      if (one.name == name) return &one;
    return nullptr;
  }
  Of signal_named() {
    CanMessage* of = message_of(number<std::uint32_t>("the identifier of a message"));
    return {of, signal_in(of, word("the name of a signal").text)};
  }

  // Names for at least half of what a signal can say: it is no measure.
  void names_of_values() {
    if (!tokens_.next().text.empty() && dbc_number<std::uint32_t>(tokens_.next().text)) {
      CanSignal* const of = signal_named().signal;
      std::size_t names = 0;
      for (; !over() && !is_sign(";"); tokens_.take())
        names += tokens_.next().kind == DbcToken::Kind::kText ? 1U : 0U;
      if (of != nullptr && of->length < 16 && 2 * names >= (std::size_t{1} << of->length))
        of->states = true;
    }
    skip_statement();
  }

  void type_of_value() {
    CanSignal* const of = signal_named().signal;
    if (is_sign(":")) tokens_.take();
    const int type = number<int>("the type of a value");
    if (of != nullptr && type == 1 && of->length == 32) of->kind = CanSignal::Kind::kFloat;
    if (of != nullptr && type == 2 && of->length == 64) of->kind = CanSignal::Kind::kDouble;
    skip_statement();
  }

  void multiplexing() {
    const Of of = signal_named();
    const std::string_view by = word("the name of a multiplexer").text;
    CanSpans spans;
    while (tokens_.next().kind == DbcToken::Kind::kWord && !over()) {
      const DbcToken span = tokens_.take();
      const std::size_t dash = span.text.find('-');
      const auto from = dbc_number<std::uint64_t>(span.text.substr(0, dash));
      const auto to = dash == std::string_view::npos
                          ? from
                          : dbc_number<std::uint64_t>(span.text.substr(dash + 1));
      if (!from || !to) fault(span, fmt::format("'{}' is no span of values", shown(span.text)));
      spans.emplace_back(*from, *to);
      if (is_sign(",")) tokens_.take();
    }
    CanSignal* const multiplexer = signal_in(of.message, by);
    if (of.signal != nullptr && multiplexer != nullptr) {
      of.signal->multiplexer = static_cast<int>(multiplexer - of.message->signals.data());
      of.signal->when = std::move(spans);
    }
    skip_statement();
  }

  // --- Attributes: whether messages are those of J1939 ------------------------------

  static constexpr std::string_view kFormat = "VFrameFormat", kProtocol = "ProtocolType",
                                    kJ1939 = "J1939";

  void definition() {
    while (!over() && !is_sign(";") && tokens_.next().kind != DbcToken::Kind::kText) tokens_.take();
    if (tokens_.next().kind == DbcToken::Kind::kText && tokens_.take().text == kFormat)
      for (; !over() && !is_sign(";"); tokens_.take())
        if (tokens_.next().kind == DbcToken::Kind::kText)
          formats_.emplace_back(tokens_.next().text);
    skip_statement();
  }

  bool is_j1939(const DbcToken& value) const {
    std::string_view text = value.text;
    if (value.kind == DbcToken::Kind::kWord)
      if (const auto at = dbc_number<std::size_t>(text); at && *at < formats_.size())
        text = formats_[*at];
    return text.starts_with(kJ1939);
  }

  void standard() {
    if (tokens_.next().kind == DbcToken::Kind::kText) {
      const std::string_view name = tokens_.take().text;
      if (name == kFormat || name == kProtocol) all_ = all_ || is_j1939(tokens_.next());
    }
    skip_statement();
  }

  void attribute() {
    if (tokens_.next().kind != DbcToken::Kind::kText) return skip_statement();
    const std::string_view name = tokens_.take().text;
    if (name == kProtocol && tokens_.next().kind == DbcToken::Kind::kText)
      protocol_ = is_j1939(tokens_.next());
    if (name == kFormat && tokens_.next().text == "BO_") {
      tokens_.take();
      const auto id = number<std::uint32_t>("the identifier of a message");
      told_[id] = is_j1939(tokens_.next());
    }
    skip_statement();
  }

  // --- At the end --------------------------------------------------------------------

  struct Switched {
    std::size_t message, signal;
    Switch is;
    int line;
  };

  void finish() {
    std::map<std::size_t, std::size_t> multiplexers;  // by message
    for (const Switched& one : switches_)
      if (one.is.switches && !one.is.value) multiplexers[one.message] = one.signal;
    for (const Switched& one : switches_) {
      CanMessage& message = out_.messages[one.message];
      CanSignal& signal = message.signals[one.signal];
      if (!one.is.value || signal.multiplexer >= 0) continue;
      if (const auto by = multiplexers.find(one.message); by != multiplexers.end())
        signal.multiplexer = static_cast<int>(by->second);
      signal.when = {{*one.is.value, *one.is.value}};
      if (signal.multiplexer < 0)
        faults_.push_back({one.line, fmt::format("signal '{}' is multiplexed, but its message '{}' "
                                                 "has no multiplexer (M)",
                                                 signal.name, message.name)});
    }
    for (const auto& [id, at] : at_) {
      const auto told = told_.find(id);
      CanMessage& message = out_.messages[at];
      message.j1939 = message.extended && (told != told_.end() ? told->second : all_ || protocol_);
    }
    if (unmarked_ > 0)
      out_.notes.push_back(fmt::format(
          "{}: {} above 0x7FF without the bit of extended identifiers; taken as extended", file_,
          counted(unmarked_, "message is", "messages are")));
    constexpr std::size_t kMostTold = 3;
    for (std::size_t i = 0; i < std::min(kMostTold, faults_.size()); ++i)
      out_.notes.push_back(
          fmt::format("{}:{}: {}; left out", file_, faults_[i].line, faults_[i].what));
    if (faults_.size() > kMostTold)
      out_.notes.push_back(
          fmt::format("{}: {} more are left out", file_, faults_.size() - kMostTold));
  }

  const std::string& file_;
  DbcTokens tokens_;
  CanDescription out_;
  CanMessage* message_ = nullptr;  // of the signals that come
  bool unwanted_ = false;          // the one that came is none
  long long unmarked_ = 0;         // extended, though not told
  std::map<std::uint32_t, std::size_t> at_;
  std::vector<Switched> switches_;
  std::vector<std::string> formats_;
  std::map<std::uint32_t, bool> told_;  // by identifier: J1939
  bool all_ = false, protocol_ = false;
  std::vector<DbcFault> faults_;
};

}  // namespace

CanDescription read_dbc_text(std::string_view text, const std::string& file) {
  if (!is_utf8(text)) {
    const std::string converted = from_latin1(text);
    return DbcReader(converted, file).read();
  }
  return DbcReader(text, file).read();
}

CanDescription read_dbc(const std::filesystem::path& path) {
  return read_dbc_text(read_text_file(path, kDbcLimit, "DBC file"), path.string());
}

// Below 240 of the second byte the third one is a destination.
std::uint32_t j1939_group(std::uint32_t id) {
  const std::uint32_t group = (id >> 8U) & 0x3'FFFFU;
  return ((group >> 8U) & 0xFFU) < 240U ? group & 0x3'FF00U : group;
}

std::optional<std::uint64_t> raw_bits(const CanSignal& signal, std::span<const std::uint8_t> data) {
  std::uint64_t out = 0;
  auto byte = static_cast<std::size_t>(signal.start / 8);
  int bit = signal.start % 8;
  for (int got = 0; got < signal.length; ++byte) {
    if (byte >= data.size()) return std::nullopt;
    const int left = signal.length - got;
    const int n = std::min(left, signal.motorola ? bit + 1 : 8 - bit);
    const unsigned shift = static_cast<unsigned>(signal.motorola ? bit + 1 - n : bit);
    const std::uint64_t part = (std::uint64_t{data[byte]} >> shift) & ((1U << unsigned(n)) - 1U);
    if (signal.motorola)
      out = (out << unsigned(n)) | part;
    else
      out |= part << unsigned(got);
    bit = signal.motorola ? 7 : 0;
    got += n;
  }
  return out;
}

bool is_there(const CanMessage& message, const CanSignal& signal,
              std::span<const std::uint8_t> data) {
  const CanSignal* one = &signal;
  for (std::size_t depth = 0; one->multiplexer >= 0; ++depth) {
    if (depth > message.signals.size()) return false;  // each by the other
    const CanSignal& by = message.signals[static_cast<std::size_t>(one->multiplexer)];
    const auto value = raw_bits(by, data);
    if (!value || std::none_of(one->when.begin(), one->when.end(), [&](const auto& span) {
          return *value >= span.first && *value <= span.second;
        }))
      return false;
    one = &by;
  }
  return one->when.empty();  // else its multiplexer is not there
}

double physical(const CanSignal& signal, std::uint64_t bits) {
  double value = 0.0;
  switch (signal.kind) {
    case CanSignal::Kind::kFloat:
      value = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
      break;
    case CanSignal::Kind::kDouble:
      value = std::bit_cast<double>(bits);
      break;
    case CanSignal::Kind::kSigned: {
      const auto unused = static_cast<unsigned>(64 - signal.length);
      value = static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
      break;
    }
    case CanSignal::Kind::kUnsigned:
      value = static_cast<double>(bits);
      break;
  }
  return value * signal.scale + signal.offset;
}

}  // namespace knuckleboom::io
