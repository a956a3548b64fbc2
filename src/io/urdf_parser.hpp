// Content of a URDF file, with the place of each element. The only unit that reads XML.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document.hpp"
#include "knuckleboom/core/math/vector.hpp"

namespace knuckleboom::io {

// In the frame of the link or, for a joint, of its parent link. rpy: about the fixed x, y, z in turn.
struct UrdfOrigin {
  Vec3 p = Vec3::Zero();    // m
  Vec3 rpy = Vec3::Zero();  // rad
  Place place;
};

struct UrdfInertial {
  UrdfOrigin origin;
  double mass = 0.0;                       // kg
  std::array<double, 6> I{};               // xx yy zz xy xz yz about the origin, its axes [kg m^2]
  Place place, mass_place, inertia_place;  // the element and those in it
};

enum class UrdfForm { kMesh, kBox, kCylinder, kSphere, kCapsule };
struct UrdfGeometry {
  UrdfOrigin origin;
  UrdfForm form = UrdfForm::kMesh;
  Vec3 size = Vec3::Zero();  // box: edges; cylinder, capsule: radius, length; sphere: radius [m]
  std::string mesh;          // file or URI
  Vec3 scale = Vec3::Ones();
  std::optional<Vec3> colour;  // red, green, blue, 0 to 1
  Place place;
};

struct UrdfLink {
  std::string name;
  std::optional<UrdfInertial> inertial;
  std::vector<UrdfGeometry> visuals, collisions;
  Place place;
};

struct UrdfMimic {
  std::string joint;
  double multiplier = 1.0, offset = 0.0;
  Place place;
};

struct UrdfJoint {
  std::string name, type, parent, child;
  UrdfOrigin origin;
  Vec3 axis = Vec3::UnitX();  // in the child's frame
  std::optional<double> lower, upper;
  bool has_limit = false;  // the element, whatever is in it
  double damping = 0.0, friction = 0.0;
  std::optional<UrdfMimic> mimic;
  Place place, axis_place, limit_place, dynamics_place;
};

struct UrdfRobot {
  std::string name;
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
  Place place;
};

// file: its index in the report. Faults go to the report and so does, as notes, what is ignored. Throws
// FileError, with the line, for what is no XML or no URDF.
UrdfRobot parse_urdf(std::string_view text, int file, Report& report);

}  // namespace knuckleboom::io
