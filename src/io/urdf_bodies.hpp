// A URDF as tables of a machine file, so that all else (our own tables on top, overrides, checks, sources)
// is the same as for a machine written by hand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document.hpp"
#include "knuckleboom/core/math/vector.hpp"
#include "knuckleboom/io/urdf_import.hpp"

namespace knuckleboom::io {

// Tables `body`, `coupling`, `shape` and `visual`. own: the tables of the file that names the URDF; they
// have priority over the URDF, and get its names where these had to be changed. Throws FileError with all
// that is wrong.
Node import_urdf(std::string_view text, const std::string& file, Node& own, Report& report,
                 std::vector<UrdfImport>& imports);

// The tables of a machine file that a URDF has words for, and names of the others.
struct MechanismTables {
  std::vector<const Node*> bodies, couplings, shapes, visuals;
  std::vector<std::string> others;
};
MechanismTables mechanism_tables(const Node& machine);

// The x direction of a planar joint: any in its plane, as a URDF names none.
Vec3 direction_in_plane(const Vec3& across);

}  // namespace knuckleboom::io
