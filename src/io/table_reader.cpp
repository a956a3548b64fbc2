#include "table_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

namespace knuckleboom::io {
namespace {

using declare::accepted_keys;
using declare::Range;
using declare::shortest_text;
using declare::Usual;
using declare::usual_text;

std::string in_unit(double si, const Unit& unit) {
  const double written = si * unit.divide / unit.multiply;
  std::string text = fmt::format("{}", written);
  if (!unit.label.empty()) text.append(" ").append(unit.label);
  return text;
}

std::string range_text(const Range& range, const Unit& unit) {
  const bool low = range.low > -declare::kLargest;
  const bool high = range.high < declare::kLargest;
  const std::string_view above = range.open_low ? "above" : "at least";
  if (low && high)
    return fmt::format("{} {} and at most {}", above, in_unit(range.low, unit),
                       in_unit(range.high, unit));
  if (low) return fmt::format("{} {}", above, in_unit(range.low, unit));
  return fmt::format("at most {}", in_unit(range.high, unit));
}

// "load_sensing or pressure".
std::string only_text(std::string_view words) {
  const std::vector<std::string_view> list = declare::words_of(words);
  return listing(std::vector<std::string>(list.begin(), list.end()), "or");
}

}  // namespace

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || text.size() > 64 || !letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string plain_name(std::string_view text, std::string_view before) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-';
    if (plain)
      out += c;
    else if (out.empty() || out.back() != '_')
      out += '_';
  }
  constexpr std::size_t kLongest = 60;  // a number may come behind it
  if (!is_name(out.substr(0, kLongest))) out.insert(0, before);
  return out.substr(0, kLongest);
}

TableReader::TableReader(Report& report, const Node& table, const KeyTable& keys, std::string what)
    : report_(report),
      table_(table),
      keys_(keys),
      what_(std::move(what)),
      used_(table.entries.size(), false) {}

// --- Finding ------------------------------------------------------------------

bool TableReader::exists(const Key& key) const {
  return key.only.empty() || declare::names_any(key.only, chosen_);
}

bool TableReader::needed(const Key& key) const {
  return key.needed || declare::names_any(key.needed_with, chosen_);
}

bool TableReader::knows(const Key& key) const {
  return std::any_of(known_.begin(), known_.end(),
                     [&](const Known& known) { return known.stem == key.name; });
}

void TableReader::know(const Key& key, std::span<const Dimension> dimensions) {
  auto known = std::find_if(known_.begin(), known_.end(),
                            [&](const Known& one) { return one.stem == key.name; });
  if (known == known_.end()) known = known_.insert(known_.end(), {key.name, {}});
  for (const Dimension dimension : dimensions)
    if (std::find(known->dimensions.begin(), known->dimensions.end(), dimension) ==
        known->dimensions.end())
      known->dimensions.push_back(dimension);
}

Place TableReader::place_of(const Key& key) const {
  for (const Entry& entry : table_.entries)
    if (entry.key == key.name || split_key(entry.key).stem == key.name) return entry.value.place;
  return table_.place;
}

bool TableReader::has(const Key& key) const {
  return std::any_of(table_.entries.begin(), table_.entries.end(), [&](const Entry& entry) {
    return entry.key == key.name || split_key(entry.key).stem == key.name;
  });
}

const Entry* TableReader::take(const Key& key, std::span<const Dimension> dimensions,
                               const Unit** unit, Dimension* which) {
  know(key, dimensions);
  const Entry* found = nullptr;
  for (std::size_t i = 0; i < table_.entries.size(); ++i) {
    const Entry& entry = table_.entries[i];
    for (const Dimension dimension : dimensions) {
      for (const Unit& candidate : units(dimension)) {
        if (used_[i] || entry.key != full_key(key.name, candidate)) continue;
        used_[i] = true;
        if (found != nullptr) {
          report_.error(entry.place,
                        fmt::format("{} gives '{}' twice, as '{}' and as '{}'; keep one of them",
                                    what_, key.name, found->key, entry.key));
          continue;
        }
        found = &entry;
        if (unit != nullptr) *unit = &candidate;
        if (which != nullptr) *which = dimension;
      }
    }
  }
  const bool told = std::any_of(missing_.begin(), missing_.end(),
                                [&](const Missing& one) { return one.stem == key.name; });
  if (found == nullptr && !has(key) && needed(key) && !told)
    missing_.push_back({key.name, missing_message(key, dimensions)});
  return found;
}

const Entry* TableReader::take(const Key& key) {
  constexpr Dimension kPlain[] = {Dimension::kNone};
  return take(key, kPlain, nullptr, nullptr);
}

const Entry* TableReader::take_unit(const Key& key, const Unit** unit, Dimension& dimension) {
  const Dimension one[] = {key.of(slides_)};
  dimension = one[0];
  return take(key, one, unit, nullptr);
}

bool TableReader::check_kind(const Entry& entry, Node::Kind kind, std::string_view expected) {
  if (entry.value.kind == kind) return true;
  report_.error(entry.value.place, fmt::format("'{}' must be {}, not {}", entry.key, expected,
                                               kind_name(entry.value.kind)));
  return false;
}

// --- Reading ------------------------------------------------------------------

std::optional<double> TableReader::number(const Node& node, const Unit& unit,
                                          const Wanted& wanted) {
  if (!node.is_number()) {
    report_.error(node.place,
                  fmt::format("'{}' must be a number{}{}, not {}", wanted.key,
                              unit.label.empty() ? "" : " in ", unit.label, kind_name(node.kind)));
    return std::nullopt;
  }
  const double si = to_si(node.number, unit);
  if (!std::isfinite(node.number) || !std::isfinite(si)) {
    report_.error(node.place,
                  fmt::format("'{}' is {}; it must be a finite number", wanted.key, node.text));
    return std::nullopt;
  }
  const Range& range = wanted.range;
  if (si < range.low || si > range.high || (range.open_low && si == range.low)) {
    report_.error(node.place, fmt::format("'{}' is {}; it must be {}", wanted.key, node.text,
                                          range_text(range, unit)));
    return std::nullopt;
  }
  remark(node, si, wanted);
  return si;
}

// A zero stands for a thing that is not there.
void TableReader::remark(const Node& node, double si, const Wanted& wanted) {
  const Usual& usual = wanted.usual;
  const double size = std::fabs(si);
  if (usual.why.empty() || si == 0.0 || (size >= usual.low && size <= usual.high)) return;
  report_.remark(node.place,
                 fmt::format("'{}' of {} is {}, usually {}: {}", wanted.key, what_, node.text,
                             usual_text(usual, wanted.dimension), usual.why));
}

std::optional<double> TableReader::quantity(const Key& key) {
  const Unit* unit = nullptr;
  Dimension dimension{};
  const Entry* entry = take_unit(key, &unit, dimension);
  if (entry == nullptr) return std::nullopt;
  return number(entry->value, *unit, {entry->key, key.range, dimension, key.usual_of(dimension)});
}

std::optional<double> TableReader::either(const Key& key, Dimension& which) {
  const Dimension both[] = {key.dimension, key.other};
  const std::span<const Dimension> all =
      key.any_of.empty() ? std::span<const Dimension>(both) : key.any_of;
  const Unit* unit = nullptr;
  const Entry* entry = take(key, all, &unit, &which);
  if (entry == nullptr) return std::nullopt;
  return number(entry->value, *unit, {entry->key, key.range, which, key.usual_of(which)});
}

std::optional<int> TableReader::whole(const Key& key) {
  const Entry* entry = take(key);
  if (entry == nullptr || !check_kind(*entry, Node::Kind::kInteger, "an integer"))
    return std::nullopt;
  const std::int64_t value = entry->value.integer;
  const auto low = static_cast<std::int64_t>(key.range.low);
  const auto high = static_cast<std::int64_t>(key.range.high);
  if (value >= low && value <= high) return static_cast<int>(value);
  report_.error(entry->value.place, fmt::format("'{}' is {}; it must be at least {} and at most {}",
                                                key.name, value, low, high));
  return std::nullopt;
}

std::optional<bool> TableReader::flag(const Key& key) {
  const Entry* entry = take(key);
  if (entry == nullptr || !check_kind(*entry, Node::Kind::kBoolean, "true or false"))
    return std::nullopt;
  return entry->value.boolean;
}

std::optional<std::string> TableReader::text(const Key& key) {
  const Entry* entry = take(key);
  if (entry == nullptr || !check_kind(*entry, Node::Kind::kString, "a string")) return std::nullopt;
  const std::string& value = entry->value.text;
  if (value.empty() && needed(key))
    error(key, fmt::format("'{}' must not be empty", key.name));
  else if (key.type == Type::kName && !is_name(value))
    error(key, fmt::format("'{}' is \"{}\"; a name starts with a letter and has letters, digits, "
                           "'_' and '-' only, at most 64",
                           key.name, value));
  return value;
}

std::optional<int> TableReader::word_value(const Key& key) {
  const Entry* entry = take(key);
  if (entry == nullptr || !check_kind(*entry, Node::Kind::kString, "a string")) return std::nullopt;
  const std::string& given = entry->value.text;
  std::vector<std::string> words;
  for (const declare::Word& word : key.words) {
    if (word.word == given) return word.value;
    words.emplace_back(word.word);
  }
  report_.error(entry->value.place, fmt::format("'{}' is \"{}\"; expected {}{}", key.name, given,
                                                listing(words, "or"), suggestion(given, words)));
  return std::nullopt;
}

std::optional<std::vector<double>> TableReader::numbers(const Key& key) {
  const Unit* unit = nullptr;
  Dimension dimension{};
  const Entry* entry = take_unit(key, &unit, dimension);
  if (entry == nullptr) return std::nullopt;
  const std::string count = key.least == key.most ? fmt::format("{}", key.least)
                                                  : fmt::format("{} to {}", key.least, key.most);
  if (!check_kind(*entry, Node::Kind::kArray, fmt::format("an array of {} numbers", count)))
    return std::nullopt;
  const std::size_t n = entry->value.items.size();
  if (n < key.least || n > key.most) {
    report_.error(entry->value.place,
                  fmt::format("'{}' has {} entries; expected {} numbers", entry->key, n, count));
    return std::nullopt;
  }
  std::vector<double> values;
  for (const Node& item : entry->value.items)
    if (const auto value =
            number(item, *unit, {entry->key, key.range, dimension, key.usual_of(dimension)}))
      values.push_back(*value);
  if (values.size() != n) return std::nullopt;
  return values;
}

std::optional<Vec3> TableReader::vector(const Key& key) {
  const auto values = numbers(key);
  if (!values) return std::nullopt;
  return Vec3((*values)[0], (*values)[1], (*values)[2]);
}

std::optional<Table> TableReader::curve(const Key& key) {
  const Unit* y_unit = nullptr;
  Dimension dimension{};
  const Entry* entry = take_unit(key, &y_unit, dimension);
  if (entry == nullptr ||
      !check_kind(*entry, Node::Kind::kArray, "an array of pairs, such as [[0, 0], [1, 1]]"))
    return std::nullopt;
  const Unit& plain = units(Dimension::kNone).front();
  Table table;
  if (entry->value.items.size() < 2 || entry->value.items.size() > 1000) {
    report_.error(entry->value.place,
                  fmt::format("'{}' has {} entries; expected 2 to 1000 pairs [x, y]", entry->key,
                              entry->value.items.size()));
    return std::nullopt;
  }
  for (const Node& pair : entry->value.items) {
    if (!pair.is_array() || pair.items.size() != 2) {
      report_.error(pair.place,
                    fmt::format("each entry of '{}' must be a pair [x, y]", entry->key));
      return std::nullopt;
    }
    const auto x =
        number(pair.items[0], plain,
               {entry->key, key.x_range, Dimension::kNone, declare::usual(Dimension::kNone)});
    const auto y =
        number(pair.items[1], *y_unit, {entry->key, key.range, dimension, key.usual_of(dimension)});
    if (!x || !y) return std::nullopt;
    if (!table.x.empty() && *x <= table.x.back()) {
      report_.error(pair.place,
                    fmt::format("the x of '{}' must increase; {} does not come after {}",
                                entry->key, *x, table.x.back()));
      return std::nullopt;
    }
    table.x.push_back(*x);
    table.y.push_back(*y);
  }
  return table;
}

std::optional<std::vector<std::string>> TableReader::texts(const Key& key) {
  const Entry* entry = take(key);
  if (entry == nullptr) return std::nullopt;
  const std::vector<Node>& items = entry->value.items;
  if (!entry->value.is_array() || items.size() > key.most ||
      !std::all_of(items.begin(), items.end(), [](const Node& n) { return n.is_string(); })) {
    report_.error(entry->value.place, fmt::format("'{}' must be an array of at most {} strings, {}",
                                                  key.name, key.most, key.says));
    return std::nullopt;
  }
  std::vector<std::string> list;
  for (const Node& item : items) list.push_back(item.text);
  return list;
}

const Node* TableReader::any(const Key& key) {
  const Entry* entry = take(key);
  return entry != nullptr ? &entry->value : nullptr;
}

const Node* TableReader::subtable(const Key& key) {
  const Entry* entry = take(key);
  return entry != nullptr && check_kind(*entry, Node::Kind::kTable, "a table") ? &entry->value
                                                                               : nullptr;
}

std::vector<const Node*> TableReader::tables(const Key& key) {
  std::vector<const Node*> list;
  const Entry* entry = take(key);
  if (entry == nullptr ||
      !check_kind(*entry, Node::Kind::kArray,
                  fmt::format("an array of tables, each headed [[{}]]", key.name)))
    return list;
  if (entry->value.items.size() > key.most) {
    report_.error(entry->place, fmt::format("there are {} entries of '{}'; at most {} are possible",
                                            entry->value.items.size(), key.name, key.most));
    return list;
  }
  for (const Node& item : entry->value.items) {
    if (item.is_table())
      list.push_back(&item);
    else
      report_.error(item.place, fmt::format("each entry of '{}' must be a table, not {}", key.name,
                                            kind_name(item.kind)));
  }
  return list;
}

// --- Filling ------------------------------------------------------------------

bool TableReader::fill(void* object, const void* owner) {
  bool known = true;
  for (const Key& key : keys_.keys)
    if (key.bound.owner == owner && exists(key)) known = read_into(object, key) && known;
  return known;
}

// False: a word that selects other keys is not known.
bool TableReader::read_into(void* object, const Key& key) {
  declare::Value value;
  std::vector<double> list;
  std::optional<Table> points;
  bool given = false;
  const auto take_over = [&given](auto found, auto& place) {
    given = found.has_value();
    if (given) place = static_cast<std::remove_reference_t<decltype(place)>>(*std::move(found));
  };
  switch (key.type) {
    case Type::kNumber:
      take_over(quantity(key), value.number);
      break;
    case Type::kWhole:
      take_over(whole(key), value.number);
      break;
    case Type::kFlag:
      take_over(flag(key), value.number);
      break;
    case Type::kWord:
      take_over(word_value(key), value.number);
      break;
    case Type::kText:
    case Type::kName:
      take_over(text(key), value.text);
      break;
    case Type::kNumbers:
      take_over(numbers(key), list);
      value.numbers = list;
      break;
    case Type::kCurve:
      points = curve(key);
      given = points.has_value();
      if (given) value.curve = &*points;
      break;
    default:
      return true;
  }
  if (!given && key.standard && !has(key)) {
    value.number = *key.standard;
    given = true;
  }
  if (given) key.bound.set(object, value);
  if (!key.selects) return true;
  if (!given && needed(key) && !has(key)) undecided(key);
  if (!given && (has(key) || needed(key))) return false;
  if (!given) value.number = key.bound.standard().value_or(0.0);
  if (key.type == Type::kFlag) choose(value.number != 0.0 ? "true" : "false");
  const auto word = std::find_if(key.words.begin(), key.words.end(), [&](const declare::Word& one) {
    return one.value == static_cast<int>(value.number);
  });
  if (word != key.words.end()) choose(word->word);
  return true;
}

// --- What is wrong --------------------------------------------------------------

std::string TableReader::missing_message(const Key& key,
                                         std::span<const Dimension> dimensions) const {
  if (key.type == Type::kWord) {
    std::vector<std::string> words;
    for (const declare::Word& word : key.words)
      words.push_back(
          fmt::format("{}\"{}\"", words.empty() ? std::string(key.name) + " = " : "", word.word));
    return fmt::format("{} lacks '{}'; add {}", what_, key.name, listing(words, "or"));
  }
  const Dimension first = dimensions.front();
  if (key.type == Type::kTables)
    return fmt::format("{} lacks '{}'; add at least one {}", what_, key.name, key.inside->header);
  if (dimensions.size() == 1 && first == Dimension::kNone)
    return fmt::format("{} lacks '{}'; add it", what_, key.name);
  return fmt::format("{} lacks '{}', {}; add it as {}", what_, key.name, dimension_name(first),
                     accepted_keys(key.name, dimensions));
}

void TableReader::missing(const Key& key, std::string_view why) {
  const Dimension both[] = {key.of(slides_)};
  const std::span<const Dimension> all =
      key.any_of.empty() ? std::span<const Dimension>(both) : key.any_of;
  know(key, all);
  std::string message = missing_message(key, all);
  if (!why.empty()) message += fmt::format(", {}", why);
  missing_.push_back({key.name, std::move(message)});
}

// The rest of the table is not looked at without this key, so it is told at once, or its misspelling.
void TableReader::undecided(const Key& key) {
  const std::string name(key.name);
  for (std::size_t i = 0; i < table_.entries.size(); ++i) {
    const Entry& entry = table_.entries[i];
    if (!used_[i] && declare::find_key(keys_, entry.key) == nullptr &&
        closest(entry.key, {&name, 1}) != nullptr)
      return report_.error(entry.place, fmt::format("{} has no key '{}'; did you mean '{}'?", what_,
                                                    entry.key, name));
  }
  report_.error(table_.place, missing_message(key, {&key.dimension, 1}));
}

std::string TableReader::unknown_message(const Entry& entry,
                                         std::vector<std::string_view>& explained) const {
  if (const Key* key = declare::find_key(keys_, entry.key); key != nullptr && !exists(*key))
    return fmt::format("{} has no key '{}'; it belongs to {}", what_, entry.key,
                       only_text(key->only));
  // A known stem with a foreign unit says more than the nearest spelling.
  const Known* stem = nullptr;
  for (const Known& known : known_) {
    const bool has_unit = known.dimensions.front() != Dimension::kNone;
    if (!has_unit) continue;
    if (entry.key != known.stem && !entry.key.starts_with(std::string(known.stem) + "_")) continue;
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
  std::vector<std::string_view> stems;  // of the candidates
  for (const Known& known : known_)
    for (const Dimension dimension : known.dimensions)
      for (const Unit& unit : units(dimension)) {
        candidates.push_back(full_key(known.stem, unit));
        stems.push_back(known.stem);
      }
  if (const std::string* close = closest(entry.key, candidates)) {
    explained.push_back(stems[static_cast<std::size_t>(close - candidates.data())]);
    if (*close == entry.key)
      return fmt::format("'{}' has no use beside the other keys of {}; remove it", entry.key,
                         what_);
    return fmt::format("{} has no key '{}'; did you mean '{}'?", what_, entry.key, *close);
  }
  std::vector<std::string> keys, names;
  for (const Known& known : known_) {
    keys.push_back(full_key(known.stem, units(known.dimensions.front()).front()));
    names.emplace_back(known.stem);
  }
  // Misspelt, and its unit is wrong as well.
  for (std::size_t end = entry.key.rfind('_'); end != 0 && end != std::string::npos;
       end = entry.key.rfind('_', end - 1))
    if (const std::string* close = closest(entry.key.substr(0, end), names)) {
      const auto meant = static_cast<std::size_t>(close - names.data());
      explained.push_back(known_[meant].stem);
      return fmt::format("{} has no key '{}'; did you mean '{}'?", what_, entry.key, keys[meant]);
    }
  return fmt::format("{} has no key '{}'; its keys are {}", what_, entry.key, listing(keys));
}

// The word on which other keys depend, one of an override first; null: none.
const Entry* TableReader::choice() const {
  const Entry* first = nullptr;
  for (const Entry& entry : table_.entries) {
    const Key* key = declare::find_key(keys_, entry.key);
    if (key == nullptr || !key->selects) continue;
    if (report_.is_override(entry.value.place)) return &entry;
    if (first == nullptr) first = &entry;
  }
  return first;
}

void TableReader::done() {
  // Hints know all keys that the table may have, read or not.
  for (const Key& key : keys_.keys) {
    const Dimension one[] = {key.of(slides_)};
    if (exists(key) && !knows(key)) know(key, one);
  }
  std::vector<std::string_view> explained;
  const Entry* const chosen = choice();
  const bool by_override = chosen != nullptr && report_.is_override(chosen->value.place);
  std::vector<std::string> idle;
  for (std::size_t i = 0; i < table_.entries.size(); ++i) {
    if (used_[i]) continue;
    const Entry& entry = table_.entries[i];
    const Key* const key = declare::find_key(keys_, entry.key);
    if (chosen != nullptr && key != nullptr && !exists(*key) &&
        !report_.is_override(entry.value.place)) {
      if (by_override) idle.push_back(fmt::format("'{}'", entry.key));
      // A base is read after the file that has chosen differently, and its other keys have no meaning there.
      if (by_override || entry.value.place.file > chosen->value.place.file) continue;
    }
    if (!report_.leave_out(entry.place, fmt::format("'{}' of {}", entry.key, what_)))
      report_.error(entry.place, unknown_message(entry, explained));
  }
  if (!idle.empty())
    report_.remark(chosen->value.place, fmt::format("{} of {} no longer {}", listing(idle), what_,
                                                    idle.size() == 1 ? "applies" : "apply"));
  // A misspelt key is one mistake: it is not also reported as missing.
  for (Missing& missing : missing_)
    if (std::find(explained.begin(), explained.end(), missing.stem) == explained.end())
      report_.error(table_.place, std::move(missing.message));
}

}  // namespace knuckleboom::io
