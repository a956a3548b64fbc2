// One declaration for each key of a file: name, kind of value, unit, default, hard and usual range, and
// one sentence. Readers, --set, remarks, hints, completion and the tables of docs/reference follow.
//
// A declaration knows no file format. Where the value simply becomes a member of a struct, it says which:
// `.to<&Engine::inertia>()`; the default then is that of the struct. What takes code is left to the
// reader, which names the key by its declaration and never by a literal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "knuckleboom/core/math/table.hpp"
#include "knuckleboom/core/math/vector.hpp"
#include "knuckleboom/declare/units.hpp"

namespace knuckleboom::declare {

enum class Type : std::uint8_t {
  kNumber,   // with a unit in its key, if it is a quantity
  kWhole,    // a number without a fraction
  kFlag,     // true or false
  kText,     // not empty where the key is needed
  kName,     // a letter, then letters, digits, '_' and '-'
  kWord,     // one of a few texts
  kNumbers,  // an array of them
  kCurve,    // [[x, y], ...] with increasing x
  kTexts,    // an array of texts
  kTable,
  kTables,  // [[...]]
  kNamed,   // one table for each name: [valve.NAME]
  kOther,   // the reader says what
};

struct Word {
  std::string_view word;
  int value = 0;
  std::string_view says = {};
};
template <class Enum>
constexpr Word word(std::string_view text, Enum value, std::string_view says = {}) {
  return {text, static_cast<int>(value), says};
}

// A value that a reader found; which member counts follows from the key's type.
struct Value {
  double number = 0.0;  // SI; a word's value; 1 or 0 of a flag
  std::string text = {};
  std::span<const double> numbers = {};  // SI
  const Table* curve = nullptr;
};

// Where a value goes. Owners are told apart by the address of their tag.
template <class T>
inline constexpr char kOwner = 0;
struct Binding {
  const void* owner = nullptr;
  void (*set)(void* object, const Value& value) = nullptr;
  Value (*get)(const void* object) = nullptr;     // of numbers and texts
  std::optional<double> (*standard)() = nullptr;  // the number that an untouched owner has
};

namespace detail {
template <class Class, class Member>
Class owner_of(Member Class::*);
template <class Class, class Given>
Class owner_of(void (*)(Class&, Given));
template <class Class, class Given>
Given given_to(void (*)(Class&, Given));

template <class Member>
void assign(Member& member, const Value& value) {
  if constexpr (std::is_same_v<Member, std::string>)
    member = value.text;
  else if constexpr (std::is_same_v<Member, Vec3>)
    member = Vec3(value.numbers[0], value.numbers[1], value.numbers[2]);
  else if constexpr (std::is_same_v<Member, Table>)
    member = *value.curve;
  else if constexpr (std::is_same_v<Member, bool>)
    member = value.number != 0.0;
  else if constexpr (std::is_enum_v<Member>)
    member = static_cast<Member>(static_cast<int>(value.number));
  else
    member = static_cast<Member>(value.number);
}

template <class Class, auto To, auto... Further>
auto& reach(Class& object) {
  if constexpr (sizeof...(Further) == 0)
    return object.*To;
  else
    return reach<std::remove_reference_t<decltype(object.*To)>, Further...>(object.*To);
}

// To: a pointer to a member, with more of them a path into it; or a function that takes the owner and a
// number or a list of them.
template <auto To, auto... Further>
constexpr Binding binding() {
  using Class = decltype(owner_of(To));
  Binding out;
  out.owner = &kOwner<Class>;
  if constexpr (std::is_member_object_pointer_v<decltype(To)>) {
    using Member =
        std::remove_reference_t<decltype(reach<Class, To, Further...>(std::declval<Class&>()))>;
    out.set = [](void* object, const Value& value) {
      assign(reach<Class, To, Further...>(*static_cast<Class*>(object)), value);
    };
    if constexpr (std::is_same_v<Member, std::string>)
      out.get = [](const void* object) {
        return Value{0.0, reach<const Class, To, Further...>(*static_cast<const Class*>(object))};
      };
    if constexpr (std::is_arithmetic_v<Member> || std::is_enum_v<Member>) {
      out.get = [](const void* object) {
        return Value{static_cast<double>(
            reach<const Class, To, Further...>(*static_cast<const Class*>(object)))};
      };
      out.standard = []() -> std::optional<double> {
        const Class untouched{};
        return static_cast<double>(reach<const Class, To, Further...>(untouched));
      };
    }
  } else {
    out.set = [](void* object, const Value& value) {
      if constexpr (std::is_arithmetic_v<decltype(given_to(To))>)
        To(*static_cast<Class*>(object), value.number);
      else
        To(*static_cast<Class*>(object), value.numbers);
    };
  }
  return out;
}
}  // namespace detail

struct KeyTable;

struct Key {
  std::string_view name;  // without its unit
  Type type = Type::kNumber;
  Dimension dimension = Dimension::kNone;
  Dimension other = Dimension::kNone;  // where it slides in place of turning; else as `dimension`
  std::span<const Dimension> any_of = {};  // units of any of these, whichever the file takes
  Range range = kAny;
  Range x_range = kAny;  // of a curve
  std::size_t least = 0, most = 0;
  std::span<const Word> words = {};
  const KeyTable* inside = nullptr;
  std::string_view says = {};
  bool needed = false;
  bool selects = false;               // its word says which of the table's other keys there are
  std::string_view only = {};         // words, parted by blanks: with these alone the key exists
  std::string_view needed_with = {};  // the same: with these it must be there
  std::string_view instead_of = {};   // keys that say the same another way
  std::string_view standard_text = {};
  std::optional<double> standard = {};  // [SI]
  Usual own_usual = {};
  Binding bound = {};

  constexpr Key must() const {
    return with([](Key& k) { k.needed = true; });
  }
  constexpr Key must_with(std::string_view words_) const {
    return with([&](Key& k) { k.needed_with = words_; });
  }
  constexpr Key just(std::string_view words_) const {
    return with([&](Key& k) { k.only = words_; });
  }
  constexpr Key selecting() const {
    return with([](Key& k) { k.selects = true; });
  }
  constexpr Key replaces(std::string_view keys) const {
    return with([&](Key& k) { k.instead_of = keys; });
  }
  constexpr Key in(Range r) const {
    return with([&](Key& k) { k.range = r; });
  }
  constexpr Key usually(double low, double high, std::string_view why) const {
    return with([&](Key& k) { k.own_usual = {low, high, why}; });
  }
  // The default: a number, or what a reader of the docs is to know in place of one.
  constexpr Key otherwise(double value) const {
    return with([&](Key& k) { k.standard = value; });
  }
  constexpr Key otherwise(std::string_view text) const {
    return with([&](Key& k) { k.standard_text = text; });
  }
  template <auto... To>
  constexpr Key to() const {
    return with([](Key& k) { k.bound = detail::binding<To...>(); });
  }

  constexpr Dimension of(bool slides) const {
    return slides && other != Dimension::kNone ? other : dimension;
  }
  const Usual& usual_of(Dimension d) const { return own_usual.why.empty() ? usual(d) : own_usual; }

 private:
  template <class Change>
  constexpr Key with(Change change) const {
    Key copy = *this;
    change(copy);
    return copy;
  }
};

// id: of its place in the docs, such as "machine.actuator"; header: how a file writes it.
struct KeyTable {
  std::string_view id;
  std::string_view header;
  std::span<const Key> keys;
};

// --- The kinds of keys --------------------------------------------------------

namespace detail {
constexpr Key basic(std::string_view name, Type type, std::string_view says) {
  Key key;
  key.name = name;
  key.type = type;
  key.says = says;
  return key;
}
}  // namespace detail

constexpr Key number(std::string_view name, Dimension dimension, Range range,
                     std::string_view says) {
  Key key = detail::basic(name, Type::kNumber, says);
  key.dimension = dimension;
  key.range = range;
  return key;
}
constexpr Key plain(std::string_view name, Range range, std::string_view says) {
  return number(name, Dimension::kNone, range, says);
}
// In units of the first for what turns, of the second for what slides.
constexpr Key turning(std::string_view name, Dimension turns, Dimension slides, Range range,
                      std::string_view says) {
  Key key = number(name, turns, range, says);
  key.other = slides;
  return key;
}
constexpr Key whole(std::string_view name, int low, int high, std::string_view says) {
  Key key = detail::basic(name, Type::kWhole, says);
  key.range = {static_cast<double>(low), static_cast<double>(high)};
  return key;
}
constexpr Key flag(std::string_view name, std::string_view says) {
  return detail::basic(name, Type::kFlag, says);
}
constexpr Key text(std::string_view name, std::string_view says) {
  return detail::basic(name, Type::kText, says);
}
constexpr Key name_of(std::string_view name, std::string_view says) {
  return detail::basic(name, Type::kName, says);
}
constexpr Key word_of(std::string_view name, std::span<const Word> words, std::string_view says) {
  Key key = detail::basic(name, Type::kWord, says);
  key.words = words;
  return key;
}
constexpr Key numbers(std::string_view name, Dimension dimension, Range range, std::size_t least,
                      std::size_t most, std::string_view says) {
  Key key = number(name, dimension, range, says);
  key.type = Type::kNumbers;
  key.least = least;
  key.most = most;
  return key;
}
constexpr Key vector(std::string_view name, Dimension dimension, std::string_view says) {
  // Beyond such angles no direction is left in a double.
  return numbers(name, dimension, dimension == Dimension::kAngle ? Range{-1e6, 1e6} : kAny, 3, 3,
                 says);
}
constexpr Key curve(std::string_view name, Dimension y, Range x_range, Range y_range,
                    std::string_view says) {
  Key key = number(name, y, y_range, says);
  key.type = Type::kCurve;
  key.x_range = x_range;
  return key;
}
constexpr Key texts(std::string_view name, std::size_t most, std::string_view says) {
  Key key = detail::basic(name, Type::kTexts, says);
  key.most = most;
  return key;
}
constexpr Key table(std::string_view name, const KeyTable& inside, std::string_view says) {
  Key key = detail::basic(name, Type::kTable, says);
  key.inside = &inside;
  return key;
}
constexpr Key tables(std::string_view name, const KeyTable& inside, std::size_t most,
                     std::string_view says) {
  Key key = table(name, inside, says);
  key.type = Type::kTables;
  key.most = most;
  return key;
}
constexpr Key named(std::string_view name, const KeyTable& inside, std::string_view says) {
  Key key = table(name, inside, says);
  key.type = Type::kNamed;
  return key;
}
constexpr Key other(std::string_view name, std::string_view says) {
  return detail::basic(name, Type::kOther, says);
}

// Keys that several tables share, one list after the other.
template <std::size_t M, std::size_t N>
constexpr std::array<Key, M + N> join(const Key (&a)[M], const Key (&b)[N]) {
  std::array<Key, M + N> all;
  for (std::size_t i = 0; i < M; ++i) all[i] = a[i];
  for (std::size_t i = 0; i < N; ++i) all[M + i] = b[i];
  return all;
}

// Words of a list such as Key::only, which blanks separate.
std::vector<std::string_view> words_of(std::string_view list);
// Whether such a list names one of these words.
bool names_any(std::string_view list, std::span<const std::string_view> words);
// The table's key of that name, without or with its unit; null if there is none.
const Key* find_key(const KeyTable& table, std::string_view name);

// Whether two keys are other ways to say the same, in any table.
bool alternatives(std::string_view one, std::string_view other);

// The default as a file would say it, or in words; empty if there is none.
std::string standard_text(const Key& key);

}  // namespace knuckleboom::declare
