// The ground: the same table in scenario and exercise files.
#pragma once

#include "knuckleboom/core/world/ground.hpp"
#include "table_reader.hpp"

namespace knuckleboom::io {

// The table `key` below root, if there is one.
void read_ground(TableReader& root, const Key& key, Report& report, world::GroundRecipe& ground);

}  // namespace knuckleboom::io
