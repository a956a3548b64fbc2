// Plants and stones.
#pragma once

#include <vector>

#include <osg/Group>
#include <osg/MatrixTransform>
#include <osg/ref_ptr>

#include "view/forest_plan.hpp"
#include "view/poses.hpp"

namespace knuckleboom::view {

// foliage, bark and steel: states for drawing the parts (see shaders.hpp).
struct ForestStates {
  osg::ref_ptr<osg::StateSet> foliage, bark, solid;
};

// Trees that may be felled: each moves by itself.
class FelledTrees {
 public:
  // foot: of its stump.
  // height, bare: of the tree, and of its lowest branches [m].
  void add(int stem, const Vec3& foot, double height, double bare,
           osg::ref_ptr<osg::MatrixTransform> trunk, osg::ref_ptr<osg::MatrixTransform> crown);
  void pose(const FramePoses& poses);

 private:
  struct Tree {
    int stem;
    Vec3 foot;
    double height, bare;
    osg::ref_ptr<osg::MatrixTransform> trunk, crown;
  };
  std::vector<Tree> trees_;
};

osg::ref_ptr<osg::Group> build_forest(const SceneDescription& scene, const ForestPlan& plan,
                                      const QualitySettings& quality, const ForestStates& states,
                                      FelledTrees& felled);

// Dome of the sky and the row of trees in the haze.
osg::ref_ptr<osg::Group> build_sky();

}  // namespace knuckleboom::view
