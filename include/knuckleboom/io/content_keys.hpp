// The content of files key by key, in the words of --set: what has changed between two readings, and how it is put
// back. docs/reference/bundle_file.md, "What has changed".
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/io/file_kinds.hpp"
#include "knuckleboom/io/named_text.hpp"
#include "knuckleboom/io/override.hpp"

namespace knuckleboom::io {

struct ContentKey {
  std::string key;    // "machine.supply.pump_bar"
  std::string value;  // as in TOML, in one line
  std::string file;   // empty: not known
  int line = 0;
};

// The names in a dotted key: "supply.pump_bar" has two.
std::vector<std::string_view> steps_of(std::string_view key);

// Keys of a file, of what it is based on and of overrides, in the order of the file. prefix: "machine".
// bases: instead of files, as in a session; may be null. Throws FileError.
std::vector<ContentKey> content_keys(const std::filesystem::path& path, FileKind kind,
                                     std::string_view prefix,
                                     std::span<const Override> overrides = {});
std::vector<ContentKey> content_keys(std::string_view text, const std::string& file_name,
                                     FileKind kind, std::string_view prefix,
                                     std::span<const Override> overrides = {},
                                     const std::vector<NamedText>* bases = nullptr);

// A file with what it is based on and the overrides as one text, which needs no other file and reads as the same
// content. tables: receives CSV tables, by the names that the text calls them by. Throws FileError.
std::string whole_text(const std::filesystem::path& path, FileKind kind,
                       std::span<const Override> overrides, std::vector<NamedText>& tables);

// One line for each, "KEY = VALUE", below comments.
std::string content_keys_text(std::string_view program, std::span<const ContentKey> keys);
struct ContentKeys {
  std::string program;  // that wrote them
  std::vector<ContentKey> keys;
};
// Throws FileError.
ContentKeys read_content_keys(const std::filesystem::path& path);

// A key, or all that a table or an entry of a list says, where that came or went as a whole.
struct KeyChange {
  std::string key;
  std::string then, now;  // empty: it was, or is, not there
  std::string file;       // where it is now; empty: nowhere
  int line = 0;
  std::vector<std::string> put_back;  // as after --set

  // "0.5 -> 0.55 (+10 %)", "new: 3", "gone: 3".
  std::string in_words() const;
};
// A value in another unit is no change. In the order of now; behind them what is gone.
std::vector<KeyChange> changed_keys(std::span<const ContentKey> then,
                                    std::span<const ContentKey> now);

}  // namespace knuckleboom::io
