#include "document.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "knuckleboom/declare/units.hpp"
#include "knuckleboom/io/content_keys.hpp"
#include "text_file.hpp"
#include "toml_parser.hpp"
#include "urdf_bodies.hpp"

namespace knuckleboom::io {

using declare::KeyParts;
using declare::split_key;

namespace {

constexpr int kMaxBases = 8;
constexpr std::string_view kOverrideFile = "override ";
constexpr std::size_t kMaxDiagnostics = 50;

bool same_quantity(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const KeyParts x = split_key(a);
  const KeyParts y = split_key(b);
  return x.unit != nullptr && y.unit != nullptr && x.stem == y.stem && x.dimension == y.dimension;
}

Entry* find_quantity(Node& table, std::string_view key) {
  for (Entry& entry : table.entries)
    if (same_quantity(entry.key, key)) return &entry;
  return nullptr;
}

// Two ways to say the same: who gives one in a file with a base, or by an override, replaces the other.
void displace_alternatives(Node& table, std::string_view key) {
  const std::string_view stem = split_key(key).stem;
  std::erase_if(table.entries, [&](const Entry& entry) {
    return declare::alternatives(stem, split_key(entry.key).stem);
  });
}

std::string text_of(const Node& table, std::string_view key) {
  const Node* node = table.find(key);
  return node != nullptr && node->is_string() ? node->text : std::string();
}

// An entry of an array of tables that `wanted` is meant to change.
Node* find_twin(Node& array, const Node& wanted) {
  const std::string name = text_of(wanted, "name");
  const std::string joint = text_of(wanted, "joint");
  for (Node& item : array.items) {
    if (!name.empty() ? text_of(item, "name") == name
                      : !joint.empty() && text_of(item, "joint") == joint)
      return &item;
  }
  return nullptr;
}

std::vector<std::string> keys_of(const Node& table) {
  std::vector<std::string> keys;
  for (const Entry& entry : table.entries)
    if (entry.key != "source" && entry.key != "sources") keys.push_back(entry.key);
  return keys;
}

// Gives every number its source and takes the source keys out of the tree.
class SourceWalk {
 public:
  explicit SourceWalk(Report& report) : report_(report) {}

  void table(Node& table, const std::string& inherited, const std::string& path) {
    std::string own = inherited;
    if (const Node* node = table.find("source")) {
      if (node->is_string() && !node->text.empty())
        own = node->text;
      else
        report_.error(
            node->place,
            "'source' must be a string that says where the numbers of this table come from");
    }
    const Node* exceptions = table.find("sources");
    if (exceptions != nullptr) check_exceptions(table, *exceptions);
    bool told = false;
    for (Entry& entry : table.entries) {
      if (entry.key == "source" || entry.key == "sources") continue;
      std::string source = own;
      if (exceptions != nullptr && exceptions->is_table()) {
        const Node* exception = exceptions->find(entry.key);
        if (exception != nullptr && exception->is_string()) source = exception->text;
      }
      const std::string key = path.empty() ? entry.key : path + "." + entry.key;
      if (!value(entry.value, source, key) && !told) {
        // One sentence for a table; the cure is the same for all its numbers.
        report_.error(entry.place,
                      fmt::format("'{}' has no source; say where the number comes from with "
                                  "source = \"...\" in this table or one around it, or with "
                                  "sources = {{{} = \"...\"}}",
                                  key, entry.key));
        told = true;
      }
    }
    std::erase_if(table.entries, [](const Entry& entry) {
      return entry.key == "source" || entry.key == "sources";
    });
  }

 private:
  void check_exceptions(const Node& table, const Node& exceptions) {
    if (!exceptions.is_table()) {
      report_.error(exceptions.place, fmt::format("'sources' must be a table of strings, not {}",
                                                  kind_name(exceptions.kind)));
      return;
    }
    const std::vector<std::string> keys = keys_of(table);
    for (const Entry& entry : exceptions.entries) {
      if (std::find(keys.begin(), keys.end(), entry.key) == keys.end())
        report_.error(entry.place,
                      fmt::format("'sources' names '{}', which this table does not have{}",
                                  entry.key, suggestion(entry.key, keys)));
      else if (!entry.value.is_string() || entry.value.text.empty())
        report_.error(
            entry.value.place,
            fmt::format("the source of '{}' must be a string that is not empty", entry.key));
    }
  }

  // False if it is or holds a number without a source (tables in it have told so themselves).
  bool value(Node& node, const std::string& source, const std::string& path) {
    if (node.is_table()) {
      table(node, source, path);
      return true;
    }
    if (node.is_number()) {
      node.source = source;
      return !source.empty();
    }
    bool covered = true;
    for (Node& item : node.items) covered = value(item, source, path) && covered;
    return covered;
  }

  Report& report_;
};

class Overrider {
 public:
  Overrider(Node& root, const DocumentOptions& options, Report& report)
      : root_(root), options_(options), report_(report) {}

  void apply(const Override& override) {
    const std::string file =
        override.unset ? fmt::format("{}{}", kOverrideFile, unset_assignment(override.key))
                       : fmt::format("{}{}{}={}", kOverrideFile, override.key,
                                     override.times ? "*" : "", override.value);
    below_names_ = false;
    changed_ = 0;
    place_ = {report_.add_file(file), 0, 0};
    const std::vector<std::string_view> steps = steps_of(override.key);
    const std::vector<std::string> path(steps.begin(), steps.end());
    if (std::any_of(path.begin(), path.end(), [](const std::string& s) { return s.empty(); }) ||
        path.size() > 32) {
      report_.error(place_, fmt::format("'{}' is not a path; expected names joined by single dots, "
                                        "such as supply.pump_bar",
                                        override.key));
      return;
    }
    if (override.times && !take_factor(override.value)) {
      report_.error(place_, fmt::format("'{}' is no number to multiply by", override.value));
      return;
    }
    Node* at = &root_;
    keys_ = options_.keys;
    std::size_t first = 0;
    if (options_.joint_alias && path.front() == "joint" && path.size() > 1) {
      at = joint_table(path[1]);
      keys_ = nullptr;
      first = 2;
    }
    if (at == nullptr) return;
    if (first >= path.size())
      report_.error(place_, fmt::format("'{}' is a table; name the key in it that is to change",
                                        override.key));
    else
      descend(*at, path, first, override, false);
    const bool every = std::find(path.begin(), path.end(), kEvery) != path.end();
    if (override.times && every && changed_ == 0)
      report_.error(place_, fmt::format("nothing that '{}' stands for is a number", override.key));
  }

 private:
  static constexpr std::string_view kEvery = "*";

  bool take_factor(const std::string& text) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, factor_);
    return error == std::errc() && stop == end && std::isfinite(factor_);
  }

  // every: one of several tables that a step stands for.
  void descend(Node& from, const std::vector<std::string>& path, std::size_t first,
               const Override& override, bool every) {
    Node* at = &from;
    for (std::size_t i = first; i + 1 < path.size(); ++i) {
      if (path[i] == kEvery && !override.unset) {
        below_names_ = false;
        const declare::KeyTable* const keys = keys_;
        const auto into = [&](Node& inside) {
          keys_ = keys;
          if (inside.is_table()) descend(inside, path, i + 1, override, true);
        };
        for (Node& item : at->items) into(item);
        for (Entry& entry : at->entries) into(entry.value);
        return;
      }
      // Where a step stands for several tables, not each of them has all that the path names.
      if (every && at->is_table() && at->find(path[i]) == nullptr) return;
      at = step(*at, path, i, override.unset || override.times);
      if (at == nullptr) return;
    }
    if (override.unset)
      unset(*at, path.back(), override);
    else if (override.times)
      multiply(*at, path.back(), override, every);
    else
      set(*at, path.back(), override);
  }

  Node* joint_table(const std::string& name) {
    std::vector<std::string> names;
    if (Node* bodies = root_.find("body")) {
      for (Node& body : bodies->items) {
        Node* joint = body.find("joint");
        if (joint == nullptr || !joint->is_table()) continue;
        names.push_back(text_of(*joint, "name"));
        if (names.back() == name) return joint;
      }
    }
    report_.error(place_, fmt::format("there is no joint '{}'{}", name, alternatives(name, names)));
    return nullptr;
  }

  // Entry of an array, by identity or index.
  Node* item(Node& array, const std::string& step, std::string_view path) {
    for (Node& node : array.items)
      if (node.is_table() && (text_of(node, "name") == step || text_of(node, "joint") == step))
        return &node;
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
    if (error == std::errc() && end == step.data() + step.size()) {
      if (index < array.items.size()) return &array.items[index];
      report_.error(place_,
                    fmt::format("'{}' has {} entries, so there is no entry {} (they count from 0)",
                                path, array.items.size(), step));
      return nullptr;
    }
    std::vector<std::string> names;
    for (const Node& node : array.items)
      if (std::string name = identity(node); !name.empty()) names.push_back(std::move(name));
    report_.error(place_,
                  fmt::format("'{}' has no entry '{}'{}", path, step, alternatives(step, names)));
    return nullptr;
  }

  Node* step(Node& at, const std::vector<std::string>& path, std::size_t i, bool only_there) {
    const std::string& step = path[i];
    std::string walked;
    for (std::size_t k = 0; k < i; ++k) walked += (k > 0 ? "." : "") + path[k];
    if (at.is_array()) {
      below_names_ = false;
      return item(at, step, walked);
    }
    if (!at.is_table()) {
      report_.error(place_, fmt::format("'{}' is {}, so there is no '{}' in it", walked,
                                        kind_name(at.kind), step));
      return nullptr;
    }
    // The declarations say how a table that is not there yet would stand in the file.
    const declare::KeyTable* parent = keys_;
    const declare::Key* key = parent != nullptr ? declare::find_key(*parent, step) : nullptr;
    if (!below_names_) keys_ = key != nullptr ? key->inside : nullptr;
    below_names_ = !below_names_ && key != nullptr &&
                   (key->type == declare::Type::kNamed || key->type == declare::Type::kTables);
    if (Node* next = at.find(step)) return next;
    if (only_there) {
      report_.error(place_,
                    fmt::format("there is no '{}'{}", step, alternatives(step, keys_of(at))));
      return nullptr;
    }
    Node table;
    table.place = place_;
    if (key != nullptr && key->type == declare::Type::kTables && i + 2 < path.size())
      table = one_named(path[i + 1]);
    at.entries.push_back({step, place_, std::move(table)});
    return &at.entries.back().value;
  }

  // An array of tables with one of this name.
  Node one_named(const std::string& name) const {
    Node text, table, array;
    text.kind = Node::Kind::kString;
    text.text = name;
    array.kind = Node::Kind::kArray;
    text.place = table.place = array.place = place_;
    table.entries.push_back({"name", place_, std::move(text)});
    array.items.push_back(std::move(table));
    return array;
  }

  // With its unit, with another or without.
  static bool meant_by(const std::string& key, const Entry& entry) {
    return entry.key == key || same_quantity(entry.key, key) || split_key(entry.key).stem == key;
  }

  // The entry of an array that the last step names.
  Node* last_item(Node& array, const std::string& key, const Override& override) {
    return item(array, key, override.key.substr(0, override.key.rfind('.')));
  }

  void unset(Node& at, const std::string& key, const Override& override) {
    if (at.is_array()) {
      if (const Node* old = last_item(at, key, override))
        at.items.erase(at.items.begin() + (old - at.items.data()));
      return;
    }
    const auto meant = [&key](const Entry& entry) { return meant_by(key, entry); };
    if (at.is_table() && std::erase_if(at.entries, meant) > 0) return;
    report_.error(place_, fmt::format("'{}' is not there, so it cannot be taken out{}",
                                      override.key, alternatives(key, keys_of(at))));
  }

  void set(Node& at, const std::string& key, const Override& override) {
    Node value = parse(override.value);
    if (at.is_array()) {
      if (Node* old = last_item(at, key, override)) *old = std::move(value);
    } else if (!at.is_table()) {
      report_.error(place_, fmt::format("'{}' cannot be set, because what holds it is {}",
                                        override.key, kind_name(at.kind)));
    } else if (displace_alternatives(at, key); Entry* old = find_quantity(at, key)) {
      old->key = key;
      old->place = place_;
      old->value = std::move(value);
    } else {
      at.entries.push_back({key, place_, std::move(value)});
    }
  }

  void multiply(Node& at, const std::string& key, const Override& override, bool every) {
    if (at.is_array()) {
      if (Node* old = last_item(at, key, override)) scale(*old);
    } else {
      for (Entry& entry : at.entries)
        if (meant_by(key, entry)) scale(entry.value);
    }
    if (changed_ == 0 && !every)
      report_.error(place_, fmt::format("'{}' has no number here to multiply{}", override.key,
                                        alternatives(key, keys_of(at))));
  }

  void scale(Node& node) {
    for (Node& item : node.items) scale(item);
    if (!node.is_number()) return;
    node.number *= factor_;
    node.kind = Node::Kind::kFloat;
    node.text = fmt::format("{:.17g}", node.number);
    node.place = place_;
    node.source = "override";
    ++changed_;
  }

  Node parse(const std::string& text) {
    Node node;
    bool parsed = false;
    if (text.find('\n') == std::string::npos) {
      try {
        Node table = parse_toml("value = " + text, place_.file, report_);
        if (table.entries.size() == 1) {
          node = std::move(table.entries.front().value);
          parsed = true;
        }
      } catch (const FileError&) {
        // A bare word is a string; a broken number then fails as "a string" where it is read.
      }
    }
    if (!parsed) {
      node.kind = Node::Kind::kString;
      node.text = text;
    }
    mark(node);
    return node;
  }

  void mark(Node& node) {
    node.place = place_;
    if (node.is_number()) node.source = "override";
    for (Node& item : node.items) mark(item);
    for (Entry& entry : node.entries) {
      entry.place = place_;
      mark(entry.value);
    }
  }

  Node& root_;
  const DocumentOptions& options_;
  Report& report_;
  Place place_;
  double factor_ = 1.0;
  int changed_ = 0;                          // numbers that were multiplied
  const declare::KeyTable* keys_ = nullptr;  // of the table that was come to; null: not known
  bool below_names_ = false;  // the next step is a name, and keys_ those of its table
};

// Takes a key that names a file (`base`, `urdf`) out of the table and gives the path.
std::filesystem::path take_path(Node& root, std::string_view key, const char* purpose,
                                const std::string& file, Report& report) {
  const Node* node = root.find(key);
  if (node == nullptr) return {};
  std::filesystem::path path;
  if (!node->is_string() || node->text.empty())
    report.error(node->place, fmt::format("'{}' must be a string, the path of {}", key, purpose));
  else
    path = std::filesystem::path(file).parent_path() / std::filesystem::path(node->text);
  std::erase_if(root.entries, [&](const Entry& entry) { return entry.key == key; });
  return path;
}

std::string base_text_of(const std::filesystem::path& path, std::string_view what,
                         const DocumentOptions& options) {
  if (options.bases == nullptr) return read_text_file(path, kConfigurationLimit, what);
  const std::string name = path.lexically_normal().string();
  for (const NamedText& base : *options.bases)
    if (base.name == name) return base.text;
  throw FileError(name, "its text is not there");
}

// The tables of the file that `urdf` names become the ground on which those of this file lie.
void lay_over_urdf(Node& root, const std::string& file, const DocumentOptions& options,
                   Report& report, Hasher& hash) {
  if (options.imports == nullptr) return;
  const Node* node = root.find("urdf");
  if (node == nullptr) return;
  const Place named_at = node->place;
  const std::filesystem::path path = take_path(root, "urdf", "the URDF file", file, report);
  // All that the URDF would bring is missing; to say so would hide what is wrong.
  if (path.empty()) report.throw_if_any();
  const std::string name = path.lexically_normal().string();
  std::string text;
  try {
    text = base_text_of(path, "URDF file", options);
  } catch (const FileError& error) {
    throw FileError({{file, named_at.line, named_at.column,
                      fmt::format("the URDF cannot be used: {}", error.what())}});
  }
  hash.add(text);
  report.was_read(name);
  Node imported = import_urdf(text, name, root, report, *options.imports);
  const Place place = root.place;
  merge(imported, std::move(root));
  root = std::move(imported);
  root.place = place;
}

// Adds a text but for its lines `key = ...`, which say something to people and change no result.
void add_without(std::string_view key, std::string_view text, Hasher& hash) {
  std::string kept;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string_view line = text.substr(begin, end - begin);
    if (!sets_key(line, key)) kept += line;
    begin = end;
  }
  hash.add(kept);
}

Node read_with_base(std::string_view text, const std::string& file, const DocumentOptions& options,
                    Report& report, Hasher& hash, int depth) {
  check_text(text, file, kConfigurationLimit, options.what);
  add_without(options.for_people, text, hash);
  const int index = report.add_file(file);
  report.was_read(file);
  Node root = parse_toml(text, index, report);
  root.place = {index, 1, 1};
  if (options.sources) SourceWalk(report).table(root, "", "");
  if (!options.base) return root;
  lay_over_urdf(root, file, options, report, hash);
  const Node* base_node = root.find("base");
  const Place base_place = base_node != nullptr ? base_node->place : Place{};
  const std::filesystem::path path = take_path(root, "base", "the file to build on", file, report);
  if (path.empty()) return root;
  // Without its base a file lacks nearly everything; to say so would hide what is wrong.
  const auto refuse = [&](std::string message) {
    throw FileError({{file, base_place.line, base_place.column, std::move(message)}});
  };
  std::error_code ignored;
  for (const std::string& read : report.files_read())
    if (options.bases == nullptr && std::filesystem::equivalent(read, path, ignored) && !ignored)
      refuse(fmt::format("'base' runs in a circle: {} is based on itself",
                         path.lexically_normal().string()));
  if (depth >= kMaxBases)
    refuse(fmt::format("more than {} files are based on each other", kMaxBases));
  std::string base_text;
  try {
    base_text = base_text_of(path, options.what, options);
  } catch (const FileError& error) {
    refuse(fmt::format("the base cannot be used: {}", error.what()));
  }
  Node base =
      read_with_base(base_text, path.lexically_normal().string(), options, report, hash, depth + 1);
  const Place place = root.place;
  merge(base, std::move(root));
  base.place = place;
  return base;
}

}  // namespace

int Report::add_file(std::string name) {
  files_.push_back(std::move(name));
  return static_cast<int>(files_.size()) - 1;
}

bool Report::is_override(const Place& place) const {
  return file(place.file).starts_with(kOverrideFile);
}

void Report::error(const Place& place, std::string message) {
  diagnostics_.push_back({place, std::move(message)});
}

bool Report::leave_out(const Place& place, std::string message) {
  if (left_out_ == nullptr) return false;
  left_out_->push_back({file(place.file), place.line, place.column, std::move(message)});
  return true;
}

void Report::note(const Place& place, std::string message) {
  notes_.push_back({place, std::move(message)});
}

void Report::remark(const Place& place, std::string message) {
  remarks_.push_back({place, std::move(message)});
}

std::vector<Diagnostic> Report::in_order(std::vector<Entry>& entries) const {
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.place.file != b.place.file ? a.place.file < b.place.file : a.place.line < b.place.line;
  });
  // An array, or what several actuators share, draws its remark once.
  const auto same = [](const Entry& a, const Entry& b) {
    return a.place.file == b.place.file && a.place.line == b.place.line && a.message == b.message;
  };
  entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
  std::vector<Diagnostic> out;
  out.reserve(entries.size());
  for (const Entry& entry : entries)
    out.push_back({file(entry.place.file), entry.place.line, entry.place.column, entry.message});
  return out;
}

void Report::throw_if_any() {
  if (diagnostics_.empty()) return;
  // A fault of an override shows in other places too; only the override needs correction.
  const auto by_override = [this](const Entry& entry) { return is_override(entry.place); };
  if (std::any_of(diagnostics_.begin(), diagnostics_.end(), by_override))
    std::erase_if(diagnostics_, [&](const Entry& entry) { return !by_override(entry); });
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(), [](const Entry& a, const Entry& b) {
    if (a.place.file != b.place.file) return a.place.file < b.place.file;
    if (a.place.line != b.place.line) return a.place.line < b.place.line;
    return a.place.column < b.place.column;
  });
  // Tables shared by several actuators are read, and refused, several times.
  const auto same = [](const Entry& a, const Entry& b) {
    return a.place.file == b.place.file && a.place.line == b.place.line &&
           a.place.column == b.place.column && a.message == b.message;
  };
  diagnostics_.erase(std::unique(diagnostics_.begin(), diagnostics_.end(), same),
                     diagnostics_.end());
  std::vector<Diagnostic> out;
  for (Entry& entry : diagnostics_) {
    if (out.size() == kMaxDiagnostics) {
      out.push_back({out.front().file, 0, 0,
                     fmt::format("and {} more", diagnostics_.size() - kMaxDiagnostics)});
      break;
    }
    out.push_back(
        {file(entry.place.file), entry.place.line, entry.place.column, std::move(entry.message)});
  }
  throw FileError(std::move(out));
}

bool Node::is_array_of_tables() const {
  return is_array() && !items.empty() &&
         std::all_of(items.begin(), items.end(), [](const Node& item) { return item.is_table(); });
}

const Node* Node::find(std::string_view key) const {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

Node* Node::find(std::string_view key) {
  for (Entry& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

std::string_view kind_name(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::kTable:
      return "a table";
    case Node::Kind::kArray:
      return "an array";
    case Node::Kind::kString:
      return "a string";
    case Node::Kind::kInteger:
      return "an integer";
    case Node::Kind::kFloat:
      return "a number";
    case Node::Kind::kBoolean:
      return "true or false";
    case Node::Kind::kDate:
      return "a date or time";
  }
  return "a value";
}

void merge(Node& base, Node over) {
  for (const Entry& entry : over.entries) displace_alternatives(base, entry.key);
  for (Entry& entry : over.entries) {
    Entry* old = find_quantity(base, entry.key);
    if (old == nullptr) {
      base.entries.push_back(std::move(entry));
    } else if (old->value.is_table() && entry.value.is_table()) {
      merge(old->value, std::move(entry.value));
    } else if (old->value.is_array_of_tables() && entry.value.is_array_of_tables() &&
               std::all_of(entry.value.items.begin(), entry.value.items.end(),
                           [](const Node& item) { return !identity(item).empty(); })) {
      for (Node& item : entry.value.items) {
        if (Node* twin = find_twin(old->value, item))
          merge(*twin, std::move(item));
        else
          old->value.items.push_back(std::move(item));
      }
    } else {
      *old = std::move(entry);
    }
  }
}

std::string identity(const Node& table) {
  std::string name = text_of(table, "name");
  return name.empty() ? text_of(table, "joint") : name;
}

Node read_document(std::string_view text, const std::string& file,
                   std::span<const Override> overrides, const DocumentOptions& options,
                   Report& report, Hasher& hash) {
  Node root = read_with_base(text, file, options, report, hash, 0);
  Overrider overrider(root, options, report);
  for (const Override& override : overrides) {
    hash.add(override.times ? override.key + '*' : override.key);
    hash.add(override.unset ? unset_assignment({}) : override.value);
    overrider.apply(override);
  }
  return root;
}

namespace {
constexpr std::string_view kUnset = "unset ";
}  // namespace

std::string unset_assignment(const std::string& key) { return std::string(kUnset) + key; }

Override parse_override(const std::string& assignment) {
  if (assignment.starts_with(kUnset)) return {assignment.substr(kUnset.size()), {}, true};
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0)
    throw FileError("override " + assignment, "expected key=value, such as supply.pump_bar=180");
  std::string key = assignment.substr(0, equals);
  std::string value = assignment.substr(equals + 1);
  const auto trim = [](std::string& s) {
    s.erase(0, std::min(s.find_first_not_of(' '), s.size()));
    s.erase(s.find_last_not_of(' ') + 1);
  };
  const bool times = key.ends_with('*') && !key.ends_with(".*");
  if (times) key.pop_back();
  trim(key);
  trim(value);
  return {std::move(key), std::move(value), false, times};
}

}  // namespace knuckleboom::io
