// Cameras of the scene.
#pragma once

#include "view/poses.hpp"
#include "view/scene_description.hpp"

namespace knuckleboom::view {

enum class CameraKind { kCab, kOutside, kSide, kTip, kFree };
inline constexpr int kCameraKinds = 5;
const char* name(CameraKind kind);

struct CameraView {
  Vec3 eye = Vec3::Zero(), target = Vec3::UnitX(), up = Vec3::UnitZ();
  double fov_y = 0.8;  // whole angle of the height [rad]
  double near_m = 0.2;
};

// Position of a point in a frame of this size: x to the right, y downwards from the upper left
// corner [pixels]. False if the point is behind the eye.
bool project(const CameraView& view, const Vec3& p_W, int width, int height, double& x, double& y);

// The mouse's camera: orbits around its target.
struct Orbit {
  Vec3 target = Vec3(2.5, 0.0, 1.8);
  double azimuth = -2.2, elevation = 0.28;  // of the eye relative to the target [rad]
  double distance = 13.0;                   // m

  void rotate(double azimuth_rad, double elevation_rad);
  void pan(double right, double up);  // shares of the distance
  void zoom(double factor);           // of the distance
};

// height: of the ground below the eye, which stays above it.
CameraView camera_view(CameraKind kind, const MachineLook& machine, const FramePoses& poses,
                       const Orbit& orbit);

}  // namespace knuckleboom::view
