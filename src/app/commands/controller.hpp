// An FMU in place of the machine's joint controllers: docs/reference/fmi.md.
#pragma once

#include <memory>
#include <string>

#include "fmi/import.hpp"
#include "knuckleboom/analysis/fidelity.hpp"

namespace knuckleboom::app {

// Steps the simulation, each tick with the volts that the FMU has answered for it. "NAME (FILE, FMI 3.0, hash ...)"
// goes to title. Throws FileError or UserError for an FMU that does not fit the machine, RunFailure for one that
// fails.
std::unique_ptr<analysis::Engine> controlled_engine(const sim::Simulation& simulation,
                                                    const std::string& file, std::string& title);

}  // namespace knuckleboom::app
