// Stored states with one thing in them that no program has written there, always the same for one number.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "knuckleboom/core/math/hash.hpp"
#include "knuckleboom/core/state/fields.hpp"
#include "support/scrambled_state.hpp"

namespace knuckleboom::test {

struct Forgery {
  std::string what;     // "machine.q[2] = nan"
  bool certain = true;  // it must be refused; else it might be a state that there can be
};

template <class State>
Forgery forge(State& state, std::uint64_t seed) {
  const auto random = [&seed](std::uint64_t count) { return mixed_bits(++seed * 77U) % count; };
  if (random(20) == 0) {
    std::memset(static_cast<void*>(&state), 0, sizeof state);
    return {"all zero"};
  }
  if (random(20) == 0) {
    std::memset(static_cast<void*>(&state), 0xFF, sizeof state);
    return {"all ones"};
  }
  // By field, not by place: most places are contacts.
  struct Found {
    const state::Field* field;
    std::string name;
    const std::byte* at;
    bool used;
  };
  std::map<std::string, std::vector<Found>> fields;
  std::map<const state::Field*, int> seen;
  state::for_each_place(state::struct_of<State>(), &state, {}, [&](const state::Place& place) {
    if (++seen[&place.field] > 1000) return true;
    std::string name = place.trail.text(), plain;
    bool inside = false;
    for (const char c : name) {
      if (c == '[') inside = true;
      if (!inside) plain += c;
      if (c == ']') inside = false;
    }
    // Found anew from the contacts when a state is read.
    if (plain.ends_with("contacts.end")) return true;
    fields[plain].push_back({&place.field, name, place.at, true});
    return true;
  });
  auto field = fields.begin();
  std::advance(field, static_cast<long>(random(fields.size())));
  const Found& found = field->second[random(field->second.size())];
  const state::Trail none{};
  const state::Place place{*found.field, none, found.at, true};
  const state::Limits& limits = found.field->limits;
  double value = 0.0;
  if (found.field->kind == state::Kind::kDouble) {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    const double evil[] = {std::nan(""), kInfinite, -kInfinite, 1e300, -1e300,
                           1e30,         -1e30,     -1.0,       0.0,   1e12};
    value = evil[random(std::size(evil))];
  } else {
    const double evil[] = {-2147483648.0, 2147483647.0, -1.0, -2.0, 1e6, 32768.0, 99.0};
    value = evil[random(std::size(evil))];
    if (found.field->kind == state::Kind::kInt16) value = -32768.0;
  }
  set_place(place, value);
  const bool beyond = !(value >= limits.least && value <= limits.most);
  return {found.name + " = " + state::number_text(value),
          beyond && !place.neutral() && !(limits.undefined && std::isnan(value))};
}

}  // namespace knuckleboom::test
