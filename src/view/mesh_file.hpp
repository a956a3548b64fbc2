// Meshes from files, drawn with the same shaders as the generated parts.
#pragma once

#include <filesystem>

#include <osg/Node>
#include <osg/ref_ptr>

#include "view/mesh_builder.hpp"

namespace knuckleboom::view {

// Axes as in the file, lengths in metres; COLLADA gives its own up axis and unit. Scaled along each
// axis; a negative scale mirrors. Colours from its materials, otherwise `plain`. Null if it cannot
// be read or is empty.
osg::ref_ptr<osg::Node> read_mesh(const std::filesystem::path& file, const Vec3& scale,
                                  const Colour& plain);

}  // namespace knuckleboom::view
