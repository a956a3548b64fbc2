#include "table_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "csv_fields.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/words.hpp"
#include "table_layout.hpp"
#include "table_times.hpp"

namespace knuckleboom::io {
namespace {

class RowParser {
 public:
  RowParser(const TableBytes& bytes, const LogForm& form, const RowWish& wish)
      : bytes_(bytes), form_(form), wish_(wish) {
    marks_.resize(form.columns.size());
    for (std::size_t i = 0; i < form.columns.size(); ++i) {
      const std::string& name = form.columns[i];
      wanted_.push_back(std::find(wish.only.begin(), wish.only.end(), name) != wish.only.end());
      clock_.push_back(name == wish.clock);
      if (!wanted_.back()) continue;
      places_.push_back(i);
      out_.csv.columns.push_back(name);
    }
    // A table in which most lines are blank may have fewer rows by far.
    const std::size_t rows = std::min(bytes.lines() + 1, kMostReserved);
    out_.csv.data.resize(places_.size());
    for (std::vector<double>& column : out_.csv.data) column.reserve(rows);
    out_.csv.lines.reserve(rows);
  }

  TableRows parse() {
    std::string begun;  // a record that goes on in the next piece
    int number = 1;
    bytes_.for_each_piece([&](std::string_view piece, bool end) {
      if (!begun.empty()) piece = begun.append(piece);
      const std::size_t used = for_each_record_of(
          piece, end, form_.separator, number, [&](std::string_view record, int first) {
            return take(record, first, end && record.end() == piece.end());
          });
      begun = std::string(piece.substr(used));
      return errors_.size() < kMaxCsvErrors;
    });
    if (errors_.empty()) say_what_was_left_out();
    if (!errors_.empty()) throw FileError(std::move(errors_));
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kMostReserved = 50'000'000;

  bool take(std::string_view line, int number, bool is_last) {
    const std::string_view content = trimmed(line);
    if (content.empty()) return true;
    if (is_comment(content))
      out_.csv.comments.emplace_back(trimmed(content.substr(1)));
    else if (number >= form_.first_line)
      row(line, number, is_last);
    else if (number == form_.header_line)
      header_ = line;
    return errors_.size() < kMaxCsvErrors;
  }

  void error(int line, std::size_t column, std::string message) {
    errors_.push_back({bytes_.file(), line, static_cast<int>(column), std::move(message)});
  }

  // A field that is neither a number nor a known word for a missing one.
  struct Mark {
    std::size_t count = 0;
    int line = 0;
    std::size_t column = 0;
    std::string first;
  };

  double value_of(std::string_view field, std::size_t i, int number, std::size_t column) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    if (clock_[i]) return clock_time(field).value_or(kNone);
    if (const auto value = table_number(field, form_.decimal_comma)) {
      if (std::isfinite(*value)) return *value;
      return kNone;
    }
    if (is_missing_mark(field)) return kNone;
    Mark& mark = marks_[i];
    if (mark.count++ == 0) mark = {1, number, column, shown(field)};
    return kNone;
  }

  void row(std::string_view line, int number, bool is_last) {
    // Logs that were put one behind the other have their names again.
    if (line == header_ && !wish_.strict) {
      ++repeated_headers_;
      return;
    }
    row_.clear();
    std::size_t extra = 0;
    const auto visit = [&](std::string_view field, std::size_t column) {
      const std::size_t i = row_.size();
      if (i == form_.columns.size())
        extra += field.empty() ? 0U : 1U;
      else
        row_.push_back(wanted_[i] ? value_of(field, i, number, column)
                                  : std::numeric_limits<double>::quiet_NaN());
    };
    const std::size_t count = split_record(line, visit, form_.separator);
    if (extra > 0) {
      error(number, 1,
            fmt::format("this line has {} values, but there are {} columns; does text with the "
                        "separator stand in one of them without quotes?",
                        count, form_.columns.size()));
      return;
    }
    if (row_.size() < form_.columns.size() && wish_.strict) {
      error(
          number, 1,
          fmt::format("this line has {} value{}, but there are {} columns; the line may have been "
                      "cut off",
                      count, count == 1 ? "" : "s", form_.columns.size()));
      return;
    }
    if (row_.size() < form_.columns.size() && is_last) {
      cut_off_ = number;
      return;
    }
    if (row_.size() < form_.columns.size() && short_rows_++ == 0) first_short_ = number;
    row_.resize(form_.columns.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < places_.size(); ++k) out_.csv.data[k].push_back(row_[places_[k]]);
    out_.csv.lines.push_back(number);
  }

  // A column that is mostly marks is no column of numbers.
  void say_what_was_left_out() {
    const auto times = [](std::size_t n, std::string_view one, std::string_view more) {
      return counted(static_cast<long long>(n), one, more);
    };
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      const Mark& mark = marks_[i];
      if (mark.count == 0) continue;
      if (wish_.strict || 5 * mark.count > out_.csv.lines.size())
        error(mark.line, mark.column,
              fmt::format("column '{}': '{}' is not a number", form_.columns[i], mark.first));
      else
        out_.notes.push_back(
            fmt::format("column '{}': {} no number, as '{}' in line {}; missing", form_.columns[i],
                        times(mark.count, "field is", "fields are"), mark.first, mark.line));
    }
    if (short_rows_ > 0)
      out_.notes.push_back(
          fmt::format("{} fewer fields than there are columns, the first in line {}; the others "
                      "are missing",
                      times(short_rows_, "row has", "rows have"), first_short_));
    if (repeated_headers_ > 0)
      out_.notes.push_back(fmt::format("the line of names comes again, {}",
                                       times(repeated_headers_, "time", "times")));
    if (cut_off_ > 0)
      out_.notes.push_back(fmt::format("the last line, {}, is cut off and left out", cut_off_));
  }

  const TableBytes& bytes_;
  const LogForm& form_;
  const RowWish& wish_;
  std::vector<bool> wanted_, clock_;  // by column of the table
  std::vector<Mark> marks_;           // likewise
  std::vector<std::size_t> places_;   // of the columns that are read
  std::string header_;
  std::size_t short_rows_ = 0, repeated_headers_ = 0;
  int first_short_ = 0, cut_off_ = 0;
  TableRows out_;
  std::vector<double> row_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

TableRows parse_rows(const TableBytes& bytes, const LogForm& form, const RowWish& wish) {
  return RowParser(bytes, form, wish).parse();
}

}  // namespace knuckleboom::io
