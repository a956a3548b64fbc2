#include "knuckleboom/declare/key.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace knuckleboom::declare {

std::vector<std::string_view> words_of(std::string_view list) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(' ', begin), list.size());
    words.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

bool names_any(std::string_view list, std::span<const std::string_view> words) {
  return std::ranges::any_of(words_of(list), [words](std::string_view word) {
    return std::ranges::find(words, word) != words.end();
  });
}

const Key* find_key(const KeyTable& table, std::string_view name) {
  const auto called = [&](std::string_view stem) -> const Key* {
    for (const Key& key : table.keys)
      if (key.name == stem) return &key;
    return nullptr;
  };
  const Key* whole = called(name);
  return whole != nullptr ? whole : called(split_key(name).stem);
}

std::string standard_text(const Key& key) {
  if (!key.standard_text.empty()) return std::string(key.standard_text);
  if (key.needed) return {};
  std::optional<double> value = key.standard;
  if (!value && key.bound.standard != nullptr) value = key.bound.standard();
  if (!value) return {};
  if (key.type == Type::kFlag) return *value != 0.0 ? "true" : "false";
  if (key.type == Type::kWord) {
    for (const Word& word : key.words)
      if (word.value == static_cast<int>(*value)) return fmt::format("`\"{}\"`", word.word);
    return {};
  }
  return *value == 0.0 ? "0" : shortest_text(*value, key.dimension);
}

}  // namespace knuckleboom::declare
