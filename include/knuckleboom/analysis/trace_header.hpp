// The head of a trace of a run.
#pragma once

#include "knuckleboom/analysis/fidelity.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/trace.hpp"

namespace knuckleboom::analysis {

// With the columns of sim::channels().
io::TraceHeader trace_header(const io::LoadedCase& loaded, const sim::Simulation& simulation,
                             const Method& method);

}  // namespace knuckleboom::analysis
