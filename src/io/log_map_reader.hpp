// The parts of a log map that other files hold as well.
#pragma once

#include <filesystem>

#include "document.hpp"
#include "knuckleboom/io/log_file.hpp"
#include "table_reader.hpp"

namespace knuckleboom::io {

// How the table is written, and where the map says so.
void read_log_layout(TableReader& reader, LogMap& map);
// The map's DBC lies beside it.
void find_dbc(const std::filesystem::path& folder, LogMap& map);
LogColumn read_log_column(TableReader& reader);
// A value in a unit of any kind that a column may have.
LogQuantity read_log_quantity(TableReader& reader, const Key& key);
Diagnostic at_place(const Report& report, const Place& place);

}  // namespace knuckleboom::io
