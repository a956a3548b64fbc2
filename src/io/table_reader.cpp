#include "table_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

namespace knuckleboom::io {
namespace {

std::string in_unit(double si, const Unit& unit) {
  const double written = si * unit.divide / unit.multiply;
  std::string text = fmt::format("{}", written);
  if (!unit.label.empty()) text.append(" ").append(unit.label);
  return text;
}

std::string range_text(const Range& range, const Unit& unit) {
  const bool low = range.low > -std::numeric_limits<double>::max();
  const bool high = range.high < std::numeric_limits<double>::max();
  const std::string_view above = range.open_low ? "above" : "at least";
  if (low && high)
    return fmt::format("{} {} and at most {}", above, in_unit(range.low, unit),
                       in_unit(range.high, unit));
  if (low) return fmt::format("{} {}", above, in_unit(range.low, unit));
  return fmt::format("at most {}", in_unit(range.high, unit));
}

std::string full_key(std::string_view stem, const Unit& unit) {
  std::string key(stem);
  if (!unit.suffix.empty()) key.append("_").append(unit.suffix);
  return key;
}

}  // namespace

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || text.size() > 64 || !letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

TableReader::TableReader(Report& report, const Node& table, std::string what)
    : report_(report), table_(table), what_(std::move(what)), used_(table.entries.size(), false) {}

void TableReader::know(std::string_view stem, std::initializer_list<Dimension> dimensions) {
  for (Known& known : known_) {
    if (known.stem != stem) continue;
    for (const Dimension dimension : dimensions)
      if (std::find(known.dimensions.begin(), known.dimensions.end(), dimension) ==
          known.dimensions.end())
        known.dimensions.push_back(dimension);
    return;
  }
  known_.push_back({std::string(stem), dimensions});
}

Place TableReader::place_of(std::string_view stem) const {
  for (const Entry& entry : table_.entries)
    if (entry.key == stem || split_key(entry.key).stem == stem) return entry.value.place;
  return table_.place;
}

bool TableReader::has(std::string_view stem) const {
  return std::any_of(table_.entries.begin(), table_.entries.end(), [&](const Entry& entry) {
    return entry.key == stem || split_key(entry.key).stem == stem;
  });
}

void TableReader::error(std::string_view stem, std::string message) {
  report_.error(place_of(stem), std::move(message));
}

const Entry* TableReader::take(std::string_view stem, std::initializer_list<Dimension> dimensions,
                               const Unit** unit, Dimension* which) {
  know(stem, dimensions);
  const Entry* found = nullptr;
  for (std::size_t i = 0; i < table_.entries.size(); ++i) {
    const Entry& entry = table_.entries[i];
    for (const Dimension dimension : dimensions) {
      for (const Unit& candidate : units(dimension)) {
        if (used_[i] || entry.key != full_key(stem, candidate)) continue;
        used_[i] = true;
        if (found != nullptr) {
          report_.error(entry.place,
                        fmt::format("{} gives '{}' twice, as '{}' and as '{}'; keep one of them",
                                    what_, stem, found->key, entry.key));
          continue;
        }
        found = &entry;
        if (unit != nullptr) *unit = &candidate;
        if (which != nullptr) *which = dimension;
      }
    }
  }
  return found;
}

bool TableReader::check_kind(const Entry& entry, Node::Kind kind, std::string_view expected) {
  if (entry.value.kind == kind) return true;
  report_.error(entry.value.place, fmt::format("'{}' must be {}, not {}", entry.key, expected,
                                               kind_name(entry.value.kind)));
  return false;
}

std::optional<double> TableReader::number(const Node& node, std::string_view key, const Unit& unit,
                                          const Range& range) {
  if (!node.is_number()) {
    report_.error(node.place,
                  fmt::format("'{}' must be a number{}{}, not {}", key,
                              unit.label.empty() ? "" : " in ", unit.label, kind_name(node.kind)));
    return std::nullopt;
  }
  const double si = to_si(node.number, unit);
  if (!std::isfinite(node.number) || !std::isfinite(si)) {
    report_.error(node.place,
                  fmt::format("'{}' is {}; it must be a finite number", key, node.text));
    return std::nullopt;
  }
  if (si < range.low || si > range.high || (range.open_low && si == range.low)) {
    report_.error(node.place, fmt::format("'{}' is {}; it must be {}", key, node.text,
                                          range_text(range, unit)));
    return std::nullopt;
  }
  return si;
}

const Node* TableReader::any(std::string_view key) {
  const Entry* entry = take(key, {Dimension::kNone}, nullptr, nullptr);
  return entry != nullptr ? &entry->value : nullptr;
}

std::optional<std::string> TableReader::text(std::string_view key) {
  const Entry* entry = take(key, {Dimension::kNone}, nullptr, nullptr);
  if (entry == nullptr || !check_kind(*entry, Node::Kind::kString, "a string")) return std::nullopt;
  return entry->value.text;
}

std::optional<bool> TableReader::flag(std::string_view key) {
  const Entry* entry = take(key, {Dimension::kNone}, nullptr, nullptr);
  if (entry == nullptr || !check_kind(*entry, Node::Kind::kBoolean, "true or false"))
    return std::nullopt;
  return entry->value.boolean;
}

std::optional<int> TableReader::integer(std::string_view key, int low, int high) {
  const Entry* entry = take(key, {Dimension::kNone}, nullptr, nullptr);
  if (entry == nullptr || !check_kind(*entry, Node::Kind::kInteger, "an integer"))
    return std::nullopt;
  const std::int64_t value = entry->value.integer;
  if (value < low || value > high) {
    report_.error(
        entry->value.place,
        fmt::format("'{}' is {}; it must be at least {} and at most {}", key, value, low, high));
    return std::nullopt;
  }
  return static_cast<int>(value);
}

std::optional<double> TableReader::quantity(std::string_view stem, Dimension dimension,
                                            Range range) {
  Dimension which{};
  return quantity(stem, {dimension}, range, which);
}

std::optional<double> TableReader::quantity(std::string_view stem,
                                            std::initializer_list<Dimension> dimensions,
                                            Range range, Dimension& which) {
  const Unit* unit = nullptr;
  const Entry* entry = take(stem, dimensions, &unit, &which);
  if (entry == nullptr) return std::nullopt;
  return number(entry->value, entry->key, *unit, range);
}

std::optional<std::vector<double>> TableReader::numbers(std::string_view stem, Dimension dimension,
                                                        Range range, std::size_t low_count,
                                                        std::size_t high_count) {
  const Unit* unit = nullptr;
  const Entry* entry = take(stem, {dimension}, &unit, nullptr);
  if (entry == nullptr) return std::nullopt;
  const std::string count = low_count == high_count
                                ? fmt::format("{}", low_count)
                                : fmt::format("{} to {}", low_count, high_count);
  if (!check_kind(*entry, Node::Kind::kArray, fmt::format("an array of {} numbers", count)))
    return std::nullopt;
  const std::size_t n = entry->value.items.size();
  if (n < low_count || n > high_count) {
    report_.error(entry->value.place,
                  fmt::format("'{}' has {} entries; expected {} numbers", entry->key, n, count));
    return std::nullopt;
  }
  std::vector<double> values;
  for (const Node& item : entry->value.items)
    if (const auto value = number(item, entry->key, *unit, range)) values.push_back(*value);
  if (values.size() != n) return std::nullopt;
  return values;
}

std::optional<Vec3> TableReader::vector(std::string_view stem, Dimension dimension) {
  // No direction is left in angles beyond.
  const Range range = dimension == Dimension::kAngle ? Range{-1e6, 1e6} : kAny;
  const auto values = numbers(stem, dimension, range, 3, 3);
  if (!values) return std::nullopt;
  return Vec3((*values)[0], (*values)[1], (*values)[2]);
}

std::optional<Table> TableReader::curve(std::string_view key, Range x_range, Range y_range) {
  return curve(key, Dimension::kNone, x_range, y_range);
}

std::optional<Table> TableReader::curve(std::string_view stem, Dimension y_dimension, Range x_range,
                                        Range y_range) {
  const Unit* y_unit = nullptr;
  const Entry* entry = take(stem, {y_dimension}, &y_unit, nullptr);
  const std::string_view key = entry != nullptr ? std::string_view(entry->key) : stem;
  if (entry == nullptr ||
      !check_kind(*entry, Node::Kind::kArray, "an array of pairs, such as [[0, 0], [1, 1]]"))
    return std::nullopt;
  const Unit& plain = units(Dimension::kNone).front();
  Table table;
  if (entry->value.items.size() < 2 || entry->value.items.size() > 1000) {
    report_.error(entry->value.place,
                  fmt::format("'{}' has {} entries; expected 2 to 1000 pairs [x, y]", key,
                              entry->value.items.size()));
    return std::nullopt;
  }
  for (const Node& pair : entry->value.items) {
    if (!pair.is_array() || pair.items.size() != 2) {
      report_.error(pair.place, fmt::format("each entry of '{}' must be a pair [x, y]", key));
      return std::nullopt;
    }
    const auto x = number(pair.items[0], key, plain, x_range);
    const auto y = number(pair.items[1], key, *y_unit, y_range);
    if (!x || !y) return std::nullopt;
    if (!table.x.empty() && *x <= table.x.back()) {
      report_.error(pair.place,
                    fmt::format("the x of '{}' must increase; {} does not come after {}", key, *x,
                                table.x.back()));
      return std::nullopt;
    }
    table.x.push_back(*x);
    table.y.push_back(*y);
  }
  return table;
}

std::optional<std::size_t> TableReader::pick(std::string_view key,
                                             const std::vector<std::string>& words) {
  const Entry* entry = take(key, {Dimension::kNone}, nullptr, nullptr);
  if (entry == nullptr || !check_kind(*entry, Node::Kind::kString, "a string")) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), entry->value.text);
  if (found == words.end()) {
    report_.error(entry->value.place,
                  fmt::format("'{}' is \"{}\"; expected {}{}", key, entry->value.text,
                              listing(words, "or"), suggestion(entry->value.text, words)));
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - words.begin());
}

const Node* TableReader::subtable(std::string_view key) {
  const Entry* entry = take(key, {Dimension::kNone}, nullptr, nullptr);
  if (entry == nullptr || !check_kind(*entry, Node::Kind::kTable, "a table")) return nullptr;
  return &entry->value;
}

std::vector<const Node*> TableReader::tables(std::string_view key, std::size_t limit) {
  std::vector<const Node*> list;
  const Entry* entry = take(key, {Dimension::kNone}, nullptr, nullptr);
  if (entry == nullptr) return list;
  const std::string expected = fmt::format("an array of tables, each headed [[{}]]", key);
  if (!check_kind(*entry, Node::Kind::kArray, expected)) return list;
  if (entry->value.items.size() > limit) {
    report_.error(entry->place, fmt::format("there are {} entries of '{}'; at most {} are possible",
                                            entry->value.items.size(), key, limit));
    return list;
  }
  for (const Node& item : entry->value.items) {
    if (item.is_table())
      list.push_back(&item);
    else
      report_.error(item.place, fmt::format("each entry of '{}' must be a table, not {}", key,
                                            kind_name(item.kind)));
  }
  return list;
}

void TableReader::missing(std::string_view stem, std::initializer_list<Dimension> dimensions,
                          std::string_view why) {
  know(stem, dimensions);
  std::string message = fmt::format("{} lacks '{}'; add it", what_,
                                    full_key(stem, units(*dimensions.begin()).front()));
  const std::vector<Dimension> list(dimensions);
  const bool plain = list.size() == 1 && list.front() == Dimension::kNone;
  if (!plain)
    message = fmt::format("{} lacks '{}', {}; add it as {}", what_, stem,
                          dimension_name(list.front()), accepted_keys(stem, list));
  if (!why.empty()) message += fmt::format(", {}", why);
  missing_.push_back({std::string(stem), std::move(message)});
}

std::string TableReader::required_text(std::string_view key) {
  const bool present = has(key);
  auto value = text(key);
  if (!present) missing(key, {Dimension::kNone});
  if (value && value->empty()) error(key, fmt::format("'{}' must not be empty", key));
  return value.value_or("");
}

double TableReader::required(std::string_view stem, Dimension dimension, Range range) {
  const std::size_t before = report_.count();
  const auto value = quantity(stem, dimension, range);
  if (!value && report_.count() == before) missing(stem, {dimension});
  return value.value_or(0.0);
}

Vec3 TableReader::required_vector(std::string_view stem, Dimension dimension) {
  const std::size_t before = report_.count();
  const auto value = vector(stem, dimension);
  if (!value && report_.count() == before) missing(stem, {dimension});
  return value.value_or(Vec3::Zero());
}

const Node* TableReader::required_subtable(std::string_view key) {
  const bool present = table_.find(key) != nullptr;
  const Node* node = subtable(key);
  if (!present) missing(key, {Dimension::kNone});
  return node;
}

std::string TableReader::unknown_message(const Entry& entry,
                                         std::vector<std::string>& explained) const {
  // A known stem with a foreign unit says more than the nearest spelling.
  const Known* stem = nullptr;
  for (const Known& known : known_) {
    const bool has_unit = known.dimensions.front() != Dimension::kNone;
    if (!has_unit) continue;
    if (entry.key != known.stem && !entry.key.starts_with(known.stem + "_")) continue;
    if (stem == nullptr || known.stem.size() > stem->stem.size()) stem = &known;
  }
  if (stem != nullptr) {
    explained.push_back(stem->stem);
    const std::string accepted = accepted_keys(stem->stem, stem->dimensions);
    if (entry.key == stem->stem)
      return fmt::format("'{}' needs its unit: write {}", entry.key, accepted);
    return fmt::format("'{}' is not known: '{}' is not a unit of '{}', which is {}; write {}",
                       entry.key, entry.key.substr(stem->stem.size() + 1), stem->stem,
                       dimension_name(stem->dimensions.front()), accepted);
  }
  std::vector<std::string> candidates;
  std::vector<std::string> stems;  // of the candidates
  for (const Known& known : known_) {
    for (const Dimension dimension : known.dimensions) {
      for (const Unit& unit : units(dimension)) {
        candidates.push_back(full_key(known.stem, unit));
        stems.push_back(known.stem);
      }
    }
  }
  if (const std::string* close = closest(entry.key, candidates)) {
    explained.push_back(stems[static_cast<std::size_t>(close - candidates.data())]);
    return fmt::format("{} has no key '{}'; did you mean '{}'?", what_, entry.key, *close);
  }
  std::vector<std::string> keys;
  for (const Known& known : known_)
    keys.push_back(full_key(known.stem, units(known.dimensions.front()).front()));
  return fmt::format("{} has no key '{}'; its keys are {}", what_, entry.key, listing(keys));
}

void TableReader::done() {
  std::vector<std::string> explained;
  for (std::size_t i = 0; i < table_.entries.size(); ++i) {
    if (used_[i]) continue;
    const Entry& entry = table_.entries[i];
    if (!report_.leave_out(entry.place, fmt::format("'{}' of {}", entry.key, what_)))
      report_.error(entry.place, unknown_message(entry, explained));
  }
  // A misspelt key is one mistake: not also a missing one.
  for (Missing& missing : missing_)
    if (std::find(explained.begin(), explained.end(), missing.stem) == explained.end())
      report_.error(table_.place, std::move(missing.message));
}

}  // namespace knuckleboom::io
