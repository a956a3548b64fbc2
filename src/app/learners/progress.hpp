// knuckleboom learners progress: a class at a glance.
#pragma once

#include <string>

#include "learners/database.hpp"

namespace knuckleboom::app {

// A table for each exercise and its conditions, a line for each learner. exercise: empty: all. Throws
// UserError if nobody has begun that one.
std::string progress_text(const learners::Database& database, const std::string& exercise);

}  // namespace knuckleboom::app
