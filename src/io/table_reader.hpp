// Reads the keys of one table by their declarations. done() refuses what has not been asked for, so a key
// can be neither misspelt nor forgotten.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document.hpp"
#include "knuckleboom/core/math/table.hpp"
#include "knuckleboom/core/math/vector.hpp"
#include "knuckleboom/declare/key.hpp"

namespace knuckleboom::io {

using declare::Dimension;
using declare::dimension_name;
using declare::full_key;
using declare::Key;
using declare::KeyParts;
using declare::KeyTable;
using declare::split_key;
using declare::to_si;
using declare::Type;
using declare::Unit;
using declare::units;
using declare::Usual;

class TableReader {
 public:
  // what: how messages call the table, such as "actuator 'boom'".
  TableReader(Report& report, const Node& table, const KeyTable& keys, std::string what);

  Report& report() const { return report_; }
  const Node& table() const { return table_; }
  const std::string& what() const { return what_; }
  const Place& place() const { return table_.place; }
  // Place of the value of a key (of any unit) if it is there, else of the table.
  Place place_of(const Key& key) const;
  bool has(const Key& key) const;
  void error(const Key& key, std::string message) {
    report_.error(place_of(key), std::move(message));
  }

  // The table is about something that slides: units are those of lengths.
  void slides(bool slides) { slides_ = slides; }
  bool slides() const { return slides_; }
  // A word that keys of Key::only and Key::needed_with wait for.
  void choose(std::string_view word) { chosen_.push_back(word); }

  // Reads all keys that are bound to members of T. False: a word that selects the others is not known,
  // so what else the table should hold cannot be judged.
  template <class T>
  bool fill(T& object) {
    return fill(&object, &declare::kOwner<T>);
  }

  // The value if the key is there and sound; a needed key that is not there is told.
  std::optional<double> quantity(const Key& key);
  // In a unit of any of the key's dimensions; `which` tells which.
  std::optional<double> either(const Key& key, Dimension& which);
  std::optional<int> whole(const Key& key);
  std::optional<bool> flag(const Key& key);
  std::optional<std::string> text(const Key& key);
  template <class T>
  std::optional<T> word(const Key& key) {
    const std::optional<int> value = word_value(key);
    return value ? std::optional<T>(static_cast<T>(*value)) : std::nullopt;
  }
  std::optional<std::vector<double>> numbers(const Key& key);
  std::optional<Vec3> vector(const Key& key);
  std::optional<Table> curve(const Key& key);
  std::optional<std::vector<std::string>> texts(const Key& key);
  const Node* subtable(const Key& key);
  std::vector<const Node*> tables(const Key& key);
  const Node* any(const Key& key);  // any kind of value; the caller checks it
  // The quantity, or the key's default (0 where it has none).
  double value(const Key& key) { return quantity(key).value_or(key.standard.value_or(0.0)); }

  // Marks a key as missing. why: the end of the sentence, such as "since there is ...".
  void missing(const Key& key, std::string_view why = {});
  // Refuses keys that were not requested and reports missing ones.
  void done();

 private:
  // A number that is asked for: by which key, where it may lie and where it usually does.
  struct Wanted {
    std::string_view key;
    declare::Range range;
    Dimension dimension;
    const declare::Usual& usual;
  };
  struct Known {
    std::string_view stem;
    std::vector<Dimension> dimensions;
  };
  struct Missing {
    std::string_view stem;
    std::string message;
  };

  bool fill(void* object, const void* owner);
  bool read_into(void* object, const Key& key);
  bool exists(const Key& key) const;
  bool needed(const Key& key) const;
  bool knows(const Key& key) const;
  void know(const Key& key, std::span<const Dimension> dimensions);
  // The entry of a key; a needed one that is not there is told.
  const Entry* take(const Key& key);
  const Entry* take(const Key& key, std::span<const Dimension> dimensions, const Unit** unit,
                    Dimension* which);
  const Entry* take_unit(const Key& key, const Unit** unit, Dimension& dimension);
  std::optional<double> number(const Node& node, const Unit& unit, const Wanted& wanted);
  void remark(const Node& node, double si, const Wanted& wanted);
  std::optional<int> word_value(const Key& key);
  bool check_kind(const Entry& entry, Node::Kind kind, std::string_view expected);
  void undecided(const Key& key);
  std::string missing_message(const Key& key, std::span<const Dimension> dimensions) const;
  const Entry* choice() const;
  std::string unknown_message(const Entry& entry, std::vector<std::string_view>& explained) const;

  Report& report_;
  const Node& table_;
  const KeyTable& keys_;
  std::string what_;
  bool slides_ = false;
  std::vector<std::string_view> chosen_;
  std::vector<bool> used_;
  std::vector<Known> known_;
  std::vector<Missing> missing_;
};

// A name: a letter first, then letters, digits, '_' or '-'. Names become parts of paths and
// columns.
bool is_name(std::string_view text);
// A text as a name: what else is in it becomes '_', and `before` stands before what is no letter.
std::string plain_name(std::string_view text, std::string_view before);

}  // namespace knuckleboom::io
