// knuckleboom learners coach: what the latest sessions of a learner show together.
#pragma once

#include <string>

#include "learners/database.hpp"

namespace knuckleboom::app {

// The coach's advice on the occasions of all attempts in them. exercise: empty: of each. Says on the console which
// session files are missing; throws UserError if none can be read.
std::string habits_text(const learners::Database& database, const learners::Learner& learner,
                        const std::string& exercise);

}  // namespace knuckleboom::app
