// [[fault]] and [fault_lot] of scenario and exercise files.
#pragma once

#include <vector>

#include "knuckleboom/core/command/fault.hpp"
#include "knuckleboom/io/scenario_file.hpp"
#include "table_reader.hpp"

namespace knuckleboom::io {

// places: entry for entry as in faults.
void read_faults(TableReader& root, const Key& key, Report& report,
                 std::vector<command::Fault>& faults, std::vector<ScenarioPlaces::Place>& places);
// Its candidates are faults that have been read.
void read_fault_lot(TableReader& root, const Key& key, Report& report,
                    const std::vector<command::Fault>& faults, command::FaultLot& lot);

}  // namespace knuckleboom::io
