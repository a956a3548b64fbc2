#include "table_layout.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "csv.hpp"
#include "csv_fields.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/words.hpp"
#include "table_times.hpp"

namespace knuckleboom::io {
namespace {

constexpr std::size_t kSample = 400;  // lines that are looked at
constexpr std::array<char, 4> kFound = {',', ';', '\t', ' '};

std::optional<double> switch_value(std::string_view field) {
  const std::string word = lower_case(field);
  if (word == "true" || word == "on") return 1.0;
  if (word == "false" || word == "off") return 0.0;
  return std::nullopt;
}

// "m", "[m]", "(m)", "deg/s", "%", "-": what stands below names.
bool is_unit(std::string_view field) {
  if (field.size() >= 2 && (field.front() == '[' || field.front() == '(')) return true;
  constexpr std::string_view kUnits[] = {
      "s",      "ms",  "us",    "ns",   "m",   "cm",      "mm",      "rad",     "deg",
      "\u00b0", "bar", "kpa",   "mpa",  "pa",  "v",       "mv",      "n",       "kn",
      "w",      "kw",  "j",     "kj",   "hz",  "rpm",     "rad/s",   "deg/s",   "m/s",
      "mm/s",   "%",   "-",     "1",    "a",   "ma",      "l/min",   "nm",      "kg",
      "ts",     "rn",  "volts", "volt", "sec", "seconds", "degrees", "percent", "counts"};
  const std::string word = lower_case(field);
  return std::find(std::begin(kUnits), std::end(kUnits), word) != std::end(kUnits);
}

struct Record {
  int line = 0;
  std::vector<std::string> fields;
  int numbers = 0, texts = 0;  // texts: neither a number nor a time nor missing

  // An empty field behind the last separator is none.
  std::size_t count() const {
    std::size_t n = fields.size();
    while (n > 1 && fields[n - 1].empty()) --n;
    return n;
  }
  bool is_row() const { return numbers > 0 && 2 * texts <= numbers; }
  bool is_names() const { return numbers == 0 && texts > 0; }
};

// The file as one separator would have it.
struct Reading {
  char separator = ',';
  std::vector<Record> records;
  std::vector<Record> comments;
  std::size_t row = 0;    // the first; records.size(): none
  std::size_t names = 0;  // likewise
  std::size_t width() const { return row < records.size() ? records[row].fields.size() : 0; }
};

Record record_of(std::string_view line, int number, char separator) {
  Record out;
  out.line = number;
  const auto visit = [&](std::string_view field, std::size_t) { out.fields.emplace_back(field); };
  split_record(line, visit, separator);
  for (const std::string& field : out.fields) {
    if (is_missing_mark(field)) continue;
    const bool commas = separator != ',' && field.find('.') == std::string::npos;
    if (table_number(field, commas) || clock_time(field))
      ++out.numbers;
    else
      ++out.texts;
  }
  return out;
}

// The first of some records that are rows and of one width.
std::size_t first_row(const std::vector<Record>& records, std::size_t from) {
  for (std::size_t i = from; i < records.size(); ++i) {
    const std::size_t to = std::min(i + 4, records.size());
    bool good = true;
    for (std::size_t k = i; k < to && good; ++k)
      good = records[k].is_row() &&
             (k + 1 == records.size() || records[k].fields.size() == records[i].fields.size() ||
              records[k].count() == records[i].count());
    if (good) return i;
  }
  return records.size();
}

// A line that says what a Campbell logger did with its samples.
bool are_processings(const Record& record) {
  constexpr std::string_view kWords[] = {"ts", "rn", "smp", "avg", "min", "max", "std", "tot"};
  std::size_t known = 0, filled = 0;
  for (const std::string& field : record.fields) {
    if (field.empty()) continue;
    ++filled;
    const std::string word = lower_case(field);
    if (std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords)) ++known;
  }
  return filled > 0 && known == filled;
}

bool are_units(const Record& record) {
  if (record.numbers > 0) return false;
  std::size_t units = 0, filled = 0;
  for (const std::string& field : record.fields) {
    if (field.empty()) continue;
    ++filled;
    if (is_unit(field)) ++units;
  }
  return filled > 0 && 2 * units >= filled;
}

// header_row: the line of the names, if it is told.
Reading read_as(std::string_view text, char separator, int header_row) {
  Reading out;
  out.separator = separator;
  for_each_record(text, separator, [&](std::string_view line, int number) {
    const std::string_view content = trimmed(line);
    if (content.empty()) return true;
    if (is_comment(content)) {
      const std::size_t from = content.find_first_not_of("#%/ \t");
      if (out.records.empty() && from != std::string_view::npos)
        out.comments.push_back(record_of(content.substr(from), number, separator));
    } else {
      out.records.push_back(record_of(line, number, separator));
    }
    return out.records.size() < kSample;
  });
  out.names = out.records.size();
  std::size_t from = 0;
  if (header_row > 0) {
    const auto told = std::find_if(out.records.begin(), out.records.end(),
                                   [&](const Record& one) { return one.line >= header_row; });
    out.names = static_cast<std::size_t>(told - out.records.begin());
    from = std::min(out.names + 1, out.records.size());
  }
  out.row = first_row(out.records, from);
  if (header_row > 0 || out.row == 0 || out.row == out.records.size()) return out;
  std::size_t names = out.row - 1;
  while (names > 0 && (are_units(out.records[names]) || are_processings(out.records[names])) &&
         out.records[names - 1].numbers == 0 &&
         out.records[names - 1].count() + 1 >= out.records[names].count())
    --names;
  const Record& head = out.records[names];
  if (head.is_names() && head.fields.size() + 1 >= out.width()) out.names = names;
  return out;
}

// More columns under names are the better reading.
std::size_t merit(const Reading& reading) {
  const std::size_t named = reading.names < reading.records.size() ? 1 : 0;
  return reading.width() < 2 ? reading.width() : 2 * reading.width() + named;
}

// The decimal sign of the rows that were looked at.
bool has_decimal_commas(const Reading& reading) {
  bool commas = false;
  for (std::size_t i = reading.row; i < reading.records.size(); ++i)
    for (const std::string& field : reading.records[i].fields) {
      if (table_number(field, false) && field.find('.') != std::string::npos) return false;
      commas = commas || (field.find(',') != std::string::npos && table_number(field, true));
    }
  return commas;
}

// A name without the unit that stands behind it: "Boom angle [deg]".
std::pair<std::string, std::string> split_name(const std::string& name) {
  if (name.empty() || (name.back() != ']' && name.back() != ')')) return {name, {}};
  const std::size_t at = name.find_last_of(name.back() == ']' ? '[' : '(');
  if (at == std::string::npos || at == 0) return {name, {}};
  return {std::string(trimmed(std::string_view(name).substr(0, at))),
          std::string(trimmed(std::string_view(name).substr(at + 1, name.size() - at - 2)))};
}

std::string bare_unit(std::string unit) {
  if (unit.size() >= 2 && (unit.front() == '[' || unit.front() == '('))
    unit = std::string(trimmed(std::string_view(unit).substr(1, unit.size() - 2)));
  return unit;
}

// Each name once and none empty, so that a map can say which is meant.
void name_columns(const Record* head, std::size_t width, LogForm& out) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < width; ++i) {
    std::string name = head != nullptr && i < head->fields.size() ? head->fields[i] : std::string();
    auto [bare, unit] = name_and_unit(name);
    name = std::move(bare);
    if (name.empty()) name = fmt::format("column {}", i + 1);
    std::string once = name;
    for (int n = 2; !seen.insert(once).second; ++n) once = fmt::format("{} ({})", name, n);
    if (once != name)
      out.notes.push_back(
          fmt::format("there is more than one column '{}'; '{}' is the one that is "
                      "number {} of the table",
                      shown(name), shown(once), i + 1));
    out.columns.push_back(std::move(once));
    out.units.push_back(std::move(unit));
  }
}

void take_units(const Record& units, LogForm& out) {
  for (std::size_t i = 0; i < std::min(units.fields.size(), out.units.size()); ++i)
    if (out.units[i].empty()) out.units[i] = bare_unit(units.fields[i]);
}

}  // namespace

std::pair<std::string, std::string> name_and_unit(const std::string& name) {
  auto [bare, unit] = split_name(name);
  if (unit.empty() || !is_unit(unit)) return {name, {}};
  return {std::move(bare), std::move(unit)};
}

bool is_missing_mark(std::string_view field) {
  constexpr std::string_view kWords[] = {"",     "nan", "na", "n/a", "#n/a", "null",
                                         "none", "-",   "--", "---", "nil"};
  const std::string word = lower_case(field);
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

bool is_comment(std::string_view content) {
  return content.starts_with('#') || content.starts_with("//") ||
         (content.starts_with('%') && content != "%");
}

std::optional<double> table_number(std::string_view field, bool decimal_comma) {
  if (field.starts_with('+')) field.remove_prefix(1);
  if (field.empty() || field.size() > 60) return std::nullopt;
  std::array<char, 64> digits{};
  std::copy(field.begin(), field.end(), digits.begin());
  if (decimal_comma) std::replace(digits.begin(), digits.begin() + field.size(), ',', '.');
  double value = 0.0;
  const char* end = digits.data() + field.size();
  const auto [at, code] = std::from_chars(digits.data(), end, value);
  if (at != end) return switch_value(field);
  if (code == std::errc() || code == std::errc::result_out_of_range) return value;
  return std::nullopt;
}

namespace {

// 0: it is to be found.
char told_separator(std::string_view text, const LogMap& map) {
  if (map.separator != 0) return map.separator;
  if (!map.guess) return ',';
  // Spreadsheets say it in a first line of its own.
  const std::string_view first = trimmed(text.substr(0, text.find('\n')));
  return first.size() == 5 && lower_case(first).starts_with("sep=") ? first[4] : '\0';
}

Reading best_reading(std::string_view text, const LogMap& map, std::vector<std::string>& notes) {
  Reading best;
  for (const char separator : kFound) {
    if (map.decimal_comma.value_or(false) && separator == ',') continue;
    Reading one = read_as(text, separator, map.header_row);
    // Blanks also stand within names and dates: only where nothing else separates.
    const bool better = merit(one) > merit(best) && !(separator == ' ' && best.width() > 1);
    if (best.records.empty() || better) best = std::move(one);
  }
  if (best.separator != ',' && best.width() > 1) {
    const std::string name = separator_name(best.separator);
    notes.push_back(fmt::format("fields are separated by {}: separator = \"{}\"",
                                best.separator == ' ' ? "blanks" : name, name));
  }
  return best;
}

// The line of the names; null: there is none.
const Record* names_of(const Reading& table, const LogMap& map, std::vector<std::string>& notes) {
  const Record* found = table.names < table.records.size() ? &table.records[table.names] : nullptr;
  // As traces are: names in the first line that is no comment.
  if (!map.guess && map.header_row == 0) return &table.records.front();
  if (found != nullptr) return found;
  if (table.row == table.records.size()) return &table.records.front();
  if (map.guess && map.header_row == 0 && !table.comments.empty() &&
      table.comments.back().fields.size() == table.width() && table.comments.back().is_names()) {
    notes.push_back(fmt::format("the names of the columns are in the comment of line {}",
                                table.comments.back().line));
    return &table.comments.back();
  }
  notes.push_back(
      fmt::format("no line names the columns; they are 'column 1' to 'column {}'", table.width()));
  return nullptr;
}

// Lines before the names, and between them and the rows.
void tell_other_lines(const Reading& table, const LogMap& map, LogForm& out) {
  const bool found = out.header_line > 0 && map.header_row == 0;
  if (found && table.names > 0 && table.names < table.records.size())
    out.notes.push_back(
        fmt::format("the names of the columns are in line {}; {} before it {} "
                    "not read: header_row = {}",
                    out.header_line, table.names == 1 ? "one line" : "the lines",
                    table.names == 1 ? "is" : "are", out.header_line));
  for (const Record& one : table.records) {
    if (one.line <= out.header_line || one.line >= out.first_line) continue;
    const bool units = are_units(one) && !are_processings(one);
    if (units) take_units(one, out);
    if (map.skip_rows < 0)
      out.notes.push_back(fmt::format("line {} {}", one.line,
                                      units ? "tells units" : "holds no numbers and is not read"));
  }
}

}  // namespace

LogForm find_form(std::string_view text, const std::string& file, const LogMap& map) {
  LogForm out;
  const char told = told_separator(text, map);
  if (map.decimal_comma.value_or(false) && told == ',')
    throw FileError(file, "numbers with a decimal comma cannot be separated by commas");
  const Reading table =
      told != 0 ? read_as(text, told, map.header_row) : best_reading(text, map, out.notes);
  if (table.records.empty())
    throw FileError(file, "there is no line of column names; expected one before the numbers");
  out.separator = table.separator;

  const Record* names = names_of(table, map, out.notes);
  const Record* row = table.row < table.records.size() ? &table.records[table.row] : nullptr;
  out.header_line = names == nullptr ? 0 : names->line;
  out.first_line = map.skip_rows >= 0            ? out.header_line + 1 + map.skip_rows
                   : map.guess && row != nullptr ? row->line
                                                 : out.header_line + 1;
  const std::size_t named = names != nullptr ? names->count() : 0;
  const std::size_t width = named > 1 ? named : std::max(named, row != nullptr ? row->count() : 0);
  if (width > kMaxColumns) throw FileError({{file, out.header_line, 1, too_many_columns(width)}});
  name_columns(names, width, out);
  for (const Record& one : table.records)
    if (one.line >= out.first_line && out.sample.size() < 5) out.sample.push_back(one.fields);
  if (map.guess) tell_other_lines(table, map, out);
  out.decimal_comma =
      map.decimal_comma.value_or(map.guess && out.separator != ',' && has_decimal_commas(table));
  if (out.decimal_comma && !map.decimal_comma)
    out.notes.emplace_back("numbers have decimal commas: decimal_comma = true");
  return out;
}

}  // namespace knuckleboom::io
