// The way of an exercise, with the stems beside it.
#pragma once

#include "knuckleboom/core/world/world.hpp"
#include "table_reader.hpp"

namespace knuckleboom::io {

// Adds the stems beside the way to those that are there.
void read_way(TableReader& root, const Key& key, Report& report, world::WorldRecipe& world);

}  // namespace knuckleboom::io
