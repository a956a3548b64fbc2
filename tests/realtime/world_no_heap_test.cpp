// The forest's tick does not use the heap: logs falling, piling, resting, pushed, held and
// released.
#include <vector>

#include <gtest/gtest.h>

#include "heap_counter.hpp"
#include "knuckleboom/core/world/grapple.hpp"
#include "knuckleboom/core/world/world.hpp"

namespace knuckleboom::world {
namespace {

TEST(NoHeap, InTheForest) {
  WorldRecipe recipe;
  recipe.ground.bump_height = 0.1;
  recipe.bunks.push_back({"bunk", 6.0, 0.0, 0.3, 2.0, 1.4, 1.2, 0});
  recipe.stems.push_back({"a stem with a name too long for a short string", 3.0, 3.0, 12.0, 0.2});
  for (int i = 0; i < 20; ++i) {
    Log log;
    log.name = "log";
    log.x = 6.0;
    log.heading = 0.3 + 0.02 * (i % 3);
    log.lift = 0.5 + 0.4 * i;
    recipe.logs.push_back(log);
  }
  const World world(recipe);
  WorldState state = world.initial_state();
  PartForces forces;
  GrappleFrame frame;
  MachinePart parts[kGrappleParts];
  long calls = 0;
  bool gripped = false;
  double room = 0.0;
  {
    const test::HeapCounter heap;
    for (int k = 0; k < 6000; ++k) {
      const double z = 6.0 - 1e-3 * k;
      frame.pin_W = Vec3(6.0, 0.0, z);
      frame.v_W = Vec3(0.0, 0.0, -1.0);
      const double opening = k % 1000 / 1000.0;
      grapple_parts(frame, opening, 1.0, 10, parts);
      room += grapple_min_opening(frame, 0.1 + 0.2 * opening);
      gripped |= can_grip(frame, opening, log_shape(world.recipe().logs[5], state.log[5]));
      world.step(parts, 1e-3, state, forces);
      if (k == 3000) world.hold(2, state);
      if (k == 4000) world.release(2, Vec3::Zero(), Vec3::Zero(), state);
    }
    calls = heap.calls();
  }
  EXPECT_EQ(calls, 0);
  EXPECT_GT(state.collisions[static_cast<int>(Obstacle::kLog)], 0);
  EXPECT_GT(room, 0.0);
}

}  // namespace
}  // namespace knuckleboom::world
