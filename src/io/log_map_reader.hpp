// The parts of a log map that other files hold as well.
#pragma once

#include "document.hpp"
#include "knuckleboom/io/log_file.hpp"
#include "table_reader.hpp"

namespace knuckleboom::io {

// Keys that say how the table is written: time, time_unit, shift, separator, decimal_comma.
void read_log_layout(TableReader& reader, LogMap& map);
// Keys of one column: name, column, unit, scale, offset.
LogColumn read_log_column(TableReader& reader, const Report& report);
// A value in a unit of any kind that a column may have.
LogQuantity read_log_quantity(TableReader& reader, std::string_view stem, Range range);
Diagnostic at_place(const Report& report, const Place& place);

}  // namespace knuckleboom::io
