// Data of an emulation for the view: of its plan once, and of a state for each frame.
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
