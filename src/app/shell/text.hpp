// Small pieces of text for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/io/words.hpp"

namespace knuckleboom::app {

using io::alternatives;
using io::counted;
using io::listing;

// Three significant digits and an SI prefix: "12.3 kJ", "0 J", "4.56 MPa".
std::string with_prefix(double value, std::string_view unit);

// A file's name without underscores: "boom_cylinder_leak" -> "boom cylinder leak".
std::string spoken(std::string name);

// Control characters except line ends and tabs as \\xNN, what turns the writing direction as \\uNNNN, so that no name
// or value can control a terminal.
std::string printable(std::string_view text);
// Line ends and tabs as well: a value that could not forge the line below.
std::string one_line(std::string_view text);

// Padded with blanks, on one line; characters count, not bytes.
std::string padded(const std::string& text, std::size_t width, bool right = false);

// Rows below each other in columns as wide as their texts, two blanks apart. sides: 'l' or 'r' for each column; a
// row with fewer texts ends there, and one with a single text stands alone.
std::string in_columns(const std::vector<std::vector<std::string>>& rows, std::string_view sides);

// Takes the last character off a UTF-8 text.
void erase_character(std::string& text);

// The number in a text. Throws UserError with its purpose if it is not a number.
double parse_number(const std::string& text, std::string_view what);

}  // namespace knuckleboom::app
