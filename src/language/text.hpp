// Texts in the user's language. Sources and files have them in English, and a catalogue of gettext has the
// translations; without a catalogue, or for a text that it lacks, English is shown.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace knuckleboom {
namespace language {

struct Language {
  const char* code;  // "fi"
  const char* name;  // in itself: "Suomi"
};
std::span<const Language> languages();  // English first
bool is_known(std::string_view code);
// That of LC_ALL, LC_MESSAGES or LANG, the first that is set; English if it is none of the known.
std::string of_environment();

// From now on, for the whole process; call it on the main thread. Each folder is tried for
// CODE/LC_MESSAGES/knuckleboom.mo. False: there is none, and English is used. No locale of the system is
// needed or changed.
bool use(const std::string& code, const std::vector<std::filesystem::path>& folders);
const std::string& in_use();

// English while it lives: for the terminal and for files.
class English {
 public:
  English();
  ~English();
  English(const English&) = delete;
  English& operator=(const English&) = delete;

 private:
  const void* before_;
};

// The translation's values must be the text's: if they are not, English is shown.
std::string formatted(const char* english, const char* translated, fmt::format_args values);
const char* counted(const char* one, const char* many, long long count);

}  // namespace language

// The text lives as long as the process.
const char* tr(const char* text);
std::string tr(std::string_view text);  // of files and tables
// For words that mean different things in different places.
const char* tr_in(const char* context, const char* text);

// A text with values: "Log {} of {}".
template <typename... Values>
std::string tr_format(fmt::format_string<Values...> text, Values&&... values) {
  const char* const english = fmt::string_view(text).data();
  return language::formatted(english, tr(english), fmt::make_format_args(values...));
}

// Two texts for one and for other counts; many has all values that one has.
template <typename... Values>
std::string tr_count(long long count, const char* one, fmt::format_string<Values...> many,
                     Values&&... values) {
  const char* const english = fmt::string_view(many).data();
  return language::formatted(count == 1 ? one : english, language::counted(one, english, count),
                             fmt::make_format_args(values...));
}

// Marks a text in a table for translation, where it is shown.
constexpr const char* msgid(const char* text) { return text; }

}  // namespace knuckleboom
