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
  explicit Car(const Exercise& exercise, std::vector<training::Tyre> tyres = {})
      : Attempt(exercise, {}, std::move(tyres)) {
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

// A forwarder loads two logs from a rack, drives 40 m and lays them together on another one. Ticks at which phases end.
struct Racks {
  std::int64_t gripped = 0, loaded = 0, taken = 0, laid = 0;
};
Racks work_between_racks(Car& car) {
  Racks at;
  const auto stand = [&car](double x) {
    car.place(-x, 0.0);
    const Vec3 centre(x, 0.0, 2.0), half(2.3, 1.4, 0.9);
    for (int c = 0; c < 3; ++c) {
      car.at.load.centre_W[c] = centre(c);
      car.at.load.half_m[c] = half(c);
    }
    car.at.load.along_W[0] = car.at.load.up_W[2] = 1.0;
  };
  const auto work = [&car](const Vec3& grip, bool with_logs, int ticks) {
    car.grip(grip, Vec3::UnitX());
    for (int i = 0; with_logs && i < 2; ++i) car.log(i, grip + Vec3(0.0, 0.1 * i, 0.0));
    for (int i = 0; i < ticks; ++i) {
      car.at.travel_s[0] += test::kTick;
      car.step();
    }
    return car.at.sim.tick;
  };
  const auto hold = [&car](bool held) {
    car.at.held_log = held ? 0 : -1;
    car.at.carried = {};
    if (held) car.at.carried.add(1);
  };
  const auto carry = [&](const Vec3& from, const Vec3& to) {
    hold(true);
    work(from, true, 1000);
    car.at.tip_v_W[1] = 0.5;
    work(from + Vec3(0.0, 0.0, 3.0), true, 1000);
    car.at.tip_v_W[1] = 0.0;
    work(to, true, 1000);
    hold(false);
    work(to, false, 1000);
    car.at.tip_v_W[1] = 0.5;
    const std::int64_t left = work({to.x(), to.y(), 4.0}, false, 1000);
    car.at.tip_v_W[1] = 0.0;
    return left;
  };
  car.at.log_count = 2;
  car.at.on_wheels = 2;
  stand(0.0);
  for (int i = 0; i < 2; ++i) car.log(i, {0.0, -4.0 + 0.1 * i, 0.28});
  car.start();
  at.gripped = work({0.0, -4.0, 1.0}, false, 3000);
  EXPECT_EQ(car.at.element_signals & 2, 0) << "over a rack";
  at.loaded = carry({0.0, -4.0, 0.28}, {0.0, 0.0, 1.4}) - 2000;
  EXPECT_EQ(car.at.element_load, 2);
  car.at.sim.speed = 2.0;
  for (int i = 1; i <= 20000; ++i) {
    stand(-2e-3 * i);
    for (int k = 0; k < 2; ++k) car.log(k, {-2e-3 * i, 0.1 * k, 1.4});
    car.step();
  }
  car.at.sim.speed = 0.0;
  at.taken = work({-40.0, 0.0, 3.0}, false, 1000);
  at.laid = carry({-40.0, 0.0, 1.4}, {-40.0, -4.0, 0.28}) - 2000;
  EXPECT_EQ(car.at.element_load, 0);
  car.task.show(test::kTick, car.state, car.score, car.at);
  return at;
}

TEST(DriveTask, RacksAreNoLoadOfAMachineThatHasOne) {
  Exercise exercise = road();
  exercise.world.way.corners.back() = {-80.0, 0.0};
  exercise.world.logs.resize(2);
  exercise.world.bunks.resize(2);
  for (world::Bunk& bunk : exercise.world.bunks) bunk.y = -4.0;
  exercise.world.bunks[1].x = -40.0;
  Car car(exercise);
  car.score.elements.own_load = 1;
  const Racks at = work_between_racks(car);
  // From one event to the next, each known after 0.2 s at most.
  const auto s = [](std::int64_t ticks) { return test::kTick * static_cast<double>(ticks); };
  const auto& phase_s = car.at.load_phase_s;
  const double within = 0.3;
  EXPECT_NEAR(phase_s[0], s(at.gripped + car.at.sim.tick - at.laid), within);  // EMPTY
  EXPECT_NEAR(phase_s[1], s(at.loaded - at.gripped), within);                  // LOADING
  EXPECT_NEAR(phase_s[2], s(at.taken - at.loaded), within);                    // LOADED
  EXPECT_NEAR(phase_s[3], s(at.laid - at.taken), within);                      // UNLOADING
  EXPECT_NEAR(phase_s[0] + phase_s[1] + phase_s[2] + phase_s[3], s(car.at.sim.tick - 1), 0.02);
  // Two grips, two ways, two releases, and nothing else with a log: both were held on their beams for a second.
  const auto pieces = [&car](training::Element e) {
    return car.at.element_pieces[0][static_cast<int>(e)];
  };
  EXPECT_EQ(pieces(training::Element::kIn), 2);
  EXPECT_EQ(pieces(training::Element::kRelease), 2);
  EXPECT_EQ(pieces(training::Element::kTidy), 0);
  EXPECT_EQ(pieces(training::Element::kSort), 0);
  EXPECT_EQ(pieces(training::Element::kRegrip), 0);
}

// By hand: a wheel of 0.71 m and 450 kN/m under 20 kN on soil of 0.5 MPa sinks by 0.224 d / N^1.25 = 27 mm, with
// N = C (b d)^0.8 z^0.4 / W = 7.0 for a diameter d of 1.34 m and a tyre that is pressed in by z = W / k = 44 mm.
TEST(DriveTask, ARutIsAsDeepAsTheWheelNumericSays) {
  const training::Tyre tyre{0.71, 450e3};
  const double W = 20e3, d = 1.34;
  const double numeric =
      0.5e6 * std::pow(tyre.width * d, 0.8) * std::pow(W / tyre.stiffness, 0.4) / W;
  const double depth = 0.224 * d / std::pow(numeric, 1.25);
  EXPECT_NEAR(depth, 0.027, 0.001);
  EXPECT_NEAR(training::rut_of_pass(world::Soil::kMedium, tyre, W), depth, 1e-12);
  // The softer, the deeper.
  EXPECT_NEAR(training::rut_of_pass(world::Soil::kSoft, tyre, W), depth * std::pow(0.5 / 0.3, 1.25),
              1e-12);
  EXPECT_NEAR(training::rut_of_pass(world::Soil::kFirm, tyre, W), depth * std::pow(0.5, 1.25),
              1e-12);
}

// To and fro: n equal passes make it n^(1/3.5) as deep as one; a heavier one counts for more.
TEST(DriveTask, RutsGrowWithPassesAndLoad) {
  Exercise exercise = road();
  exercise.world.way.soil = world::Soil::kMedium;
  const training::Tyre tyre{0.71, 450e3};
  Car car(exercise, {tyre});
  car.at.sim.wheel[0].load = 20e3;
  car.start();
  EXPECT_EQ(car.at.score.rut_m, 0.0);
  const double one = training::rut_of_pass(world::Soil::kMedium, tyre, 20e3);
  car.drive(10.0, 0.0);
  EXPECT_NEAR(car.at.score.rut_m, one, 1e-9);
  car.drive(2.0, 0.0);
  car.drive(10.0, 0.0);
  EXPECT_NEAR(car.at.score.rut_m, one * std::pow(3.0, 1.0 / 3.5), 1e-9);
  EXPECT_EQ(car.at.score.deep_ruts, 0.0);
  // Swaying on the spot is no pass.
  for (int i = 0; i < 20; ++i) car.drive(i % 2 == 0 ? 9.8 : 10.0, 0.0);
  EXPECT_NEAR(car.at.score.rut_m, one * std::pow(3.0, 1.0 / 3.5), 1e-9);
  // 200 kN sink by 15 cm: deep over the next 5 m of the 15 m driven.
  car.at.sim.wheel[0].load = 200e3;
  car.drive(15.0, 0.0);
  EXPECT_NEAR(car.at.score.deep_ruts, 1.0 / 3.0, 0.05);
  EXPECT_GT(car.at.score.rut_m, training::kDeepRut);
}

// Without a class of soil there is no figure.
TEST(DriveTask, RutsOfAnUntoldSoilAreUndefined) {
  const training::Score score = training::blank_score(road());
  EXPECT_TRUE(std::isnan(score.rut_m));
  EXPECT_TRUE(std::isnan(score.deep_ruts));
}

}  // namespace
}  // namespace knuckleboom::drive_task_test
