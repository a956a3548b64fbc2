// Marks of a way: lines and sticks at its edges, poles and a band across it at its stops.
#pragma once

#include "view/mesh_builder.hpp"
#include "view/scene_description.hpp"

namespace knuckleboom::view {

void add_way(MeshBuilder& mesh, const SceneDescription& scene);

}  // namespace knuckleboom::view
