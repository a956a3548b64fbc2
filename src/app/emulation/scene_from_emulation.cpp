#include "app/emulation/scene_from_emulation.hpp"

#include <cmath>

#include "app/window/scene_from_session.hpp"
#include "knuckleboom/core/multibody/kinematics.hpp"

namespace knuckleboom::app {
namespace {

view::Pose pose_of(const emulation::TipPose& tip) {
  view::Pose pose;
  for (int k = 0; k < 3; ++k) {
    pose.R.col(k) = Vec3(tip.R[k][0], tip.R[k][1], tip.R[k][2]);
    pose.p[k] = tip.p[k];
  }
  return pose;
}

// Places the bodies in their own world; returns the pose of the tip there.
view::Pose place_bodies(const machine::MachineModel& machine, const sim::SimState& state,
                        std::array<view::Pose, kMaxLinks>& bodies) {
  const multibody::Tree& tree = machine.tree;
  const double still[kMaxLinks] = {};
  const multibody::Kinematics kinematics =
      multibody::forward_kinematics(tree, state.machine.q, still);
  for (int link = 0; link < tree.link_count(); ++link) {
    const multibody::Pose pose = multibody::body_pose(tree, kinematics, tree.link(link).body);
    bodies[static_cast<std::size_t>(link)] = {pose.R, pose.p};
  }
  const multibody::Pose tip = multibody::body_pose(tree, kinematics, machine.tip_body);
  return {tip.R, tip.R * machine.tip_B + tip.p};
}

// The last link ends at the peg; axis_B: of the peg, in the tip's body.
void make_room(view::MachineLook& look, double length, const Vec3& axis_B) {
  for (view::BodyLook& body : look.bodies)
    if (body.body == look.tip_body && body.has_end) body.end_B -= length * axis_B;
}

// Cranes are drawn as in the forest; a machine without cylinders is drawn as a manipulator's arm.
view::MachineLook look_of(const machine::MachineModel& machine, const Vec3& peg_axis_B,
                          double peg_length) {
  view::MachineLook look = machine_look(machine);
  look.arm = look.cylinders.empty();
  if (look.arm) {
    const multibody::Tree& tree = machine.tree;
    look.foot_W = tree.body(tree.link(0).body).in_parent.p;
    look.foot_height = look.foot_W.z() > 0.05 ? look.foot_W.z() : 0.25;
  }
  make_room(look, peg_length, peg_axis_B);
  // The peg replaces the head.
  if (!look.grapple.present) look.tip_body = view::kWorldBody;
  return look;
}

}  // namespace

view::EmulationSceneDescription scene_description(const emulation::Emulation& emulation,
                                                  const std::filesystem::path& assets) {
  const emulation::EmulationPlan& plan = emulation.plan();
  const emulation::EmulationState start = emulation.initial_state();
  view::EmulationSceneDescription scene;
  scene.assets = assets;

  view::WorksiteLook& site = scene.site;
  const emulation::PegMotion origin =
      emulation.in_site({{0.0, 0.0, 0.0}, {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {}});
  site.site_W.R = origin.R.transpose();
  site.site_W.p = -(site.site_W.R * origin.p);
  site.hole = plan.site.kind == emulation::SiteKind::kHole;
  site.hole_radius = plan.site.hole_radius;
  site.chamfer = plan.site.chamfer;
  site.depth = plan.site.depth;
  site.peg_radius = plan.peg.radius;
  site.peg_length = plan.peg.length;

  const double hand = plan.peg.length + view::kSensorLength;
  scene.host = look_of(plan.host.model, Vec3::UnitZ(), hand);
  std::array<view::Pose, kMaxLinks> ignored;
  const view::Pose tip = place_bodies(plan.emulated.model, start.emulated, ignored);
  const view::Pose peg = pose_of(start.target);
  scene.emulated = look_of(plan.emulated.model, tip.R.transpose() * peg.R.col(2), hand);
  return scene;
}

view::EmulationPoses scene_poses(const emulation::Emulation& emulation,
                                 const emulation::EmulationState& state) {
  view::EmulationPoses poses;
  place_bodies(emulation.plan().host.model, state.host, poses.host);
  place_bodies(emulation.plan().emulated.model, state.emulated, poses.emulated);
  poses.tip = pose_of(state.tip);
  poses.target = pose_of(state.target);
  // Both worlds have the same directions.
  poses.emulated_base.p = Vec3(state.shift.offset[0], state.shift.offset[1], state.shift.offset[2]);
  poses.force_W = Vec3(state.contact_W[0], state.contact_W[1], state.contact_W[2]);
  return poses;
}

}  // namespace knuckleboom::app
