// What the view needs to know of an emulation: once of its plan, and of a state for each picture.
#pragma once

#include <filesystem>

#include "knuckleboom/core/emulation/emulation.hpp"
#include "view/emulation_scene.hpp"

namespace knuckleboom::app {

// assets: folder with meshes/.
view::EmulationSceneDescription scene_description(const emulation::Emulation& emulation,
                                                  const std::filesystem::path& assets);

view::EmulationPoses scene_poses(const emulation::Emulation& emulation,
                                 const emulation::EmulationState& state);

}  // namespace knuckleboom::app
