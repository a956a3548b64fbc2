// The shipped exercises can be done: they load, fit their machine, and everything is within its reach.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include <gtest/gtest.h>

#include "io_test_support.hpp"
#include "knuckleboom/core/machine/tip.hpp"
#include "knuckleboom/core/training/task.hpp"
#include "knuckleboom/core/world/world.hpp"
#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/lever_file.hpp"
#include "knuckleboom/io/machine_file.hpp"

namespace knuckleboom {
namespace {

using test::config;
using training::Exercise;
using training::TaskKind;

const char* const kExercises[] = {"free_play",    "reach",
                                  "path",         "logs",
                                  "head_to_stem", "fault_hunt",
                                  "piles",        "felling",
                                  "strip_road",   "red_blue",
                                  "tank",         "grid",
                                  "tower",        "strip_road_loaded",
                                  "approach",     "feed",
                                  "bucking",      "calm_head",
                                  "sorting",      "roadside",
                                  "passers_by",   "passers_by_loading",
                                  "clear_cut",    "racks",
                                  "one_load",     "thinning",
                                  "lab_reach"};

io::ExerciseFile shipped(const std::string& name) {
  return io::read_exercise(config("exercises/" + name + ".toml"));
}

machine::MachineModel machine_of(const Exercise& exercise) {
  return io::read_machine(config("machines/" + exercise.machine + "/machine.toml")).model;
}

// Distance of the grip below the tip at rest: 0.98 m, from a session at rest.
constexpr double kHang = 1.0;
// Height of the grip over a log's bunk when it is set down, and when it is swung in over the stakes.
constexpr double kHeap = 0.4;
constexpr double kOverStakes = 0.6;

class Reach {
 public:
  explicit Reach(const Exercise& exercise) : model_(machine_of(exercise)) {
    for (int i = 0; i < model_.joint_count(); ++i)
      used_[i] = model_.joint_name(i) == "swing" || model_.joint_name(i) == "boom" ||
                 model_.joint_name(i) == "stick";
    for (const command::InitialJoint& joint : exercise.initial)
      for (int i = 0; i < model_.joint_count(); ++i)
        if (model_.joint_name(i) == joint.joint) start_[i] = joint.position;
  }
  // With so much room to the limits of boom and stick that an operator need not creep into a stop.
  bool has(const Vec3& tip_W) const {
    double q[kMaxLinks];
    std::copy(std::begin(start_), std::end(start_), q);
    for (int i = 0; i < model_.joint_count(); ++i)
      if (model_.joint_name(i) == "swing") q[i] = std::atan2(tip_W.y(), tip_W.x());
    if (!machine::solve_tip(model_, tip_W, used_, q)) return false;
    for (int i = 0; i < model_.joint_count(); ++i) {
      const multibody::Body& body = model_.tree.body(model_.tree.link(i).body);
      if (!used_[i] || body.upper <= body.lower) continue;
      const double room = std::min(q[i] - body.lower, body.upper - q[i]);
      if (room < 0.03) return false;
    }
    return true;
  }

 private:
  machine::MachineModel model_;
  bool used_[kMaxLinks] = {};
  double start_[kMaxLinks] = {};
};

TEST(ShippedExercises, LoadAndFitTheirMachine) {
  for (const char* name : kExercises) {
    SCOPED_TRACE(name);
    const io::ExerciseFile file = shipped(name);
    EXPECT_EQ(file.exercise.name, name);
    EXPECT_FALSE(file.exercise.title.empty());
    EXPECT_GE(file.exercise.briefing.size(), 3u);
    EXPECT_EQ(
        test::joined(io::check_against(file.exercise, machine_of(file.exercise), file.places)), "");
    EXPECT_NO_THROW(training::Task{file.exercise});
    EXPECT_NO_THROW(world::World{file.exercise.world});
    EXPECT_NO_THROW(io::read_levers(config("levers/" + file.exercise.levers + ".toml")));
  }
}

// Logs settle a little on uneven ground, and then lie still.
TEST(ShippedExercises, LogsStayWhereTheyLie) {
  for (const char* name : kExercises) {
    const Exercise e = shipped(name).exercise;
    if (e.task == TaskKind::kDrive) continue;  // its logs lie in the load space
    const world::World world(e.world);
    world::WorldState state = world.initial_state();
    const world::WorldState start = state;
    world::PartForces forces;
    const int logs = world.first_spare();
    for (int i = 0; i < logs; ++i) state.log[i].status = world::LogStatus::kFree;
    for (int i = 0; i < 8000; ++i) world.step({}, 1e-3, state, forces);
    for (int i = 0; i < logs; ++i) {
      EXPECT_EQ(state.log[i].status, world::LogStatus::kResting) << name << ", log " << i;
      for (int c = 0; c < 3; ++c)
        EXPECT_NEAR(state.log[i].p[c], start.log[i].p[c], 0.25) << name << ", log " << i;
    }
  }
}

TEST(ShippedExercises, AreAllThereAre) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(config("exercises")))
    names.push_back(entry.path().stem().string());
  EXPECT_EQ(names.size(), std::size(kExercises));
}

TEST(ShippedExercises, EverythingIsWithinReach) {
  for (const char* name : kExercises) {
    const Exercise e = shipped(name).exercise;
    if (e.task == TaskKind::kDrive) continue;
    if (e.name == "grid" || e.name == "passers_by_loading" || e.name == "sorting" ||
        e.name == "lab_reach" || training::asks_to_drive(e))
      continue;  // with the telescope as far out as each log needs, or without a swing: their own tests show it
    const Reach reach(e);
    const double hang = e.task == TaskKind::kHead ? kHang : 0.0;
    for (const training::Target& target : e.targets)
      EXPECT_TRUE(reach.has(target.p_W + Vec3(0.0, 0.0, hang)))
          << name << ": target at " << target.p_W.transpose();
    for (const world::Log& log : e.world.logs)
      for (const double up : {0.0, 1.0})  // to grip it and to have it lifted
        EXPECT_TRUE(log.spare || reach.has({log.x, log.y, log.radius + up + kHang}))
            << name << ": " << log.name;
    for (const world::Bunk& bunk : e.world.bunks)
      for (const double z : {kHeap, bunk.height + kOverStakes})
        EXPECT_TRUE(reach.has({bunk.x, bunk.y, z + kHang}))
            << name << ": " << bunk.name << ", " << z;
  }
}

// Between two neighbouring targets of a path the tip stays within reach as well.
TEST(ShippedExercises, PathIsWithinReachThroughout) {
  const Exercise e = shipped("path").exercise;
  const Reach reach(e);
  for (std::size_t i = 1; i < e.targets.size(); ++i)
    for (int k = 0; k <= 10; ++k) {
      const Vec3 p = e.targets[i - 1].p_W + 0.1 * k * (e.targets[i].p_W - e.targets[i - 1].p_W);
      EXPECT_TRUE(reach.has(p)) << p.transpose();
    }
}

// Who sets limits to pass says where they come from.
TEST(ShippedExercises, LimitsWithPointsHaveASource) {
  int with_points = 0;
  for (const char* name : kExercises) {
    const Exercise e = shipped(name).exercise;
    if (!e.points.given()) continue;
    ++with_points;
    for (const training::Limit& limit : e.limits)
      EXPECT_FALSE(limit.source.empty()) << name << ": " << limit.figure;
  }
  EXPECT_GE(with_points, 5);
}

// The routine of Manner et al.: red in, blue in, red back, blue back; four times, and the way back is not timed.
TEST(ShippedExercises, RedAndBlueGoToAndFro) {
  const Exercise e = shipped("red_blue").exercise;
  ASSERT_EQ(e.log_tasks.size(), 16u);
  for (std::size_t i = 0; i < 16; ++i) {
    const training::LogTask& task = e.log_tasks[i];
    const training::Place& place = e.places[static_cast<std::size_t>(task.place)];
    EXPECT_EQ(e.world.logs[static_cast<std::size_t>(task.log)].name, i % 2 == 0 ? "red" : "blue");
    EXPECT_EQ(place.colour, static_cast<int>(i % 2) + 1);
    EXPECT_EQ(place.name.starts_with("bunk_"), i % 4 < 2);
    EXPECT_EQ(place.radius, 0.3);
    EXPECT_NEAR(place.angle, 20.0 * std::numbers::pi / 180.0, 1e-4);
    EXPECT_EQ(task.timed, i % 4 != 0);
  }
  EXPECT_EQ(e.points.experienced_s, 4 * 7 * 9.0);
  EXPECT_EQ(e.points.beginner_s, 4 * 7 * 22.0);
}

// Eight logs of two colours, a red and a blue one in turn, each colour to its own bunk.
TEST(ShippedExercises, LogsAreTheFixedRoutine) {
  const Exercise e = shipped("logs").exercise;
  ASSERT_EQ(e.log_tasks.size(), 8u);
  ASSERT_EQ(e.world.logs.size(), 8u);
  ASSERT_EQ(e.world.bunks.size(), 2u);
  EXPECT_EQ(e.time_limit_s, 25.0 * 60.0);
  for (std::size_t i = 0; i < e.log_tasks.size(); ++i) {
    const world::Log& log = e.world.logs[static_cast<std::size_t>(e.log_tasks[i].log)];
    const world::Bunk& bunk = e.world.bunks[static_cast<std::size_t>(e.log_tasks[i].bunk)];
    EXPECT_EQ(log.colour, i % 2 == 0 ? 1 : 2);
    EXPECT_EQ(log.colour, bunk.colour);
    EXPECT_GE(log.length, bunk.length + 0.5);  // rests on both beams
    // Lies about across the crane, so that the grapple needs some turning but not much.
    const double radial = std::cos(log.heading) * log.x + std::sin(log.heading) * log.y;
    EXPECT_LT(std::fabs(radial), std::sin(0.35) * std::hypot(log.x, log.y));
  }
  EXPECT_GT(e.world.bunks[0].y, 4.0);   // left
  EXPECT_LT(e.world.bunks[1].y, -4.0);  // right
}

// Stems stand 0.6 m beside the way and more, at every seed; another one moves the stops as well.
TEST(ShippedExercises, TheStripRoadIsFree) {
  std::vector<double> stops;
  for (const char* seed : {"1", "2", "77"}) {
    const Exercise e = io::read_exercise(config("exercises/strip_road.toml"),
                                         std::vector<io::Override>{{"way.seed", seed}})
                           .exercise;
    const world::Way way(e.world.way);
    EXPECT_NEAR(way.length(), 250.0, 1.0);
    EXPECT_GE(e.world.stems.size(), 80u);
    for (const world::Stem& stem : e.world.stems) {
      const world::WayPlace place = way.nearest(stem.x, stem.y, 0.0, way.length());
      EXPECT_GE(std::fabs(place.offset) - stem.radius, 2.25 + 0.599);
    }
    ASSERT_EQ(e.world.way.stops.size(), 3u);
    EXPECT_EQ(std::count(stops.begin(), stops.end(), e.world.way.stops[0]), 0);
    stops.push_back(e.world.way.stops[0]);
  }
}

// 1100 stems to the hectare, none on the road; each marked tree falls clear of all that stand then, at every seed.
TEST(ShippedExercises, TheGapsOfTheThinningAreFree) {
  for (const char* seed : {"0", "1", "77"}) {
    const Exercise e = io::read_exercise(config("exercises/thinning.toml"),
                                         std::vector<io::Override>{{"variant.seed", seed}})
                           .exercise;
    const std::vector<world::Stem>& stems = e.world.stems;
    ASSERT_EQ(stems.size(), 220u);
    for (const world::Stem& stem : stems) {
      EXPECT_LT(std::fabs(stem.x), 40.2);
      EXPECT_LT(std::fabs(stem.y), 12.7);
      EXPECT_GT(std::fabs(stem.y) - stem.radius, 0.5 * e.world.way.width + 0.1);
    }
    std::vector<bool> gone(stems.size(), false);
    for (const training::FellTask& fell : e.fell_tasks) {
      const auto own = static_cast<std::size_t>(fell.stem);
      const double c = std::cos(fell.towards), s = std::sin(fell.towards);
      gone[own] = true;
      for (std::size_t i = 0; i < stems.size(); ++i) {
        const double x = stems[i].x - stems[own].x, y = stems[i].y - stems[own].y;
        const double along = c * x + s * y;
        if (gone[i] || along < 0.0 || along > stems[own].height) continue;
        EXPECT_GT(std::fabs(c * y - s * x) - stems[i].radius, 0.3)
            << "seed " << seed << ", tree " << own << " at " << i;
      }
    }
  }
}

TEST(ShippedExercises, ForestStandsClearOfTheMachine) {
  for (const char* name : kExercises) {
    const Exercise e = shipped(name).exercise;
    if (!e.world.way.corners.empty()) continue;  // along it, below
    if (e.name == "lab_reach") continue;         // there is none
    EXPECT_GE(e.world.stems.size(), 12u) << name;
    EXPECT_LE(e.world.stems.size(), 30u) << name;
    for (std::size_t i = 0; i < e.world.stems.size(); ++i) {
      const world::Stem& stem = e.world.stems[i];
      const double r = std::hypot(stem.x, stem.y);
      const bool felled = std::ranges::any_of(e.fell_tasks, [&](const training::FellTask& task) {
        return task.stem == static_cast<int>(i);
      });
      EXPECT_GT(r, felled ? 4.0 : 5.5) << name;
      EXPECT_LT(r, 20.0) << name;
      for (const world::Bunk& bunk : e.world.bunks)
        EXPECT_GT(std::hypot(stem.x - bunk.x, stem.y - bunk.y), 0.5 * bunk.length + 1.0) << name;
    }
  }
}

// The place to bring the head to is beside the stem that bears its name, and the head fits in between.
TEST(ShippedExercises, HeadTargetsStandBeforeTheirStems) {
  const Exercise e = shipped("head_to_stem").exercise;
  for (const training::Target& target : e.targets) {
    const auto stem = std::find_if(e.world.stems.begin(), e.world.stems.end(),
                                   [&](const world::Stem& s) { return s.name == target.name; });
    ASSERT_NE(stem, e.world.stems.end()) << target.name;
    const Vec3 to_stem = Vec3(stem->x, stem->y, target.p_W.z()) - target.p_W;
    const double gap = to_stem.norm() - stem->radius;
    EXPECT_GT(gap, 0.4) << target.name;
    EXPECT_LT(gap, 0.7) << target.name;
    EXPECT_GT(to_stem.normalized().dot(target.axis_W), std::cos(0.05)) << target.name;
    EXPECT_EQ(target.axis_W.z(), 0.0);
  }
}

}  // namespace
}  // namespace knuckleboom
