// A machine alone in a room, with the forces on it as arrows. Like Scene, it belongs to the OpenGL context that is
// current at its construction.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "view/cameras.hpp"
#include "view/quality.hpp"
#include "view/scene_description.hpp"

namespace knuckleboom::view {

enum class ForceMark { kLoop, kActuator, kTorque };
inline constexpr int kForceMarks = 3;

struct ForceLook {
  ForceMark mark = ForceMark::kLoop;
  Vec3 p_W = Vec3::Zero(), force_W = Vec3::Zero();  // m; N, or N m along the axis
};

// Without bodies in sight: joints as balls and axes, bodies as sticks between them.
struct WorkbenchPoses {
  FramePoses bodies;
  std::vector<ForceLook> forces;
};

class WorkbenchScene {
 public:
  // size: of the machine [m]; middle_W: what the camera turns about; floor_z: height of the floor [m].
  WorkbenchScene(const MachineLook& machine, double size, const Vec3& middle_W, double floor_z,
                 const std::filesystem::path& assets, Quality quality, bool software_renderer);
  ~WorkbenchScene();
  WorkbenchScene(const WorkbenchScene&) = delete;
  WorkbenchScene& operator=(const WorkbenchScene&) = delete;

  void show(const WorkbenchPoses& poses);
  // Draws into the left part of the current framebuffer: scene_width of width [pixels]. Waits for completion.
  void frame(int width, int height, int scene_width);

  Orbit& orbit();
  void home();
  void set_forces(bool on);
  bool forces() const;
  CameraView view() const;
  // Force or torque of a full arrow so far.
  double full(ForceMark mark) const;
  // The end of an arrow, for its label.
  Vec3 end_W(const ForceLook& force) const;
  const std::vector<std::string>& notes() const;  // one message each

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace knuckleboom::view
