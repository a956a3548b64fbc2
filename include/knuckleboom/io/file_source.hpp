// Where a file is read from: the disk or memory.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace knuckleboom::io {

struct FileSource {
  FileSource() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a name is the usual source.
  FileSource(std::string name_or_file) : name(std::move(name_or_file)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  FileSource(const char* name_or_file) : name(name_or_file) {}
  FileSource(std::string file_name, std::string content)
      : name(std::move(file_name)), text(std::move(content)) {}

  bool empty() const { return name.empty() && !text; }

  std::string name;  // that is known, or a path; with a text: what messages call it
  // Its content; what it names is then looked for in the folder of name.
  std::optional<std::string> text;
};

}  // namespace knuckleboom::io
