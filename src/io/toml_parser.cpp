#include "toml_parser.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

// The parser's asserts fire on some malformed headers ("[=]") before it reports them as errors.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

#include "knuckleboom/io/utf8.hpp"

namespace knuckleboom::io {
namespace {

constexpr int kMaxDepth = 32;

// The parser recurses once for each level of nesting, and so does everything that walks the result.
// A file nested deeper than any sound one is refused before it can exhaust the stack.
class DepthCheck {
 public:
  explicit DepthCheck(std::string_view text) : text_(text) {}

  // Line of the first place nested too deeply, or 0.
  int run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
      } else if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else {
        count(c);
        ++at_;
      }
      if (brackets_ > kMaxDepth || dots_ > kMaxDepth) return line_;
    }
    return 0;
  }

 private:
  bool starts(std::string_view s) const { return text_.substr(at_).starts_with(s); }

  void skip_string(char quote) {
    const std::string triple(3, quote);
    const bool multi = starts(triple);
    const bool escapes = quote == '"';
    at_ += multi ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        if (!multi) return;
      }
      if (escapes && c == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') {
        at_ += 2;
        continue;
      }
      if (multi ? starts(triple) : c == quote) {
        at_ += multi ? 3 : 1;
        return;
      }
      ++at_;
    }
  }

  void count(char c) {
    switch (c) {
      case '.':
        ++dots_;
        break;
      case '[':
      case '{':
        ++brackets_;
        dots_ = 0;
        break;
      case ']':
      case '}':
        brackets_ = std::max(0, brackets_ - 1);
        dots_ = 0;
        break;
      case '\n':
        ++line_;
        dots_ = 0;
        break;
      case ',':
      case '=':
        dots_ = 0;
        break;
      default:
        break;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  int brackets_ = 0;
  int dots_ = 0;
};

// --- Text outside ASCII -------------------------------------------------------

// The parser (3.3) has undefined behaviour when it asks whether a character from U+00A1 to U+FEFF
// is white space. So these are moved to the private plane 15 before it sees them, one character for
// one, and moved back in what it returns: places stay as they are.
constexpr char32_t kPlane = 0xF0000;

// Throws FileError at a byte that is not UTF-8.
std::string moved_away(std::string_view text, const std::string& file) {
  std::string out;
  out.reserve(text.size());
  int line = 1;
  int column = 1;
  for (std::size_t at = 0; at < text.size(); ++column) {
    const Utf8Character c = decode_utf8(text, at);
    if (c.length == 0 || (c.code >= kPlane && c.code < kPlane + 0x10000))
      throw FileError({{file, line, column,
                        c.length == 0 ? "this byte is not UTF-8 text; save the file as UTF-8"
                                      : "this character is for private use; write another one"}});
    append_utf8(c.code >= 0x80 && c.code < 0x10000 ? c.code + kPlane : c.code, out);
    at += c.length;
    if (c.code == '\n') {
      ++line;
      column = 0;
    }
  }
  return out;
}

std::string moved_back(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character c = decode_utf8(text, at);
    if (c.length == 0) {  // a message of the parser may be cut anywhere
      out += text[at++];
      continue;
    }
    append_utf8(c.code >= kPlane && c.code < kPlane + 0x10000 ? c.code - kPlane : c.code, out);
    at += c.length;
  }
  return out;
}

class Converter {
 public:
  Converter(std::string_view text, int file) : text_(text), file_(file) {
    lines_.push_back(0);
    std::size_t characters = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if ((static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U) continue;
      if (characters % kMarkSpacing == 0) marks_.push_back(i);
      ++characters;
      if (text[i] == '\n') lines_.push_back(characters);
    }
  }

  Node convert(const toml::node& from) const {
    Node node;
    node.place = place(from.source().begin);
    switch (from.type()) {
      case toml::node_type::table: {
        for (const auto& [key, value] : *from.as_table()) {
          Entry entry{moved_back(key.str()), place(key.source().begin), convert(value)};
          // A table made by a dotted key or by the header of its child has no place of its own.
          if (entry.place.line == 0) entry.place = entry.value.place;
          if (entry.value.place.line == 0) entry.value.place = entry.place;
          node.entries.push_back(std::move(entry));
        }
        // The parser sorts by name.
        std::stable_sort(node.entries.begin(), node.entries.end(),
                         [](const Entry& a, const Entry& b) {
                           if (a.place.line != b.place.line) return a.place.line < b.place.line;
                           return a.place.column < b.place.column;
                         });
        break;
      }
      case toml::node_type::array:
        node.kind = Node::Kind::kArray;
        for (const toml::node& item : *from.as_array()) node.items.push_back(convert(item));
        break;
      case toml::node_type::string:
        node.kind = Node::Kind::kString;
        node.text = moved_back(from.as_string()->get());
        break;
      case toml::node_type::integer:
        node.kind = Node::Kind::kInteger;
        node.integer = from.as_integer()->get();
        node.number = static_cast<double>(node.integer);
        node.text = slice(from.source(), fmt::format("{}", node.integer));
        break;
      case toml::node_type::floating_point:
        node.kind = Node::Kind::kFloat;
        node.number = from.as_floating_point()->get();
        node.text = slice(from.source(), fmt::format("{}", node.number));
        break;
      case toml::node_type::boolean:
        node.kind = Node::Kind::kBoolean;
        node.boolean = from.as_boolean()->get();
        break;
      default:
        node.kind = Node::Kind::kDate;
        break;
    }
    return node;
  }

 private:
  Place place(const toml::source_position& at) const {
    return {file_, static_cast<int>(at.line), static_cast<int>(at.column)};
  }

  // Byte offset of a line and column; columns count code points.
  std::optional<std::size_t> offset(const toml::source_position& at) const {
    if (at.line == 0 || at.column == 0 || at.line > lines_.size()) return std::nullopt;
    const std::size_t character = lines_[at.line - 1] + at.column - 1;
    if (character / kMarkSpacing >= marks_.size()) return std::nullopt;
    std::size_t i = marks_[character / kMarkSpacing];
    for (std::size_t k = character % kMarkSpacing; k > 0 && i < text_.size(); --k) {
      ++i;
      while (i < text_.size() && (static_cast<unsigned char>(text_[i]) & 0xC0U) == 0x80U) ++i;
    }
    return i;
  }

  // The number as its author wrote it, if the region holds one.
  std::string slice(const toml::source_region& region, std::string otherwise) const {
    const auto begin = offset(region.begin);
    if (!begin) return otherwise;
    const std::size_t end = text_.find_first_not_of("0123456789+-._eExXoObBaAcCdDfFinIN", *begin);
    std::string written(text_.substr(*begin, end == std::string_view::npos ? end : end - *begin));
    return written.empty() || written.size() > 40 ? otherwise : written;
  }

  std::string_view text_;
  int file_;
  // Avoids counting through long lines for each of their numbers.
  static constexpr std::size_t kMarkSpacing = 64;
  std::vector<std::size_t> lines_;  // character that starts each line
  std::vector<std::size_t> marks_;  // byte of every 64th character
};

}  // namespace

Node parse_toml(std::string_view text, int file, const Report& report) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::string& name = report.file(file);
  if (const int line = DepthCheck(text).run(); line != 0)
    throw FileError({{name, line, 1,
                      fmt::format("nested deeper than {} levels; write it flatter", kMaxDepth)}});
  const std::string moved = moved_away(text, name);
  try {
    const toml::table root = toml::parse(moved, name);
    return Converter(moved, file).convert(root);
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw FileError({{name, static_cast<int>(at.line), static_cast<int>(at.column),
                      fmt::format("not valid TOML: {}; correct the syntax here first, the rest of "
                                  "the file has not been looked at",
                                  moved_back(error.description()))}});
  }
}

}  // namespace knuckleboom::io
