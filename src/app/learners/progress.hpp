// knuckleboom learners progress: a class at a glance.
#pragma once

#include <string>
#include <vector>

#include "learners/database.hpp"

namespace knuckleboom::app {

// A table for each exercise and its conditions, a line for each learner, who are grouped by how they change.
// exercise: empty: all. Throws UserError if nobody has begun that one.
std::string progress_text(const learners::Database& database, const std::string& exercise);

// "61.5 59.8 B 62.1*": seconds from the first lever movement; B: broken off, *: not passed. The last twelve.
std::string attempt_times(const std::vector<learners::Result>& attempts);

}  // namespace knuckleboom::app
