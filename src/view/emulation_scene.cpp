#include "view/emulation_scene.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include <osg/GL>
#include <osg/MatrixTransform>
#include <osg/Uniform>
#include <osgViewer/GraphicsWindow>

#include "knuckleboom/core/math/arrays.hpp"
#include "view/light.hpp"
#include "view/machine_scene.hpp"
#include "view/mesh_builder.hpp"
#include "view/render.hpp"
#include "view/room.hpp"
#include "view/shaders.hpp"
#include "view/textures.hpp"

namespace knuckleboom::view {
namespace {

// Traversals of a single pane; that of the host is kDecoration.
constexpr unsigned kCloseUp = 32U;
constexpr Colour kGhost = {0.20, 0.46, 0.78, 0.42};
constexpr double kLeftShare = 0.44;    // of the scene's width
constexpr double kArrowRadius = 0.11;  // of the axes' length
constexpr double kBothAspect = 1.5;

// Arrows and axes of one frame, at its scale.
struct Marks {
  osg::ref_ptr<osg::Group> node = new osg::Group;
  osg::ref_ptr<osg::MatrixTransform> tip, target;
  ForceArrow arrow;
  double size;         // of the axes [m]
  double full_length;  // of the arrow at full force [m]
};

Marks make_marks(double size, double full_length, unsigned mask) {
  Marks marks;
  marks.size = size;
  marks.full_length = full_length;
  marks.tip = axes(size, false);
  marks.target = axes(size, true);
  marks.node->addChild(marks.target);
  marks.node->addChild(marks.tip);
  marks.arrow = ForceArrow(kArrowRadius * size, kForceColour);
  marks.node->addChild(marks.arrow.node());
  marks.node->setNodeMask(mask);
  return marks;
}

}  // namespace

struct EmulationScene::Parts {
  Parts(const EmulationSceneDescription& description, Quality quality, bool software);
  void pose_marks(Marks& marks) const;
  Vec3 arrow(const Marks& marks) const;
  CameraView host_view() const;
  CameraView both_view() const;
  CameraView peg_view() const;

  EmulationSceneDescription scene;
  Quality quality;
  QualitySettings settings;
  std::vector<std::string> notes;
  osg::ref_ptr<osg::Group> root = new osg::Group;
  osg::ref_ptr<osg::Group> world = new osg::Group;
  osg::ref_ptr<osg::Group> ghost_node;
  std::array<osg::ref_ptr<osg::Uniform>, kPanes> to_world;
  std::unique_ptr<MachineScene> host, emulated;
  osg::ref_ptr<osg::MatrixTransform> peg, emulated_base;
  Marks marks, close_marks;
  std::array<osg::ref_ptr<osg::Camera>, kPanes> cameras;
  EmbeddedViewer embedded;
  Orbit orbit;
  EmulationPoses poses;
  double full_N = 10.0;
  bool ghost = true;
  int width = 0, height = 0, scene_width = 0;
};

EmulationScene::Parts::Parts(const EmulationSceneDescription& description, Quality wanted,
                             bool software)
    : scene(description), quality(resolve(wanted, software)), settings(view::settings(quality)) {
  // A room is smaller than a forest.
  settings.shadow_reach = 2.2;
  settings.shadow_size = std::max(settings.shadow_size, 1024);
  settings.detail = std::max(settings.detail, 1.0);
  osg::StateSet& state = *root->getOrCreateStateSet();
  add_light(state);
  add_room_air(state);

  const auto steel = solid_state(settings, paint_wear(512).texture(true));
  const MachineStates solid{steel, glass_state(), settings};
  host = std::make_unique<MachineScene>(scene.host, scene.assets, solid, notes);
  world->addChild(host->node());
  const auto things = add_layer(*world, steel, kSeen | kCastsShadow | kCloseUp);
  things->addChild(build_worksite(scene.site, settings));
  if (!scene.site.hole) add_layer(*things, nullptr, kCloseUp)->addChild(build_grid(scene.site));
  peg = new osg::MatrixTransform;
  peg->addChild(build_peg(scene.site, settings));
  things->addChild(peg);
  world->addChild(build_floor(settings));
  root->addChild(world);
  ShadowReach reach;
  reach.centre = 0.5 * scene.site.site_W.p;
  reach.centre.z() = 0.6;
  reach.radius = settings.shadow_reach;
  reach.sun_distance = 12.0;
  reach.normal_offset = 0.004;
  add_shadow(settings, reach, *root, *world);

  QualitySettings coarse = settings;
  coarse.detail = 0.5;
  const MachineStates thought{ghost_state(), glass_state(), coarse};
  emulated = std::make_unique<MachineScene>(scene.emulated, scene.assets, thought, notes);
  emulated_base = new osg::MatrixTransform;
  emulated_base->addChild(emulated->node());
  ghost_node = as_ghost(*emulated_base, room_colour(kGhost));
  root->addChild(ghost_node);

  osg::ref_ptr<osg::Group> overlay = new osg::Group;
  overlay->setStateSet(plain_state(true));
  marks = make_marks(0.13, 0.45, kDecoration);
  close_marks = make_marks(0.022, 0.036, kCloseUp);
  overlay->addChild(marks.node);
  overlay->addChild(close_marks.node);
  root->addChild(overlay);

  embedded = embed(*root, room_colour(kRoom));
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    const auto pane = static_cast<Pane>(i);
    if (pane == Pane::kHost) {
      cameras[i] = embedded.viewer->getCamera();
    } else {
      cameras[i] = add_inset(*root, static_cast<int>(i));
      cameras[i]->setClearColor(room_colour(kRoom));
      cameras[i]->addChild(world);
      cameras[i]->addChild(overlay);
      if (pane == Pane::kBoth) cameras[i]->addChild(ghost_node);
    }
    cameras[i]->setCullMask(kSeen | (pane == Pane::kHost   ? kDecoration
                                     : pane == Pane::kBoth ? kFromAfar
                                                           : kCloseUp));
    if (pane == Pane::kBoth)  // without the room's haze
      cameras[i]->getOrCreateStateSet()->addUniform(new osg::Uniform("u_haze_length", 1e3F));
    to_world[i] = new osg::Uniform("u_view_to_world", osg::Matrixf::identity());
    cameras[i]->getOrCreateStateSet()->addUniform(to_world[i]);
  }
  embedded.viewer->realize();
}

// Along the force, from the tip; short ones are not drawn.
Vec3 EmulationScene::Parts::arrow(const Marks& m) const {
  return m.full_length / full_N * poses.force_W;
}

void EmulationScene::Parts::pose_marks(Marks& m) const {
  m.tip->setMatrix(to_osg(poses.tip));
  m.target->setMatrix(to_osg(poses.target));
  m.arrow.pose(poses.tip.p, arrow(m), 0.02 * m.full_length);
}

EmulationScene::EmulationScene(const EmulationSceneDescription& description, Quality quality,
                               bool software_renderer)
    : parts_(std::make_unique<Parts>(description, quality, software_renderer)) {
  home();
}

EmulationScene::~EmulationScene() = default;

void EmulationScene::show(const EmulationPoses& poses) {
  Parts& p = *parts_;
  p.poses = poses;
  p.host->pose(frame_poses(poses.host));
  p.emulated->pose(frame_poses(poses.emulated));
  p.emulated_base->setMatrix(to_osg(poses.emulated_base));
  p.peg->setMatrix(to_osg(poses.tip));
  p.full_N = std::max(p.full_N, full_force(poses.force_W.norm()));
  p.pose_marks(p.marks);
  p.pose_marks(p.close_marks);
}

void EmulationScene::frame(int width, int height, int scene_width) {
  Parts& p = *parts_;
  if (width != p.width || height != p.height || scene_width != p.scene_width) {
    p.embedded.window->resized(0, 0, width, height);
    p.embedded.window->getEventQueue()->windowResize(0, 0, width, height);
    p.width = width;
    p.height = height;
    p.scene_width = scene_width;
  }
  for (std::size_t i = 0; i < p.cameras.size(); ++i) {
    const auto pane = static_cast<Pane>(i);
    const Rectangle r = rectangle(pane, scene_width, height);
    p.cameras[i]->setViewport(r.x, r.y, r.width, r.height);
    look_through(*p.cameras[i], view(pane), r.width, r.height, *p.to_world[i]);
  }
  p.ghost_node->setNodeMask(p.ghost ? kDecoration | kFromAfar : 0U);
  p.embedded.viewer->frame();
  glFinish();  // frames must not queue up
}

Orbit& EmulationScene::orbit() { return parts_->orbit; }

void EmulationScene::home() {
  Orbit orbit;
  const Vec3 site = parts_->scene.site.site_W.p;
  orbit.target = Vec3(0.5 * site.x(), 0.5 * site.y(), 0.72);
  const Vec3 open = open_side(parts_->scene.site);
  orbit.azimuth = std::atan2(open.y(), open.x()) - 0.25;
  orbit.elevation = 0.22;
  orbit.distance = 1.6 + 1.4 * std::hypot(site.x(), site.y());
  parts_->orbit = orbit;
}

void EmulationScene::set_ghost(bool on) { parts_->ghost = on; }
bool EmulationScene::ghost() const { return parts_->ghost; }

CameraView EmulationScene::Parts::host_view() const {
  CameraView view = camera_view(CameraKind::kFree, scene.host, {}, orbit);
  view.eye.z() = std::max(view.eye.z(), 0.1);
  view.near_m = 0.1;
  return view;
}

// Side view from the emulated machine's foot to the host.
CameraView EmulationScene::Parts::both_view() const {
  Vec3 low = poses.tip.p.cwiseMin(Vec3(-0.5, -0.5, 0.0)),
       high = poses.tip.p.cwiseMax(Vec3(0.5, 0.5, 1.4));
  const auto take = [&](const Vec3& p) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  };
  take(poses.emulated_base.p);
  // Space around a crane's swing axis.
  const double around = scene.emulated.arm ? 0.3 : 2.4;
  take(poses.emulated_base.p - Vec3(around, around, 0.0));
  take(poses.emulated_base.p + Vec3(around, around, 0.0));
  for (const BodyLook& body : scene.emulated.bodies) {
    const Pose& own = nth(poses.emulated, body.body);
    take(poses.emulated_base * own.p);
    if (body.has_end) take(poses.emulated_base * (own * body.end_B));
  }
  CameraView view;
  view.target = 0.5 * (low + high);
  view.fov_y = 0.6;
  const Vec3 open = open_side(scene.site);
  const Vec3 across_W(-open.y(), open.x(), 0.0);
  const Vec3 size = high - low;
  const double wide = std::abs(across_W.x()) * size.x() + std::abs(across_W.y()) * size.y() + 1.5;
  const double needed = std::max(size.z() + 1.0, wide / kBothAspect);
  view.eye = view.target +
             0.5 * needed / std::tan(0.5 * view.fov_y) * (open + 0.16 * Vec3::UnitZ()).normalized();
  view.near_m = 0.3;
  return view;
}

// On a plane it follows the peg; with the peg deep or high it shows at least its end.
CameraView EmulationScene::Parts::peg_view() const {
  const WorksiteLook& site = scene.site;
  const Vec3 tip_S = site.site_W.R.transpose() * (poses.tip.p - site.site_W.p);
  constexpr double kReach = 0.03, kDistance = 0.30;
  Vec3 target_S(0.0, 0.0, std::clamp(0.0, tip_S.z() - kReach, tip_S.z() + kReach));
  if (!site.hole || tip_S.head<2>().norm() > kReach) target_S.head<2>() = tip_S.head<2>();
  const double size = std::max({1.0, site.peg_radius / 0.02, site.hole ? site.depth / 0.05 : 0.0});
  CameraView view;
  view.target = site.site_W.p + site.site_W.R * target_S;
  const Vec3 up = -site.site_W.R.col(2);
  view.eye = view.target + size * kDistance * (0.93 * open_side(site) + 0.37 * up).normalized();
  view.fov_y = 0.47;
  view.near_m = 0.02;
  return view;
}

CameraView EmulationScene::view(Pane pane) const {
  switch (pane) {
    case Pane::kHost:
      return parts_->host_view();
    case Pane::kBoth:
      return parts_->both_view();
    case Pane::kPeg:
      return parts_->peg_view();
  }
  return {};
}

EmulationScene::Rectangle EmulationScene::rectangle(Pane pane, int scene_width, int height) {
  constexpr int kGap = 2;
  const int left = static_cast<int>(kLeftShare * scene_width);
  const int above = static_cast<int>(left / kBothAspect);
  switch (pane) {
    case Pane::kHost:
      return {left + kGap, 0, std::max(1, scene_width - left - kGap), height};
    case Pane::kBoth:
      return {0, height - above, left, above};
    case Pane::kPeg:
      return {0, 0, left, std::max(1, height - above - kGap)};
  }
  return {};
}

Vec3 EmulationScene::arrow_end_W(Pane pane) const {
  const Parts& p = *parts_;
  return p.poses.tip.p + p.arrow(pane == Pane::kPeg ? p.close_marks : p.marks);
}

const Pose& EmulationScene::site() const { return parts_->scene.site.site_W; }
Quality EmulationScene::quality() const { return parts_->quality; }
const std::vector<std::string>& EmulationScene::notes() const { return parts_->notes; }

}  // namespace knuckleboom::view
