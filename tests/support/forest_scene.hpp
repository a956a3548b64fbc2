// A crane in a small forest, for rendering: machine from its file, poses from its kinematics.
#pragma once

#include <array>
#include <string>

#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/training/session_snapshot.hpp"
#include "view/scene_description.hpp"

namespace knuckleboom::test {

machine::MachineModel machine_from_file(const std::string& name);

// Bumpy ground, stems, four red and four blue logs, two bunks; no targets.
view::SceneDescription forest_scene(const machine::MachineModel& machine);
// Three balls to reach.
std::vector<view::TargetLook> reach_targets();
// An arc to follow, 1.5 m above the ground.
std::vector<view::TargetLook> path_targets();

// Bodies as in joint positions q, logs where they lie at the start, tip in its place.
training::SessionSnapshot snapshot_at(const machine::MachineModel& machine, const double* q,
                                      const view::SceneDescription& scene);

}  // namespace knuckleboom::test
