#include "csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "csv_fields.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/words.hpp"
#include "table_layout.hpp"
#include "table_times.hpp"

namespace knuckleboom::io {
namespace {

constexpr std::size_t kMaxColumns = 1000;
constexpr std::size_t kMaxCsvErrors = 20;

class CsvParser {
 public:
  CsvParser(std::string_view text, const std::string& file, const CsvDialect& dialect)
      : text_(text), file_(file), dialect_(dialect) {}

  Csv parse() {
    if (dialect_.foreign) return parse_foreign();
    for_each_line(text_, [this](std::string_view line, int number) {
      const std::string_view content = trimmed(line);
      if (content.empty()) return true;
      if (content.front() == '#')
        csv_.comments.emplace_back(trimmed(content.substr(1)));
      else if (csv_.columns.empty())
        header(line, number);
      else
        row(line, number);
      return errors_.size() < kMaxCsvErrors;
    });
    if (csv_.columns.empty() && errors_.empty())
      error(1, 1, "there is no line of column names; expected one before the numbers");
    if (!errors_.empty()) throw FileError(std::move(errors_));
    leave_out_unwanted();
    return std::move(csv_);
  }

 private:
  Csv parse_foreign() {
    csv_.columns = dialect_.columns;
    prepare_columns();
    marks_.resize(csv_.columns.size());
    for_each_record(text_, dialect_.separator, [this](std::string_view line, int number) {
      const std::string_view content = trimmed(line);
      if (content.empty()) return true;
      if (is_comment(content))
        csv_.comments.emplace_back(trimmed(content.substr(1)));
      else if (number >= dialect_.first_line)
        foreign_row(line, number);
      else if (number == dialect_.header_line)
        header_ = line;
      return errors_.size() < kMaxCsvErrors;
    });
    if (errors_.empty()) say_what_was_left_out();
    if (!errors_.empty()) throw FileError(std::move(errors_));
    leave_out_unwanted();
    return std::move(csv_);
  }

  void error(int line, std::size_t column, std::string message) {
    errors_.push_back({file_, line, static_cast<int>(column), std::move(message)});
  }

  void header(std::string_view line, int number) {
    std::set<std::string> seen;
    const auto visit = [&](std::string_view field, std::size_t column) {
      if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
        field = field.substr(1, field.size() - 2);
      double value = 0.0;
      const auto parsed = std::from_chars(field.data(), field.data() + field.size(), value);
      if (errors_.size() >= kMaxCsvErrors) return;
      if (field.empty())
        error(number, column, "a column has no name; give it one");
      else if (parsed.ec == std::errc() && parsed.ptr == field.data() + field.size())
        error(
            number, column,
            fmt::format("'{}' is a number where a column name should be; the first line must name "
                        "the columns",
                        shown(field)));
      else if (!seen.insert(std::string(field)).second)
        error(number, column, fmt::format("there are two columns '{}'; rename one", shown(field)));
      csv_.columns.emplace_back(field);
    };
    split_fields(line, visit, dialect_.separator);
    if (csv_.columns.size() > kMaxColumns)
      error(number, 1,
            fmt::format("there are {} columns; at most {} are possible", csv_.columns.size(),
                        kMaxColumns));
    prepare_columns();
  }

  void prepare_columns() {
    csv_.data.resize(csv_.columns.size());
    for (const std::string& name : csv_.columns)
      wanted_.push_back(dialect_.only.empty() ||
                        std::find(dialect_.only.begin(), dialect_.only.end(), name) !=
                            dialect_.only.end());
  }

  void leave_out_unwanted() {
    for (std::size_t i = wanted_.size(); i-- > 0;) {
      if (wanted_[i]) continue;
      const auto at = static_cast<std::ptrdiff_t>(i);
      csv_.columns.erase(csv_.columns.begin() + at);
      csv_.data.erase(csv_.data.begin() + at);
    }
  }

  // A number in the only form that the library reads.
  std::string_view as_written(std::string_view field) {
    if (field.starts_with('+')) field.remove_prefix(1);
    if (!dialect_.decimal_comma) return field;
    digits_.assign(field);
    std::replace(digits_.begin(), digits_.end(), ',', '.');
    return digits_;
  }

  void row(std::string_view line, int number) {
    row_.clear();
    bool good = true;
    const auto visit = [&](std::string_view field, std::size_t column) {
      if (row_.size() == csv_.columns.size() || errors_.size() >= kMaxCsvErrors) return;
      if (!wanted_[row_.size()] || (field.empty() && dialect_.gaps)) {
        row_.push_back(std::numeric_limits<double>::quiet_NaN());
        return;
      }
      const std::string_view digits = as_written(field);
      double value = 0.0;
      const char* end = digits.data() + digits.size();
      const auto [at, code] = std::from_chars(digits.data(), end, value);
      // A number too small to represent counts as zero; one too large is refused.
      const bool parsed = at == end && !digits.empty() &&
                          (code == std::errc() || code == std::errc::result_out_of_range);
      if (!parsed || code == std::errc::result_out_of_range) {
        good = false;
        error(number, column,
              fmt::format("column '{}': '{}' is not a number{}", csv_.columns[row_.size()],
                          shown(field), parsed ? " that fits; it is too large or too small" : ""));
      } else if (!std::isfinite(value) && !dialect_.non_finite) {
        good = false;
        error(number, column,
              fmt::format("column '{}': '{}' is not a finite number", csv_.columns[row_.size()],
                          shown(field)));
      }
      row_.push_back(value);
    };
    const std::size_t count = split_fields(line, visit, dialect_.separator);
    if (count != csv_.columns.size()) {
      error(number, 1,
            fmt::format("this line has {} value{}, but there are {} columns; the line may "
                        "have been cut off",
                        count, count == 1 ? "" : "s", csv_.columns.size()));
      return;
    }
    if (!good || row_.size() != csv_.data.size()) return;
    for (std::size_t i = 0; i < row_.size(); ++i) csv_.data[i].push_back(row_[i]);
    csv_.lines.push_back(number);
  }

  // A field that is neither a number nor a known word for a missing one.
  struct Mark {
    std::size_t count = 0;
    int line = 0;
    std::size_t column = 0;
    std::string first;
  };

  double foreign_value(std::string_view field, std::size_t i, int number, std::size_t column) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    if (csv_.columns[i] == dialect_.clock) return clock_time(field).value_or(kNone);
    if (const auto value = table_number(field, dialect_.decimal_comma)) {
      if (std::isfinite(*value)) return *value;
      return kNone;
    }
    if (is_missing_mark(field)) return kNone;
    Mark& mark = marks_[i];
    if (mark.count++ == 0) mark = {1, number, column, shown(field)};
    return kNone;
  }

  void foreign_row(std::string_view line, int number) {
    // Logs that were put one behind the other have their names again.
    if (line == header_ && !dialect_.strict) {
      ++repeated_headers_;
      return;
    }
    row_.clear();
    std::size_t extra = 0;
    const auto visit = [&](std::string_view field, std::size_t column) {
      const std::size_t i = row_.size();
      if (i == csv_.columns.size())
        extra += field.empty() ? 0U : 1U;
      else
        row_.push_back(wanted_[i] ? foreign_value(field, i, number, column)
                                  : std::numeric_limits<double>::quiet_NaN());
    };
    const std::size_t count = split_record(line, visit, dialect_.separator);
    if (extra > 0) {
      error(number, 1,
            fmt::format("this line has {} values, but there are {} columns; does text with the "
                        "separator stand in one of them without quotes?",
                        count, csv_.columns.size()));
      return;
    }
    if (row_.size() < csv_.columns.size() && dialect_.strict) {
      error(
          number, 1,
          fmt::format("this line has {} value{}, but there are {} columns; the line may have been "
                      "cut off",
                      count, count == 1 ? "" : "s", csv_.columns.size()));
      return;
    }
    const bool is_last = line.data() + line.size() == text_.data() + text_.size();
    if (row_.size() < csv_.columns.size() && is_last) {
      cut_off_ = number;
      return;
    }
    if (row_.size() < csv_.columns.size() && short_rows_++ == 0) first_short_ = number;
    row_.resize(csv_.columns.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < row_.size(); ++i)
      if (wanted_[i]) csv_.data[i].push_back(row_[i]);
    csv_.lines.push_back(number);
  }

  // A column that is mostly marks is no column of numbers.
  void say_what_was_left_out() {
    const auto times = [](std::size_t n, std::string_view one, std::string_view more) {
      return counted(static_cast<long long>(n), one, more);
    };
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      const Mark& mark = marks_[i];
      if (mark.count == 0) continue;
      if (dialect_.strict || 5 * mark.count > csv_.lines.size())
        error(mark.line, mark.column,
              fmt::format("column '{}': '{}' is not a number", csv_.columns[i], mark.first));
      else
        csv_.notes.push_back(
            fmt::format("column '{}': {} no number, as '{}' in line {}; missing", csv_.columns[i],
                        times(mark.count, "field is", "fields are"), mark.first, mark.line));
    }
    if (short_rows_ > 0)
      csv_.notes.push_back(
          fmt::format("{} fewer fields than there are columns, the first in line {}; the others "
                      "are missing",
                      times(short_rows_, "row has", "rows have"), first_short_));
    if (repeated_headers_ > 0)
      csv_.notes.push_back(fmt::format("the line of names comes again, {}",
                                       times(repeated_headers_, "time", "times")));
    if (cut_off_ > 0)
      csv_.notes.push_back(fmt::format("the last line, {}, is cut off and left out", cut_off_));
  }

  std::string_view text_;
  const std::string& file_;
  const CsvDialect& dialect_;
  std::vector<bool> wanted_;  // by column
  std::vector<Mark> marks_;   // likewise
  std::string_view header_;
  std::size_t short_rows_ = 0, repeated_headers_ = 0;
  int first_short_ = 0, cut_off_ = 0;
  std::string digits_;
  Csv csv_;
  std::vector<double> row_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

Csv parse_csv(std::string_view text, const std::string& file, const CsvDialect& dialect) {
  return CsvParser(text, file, dialect).parse();
}

}  // namespace knuckleboom::io
