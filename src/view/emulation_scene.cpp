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
#include "view/image.hpp"
#include "view/light.hpp"
#include "view/machine_scene.hpp"
#include "view/mesh_builder.hpp"
#include "view/render.hpp"
#include "view/shaders.hpp"
#include "view/textures.hpp"

namespace knuckleboom::view {
namespace {

// Traversals of a single pane; that of the host is kDecoration.
constexpr unsigned kCloseUp = 32U;
constexpr unsigned kFromAfar = 64U;
constexpr double kPlatform = 1.9;     // radius of the floor from afar [m]
constexpr double kRoomRadius = 14.0;  // m
constexpr Colour kRoom = {0.80, 0.83, 0.85};
constexpr double kRoomHaze = 9.0;  // m
constexpr Colour kGhost = {0.20, 0.46, 0.78, 0.42};
constexpr double kLeftShare = 0.44;    // of the scene's width
constexpr double kArrowRadius = 0.11;  // of the axes' length
constexpr double kBothAspect = 1.5;
constexpr Colour kForce = {0.93, 0.10, 0.45, 1.0};

// Arrows and axes of one frame, at its scale.
struct Marks {
  osg::ref_ptr<osg::Group> node = new osg::Group;
  osg::ref_ptr<osg::MatrixTransform> tip, target, shaft, head;
  double size;         // of the axes [m]
  double full_length;  // of the arrow at full force [m]
};

osg::Vec4f vec(const Colour& c) {
  return {static_cast<float>(c.r), static_cast<float>(c.g), static_cast<float>(c.b),
          static_cast<float>(c.a)};
}

// A rod along z with colours as if lit from the side: marks are unlit.
void add_rod(MeshBuilder& mesh, const Pose& pose, double length, double radius_a, double radius_b,
             const Colour& colour, bool dashed) {
  constexpr int kSides = 10;
  mesh.set_pose(pose);
  const int pieces = dashed ? 5 : 1;
  for (int i = 0; i < pieces; ++i) {
    const double from = length * i / pieces;
    const double to = length * (i + (dashed ? 0.6 : 1.0)) / pieces;
    for (int k = 0; k < kSides; ++k) {
      const double a = 2.0 * std::numbers::pi * k / kSides;
      const double b = 2.0 * std::numbers::pi * (k + 1) / kSides;
      Colour shade = (0.80 + 0.20 * std::cos(a - 0.9)) * colour;
      shade.a = colour.a;
      mesh.set_colour(shade);
      const Vec3 pa(std::cos(a), std::sin(a), 0.0), pb(std::cos(b), std::sin(b), 0.0);
      const Vec3 zf = from * Vec3::UnitZ(), zt = to * Vec3::UnitZ();
      mesh.quad(zf + radius_a * pa, zf + radius_a * pb, zt + radius_b * pb, zt + radius_b * pa);
    }
  }
}

Pose along(int axis) {
  Pose pose;
  pose.R.col(2) = Vec3::Unit(axis);
  pose.R.col(0) = Vec3::Unit((axis + 1) % 3);
  pose.R.col(1) = Vec3::Unit((axis + 2) % 3);
  return pose;
}

osg::ref_ptr<osg::MatrixTransform> axes(double size, bool dashed) {
  constexpr Colour kAxis[3] = {
      {0.90, 0.16, 0.12, 1.0}, {0.10, 0.66, 0.22, 1.0}, {0.12, 0.36, 0.95, 1.0}};
  MeshBuilder mesh;
  const double r = (dashed ? 0.022 : 0.036) * size;
  const double length = dashed ? 1.5 * size : size;
  for (int i = 0; i < 3; ++i) {
    Colour colour = kAxis[i];
    if (dashed) colour = mix(colour, {1.0, 1.0, 1.0, 1.0}, 0.25);
    add_rod(mesh, along(i), length, r, r, colour, dashed);
    Pose end = along(i);
    end.p = length * Vec3::Unit(i);
    add_rod(mesh, end, 5.0 * r, 2.6 * r, 0.0, colour, false);
  }
  osg::ref_ptr<osg::MatrixTransform> node = new osg::MatrixTransform;
  node->addChild(mesh.build());
  return node;
}

Marks make_marks(double size, double full_length, unsigned mask) {
  Marks marks;
  marks.size = size;
  marks.full_length = full_length;
  marks.tip = axes(size, false);
  marks.target = axes(size, true);
  marks.node->addChild(marks.target);
  marks.node->addChild(marks.tip);
  const double r = kArrowRadius * size;
  MeshBuilder shaft;
  add_rod(shaft, {}, 1.0, r, r, kForce, false);
  marks.shaft = new osg::MatrixTransform;
  marks.shaft->addChild(shaft.build());
  MeshBuilder head;
  add_rod(head, {}, 6.0 * r, 2.8 * r, 0.0, kForce, false);
  Pose back;
  back.R.col(1) = -Vec3::UnitY();
  back.R.col(2) = -Vec3::UnitZ();
  add_rod(head, back, 0.0001, 0.0, 2.8 * r, 0.8 * kForce, false);
  marks.head = new osg::MatrixTransform;
  marks.head->addChild(head.build());
  marks.node->addChild(marks.shaft);
  marks.node->addChild(marks.head);
  marks.node->setNodeMask(mask);
  return marks;
}

// A tiled floor that fades into the room; a round piece of it for the distant view.
osg::ref_ptr<osg::Node> build_floor(const QualitySettings& quality) {
  Image tile(128, 128, {1.0, 1.0, 1.0, 1.0});
  tile.fill([](double u, double v) -> Colour {
    const double edge = std::min(std::min(u, 1.0 - u), std::min(v, 1.0 - v));
    const double shade = edge < 0.012 ? 0.74 : 1.0;
    return {shade, shade, shade, 0.35};
  });
  constexpr Colour kFloor = {0.60, 0.62, 0.64, 0.22};
  MeshBuilder room;
  room.set_colour(kFloor);
  const auto corner = [](MeshBuilder& mesh, double x, double y) {
    return mesh.vertex({x, y, 0.0}, Vec3::UnitZ(), 2.0 * x, 2.0 * y);
  };
  const int half = static_cast<int>(kRoomRadius);
  for (int x = -half; x < half; ++x)
    for (int y = -half; y < half; ++y) {
      if (std::hypot(x + 0.5, y + 0.5) > kRoomRadius) continue;
      const unsigned a = corner(room, x, y), b = corner(room, x + 1, y),
                     c = corner(room, x + 1, y + 1), d = corner(room, x, y + 1);
      room.index(a, b, c);
      room.index(a, c, d);
    }
  MeshBuilder platform;
  platform.set_colour(kFloor);
  constexpr int kSides = 48;
  const unsigned middle = corner(platform, 0.0, 0.0);
  for (int k = 0; k <= kSides; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / kSides;
    corner(platform, kPlatform * std::cos(angle), kPlatform * std::sin(angle));
    const auto v = middle + static_cast<unsigned>(k);
    if (k > 0) platform.index(middle, v, v + 1);
  }
  platform.set_colour(0.6 * kFloor);
  platform.cylinder({0.0, 0.0, -0.08}, {0.0, 0.0, -0.001}, kPlatform, kPlatform, false, kSides);
  auto state = solid_state(quality, tile.texture(true));
  state->setRenderBinDetails(static_cast<int>(Layer::kGround), "RenderBin");
  osg::ref_ptr<osg::Group> both = new osg::Group;
  both->setStateSet(state);
  add_layer(*both, nullptr, kDecoration)->addChild(room.build());
  add_layer(*both, nullptr, kFromAfar)->addChild(platform.build());
  return both;
}

FramePoses frame_poses(const std::array<Pose, kMaxLinks>& bodies) {
  FramePoses poses;
  poses.body = bodies;
  return poses;
}

}  // namespace

double full_force(double largest_N) {
  double full = 10.0;
  for (int step = 0; full < largest_N && step < 30; ++step) full *= step % 3 == 1 ? 2.5 : 2.0;
  return full;
}

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
  state.addUniform(new osg::Uniform(
      "u_haze", osg::Vec3f(static_cast<float>(kRoom.r), static_cast<float>(kRoom.g),
                           static_cast<float>(kRoom.b))));
  state.addUniform(new osg::Uniform("u_haze_length", static_cast<float>(kRoomHaze)));
  state.addUniform(new osg::Uniform("u_tint", osg::Vec4f(1.0F, 1.0F, 1.0F, 1.0F)));

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
  ghost_node = as_ghost(*emulated_base, vec(kGhost));
  root->addChild(ghost_node);

  osg::ref_ptr<osg::Group> overlay = new osg::Group;
  overlay->setStateSet(plain_state(true));
  marks = make_marks(0.13, 0.45, kDecoration);
  close_marks = make_marks(0.022, 0.036, kCloseUp);
  overlay->addChild(marks.node);
  overlay->addChild(close_marks.node);
  root->addChild(overlay);

  embedded = embed(*root, vec(kRoom));
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    const auto pane = static_cast<Pane>(i);
    if (pane == Pane::kHost) {
      cameras[i] = embedded.viewer->getCamera();
    } else {
      cameras[i] = add_inset(*root, static_cast<int>(i));
      cameras[i]->setClearColor(vec(kRoom));
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
  const Vec3 a = arrow(m);
  const double length = a.norm();
  const bool seen = length > 0.02 * m.full_length;
  m.shaft->setNodeMask(seen ? ~0U : 0U);
  m.head->setNodeMask(seen ? ~0U : 0U);
  if (!seen) return;
  Pose pose;
  pose.R.col(2) = a / length;
  pose.R.col(0) = across(a);
  pose.R.col(1) = pose.R.col(2).cross(pose.R.col(0));
  pose.p = poses.tip.p;
  const double head = 6.0 * kArrowRadius * m.size;
  const double scale = std::min(1.0, length / head);
  const double shaft = std::max(1e-6, length - head * scale);
  m.shaft->setMatrix(osg::Matrixd::scale(scale, scale, shaft) * to_osg(pose));
  pose.p += shaft * pose.R.col(2);
  m.head->setMatrix(osg::Matrixd::scale(scale, scale, scale) * to_osg(pose));
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
