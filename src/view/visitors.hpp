// People and vehicles that come by.
#pragma once

#include <vector>

#include <osg/Group>
#include <osg/MatrixTransform>
#include <osg/StateSet>
#include <osg/ref_ptr>

#include "view/poses.hpp"
#include "view/scene_description.hpp"

namespace knuckleboom::view {

class Visitors {
 public:
  Visitors(const SceneDescription& scene, osg::StateSet* paint, double detail);
  osg::Group* node() const { return root_; }
  void pose(const FramePoses& poses);

 private:
  osg::ref_ptr<osg::Group> root_;
  std::vector<osg::ref_ptr<osg::MatrixTransform>> visitors_;
};

}  // namespace knuckleboom::view
