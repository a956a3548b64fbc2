#include "knuckleboom/core/state/fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "knuckleboom/core/math/hash.hpp"

namespace knuckleboom::state {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kValueMask = 0xD6E8FEB86659FD93U;

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// As value_bits() gives them.
std::uint64_t load_bits(Kind kind, const std::byte* at) {
  switch (kind) {
    case Kind::kInt16:
      return value_bits(load<std::int16_t>(at));
    case Kind::kInt32:
      return value_bits(load<std::int32_t>(at));
    default:
      return load<std::uint64_t>(at);
  }
}

bool all_zero(const std::byte* at, std::size_t size) {
  constexpr std::size_t kBlock = 64;
  std::size_t i = 0;
  for (; i + kBlock <= size; i += kBlock) {
    std::uint64_t any = 0;
    for (std::size_t k = 0; k < kBlock; k += 8) any |= load<std::uint64_t>(at + i + k);
    if (any != 0) return false;
  }
  std::uint64_t any = 0;
  for (; i + 8 <= size; i += 8) any |= load<std::uint64_t>(at + i);
  for (; i < size; ++i) any |= static_cast<std::uint64_t>(at[i]);
  return any == 0;
}

// Both halves of the product: two instructions, and every bit of either number counts.
std::uint64_t folded(std::uint64_t place, std::uint64_t value) {
  const Wide product = static_cast<Wide>(place) * (value ^ kValueMask);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

template <class T>
std::uint64_t hash_slots(std::span<const Slot> slots, const std::byte* at, std::uint64_t id) {
  std::uint64_t sum = 0;
  for (const Slot& slot : slots) {
    const std::uint64_t bits = value_bits(load<T>(at + slot.offset));
    if (bits != slot.neutral) sum += folded(id + slot.place, bits);
  }
  return sum;
}

// A sum over places: in whatever order they come.
std::uint64_t hash_struct(const Struct& type, const std::byte* at, std::uint64_t id) {
  std::uint64_t sum = hash_slots<std::int64_t>(type.wide, at, id) +
                      hash_slots<std::int32_t>(type.narrow, at, id) +
                      hash_slots<std::int16_t>(type.small, at, id);
  for (const Field& field : type.fields) {
    if (field.part == nullptr || field.aside) continue;
    const Struct& part = *field.part;
    const std::byte* here = at + field.offset;
    for (std::uint32_t i = 0; i < field.extent[0]; ++i, here += part.size) {
      if (part.neutral_is_zero && all_zero(here, part.size)) continue;
      sum += hash_struct(
          part, here, field.name_hash == 0 ? id : mixed_bits(id + place_of(field.name_hash, i, 0)));
    }
  }
  return sum;
}

void store_bits(Kind kind, std::uint64_t bits, std::byte* at) {
  // The low bytes of a number come first on every processor that this runs on.
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(at, &bits, size_of(kind));
}

}  // namespace

std::uint64_t hash(const Struct& type, const void* state) {
  return mixed_bits(kStateVersion +
                    hash_struct(type, static_cast<const std::byte*>(state), kStateVersion));
}

void fill_neutral(const Struct& type, void* state) {
  auto* const at = static_cast<std::byte*>(state);
  for (const Field& field : type.fields) {
    const std::uint32_t size = element_size(field);
    for (std::uint32_t i = 0; i < field.extent[0] * field.extent[1]; ++i) {
      std::byte* const here = at + field.offset + i * size;
      if (field.kind == Kind::kStruct)
        fill_neutral(*field.part, here);
      else
        store_bits(field.kind, field.neutral, here);
    }
  }
}

void Trail::push(const Field& field, std::uint32_t i, std::uint32_t j) {
  step_[static_cast<std::size_t>(depth_++)] = {&field, {i, j}};
}

bool Trail::aside() const {
  return std::any_of(step_.begin(), step_.begin() + depth_,
                     [](const Step& step) { return step.field->aside; });
}

std::string Trail::text() const {
  std::string text;
  for (int n = 0; n < depth_; ++n) {
    const Step& step = step_[static_cast<std::size_t>(n)];
    if (!step.field->name.empty()) {
      if (!text.empty()) text += '.';
      text += step.field->name;
    }
    for (int d = 0; d < 2; ++d)
      if (step.field->extent[d] > 1) text += '[' + std::to_string(step.index[d]) + ']';
  }
  return text;
}

std::uint64_t Place::bits() const { return load_bits(field.kind, at); }

double Place::number() const {
  return field.kind == Kind::kDouble ? load<double>(at)
                                     : static_cast<double>(static_cast<std::int64_t>(bits()));
}

std::string number_text(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 6);
  return {text, end.ptr};
}

std::string objection(std::string_view name, double value, std::string_view wanted) {
  return std::string(name) + " is " + number_text(value) + "; " + std::string(wanted);
}

std::string check(const Struct& type, const void* state, const Counts& counts) {
  std::string fault;
  for_each_place(type, state, counts, [&fault](const Place& place) {
    const double value = place.number();
    const Limits& limits = place.field.limits;
    if (place.neutral()) return true;
    if (!place.used) {
      fault = objection(place.trail.text(), value, "nothing is there that could have a value");
      return false;
    }
    if (value >= limits.least && value <= limits.most) return true;
    if (limits.undefined && std::isnan(value)) return true;
    fault = objection(
        place.trail.text(), value,
        "expected " + (limits.least == limits.most
                           ? number_text(limits.least)
                           : number_text(limits.least) + " to " + number_text(limits.most)));
    return false;
  });
  return fault;
}

}  // namespace knuckleboom::state
