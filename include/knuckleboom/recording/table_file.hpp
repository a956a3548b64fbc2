// Logs in files of any kind that is read: text, or arrays of MATLAB and HDF5, which a process of its own
// unfolds, as it does sessions. docs/reference/log_map.md
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "knuckleboom/io/log_file.hpp"

namespace knuckleboom::io {

// Throws FileError: no log, or not of the form that is told.
LogTable open_log(const std::filesystem::path& path, LogMap map);

// The map's columns.
Trace read_log(const std::filesystem::path& path, const LogMap& map,
               std::span<const KnownColumn> known);

// A trace of this program as it stands, and any other table as LogTable::read_all() gives it.
// dbc: of a log of a CAN bus; empty: it is none.
Trace read_table(const std::filesystem::path& path, const std::string& dbc = {});

// A MATLAB or HDF5 file that is no session of ours.
bool is_array_file(const std::filesystem::path& path);

}  // namespace knuckleboom::io
