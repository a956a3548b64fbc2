#include "belief.hpp"

#include <algorithm>

#include "knuckleboom/io/utf8.hpp"

namespace knuckleboom::io {

bool is_plain_text(std::string_view text, std::size_t most) {
  if (text.size() > most) return false;
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Character character = decode_utf8(text, i);
    if (character.length == 0 || character.code < 0x20 || character.code == 0x7F) return false;
    i += character.length;
  }
  return true;
}

bool is_link_name(std::string_view text) {
  return !text.empty() && is_plain_text(text, kLongestName) &&
         text.find('/') == std::string_view::npos && text != "." && text != "..";
}

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= kLongestId &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  c == '-';
         });
}

bool is_utc(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00Z";
  return text.size() == kShape.size() &&
         std::equal(text.begin(), text.end(), kShape.begin(), [](char c, char shape) {
           return shape == '0' ? c >= '0' && c <= '9' : c == shape;
         });
}

}  // namespace knuckleboom::io
