// Converged solutions: the same equations as machine::Stepper, integrated by CVODE (variable-order BDF)
// to a tolerance, restarted at every tick since the held commands change there.
#pragma once

#include <memory>

#include "knuckleboom/core/sim/simulation.hpp"

namespace knuckleboom::reference {

struct ConvergedOptions {
  double relative_tolerance = 1e-9;
  bool energy_audit = true;  // includes the ledger's integrals
};

class ConvergedSolver {
 public:
  // The simulation must outlive the solver. Throws std::runtime_error if SUNDIALS cannot be set up,
  // std::invalid_argument for friction with true sticking (its law has no value at rest to
  // integrate).
  ConvergedSolver(const sim::Simulation& simulation, ConvergedOptions options = {});
  ~ConvergedSolver();
  ConvergedSolver(const ConvergedSolver&) = delete;
  ConvergedSolver& operator=(const ConvergedSolver&) = delete;

  // One tick of the scenario, replacing Simulation::step. Throws std::runtime_error with the time
  // if the integrator fails.
  void step(sim::SimState& state);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace knuckleboom::reference
