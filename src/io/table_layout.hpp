// How a table of somebody else's logger is written: its separator and decimal sign, where its names and
// rows are, and the units it tells. docs/reference/log_map.md
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "knuckleboom/io/log_file.hpp"

namespace knuckleboom::io {

// Reads what the map says of it and finds out the rest, but for the time. Throws FileError where there are no
// rows of numbers, or what is told cannot be.
LogForm find_form(std::string_view text, const std::string& file, const LogMap& map);

// A logger's line that is no row, as "# made by ...".
bool is_comment(std::string_view content);

// An empty field, nan, n/a, null, a dash.
bool is_missing_mark(std::string_view field);

// A name without the unit that stands behind it, and that: "Boom angle [deg]", "p (bar)".
std::pair<std::string, std::string> name_and_unit(const std::string& name);

// A number as tables have it, a switch (on, true) as 1 or 0; nothing: it is none.
std::optional<double> table_number(std::string_view field, bool decimal_comma);

}  // namespace knuckleboom::io
