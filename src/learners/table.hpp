// Learners' results as tables for other programs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "learners/database.hpp"

namespace knuckleboom::learners {

using LearnerSessions = std::pair<Learner, std::vector<FiledSession>>;
using Cell = std::variant<std::string, double>;  // an empty text: nothing

// A row for the heads of the columns, then one for each result; a session without any has one row with no
// figures. order: of the figures; others follow by name.
std::vector<std::vector<Cell>> table_of(const std::vector<LearnerSessions>& learners,
                                        const std::vector<std::string>& order = {});

// A field by RFC 4180. A text that a spreadsheet would interpret as a formula gets a ' in front.
std::string csv_text(std::string_view text, char separator = ',');
// separator and decimal: as the spreadsheet of the country expects them.
struct CsvStyle {
  char separator = ',', decimal = '.';
};
std::string csv_table(const std::vector<LearnerSessions>& learners,
                      const std::vector<std::string>& order = {}, CsvStyle style = {});

// A workbook (.xlsx) with one sheet; texts are texts and no formulas. A file of that name is replaced when the
// new one is whole. Throws io::FileError.
void write_workbook(const std::filesystem::path& file, const std::vector<LearnerSessions>& learners,
                    const std::vector<std::string>& order = {});

}  // namespace knuckleboom::learners
