// Filed attempts as statements of the Experience API: docs/reference/learners.md.
#pragma once

#include <string>
#include <vector>

#include "learners/table.hpp"

namespace knuckleboom::app {

// base: "https://school.example/training", in which activities and learners get their names; a JSON
// array. Learners appear by their random keys, never by name. The same attempt always gives the same
// statements, so that sending a file twice does no harm.
std::string xapi_statements(const std::string& base,
                            const std::vector<learners::LearnerSessions>& rows);

// Whether a text can be such a base: http or https, a host, no blank, no '/' at its end.
bool is_xapi_base(const std::string& base);

}  // namespace knuckleboom::app
