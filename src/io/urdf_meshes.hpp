// Places of the files named by a URDF.
#pragma once

#include <filesystem>
#include <string>

namespace knuckleboom::io {

enum class MeshFault {
  kNone,
  kMissing,
  kOutside,  // of the package it names
  kRemote,   // on another machine
  kFormat    // none that the view reads
};
struct MeshPlace {
  std::filesystem::path path;  // where it is, or where it was looked for
  MeshFault fault = MeshFault::kNone;
};

// uri: package://PACKAGE/PATH (or model://), file:///PATH, or a path from the URDF's folder. A package is a
// folder of that name, or one whose package.xml says so, above the URDF or beside one of those above.
MeshPlace find_mesh(const std::string& uri, const std::filesystem::path& urdf);

}  // namespace knuckleboom::io
