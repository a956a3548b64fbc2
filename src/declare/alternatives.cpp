#include <algorithm>
#include <utility>
#include <vector>

#include "declare/lever_keys.hpp"
#include "declare/machine_keys.hpp"
#include "knuckleboom/declare/tables.hpp"

namespace knuckleboom::declare {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

std::vector<Pair> all_alternatives() {
  std::vector<Pair> pairs;
  for (const KeyTable* root : {&keys::machine_file::table, &keys::lever_file::table})
    for (const KeyTable* table : tables_in(*root))
      for (const Key& key : table->keys)
        for (const Key& other : table->keys)
          if (names_any(key.instead_of, {&other.name, 1})) pairs.emplace_back(key.name, other.name);
  return pairs;
}

}  // namespace

bool alternatives(std::string_view one, std::string_view other) {
  static const std::vector<Pair> pairs = all_alternatives();
  return std::any_of(pairs.begin(), pairs.end(), [&](const Pair& pair) {
    return pair == Pair(one, other) || pair == Pair(other, one);
  });
}

}  // namespace knuckleboom::declare
