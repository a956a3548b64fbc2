// The bench of a scenario: docs/reference/scenario_file.md.
#pragma once

#include "knuckleboom/core/machine/bench.hpp"
#include "table_reader.hpp"

namespace knuckleboom::io {

machine::Bench read_bench(Report& report, const Node& node);

}  // namespace knuckleboom::io
