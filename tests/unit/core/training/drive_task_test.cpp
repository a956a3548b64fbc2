// A way driven by an invented machine of one wheel: what counts as a stop and as on the way.
#include <cmath>

#include <gtest/gtest.h>

#include "support/attempt.hpp"

namespace knuckleboom::drive_task_test {
namespace {

using test::Attempt;
using training::Exercise;
using training::TaskPhase;

// Straight along -x, 4 m wide; stops at 5 and 12 m.
Exercise road() {
  Exercise exercise;
  exercise.name = "test";
  exercise.task = training::TaskKind::kDrive;
  exercise.world.way.corners = {{0.0, 0.0}, {-20.0, 0.0}};
  exercise.world.way.width = 4.0;
  exercise.world.way.stops = {5.0, 12.0};
  exercise.limits.push_back({"on_way", false, true, 0.0, 0.98, {}});
  return exercise;
}

class Car : public Attempt {
 public:
  explicit Car(const Exercise& exercise) : Attempt(exercise) {
    at.sim.wheel_count = 1;
    place(0.0, 0.0);
  }
  void place(double along, double left) {
    along_ = along;
    left_ = left;
    at.foot_W[0] = -along;
    at.foot_W[1] = -left;
    at.wheel_W[0][0][0] = at.wheel_W[0][1][0] = -along;
    at.wheel_W[0][0][1] = -left - 0.3;
    at.wheel_W[0][1][1] = -left + 0.3;
  }
  void drive(double to, double left, double speed = 2.0) {
    const double from = along_, aside = left_;
    const int count = 1 + static_cast<int>(std::fabs(to - from) / (speed * test::kTick));
    at.sim.speed = to > from ? speed : -speed;
    for (int i = 1; i <= count; ++i) {
      const double share = static_cast<double>(i) / count;
      place(from + share * (to - from), aside + share * (left - aside));
      step();
    }
    at.sim.speed = 0.0;
  }

 private:
  double along_ = 0.0, left_ = 0.0;
};

TEST(DriveTask, CountsStopsInOrderWhereItStands) {
  const Exercise exercise = road();
  Car car(exercise);
  car.start();
  EXPECT_EQ(car.at.task.steps, 2);
  EXPECT_DOUBLE_EQ(car.at.task.distance, 5.0);
  EXPECT_DOUBLE_EQ(car.at.task.target_W[0], -5.0);
  car.drive(12.0, 0.0);
  car.steps(1500);  // at the second stop: not yet its turn
  EXPECT_EQ(car.at.task.step, 0);
  car.drive(5.6, 0.0);
  car.steps(1500);
  EXPECT_EQ(car.at.task.step, 0) << "0.6 m off";
  car.drive(5.2, 0.0);
  car.steps(900);
  EXPECT_EQ(car.at.task.step, 0) << "not for a second yet";
  car.steps(200);
  EXPECT_EQ(car.at.task.step, 1);
  car.drive(11.6, 0.0);
  car.steps(1100);
  EXPECT_EQ(car.phase(), TaskPhase::kPassed);
  EXPECT_NEAR(car.at.score.error_m, 0.3, 1e-9);  // mean of 0.2 and 0.4
  EXPECT_EQ(car.at.score.placed, 2.0);
  EXPECT_NEAR(car.at.score.driven_m, 12.0 + 6.4 + 0.4 + 6.4, 0.02);
  EXPECT_NEAR(car.at.score.drive_speed, 2.0, 1e-9);
  EXPECT_EQ(car.at.score.on_way, 1.0);
}

// A wheel is beside the way when a part of its width is: 1.7 m aside of 2 m, with half a wheel of 0.3 m.
TEST(DriveTask, CountsEachPieceOfTheWayOnceByItsWorst) {
  const Exercise exercise = road();
  Car car(exercise);
  car.start();
  car.drive(5.0, 0.0);
  car.steps(1100);
  car.drive(5.01, 1.9);
  car.drive(7.0, 1.9);
  EXPECT_NEAR(car.at.score.on_way, 5.0 / 7.0, 0.01);
  const double before = car.at.score.on_way;
  for (int i = 0; i < 5; ++i) {  // to and fro where it is easy
    car.drive(2.0, 0.0);
    car.drive(6.9, 0.0);
  }
  EXPECT_EQ(car.at.score.on_way, before);
  car.drive(12.0, 1.69);
  car.steps(1100);
  EXPECT_NEAR(car.at.score.on_way, 10.0 / 12.0, 0.01);
  EXPECT_EQ(car.phase(), TaskPhase::kFailed);
}

TEST(DriveTask, StandingStillEndsWithTheWheels) {
  const Exercise exercise = road();
  Car car(exercise);
  car.start();
  car.steps(1000);
  const double still = car.at.score.still_s;
  EXPECT_NEAR(still, 1.0, 0.05);
  car.drive(5.0, 0.0);
  EXPECT_NEAR(car.at.score.still_s, still, 0.03);
  car.drive(5.05, 0.0, 0.05);  // as good as standing
  EXPECT_NEAR(car.at.score.still_s, still + 1.0, 0.05);
}

// A log is loaded; then the machine drives off. The wheels are no actuator of the crane, nor is what steers.
TEST(DriveTask, TheCraneRestsOnTheWay) {
  Exercise exercise = road();
  exercise.world.way.corners.back() = {-80.0, 0.0};
  exercise.world.logs.resize(1);
  exercise.world.bunks.resize(1);
  exercise.world.bunks[0].x = 5.0;
  exercise.world.bunks[0].y = -2.0;
  Car car(exercise);
  car.at.log_count = 1;
  car.at.on_wheels = 2;
  const auto work = [&car](int ticks) {
    for (int i = 0; i < ticks; ++i) {
      car.at.travel_s[0] += test::kTick;
      car.step();
    }
  };
  const auto hold = [&](const Vec3& p) {
    car.log(0, p);
    car.grip(p, Vec3::UnitX());
    work(400);
  };
  car.log(0, {5.0, 2.0, 0.12});
  car.start();
  car.at.held_log = 0;
  hold({5.0, 2.0, 0.12});
  hold({5.0, 0.0, 1.5});
  hold({5.0, -2.0, 0.4});
  car.at.held_log = -1;
  work(400);
  EXPECT_EQ(car.at.load_phase, training::LoadPhase::kLoading);
  EXPECT_EQ(car.at.element_load, 1);
  car.at.tip_v_W[0] = -2.0;  // with the carrier
  car.at.sim.speed = 2.0;
  for (int i = 0; i < 16000; ++i) {
    car.at.travel_s[1] += i < 8000 ? test::kTick : -test::kTick;
    car.step();
  }
  EXPECT_EQ(car.at.element[0], training::Element::kIdle);
  EXPECT_EQ(car.at.element[1], training::Element::kMove);
  EXPECT_EQ(car.at.load_phase, training::LoadPhase::kLoaded);
  work(20);
  EXPECT_NE(car.at.element_signals & 4, 0);
}

}  // namespace
}  // namespace knuckleboom::drive_task_test
