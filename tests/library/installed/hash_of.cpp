// hash_of SCENARIO: the state's hash after the whole scenario, by the C++ engine.
#include <cstdio>
#include <exception>

#include <knuckleboom/core/sim/simulation.hpp>
#include <knuckleboom/io/load_case.hpp>
#include <knuckleboom/io/state_file.hpp>

using namespace knuckleboom;

int main(int count, char** words) try {
  if (count != 2) return 2;
  const io::LoadedCase loaded = io::load_case(std::string(words[1]), {}, {});
  const sim::Simulation simulation(loaded.machine.model, loaded.scenario.scenario);
  sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
  while (state.tick < simulation.tick_count()) simulation.step(state);
  std::puts(io::state_hash(state).c_str());
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
