// Limits of figures: of an exercise, or of a lesson's exercise.
#pragma once

#include <vector>

#include "knuckleboom/core/training/exercise.hpp"
#include "table_reader.hpp"

namespace knuckleboom::io {

void read_limits(TableReader& owner, const Key& key, std::vector<training::Limit>& limits);

}  // namespace knuckleboom::io
