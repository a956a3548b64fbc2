// Everything that follows from the declarations of keys: lists of tables, paths as --set has them, pages of the docs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/declare/key.hpp"

namespace knuckleboom::declare {

// The table and all tables in it, each once, in the order of the declarations.
std::vector<const KeyTable*> tables_in(const KeyTable& root);

// Every key of a file as --set addresses it, in its SI unit: "supply.pump_Pa", "valve.NAME.full_V".
std::vector<std::string> key_paths(const KeyTable& root);

// The keys of a table as a table in Markdown.
std::string key_rows(const KeyTable& table);
// Units by kind of quantity, with what is usual.
std::string unit_rows();

}  // namespace knuckleboom::declare
