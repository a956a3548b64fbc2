// Overlays for the operator: targets, path, drop line, trail.
#pragma once

#include <deque>
#include <vector>

#include <osg/Geometry>
#include <osg/Group>
#include <osg/MatrixTransform>
#include <osg/Switch>
#include <osg/Uniform>
#include <osg/ref_ptr>

#include "view/poses.hpp"
#include "view/scene.hpp"
#include "view/scene_description.hpp"

namespace knuckleboom::view {

inline constexpr double kTrailSeconds = 10.0;

class Overlays {
 public:
  explicit Overlays(const SceneDescription& scene);

  osg::Group* node() const { return root_; }
  void set(const OverlaySettings& settings);
  const OverlaySettings& settings() const { return settings_; }
  // Moves everything to its present position; stores the tip for the trail.
  void pose(const FramePoses& poses);

 private:
  struct Target {
    osg::ref_ptr<osg::Group> node;
    osg::ref_ptr<osg::Uniform> tint;
  };
  void build_targets(const SceneDescription& scene);
  void build_places(const SceneDescription& scene);
  void build_halos(const SceneDescription& scene);
  void build_path(const SceneDescription& scene);
  void build_lines();
  void pose_targets(const FramePoses& poses);
  void pose_trail(const FramePoses& poses);

  OverlaySettings settings_;
  world::Ground ground_;
  std::vector<TargetLook> looks_;
  osg::ref_ptr<osg::Group> root_;
  osg::ref_ptr<osg::Group> targets_node_, path_node_, drop_node_, trail_node_;
  std::vector<Target> targets_;
  std::vector<int> meant_logs_;
  std::vector<osg::ref_ptr<osg::MatrixTransform>> halos_;  // by log; null: none is needed
  osg::ref_ptr<osg::MatrixTransform> marker_;              // over the next log or place
  osg::ref_ptr<osg::MatrixTransform> ghost_;               // target of the tip on the path
  osg::ref_ptr<osg::MatrixTransform> drop_line_, drop_mark_;
  osg::ref_ptr<osg::Geometry> trail_;
  struct TrailPoint {
    double t_s;
    Vec3 p;
  };
  std::deque<TrailPoint> points_;
};

}  // namespace knuckleboom::view
