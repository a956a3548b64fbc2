// Named fields of plain state structs. Beside each struct stands a table that names every member once, with
// its neutral value and the values that it may have. From the tables follow the hash of a state, its check,
// and how it is stored.
//
// A place (a number, or one of an array) at its neutral value does not count in the hash: the hash stays the
// same when a capacity grows, a field is added that is off, or members change their order in memory. Places
// are identified by names and indices alone, so a name is never used again for something else.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace knuckleboom::state {

// Goes up when a name gets another meaning; part of every hash.
inline constexpr std::uint32_t kStateVersion = 1;

enum class Kind : std::uint8_t { kInt16, kInt32, kInt64, kDouble, kStruct };

// Values that a place may have, both ends included: generous bounds, beyond which a stored state is damaged
// or forged. In the field's own unit.
struct Limits {
  double least, most;
  bool undefined = false;  // nan means that there is no value
};
inline constexpr Limits kNumber{-1e15, 1e15};
inline constexpr Limits kZero{0.0, 0.0};
inline constexpr Limits kFlag{0.0, 1.0};
inline constexpr Limits kShare{0.0, 1.0};
inline constexpr Limits kSignedShare{-1.0, 1.0};
inline constexpr Limits kDirection{-1.0001, 1.0001};  // of a unit vector, quaternion or rotation
inline constexpr Limits kCounter{0.0, 4e15};
inline constexpr Limits kCounter32{0.0, 1e9};
inline constexpr Limits kPositive{0.0, 1e15};
inline constexpr Limits kPosition{-1e4, 1e4};  // rad, m
inline constexpr Limits kSpeed{-1e4, 1e4};     // rad/s, m/s
inline constexpr Limits kAcceleration{-1e8, 1e8};
inline constexpr Limits kForce{-1e11, 1e11};  // N, N m
inline constexpr Limits kPressure{-1e10, 1e10};
inline constexpr Limits kFlow{-1e3, 1e3};  // m^3/s
inline constexpr Limits kVoltage{-1e4, 1e4};
inline constexpr Limits kInertia{-1e10, 1e10};        // kg, kg m, kg m^2
inline constexpr Limits kPerhaps{-1e15, 1e15, true};  // or nan
inline constexpr Limits kKey{-2147483648.0, 2147483647.0};
inline constexpr Limits kEventNumber{-2.0, 1e9};  // of a payload
inline constexpr Limits kNoneOrCounted{-1.0, 4e15};
inline constexpr Limits kLever{-32767.0, 32767.0};
constexpr Limits bits(int count) { return {0.0, static_cast<double>((1LL << count) - 1)}; }
constexpr Limits below(int count) { return {0.0, count - 1.0}; }           // enum, index
constexpr Limits none_or_below(int count) { return {-1.0, count - 1.0}; }  // -1: none

// How many places of an array a machine, an exercise or a plan uses; the others are neutral.
enum class Along : std::uint8_t {
  kAll,
  kJoints,
  kActuators,
  kLoops,
  kFaults,
  kLogs,
  kLeverFunctions,
  kSignals,
  kWheels,
};
inline constexpr int kAlongs = 9;
struct Counts {
  std::array<std::uint32_t, kAlongs> used = filled();
  std::uint32_t& operator[](Along along) { return used[static_cast<std::size_t>(along)]; }
  std::uint32_t operator[](Along along) const { return used[static_cast<std::size_t>(along)]; }

 private:
  static constexpr std::array<std::uint32_t, kAlongs> filled() {
    std::array<std::uint32_t, kAlongs> all{};
    all.fill(~std::uint32_t{0});
    return all;
  }
};

struct Struct;

struct Field {
  std::string_view name;    // empty: the fields of the part count as fields of its owner
  std::uint64_t name_hash;  // 0: no name
  Kind kind;
  Along along;              // of the first extent
  std::uint32_t offset;     // bytes
  std::uint32_t extent[2];  // 1: not an array
  std::uint64_t neutral;    // as value_bits() gives it
  Limits limits;
  const Struct* part;  // of kStruct
  bool aside = false;  // of kStruct: does not count in the hash, since nothing else follows from it
};

// A number in a struct itself, not in its parts, as the hash sees it.
struct Slot {
  std::uint64_t place, neutral;  // place: made of name and indices
  std::uint32_t offset;
};

struct Struct {
  std::string_view name;                      // of the type, "sim::Drive"; only tells types apart
  std::uint32_t size;                         // bytes
  std::span<const Field> fields;              // in the order of memory, without gaps
  bool neutral_is_zero;                       // bytes that are all zero are all neutral
  std::span<const Slot> wide, narrow, small;  // of 8, 4 and 2 bytes
};

// --- Tables ---------------------------------------------------------------------

constexpr std::uint64_t hash_of_name(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001B3U;
  return name.empty() ? 0 : hash;
}

// Bits of a number: integers widened, doubles as their bits, so that -0 is not 0.
template <class T>
constexpr std::uint64_t value_bits(T value) {
  if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<std::uint64_t>(value);
  else
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

template <class T>
constexpr Kind kind_of() {
  if constexpr (std::is_same_v<T, double>)
    return Kind::kDouble;
  else if constexpr (std::is_class_v<T>)
    return Kind::kStruct;
  else {
    static_assert(std::is_enum_v<T> || std::is_signed_v<T>);
    static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);
    return sizeof(T) == 2 ? Kind::kInt16 : sizeof(T) == 4 ? Kind::kInt32 : Kind::kInt64;
  }
}
constexpr std::uint32_t size_of(Kind kind) {
  return kind == Kind::kInt16 ? 2 : kind == Kind::kInt32 ? 4 : 8;  // not of kStruct
}

// Table of a struct; specialised by the one declared beside it: state_fields(const T*).
template <class T>
struct TableOf;

template <class Member>
constexpr Field field(std::string_view name, std::size_t offset, Limits limits = kNumber,
                      Along along = Along::kAll, std::int64_t neutral = 0) {
  using Value = std::remove_all_extents_t<Member>;
  static_assert(std::rank_v<Member> <= (std::is_class_v<Value> ? 1 : 2));
  Field out{name,
            hash_of_name(name),
            kind_of<Value>(),
            along,
            static_cast<std::uint32_t>(offset),
            {static_cast<std::uint32_t>(std::rank_v<Member> > 0 ? std::extent_v<Member> : 1),
             static_cast<std::uint32_t>(std::rank_v<Member> > 1 ? std::extent_v<Member, 1> : 1)},
            0,
            limits,
            nullptr};
  if constexpr (std::is_class_v<Value>)
    out.part = &TableOf<Value>::table;
  else if constexpr (std::is_same_v<Value, double>)
    out.neutral = value_bits(static_cast<double>(neutral));
  else
    out.neutral = value_bits(neutral);
  return out;
}
// Field that is an array of structs.
template <class Member>
constexpr Field field(std::string_view name, std::size_t offset, Along along) {
  return field<Member>(name, offset, kNumber, along);
}

// The same, left out of the hash.
constexpr Field aside(Field field) {
  if (field.part == nullptr) throw "only structs can stand aside";
  field.aside = true;
  return field;
}

constexpr std::uint32_t element_size(const Field& field) {
  return field.kind == Kind::kStruct ? field.part->size : size_of(field.kind);
}

// Does not compile where a member is missing, named twice, or followed by padding.
template <class T, class... Fields>
constexpr std::array<Field, sizeof...(Fields)> fields_of(const Fields&... fields) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T>);
  const std::array<Field, sizeof...(Fields)> all{fields...};
  std::uint32_t at = 0;
  for (const Field& field : all) {
    if (field.offset != at) throw "a member is missing in the table, or stands in another order";
    at += element_size(field) * field.extent[0] * field.extent[1];
  }
  if (at != sizeof(T)) throw "the last members are missing in the table";
  return all;
}

constexpr std::uint64_t place_of(std::uint64_t name_hash, std::uint32_t i, std::uint32_t j) {
  return name_hash + (i + 1) * 0x9E3779B97F4A7C15U + (j + 1) * 0xD1B54A32D192ED03U;
}

// Calls use(slot) for every number of so many bytes. What is no array counts as the first place of one.
template <class Use>
constexpr void for_each_slot(std::span<const Field> fields, std::uint32_t bytes, Use use) {
  for (const Field& field : fields) {
    if (field.part != nullptr || size_of(field.kind) != bytes) continue;
    for (std::uint32_t i = 0; i < field.extent[0]; ++i)
      for (std::uint32_t j = 0; j < field.extent[1]; ++j)
        use(Slot{place_of(field.name_hash, i, j), field.neutral,
                 field.offset + (i * field.extent[1] + j) * bytes});
  }
}

constexpr bool zero_is_neutral(std::span<const Field> fields) {
  for (const Field& field : fields)
    if (field.neutral != 0 || (field.part != nullptr && !field.part->neutral_is_zero)) return false;
  return true;
}

template <class T>
constexpr std::string_view name_of_type() {
  std::string_view name = __PRETTY_FUNCTION__;
  name = name.substr(name.find("T = ") + 4);
  name = name.substr(0, name.find_first_of(";]"));
  constexpr std::string_view kOurs = "knuckleboom::";
  return name.starts_with(kOurs) ? name.substr(kOurs.size()) : name;
}

template <class T>
inline constexpr auto kFields = state_fields(static_cast<const T*>(nullptr));

template <class T, std::uint32_t bytes>
constexpr std::size_t slot_count() {
  std::size_t count = 0;
  for_each_slot(kFields<T>, bytes, [&count](const Slot&) { ++count; });
  return count;
}
template <class T, std::uint32_t bytes>
constexpr auto slots() {
  std::array<Slot, slot_count<T, bytes>()> all{};
  std::size_t n = 0;
  for_each_slot(kFields<T>, bytes, [&](const Slot& slot) { all[n++] = slot; });
  return all;
}
template <class T, std::uint32_t bytes>
inline constexpr auto kSlots = slots<T, bytes>();

template <class T>
struct TableOf {
  static constexpr Struct table{
      name_of_type<T>(), sizeof(T),    kFields<T>,  zero_is_neutral(kFields<T>),
      kSlots<T, 8>,      kSlots<T, 4>, kSlots<T, 2>};
};

template <class T>
constexpr const Struct& struct_of() {
  return TableOf<T>::table;
}

// --- What follows from them -------------------------------------------------------

std::uint64_t hash(const Struct& type, const void* state);
template <class T>
std::uint64_t hash(const T& state) {
  return hash(struct_of<T>(), &state);
}

void fill_neutral(const Struct& type, void* state);

// The way from the whole state to one place.
class Trail {
 public:
  static constexpr int kMost = 16;
  struct Step {
    const Field* field;
    std::uint32_t index[2];
  };
  void push(const Field& field, std::uint32_t i, std::uint32_t j);
  void pop() { --depth_; }
  bool full() const { return depth_ == kMost; }
  std::string text() const;  // "machine.actuator[2].P_C[0]"
  bool aside() const;        // does not count in the hash

 private:
  std::array<Step, kMost> step_;
  int depth_ = 0;
};

// A number in a state.
struct Place {
  const Field& field;
  const Trail& trail;
  const std::byte* at;
  bool used;  // within the counts of what it belongs to

  std::uint64_t bits() const;
  double number() const;
  bool neutral() const { return bits() == field.neutral; }
};

// Calls use(place) for every number until it returns false; false: it did.
template <class Use>
bool for_each_place(const Struct& type, const std::byte* at, const Counts& counts, Trail& trail,
                    bool used, Use& use) {
  for (const Field& field : type.fields) {
    const std::uint32_t size = element_size(field);
    for (std::uint32_t i = 0; i < field.extent[0]; ++i)
      for (std::uint32_t j = 0; j < field.extent[1]; ++j) {
        const std::byte* const here = at + field.offset + (i * field.extent[1] + j) * size;
        const bool in_use = used && i < counts[field.along];
        trail.push(field, i, j);
        const bool go_on = field.kind == Kind::kStruct
                               ? for_each_place(*field.part, here, counts, trail, in_use, use)
                               : use(Place{field, trail, here, in_use});
        trail.pop();
        if (!go_on) return false;
      }
  }
  return true;
}
template <class Use>
bool for_each_place(const Struct& type, const void* state, const Counts& counts, Use use) {
  Trail trail;
  return for_each_place(type, static_cast<const std::byte*>(state), counts, trail, true, use);
}

// The first place that is not finite, beyond its limits, or in use where nothing is: "machine.q[3] is nan".
// Empty: there is none.
std::string check(const Struct& type, const void* state, const Counts& counts);
template <class T>
std::string check(const T& state, const Counts& counts) {
  return check(struct_of<T>(), &state, counts);
}
// "NAME is VALUE; WANTED", as that says it.
std::string objection(std::string_view name, double value, std::string_view wanted);
std::string number_text(double value);

}  // namespace knuckleboom::state

// Names a member of S, the struct whose table it stands in; then limits, what its places are along, and the
// neutral value.
#define KB_FIELD(member, ...)                               \
  ::knuckleboom::state::field<decltype(S::member)>(#member, \
                                                   offsetof(S, member) __VA_OPT__(, ) __VA_ARGS__)
// The same under another name than the member has, or under none.
#define KB_FIELD_AS(name, member, ...)                   \
  ::knuckleboom::state::field<decltype(S::member)>(name, \
                                                   offsetof(S, member) __VA_OPT__(, ) __VA_ARGS__)
