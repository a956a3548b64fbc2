// Positions of host, peg, worksite and emulated machine in the scene of an emulation.
#include "app/emulation/scene_from_emulation.hpp"

#include <random>

#include <gtest/gtest.h>

#include "app/emulation/load_emulation.hpp"
#include "view/machine_scene.hpp"
#include "view/room.hpp"

namespace knuckleboom {
namespace {

constexpr double kClose = 1e-6;  // m

emulation::EmulationPlan plan_of(const std::string& name) {
  app::EmulateOptions options;
  options.scenario = name;
  return app::load_emulation(options).plan;
}

// The tip as drawn: a point of the link that carries it, in that link's pose.
Vec3 drawn_tip(const machine::MachineModel& machine,
               const std::array<view::Pose, kMaxLinks>& bodies, const view::Pose& base) {
  const int link = machine.tree.body(machine.tip_body).link;
  EXPECT_EQ(machine.tree.link(link).body, machine.tip_body);  // no welded body between
  return base * (bodies[static_cast<std::size_t>(link)] * machine.tip_B);
}

TEST(SceneFromEmulation, BothTipsMeetInTheScene) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> turn(-0.25, 0.25);
  for (const char* name : {"peg_in_hole", "crane_on_plane"})
    for (int i = 0; i < 20; ++i) {
      emulation::EmulationPlan plan = plan_of(name);
      for (emulation::Part* part : {&plan.host, &plan.emulated})
        for (command::InitialJoint& joint : part->initial) joint.position += turn(random);
      const emulation::Emulation emulation(plan);
      emulation::EmulationState state = emulation.initial_state();
      const Vec3 base = app::scene_poses(emulation, state).emulated_base.p;
      for (int tick = 0; tick < 50; ++tick) emulation.step(state);
      const view::EmulationPoses poses = app::scene_poses(emulation, state);
      const Vec3 host = drawn_tip(plan.host.model, poses.host, {});
      const Vec3 other = drawn_tip(plan.emulated.model, poses.emulated, poses.emulated_base);
      const Vec3 tip(state.tip.p[0], state.tip.p[1], state.tip.p[2]);
      const Vec3 target(state.target.p[0], state.target.p[1], state.target.p[2]);
      EXPECT_LT((host - tip).norm(), kClose);
      EXPECT_LT((host - poses.tip.p).norm(), kClose);
      EXPECT_LT((other - target).norm(), kClose);
      EXPECT_LT((other - host).norm(), 1e-3);  // but for the error of following
      // The emulated machine stands still in the room.
      EXPECT_LT((poses.emulated_base.p - base).norm(), kClose);
    }
}

TEST(SceneFromEmulation, WorksiteStandsWhereThePegWillBe) {
  emulation::EmulationPlan plan = plan_of("peg_in_hole");
  plan.start_S = Vec3(0.003, -0.002, -0.02);
  plan.misalignment_S = Vec3(0.0, 0.02, 0.0);
  const emulation::Emulation emulation(plan);
  const view::WorksiteLook site = app::scene_description(emulation, {}).site;
  const view::EmulationPoses poses = app::scene_poses(emulation, emulation.initial_state());
  EXPECT_TRUE(site.hole);
  const Vec3 tip_S = site.site_W.R.transpose() * (poses.tip.p - site.site_W.p);
  EXPECT_LT((tip_S - plan.start_S).norm(), kClose);
  // Tilted against each other by the misalignment.
  EXPECT_NEAR(poses.tip.R.col(2).dot(site.site_W.R.col(2)), std::cos(0.02), 1e-5);
}

TEST(SceneFromEmulation, LinkAndPegDoNotOverlap) {
  const emulation::Emulation emulation(plan_of("peg_in_hole"));
  const view::EmulationSceneDescription scene = app::scene_description(emulation, {});
  const emulation::EmulationPlan& plan = emulation.plan();
  EXPECT_TRUE(scene.host.arm);
  for (const view::BodyLook& body : scene.host.bodies)
    if (body.name == "tool") {
      EXPECT_NEAR(body.end_B.z(), plan.host.model.tip_B.z() - plan.peg.length - view::kSensorLength,
                  1e-12);
    }
}

TEST(SceneFromEmulation, CraneKeepsItsCabAndTracksButHasNoHead) {
  const emulation::Emulation emulation(plan_of("crane_on_plane"));
  const view::MachineLook look = app::scene_description(emulation, {}).emulated;
  EXPECT_FALSE(look.arm);
  EXPECT_EQ(look.swing_body, 0);
  EXPECT_EQ(look.tip_body, view::kWorldBody);
}

TEST(EmulationScene, ForceOfAnArrowGoesInSteps) {
  EXPECT_EQ(view::full_force(0.0), 10.0);
  EXPECT_EQ(view::full_force(10.1), 20.0);
  EXPECT_EQ(view::full_force(49.0), 50.0);
  EXPECT_EQ(view::full_force(51.0), 100.0);
  EXPECT_EQ(view::full_force(1900.0), 2000.0);
}

}  // namespace
}  // namespace knuckleboom
