// Small pieces of text for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace knuckleboom::app {

// "a, b and c"; "none" if empty.
std::string listing(const std::vector<std::string>& words);

// What to take instead of a word that is none of these: "; did you mean 'x'?" if one is close, else
// "; there are a, b and c".
std::string alternatives(std::string_view word, const std::vector<std::string>& words);

// Three significant digits and an SI prefix: "12.3 kJ", "0 J", "4.56 MPa".
std::string with_prefix(double value, std::string_view unit);

// The name that a file gives, without its underscores: "boom_cylinder_leak" -> "boom cylinder leak".
std::string spoken(std::string name);

// "1 time", "17 times".
std::string counted(long long count, std::string_view singular, std::string_view plural);

// Control characters but line ends and tabs as \\xNN, so that no name or value can drive a terminal.
std::string printable(std::string_view text);

// The number a text stands for. Throws UserError, naming what it was for, if it is none.
double parse_number(const std::string& text, std::string_view what);

}  // namespace knuckleboom::app
