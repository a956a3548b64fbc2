// Plants and stones.
#pragma once

#include <osg/Group>
#include <osg/ref_ptr>

#include "view/forest_plan.hpp"

namespace knuckleboom::view {

// foliage, bark and steel: states for drawing the parts (see shaders.hpp).
struct ForestStates {
  osg::ref_ptr<osg::StateSet> foliage, bark, solid;
};
osg::ref_ptr<osg::Group> build_forest(const SceneDescription& scene, const ForestPlan& plan,
                                      const QualitySettings& quality, const ForestStates& states);

// Dome of the sky and the row of trees in the haze.
osg::ref_ptr<osg::Group> build_sky();

}  // namespace knuckleboom::view
