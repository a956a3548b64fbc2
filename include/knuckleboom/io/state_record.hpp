// States in files: a description of the fields, once in a file, and records of plain numbers that it tells
// apart by name. A reader with other fields takes from a record what it knows; what it lacks there is
// neutral, and what it does not know must be. docs/reference/session_file.md
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::io {

// One line for each type, the parts of a type before it and the whole last:
//   sim::Payload inertia multibody::LinkInertia,link i4,event i4=-1
// A field is a name (none: -), a type, its places, and its neutral value unless that is zero. Records hold
// the fields in this order, without gaps, numbers in the byte order of x86-64.
// shortened: arrays of which records hold the first places alone, since the others are neutral.
struct Shortened {
  std::string_view type, field;
  std::uint32_t places;
};
std::string describe(const state::Struct& type, std::span<const Shortened> shortened = {});

// A description that was read. Copies share it.
class StateDescription {
 public:
  StateDescription() = default;
  // root: the type of the whole; the last one of the text if it is not given. Throws std::invalid_argument
  // with one sentence for what describes nothing.
  explicit StateDescription(std::string_view text, std::string_view root = {});
  // Describes a state in memory, which is a record of itself.
  explicit StateDescription(const state::Struct& type);

  bool empty() const { return type_ == nullptr; }
  const state::Struct& type() const { return *type_; }
  std::size_t record_bytes() const { return type_->size; }

 private:
  std::shared_ptr<const void> kept_;
  const state::Struct* type_ = nullptr;
};

// Takes a record over into one of another description. Empty: done. Else one sentence about a field that the
// other does not know, or has no room for, and that is not neutral; `to` is then of no use.
std::string convert(const state::Struct& from, const void* record, const state::Struct& to,
                    void* out);

}  // namespace knuckleboom::io
