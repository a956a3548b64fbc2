// From levers to drives nothing uses the heap, in any mode.
#include <gtest/gtest.h>

#include "heap_counter.hpp"
#include "knuckleboom/core/sim/operator_control.hpp"
#include "support/machines.hpp"
#include "support/random_tree.hpp"
#include "support/variants.hpp"

namespace knuckleboom {
namespace {

using command::ControlMode;
using command::LeverAxis;
using command::LeverTarget;

TEST(NoHeap, InOperatorControl) {
  command::LeverPattern pattern;
  pattern.name = "all";
  const auto add = [&](LeverAxis axis, LeverTarget target, const char* joint) {
    command::LeverFunction f;
    f.axis = axis;
    f.target = target;
    f.joint = joint;
    f.full = 1.0;
    f.shape.curve = {{0.0, 0.5, 1.0}, {0.0, 0.2, 1.0}};
    f.ramp = {4.0, 8.0};
    pattern.functions.push_back(f);
  };
  add(LeverAxis::kLeftX, LeverTarget::kJoint, "swing");
  add(LeverAxis::kLeftY, LeverTarget::kTipReach, "");
  add(LeverAxis::kRightY, LeverTarget::kTipHeight, "");
  add(LeverAxis::kRightRocker, LeverTarget::kGrapple, "");
  test::Random random(2);
  for (const test::Variant& variant : test::kVariants) {
    machine::MachineModel model = test::reference_machine(variant);
    model.grapple.present = true;
    const sim::Simulation simulation(model, test::standstill(1.0));
    const sim::OperatorControl control(simulation, pattern);
    sim::SimState state = simulation.initial_state(variant.fidelity);
    sim::OperatorState levers;
    command::OperatorInput input{};
    long calls = 0;
    {
      const test::HeapCounter heap;
      levers = control.initial_state(state, ControlMode::kBoomTip);
      for (int k = 0; k < 6000; ++k) {
        if (k < 4000) {  // out to the end of the reach
          input.axis[static_cast<std::size_t>(LeverAxis::kLeftY)] = 1.0;
        } else {
          if (k % 50 == 0)
            for (double& axis : input.axis) axis = random.uniform(-1.0, 1.0);
          if (k % 300 == 0)
            control.set_mode(static_cast<ControlMode>((k / 300) % command::kControlModes), state,
                             levers);
        }
        simulation.step(state, control.drive(input, state, levers).input);
      }
      calls = heap.calls();
    }
    EXPECT_EQ(calls, 0);
    EXPECT_GT(levers.at_reach_limit, 0);
  }
}

}  // namespace
}  // namespace knuckleboom
