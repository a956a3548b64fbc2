// Meshes that somebody made: read from a file and dressed like the generated parts.
#pragma once

#include <filesystem>

#include <osg/Node>
#include <osg/ref_ptr>

#include "view/mesh_builder.hpp"

namespace knuckleboom::view {

// Axes as in the file, lengths in metres; COLLADA says itself which axis is up and which unit it has. Times
// scale along each; a negative scale mirrors. Colours from its materials, else `plain`. Null if it cannot be read or is empty.
osg::ref_ptr<osg::Node> read_mesh(const std::filesystem::path& file, const Vec3& scale,
                                  const Colour& plain);

}  // namespace knuckleboom::view
