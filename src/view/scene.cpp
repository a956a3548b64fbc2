#include "view/scene.hpp"

#include <algorithm>
#include <cmath>

#include <osg/Camera>
#include <osg/GL>
#include <osg/Group>
#include <osg/Uniform>
#include <osgUtil/Statistics>
#include <osgViewer/GraphicsWindow>
#include <osgViewer/Renderer>
#include <osgViewer/Viewer>

#include "view/forest.hpp"
#include "view/light.hpp"
#include "view/logs.hpp"
#include "view/machine_scene.hpp"
#include "view/overlays.hpp"
#include "view/render.hpp"
#include "view/shaders.hpp"
#include "view/terrain.hpp"
#include "view/textures.hpp"
#include "view/visitors.hpp"

namespace knuckleboom::view {
namespace {

const osg::Vec4 kGhostTint(0.30F, 0.72F, 1.0F, 0.48F);

constexpr unsigned kFromOutside = kSeen | kCabOutside;

}  // namespace

struct Scene::Parts {
  Parts(const SceneDescription& description, Quality quality, bool software);

  void build_inset();
  void build_viewer();

  SceneDescription scene;
  Quality quality;
  QualitySettings settings;
  std::vector<std::string> notes;
  osg::ref_ptr<osg::Group> root = new osg::Group;
  osg::ref_ptr<osg::Group> world = new osg::Group;
  osg::ref_ptr<osg::Uniform> main_to_world, inset_to_world, time;
  std::unique_ptr<MachineScene> machine;
  std::unique_ptr<MachineScene> ghost;  // null: none has been shown yet
  osg::ref_ptr<osg::Group> ghost_node;
  std::unique_ptr<Logs> logs;
  std::unique_ptr<Visitors> visitors;
  FelledTrees felled;
  std::unique_ptr<Overlays> overlays;
  osg::ref_ptr<osg::Camera> frame_camera, inset_camera;
  osg::ref_ptr<osgViewer::Viewer> viewer;
  osg::ref_ptr<osgViewer::GraphicsWindowEmbedded> window;
  CameraKind camera = CameraKind::kCab;
  Orbit orbit;
  FramePoses poses;
  int width = 0, height = 0;
};

Scene::Parts::Parts(const SceneDescription& description, Quality wanted, bool software)
    : scene(description), quality(resolve(wanted, software)), settings(view::settings(quality)) {
  osg::StateSet& state = *root->getOrCreateStateSet();
  add_light(state);
  time = new osg::Uniform("u_time", 0.0F);
  state.addUniform(time);
  main_to_world = new osg::Uniform("u_view_to_world", osg::Matrixf::identity());
  inset_to_world = new osg::Uniform("u_view_to_world", osg::Matrixf::identity());

  const auto wear = paint_wear(512).texture(true);
  const auto bark = paint_bark(256).texture(true);
  const auto log_end = paint_log_end(256).texture(false);
  const auto foliage = paint_foliage(settings.foliage_texture).texture(false, true);
  const auto steel = solid_state(settings, wear);
  const auto wood = solid_state(settings, bark);
  const ForestPlan plan = plan_forest(scene, settings);
  TrackGauge tracks;
  const UndercarriageShape undercarriage = undercarriage_of(scene.machine);
  tracks.centre = 0.5 * undercarriage.gauge;
  tracks.width = undercarriage.shoe;
  tracks.length = undercarriage.length;

  machine = std::make_unique<MachineScene>(scene.machine, scene.assets,
                                           MachineStates{steel, glass_state(), settings}, notes);
  logs = std::make_unique<Logs>(
      scene, LogStates{wood, solid_state(settings, log_end), steel, settings.detail});
  visitors = std::make_unique<Visitors>(scene, steel, settings.detail);
  overlays = std::make_unique<Overlays>(scene);
  world->addChild(machine->node());
  world->addChild(logs->node());
  world->addChild(visitors->node());
  world->addChild(build_terrain(scene, plan, tracks, settings));
  world->addChild(
      build_forest(scene, plan, settings, {foliage_state(foliage), wood, steel}, felled));
  world->addChild(build_sky());
  world->addChild(overlays->node());
  root->addChild(world);
  if (settings.shadow_size > 0) {
    // Around the machine, which is stationary.
    ShadowReach reach;
    reach.radius = settings.shadow_reach;
    add_shadow(settings, reach, *root, *world);
  }
  build_inset();
  build_viewer();
}

void Scene::Parts::build_inset() {
  frame_camera = add_inset(*root, 0);
  frame_camera->setClearColor(osg::Vec4(0.05F, 0.06F, 0.06F, 1.0F));
  inset_camera = add_inset(*root, 1);
  inset_camera->setCullMask(kFromOutside);
  inset_camera->getOrCreateStateSet()->addUniform(inset_to_world);
  inset_camera->addChild(world);
}

void Scene::Parts::build_viewer() {
  const EmbeddedViewer embedded =
      embed(*root, osg::Vec4(static_cast<float>(kHaze.r), static_cast<float>(kHaze.g),
                             static_cast<float>(kHaze.b), 1.0F));
  viewer = embedded.viewer;
  window = embedded.window;
  viewer->getCamera()->getOrCreateStateSet()->addUniform(main_to_world);
  viewer->realize();
}

Scene::Scene(const SceneDescription& description, Quality quality, bool software_renderer)
    : parts_(std::make_unique<Parts>(description, quality, software_renderer)) {}

Scene::~Scene() = default;

void Scene::show(const training::SessionSnapshot& before, const training::SessionSnapshot& after,
                 double alpha) {
  parts_->poses = interpolate(before, after, alpha);
  parts_->machine->pose(parts_->poses);
  parts_->logs->pose(parts_->poses);
  parts_->visitors->pose(parts_->poses);
  parts_->felled.pose(parts_->poses);
  parts_->overlays->pose(parts_->poses);
  parts_->time->set(static_cast<float>(std::fmod(parts_->poses.t_s, 3600.0)));
}

void Scene::show_ghost(const training::SessionSnapshot& before,
                       const training::SessionSnapshot& after, double alpha) {
  Parts& p = *parts_;
  if (!p.ghost) {
    QualitySettings coarse = p.settings;
    coarse.detail = 0.5;
    std::vector<std::string> known;  // told by the machine itself
    p.ghost =
        std::make_unique<MachineScene>(p.scene.machine, p.scene.assets,
                                       MachineStates{ghost_state(), glass_state(), coarse}, known);
    p.ghost->show_crane_only();
    // After the overlays: its depth would hide the targets behind it.
    p.ghost_node = as_ghost(*p.ghost->node(), kGhostTint, static_cast<int>(Layer::kOverlay) + 2);
    p.root->addChild(p.ghost_node);
  }
  p.ghost_node->setNodeMask(kDecoration);
  p.ghost->pose(interpolate(before, after, alpha));
}

void Scene::hide_ghost() {
  if (parts_->ghost_node != nullptr) parts_->ghost_node->setNodeMask(0);
}

void Scene::frame(int width, int height) {
  Parts& p = *parts_;
  osg::Camera& main = *p.viewer->getCamera();
  if (width != p.width || height != p.height) {
    p.window->resized(0, 0, width, height);
    p.window->getEventQueue()->windowResize(0, 0, width, height);
    main.setViewport(0, 0, width, height);
    const Rectangle r = inset_rectangle(width, height);
    p.inset_camera->setViewport(r.x, r.y, r.width, r.height);
    constexpr int kBorder = 3;
    p.frame_camera->setViewport(r.x - kBorder, r.y - kBorder, r.width + 2 * kBorder,
                                r.height + 2 * kBorder);
    p.width = width;
    p.height = height;
  }
  main.setCullMask(p.camera == CameraKind::kCab ? kSeen | kDecoration | kCabInside
                                                : kFromOutside | kDecoration);
  look_through(main, view(), width, height, *p.main_to_world);
  const Rectangle r = inset_rectangle(width, height);
  look_through(*p.inset_camera, inset_view(), r.width, r.height, *p.inset_to_world);
  const unsigned inset = p.overlays->settings().inset && p.camera != CameraKind::kTip ? ~0U : 0U;
  p.inset_camera->setNodeMask(inset);
  p.frame_camera->setNodeMask(inset);
  p.viewer->frame(p.poses.t_s);
  // Frames must not queue up: the view would lag behind the levers.
  glFinish();
}

void Scene::set_camera(CameraKind kind) { parts_->camera = kind; }
CameraKind Scene::camera() const { return parts_->camera; }
Orbit& Scene::orbit() { return parts_->orbit; }
void Scene::set_overlays(const OverlaySettings& settings) { parts_->overlays->set(settings); }
const OverlaySettings& Scene::overlays() const { return parts_->overlays->settings(); }

// The eye stays above the ground.
CameraView Scene::view_of(CameraKind kind) const {
  CameraView view = camera_view(kind, parts_->scene.machine, parts_->poses, parts_->orbit);
  const double lowest = surface_height(parts_->scene.ground, view.eye.x(), view.eye.y()) + 0.35;
  view.eye.z() = std::max(view.eye.z(), lowest);
  return view;
}
CameraView Scene::view() const { return view_of(parts_->camera); }
CameraView Scene::inset_view() const { return view_of(CameraKind::kTip); }

Scene::Rectangle Scene::inset_rectangle(int, int height) {
  const int h = std::max(80, static_cast<int>(0.30 * height));
  const int w = static_cast<int>(1.25 * h);
  const int margin = std::max(8, height / 60);
  // In the lower left corner, above the line of the instruments.
  return {margin, height / 30 + margin, w, h};
}

Quality Scene::quality() const { return parts_->quality; }
const std::vector<std::string>& Scene::notes() const { return parts_->notes; }

SceneStatistics Scene::statistics() const {
  SceneStatistics statistics;
  auto* renderer = dynamic_cast<osgViewer::Renderer*>(parts_->viewer->getCamera()->getRenderer());
  if (renderer == nullptr) return statistics;
  osgUtil::Statistics osg_statistics;
  for (unsigned i = 0; i < 2; ++i) {
    osg_statistics.reset();
    osgUtil::SceneView* scene_view = renderer->getSceneView(i);
    if (scene_view == nullptr || !scene_view->getStats(osg_statistics)) continue;
    if (osg_statistics.numDrawables + osg_statistics.numFastDrawables <= statistics.draw_calls)
      continue;
    statistics.draw_calls = osg_statistics.numDrawables + osg_statistics.numFastDrawables;
    statistics.vertices = static_cast<int>(osg_statistics._vertexCount);
    int triangles = 0;
    for (const auto& [mode, count] : osg_statistics.getPrimitiveCountMap())
      if (mode == GL_TRIANGLES) triangles += static_cast<int>(count);
    statistics.triangles = triangles;
  }
  return statistics;
}

}  // namespace knuckleboom::view
