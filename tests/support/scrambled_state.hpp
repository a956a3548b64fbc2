// States whose every place holds a number of its own, for tests of what must see them all.
#pragma once

#include <cstdint>
#include <cstring>

#include "knuckleboom/core/math/hash.hpp"
#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::test {

inline void set_place(const state::Place& place, double value) {
  auto* const at = const_cast<std::byte*>(place.at);
  const auto store = [at](auto number) { std::memcpy(at, &number, sizeof number); };
  switch (place.field.kind) {
    case state::Kind::kInt16:
      return store(static_cast<std::int16_t>(value));
    case state::Kind::kInt32:
      return store(static_cast<std::int32_t>(value));
    case state::Kind::kInt64:
      return store(static_cast<std::int64_t>(value));
    default:
      return store(value);
  }
}

template <class State>
State scrambled(std::uint64_t seed) {
  State state;
  std::memset(static_cast<void*>(&state), 0, sizeof state);
  state::for_each_place(state::struct_of<State>(), &state, {}, [&seed](const state::Place& place) {
    set_place(place, 2.0 + 30000.0 * uniform(++seed));
    return true;
  });
  return state;
}

}  // namespace knuckleboom::test
