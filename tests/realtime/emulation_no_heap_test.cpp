// An emulation's tick does not use the heap: free, in contact, held, alone.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "heap_counter.hpp"
#include "knuckleboom/core/emulation/hil_bench.hpp"
#include "support/hil_run.hpp"

namespace knuckleboom::emulation {
namespace {

EmulationPlan near_the_plane(const std::string& name) {
  EmulationPlan plan = test::shipped_emulation(name);
  plan.start_S.z() = -1e-3;
  return plan;
}

TEST(NoHeap, InAnEmulation) {
  for (const char* name : {"peg_on_plane", "peg_in_hole", "crane_on_plane"}) {
    for (const bool alone : {false, true}) {
      const Emulation emulation(near_the_plane(name), alone);
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

TEST(NoHeap, InAHilBench) {
  std::vector<exchange::SignalRule> rules(3);
  rules[0].name = "operator.x";
  rules[0].least = -0.02;
  rules[0].most = 0.02;
  rules[1].name = "sensor.force_z";
  rules[2].name = "host.turn.valve";
  for (exchange::SignalRule& rule : rules) rule.source = exchange::Source::kNetwork;
  const HilBench bench(near_the_plane("peg_on_plane"), rules);
  HilState state = bench.initial_state();
  exchange::ExchangeInput input{};
  long calls = 0;
  {
    const test::HeapCounter heap;
    for (int k = 0; k < 1500; ++k) {
      input.network.fresh = k % 500 < 400 ? 7U : 0U;  // silent now and then
      if (k == 300) bench.apply({HilCommandKind::kRun, 0, 0.0}, state);
      if (k == 310) bench.apply({HilCommandKind::kTune, 1, 3.0}, state);
      if (k == 320) bench.apply({HilCommandKind::kSource, 1, 0.0}, state);
      if (k == 900) bench.apply({HilCommandKind::kStop, 0, 0.0}, state);
      if (k == 1100) bench.apply({HilCommandKind::kReset, 0, 0.0}, state);
      bench.step(state, input);
    }
    calls = heap.calls();
  }
  EXPECT_EQ(calls, 0);
  EXPECT_GT(state.runs, 0);
  EXPECT_GT(state.stops, 0);
}

}  // namespace
}  // namespace knuckleboom::emulation
