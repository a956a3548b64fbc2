#include "knuckleboom/io/content_keys.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "declare/scenario_keys.hpp"
#include "document.hpp"
#include "knuckleboom/declare/units.hpp"
#include "machine_document.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

constexpr std::string_view kBetween = " = ";

bool is_bare(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-';
  });
}

std::string toml_text(const Node& node) {
  const auto list = [](std::string text, const auto& parts, const auto& text_of) {
    bool first = true;
    for (const auto& part : parts) {
      text += (first ? "" : ", ") + text_of(part);
      first = false;
    }
    return text;
  };
  switch (node.kind) {
    case Node::Kind::kString:
      return toml_string(node.text);
    case Node::Kind::kBoolean:
      return node.boolean ? "true" : "false";
    case Node::Kind::kArray:
      return list("[", node.items, toml_text) + "]";
    case Node::Kind::kTable:
      return list("{", node.entries,
                  [](const Entry& entry) { return entry.key + " = " + toml_text(entry.value); }) +
             "}";
    default:
      return node.text;
  }
}

class Flat {
 public:
  explicit Flat(const Report& report) : report_(report) {}

  void add(const Node& table, const std::string& path) {
    for (const Entry& entry : table.entries) {
      const std::string key =
          path + '.' + (is_bare(entry.key) ? entry.key : toml_string(entry.key));
      if (entry.value.is_table())
        add(entry.value, key);
      else if (entry.value.is_array_of_tables())
        add_items(entry.value, key);
      else
        out_.push_back(
            {key, toml_text(entry.value), report_.file(entry.place.file), entry.place.line});
    }
  }

  std::vector<ContentKey> take() { return std::move(out_); }

 private:
  // By name, or by number where that is not enough.
  void add_items(const Node& array, const std::string& key) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < array.items.size(); ++i) {
      std::string name = identity(array.items[i]);
      if (!is_bare(name) || !names.insert(name).second) name = fmt::format("{}", i);
      add(array.items[i], key + '.' + name);
    }
  }

  const Report& report_;
  std::vector<ContentKey> out_;
};

std::optional<double> number_in(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view last_of(std::string_view key) { return key.substr(key.rfind('.') + 1); }

// Keys that differ by their unit alone are one.
std::string without_unit(const std::string& key) {
  const declare::KeyParts parts = declare::split_key(last_of(key));
  if (parts.unit == nullptr) return key;
  return fmt::format("{}{} {}", key.substr(0, key.rfind('.') + 1), parts.stem,
                     static_cast<int>(parts.dimension));
}

bool same_value(const ContentKey& a, const ContentKey& b) {
  const auto si = [](const ContentKey& key) {
    std::optional<double> value = number_in(key.value);
    const declare::KeyParts parts = declare::split_key(last_of(key.key));
    if (value && parts.unit != nullptr) value = declare::to_si(*value, *parts.unit);
    return value;
  };
  const std::optional<double> x = si(a), y = si(b);
  if (x && y) return std::fabs(*x - *y) <= 4e-16 * std::fabs(*x);
  return a.key == b.key && a.value == b.value;
}

using ByKey = std::map<std::string, const ContentKey*>;

ByKey by_key(std::span<const ContentKey> keys) {
  ByKey out;
  for (const ContentKey& key : keys) out.emplace(without_unit(key.key), &key);
  return out;
}

// The longest part of a key, from its front, below which the other reading has nothing.
std::string missing_part(const std::string& key, std::span<const ContentKey> other) {
  // Behind the prefix and the first word.
  for (std::size_t end = key.find('.', key.find('.') + 1); end != std::string::npos;
       end = key.find('.', end + 1)) {
    const std::string part = key.substr(0, end + 1);
    if (std::none_of(other.begin(), other.end(),
                     [&part](const ContentKey& one) { return one.key.starts_with(part); }))
      return part.substr(0, end);
  }
  return key;
}

std::string assignment(const ContentKey& key) { return key.key + '=' + key.value; }

}  // namespace

namespace {

Node content(std::string_view text, const std::string& file_name, FileKind kind,
             std::span<const Override> overrides, const std::vector<NamedText>* bases,
             Report& report) {
  Hasher hash;
  std::vector<UrdfImport> imports;
  DocumentOptions options;
  if (kind == FileKind::kMachine) options = machine_document(imports, bases);
  options.what = "file";
  options.keys = &file_kind(kind).keys;
  Node root = read_document(text, file_name, overrides, options, report, hash);
  report.throw_if_any();
  return root;
}

std::string key_text(const std::string& key) { return is_bare(key) ? key : toml_string(key); }

// Writes a document as it is read: values first, then tables under their headers.
class Whole {
 public:
  explicit Whole(const Report& report) : report_(report) {}

  // keys: of the table; null: not known.
  void add(const Node& table, const std::string& path, const declare::KeyTable* keys) {
    std::vector<const Entry*> values, tables;
    for (const Entry& entry : table.entries)
      if (!is_idle(entry, table, keys)) (apart(entry.value) ? tables : values).push_back(&entry);
    add_sources(values);
    for (const Entry* entry : values) text_ += line(key_text(entry->key), toml_text(entry->value));
    for (const Entry* entry : tables) {
      const std::string key = (path.empty() ? "" : path + '.') + key_text(entry->key);
      const declare::Key* known = keys != nullptr ? declare::find_key(*keys, entry->key) : nullptr;
      const declare::KeyTable* inside = known != nullptr ? known->inside : nullptr;
      if (known != nullptr && known->type == declare::Type::kNamed) {
        for (const Entry& named : entry->value.entries) {
          if (!named.value.is_table()) continue;
          const std::string name = key + '.' + key_text(named.key);
          text_ += fmt::format("\n[{}]\n", name);
          add(named.value, name, inside);
        }
      } else if (entry->value.is_table()) {
        text_ += fmt::format("\n[{}]\n", key);
        add(entry->value, key, inside);
      }
      for (const Node& item : entry->value.items) {
        text_ += fmt::format("\n[[{}]]\n", key);
        add(item, key, inside);
      }
    }
  }

  std::string take() { return std::move(text_); }

 private:
  static bool apart(const Node& node) { return node.is_table() || node.is_array_of_tables(); }
  static std::string line(const std::string& key, const std::string& value) {
    return fmt::format("{} = {}\n", key, value);
  }

  static const std::string* source_in(const Node& node) {
    if (node.is_number()) return node.source.empty() ? nullptr : &node.source;
    for (const Node& item : node.items)
      if (const std::string* source = source_in(item)) return source;
    return nullptr;
  }

  // A base's key beside a word that was chosen over the base's, or by an override: readers pass over it.
  bool is_idle(const Entry& entry, const Node& table, const declare::KeyTable* keys) const {
    if (keys == nullptr || report_.is_override(entry.value.place)) return false;
    const declare::Key* own = declare::find_key(*keys, entry.key);
    if (own == nullptr || own->only.empty()) return false;
    const Entry* chosen = nullptr;
    std::vector<std::string_view> words;
    for (const Entry& other : table.entries) {
      const declare::Key* key = declare::find_key(*keys, other.key);
      if (key == nullptr || !key->selects) continue;
      words.emplace_back(other.value.text);
      if (chosen == nullptr || report_.is_override(other.value.place)) chosen = &other;
    }
    return chosen != nullptr && !declare::names_any(own->only, words) &&
           (report_.is_override(chosen->value.place) ||
            entry.value.place.file > chosen->value.place.file);
  }

  // Each number says where it comes from.
  void add_sources(const std::vector<const Entry*>& values) {
    std::string list;
    for (const Entry* entry : values)
      if (const std::string* source = source_in(entry->value))
        list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", key_text(entry->key),
                            toml_string(*source));
    if (!list.empty()) text_ += line("sources", "{" + list + "}");
  }

  const Report& report_;
  std::string text_;
};

// CSV tables get names of their own.
void gather_tables(Node& node, const std::filesystem::path& folder,
                   std::vector<NamedText>& tables) {
  for (Node& item : node.items) gather_tables(item, folder, tables);
  for (Entry& entry : node.entries) {
    if (entry.key == declare::keys::term::csv.name && entry.value.is_string()) {
      const std::filesystem::path path = folder / entry.value.text;
      entry.value.text = fmt::format("table_{}.csv", tables.size() + 1);
      tables.push_back({entry.value.text, read_text_file(path, kConfigurationLimit, "CSV table")});
    }
    gather_tables(entry.value, folder, tables);
  }
}

}  // namespace

std::vector<std::string_view> steps_of(std::string_view key) {
  std::vector<std::string_view> steps;
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    steps.push_back(key.substr(begin, end - begin));
    begin = end + 1;
  }
  return steps;
}

std::string whole_text(const std::filesystem::path& path, FileKind kind,
                       std::span<const Override> overrides, std::vector<NamedText>& tables) {
  Report report;
  Node root = content(read_text_file(path, kConfigurationLimit, "file"), path.string(), kind,
                      overrides, nullptr, report);
  if (kind == FileKind::kScenario) gather_tables(root, path.parent_path(), tables);
  Whole whole(report);
  whole.add(root, "", &file_kind(kind).keys);
  return whole.take();
}

std::vector<ContentKey> content_keys(std::string_view text, const std::string& file_name,
                                     FileKind kind, std::string_view prefix,
                                     std::span<const Override> overrides,
                                     const std::vector<NamedText>* bases) {
  Report report;
  const Node root = content(text, file_name, kind, overrides, bases, report);
  Flat flat(report);
  flat.add(root, std::string(prefix));
  return flat.take();
}

std::vector<ContentKey> content_keys(const std::filesystem::path& path, FileKind kind,
                                     std::string_view prefix, std::span<const Override> overrides) {
  return content_keys(read_text_file(path, kConfigurationLimit, "file"), path.string(), kind,
                      prefix, overrides);
}

std::string content_keys_text(std::string_view program, std::span<const ContentKey> keys) {
  std::string text = fmt::format("# {}\n", program);
  for (const ContentKey& key : keys)
    text.append(key.key).append(kBetween).append(key.value).append("\n");
  return text;
}

ContentKeys read_content_keys(const std::filesystem::path& path) {
  const std::string text = read_text_file(path, kConfigurationLimit, "list of keys");
  ContentKeys out;
  int line_number = 0;
  for (std::size_t begin = 0; begin < text.size(); ++line_number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    const std::size_t between = line.find(kBetween);
    if (line_number == 0 && line.starts_with("# "))
      out.program = line.substr(2);
    else if (between == std::string_view::npos || between == 0)
      throw FileError(
          {{path.string(), line_number + 1, 0,
            "expected KEY = VALUE; 'knuckleboom verify --update' writes the list anew"}});
    else
      out.keys.push_back({std::string(line.substr(0, between)),
                          std::string(line.substr(between + kBetween.size())),
                          {},
                          0});
  }
  return out;
}

std::string KeyChange::in_words() const {
  if (then.empty()) return "new: " + now;
  if (now.empty()) return "gone: " + then;
  const std::optional<double> a = number_in(then), b = number_in(now);
  if (!a || !b || *a == 0.0) return then + " -> " + now;
  // A factor may have left digits that nobody has written.
  const std::string shortest = fmt::format("{}", *b);
  return fmt::format("{} -> {} ({:+.3g} %)", then, shortest.size() < now.size() ? shortest : now,
                     100.0 * (*b / *a - 1.0));
}

std::vector<KeyChange> changed_keys(std::span<const ContentKey> then,
                                    std::span<const ContentKey> now) {
  std::vector<KeyChange> out;
  const ByKey were = by_key(then), are = by_key(now);
  // One change for all of a table; its values in a row.
  const auto add_to = [&out](const std::string& part) -> KeyChange& {
    const auto at = std::find_if(out.begin(), out.end(),
                                 [&part](const KeyChange& change) { return change.key == part; });
    if (at != out.end()) return *at;
    out.push_back({part, {}, {}, {}, 0, {}});
    return out.back();
  };
  const auto append = [](std::string& list, const ContentKey& key, const std::string& part) {
    if (!list.empty()) list += ", ";
    list += key.key == part ? key.value : key.key.substr(part.size() + 1) + '=' + key.value;
  };
  for (const ContentKey& key : now) {
    const auto was = were.find(without_unit(key.key));
    if (was == were.end()) {
      KeyChange& change = add_to(missing_part(key.key, then));
      append(change.now, key, change.key);
      change.file = key.file;
      if (change.line == 0) change.line = key.line;
      change.put_back = {unset_assignment(change.key)};
    } else if (!same_value(*was->second, key)) {
      out.push_back(
          {was->second->key,
           was->second->value,
           (was->second->key == key.key ? "" : std::string(last_of(key.key)) + " ") + key.value,
           key.file,
           key.line,
           {assignment(*was->second)}});
    }
  }
  for (const ContentKey& key : then) {
    if (are.contains(without_unit(key.key))) continue;
    KeyChange& change = add_to(missing_part(key.key, now));
    append(change.then, key, change.key);
    change.put_back.push_back(assignment(key));
  }
  return out;
}

}  // namespace knuckleboom::io
