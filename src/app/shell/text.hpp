// Small pieces of text for people.
#pragma once

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

// The name that a file gives, without its underscores: "boom_cylinder_leak" -> "boom cylinder leak".
std::string spoken(std::string name);

// Control characters but line ends and tabs as \\xNN, so that no name or value can drive a terminal.
std::string printable(std::string_view text);

// The number a text stands for. Throws UserError, naming what it was for, if it is none.
double parse_number(const std::string& text, std::string_view what);

}  // namespace knuckleboom::app
