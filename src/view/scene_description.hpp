// Machine, world and exercise as needed by the view before the first frame. Plain data, made by the
// program from the loaded files; after that the view reads snapshots only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "knuckleboom/core/math/vector.hpp"
#include "knuckleboom/core/world/world.hpp"

namespace knuckleboom::view {

inline constexpr int kWorldBody = -1;

// body: index of a link (SessionSnapshot::body), or kWorldBody for fixed parts. Welded bodies are
// given in the frame of the link's body.
struct BodyLook {
  std::string name;
  int body = kWorldBody;
  int parent = kWorldBody;  // link
  bool revolute = true;
  Vec3 joint_axis_B = Vec3::UnitZ();
  Vec3 end_B = Vec3::Zero();  // next joint (or the tip), the end of the beam [m]
  bool has_end = false;
  double mass = 0.0;  // kg
};

struct CylinderLook {
  int base_body = kWorldBody, rod_body = kWorldBody;
  Vec3 base_pin_B = Vec3::Zero(), rod_pin_B = Vec3::Zero();  // m, in these bodies' frames
  double bore = 0.1, rod = 0.06;                             // diameters [m]
  double length_min = 0.0, length_max = 0.0;                 // pin to pin [m]
  std::string name;
};

struct ShapeLook {
  int body = kWorldBody;
  int role = 0;  // machine::ShapeRole
  Vec3 from_B = Vec3::Zero(), to_B = Vec3::Zero();
  double radius = 0.1;
};

struct GrappleLook {
  bool present = false;
  int body = kWorldBody;
  Vec3 pin_B = Vec3::Zero(), log_axis_B = Vec3::UnitX(), open_axis_B = Vec3::UnitY(),
       reach_axis_B = -Vec3::UnitZ();
  double hinge_distance = 0.3, jaw_length = 0.6, jaw_width = 0.3, tine_radius = 0.04,
         opening_max = 1.2, overlap = 0.0;
  // Bodies of the jaws, drawn as jaws of this opening; kWorldBody: they are none.
  int jaw[2] = {kWorldBody, kWorldBody};
};

// A mesh from a file or a plain form, replacing the view's own shape of a body.
enum class LookForm { kMesh, kBox, kCylinder, kBall };
struct PartLook {
  int body = kWorldBody;
  LookForm form = LookForm::kMesh;
  std::filesystem::path file;
  Vec3 size = Vec3::Ones();   // box: edges; cylinder (along z): radius, length; ball: radius [m]
  Vec3 scale = Vec3::Ones();  // of a mesh
  Vec3 position_B = Vec3::Zero();
  Mat3 R_BM = Mat3::Identity();
  int wheel = -1;  // of the machine, with which it turns about its z axis; -1: none
  bool coloured = false;
  Vec3 colour = Vec3::Ones();  // red, green, blue, 0 to 1; a mesh's own materials come first
};

struct MachineLook {
  std::string name;
  std::vector<BodyLook> bodies;
  std::vector<CylinderLook> cylinders;
  std::vector<ShapeLook> shapes;
  std::vector<PartLook> parts;
  GrappleLook grapple;
  bool on_wheels = false;      // its carrier moves, and its parts say how it looks
  bool imported = false;       // from a URDF: no parts of a forestry machine are added
  bool arm = false;            // a manipulator: drums at the joints, tubes between them
  Vec3 foot_W = Vec3::Zero();  // of an arm: position of its first joint [m]
  double foot_height = 0.3;    // height of that joint above its base [m]
  int tip_body = kWorldBody;
  Vec3 tip_B = Vec3::Zero();
  int swing_body = kWorldBody;       // carries the cab, when the machine has a vertical first joint
  double swing_height = 0.0;         // of that body's frame above the ground [m]
  Vec3 eye_B = Vec3(0.4, 0.9, 2.4);  // of the operator, in that body's frame [m]
  // For a cab that does not swing: its body, the middle of its head room and the way from there to its windows
  // along the body's x axis. The seat looks to +x, turned to -x.
  int cab_body = kWorldBody;
  Vec3 cab_B = Vec3::Zero();
  double cab_half = 0.7;  // m
};

enum class TargetShape { kBall, kPose, kPathPoint };
struct TargetLook {
  TargetShape shape = TargetShape::kBall;
  Vec3 p_W = Vec3::Zero(), axis_W = Vec3::UnitZ();
  double radius = 0.25;
};

// The outline of a log in its place.
struct PlaceLook {
  Vec3 p_W = Vec3::Zero(), along_W = Vec3::UnitX();  // its lowest line's middle; its direction
  double length = 4.0, width = 0.3;                  // m
  int colour = 0;                                    // as world::Log
};

enum class VisitorLook { kPerson, kVehicle };

struct SceneDescription {
  MachineLook machine;
  world::WorldRecipe world;
  world::Ground ground;
  std::vector<TargetLook> targets;  // in the task's order
  std::vector<PlaceLook> places;
  std::vector<VisitorLook> visitors;  // in the exercise's order
  std::vector<Vec3> visitors_way;     // points on their ways, which decoration keeps clear
  std::vector<int> felled;            // stems of the world that may be felled
  std::vector<int> marked;            // those of them that are to be
  std::vector<int> meant_logs;        // by the task's target: the log that is to be picked up
  std::filesystem::path assets;       // folder
};

}  // namespace knuckleboom::view
