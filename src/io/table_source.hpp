// Where the rows of a log come from.
#pragma once

#include "knuckleboom/io/log_file.hpp"
#include "table_rows.hpp"

namespace knuckleboom::io {

class TableSource {
 public:
  TableSource() = default;
  virtual ~TableSource() = default;
  TableSource(const TableSource&) = delete;
  TableSource& operator=(const TableSource&) = delete;

  virtual TableRows read(const LogForm& form, const RowWish& wish) const = 0;
};

}  // namespace knuckleboom::io
