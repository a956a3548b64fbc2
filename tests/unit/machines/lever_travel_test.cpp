// First motion of every function on the forwarder and the wheeled harvester, in every shipped lever
// pattern: within 5 % of the lever's travel beyond its dead zone, in both directions.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/core/training/session.hpp"
#include "support/trainer.hpp"

namespace knuckleboom::lever_travel_test {
namespace {

constexpr double kDeadTravel = 0.05;   // of the lever, beyond its dead zone
constexpr double kFirstMotion = 0.01;  // of the full speed

class Machine {
 public:
  Machine(const std::string& machine, const std::string& levers)
      : session_(test::shipped_machine(machine), test::shipped_levers(levers), half_open()),
        rest_(std::make_unique<training::SessionState>(session_.initial_state())),
        state_(std::make_unique<training::SessionState>()) {
    session_.apply({training::CommandKind::kControlMode,
                    static_cast<std::int32_t>(command::ControlMode::kValve)},
                   *rest_);
    hold({}, 3000, *rest_);
  }

  // Mean speed of a joint over the last part of a deflection from rest.
  double speed(command::LeverAxis axis, int link, double deflection, int ticks, int looked) {
    command::OperatorInput input{};
    input.axis[static_cast<std::size_t>(axis)] = deflection;
    *state_ = *rest_;
    hold(input, ticks - looked, *state_);
    const double before = state_->sim.machine.q[link];
    hold(input, looked, *state_);
    return (state_->sim.machine.q[link] - before) / (1e-3 * looked);
  }

  const training::Session& session() const { return session_; }

 private:
  static training::Exercise half_open() {
    training::Exercise exercise = test::shipped_exercise("free_play");
    exercise.grapple_opening = 0.5;
    return exercise;
  }

  void hold(const command::OperatorInput& input, int ticks, training::SessionState& state) {
    training::SessionSnapshot snapshot{};
    for (int i = 0; i < ticks; ++i) session_.step(input, state, snapshot);
  }

  training::Session session_;
  std::unique_ptr<training::SessionState> rest_, state_;
};

class LeverTravel : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(LeverTravel, DeadBandIsSmall) {
  Machine machine(std::get<0>(GetParam()), std::get<1>(GetParam()));
  const sim::OperatorControl& control = machine.session().control();
  int functions = 0;
  for (std::size_t n = 0; n < control.pattern().functions.size(); ++n) {
    const command::LeverFunction& f = control.pattern().functions[n];
    const bool jaws = f.target == command::LeverTarget::kGrapple;
    const machine::MachineModel& model = machine.session().machine();
    const int link = jaws ? model.tree.body(model.grapple.jaw[0]).link : control.joint_of(n);
    if ((!jaws && f.target != command::LeverTarget::kJoint) || link == multibody::kBase) continue;
    ++functions;
    const std::string name = jaws ? "grapple" : f.joint;
    for (const double side : {1.0, -1.0}) {
      const double full = machine.speed(f.axis, link, side, 600, 400);
      const double begins = machine.speed(f.axis, link, side * (f.shape.dead_zone + kDeadTravel),
                                          jaws ? 1500 : 3000, 1000);
      const double inside = machine.speed(f.axis, link, side * f.shape.dead_zone, 400, 200);
      std::printf("  %-10s %+.0f: %.1f %% of full speed\n", name.c_str(), side,
                  100.0 * begins / full);
      EXPECT_GE(begins / full, kFirstMotion) << name << side;
      EXPECT_LE(begins / full, 0.1) << name << side;  // and does not jump
      EXPECT_LT(std::fabs(inside / full), 1e-3) << name << side;
    }
  }
  EXPECT_GE(functions, 3);
}

INSTANTIATE_TEST_SUITE_P(EveryPattern, LeverTravel,
                         testing::Combine(testing::Values("forwarder", "harvester_wheeled"),
                                          testing::Values("backhoe", "boom_tip", "excavator",
                                                          "nordic")),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_" +
                                  std::get<1>(info.param);
                         });

}  // namespace
}  // namespace knuckleboom::lever_travel_test
