#include "knuckleboom/io/log_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "can_table.hpp"
#include "csv.hpp"
#include "log_keys.hpp"
#include "log_map_reader.hpp"
#include "number_table.hpp"
#include "table_bytes.hpp"
#include "table_layout.hpp"
#include "table_rows.hpp"
#include "table_times.hpp"
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

// Times have a unit more than keys of files.
constexpr std::pair<std::string_view, double> kTimeUnits[] = {
    {"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};

std::optional<double> time_scale(std::string_view unit) {
  for (const auto& [word, seconds] : kTimeUnits)
    if (word == unit) return seconds;
  return std::nullopt;
}

// The unit of that kind that a table's own text means: "°", "deg/s", "[Bar]".
const Unit* unit_of_text(Dimension dimension, const std::string& text) {
  constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
      {"\u00b0", "deg"}, {"degrees", "deg"}, {"\u00b0/s", "deg/s"}, {"sec", "s"},
      {"seconds", "s"},  {"volt", "V"},      {"volts", "V"},        {"1/min", "rpm"},
      {"\u00b5s", "us"}, {"\u03bcs", "us"}};
  const auto search = [&](std::string_view wanted, bool exactly) -> const Unit* {
    for (const Unit& unit : units(dimension))
      if (exactly ? wanted == unit.label || wanted == unit.suffix
                  : lower_case(wanted) == lower_case(unit.label) ||
                        lower_case(wanted) == lower_case(unit.suffix))
        return &unit;
    return nullptr;
  };
  for (const auto& [theirs, ours] : kOthers)
    if (lower_case(text) == theirs) return search(ours, true);
  const Unit* exact = search(text, true);
  return exact != nullptr ? exact : search(text, false);
}

bool says_nothing(std::string_view unit) {
  return unit.empty() || unit == "-" || unit == "1" || unit == "[]";
}

// Whether a name in a map is that column, with or without the unit that stands behind it in the table.
bool is_called(const LogForm& form, std::size_t i, const std::string& name) {
  const std::string& theirs = form.columns[i];
  const std::string& unit = form.units[i];
  return theirs == name || (!unit.empty() && (name == fmt::format("{} [{}]", theirs, unit) ||
                                              name == fmt::format("{} ({})", theirs, unit)));
}

const std::string* find_column(const LogForm& form, const std::string& name) {
  for (std::size_t i = 0; i < form.columns.size(); ++i)
    if (is_called(form, i, name)) return &form.columns[i];
  return nullptr;
}

std::size_t index_of(const LogForm& form, const std::string& column) {
  return static_cast<std::size_t>(std::find(form.columns.begin(), form.columns.end(), column) -
                                  form.columns.begin());
}

// The table's own; a name that it has not is left for its reader to refuse.
std::string time_column(const LogForm& form, const LogMap& map) {
  if (map.row_s > 0.0) return {};
  if (!map.time.empty()) {
    const std::string* found = find_column(form, map.time);
    return found != nullptr ? *found : map.time;
  }
  for (const char* name : {"t_s", "t"})
    if (index_of(form, name) < form.columns.size()) return name;
  if (map.guess)
    for (const std::string& name : form.columns)
      if (const std::string word = lower_case(name);
          word.starts_with("time") || word.starts_with("zeit") || word.starts_with("date"))
        return name;
  return form.columns.front();
}

constexpr std::string_view kClock = "clock";

// As the map, the table or the name says.
std::string time_unit(const LogForm& form, const LogMap& map) {
  if (!map.time_unit.empty()) return map.time_unit;
  const std::size_t i = index_of(form, form.time);
  if (i == form.columns.size()) return {};
  if (map.guess)
    for (const std::vector<std::string>& row : form.sample) {
      if (i >= row.size() || row[i].empty()) continue;
      if (!table_number(row[i], form.decimal_comma) && clock_time(row[i]))
        return std::string(kClock);
      break;
    }
  const std::string& told = form.units[i];
  if (time_scale(told)) return told;
  if (const Unit* unit = unit_of_text(Dimension::kTime, told); unit != nullptr)
    return std::string(unit->suffix);
  for (const auto& [word, seconds] : kTimeUnits)
    if (form.time.ends_with("_" + std::string(word))) return std::string(word);
  return {};
}

// Columns that are numbers already; their "lines" are rows, from 1 on.
TableRows pick_columns(const NumberColumns& columns, const LogForm& form, const RowWish& wish) {
  TableRows out;
  for (std::size_t i = 0; i < form.columns.size(); ++i) {
    if (std::find(wish.only.begin(), wish.only.end(), form.columns[i]) == wish.only.end()) continue;
    out.csv.columns.push_back(form.columns[i]);
    out.csv.data.push_back(columns.data[i]);
    for (double& x : out.csv.data.back())
      if (!std::isfinite(x)) x = std::numeric_limits<double>::quiet_NaN();
  }
  out.csv.lines.resize(columns.data.front().size());
  std::iota(out.csv.lines.begin(), out.csv.lines.end(), 1);
  return out;
}

// Where the rows are: one of the three.
struct LogSource {
  const std::string& file;
  const TableBytes* bytes;
  const NumberColumns* numbers;
  const CanTable* can;
};

class LogReader {
 public:
  LogReader(const LogSource& source, const LogMap& map, const LogForm& form)
      : file_(source.file), source_(source), map_(map), form_(form), notes_(form.notes) {}

  Trace read(std::span<const LogColumn> columns, std::span<const KnownColumn> known) {
    known_ = known;
    if (!columns.empty()) check_separator(columns.front());
    check_time();
    std::vector<std::string> only;
    std::vector<Theirs> all;
    for (const LogColumn& column : columns) {
      Theirs theirs;
      theirs.name = wanted_column(column, column.column.empty() ? column.name : column.column);
      if (!column.minus.empty()) theirs.minus = wanted_column(column, column.minus);
      if (column.held) held_.insert(held_.end(), {theirs.name, theirs.minus});
      theirs.unit = factor_of(column, theirs.name);
      only.push_back(theirs.name);
      if (!theirs.minus.empty()) only.push_back(theirs.minus);
      all.push_back(std::move(theirs));
    }
    if (!errors_.empty()) throw FileError(std::move(errors_));
    uses_ = only;
    TableRows rows = read_rows(std::move(only));
    Trace out = timed(rows);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      out.columns.push_back(columns[i].name);
      if (columns[i].held) out.held.push_back(columns[i].name);
      out.data.push_back(take(rows.csv, all[i].name));
      if (!all[i].minus.empty()) {
        const std::vector<double> other = take(rows.csv, all[i].minus);
        for (std::size_t row = 0; row < other.size(); ++row) out.data.back()[row] -= other[row];
      }
      make_ours(columns[i], all[i], rows.csv, out.data.back());
    }
    return noted(std::move(out), rows);
  }

  Trace read_all() {
    check_time();
    if (!errors_.empty()) throw FileError(std::move(errors_));
    std::vector<std::string> only;
    for (std::size_t i = 0; i < form_.columns.size(); ++i)
      if (form_.columns[i] != form_.time && is_numbers(i)) only.push_back(form_.columns[i]);
    uses_ = only;
    TableRows rows = read_rows(only);
    Trace out = timed(rows);
    for (const std::string& name : only) {
      out.columns.push_back(name);
      out.data.push_back(take(rows.csv, name));
    }
    return noted(std::move(out), rows);
  }

 private:
  struct Theirs {
    std::string name, minus;
    Unit unit{"", "", 1.0, 1.0};
  };

  bool is_clock() const { return map_.time_unit.empty() && form_.time_unit == kClock; }

  TableRows read_rows(std::vector<std::string> only) const {
    RowWish wish{std::move(only), {}, !map_.guess};
    if (!form_.time.empty()) wish.only.push_back(form_.time);
    if (is_clock()) wish.clock = form_.time;
    TableRows rows = source_.can != nullptr       ? source_.can->rows(wish, held_)
                     : source_.numbers != nullptr ? pick_columns(*source_.numbers, form_, wish)
                                                  : parse_rows(*source_.bytes, form_, wish);
    if (rows.csv.lines.empty())
      throw FileError(file_, "there are no rows behind the line of column names");
    return rows;
  }

  Trace timed(TableRows& rows) {
    Trace out{std::move(rows.csv.comments), {"t_s"}, {}, file_};
    if (form_.time.empty()) {
      out.data.push_back(even_times(rows.csv.lines.size()));
    } else {
      uses_.push_back(form_.time);
      out.data.push_back(take(rows.csv, form_.time));
      make_seconds(out.data.front(), rows.csv);
    }
    for (double& t : out.data.front()) t += map_.shift_s;
    return out;
  }

  Trace noted(Trace out, TableRows& rows) {
    out.notes = std::move(notes_);
    out.notes.insert(out.notes.end(), rows.notes.begin(), rows.notes.end());
    return out;
  }

  // As far as the first rows tell.
  bool is_numbers(std::size_t i) const {
    return source_.can != nullptr ||
           std::all_of(form_.sample.begin(), form_.sample.end(), [&](const auto& row) {
             return i >= row.size() || is_missing_mark(row[i]) ||
                    table_number(row[i], form_.decimal_comma);
           });
  }

  // A whole line taken for one name is one mistake, not one for each column of the map.
  void check_separator(const LogColumn& first) const {
    const std::vector<std::string>& theirs = form_.columns;
    if (theirs.size() != 1 || theirs.front() == first.column || source_.bytes == nullptr) return;
    for (const char character : {';', '\t', ','})
      if (character != form_.separator && theirs.front().find(character) != std::string::npos)
        throw FileError({{map_.place.file, map_.place.line, map_.place.column,
                          fmt::format("{} is all in one column; give the log map separator = "
                                      "\"{}\"",
                                      file_, separator_name(character))}});
  }

  void error(const Diagnostic& place, std::string message) {
    errors_.push_back({place.file, place.line, place.column, std::move(message)});
  }

  std::string wanted_column(const LogColumn& column, const std::string& name) {
    if (const std::string* found = find_column(form_, name)) return *found;
    if (source_.can != nullptr) {
      if (const auto found = source_.can->find(name)) return *found;
      if (std::string why = source_.can->why_not(name); !why.empty()) {
        error(column.place, std::move(why));
        return name;
      }
    }
    error(column.place,
          fmt::format("{} has no column '{}'{}", file_, name, alternatives(name, form_.columns)));
    return name;
  }

  void check_time() {
    if (form_.time.empty() || index_of(form_, form_.time) < form_.columns.size()) return;
    error(map_.place, fmt::format("{} has no column '{}' for the time{}", file_, form_.time,
                                  alternatives(form_.time, form_.columns)));
  }

  std::vector<double> even_times(std::size_t rows) const {
    std::vector<double> t(rows);
    for (std::size_t i = 0; i < rows; ++i) t[i] = static_cast<double>(i) * map_.row_s;
    return t;
  }

  FileError at_row(const Csv& csv, std::size_t row, std::string message) const {
    if (source_.numbers != nullptr)
      return {file_, fmt::format("row {}: {}", csv.lines[row], message)};
    return FileError({{file_, csv.lines[row], 1, std::move(message)}});
  }

  void make_seconds(std::vector<double>& t, const Csv& csv) {
    const std::string& name = form_.time;
    const bool clocks = is_clock();
    const std::optional<double> known = time_scale(form_.time_unit);
    if (!clocks && !form_.time_unit.empty() && !known)
      throw FileError({{map_.place.file, map_.place.line, map_.place.column,
                        fmt::format("'time_unit' is \"{}\"; expected \"s\", \"ms\", \"us\" or "
                                    "\"ns\"",
                                    form_.time_unit)}});
    double scale = known.value_or(1.0);
    bool long_ago = clocks;  // a start that costs digits and tells nothing
    const auto since = map_.guess && !clocks ? epoch_unit(t.front() * scale, t.back() * scale)
                                             : std::optional<double>();
    if (since) {
      long_ago = true;
      for (const auto& [word, seconds] : kTimeUnits)
        if (*since == seconds && (!known || seconds != 1.0))
          note("times of '{}' look like {} since 1970: time_unit = \"{}\"", name, word, word);
      if (!known) scale = *since;
    }
    const double start = long_ago ? t.front() : 0.0;
    if (long_ago) note("times count from the first row");
    for (double& x : t) x = (x - start) * scale;
    if (const auto fault = mend_times(t, clocks, map_.guess, notes_))
      throw at_row(csv, *fault,
                   fmt::format("the times of column '{}' must be numbers that increase; take "
                               "this {} out, or map another column",
                               name, source_.numbers != nullptr ? "row" : "line"));
    if (map_.guess && !known && !clocks && t.size() > 2 && scale == 1.0 && name != "t_s" &&
        name != "t")
      note_step(t, name);
  }

  // Rows that are whole seconds apart are mostly milliseconds.
  void note_step(const std::vector<double>& t, const std::string& name) {
    const double step = (t.back() - t.front()) / static_cast<double>(t.size() - 1);
    if (step > 1.5)
      note(
          "times of '{}' are taken as seconds, rows {:.3g} s apart; if they are ms: time_unit = "
          "\"ms\"",
          name, step);
  }

  template <typename... Args>
  void note(fmt::format_string<Args...> text, Args&&... args) {
    notes_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  // A column that is not used again is not copied.
  std::vector<double> take(Csv& csv, const std::string& name) {
    const auto at = std::find(csv.columns.begin(), csv.columns.end(), name);
    std::vector<double>& values = csv.data[static_cast<std::size_t>(at - csv.columns.begin())];
    uses_.erase(std::find(uses_.begin(), uses_.end(), name));
    const bool again = std::find(uses_.begin(), uses_.end(), name) != uses_.end();
    return again ? values : std::move(values);
  }

  void make_ours(const LogColumn& column, const Theirs& theirs, const Csv& csv,
                 std::vector<double>& values) const {
    for (double& x : values) x = column.scale * to_si(x, theirs.unit) + column.offset.value;
    const double most = known_of(column)->most;
    std::size_t worst = 0;
    double largest = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::fabs(values[i]) > largest) largest = std::fabs(values[worst = i]);
    if (largest <= 1.05 * most) return;
    const bool percent = largest > 2.0 * most && largest <= 105.0 * most;
    const bool mille = largest > 105.0 * most && largest <= 1050.0 * most;
    throw at_row(csv, worst,
                 fmt::format("column '{}' is {:.4g} here, but '{}' goes from {:g} to {:g}; {}",
                             theirs.name, values[worst], column.name, -most, most,
                             percent ? "it looks like per cent: give a log map with scale = 0.01"
                             : mille ? "it looks like per mille: give a log map with scale = 0.001"
                                     : "give a log map with a scale, 1 over its full travel"));
  }

  const KnownColumn* known_of(const LogColumn& column) const {
    const auto known = std::find_if(known_.begin(), known_.end(), [&](const KnownColumn& one) {
      return one.name == column.name;
    });
    return known == known_.end() ? nullptr : &*known;
  }

  Unit factor_of(const LogColumn& column, const std::string& theirs) {
    constexpr Unit kNothing{"", "", 1.0, 1.0};
    constexpr Unit kPercent{"", "%", 1.0, 100.0};
    const KnownColumn* known = known_of(column);
    if (known == nullptr) {
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
    const std::size_t at = index_of(form_, theirs);
    const std::string told = at < form_.units.size() ? form_.units[at] : std::string();
    if (column.unit.empty() && !says_nothing(told)) {
      const bool percent = told == "%" || lower_case(told) == "percent";
      if (percent && dimension == Dimension::kNone && column.scale == 1.0) {
        note("column '{}' is in per cent, as the table says", theirs);
        return kPercent;
      }
      if (const Unit* unit = unit_of_text(dimension, told); unit != nullptr) return *unit;
      if (dimension == Dimension::kNone) return kNothing;
      error(
          column.place,
          fmt::format("the table gives '{}' in '{}', and '{}' is {}; add unit = {}, or map another "
                      "column",
                      theirs, told, column.name, dimension_name(dimension), suffixes(dimension)));
      return kNothing;
    }
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

  const std::string& file_;
  LogSource source_;
  const LogMap& map_;
  const LogForm& form_;
  std::span<const KnownColumn> known_;
  std::vector<std::string> notes_;
  std::vector<std::string> held_;  // their columns
  std::vector<std::string> uses_;  // of columns that are still to come, each name as often
  std::vector<Diagnostic> errors_;
};

}  // namespace

Diagnostic at_place(const Report& report, const Place& place) {
  return {report.file(place.file), place.line, place.column, {}};
}

void read_log_layout(TableReader& reader, LogMap& map) {
  namespace k = declare::keys::log_layout;
  reader.fill(map);
  map.decimal_comma = reader.flag(k::decimal_comma);
  if (map.row_s > 0.0 && reader.has(k::time))
    reader.error(k::row, "'row' says that the table has no time, and 'time' names it; keep one");
  if (map.decimal_comma.value_or(false) && map.separator == ',')
    reader.error(
        k::decimal_comma,
        "numbers with a decimal comma cannot be separated by commas; set separator = \";\" "
        "or \"tab\"");
  map.place = at_place(reader.report(), reader.place_of(k::time));
}

void find_dbc(const std::filesystem::path& folder, LogMap& map) {
  if (!map.dbc.empty()) map.dbc = (folder / map.dbc).lexically_normal().string();
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

LogTable::LogTable(const std::filesystem::path& path, LogMap map)
    : file_(path.string()), map_(std::move(map)) {
  understand(std::make_shared<TableBytes>(path, map_.guess));
}

LogTable::LogTable(std::string bytes, std::string file_name, LogMap map)
    : file_(std::move(file_name)), map_(std::move(map)) {
  understand(std::make_shared<TableBytes>(std::move(bytes), file_, map_.guess));
}

LogTable::LogTable(NumberArrays arrays, std::string file_name, LogMap map)
    : file_(std::move(file_name)), map_(std::move(map)) {
  if (!map_.dbc.empty())
    throw FileError(file_, fmt::format("this is {}, no log of frames of a CAN bus; leave the DBC, "
                                       "{}, away",
                                       arrays.kind, map_.dbc));
  form_.kind = arrays.kind;
  NumberColumns columns = columns_of(std::move(arrays), file_, map_);
  form_.columns = columns.names;
  form_.units = columns.units;
  form_.notes = columns.notes;
  for (std::size_t row = 0; row < std::min<std::size_t>(5, columns.data.front().size()); ++row) {
    std::vector<std::string>& fields = form_.sample.emplace_back();
    for (const std::vector<double>& column : columns.data)
      fields.push_back(fmt::format("{:.6g}", column[row]));
  }
  form_.time = map_.time.empty() && map_.row_s <= 0.0 && !columns.time.empty()
                   ? columns.time
                   : time_column(form_, map_);
  if (!form_.time.empty()) form_.time_unit = time_unit(form_, map_);
  if (columns.clock && form_.time == columns.time && map_.time_unit.empty())
    form_.time_unit = kClock;
  numbers_ = std::make_shared<NumberColumns>(std::move(columns));
}

void LogTable::understand(std::shared_ptr<const TableBytes> bytes) {
  if (!map_.dbc.empty()) {
    can_ = std::make_shared<CanTable>(bytes, map_);
    form_ = can_->form();
  } else {
    if (can_form(bytes->head()))
      throw FileError(
          file_,
          "this is a log of frames of a CAN bus; say with --dbc FILE, or dbc = \"FILE\" "
          "in a log map, which DBC describes its signals");
    bytes_ = bytes;
    form_ = find_form(bytes->head(), file_, map_);
    form_.time = time_column(form_, map_);
    if (!form_.time.empty()) form_.time_unit = time_unit(form_, map_);
  }
  form_.notes.insert(form_.notes.begin(), bytes->notes().begin(), bytes->notes().end());
}

Trace LogTable::read(std::span<const LogColumn> columns, std::span<const KnownColumn> known) const {
  return LogReader({file_, bytes_.get(), numbers_.get(), can_.get()}, map_, form_)
      .read(columns, known);
}

Trace LogTable::read_all() const {
  return LogReader({file_, bytes_.get(), numbers_.get(), can_.get()}, map_, form_).read_all();
}

Trace read_log_text(std::string_view text, const std::string& file_name, const LogMap& map,
                    std::span<const KnownColumn> known) {
  return LogTable(std::string(text), file_name, map).read(map.columns, known);
}

std::string separator_name(char separator) {
  return separator == '\t' ? "tab" : separator == ' ' ? "space" : std::string(1, separator);
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
  find_dbc(std::filesystem::path(file_name).parent_path(), map);
  return map;
}

LogMap read_log_map(const std::filesystem::path& path) {
  return read_log_map_text(read_text_file(path, kConfigurationLimit, "log map"), path.string());
}

}  // namespace knuckleboom::io
