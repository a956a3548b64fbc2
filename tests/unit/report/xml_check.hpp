// Reads markup as XML does, strictly: every element closed in its turn, attributes in quotes and once,
// only the entities that XML knows.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace knuckleboom::test {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
};

struct XmlResult {
  std::string fault;  // empty: well-formed
  std::vector<XmlElement> elements;
  std::string text;  // of all elements, entities as they stand
};

inline bool is_entity(std::string_view text) {  // at an '&'
  const std::size_t end = text.substr(0, 12).find(';');
  if (end == std::string_view::npos) return false;
  const std::string_view name = text.substr(1, end - 1);
  for (const std::string_view known : {"amp", "lt", "gt", "quot", "apos"})
    if (name == known) return true;
  return name.size() > 1 && name[0] == '#' &&
         name.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

inline XmlResult read_xml(std::string_view all) {
  XmlResult result;
  std::vector<std::string> open;
  const auto fail = [&](std::size_t at, const std::string& what) {
    result.fault = what + " at: " + std::string(all.substr(at, 60));
    return result;
  };
  const auto is_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  };
  std::size_t i = 0;
  if (all.starts_with("<!DOCTYPE html>")) i = 15;
  bool had_root = false;
  while (i < all.size()) {
    if (all[i] != '<') {
      if (all[i] == '&' && !is_entity(all.substr(i))) return fail(i, "unknown entity");
      if (open.empty() && all[i] != '\n') return fail(i, "text outside of the root");
      result.text += all[i++];
      continue;
    }
    const std::size_t start = i++;
    const bool closing = i < all.size() && all[i] == '/';
    if (closing) ++i;
    std::string name;
    while (i < all.size() && is_name(all[i])) name += all[i++];
    if (name.empty()) return fail(start, "no name");
    if (closing) {
      if (i >= all.size() || all[i] != '>') return fail(start, "closing tag");
      ++i;
      if (open.empty() || open.back() != name) return fail(start, "closes what is not open");
      open.pop_back();
      continue;
    }
    if (open.empty() && had_root) return fail(start, "second root");
    had_root = true;
    XmlElement element{name, {}};
    bool empty = false;
    for (;;) {
      while (i < all.size() && (all[i] == ' ' || all[i] == '\n')) ++i;
      if (i >= all.size()) return fail(start, "cut off");
      if (all[i] == '>') break;
      if (all.substr(i, 2) == "/>") {
        empty = true;
        ++i;
        break;
      }
      std::string key;
      while (i < all.size() && is_name(all[i])) key += all[i++];
      if (key.empty() || all.substr(i, 2) != "=\"") return fail(start, "attribute");
      i += 2;
      std::string value;
      for (; i < all.size() && all[i] != '"'; ++i) {
        if (all[i] == '<') return fail(i, "'<' in an attribute");
        if (all[i] == '&' && !is_entity(all.substr(i))) return fail(i, "unknown entity");
        value += all[i];
      }
      if (i >= all.size()) return fail(start, "attribute is not closed");
      ++i;
      if (!element.attributes.emplace(key, value).second) return fail(start, "attribute twice");
    }
    ++i;
    result.elements.push_back(element);
    if (!empty) open.push_back(name);
  }
  if (!open.empty()) return fail(all.size(), "'" + open.back() + "' is not closed");
  return result;
}

}  // namespace knuckleboom::test
