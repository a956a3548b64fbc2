// A file whose content is one plain value, read whole.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "document.hpp"
#include "table_reader.hpp"

namespace knuckleboom::io {

// what: "species file". read: takes what the keys do not fill in by themselves, and objects. remarks: not null:
// receives those on unusual numbers. Throws FileError with all that is wrong.
template <class T, class Read>
T read_content(std::string_view text, const std::string& file_name, std::string_view what,
               const KeyTable& table, std::span<const Override> overrides, Read read,
               std::vector<Diagnostic>* remarks = nullptr) {
  Report report;
  Hasher hash;
  DocumentOptions options;
  options.what = what;
  options.keys = &table;
  const Node root = read_document(text, file_name, overrides, options, report, hash);
  TableReader reader(report, root, table, fmt::format("the {}", what));
  T out;
  reader.fill(out);
  read(reader, out);
  reader.done();
  report.throw_if_any();
  if (remarks != nullptr) *remarks = report.remarks();
  return out;
}

}  // namespace knuckleboom::io
