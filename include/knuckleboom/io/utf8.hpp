// Text as UTF-8, character by character.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace knuckleboom::io {

struct Utf8Character {
  char32_t code = 0;
  std::size_t length = 0;  // bytes; 0: what stands there is not UTF-8
};

// The character that begins at text[at]; `at` must be within the text.
Utf8Character decode_utf8(std::string_view text, std::size_t at);

bool is_utf8(std::string_view text);
// Each byte a character, as in Latin-1.
std::string from_latin1(std::string_view bytes);

// Those below U+0020, and U+007F to U+009F.
inline bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

// Marks, embeddings, overrides and isolates of writing direction, separators of lines, and what is not seen at
// all: in a name or a note they would reorder, break or forge the text around it. Joiners are none of them:
// some scripts need them.
bool disturbs_text(char32_t code);

// Appends a character up to U+10FFFF that is no surrogate.
void append_utf8(char32_t code, std::string& out);

}  // namespace knuckleboom::io
