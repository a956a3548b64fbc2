#include "knuckleboom/io/log_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "csv.hpp"
#include "csv_fields.hpp"
#include "log_keys.hpp"
#include "log_map_reader.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

// Dimensions of columns.
constexpr Dimension kColumnDimensions[] = {
    Dimension::kAngle, Dimension::kLength, Dimension::kVoltage,      Dimension::kPressure,
    Dimension::kSpeed, Dimension::kTime,   Dimension::kAngularSpeed, Dimension::kForce,
    Dimension::kNone,  Dimension::kPower,  Dimension::kEnergy};

std::string_view label_of(Dimension dimension) { return units(dimension).front().label; }

Dimension dimension_of(std::string_view label) {
  for (const Dimension dimension : kColumnDimensions)
    if (label_of(dimension) == label) return dimension;
  return Dimension::kNone;
}

std::string suffixes(Dimension dimension) {
  std::vector<std::string> words;
  for (const Unit& unit : units(dimension)) words.push_back(fmt::format("\"{}\"", unit.suffix));
  return listing(words, "or");
}

const Unit* find_unit(Dimension dimension, std::string_view suffix) {
  for (const Unit& unit : units(dimension))
    if (unit.suffix == suffix) return &unit;
  return nullptr;
}

// deg_per_s is often written deg_s, in our own traces too.
std::string short_suffix(const Unit& unit) {
  std::string text(unit.suffix);
  if (const std::size_t at = text.find("_per_"); at != std::string::npos) text.erase(at + 1, 4);
  return text;
}

// The unit that a column's name ends in.
const Unit* unit_of_name(Dimension dimension, std::string_view name) {
  const Unit* best = nullptr;
  std::size_t length = 0;
  for (const Unit& unit : units(dimension))
    for (const std::string& suffix : {std::string(unit.suffix), short_suffix(unit)}) {
      if (suffix.empty() || suffix.size() <= length || !name.ends_with("_" + suffix)) continue;
      best = &unit;
      length = suffix.size();
    }
  return best;
}

class LogReader {
 public:
  LogReader(const std::string& file, const LogMap& map, std::span<const KnownColumn> known)
      : file_(file), map_(map), known_(known) {}

  Trace read(std::string_view text) {
    CsvDialect dialect{true, true, map_.separator, map_.decimal_comma, {}};
    const std::vector<std::string> theirs = header_of(text);
    if (!map_.columns.empty()) check_separator(theirs);
    const std::string time = map_.row_s > 0.0 ? std::string() : time_column(theirs);
    for (const LogColumn& column : map_.columns) {
      const std::string& name = column.column.empty() ? column.name : column.column;
      if (std::find(theirs.begin(), theirs.end(), name) == theirs.end())
        error(column.place,
              fmt::format("{} has no column '{}'{}", file_, name, alternatives(name, theirs)));
      dialect.only.push_back(name);
      factors_.push_back(factor_of(column, name));
    }
    const double to_seconds = time.empty() ? 1.0 : time_factor(time);
    if (!errors_.empty()) throw FileError(std::move(errors_));
    if (!time.empty()) dialect.only.push_back(time);
    Csv csv = parse_csv(text, file_, dialect);
    const auto values = [&csv](const std::string& name) -> const std::vector<double>& {
      const auto at = std::find(csv.columns.begin(), csv.columns.end(), name);
      return csv.data[static_cast<std::size_t>(at - csv.columns.begin())];
    };
    Trace out{std::move(csv.comments), {"t_s"}, {}, file_};
    if (time.empty()) {
      std::vector<double> rows(csv.lines.size());
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<double>(i) * map_.row_s;
      out.data.push_back(std::move(rows));
    } else {
      out.data.push_back(values(time));
    }
    for (double& t : out.data.front()) t = t * to_seconds + map_.shift_s;
    check_times(out.data.front(), csv.lines, time);
    for (std::size_t i = 0; i < map_.columns.size(); ++i) {
      const LogColumn& column = map_.columns[i];
      out.columns.push_back(column.name);
      if (column.held) out.held.push_back(column.name);
      out.data.push_back(values(column.column.empty() ? column.name : column.column));
      for (double& x : out.data.back())
        x = column.scale * to_si(x, factors_[i]) + column.offset.value;
    }
    return out;
  }

  std::vector<std::string> header_of(std::string_view text) const {
    std::vector<std::string> names;
    for_each_line(text, [&](std::string_view line, int) {
      const std::string_view content = trimmed(line);
      if (content.empty() || content.front() == '#') return true;
      const auto visit = [&](std::string_view field, std::size_t) {
        if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
          field = field.substr(1, field.size() - 2);
        names.emplace_back(field);
      };
      split_fields(line, visit, map_.separator);
      return false;
    });
    return names;
  }

 private:
  // A whole line taken for one name is one mistake, not one for each column of the map.
  void check_separator(const std::vector<std::string>& theirs) const {
    if (theirs.size() != 1 || theirs.front() == map_.columns.front().column) return;
    constexpr std::pair<char, const char*> kSeparators[] = {{';', ";"}, {'\t', "tab"}, {',', ","}};
    for (const auto& [character, word] : kSeparators)
      if (character != map_.separator && theirs.front().find(character) != std::string::npos)
        throw FileError({{map_.place.file, map_.place.line, map_.place.column,
                          fmt::format("{} is all in one column; give the log map separator = "
                                      "\"{}\"",
                                      file_, word)}});
  }

  void error(const Diagnostic& place, std::string message) {
    errors_.push_back({place.file, place.line, place.column, std::move(message)});
  }

  std::string time_column(const std::vector<std::string>& theirs) {
    const auto has = [&](const std::string& name) {
      return std::find(theirs.begin(), theirs.end(), name) != theirs.end();
    };
    if (theirs.empty())
      throw FileError(file_, "there is no line of column names; expected one before the numbers");
    if (!map_.time.empty()) {
      if (!has(map_.time))
        error(map_.place, fmt::format("{} has no column '{}' for the time{}", file_, map_.time,
                                      alternatives(map_.time, theirs)));
      return map_.time;
    }
    for (const char* name : {"t_s", "t"})
      if (has(name)) return name;
    return theirs.front();
  }

  double time_factor(const std::string& name) {
    const Unit* unit = map_.time_unit.empty() ? unit_of_name(Dimension::kTime, name)
                                              : find_unit(Dimension::kTime, map_.time_unit);
    if (unit == nullptr && !map_.time_unit.empty())
      error(map_.place, fmt::format("'time_unit' is \"{}\"; expected {}", map_.time_unit,
                                    suffixes(Dimension::kTime)));
    return unit == nullptr ? 1.0 : to_si(1.0, *unit);  // a time without a unit is in seconds
  }

  Unit factor_of(const LogColumn& column, const std::string& theirs) {
    constexpr Unit kNothing{"", "", 1.0, 1.0};
    const auto known = std::find_if(known_.begin(), known_.end(), [&](const KnownColumn& one) {
      return one.name == column.name;
    });
    if (known == known_.end()) {
      std::vector<std::string> names;
      for (const KnownColumn& one : known_) names.push_back(one.name);
      error(column.place, fmt::format("there is no channel '{}'{}", column.name,
                                      alternatives(column.name, names)));
      return kNothing;
    }
    const Dimension dimension = dimension_of(known->unit);
    if (column.offset.given && column.offset.unit != known->unit)
      error(column.place, fmt::format("the offset of '{}' is {}, but that is {}", column.name,
                                      dimension_name(dimension_of(column.offset.unit)),
                                      dimension_name(dimension)));
    const Unit* unit =
        column.unit.empty() ? unit_of_name(dimension, theirs) : find_unit(dimension, column.unit);
    if (unit != nullptr) return *unit;
    if (column.unit.empty() && (dimension == Dimension::kNone || theirs == column.name))
      return kNothing;
    if (dimension == Dimension::kNone)
      error(column.place, fmt::format("'unit' of '{}' is \"{}\", but that is a plain number; take "
                                      "the unit away",
                                      column.name, column.unit));
    else if (column.unit.empty())
      error(column.place, fmt::format("in what unit is '{}'? '{}' is {}; add unit = {}", theirs,
                                      column.name, dimension_name(dimension), suffixes(dimension)));
    else
      error(column.place,
            fmt::format("'unit' of '{}' is \"{}\"; that is {}, so expected {}", column.name,
                        column.unit, dimension_name(dimension), suffixes(dimension)));
    return kNothing;
  }

  void check_times(const std::vector<double>& t, const std::vector<int>& lines,
                   const std::string& name) const {
    if (t.empty()) throw FileError(file_, "there are no rows behind the line of column names");
    for (std::size_t i = 0; i < t.size(); ++i) {
      if (std::isfinite(t[i]) && (i == 0 || t[i] > t[i - 1])) continue;
      throw FileError({{file_, lines[i], 1,
                        fmt::format("the times of column '{}' must be numbers that increase; take "
                                    "this line out, or map another column",
                                    name)}});
    }
  }

  const std::string& file_;
  const LogMap& map_;
  std::span<const KnownColumn> known_;
  std::vector<Unit> factors_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

Diagnostic at_place(const Report& report, const Place& place) {
  return {report.file(place.file), place.line, place.column, {}};
}

void read_log_layout(TableReader& reader, LogMap& map) {
  namespace k = declare::keys::log_layout;
  reader.fill(map);
  if (map.row_s > 0.0 && reader.has(k::time))
    reader.error(k::row, "'row' says that the table has no time, and 'time' names it; keep one");
  if (map.decimal_comma && map.separator == ',')
    reader.error(
        k::decimal_comma,
        "numbers with a decimal comma cannot be separated by commas; set separator = \";\" "
        "or \"tab\"");
  map.place = at_place(reader.report(), reader.place_of(k::time));
}

LogQuantity read_log_quantity(TableReader& reader, const Key& key) {
  LogQuantity out;
  Dimension which = Dimension::kNone;
  const auto value = reader.either(key, which);
  if (!value) return out;
  out.value = *value;
  out.unit = label_of(which);
  out.given = true;
  return out;
}

LogColumn read_log_column(TableReader& reader) {
  namespace k = declare::keys::log_column;
  LogColumn out;
  reader.fill(out);
  if (out.scale == 0.0) reader.error(k::scale, "'scale' is 0; leave the column out instead");
  out.offset = read_log_quantity(reader, k::offset);
  out.place = at_place(reader.report(), reader.place_of(k::name));
  return out;
}

Trace read_log_text(std::string_view text, const std::string& file_name, const LogMap& map,
                    std::span<const KnownColumn> known) {
  check_text(text, file_name, kTraceLimit, "table (CSV)");
  return LogReader(file_name, map, known).read(text);
}

Trace read_log(const std::filesystem::path& path, const LogMap& map,
               std::span<const KnownColumn> known) {
  return read_log_text(read_text_file(path, kTraceLimit, "table (CSV)"), path.string(), map, known);
}

std::vector<std::string> log_columns(const std::filesystem::path& path, char separator) {
  LogMap map;
  map.separator = separator;
  const std::string name = path.string();
  return LogReader(name, map, {}).header_of(read_text_file(path, kTraceLimit, "table (CSV)"));
}

LogMap read_log_map_text(std::string_view text, const std::string& file_name) {
  Report report;
  Hasher hash;
  DocumentOptions options;
  options.what = "log map";
  const Node root = read_document(text, file_name, {}, options, report, hash);
  LogMap map;
  namespace k = declare::keys::log_map;
  TableReader reader(report, root, k::table, "the log map");
  read_log_layout(reader, map);
  for (const Node* node : reader.tables(k::columns)) {
    TableReader column(report, *node, declare::keys::log_column::table, "a column");
    map.columns.push_back(read_log_column(column));
    column.done();
  }
  if (map.columns.empty() && !report.any())
    report.error(root.place, "the log map has no [[column]]; add one for each channel");
  reader.done();
  report.throw_if_any();
  return map;
}

LogMap read_log_map(const std::filesystem::path& path) {
  return read_log_map_text(read_text_file(path, kConfigurationLimit, "log map"), path.string());
}

}  // namespace knuckleboom::io
