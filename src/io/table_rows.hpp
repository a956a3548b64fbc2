// Rows of a table of another program, whose form is known: fields may be quoted, missing at the end of a row,
// marks that are no number.
#pragma once

#include <string>
#include <vector>

#include "csv.hpp"
#include "knuckleboom/io/log_file.hpp"
#include "table_bytes.hpp"

namespace knuckleboom::io {

struct RowWish {
  std::vector<std::string> only;  // columns to be read, each once or more; others may hold anything
  std::string clock;              // one of them, whose fields are dates or times of day; or empty
  bool strict = false;            // what would be left out, and said, is refused
};

struct TableRows {
  Csv csv;                         // only those columns
  std::vector<std::string> notes;  // what was not as it should be, and left out; a sentence each
};

// Throws FileError with the line and column of everything that is wrong.
TableRows parse_rows(const TableBytes& bytes, const LogForm& form, const RowWish& wish);

}  // namespace knuckleboom::io
