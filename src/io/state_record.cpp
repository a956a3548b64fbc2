#include "knuckleboom/io/state_record.hpp"

#include <charconv>
#include <cstring>
#include <deque>
#include <set>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace knuckleboom::io {
namespace {

using state::Field;
using state::Kind;
using state::Struct;

constexpr std::size_t kMostText = std::size_t{1} << 18;
constexpr std::uint64_t kMostRecordBytes = std::uint64_t{1} << 26;  // of a record
constexpr std::size_t kMostFields = 4096;
constexpr int kMostDepth = state::Trail::kMost;

constexpr char kAside = '~';  // before the name of what does not count in the hash
constexpr const char* kNumberWords[] = {"i2", "i4", "i8", "f8"};

double number_of(const Field& field, std::uint64_t bits) {
  return field.kind == Kind::kDouble ? std::bit_cast<double>(bits)
                                     : static_cast<double>(static_cast<std::int64_t>(bits));
}

// --- Writing --------------------------------------------------------------------

std::uint32_t places_kept(const Struct& type, const Field& field,
                          std::span<const Shortened> shortened) {
  for (const Shortened& one : shortened)
    if (one.type == type.name && one.field == field.name) return one.places;
  return field.extent[0];
}

void describe_into(const Struct& type, std::span<const Shortened> shortened,
                   std::set<const Struct*>& done, std::string& out) {
  if (!done.insert(&type).second) return;
  for (const Field& field : type.fields)
    if (field.part != nullptr) describe_into(*field.part, shortened, done, out);
  out += type.name;
  char before = ' ';
  for (const Field& field : type.fields) {
    out += before;
    before = ',';
    if (field.aside) out += kAside;
    out += field.name.empty() ? "-" : field.name;
    out += ' ';
    out += field.part != nullptr ? std::string(field.part->name)
                                 : kNumberWords[static_cast<int>(field.kind)];
    for (const std::uint32_t extent : {places_kept(type, field, shortened), field.extent[1]})
      if (extent > 1) out += fmt::format("[{}]", extent);
    if (field.neutral != 0) out += fmt::format("={}", number_of(field, field.neutral));
  }
  out += '\n';
}

// --- Reading --------------------------------------------------------------------

struct Kept {
  std::string text;
  struct Type {
    std::vector<Field> fields;
    std::vector<state::Slot> slots[3];
    Struct type{};
    int depth = 1;
  };
  std::deque<Type> types;
  std::size_t fields = 0;
};

[[noreturn]] void refuse(std::string_view what) {
  throw std::invalid_argument(fmt::format(
      "the description of its states cannot be understood at '{}'", what.substr(0, 60)));
}

std::string_view cut(std::string_view& rest, char at) {
  const std::size_t end = rest.find(at);
  const std::string_view piece = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return piece;
}

template <class T>
T number(std::string_view text, std::string_view whole) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) refuse(whole);
  return value;
}

class Reader {
 public:
  explicit Reader(Kept& kept) : kept_(kept) {}

  void line(std::string_view rest) {
    Kept::Type& type = kept_.types.emplace_back();
    type.type.name = cut(rest, ' ');
    std::uint64_t size = 0;
    while (!rest.empty()) {
      if (++kept_.fields > kMostFields) refuse(rest);
      add(cut(rest, ','), type, size);
    }
    if (type.fields.empty() || type.type.name.empty()) refuse(type.type.name);
    type.type.size = static_cast<std::uint32_t>(size);
    type.type.fields = type.fields;
    type.type.neutral_is_zero = state::zero_is_neutral(type.fields);
    constexpr std::uint32_t kBytes[] = {8, 4, 2};
    for (std::size_t i = 0; i < 3; ++i)
      state::for_each_slot(type.fields, kBytes[i],
                           [&](const state::Slot& slot) { type.slots[i].push_back(slot); });
    type.type.wide = type.slots[0];
    type.type.narrow = type.slots[1];
    type.type.small = type.slots[2];
  }

 private:
  void add(const std::string_view text, Kept::Type& type, std::uint64_t& size) {
    std::string_view rest = text;
    std::string_view name = cut(rest, ' ');
    const bool aside = name.starts_with(kAside);
    if (aside) name.remove_prefix(1);
    std::string_view neutral = rest;
    rest = cut(neutral, '=');
    Field field{};
    field.name = name == "-" ? std::string_view() : name;
    field.name_hash = state::hash_of_name(field.name);
    field.limits = state::kNumber;
    field.offset = static_cast<std::uint32_t>(size);
    const std::size_t bracket = std::min(rest.find('['), rest.size());
    set_type(rest.substr(0, bracket), text, type, field);
    field.aside = aside && field.part != nullptr;
    rest.remove_prefix(bracket);
    for (std::uint32_t& extent : field.extent) {
      extent = 1;
      if (rest.empty()) continue;
      if (rest.front() != '[') refuse(text);
      rest.remove_prefix(1);
      extent = number<std::uint32_t>(cut(rest, ']'), text);
    }
    const bool one_alone = field.part == nullptr || field.extent[1] == 1;
    const bool plain = !field.name.empty() || (field.part != nullptr && field.extent[0] == 1);
    if (name.empty() || !rest.empty() || !one_alone || !plain) refuse(text);
    if (!neutral.empty()) {
      if (field.part != nullptr) refuse(text);
      field.neutral = field.kind == Kind::kDouble
                          ? state::value_bits(number<double>(neutral, text))
                          : state::value_bits(number<std::int64_t>(neutral, text));
    }
    for (const Field& other : type.fields)
      if (other.name == field.name && !field.name.empty()) refuse(text);
    std::uint64_t bytes = state::element_size(field);
    for (const std::uint32_t extent : field.extent) {
      if (extent == 0 || extent > kMostRecordBytes / bytes) refuse(text);
      bytes *= extent;
    }
    size += bytes;
    if (size > kMostRecordBytes) refuse(text);
    type.fields.push_back(field);
  }

  void set_type(std::string_view word, std::string_view text, Kept::Type& owner, Field& field) {
    for (int kind = 0; kind < 4; ++kind)
      if (word == kNumberWords[kind]) {
        field.kind = static_cast<Kind>(kind);
        return;
      }
    field.kind = Kind::kStruct;
    for (const Kept::Type& type : kept_.types) {
      if (&type == &owner || type.type.name != word) continue;
      field.part = &type.type;
      owner.depth = std::max(owner.depth, type.depth + 1);
      if (owner.depth > kMostDepth) refuse(text);
      return;
    }
    refuse(text);
  }

  Kept& kept_;
};

// --- Converting -----------------------------------------------------------------

// A field by its name, those of parts without a name among them.
const Field* find(const Struct& type, std::string_view name, std::uint32_t& offset) {
  for (const Field& field : type.fields) {
    if (field.name == name) {
      offset += field.offset;
      return &field;
    }
    if (!field.name.empty()) continue;
    std::uint32_t inside = offset + field.offset;
    if (const Field* const found = find(*field.part, name, inside); found != nullptr) {
      offset = inside;
      return found;
    }
  }
  return nullptr;
}

class Converter {
 public:
  bool take(const Struct& from, const std::byte* record, const Struct& to, std::byte* out) {
    for (const Field& field : from.fields) {
      if (field.name.empty()) {
        if (!take(*field.part, record + field.offset, to, out)) return false;
        continue;
      }
      std::uint32_t offset = 0;
      const Field* const known = find(to, field.name, offset);
      if (!take_places(field, record + field.offset, known, out + offset)) return false;
    }
    return true;
  }
  std::string fault;

 private:
  bool take_places(const Field& field, const std::byte* from, const Field* known, std::byte* to) {
    const bool fits = known != nullptr && (known->part == nullptr) == (field.part == nullptr);
    const std::uint32_t size = state::element_size(field);
    for (std::uint32_t i = 0; i < field.extent[0]; ++i)
      for (std::uint32_t j = 0; j < field.extent[1]; ++j) {
        const std::byte* const here = from + (i * field.extent[1] + j) * size;
        const bool room = fits && i < known->extent[0] && j < known->extent[1];
        std::byte* const there =
            room ? to + (i * known->extent[1] + j) * state::element_size(*known) : nullptr;
        trail_.push(field, i, j);
        if (!take_place(field, here, room ? known : nullptr, there)) return false;
        trail_.pop();
      }
    return true;
  }

  bool take_place(const Field& field, const std::byte* from, const Field* known, std::byte* to) {
    if (field.part != nullptr)
      return known != nullptr ? take(*field.part, from, *known->part, to)
                              : all_neutral(*field.part, from);
    const std::uint64_t bits = state::Place{field, trail_, from, true}.bits();
    if (known != nullptr && (known->kind == Kind::kDouble) == (field.kind == Kind::kDouble)) {
      std::memcpy(to, &bits, state::size_of(known->kind));
      if (state::Place{*known, trail_, to, true}.bits() == bits) return true;
    } else if (bits == field.neutral) {
      return true;
    }
    fault = fmt::format("'{}', which this program does not know, is {:.6g}", trail_.text(),
                        number_of(field, bits));
    return false;
  }

  // True if a part unknown to this program has neutral values only.
  bool all_neutral(const Struct& type, const std::byte* from) {
    for (const Field& field : type.fields)
      if (!take_places(field, from + field.offset, nullptr, nullptr)) return false;
    return true;
  }

  state::Trail trail_;
};

}  // namespace

std::string describe(const Struct& type, std::span<const Shortened> shortened) {
  std::string out;
  std::set<const Struct*> done;
  describe_into(type, shortened, done, out);
  return out;
}

StateDescription::StateDescription(std::string_view text, std::string_view root) {
  if (text.size() > kMostText) refuse(text);
  const auto kept = std::make_shared<Kept>();
  kept->text = text;
  Reader reader(*kept);
  for (std::string_view rest = kept->text; !rest.empty();) reader.line(cut(rest, '\n'));
  for (const Kept::Type& type : kept->types)
    if (root.empty() || type.type.name == root) type_ = &type.type;
  if (type_ == nullptr) refuse(text);
  kept_ = kept;
}

StateDescription::StateDescription(const Struct& type) : type_(&type) {}

std::string convert(const Struct& from, const void* record, const Struct& to, void* out) {
  state::fill_neutral(to, out);
  Converter converter;
  converter.take(from, static_cast<const std::byte*>(record), to, static_cast<std::byte*>(out));
  return converter.fault;
}

}  // namespace knuckleboom::io
