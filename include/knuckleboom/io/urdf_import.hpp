// Parts of a machine imported from a URDF file: docs/reference/urdf.md.
#pragma once

#include <string>
#include <vector>

namespace knuckleboom::io {

// One link as the file has it, before the machine file's own tables and overrides.
struct ImportedLink {
  std::string name;
  std::string parent, joint, type;  // empty for the root; type in URDF's words
  std::string here;             // what the joint is in the machine: revolute, prismatic or fixed
  std::string follows;          // the joint that it follows, coupled; empty: none
  double mass = 0.0;            // kg
  double inertia_change = 0.0;  // beyond rounding, to one that a body can have, as a share
  bool limited = false;
  double lower = 0.0, upper = 0.0;  // rad or m
  std::vector<std::string> looks;   // "mesh boom.stl", "mesh boom.stl (missing)", "box"
  int lost_meshes = 0;              // that the view cannot show
  int shapes = 0;                   // that it gave for contact
};

inline constexpr const char* kUrdfSuffix = ".urdf";

struct UrdfImport {
  std::string file;
  std::string robot;  // the name it gives itself
  std::vector<ImportedLink> links;
};

}  // namespace knuckleboom::io
