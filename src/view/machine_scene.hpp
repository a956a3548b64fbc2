// The machine: generated from its description, meshes where the file names some.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <osg/Group>
#include <osg/MatrixTransform>
#include <osg/StateSet>
#include <osg/ref_ptr>

#include "knuckleboom/core/math/arrays.hpp"
#include "view/machine_parts.hpp"
#include "view/poses.hpp"
#include "view/quality.hpp"
#include "view/scene_description.hpp"

namespace knuckleboom::view {

struct MachineStates {
  osg::ref_ptr<osg::StateSet> solid, glass;
  QualitySettings quality;
};

class MachineScene {
 public:
  // notes: receives one message for each unreadable mesh.
  MachineScene(const MachineLook& look, const std::filesystem::path& assets,
               const MachineStates& states, std::vector<std::string>& notes);

  osg::Group* node() const { return root_; }
  // ground_below_tip: height there, for a head hanging from the tip.
  void pose(const FramePoses& poses);

  // Only what the swing moves, without a cab.
  void show_crane_only();

  // Poses of the last pose(): barrel with its base pin at the origin and x towards the rod's pin,
  // rod with its pin at the origin and x towards the base pin.
  const Pose& barrel(int cylinder) const { return nth(cylinders_, cylinder).barrel_W; }
  const Pose& rod(int cylinder) const { return nth(cylinders_, cylinder).rod_W; }
  CylinderShape cylinder_shape(int cylinder) const { return nth(cylinders_, cylinder).shape; }

 private:
  struct Cylinder {
    CylinderLook look;
    CylinderShape shape;
    osg::ref_ptr<osg::MatrixTransform> barrel, rod;
    Pose barrel_W, rod_W;
  };
  // From a point of one body to a point of another, leaving both along their directions.
  struct Hose {
    int body_a, body_b;
    Vec3 a, da, b, db;
    double length, radius;
  };
  struct Jaw {
    osg::ref_ptr<osg::MatrixTransform> transform;
    double side;
  };
  struct HoseEnd {
    Vec3 point, direction;
  };

  void build_carrier();
  void build_upper(int body);
  void build_beam(const BodyLook& look);
  void build_link(const BodyLook& look);
  void build_arm(const BodyLook& look);
  void build_foot();
  void build_cylinders();
  void build_grapple();
  void build_hanging_head();
  void build_hoses();
  void build_parts(const std::filesystem::path& assets, std::vector<std::string>& notes);
  osg::ref_ptr<osg::Node> part(const PartLook& look, const std::filesystem::path& assets,
                               std::vector<std::string>& notes) const;
  void pose_hoses(const FramePoses& poses);
  void pose_grapple(double opening);

  const BodyLook* body_of_link(int link) const;
  bool is_upper(const BodyLook& body) const;
  bool asked_for(int body) const;
  double arm_radius(const BodyLook& look) const;
  double end_half_width(int link) const;  // of the part that ends in the joint of a child
  osg::MatrixTransform* transform(int body);
  void add_sign(int body, const std::string& text, const Pose& frame, double height, bool on_dark);

  MachineLook look_;
  MachineStates states_;
  osg::ref_ptr<osg::Group> root_;
  osg::ref_ptr<osg::Group> solid_;
  std::vector<osg::ref_ptr<osg::MatrixTransform>> bodies_;
  osg::ref_ptr<osg::MatrixTransform> base_;
  std::vector<Cylinder> cylinders_;
  std::vector<Hose> hoses_;
  osg::ref_ptr<osg::Geometry> hose_geometry_;
  std::vector<Jaw> jaws_;
  struct TurningPart {
    osg::ref_ptr<osg::MatrixTransform> transform;
    Pose at_rest;
    int wheel;
  };
  std::vector<TurningPart> wheels_;
  osg::ref_ptr<osg::MatrixTransform> hanging_head_;
  std::vector<bool> has_parts_;  // per link: its visuals are given
  bool base_has_parts_ = false;
  std::vector<std::vector<HoseEnd>> starts_;  // per link: hoses near its joint
  std::vector<std::vector<HoseEnd>> ends_;    // and near its end
};

// Angle of a jaw's chord from the reach axis [rad].
double jaw_angle(const GrappleLook& grapple, double opening);

// Dimensions of the undercarriage.
UndercarriageShape undercarriage_of(const MachineLook& look);

}  // namespace knuckleboom::view
