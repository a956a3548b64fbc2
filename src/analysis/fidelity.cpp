#include "knuckleboom/analysis/fidelity.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "knuckleboom/io/user_error.hpp"
#include "knuckleboom/io/words.hpp"
#include "reference/converged.hpp"

namespace knuckleboom::analysis {
namespace {

class RealTimeEngine final : public Engine {
 public:
  explicit RealTimeEngine(const sim::Simulation& simulation) : simulation_(simulation) {}
  void step(sim::SimState& state) override { simulation_.step(state); }

 private:
  const sim::Simulation& simulation_;
};

class ConvergedEngine final : public Engine {
 public:
  ConvergedEngine(const sim::Simulation& simulation, reference::ConvergedOptions options)
      : solver_(simulation, options) {}
  void step(sim::SimState& state) override {
    try {
      solver_.step(state);
    } catch (const std::runtime_error& error) {
      throw RunFailure(fmt::format("{}; another --rtol may get through", error.what()));
    }
  }

 private:
  reference::ConvergedSolver solver_;
};

}  // namespace

const std::vector<Method>& methods() {
  using machine::Fidelity;
  static const std::vector<Method> table = {{"full", Fidelity::kFull, false},
                                            {"reduced", Fidelity::kReduced, false},
                                            {"paper", Fidelity::kPaper, false},
                                            {"converged-full", Fidelity::kFull, true},
                                            {"converged-reduced", Fidelity::kReduced, true},
                                            {"converged-paper", Fidelity::kPaper, true}};
  return table;
}

const Method& find_method(std::string_view name) {
  std::vector<std::string> names;
  for (const Method& method : methods()) {
    if (method.name == name) return method;
    names.push_back(method.name);
  }
  throw UserError(fmt::format("there is no fidelity '{}'{}", name, io::alternatives(name, names)));
}

std::unique_ptr<Engine> make_engine(const sim::Simulation& simulation, const Method& method,
                                    std::optional<double> relative_tolerance) {
  if (!method.converged) {
    if (relative_tolerance)
      throw UserError(
          fmt::format("--rtol is the tolerance of a converged solution, but the fidelity is '{}'; "
                      "add --fidelity converged-{} or leave --rtol out",
                      method.name, method.name));
    return std::make_unique<RealTimeEngine>(simulation);
  }
  if (!simulation.scenario().faults.empty())
    throw UserError(
        fmt::format("the fidelity '{}' knows no faults, and the scenario has some; run it "
                    "with full, reduced or paper",
                    method.name));
  reference::ConvergedOptions options;
  if (relative_tolerance) {
    if (!(*relative_tolerance >= 1e-12 && *relative_tolerance <= 1e-2))
      throw UserError(
          fmt::format("--rtol is {}; it must lie between 1e-12 and 1e-2", *relative_tolerance));
    options.relative_tolerance = *relative_tolerance;
  }
  try {
    return std::make_unique<ConvergedEngine>(simulation, options);
  } catch (const std::invalid_argument& error) {
    throw UserError(error.what());
  }
}

}  // namespace knuckleboom::analysis
