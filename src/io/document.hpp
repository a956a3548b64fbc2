// A parsed TOML file with the place of every key and value.
//
// Readers work on this tree and not on the parser's, so that one unit alone pays for compiling the
// parser, and so that bases and overrides can be merged in with their own places.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hasher.hpp"
#include "knuckleboom/declare/key.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/named_text.hpp"
#include "knuckleboom/io/override.hpp"
#include "knuckleboom/io/urdf_import.hpp"
#include "knuckleboom/io/words.hpp"

namespace knuckleboom::io {

struct Place {
  int file = 0;  // index into Report
  int line = 0;
  int column = 0;
};

// Gathers everything that is wrong, so that all of it is told at once.
class Report {
 public:
  int add_file(std::string name);
  const std::string& file(int index) const { return files_[static_cast<std::size_t>(index)]; }
  void error(const Place& place, std::string message);
  // Whether the value there comes from the command line.
  bool is_override(const Place& place) const;
  // From now on keys that no reader asks for are listed there and left out: another version of the program
  // has written them.
  void leave_out_unknown(std::vector<Diagnostic>* list) { left_out_ = list; }
  // False: they are errors, as usual.
  bool leave_out(const Place& place, std::string message);
  bool any() const { return !diagnostics_.empty(); }
  std::size_t count() const { return diagnostics_.size(); }
  void throw_if_any();  // sorted by place
  void was_read(std::string file) { read_.push_back(std::move(file)); }
  const std::vector<std::string>& files_read() const { return read_; }
  // Remarks that are not errors, ordered by place.
  void note(const Place& place, std::string message);
  std::vector<Diagnostic> notes() { return in_order(notes_); }
  // A number that is allowed but hardly meant.
  void remark(const Place& place, std::string message);
  std::vector<Diagnostic> remarks() { return in_order(remarks_); }

 private:
  struct Entry {
    Place place;
    std::string message;
  };
  std::vector<Diagnostic> in_order(std::vector<Entry>& entries) const;

  std::vector<std::string> files_;
  std::vector<std::string> read_;
  std::vector<Entry> diagnostics_;
  std::vector<Entry> notes_, remarks_;
  std::vector<Diagnostic>* left_out_ = nullptr;
};

struct Entry;

struct Node {
  enum class Kind { kTable, kArray, kString, kInteger, kFloat, kBoolean, kDate };
  Kind kind = Kind::kTable;
  Place place;
  std::string text;  // a string's value; a number as it was written
  double number = 0.0;
  std::int64_t integer = 0;
  bool boolean = false;
  std::vector<Entry> entries;  // of a table, in the order of the file
  std::vector<Node> items;     // of an array
  std::string source;          // of a number: where it comes from

  bool is_table() const { return kind == Kind::kTable; }
  bool is_array() const { return kind == Kind::kArray; }
  bool is_string() const { return kind == Kind::kString; }
  bool is_number() const { return kind == Kind::kInteger || kind == Kind::kFloat; }
  bool is_array_of_tables() const;
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
};

struct Entry {
  std::string key;
  Place place;  // of the key
  Node value;
};

std::string_view kind_name(Node::Kind kind);  // "a string"

// Lays `over` over `base`: tables are merged, entries of arrays of tables are matched by identity,
// all else is replaced. A key in another unit replaces its counterpart.
void merge(Node& base, Node over);

// Value of `name` or, without one, `joint` of a table; empty without either.
std::string identity(const Node& table);

struct DocumentOptions {
  std::string_view what;                    // "machine file"
  const declare::KeyTable* keys = nullptr;  // of its top level
  bool sources = false;                     // numbers need a source
  bool base = false;                        // may be based on another file
  bool joint_alias = false;  // joint.<name> means the joint table of the body with that joint
  // Not null: bases and URDF files are taken from here, by their path, and not from files.
  const std::vector<NamedText>* bases = nullptr;
  std::string_view
      for_people;  // a line that gives this key at the top level does not count in the hash
  // Not null: the key `urdf` names a file to import, and what it brings is listed here.
  std::vector<UrdfImport>* imports = nullptr;
};

// Parses text, merges it over its base and applies the overrides. Adds to hash all that was read.
// Throws FileError for a file that cannot be parsed; all else goes to the report.
Node read_document(std::string_view text, const std::string& file,
                   std::span<const Override> overrides, const DocumentOptions& options,
                   Report& report, Hasher& hash);

}  // namespace knuckleboom::io
