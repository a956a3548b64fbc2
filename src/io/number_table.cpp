#include "number_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "csv.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/words.hpp"
#include "table_layout.hpp"
#include "table_times.hpp"

namespace knuckleboom::io {
namespace {

std::string folder_of(const std::string& name) {
  const std::size_t at = name.rfind('/');
  return at == std::string::npos ? std::string() : name.substr(0, at);
}

std::string last_of(const std::string& name) {
  const std::size_t at = name.rfind('/');
  return at == std::string::npos ? name : name.substr(at + 1);
}

bool is_time_name(const std::string& name, bool guess) {
  const std::string word = last_of(name);
  if (word == "t" || word == "t_s") return true;
  const std::string lower = lower_case(word);
  return guess && (lower == "tout" || lower.starts_with("time") || lower.starts_with("zeit") ||
                   lower.starts_with("date"));
}

std::size_t count_of(const NumberArray& array) {
  std::size_t n = 1;
  for (const std::size_t size : array.shape) n *= size;
  return n;
}

// Longer than one in one direction at most.
bool is_vector(const NumberArray& array) {
  return std::count_if(array.shape.begin(), array.shape.end(),
                       [](std::size_t size) { return size > 1; }) <= 1;
}

// How a table lies in an array: its rows run along the first or the last index.
struct Lie {
  std::size_t rows = 0, columns = 0;
  bool rows_fastest = false;
};

std::optional<Lie> lies(const NumberArray& array, std::size_t rows) {
  const std::size_t n = count_of(array);
  if (array.shape.empty() || rows < 2 || n % rows != 0) return std::nullopt;
  if (is_vector(array)) return n == rows ? std::optional<Lie>({rows, 1, true}) : std::nullopt;
  if (array.shape.front() == rows) return Lie{rows, n / rows, array.first_fastest};
  if (array.shape.back() == rows) return Lie{rows, n / rows, !array.first_fastest};
  return std::nullopt;
}

std::vector<double> column_in(const NumberArray& array, const Lie& lie, std::size_t k) {
  std::vector<double> out(lie.rows);
  for (std::size_t i = 0; i < lie.rows; ++i)
    out[i] = array.values[lie.rows_fastest ? k * lie.rows + i : i * lie.columns + k];
  return out;
}

std::size_t same_beginning(const std::string& a, const std::string& b) {
  std::size_t n = 0;
  while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
  return n;
}

// An index as in "data(1)" is no unit.
std::pair<std::string, std::string> named(const std::string& name) {
  auto both = name_and_unit(name);
  if (both.second.find_first_not_of("0123456789") == std::string::npos) return {name, {}};
  return both;
}

class ColumnFinder {
 public:
  ColumnFinder(NumberArrays arrays, const std::string& file, const LogMap& map)
      : arrays_(std::move(arrays.arrays)), kind_(std::move(arrays.kind)), file_(file), map_(map) {
    out_.notes = std::move(arrays.notes);
  }

  NumberColumns find() {
    drop_common_folder();
    find_rows();
    for (NumberArray& array : arrays_) take(array);
    if (out_.names.empty()) refuse();
    if (out_.names.size() > kMaxColumns)
      throw FileError(file_, too_many_columns(out_.names.size()));
    tell(left_out_, fmt::format("as they have other lengths than the {} rows", rows_));
    tell(texts_, "as they are texts");
    find_days();
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse() const {
    std::string text = fmt::format(
        "this is {} without a table: no array has a number for each row; save the time and each "
        "channel as vectors of one length, or a matrix with a column each",
        kind_);
    for (const std::string& note : out_.notes) text += "; " + note;
    throw FileError(file_, text);
  }

  // A struct or group that holds everything need not stand before each name.
  void drop_common_folder() {
    while (!arrays_.empty()) {
      std::set<std::string> tops;
      for (const NumberArray& array : arrays_) {
        const std::size_t at = array.name.find('/');
        tops.insert(at == std::string::npos ? std::string() : array.name.substr(0, at));
      }
      if (tops.size() != 1 || tops.begin()->empty()) return;
      for (NumberArray& array : arrays_) array.name.erase(0, tops.begin()->size() + 1);
    }
  }

  const NumberArray* told_time() const {
    for (const NumberArray& array : arrays_)
      if (const std::string name = column_name(array);
          name == map_.time || named(name).first == map_.time)
        return &array;
    return nullptr;
  }

  // The longest time, and of several the one in the fewest structs.
  const NumberArray* called_time() {
    const NumberArray* best = nullptr;
    std::size_t times = 0;
    const auto depth = [](const NumberArray& array) {
      return std::count(array.name.begin(), array.name.end(), '/');
    };
    for (const NumberArray& array : arrays_) {
      if (!is_time_name(array.name, map_.guess) || !is_vector(array) || count_of(array) < 2)
        continue;
      ++times;
      if (best == nullptr || count_of(array) > count_of(*best) ||
          (count_of(array) == count_of(*best) && depth(array) < depth(*best)))
        best = &array;
    }
    if (times > 1)
      out_.notes.push_back(
          fmt::format("there are {} times; '{}' is taken, another one by time = \"NAME\" in a log "
                      "map",
                      times, column_name(*best)));
    return best;
  }

  // As many as the time has, or else as most numbers have.
  void find_rows() {
    const NumberArray* time = !map_.time.empty()  ? told_time()
                              : map_.row_s <= 0.0 ? called_time()
                                                  : nullptr;
    if (time != nullptr && is_vector(*time)) {
      rows_ = count_of(*time);
      time_ = time->name;
      return;
    }
    std::map<std::size_t, std::size_t> numbers;  // by rows
    for (const NumberArray& array : arrays_)
      if (!array.values.empty() && !array.shape.empty())
        numbers[is_vector(array) ? count_of(array)
                                 : std::max(array.shape.front(), array.shape.back())] +=
            count_of(array);
    std::size_t most = 0;
    for (const auto& [rows, count] : numbers)
      if (rows > 1 && count >= most) {
        most = count;
        rows_ = rows;
      }
  }

  static std::string column_name(const NumberArray& array) {
    std::string name = array.name;
    std::replace(name.begin(), name.end(), '/', '.');
    return name;
  }

  // Names beside a matrix, one for each of its columns: of several the ones that are called most like it.
  const NumberArray* names_beside(const NumberArray& matrix, std::size_t columns) const {
    const NumberArray* best = nullptr;
    std::size_t longest = 0;
    for (const NumberArray& array : arrays_) {
      if (array.texts.size() != columns) continue;
      const std::size_t alike = 1 + same_beginning(array.name, matrix.name);
      if (alike > longest) best = &array;
      longest = std::max(longest, alike);
    }
    return best;
  }

  // Simulink's structures with time: signals/values, signals(2)/values, named by signals/label.
  std::string label_beside(const NumberArray& values) const {
    if (last_of(values.name) != "values") return {};
    for (const NumberArray& array : arrays_)
      if (array.texts.size() == 1 && !array.texts.front().empty() &&
          folder_of(array.name) == folder_of(values.name) && last_of(array.name) == "label")
        return array.texts.front();
    return {};
  }

  void add(const std::string& name, const std::string& told_unit, std::vector<double> values) {
    auto [bare, unit] = named(name);
    if (!told_unit.empty()) unit = told_unit;
    if (bare.empty()) bare = fmt::format("column {}", out_.names.size() + 1);
    std::string once = bare;
    for (int n = 2; !seen_.insert(once).second; ++n) once = fmt::format("{} ({})", bare, n);
    const bool time = std::exchange(time_comes_, false);
    if (time) out_.time = once;
    out_.names.insert(time ? out_.names.begin() : out_.names.end(), std::move(once));
    out_.units.insert(time ? out_.units.begin() : out_.units.end(), std::move(unit));
    out_.data.insert(time ? out_.data.begin() : out_.data.end(), std::move(values));
  }

  // Times that are written as dates.
  bool take_clock(const NumberArray& array) {
    if (array.texts.size() != rows_ || rows_ < 2 || array.name != time_ || !map_.guess)
      return false;
    std::vector<double> times;
    for (const std::string& text : array.texts)
      times.push_back(clock_time(text).value_or(std::numeric_limits<double>::quiet_NaN()));
    if (!std::isfinite(times.front())) return false;
    out_.clock = true;
    time_comes_ = true;
    add(column_name(array), {}, std::move(times));
    return true;
  }

  void take(NumberArray& array) {
    if (array.values.empty()) {
      if (!take_clock(array) && array.texts.size() == rows_ && rows_ > 1)
        texts_.push_back(column_name(array));
      return;
    }
    const std::optional<Lie> lie = lies(array, rows_);
    if (!lie) {
      if (count_of(array) > 1) left_out_.push_back(column_name(array));
      return;
    }
    const std::string label = label_beside(array);
    const std::string name = label.empty() ? column_name(array) : label;
    time_comes_ = array.name == time_;
    if (lie->columns == 1) return add(name, array.unit, std::move(array.values));
    const NumberArray* names = names_beside(array, lie->columns);
    if (names != nullptr)
      out_.notes.push_back(fmt::format("the columns of '{}' have their names from '{}'",
                                       column_name(array), column_name(*names)));
    for (std::size_t k = 0; k < lie->columns; ++k)
      add(names != nullptr ? names->texts[k] : fmt::format("{}({})", name, k + 1), array.unit,
          column_in(array, *lie, k));
    array.values = {};
  }

  void tell(const std::vector<std::string>& names, const std::string& why) {
    if (names.empty()) return;
    out_.notes.push_back(fmt::format("left out, {}: {}", why, listing(names)));
  }

  // MATLAB's datenum counts days since the year 0.
  void find_days() {
    constexpr double kDay = 86'400.0, k1900 = 693'962.0, k1970 = 719'529.0, k2100 = 767'011.0;
    if (out_.time.empty() || out_.clock || !map_.guess || !map_.time_unit.empty() ||
        kind_.find("MATLAB") == std::string::npos || !out_.units.front().empty())
      return;
    std::vector<double>& days = out_.data.front();
    const double span = days.back() - days.front();
    if (!(days.front() > k1900 && days.back() < k2100 && span > 0.0 &&
          span < 0.5 * static_cast<double>(days.size() - 1)))
      return;
    for (double& x : days) x = (x - k1970) * kDay;
    out_.clock = true;
    out_.notes.push_back(fmt::format(
        "times of '{}' look like days of MATLAB's datenum; if they are not, say time_unit",
        out_.time));
  }

  std::vector<NumberArray> arrays_;
  std::string kind_;
  const std::string& file_;
  const LogMap& map_;
  std::size_t rows_ = 0;
  std::string time_;         // name of the array of the time; empty: none
  bool time_comes_ = false;  // as the next column
  std::set<std::string> seen_;
  std::vector<std::string> left_out_, texts_;
  NumberColumns out_;
};

}  // namespace

NumberColumns columns_of(NumberArrays arrays, const std::string& file, const LogMap& map) {
  return ColumnFinder(std::move(arrays), file, map).find();
}

}  // namespace knuckleboom::io
