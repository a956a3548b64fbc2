// Lists of words in a sentence, and which of them somebody may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace knuckleboom::io {

// The candidate closest to a misspelt word, or nullptr if none is close.
const std::string* closest(std::string_view word, std::span<const std::string> candidates);

// "; did you mean 'x'?" if one of the candidates is close to word, else nothing.
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

// How a message about a name that does not exist goes on: "; did you mean 'x'?" or, if nothing is
// close, "; there are a, b and c".
std::string alternatives(std::string_view word, std::span<const std::string> names);

// "a, b and c"; "none" if empty; of more than twenty the first, and how many more there are.
std::string listing(std::span<const std::string> names, std::string_view conjunction = "and");

// "1 time", "17 times".
std::string counted(long long count, std::string_view singular, std::string_view plural);

// Letters of ASCII in lower case.
std::string lower_case(std::string_view text);

// A TOML basic string, with its quotes.
std::string toml_string(std::string_view text);

}  // namespace knuckleboom::io
