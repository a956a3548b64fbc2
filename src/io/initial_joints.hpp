// Where the joints of a machine start: the same tables in scenario and exercise files.
#pragma once

#include <string_view>
#include <vector>

#include "knuckleboom/core/command/scenario.hpp"
#include "knuckleboom/io/scenario_file.hpp"
#include "table_reader.hpp"

namespace knuckleboom::io {

ScenarioPlaces::Unit to_unit(Dimension dimension);
ScenarioPlaces::Place place_in(const Report& report, const Place& place, ScenarioPlaces::Unit unit);

// The tables [key.JOINT] below root, if there are any.
void read_initial(TableReader& root, const Key& key, Report& report,
                  std::vector<command::InitialJoint>& joints,
                  std::vector<ScenarioPlaces::Place>& places);

}  // namespace knuckleboom::io
