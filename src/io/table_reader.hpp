// Reads the keys of one table. What it is asked for is what the table may hold: done() refuses the
// rest, so a key can be neither misspelt nor forgotten.
#pragma once

#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document.hpp"
#include "knuckleboom/core/math/table.hpp"
#include "knuckleboom/core/math/vector.hpp"
#include "units.hpp"

namespace knuckleboom::io {

// Allowed SI values.
struct Range {
  double low = -std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::max();
  bool open_low = false;  // low itself is not allowed
};
inline constexpr Range kAny{};
inline constexpr Range kPositive{0.0, std::numeric_limits<double>::max(), true};
inline constexpr Range kNonNegative{0.0, std::numeric_limits<double>::max(), false};
inline constexpr Range kGain{0.0, 1e6};

class TableReader {
 public:
  // what: how messages call the table, such as "actuator 'boom'".
  TableReader(Report& report, const Node& table, std::string what);

  const Node& table() const { return table_; }
  const std::string& what() const { return what_; }
  const Place& place() const { return table_.place; }
  // Place of the value of a key (of any unit) if it is there, else of the table.
  Place place_of(std::string_view stem) const;
  bool has(std::string_view stem) const;
  void error(std::string_view stem, std::string message);

  // The value if the key is there and sound.
  std::optional<std::string> text(std::string_view key);
  std::optional<bool> flag(std::string_view key);
  std::optional<int> integer(std::string_view key, int low, int high);
  std::optional<double> quantity(std::string_view stem, Dimension dimension, Range range = kAny);
  // In a unit of any of these dimensions; `which` tells which.
  std::optional<double> quantity(std::string_view stem, std::initializer_list<Dimension> dimensions,
                                 Range range, Dimension& which);
  std::optional<std::vector<double>> numbers(std::string_view stem, Dimension dimension,
                                             Range range, std::size_t low_count,
                                             std::size_t high_count);
  std::optional<Vec3> vector(std::string_view stem, Dimension dimension);
  // Pairs [[x, y], ...] with increasing x.
  std::optional<Table> curve(std::string_view key, Range x_range, Range y_range);
  // The same, y in a unit of this dimension.
  std::optional<Table> curve(std::string_view stem, Dimension y_dimension, Range x_range,
                             Range y_range);
  template <typename T>
  std::optional<T> choice(std::string_view key,
                          std::initializer_list<std::pair<std::string_view, T>> choices);
  const Node* subtable(std::string_view key);
  std::vector<const Node*> tables(std::string_view key, std::size_t limit);
  // Any kind of value; the caller checks it.
  const Node* any(std::string_view key);

  // The same, and an error (and the fallback) if the key is missing.
  std::string required_text(std::string_view key);
  double required(std::string_view stem, Dimension dimension, Range range = kAny);
  Vec3 required_vector(std::string_view stem, Dimension dimension);
  const Node* required_subtable(std::string_view key);
  // Marks a key as missing. why: the end of the sentence, such as "since there is ...".
  void missing(std::string_view stem, std::initializer_list<Dimension> dimensions,
               std::string_view why = {});

  // Refuses what has not been asked for and tells what is missing.
  void done();

 private:
  struct Known {
    std::string stem;
    std::vector<Dimension> dimensions;
  };
  struct Missing {
    std::string stem;
    std::string message;
  };

  void know(std::string_view stem, std::initializer_list<Dimension> dimensions);
  const Entry* take(std::string_view stem, std::initializer_list<Dimension> dimensions,
                    const Unit** unit, Dimension* which);
  std::optional<double> number(const Node& node, std::string_view key, const Unit& unit,
                               const Range& range);
  bool check_kind(const Entry& entry, Node::Kind kind, std::string_view expected);
  std::optional<std::size_t> pick(std::string_view key, const std::vector<std::string>& words);
  std::string unknown_message(const Entry& entry, std::vector<std::string>& explained) const;

  Report& report_;
  const Node& table_;
  std::string what_;
  std::vector<bool> used_;
  std::vector<Known> known_;
  std::vector<Missing> missing_;
};

template <typename T>
std::optional<T> TableReader::choice(
    std::string_view key, std::initializer_list<std::pair<std::string_view, T>> choices) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) words.emplace_back(word);
  const auto index = pick(key, words);
  if (!index) return std::nullopt;
  return (choices.begin() + *index)->second;
}

// A name: a letter first, then letters, digits, '_' or '-'. Names become parts of paths and
// columns.
bool is_name(std::string_view text);

}  // namespace knuckleboom::io
