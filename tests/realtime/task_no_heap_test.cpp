// A task does not use the heap in a tick, whatever its kind and end.
#include <gtest/gtest.h>

#include "heap_counter.hpp"
#include "support/attempt.hpp"

namespace knuckleboom {
namespace {

using training::Exercise;
using training::TaskKind;
using training::TaskPhase;

Exercise exercise(TaskKind kind) {
  Exercise e;
  e.name = "an exercise with a name too long for a short string";
  e.task = kind;
  e.targets.resize(3);
  for (std::size_t i = 0; i < e.targets.size(); ++i)
    e.targets[i].p_W = Vec3(static_cast<double>(i), 0.0, 0.0);
  e.world.logs.resize(1);
  e.world.bunks.resize(1);
  e.log_tasks.resize(1);
  e.limits = {{"collision_impulse_Ns", true, false, 10.0, 0.0, {}},
              {"time_s", true, true, 9.0, 0.0, {}}};
  return e;
}

TEST(TaskNoHeap, EveryKindFromStartToEnd) {
  for (const TaskKind kind :
       {TaskKind::kFree, TaskKind::kReach, TaskKind::kPath, TaskKind::kLogs, TaskKind::kHead}) {
    Exercise e = exercise(kind);
    if (kind == TaskKind::kFree) e.time_limit_s = 1.0;
    test::Attempt attempt(e);
    attempt.at.grip_axis_W[2] = 1.0;
    attempt.log(0, {0.0, 0.0, 0.4});  // in the bunk
    long calls = 0;
    {
      const test::HeapCounter heap;
      attempt.start();
      attempt.at.held_log = 0;
      attempt.step();
      attempt.at.held_log = -1;
      attempt.at.log_status[0] = world::LogStatus::kResting;
      for (int i = 0; i <= 2000; ++i) {
        attempt.tip({1e-3 * i, 0.0, 0.0});
        attempt.grip({1e-3 * i, 0.0, 0.0}, Vec3::UnitZ());
        attempt.step();
      }
      calls = heap.calls();
    }
    EXPECT_EQ(calls, 0) << static_cast<int>(kind);
    EXPECT_EQ(attempt.phase(), TaskPhase::kPassed) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace knuckleboom
