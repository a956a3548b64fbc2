// Writes JSON text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace knuckleboom::app {

// A text in quotes, appended.
void append_quoted(std::string_view text, std::string& out);

// Calls follow the text: begin_object, key, value or another begin, ... Numbers are written with
// all digits; non-finite ones become null, since JSON cannot represent them.
class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(double number);
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(int number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(bool truth);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::vector<std::string>& texts);  // an array

  template <typename T>
  JsonWriter& member(std::string_view name, const T& content) {
    return key(name).value(content);
  }

  // The text with a line end; called when everything is closed.
  std::string text() const { return text_ + "\n"; }

 private:
  void separate();
  void close(char bracket);

  std::string text_;
  std::vector<bool> filled_;  // of each open object or array: has entries
  bool after_key_ = false;
};

}  // namespace knuckleboom::app
