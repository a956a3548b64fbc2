#include "view/overlays.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include <osg/LineWidth>

#include "view/shaders.hpp"
#include "view/terrain.hpp"
#include "view/turn.hpp"

namespace knuckleboom::view {
namespace {

constexpr int kTrailPoints = 400;
constexpr double kTrailStep = 0.025;  // s

constexpr double kHaloBar = 0.016;  // m, radius
constexpr int kHaloBars = 4;

constexpr Colour kBright = {1.0, 0.50, 0.05, 0.55};
constexpr Colour kCalm = {0.15, 0.80, 1.0, 0.80};

osg::Vec4f tint(double r, double g, double b, double a) {
  return {static_cast<float>(r), static_cast<float>(g), static_cast<float>(b),
          static_cast<float>(a)};
}

// A ball with colours as if lit from above: overlays are unlit.
void add_ball(MeshBuilder& mesh, double radius, const Colour& colour, int sides = 20) {
  const int rings = sides / 2;
  for (int i = 0; i <= rings; ++i) {
    const double polar = std::numbers::pi * i / rings;
    for (int k = 0; k <= sides; ++k) {
      const double angle = kTwoPi * k / sides;
      const Vec3 out(std::sin(polar) * std::cos(angle), std::sin(polar) * std::sin(angle),
                     std::cos(polar));
      mesh.set_colour((0.72 + 0.34 * out.z()) * colour);
      mesh.vertex(radius * out, out, 0.0, 0.0);
    }
  }
  const auto ring = static_cast<unsigned>(sides) + 1U;
  for (unsigned i = 0; i < static_cast<unsigned>(rings); ++i)
    for (unsigned k = 0; k + 1 < ring; ++k) {
      const unsigned v = i * ring + k;
      mesh.index(v, v + ring, v + ring + 1);
      mesh.index(v, v + ring + 1, v + 1);
    }
}

std::vector<Vec3> circle(double radius, const Vec3& normal, int sides = 40) {
  const Mat3 R = frame_from_x(normal, across(normal));
  std::vector<Vec3> path;
  for (int k = 0; k <= sides; ++k) {
    const double angle = kTwoPi * k / sides;
    path.emplace_back(radius * (std::cos(angle) * R.col(1) + std::sin(angle) * R.col(2)));
  }
  return path;
}

osg::ref_ptr<osg::MatrixTransform> placed(const Vec3& p) {
  osg::ref_ptr<osg::MatrixTransform> transform = new osg::MatrixTransform;
  transform->setMatrix(to_osg(Pose{Mat3::Identity(), p}));
  return transform;
}

}  // namespace

Overlays::Overlays(const SceneDescription& scene)
    : ground_(scene.ground),
      looks_(scene.targets),
      root_(new osg::Group),
      meant_logs_(scene.meant_logs) {
  root_->setNodeMask(kSeen);
  root_->setStateSet(plain_state(false));
  root_->getOrCreateStateSet()->addUniform(
      new osg::Uniform("u_tint", osg::Vec4f(1.0F, 1.0F, 1.0F, 1.0F)));
  const auto child = [this] {
    osg::ref_ptr<osg::Group> group = new osg::Group;
    root_->addChild(group);
    return group;
  };
  targets_node_ = child();
  path_node_ = child();
  drop_node_ = child();
  trail_node_ = child();
  build_targets(scene);
  build_places(scene);
  build_halos(scene);
  build_path(scene);
  build_lines();
  set(settings_);
}

void Overlays::set(const OverlaySettings& settings) {
  settings_ = settings;
  const auto show = [](osg::Group& group, bool on) { group.setNodeMask(on ? ~0U : 0U); };
  show(*targets_node_, settings.targets);
  show(*path_node_, settings.path);
  show(*drop_node_, settings.drop_line);
  show(*trail_node_, settings.trail);
}

void Overlays::build_targets(const SceneDescription& scene) {
  for (const TargetLook& look : scene.targets) {
    Target target;
    target.node = new osg::Group;
    target.tint = new osg::Uniform("u_tint", osg::Vec4f(1.0F, 1.0F, 1.0F, 1.0F));
    target.node->getOrCreateStateSet()->addUniform(target.tint);
    const auto place = placed(look.p_W);
    if (look.shape != TargetShape::kPathPoint) {
      MeshBuilder ball;
      add_ball(ball, look.shape == TargetShape::kBall ? look.radius : 0.5 * look.radius, kBright);
      place->addChild(ball.build());
      // Rings are visible against leaves from any side; the second is perpendicular to the required
      // direction.
      MeshBuilder rings;
      rings.set_colour({1.0, 1.0, 1.0, 0.95});
      const double r = look.radius;
      rings.tube(circle(1.04 * r, look.axis_W), 0.035 * r + 0.008, 6);
      if (look.shape == TargetShape::kBall) {
        rings.tube(circle(1.04 * r, Vec3::UnitX()), 0.02 * r + 0.006, 6);
        rings.tube(circle(1.04 * r, Vec3::UnitY()), 0.02 * r + 0.006, 6);
      } else {
        rings.set_colour(kCalm);
        const Vec3 half = 2.2 * r * look.axis_W;
        rings.cylinder(-half, half, 0.025, 0.025);
        rings.cylinder(half, 1.25 * half, 0.08, 0.0);
        rings.cylinder(-half, -1.25 * half, 0.08, 0.0);
      }
      place->addChild(rings.build());
      // A thin post shows its position above the ground.
      MeshBuilder post;
      post.set_colour({1.0, 1.0, 1.0, 0.35});
      const double below = look.p_W.z() - surface_height(ground_, look.p_W.x(), look.p_W.y());
      if (below > r) {
        post.cylinder({0.0, 0.0, -r}, {0.0, 0.0, -below}, 0.010, 0.010, false, 6);
        const auto foot = circle(0.22, Vec3::UnitZ(), 24);
        std::vector<Vec3> on_ground;
        for (const Vec3& p : foot) on_ground.push_back(p + Vec3(0.0, 0.0, 0.03 - below));
        post.tube(on_ground, 0.014, 5);
        place->addChild(post.build());
      }
    }
    target.node->addChild(place);
    targets_node_->addChild(target.node);
    targets_.push_back(target);
  }
  // Arrow that points down at a log or a bunk.
  marker_ = new osg::MatrixTransform;
  MeshBuilder arrow;
  arrow.set_colour({1.0, 0.55, 0.05, 0.95});
  arrow.cylinder({0.0, 0.0, 0.32}, Vec3::Zero(), 0.17, 0.0, true, 14);
  arrow.set_colour({1.0, 0.75, 0.20, 0.95});
  arrow.cylinder({0.0, 0.0, 0.75}, {0.0, 0.0, 0.32}, 0.065, 0.065, true, 10);
  marker_->addChild(arrow.build());
  targets_node_->addChild(marker_);
}

void Overlays::build_places(const SceneDescription& scene) {
  for (const PlaceLook& look : scene.places) {
    MeshBuilder outline;
    outline.set_colour(look.colour == 1   ? Colour{1.0, 0.25, 0.15, 0.85}
                       : look.colour == 2 ? Colour{0.25, 0.55, 1.0, 0.85}
                                          : Colour{1.0, 0.95, 0.75, 0.85});
    const Vec3 half = 0.5 * look.length * look.along_W;
    const Vec3 side = 0.5 * look.width * Vec3::UnitZ().cross(look.along_W);
    outline.tube({half + side, half - side, -half - side, -half + side, half + side}, 0.02, 6);
    const auto place = placed(look.p_W + Vec3(0.0, 0.0, 0.03));
    place->addChild(outline.build());
    targets_node_->addChild(place);
  }
}

// Bars along a log and rings at its ends: seen on that log and on no other, from wherever.
void Overlays::build_halos(const SceneDescription& scene) {
  halos_.resize(scene.world.logs.size());
  for (const int meant : scene.meant_logs) {
    const auto index = static_cast<std::size_t>(meant);
    if (meant < 0 || index >= halos_.size() || halos_[index].valid()) continue;
    const world::Log& log = scene.world.logs[index];
    MeshBuilder mesh;
    mesh.set_colour({1.0, 0.72, 0.15, 0.95});
    const double out = 1.12 * log.radius + 0.015, half = 0.5 * log.length;
    for (const double side : {-1.0, 1.0}) {
      std::vector<Vec3> ring = circle(out, Vec3::UnitX(), 24);
      for (Vec3& p : ring) p.x() += side * half;
      mesh.tube(ring, kHaloBar, 6);
    }
    for (int k = 0; k < kHaloBars; ++k) {
      const double angle = kTwoPi * (k + 0.5) / kHaloBars;
      const Vec3 beside(0.0, out * std::cos(angle), out * std::sin(angle));
      mesh.cylinder(beside - half * Vec3::UnitX(), beside + half * Vec3::UnitX(), kHaloBar,
                    kHaloBar, false, 6);
    }
    halos_[index] = new osg::MatrixTransform;
    halos_[index]->addChild(mesh.build());
    targets_node_->addChild(halos_[index]);
  }
}

void Overlays::build_path(const SceneDescription& scene) {
  std::vector<Vec3> points;
  for (const TargetLook& look : scene.targets)
    if (look.shape == TargetShape::kPathPoint) points.push_back(look.p_W);
  ghost_ = new osg::MatrixTransform;
  if (points.size() < 2) return;
  MeshBuilder line;
  line.set_colour({0.10, 0.85, 1.0, 0.85});
  line.tube(points, 0.022, 8);
  // Posts and a shadow line show its height above the ground.
  std::vector<Vec3> below;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const int pieces = std::max(1, static_cast<int>((points[i + 1] - points[i]).norm() / 0.4));
    for (int k = 0; k < pieces; ++k) {
      Vec3 p = points[i] + (points[i + 1] - points[i]) * k / pieces;
      p.z() = surface_height(ground_, p.x(), p.y()) + 0.03;
      below.push_back(p);
    }
  }
  line.set_colour({0.05, 0.25, 0.35, 0.55});
  line.tube(below, 0.015, 5);
  line.set_colour({0.6, 0.95, 1.0, 0.30});
  const std::size_t step = std::max<std::size_t>(1, points.size() / 10);
  for (std::size_t i = 0; i < points.size(); i += step) {
    Vec3 foot = points[i];
    foot.z() = surface_height(ground_, foot.x(), foot.y());
    line.cylinder(foot, points[i], 0.008, 0.008, false, 5);
  }
  path_node_->addChild(line.build());
  MeshBuilder ghost;
  add_ball(ghost, 0.14, {0.25, 0.95, 1.0, 0.75}, 16);
  ghost_->addChild(ghost.build());
  path_node_->addChild(ghost_);
}

void Overlays::build_lines() {
  // One metre long; scaled to the height of the tip.
  drop_line_ = new osg::MatrixTransform;
  MeshBuilder line;
  line.set_colour({1.0, 0.95, 0.35, 0.75});
  line.cylinder(Vec3::Zero(), {0.0, 0.0, 1.0}, 0.010, 0.010, false, 6);
  drop_line_->addChild(line.build());
  drop_node_->addChild(drop_line_);
  drop_mark_ = new osg::MatrixTransform;
  MeshBuilder mark;
  mark.set_colour({1.0, 0.95, 0.35, 0.85});
  mark.tube(circle(0.25, Vec3::UnitZ(), 32), 0.016, 6);
  mark.cylinder({-0.34, 0.0, 0.0}, {-0.16, 0.0, 0.0}, 0.012, 0.012, false, 6);
  mark.cylinder({0.16, 0.0, 0.0}, {0.34, 0.0, 0.0}, 0.012, 0.012, false, 6);
  mark.cylinder({0.0, -0.34, 0.0}, {0.0, -0.16, 0.0}, 0.012, 0.012, false, 6);
  mark.cylinder({0.0, 0.16, 0.0}, {0.0, 0.34, 0.0}, 0.012, 0.012, false, 6);
  drop_mark_->addChild(mark.build());
  drop_node_->addChild(drop_mark_);

  trail_ = new osg::Geometry;
  trail_->setUseDisplayList(false);
  trail_->setUseVertexBufferObjects(true);
  trail_->setDataVariance(osg::Object::DYNAMIC);
  trail_->setCullingActive(false);
  trail_->setVertexArray(new osg::Vec3Array(kTrailPoints));
  trail_->setColorArray(new osg::Vec4Array(kTrailPoints), osg::Array::BIND_PER_VERTEX);
  trail_->addPrimitiveSet(new osg::DrawArrays(GL_LINE_STRIP, 0, 0));
  trail_->getOrCreateStateSet()->setAttributeAndModes(new osg::LineWidth(3.0F));
  trail_node_->addChild(trail_);
}

void Overlays::pose(const FramePoses& poses) {
  pose_targets(poses);
  const double ground = surface_height(ground_, poses.tip_W.x(), poses.tip_W.y());
  const double height = poses.tip_W.z() - ground;
  const Vec3 foot(poses.tip_W.x(), poses.tip_W.y(), ground);
  drop_line_->setMatrix(osg::Matrixd::scale(1.0, 1.0, std::max(0.0, height)) *
                        to_osg(Pose{Mat3::Identity(), foot}));
  drop_mark_->setMatrix(to_osg(Pose{Mat3::Identity(), foot + Vec3(0.0, 0.0, 0.04)}));
  pose_trail(poses);
}

void Overlays::pose_targets(const FramePoses& poses) {
  const training::TaskSnapshot& task = poses.task;
  const bool open =
      task.phase == training::TaskPhase::kReady || task.phase == training::TaskPhase::kRunning;
  const double beat = 0.5 + 0.5 * std::sin(kTwoPi * 0.8 * poses.t_s);
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const int index = static_cast<int>(i);
    const int current = open ? task.target : -1;
    if (index == current)
      targets_[i].tint->set(tint(1.0, 1.0 + 0.25 * beat, 1.0, 1.0 + 0.5 * beat));
    else if (index < task.step || !open)
      targets_[i].tint->set(tint(0.25, 0.9, 0.5, 0.22));
    else if (index == current + 1)
      targets_[i].tint->set(tint(0.75, 0.9, 1.2, 0.50));
    else
      targets_[i].tint->set(tint(0.6, 0.7, 0.8, 0.22));
  }
  const Vec3 wanted(task.target_W[0], task.target_W[1], task.target_W[2]);
  ghost_->setMatrix(to_osg(Pose{Mat3::Identity(), wanted}));
  ghost_->setNodeMask(open && task.target >= 0 ? ~0U : 0U);
  const auto meant = static_cast<std::size_t>(task.target);
  const int log = open && task.target >= 0 && meant < meant_logs_.size() ? meant_logs_[meant] : -1;
  for (std::size_t i = 0; i < halos_.size(); ++i) {
    if (!halos_[i].valid()) continue;
    // Held, it needs no mark, and nothing may hide the jaws.
    const bool shown = static_cast<int>(i) == log && log != poses.held_log;
    halos_[i]->setNodeMask(shown ? ~0U : 0U);
    if (shown) halos_[i]->setMatrix(to_osg(poses.log[i]));
  }
  // Without a ball the arrow marks the place.
  const bool has_ball = task.target >= 0 && static_cast<std::size_t>(task.target) < looks_.size();
  marker_->setNodeMask(open && task.target >= 0 && !has_ball ? ~0U : 0U);
  marker_->setMatrix(to_osg(Pose{Mat3::Identity(), wanted + Vec3(0.0, 0.0, 0.28 + 0.10 * beat)}));
}

void Overlays::pose_trail(const FramePoses& poses) {
  // A restart resets the clock.
  if (!points_.empty() && poses.t_s < points_.back().t_s - 1e-9) points_.clear();
  if (points_.empty() || poses.t_s - points_.back().t_s >= kTrailStep)
    points_.push_back({poses.t_s, poses.tip_W});
  while (!points_.empty() &&
         (poses.t_s - points_.front().t_s > kTrailSeconds || points_.size() + 1 > kTrailPoints))
    points_.pop_front();
  auto* positions = static_cast<osg::Vec3Array*>(trail_->getVertexArray());
  auto* colours = static_cast<osg::Vec4Array*>(trail_->getColorArray());
  std::size_t n = 0;
  const auto put = [&](const Vec3& p, double age) {
    (*positions)[n] = to_osg(p);
    const auto fade = static_cast<float>(std::clamp(1.0 - age / kTrailSeconds, 0.0, 1.0));
    (*colours)[n] = osg::Vec4(1.0F, 0.55F + 0.4F * fade, 0.15F, 0.9F * fade);
    ++n;
  };
  for (const TrailPoint& point : points_) put(point.p, poses.t_s - point.t_s);
  put(poses.tip_W, 0.0);
  positions->dirty();
  colours->dirty();
  static_cast<osg::DrawArrays*>(trail_->getPrimitiveSet(0))->setCount(static_cast<int>(n));
  trail_->dirtyBound();
}

}  // namespace knuckleboom::view
