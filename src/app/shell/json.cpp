#include "app/shell/json.hpp"

#include <cmath>

#include <fmt/format.h>

namespace knuckleboom::app {

void append_quoted(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (filled_.empty()) return;
  if (filled_.back()) text_ += ',';
  filled_.back() = true;
  text_ += '\n';
  text_.append(2 * filled_.size(), ' ');
}

void JsonWriter::close(char bracket) {
  const bool filled = filled_.back();
  filled_.pop_back();
  if (filled) {
    text_ += '\n';
    text_.append(2 * filled_.size(), ' ');
  }
  text_ += bracket;
}

JsonWriter& JsonWriter::begin_object() {
  separate();
  text_ += '{';
  filled_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  close('}');
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  separate();
  text_ += '[';
  filled_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  close(']');
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_quoted(name, text_);
  text_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(const std::vector<std::string>& texts) {
  begin_array();
  for (const std::string& text : texts) value(text);
  return end_array();
}

JsonWriter& JsonWriter::value(double number) {
  separate();
  text_ += std::isfinite(number) ? fmt::format("{}", number) : "null";
  return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
  separate();
  text_ += fmt::format("{}", number);
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
  separate();
  text_ += truth ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_quoted(text, text_);
  return *this;
}

}  // namespace knuckleboom::app
