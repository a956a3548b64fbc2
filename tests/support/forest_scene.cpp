#include "support/forest_scene.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/window/scene_from_session.hpp"
#include "knuckleboom/core/multibody/kinematics.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "support/paths.hpp"

namespace knuckleboom::test {
namespace {

using multibody::Pose;

void place_bodies(const machine::MachineModel& machine, const double* q,
                  training::SessionSnapshot& snapshot) {
  const multibody::Tree& tree = machine.tree;
  const double still[kMaxLinks] = {};
  const multibody::Kinematics kinematics = multibody::forward_kinematics(tree, q, still);
  for (int link = 0; link < tree.link_count(); ++link) {
    const Pose pose = multibody::body_pose(tree, kinematics, tree.link(link).body);
    const Eigen::Quaterniond r(pose.R);
    training::PoseSnapshot& out = snapshot.body[link];
    for (int k = 0; k < 3; ++k) out.p[k] = pose.p[k];
    out.q[0] = r.w();
    out.q[1] = r.x();
    out.q[2] = r.y();
    out.q[3] = r.z();
  }
  const Vec3 tip = multibody::point_motion(tree, kinematics, machine.tip_body, machine.tip_B).p_W;
  for (int k = 0; k < 3; ++k) snapshot.sim.tip_W[k] = tip[k];
}

}  // namespace

machine::MachineModel machine_from_file(const std::string& name) {
  const std::filesystem::path folder = KNUCKLEBOOM_SOURCE_DIR "/config/machines";
  return io::read_machine(folder / name / "machine.toml").model;
}

view::SceneDescription forest_scene(const machine::MachineModel& machine) {
  world::WorldRecipe world;
  world.ground.seed = 7;
  world.ground.bump_height = 0.12;
  world.ground.level_radius = 4.0;
  const auto stem = [&world](double x, double y, double height, double radius) {
    world.stems.push_back({"stem", x, y, height, radius});
  };
  stem(7.5, 3.4, 17.0, 0.16);
  stem(9.4, -2.6, 15.0, 0.13);
  stem(6.0, -6.8, 19.0, 0.19);
  stem(4.2, 7.4, 14.0, 0.12);
  stem(10.5, 1.2, 18.0, 0.17);
  stem(11.2, 5.4, 16.0, 0.15);
  stem(-3.0, 8.6, 16.0, 0.15);
  stem(-1.5, -8.2, 15.0, 0.14);
  for (int i = 0; i < 8; ++i) {
    world::Log log;
    log.name = "log";
    log.length = 3.2;
    log.radius = 0.09 + 0.012 * (i % 4);
    log.colour = i % 2 == 0 ? 1 : 2;
    log.x = 5.4 + 0.42 * (i / 2);
    log.y = (i % 2 == 0 ? 1.2 : -1.2) + 0.15 * (i % 3);
    log.heading = 1.35 + 0.1 * i;
    world.logs.push_back(log);
  }
  world.bunks.push_back({"red", 3.6, 4.6, 0.9, 2.0, 1.4, 1.2, 1});
  world.bunks.push_back({"blue", 3.6, -4.6, -0.9, 2.0, 1.4, 1.2, 2});
  return app::scene_description(machine, world, world::make_ground(world.ground), {},
                                KNUCKLEBOOM_SOURCE_DIR "/assets");
}

std::vector<view::TargetLook> reach_targets() {
  std::vector<view::TargetLook> targets(3);
  targets[0].p_W = Vec3(5.0, 1.5, 1.6);
  targets[1].p_W = Vec3(6.6, -1.8, 2.6);
  targets[2].p_W = Vec3(4.0, 3.0, 3.0);
  return targets;
}

std::vector<view::TargetLook> path_targets() {
  std::vector<view::TargetLook> targets;
  for (int i = 0; i <= 20; ++i) {
    const double angle = -0.7 + 1.4 * i / 20.0;
    view::TargetLook target;
    target.shape = view::TargetShape::kPathPoint;
    target.p_W = Vec3(6.2 * std::cos(angle), 6.2 * std::sin(angle), 1.5);
    targets.push_back(target);
  }
  return targets;
}

training::SessionSnapshot snapshot_at(const machine::MachineModel& machine, const double* q,
                                      const view::SceneDescription& scene) {
  training::SessionSnapshot snapshot{};
  place_bodies(machine, q, snapshot);
  snapshot.grapple_opening = 0.7;
  snapshot.held_log = -1;
  snapshot.task.target = -1;
  snapshot.log_count = static_cast<std::int32_t>(scene.world.logs.size());
  for (std::size_t i = 0; i < scene.world.logs.size(); ++i) {
    const world::Log& log = scene.world.logs[i];
    snapshot.log[i].p[0] = log.x;
    snapshot.log[i].p[1] = log.y;
    snapshot.log[i].p[2] = world::height(scene.ground, log.x, log.y) + log.radius;
    snapshot.log[i].q[0] = std::cos(0.5 * log.heading);
    snapshot.log[i].q[3] = std::sin(0.5 * log.heading);
  }
  return snapshot;
}

}  // namespace knuckleboom::test
