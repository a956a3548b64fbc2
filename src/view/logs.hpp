// Movable logs, and their bunks.
#pragma once

#include <vector>

#include <osg/Group>
#include <osg/MatrixTransform>
#include <osg/StateSet>
#include <osg/ref_ptr>

#include "view/poses.hpp"
#include "view/quality.hpp"
#include "view/scene_description.hpp"

namespace knuckleboom::view {

struct LogStates {
  osg::ref_ptr<osg::StateSet> bark, wood, steel;  // wood: end faces with rings
  double detail = 1.0;
};

class Logs {
 public:
  Logs(const SceneDescription& scene, const LogStates& states);
  osg::Group* node() const { return root_; }
  void pose(const FramePoses& poses);

 private:
  osg::ref_ptr<osg::Group> root_;
  struct Log {
    osg::ref_ptr<osg::MatrixTransform> bark, ends;
    bool spare = false;
    double length = 1.0, radius = 1.0;  // as it was made [m]
  };
  std::vector<Log> logs_;
};

}  // namespace knuckleboom::view
