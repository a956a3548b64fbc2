// Tables of numbers with columns of their own: a real machine's log, another program's result. A map
// says which column is what, and in which unit. docs/reference/log_map.md
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/trace.hpp"

namespace knuckleboom::io {

// In SI; unit: its label, "rad", "Pa", ...; empty: a plain number.
struct LogQuantity {
  double value = 0.0;
  std::string unit;
  bool given = false;
};

// ours = scale * theirs + offset, both in SI.
struct LogColumn {
  std::string name;    // ours
  std::string column;  // theirs; empty: the same
  std::string unit;  // theirs, as keys of files end: "deg", "bar"; empty: as the column's name ends
  double scale = 1.0;
  LogQuantity offset;
  Diagnostic place;   // where the map says so
  bool held = false;  // a row's value holds until the next one
};

struct LogMap {
  std::string time;  // their column; empty: t_s, else t, else the first
  std::string time_unit;
  double row_s = 0.0;    // above 0: the table has no time, its rows are so far apart
  double shift_s = 0.0;  // added to their times
  char separator = ',';
  bool decimal_comma = false;
  std::vector<LogColumn> columns;
  Diagnostic place;
};

// Known names of columns, and their SI unit as in LogQuantity.
struct KnownColumn {
  std::string name, unit;
};

// Reads the mapped columns, in the order of the map, under our names and in SI behind the time t_s. A
// missing number is nan. Throws FileError: a column that is not there or not known, a unit of another
// kind or none, times that do not increase.
Trace read_log(const std::filesystem::path& path, const LogMap& map,
               std::span<const KnownColumn> known);
Trace read_log_text(std::string_view text, const std::string& file_name, const LogMap& map,
                    std::span<const KnownColumn> known);

// The names of the columns of a table.
std::vector<std::string> log_columns(const std::filesystem::path& path, char separator);

// A file with nothing but a map. Throws FileError.
LogMap read_log_map(const std::filesystem::path& path);
LogMap read_log_map_text(std::string_view text, const std::string& file_name);

}  // namespace knuckleboom::io
