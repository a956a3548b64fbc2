#include "knuckleboom/declare/tables.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace knuckleboom::declare {
namespace {

void add_tables(const KeyTable& table, std::vector<const KeyTable*>& out) {
  if (std::find(out.begin(), out.end(), &table) != out.end()) return;
  out.push_back(&table);
  for (const Key& key : table.keys)
    if (key.inside != nullptr) add_tables(*key.inside, out);
}

void add_paths(const KeyTable& table, const std::string& prefix, std::vector<std::string>& out) {
  for (const Key& key : table.keys) {
    std::string path = prefix + full_key(key.name, units(key.dimension).front());
    if (key.inside == nullptr) {
      out.push_back(std::move(path));
      continue;
    }
    if (key.type != Type::kTable) path += ".NAME";
    add_paths(*key.inside, path + ".", out);
  }
}

std::string in_code(std::string_view text) { return fmt::format("`{}`", text); }

// "`a`, `b` or `c`" of words parted by blanks.
std::string words_text(std::string_view words) {
  const std::vector<std::string_view> list = words_of(words);
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i)
    text += (i == 0 ? "" : i + 1 == list.size() ? " or " : ", ") + in_code(list[i]);
  return text;
}

std::string bracketed(std::string_view name, Dimension dimension) {
  const std::string_view suffix = units(dimension).front().suffix;
  return suffix.empty() ? std::string(name) : fmt::format("{}_[{}]", name, suffix);
}

std::string key_cell(const Key& key) {
  std::string text = in_code(bracketed(key.name, key.dimension));
  if (key.type == Type::kNamed) text = in_code(fmt::format("{}.NAME", key.name));
  if (key.needed)
    text += " *";
  else if (!key.needed_with.empty())
    text += fmt::format(" * with {}", words_text(key.needed_with));
  return text;
}

std::string number_text(double si, const Key& key) {
  if (key.type == Type::kWhole) return fmt::format("{:.0f}", si);
  return si == 0.0 ? "0" : shortest_text(si, key.dimension);
}

std::string range_text(const Key& key) {
  const Range& range = key.range;
  const bool low = range.low > -kLargest, high = range.high < kLargest;
  if (low && high)
    return range.open_low && range.low == 0.0
               ? fmt::format("above 0, at most {}", number_text(range.high, key))
               : fmt::format("{}{} to {}", range.open_low ? "above " : "",
                             number_text(range.low, key), number_text(range.high, key));
  if (low)
    return fmt::format("{} {}", range.open_low ? "above" : "from", number_text(range.low, key));
  return high ? fmt::format("at most {}", number_text(range.high, key)) : "";
}

std::string count_text(std::size_t least, std::size_t most) {
  return least == most ? fmt::format("{} numbers", most)
                       : fmt::format("{} to {} numbers", least, most);
}

std::string allowed_cell(const Key& key) {
  switch (key.type) {
    case Type::kNumber:
      return range_text(key);
    case Type::kWhole:
      return key.range.high >= 2147483647.0 ? fmt::format("whole, from {:.0f}", key.range.low)
                                            : "whole, " + range_text(key);
    case Type::kFlag:
      return "true, false";
    case Type::kText:
      return "text";
    case Type::kName:
      return "name";
    case Type::kWord: {
      std::string text;
      for (const Word& word : key.words)
        text += fmt::format("{}`\"{}\"`", text.empty() ? "" : ", ", word.word);
      return text;
    }
    case Type::kNumbers: {
      const std::string range = key.dimension == Dimension::kAngle ? "" : range_text(key);
      return count_text(key.least, key.most) + (range.empty() ? "" : ", " + range);
    }
    case Type::kCurve:
      return "pairs";
    case Type::kTexts:
      return fmt::format("at most {} texts", key.most);
    case Type::kTable:
    case Type::kNamed:
      return "table";
    case Type::kTables:
      return fmt::format("at most {} tables", key.most);
    case Type::kOther:
      break;
  }
  return {};
}

std::string meaning_cell(const Key& key) {
  std::vector<std::string> parts;
  if (!key.says.empty()) parts.emplace_back(key.says);
  for (const Word& word : key.words)
    if (!word.says.empty()) parts.push_back(fmt::format("`\"{}\"`: {}", word.word, word.says));
  if (key.other != Dimension::kNone)
    parts.push_back(fmt::format("what slides: `_[{}]`", units(key.other).front().suffix));
  if (!key.only.empty()) parts.push_back("only with " + words_text(key.only));
  if (!key.own_usual.why.empty())
    parts.push_back("usually " + usual_text(key.own_usual, key.dimension));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

std::vector<const KeyTable*> tables_in(const KeyTable& root) {
  std::vector<const KeyTable*> out;
  add_tables(root, out);
  return out;
}

std::vector<std::string> key_paths(const KeyTable& root) {
  std::vector<std::string> out;
  add_paths(root, "", out);
  return out;
}

std::string key_rows(const KeyTable& table) {
  std::string text = "| key | allowed | default | meaning |\n|---|---|---|---|\n";
  for (const Key& key : table.keys)
    text += fmt::format("| {} | {} | {} | {} |\n", key_cell(key), allowed_cell(key),
                        standard_text(key), meaning_cell(key));
  return text;
}

std::string unit_rows() {
  std::string text = "| kind | units | usually | because |\n|---|---|---|---|\n";
  for (const Dimension dimension : dimensions()) {
    if (dimension == Dimension::kNone) continue;
    std::string list;
    for (const Unit& unit : units(dimension))
      list += fmt::format("{}`{}`", list.empty() ? "" : " ", unit.suffix);
    const Usual& u = usual(dimension);
    text += fmt::format("| {} | {} | {} | {} |\n", dimension_name(dimension), list,
                        u.why.empty() ? "" : usual_text(u, dimension), u.why);
  }
  return text;
}

}  // namespace knuckleboom::declare
