// Meshes that somebody made: read from a file and dressed like the generated parts.
#pragma once

#include <filesystem>

#include <osg/Node>
#include <osg/ref_ptr>

namespace knuckleboom::view {

// Axes as in the file; colours from its materials. Null if it cannot be read.
osg::ref_ptr<osg::Node> read_mesh(const std::filesystem::path& file);

}  // namespace knuckleboom::view
