// Methods of computing a scenario.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/sim/simulation.hpp"

namespace knuckleboom::analysis {

struct Method {
  std::string name;  // as on the command line
  machine::Fidelity fidelity = machine::Fidelity::kReduced;
  bool converged = false;  // by CVODE to a tolerance instead of the real-time step
};

// full, reduced, paper; converged-full, converged-reduced, converged-paper.
const std::vector<Method>& methods();

// Throws UserError for an unknown name.
const Method& find_method(std::string_view name);

// Advances a state tick by tick by one of these methods.
class Engine {
 public:
  virtual ~Engine() = default;
  // Throws RunFailure if a converged solution cannot be continued.
  virtual void step(sim::SimState& state) = 0;
};

// relative_tolerance: of a converged method; nothing: its default. The simulation must outlive the
// engine.
std::unique_ptr<Engine> make_engine(const sim::Simulation& simulation, const Method& method,
                                    std::optional<double> relative_tolerance);

}  // namespace knuckleboom::analysis
