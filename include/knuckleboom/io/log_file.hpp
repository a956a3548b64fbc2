// Tables of numbers with columns of their own: a real machine's log, another program's result. A map
// says which column is what, and in which unit. docs/reference/log_map.md
#pragma once

#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
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
  std::string minus;   // another of theirs that is taken off, as of a valve with two; or empty
  std::string unit;  // theirs, as keys of files end: "deg", "bar"; empty: as the column's name ends
  double scale = 1.0;
  LogQuantity offset;
  Diagnostic place;   // where the map says so
  bool held = false;  // a row's value holds until the next one
};

struct LogMap {
  std::string dbc;   // the file is a log of a CAN bus, which this file describes; empty: it is none
  std::string time;  // their column; empty: t_s, else t, else the first
  std::string time_unit;
  double row_s = 0.0;    // above 0: the table has no time, its rows are so far apart
  double shift_s = 0.0;  // added to their times
  char separator = 0;    // ' ': blanks; 0: found out, as the next three
  std::optional<bool> decimal_comma;
  int header_row = 0;  // line of the names
  int skip_rows = -1;  // lines between names and rows
  bool guess = true;   // false: nothing is found out; the table is written as a trace is
  std::vector<LogColumn> columns;
  Diagnostic place;
};

// Known names of columns, and their SI unit as in LogQuantity.
struct KnownColumn {
  std::string name, unit;
  double most = std::numeric_limits<double>::infinity();  // of its magnitude; more is another unit
};

// How a table is written, as told or as found out.
struct LogForm {
  std::string kind;  // "a MATLAB file"; empty: text, of which the next lines tell
  std::vector<std::string> columns,
      units;  // each name once; units as the table tells them, mostly empty
  char separator = ',';
  bool decimal_comma = false;
  int header_line = 0;    // 0: no line names the columns
  int first_line = 1;     // of the rows
  std::string time;       // the column; empty: none, its rows are equally far apart
  std::string time_unit;  // as a map has it; "clock": dates or times of day; empty: not told
  std::vector<std::vector<std::string>> sample;  // the first rows, as written
  std::vector<std::string> notes;                // what was not told but found, a sentence each
};

struct NumberArrays;
struct NumberColumns;
class TableBytes;
class CanTable;

// A table of another program, understood once. What the map does not say of its form is found out. Its rows
// stay where they are until they are read.
class LogTable {
 public:
  // Throws FileError: no table, or not of the form that is told.
  LogTable(const std::filesystem::path& path, LogMap map);
  LogTable(std::string bytes, std::string file_name, LogMap map);
  // Arrays of a file that is no text.
  LogTable(NumberArrays arrays, std::string file_name, LogMap map);

  const LogForm& form() const { return form_; }
  // The columns, in their order, under our names and in SI behind the time t_s; a missing number is nan, and
  // all that was found out is in the trace's notes. Throws FileError: a column that is not there or not
  // known, a unit of another kind or none, values out of range, times that do not increase.
  Trace read(std::span<const LogColumn> columns, std::span<const KnownColumn> known) const;
  // Every column of numbers under its own name and in its own unit, likewise.
  Trace read_all() const;

 private:
  void understand(std::shared_ptr<const TableBytes> bytes);

  std::string file_;
  LogMap map_;
  LogForm form_;
  std::shared_ptr<const TableBytes> bytes_;  // one of the three
  std::shared_ptr<const NumberColumns> numbers_;
  std::shared_ptr<const CanTable> can_;
};

// The map's columns.
Trace read_log_text(std::string_view text, const std::string& file_name, const LogMap& map,
                    std::span<const KnownColumn> known);

// The separator as the key has it: ",", ";", "tab", "space".
std::string separator_name(char separator);

// Time between two rows of increasing times, the one in the middle; 0: there are no two.
double usual_step(std::span<const double> t_s);

// A file with nothing but a map. Throws FileError.
LogMap read_log_map(const std::filesystem::path& path);
LogMap read_log_map_text(std::string_view text, const std::string& file_name);

}  // namespace knuckleboom::io
