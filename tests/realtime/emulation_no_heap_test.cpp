// An emulation's tick asks nothing of the heap: free, touching, held, alone.
#include <string>

#include <gtest/gtest.h>

#include "heap_counter.hpp"
#include "knuckleboom/core/emulation/emulation.hpp"
#include "knuckleboom/io/emulation_file.hpp"
#include "knuckleboom/io/machine_file.hpp"

namespace knuckleboom::emulation {
namespace {

EmulationPlan shipped(const std::string& name) {
  const std::string config = std::string(KNUCKLEBOOM_SOURCE_DIR) + "/config/";
  io::EmulationFile file = io::read_emulation(config + "emulations/" + name + ".toml");
  file.plan.host.model = io::read_machine(config + "machines/" + file.host + "/machine.toml").model;
  file.plan.emulated.model =
      io::read_machine(config + "machines/" + file.emulated + "/machine.toml").model;
  file.plan.start_S.z() = -1e-3;
  return file.plan;
}

TEST(NoHeap, InAnEmulation) {
  for (const char* name : {"peg_on_plane", "peg_in_hole", "crane_on_plane"}) {
    for (const bool alone : {false, true}) {
      const Emulation emulation(shipped(name), alone);
      EmulationState state = emulation.initial_state();
      EmulationInput input{};
      input.has_operator = 1;
      input.operator_twist[2] = emulation.plan().emulated.model.actuators.empty() ? -0.01 : -0.05;
      long calls = 0;
      bool touched = false;
      {
        const test::HeapCounter heap;
        for (int k = 0; k < 1500; ++k) {
          input.hold = k > 1400 ? 1 : 0;
          emulation.step(state, input);
          touched |= state.contact.touching != 0;
        }
        calls = heap.calls();
      }
      EXPECT_EQ(calls, 0) << name;
      EXPECT_TRUE(touched) << name;
    }
  }
}

}  // namespace
}  // namespace knuckleboom::emulation
