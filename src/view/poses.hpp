// Poses of all objects in one frame: between two snapshots.
#pragma once

#include <array>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/training/session_snapshot.hpp"
#include "view/geometry.hpp"

namespace knuckleboom::view {

// A tree that moves or lies.
struct TreePose {
  int stem = 0;  // of the world
  Vec3 butt_W, towards_tip_W;
  double stump = 0.0;                // m
  double from = 0.0, bare_to = 0.0;  // heights of what is left of it, and of its branches [m]
};

struct FramePoses {
  double t_s = 0.0;
  std::array<Pose, kMaxLinks> body;
  std::array<Pose, world::kMaxLogs> log;
  int log_count = 0;
  std::array<world::LogSize, worksite::kMaxCutLogs> cut{};  // of the spare logs that are there
  int cut_count = 0;
  std::array<TreePose, training::kMaxTrees> tree;
  int tree_count = 0;
  std::array<Pose, training::kMaxVisitors> visitor{};
  int held_log = -1;
  Vec3 tip_W = Vec3::Zero();
  double grapple_opening = 1.0;
  bool seat_turned = false;
  std::array<double, kMaxWheels> wheel_turned{};  // rad
  training::TaskSnapshot task{};
};

// The base's frame where body is negative.
inline Pose pose_of(const FramePoses& poses, int body) {
  return body >= 0 ? nth(poses.body, body) : Pose{};
}

// alpha 0: before, 1: after. Positions are interpolated linearly, rotations the shorter way at
// constant speed.
FramePoses interpolate(const training::SessionSnapshot& before,
                       const training::SessionSnapshot& after, double alpha);

}  // namespace knuckleboom::view
