#include "csv.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "csv_fields.hpp"
#include "knuckleboom/io/diagnostic.hpp"

namespace knuckleboom::io {
namespace {

class CsvParser {
 public:
  CsvParser(std::string_view text, const std::string& file, bool non_finite)
      : text_(text), file_(file), non_finite_(non_finite) {}

  Csv parse() {
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
    return std::move(csv_);
  }

 private:
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
    split_fields(line, visit);
    if (csv_.columns.size() > kMaxColumns) error(number, 1, too_many_columns(csv_.columns.size()));
    csv_.data.resize(csv_.columns.size());
  }

  void row(std::string_view line, int number) {
    row_.clear();
    bool good = true;
    const auto visit = [&](std::string_view field, std::size_t column) {
      if (row_.size() == csv_.columns.size() || errors_.size() >= kMaxCsvErrors) return;
      if (field.starts_with('+')) field.remove_prefix(1);
      double value = 0.0;
      const char* end = field.data() + field.size();
      const auto [at, code] = std::from_chars(field.data(), end, value);
      // A number too small to represent counts as zero; one too large is refused.
      const bool parsed = at == end && !field.empty() &&
                          (code == std::errc() || code == std::errc::result_out_of_range);
      if (!parsed || code == std::errc::result_out_of_range) {
        good = false;
        error(number, column,
              fmt::format("column '{}': '{}' is not a number{}", csv_.columns[row_.size()],
                          shown(field), parsed ? " that fits; it is too large or too small" : ""));
      } else if (!std::isfinite(value) && !non_finite_) {
        good = false;
        error(number, column,
              fmt::format("column '{}': '{}' is not a finite number", csv_.columns[row_.size()],
                          shown(field)));
      }
      row_.push_back(value);
    };
    const std::size_t count = split_fields(line, visit);
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

  std::string_view text_;
  const std::string& file_;
  bool non_finite_;
  Csv csv_;
  std::vector<double> row_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

std::string too_many_columns(std::size_t count) {
  return fmt::format("there are {} columns; at most {} are possible", count, kMaxColumns);
}

Csv parse_csv(std::string_view text, const std::string& file, bool non_finite) {
  return CsvParser(text, file, non_finite).parse();
}

}  // namespace knuckleboom::io
