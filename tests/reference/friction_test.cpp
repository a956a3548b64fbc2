// Friction in the real-time step against converged solutions, and what these refuse.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/scenario_file.hpp"
#include "reference/converged.hpp"
#include "support/long_run.hpp"
#include "support/paths.hpp"

namespace knuckleboom {
namespace {

namespace fs = std::filesystem;
using friction::Kind;
using machine::Fidelity;

// A shipped bench, with another friction model.
struct Shipped {
  machine::MachineModel model;
  command::Scenario scenario;
};
Shipped shipped(const std::string& name, const std::string& key, const std::string& model) {
  const fs::path config = fs::path(KNUCKLEBOOM_SOURCE_DIR) / "config";
  const io::Override change{key, model};
  const bool of_bench = key.starts_with("bench");
  std::vector<io::Override> to_scenario, to_machine;
  (of_bench ? to_scenario : to_machine).push_back(change);
  io::ScenarioFile file = io::read_scenario(config / "scenarios" / (name + ".toml"), to_scenario);
  Shipped out;
  if (!of_bench)
    out.model =
        io::read_machine(config / "machines" / file.scenario.machine / "machine.toml", to_machine)
            .model;
  EXPECT_TRUE(io::put_on_bench(file, out.model).empty());
  out.scenario = file.scenario;
  out.scenario.duration_s = 8.0;
  return out;
}

struct Difference {
  double rms, residual;
};
Difference difference(const Shipped& s, Fidelity fidelity) {
  const sim::Simulation simulation(s.model, s.scenario);
  reference::ConvergedSolver converged(simulation);
  sim::SimState real_time = simulation.initial_state(fidelity);
  sim::SimState exact = real_time;
  double sum = 0.0;
  // A period of 2 pi seconds and its first second; all of it by KNUCKLEBOOM_LONG=1.
  const std::int64_t ticks =
      test::long_run()
          ? simulation.tick_count()
          : std::min(simulation.tick_count(), static_cast<std::int64_t>(7.3 / simulation.tick_s()));
  while (exact.tick < ticks) {
    simulation.step(real_time);
    converged.step(exact);
    const double d = real_time.machine.q[0] - exact.machine.q[0];
    sum += d * d;
  }
  EXPECT_EQ(real_time.machine.health.friction_unsettled, 0);
  return {std::sqrt(sum / static_cast<double>(ticks)), simulation.energy_residual(exact)};
}

// The paper's sine, closed loop, on the small cylinder.
TEST(FrictionAgainstConverged, TracksTheSineAlike) {
  // Each law with each model by KNUCKLEBOOM_LONG=1; else each law and each model once.
  const std::vector<const char*> laws = {"viscous", "continuous_coulomb_viscous", "lugre"};
  const std::vector<Fidelity> models = {Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper};
  for (std::size_t i = 0; i < laws.size(); ++i)
    for (std::size_t j = 0; j < models.size(); ++j) {
      if (i != j && !test::long_run()) continue;
      const char* model = laws[i];
      const Fidelity fidelity = models[j];
      const Shipped s = shipped("friction_sine", "actuator.cylinder.friction.model", model);
      const Difference d = difference(s, fidelity);
      std::printf("%s, %s: rms %.3g m, residual of the converged %.3g J\n", model,
                  machine::word_of(fidelity), d.rms, d.residual);
      // With oil to compress, the continuous law hunts through its falling part within a tick.
      EXPECT_LT(d.rms, fidelity == Fidelity::kReduced ? 2e-4 : 1e-4) << model;
    }
}

// A weight that is shaken below what friction holds: the drift of LuGre, the creep of the continuous law.
TEST(FrictionAgainstConverged, CreepsAlikeUnderAShakenWeight) {
  for (const char* model : {"continuous_coulomb_viscous", "lugre"}) {
    const Shipped s = shipped("friction_shake", "bench.friction.model", model);
    const sim::Simulation simulation(s.model, s.scenario);
    reference::ConvergedSolver converged(simulation);
    sim::SimState exact = simulation.initial_state(Fidelity::kFull);
    while (exact.tick < simulation.tick_count()) converged.step(exact);
    EXPECT_NEAR(simulation.energy_residual(exact), 0.0, 1e-5);
    for (const Fidelity fidelity : {Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper}) {
      sim::SimState state = simulation.initial_state(fidelity);
      while (state.tick < simulation.tick_count()) simulation.step(state);
      std::printf("%s: %.6g mm, converged %.6g mm\n", model, 1e3 * state.machine.q[0],
                  1e3 * exact.machine.q[0]);
      EXPECT_NEAR(state.machine.q[0] / exact.machine.q[0], 1.0, 0.01) << model;
    }
  }
}

TEST(FrictionAgainstConverged, RefusesWhatSticks) {
  for (const char* model : {"coulomb_viscous", "stribeck"}) {
    const Shipped s = shipped("friction_hold", "bench.friction.model", model);
    const sim::Simulation simulation(s.model, s.scenario);
    try {
      const reference::ConvergedSolver converged(simulation);
      FAIL() << model;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("the friction of joint 'load' truly sticks"),
                std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace knuckleboom
