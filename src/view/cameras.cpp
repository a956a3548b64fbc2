#include "view/cameras.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace knuckleboom::view {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

// How far the machine reaches, from its bodies' lengths.
double reach(const MachineLook& machine) {
  double sum = 0.0;
  for (const BodyLook& body : machine.bodies)
    if (body.has_end) sum += body.end_B.norm();
  return std::clamp(sum, 2.0, 30.0);
}

Vec3 heading_of(const Pose& swing) {
  const Vec3 x = swing.R.col(0);
  const Vec3 level(x.x(), x.y(), 0.0);
  return level.norm() > 1e-6 ? Vec3(level.normalized()) : Vec3::UnitX();
}

// From a cab on the carrier: to the crane, following its tip, or with the seat turned the other way.
CameraView seat_view(const MachineLook& machine, const FramePoses& poses) {
  const Pose cab = pose_of(poses, machine.cab_body);
  const double side = poses.seat_turned ? -1.0 : 1.0;
  CameraView view;
  // The pillar of the crane stands before the middle of the window.
  constexpr double kBesidePillar = 0.6;  // m
  view.eye = cab * (machine.cab_B + side * machine.cab_half * Vec3::UnitX() +
                    (poses.seat_turned ? 0.0 : kBesidePillar) * Vec3::UnitY());
  double yaw = 0.0, pitch = -10.0 * kDegree;
  if (!poses.seat_turned) {
    const Vec3 to_tip = cab.R.transpose() * (poses.tip_W - view.eye);
    yaw = std::clamp(0.7 * std::atan2(to_tip.y(), to_tip.x()), -70.0 * kDegree, 70.0 * kDegree);
    pitch = std::clamp(0.55 * std::atan2(to_tip.z(), std::hypot(to_tip.x(), to_tip.y())),
                       -26.0 * kDegree, 18.0 * kDegree);
  }
  const Vec3 ahead(side * std::cos(yaw) * std::cos(pitch), side * std::sin(yaw) * std::cos(pitch),
                   std::sin(pitch));
  view.target = view.eye + cab.R * ahead;
  view.up = cab.R.col(2);
  view.fov_y = 62.0 * kDegree;
  view.near_m = 0.12;
  return view;
}

// The head turns part of the way to where the work is.
CameraView cab_view(const MachineLook& machine, const FramePoses& poses) {
  if (machine.cab_body != kWorldBody) return seat_view(machine, poses);
  const Pose swing = pose_of(poses, machine.swing_body);
  CameraView view;
  view.eye = swing * machine.eye_B;
  const Vec3 to_tip = swing.R.transpose() * (poses.tip_W - view.eye);
  const double level = std::hypot(to_tip.x(), to_tip.y());
  const double yaw =
      std::clamp(0.6 * std::atan2(to_tip.y(), to_tip.x()), -25.0 * kDegree, 15.0 * kDegree);
  const double pitch =
      std::clamp(0.55 * std::atan2(to_tip.z(), level), -26.0 * kDegree, 18.0 * kDegree);
  const Vec3 ahead(std::cos(yaw) * std::cos(pitch), std::sin(yaw) * std::cos(pitch),
                   std::sin(pitch));
  view.target = view.eye + swing.R * ahead;
  view.up = swing.R.col(2);
  view.fov_y = 56.0 * kDegree;
  view.near_m = 0.12;
  return view;
}

CameraView outside_view(const MachineLook& machine, const FramePoses& poses) {
  const Pose swing = pose_of(poses, machine.swing_body);
  const Vec3 ahead = heading_of(swing);
  const Vec3 left(-ahead.y(), ahead.x(), 0.0);
  const double size = reach(machine) / 8.2;
  CameraView view;
  view.eye = swing.p + size * (-6.3 * ahead + 5.6 * left) + Vec3(0.0, 0.0, 1.2 + 3.6 * size);
  view.target = swing.p + size * 2.9 * ahead + Vec3(0.0, 0.0, 0.6 + 1.0 * size);
  view.fov_y = 46.0 * kDegree;
  return view;
}

// Straight onto the plane in which the crane folds.
CameraView side_view(const MachineLook& machine, const FramePoses& poses) {
  const Pose swing = pose_of(poses, machine.swing_body);
  const Vec3 ahead = heading_of(swing);
  const Vec3 right(ahead.y(), -ahead.x(), 0.0);
  const double size = reach(machine) / 8.2;
  CameraView view;
  view.target = swing.p + size * 3.0 * ahead + Vec3(0.0, 0.0, 0.4 + 2.0 * size);
  view.eye = view.target + size * 13.5 * right;
  view.fov_y = 40.0 * kDegree;
  // Stems that stand before the machine are cut away.
  view.near_m = 0.47 * size * 13.5;
  return view;
}

// From beside the outer part of the arm down onto the head.
CameraView tip_view(const MachineLook& machine, const FramePoses& poses) {
  const Pose swing = pose_of(poses, machine.swing_body);
  const Vec3 ahead = heading_of(swing);
  const Vec3 left(-ahead.y(), ahead.x(), 0.0);
  CameraView view;
  view.eye = poses.tip_W - 2.1 * ahead + 1.15 * left + Vec3(0.0, 0.0, 1.35);
  view.target = poses.tip_W + Vec3(0.0, 0.0, -0.75) + 0.15 * ahead;
  view.fov_y = 50.0 * kDegree;
  view.near_m = 0.15;
  return view;
}

CameraView free_view(const Orbit& orbit) {
  CameraView view;
  const double c = std::cos(orbit.elevation);
  view.eye =
      orbit.target + orbit.distance * Vec3(c * std::cos(orbit.azimuth), c * std::sin(orbit.azimuth),
                                           std::sin(orbit.elevation));
  view.target = orbit.target;
  view.fov_y = 45.0 * kDegree;
  return view;
}

}  // namespace

const char* name(CameraKind kind) {
  constexpr const char* kNames[kCameraKinds] = {"cab", "outside", "side", "tip", "free"};
  return kNames[static_cast<int>(kind)];
}

bool project(const CameraView& view, const Vec3& p_W, int width, int height, double& x, double& y) {
  const Vec3 z = (view.eye - view.target).normalized();
  const Vec3 right = view.up.cross(z).normalized();
  const Vec3 up = z.cross(right);
  const Vec3 d = p_W - view.eye;
  const double depth = -d.dot(z);
  if (depth <= 1e-6) return false;
  const double scale = 0.5 * height / std::tan(0.5 * view.fov_y) / depth;
  x = 0.5 * width + scale * d.dot(right);
  y = 0.5 * height - scale * d.dot(up);
  return true;
}

void Orbit::rotate(double azimuth_rad, double elevation_rad) {
  azimuth = std::remainder(azimuth + azimuth_rad, 2.0 * std::numbers::pi);
  elevation = std::clamp(elevation + elevation_rad, -0.10, 1.5);
}

void Orbit::pan(double right, double up) {
  const Vec3 to_right(-std::sin(azimuth), std::cos(azimuth), 0.0);
  target += distance * (right * to_right + up * Vec3::UnitZ());
  target.z() = std::clamp(target.z(), 0.0, 30.0);
  const double level = std::hypot(target.x(), target.y());
  constexpr double kFarthest = 60.0;
  if (level > kFarthest) {
    target.x() *= kFarthest / level;
    target.y() *= kFarthest / level;
  }
}

void Orbit::zoom(double factor) { distance = std::clamp(distance * factor, 1.5, 60.0); }

CameraView camera_view(CameraKind kind, const MachineLook& machine, const FramePoses& poses,
                       const Orbit& orbit) {
  if (kind == CameraKind::kCab) return cab_view(machine, poses);
  if (kind == CameraKind::kOutside) return outside_view(machine, poses);
  if (kind == CameraKind::kSide) return side_view(machine, poses);
  return kind == CameraKind::kTip ? tip_view(machine, poses) : free_view(orbit);
}

}  // namespace knuckleboom::view
