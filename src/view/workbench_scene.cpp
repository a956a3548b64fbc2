#include "view/workbench_scene.hpp"

#include <algorithm>
#include <cmath>

#include <osg/GL>
#include <osg/MatrixTransform>
#include <osg/Uniform>
#include <osgViewer/GraphicsWindow>

#include "knuckleboom/core/math/arrays.hpp"
#include "view/light.hpp"
#include "view/machine_scene.hpp"
#include "view/render.hpp"
#include "view/room.hpp"
#include "view/shaders.hpp"
#include "view/textures.hpp"

namespace knuckleboom::view {
namespace {

constexpr int kMostArrows = 48;
constexpr double kArrowShare = 0.22;       // length of a full arrow, of the machine's size
constexpr double kArrowThickness = 0.006;  // of the machine's size
constexpr double kLeastArrow = 0.02;       // of a full one
constexpr Colour kMarkColour[kForceMarks] = {
    kForceColour, {0.05, 0.48, 0.75, 1.0}, {0.96, 0.55, 0.05, 1.0}};

}  // namespace

struct WorkbenchScene::Parts {
  Parts(const MachineLook& machine, double size_m, const Vec3& middle, double floor,
        const std::filesystem::path& assets, Quality quality, bool software);

  MachineLook look;
  double size;
  Vec3 middle_W;
  double floor_z;
  QualitySettings settings;
  std::vector<std::string> notes;
  osg::ref_ptr<osg::Group> root = new osg::Group;
  osg::ref_ptr<osg::Group> world = new osg::Group;
  osg::ref_ptr<osg::Group> overlay = new osg::Group;
  osg::ref_ptr<osg::Uniform> to_world;
  std::unique_ptr<MachineScene> machine_scene;
  std::vector<ForceArrow> arrows[kForceMarks];
  EmbeddedViewer embedded;
  Orbit orbit;
  double full[kForceMarks] = {10.0, 10.0, 10.0};
  int width = 0, height = 0;
};

WorkbenchScene::Parts::Parts(const MachineLook& machine, double size_m, const Vec3& middle,
                             double floor, const std::filesystem::path& assets, Quality wanted,
                             bool software)
    : look(machine),
      size(size_m),
      middle_W(middle),
      floor_z(floor),
      settings(view::settings(resolve(wanted, software))) {
  settings.shadow_reach = std::clamp(1.3 * size, 0.8, 13.0);
  settings.shadow_size = std::max(settings.shadow_size, 1024);
  settings.detail = std::max(settings.detail, 1.0);
  osg::StateSet& state = *root->getOrCreateStateSet();
  add_light(state);
  add_room_air(state);
  state.addUniform(new osg::Uniform("u_haze_length", static_cast<float>(std::max(9.0, 6.0 * size))),
                   osg::StateAttribute::ON);
  const auto steel = solid_state(settings, paint_wear(512).texture(true));
  const MachineStates solid{steel, glass_state(), settings};
  machine_scene = std::make_unique<MachineScene>(look, assets, solid, notes);
  world->addChild(machine_scene->node());
  osg::ref_ptr<osg::MatrixTransform> ground = new osg::MatrixTransform;
  ground->setMatrix(osg::Matrixd::translate(0.0, 0.0, floor_z));
  ground->addChild(build_floor(settings, size > 3.0 ? 2.0 : 1.0));
  world->addChild(ground);
  root->addChild(world);
  ShadowReach reach;
  reach.centre = middle_W;
  reach.radius = settings.shadow_reach;
  reach.sun_distance = std::max(12.0, 3.0 * size);
  reach.normal_offset = 0.002 * std::max(1.0, size);
  add_shadow(settings, reach, *root, *world);

  overlay->setStateSet(plain_state(true));
  for (int mark = 0; mark < kForceMarks; ++mark)
    for (int i = 0; i < kMostArrows; ++i) {
      arrows[mark].emplace_back(kArrowThickness * size, kMarkColour[mark]);
      overlay->addChild(arrows[mark].back().node());
    }
  root->addChild(overlay);
  embedded = embed(*root, room_colour(kRoom));
  osg::Camera* const camera = embedded.viewer->getCamera();
  camera->setCullMask(kSeen | kDecoration | kCabOutside);
  to_world = new osg::Uniform("u_view_to_world", osg::Matrixf::identity());
  camera->getOrCreateStateSet()->addUniform(to_world);
  embedded.viewer->realize();
}

WorkbenchScene::WorkbenchScene(const MachineLook& machine, double size, const Vec3& middle_W,
                               double floor_z, const std::filesystem::path& assets, Quality quality,
                               bool software_renderer)
    : parts_(std::make_unique<Parts>(machine, size, middle_W, floor_z, assets, quality,
                                     software_renderer)) {
  home();
}

WorkbenchScene::~WorkbenchScene() = default;

void WorkbenchScene::show(const WorkbenchPoses& poses) {
  Parts& p = *parts_;
  p.machine_scene->pose(poses.bodies);
  int used[kForceMarks] = {};
  for (const ForceLook& force : poses.forces)
    p.full[static_cast<int>(force.mark)] =
        std::max(p.full[static_cast<int>(force.mark)], full_force(force.force_W.norm()));
  const double length = kArrowShare * p.size;
  for (const ForceLook& force : poses.forces) {
    const int mark = static_cast<int>(force.mark);
    if (used[mark] == kMostArrows) continue;
    nth(p.arrows[mark], used[mark]++)
        .pose(force.p_W, length / p.full[mark] * force.force_W, kLeastArrow * length);
  }
  for (int mark = 0; mark < kForceMarks; ++mark)
    for (int i = used[mark]; i < kMostArrows; ++i)
      nth(p.arrows[mark], i).pose(Vec3::Zero(), Vec3::Zero(), 1.0);
}

void WorkbenchScene::frame(int width, int height, int scene_width) {
  Parts& p = *parts_;
  if (width != p.width || height != p.height) {
    p.embedded.window->resized(0, 0, width, height);
    p.embedded.window->getEventQueue()->windowResize(0, 0, width, height);
    p.width = width;
    p.height = height;
  }
  osg::Camera* const camera = p.embedded.viewer->getCamera();
  camera->setViewport(0, 0, scene_width, height);
  look_through(*camera, view(), scene_width, height, *p.to_world);
  p.embedded.viewer->frame();
  glFinish();  // frames must not queue up
}

Orbit& WorkbenchScene::orbit() { return parts_->orbit; }

void WorkbenchScene::home() {
  Orbit orbit;
  orbit.target = parts_->middle_W;
  orbit.azimuth = -1.1;
  orbit.elevation = 0.28;
  orbit.distance = 2.4 * parts_->size;
  parts_->orbit = orbit;
}

void WorkbenchScene::set_forces(bool on) { parts_->overlay->setNodeMask(on ? ~0U : 0U); }
bool WorkbenchScene::forces() const { return parts_->overlay->getNodeMask() != 0U; }

CameraView WorkbenchScene::view() const {
  CameraView view = camera_view(CameraKind::kFree, parts_->look, {}, parts_->orbit);
  view.eye.z() = std::max(view.eye.z(), parts_->floor_z + 0.05);
  view.near_m = std::clamp(0.02 * parts_->orbit.distance, 0.01, 0.2);
  return view;
}

double WorkbenchScene::full(ForceMark mark) const { return parts_->full[static_cast<int>(mark)]; }

Vec3 WorkbenchScene::end_W(const ForceLook& force) const {
  return force.p_W + kArrowShare * parts_->size / full(force.mark) * force.force_W;
}

const std::vector<std::string>& WorkbenchScene::notes() const { return parts_->notes; }

}  // namespace knuckleboom::view
