// Learners' results as CSV for other programs.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "learners/database.hpp"

namespace knuckleboom::learners {

// A field by RFC 4180. A text that a spreadsheet would interpret as a formula gets a ' in front.
std::string csv_text(std::string_view text, char separator = ',');

// One row for each result; a session without any has one row with no figures.
using LearnerSessions = std::pair<Learner, std::vector<FiledSession>>;
// separator and decimal: as the spreadsheet of the country expects them.
struct CsvStyle {
  char separator = ',', decimal = '.';
};
std::string csv_table(const std::vector<LearnerSessions>& learners, CsvStyle style = {});

}  // namespace knuckleboom::learners
