// Pages about a program, from the declaration of its commands.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/command_line/command.hpp"

namespace knuckleboom::app {

// The manual, section 1, in the language of man.
std::string man_page(const Command& program, const std::string& version);

// Tables in Markdown by their names: "knuckleboom", its sub-commands; "knuckleboom run", the arguments
// of one.
using Tables = std::map<std::string, std::string>;
Tables tables_of(const Command& program);

// A page of the documentation whose tables are as they should be. They stand between the lines
//   <!-- table: NAME -->
//   <!-- end of table -->
// Tables of other programs stay as they are. written: receives the names of the tables replaced.
std::string with_tables(const std::string& page, const Tables& tables,
                        std::vector<std::string>& written);

}  // namespace knuckleboom::app
