// Data of machine, world and exercise for the view, from the loaded files.
#pragma once

#include <filesystem>

#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/training/exercise.hpp"
#include "knuckleboom/core/world/world.hpp"
#include "view/scene_description.hpp"

namespace knuckleboom::app {

// assets: folder with meshes/.
view::SceneDescription scene_description(const machine::MachineModel& machine,
                                         const world::WorldRecipe& world,
                                         const world::Ground& ground,
                                         const training::Exercise& exercise,
                                         const std::filesystem::path& assets);

// Only the machine.
view::MachineLook machine_look(const machine::MachineModel& machine);

}  // namespace knuckleboom::app
