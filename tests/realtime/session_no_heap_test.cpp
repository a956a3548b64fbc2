// The trainer's tick does not use the heap: driving, gripping, collisions, changes of mode.
#include <gtest/gtest.h>

#include "heap_counter.hpp"
#include "support/trainer.hpp"

namespace knuckleboom {
namespace {

using training::CommandKind;

TEST(SessionNoHeap, InAnyTick) {
  const auto session = test::shipped_session("logs");
  training::SessionState state = session->initial_state();
  training::SessionSnapshot snapshot = session->snapshot(state);
  const training::Demonstrator driver(*session);
  training::DemonstratorState hands = driver.initial_state();
  session->apply({CommandKind::kControlMode, static_cast<int>(command::ControlMode::kBoomTip)},
                 state);
  bool held = false;
  long calls = 0;
  {
    const test::HeapCounter heap;
    for (int i = 0; i < 60000; ++i) {
      session->step(driver.drive(snapshot, session->tick_s(), hands), state, snapshot);
      held = held || snapshot.held_log >= 0;
      // Every change that an operator can make, while the crane moves.
      if (i % 5000 == 2500) session->apply({CommandKind::kFidelity, i / 5000 % 2}, state);
    }
    for (int mode = 0; mode < command::kControlModes; ++mode) {
      session->apply({CommandKind::kControlMode, mode}, state);
      command::OperatorInput all{};
      for (double& axis : all.axis) axis = 1.0;
      for (int i = 0; i < 8000; ++i) session->step(all, state, snapshot);  // into whatever is there
      session->apply({CommandKind::kRestart, 0}, state);
    }
    // With everything broken that can be.
    for (int i = 0; i < static_cast<int>(session->faults().size()); ++i) {
      session->apply({CommandKind::kFault, i}, state);
      command::OperatorInput some{};
      for (double& axis : some.axis) axis = i % 2 == 0 ? 0.3 : -0.3;
      for (int k = 0; k < 200; ++k) session->step(some, state, snapshot);
    }
    for (int i = 0; i < static_cast<int>(session->faults().size()); ++i)
      session->apply({CommandKind::kClearFault, i}, state);
    for (int k = 0; k < 3000; ++k) session->step({}, state, snapshot);
    calls = heap.calls();
  }
  EXPECT_EQ(calls, 0);
  EXPECT_TRUE(held);
  EXPECT_EQ(snapshot.sim.health.non_finite, 0);
}

}  // namespace
}  // namespace knuckleboom
