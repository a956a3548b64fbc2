// Scene of a tip emulation: the host with the peg, the worksite, and as a ghost the machine whose
// tip the host emulates, shifted so that the tips meet; beside it a distant view of both, and a
// close-up of the peg. Like Scene, it belongs to the OpenGL context that is current at its
// construction.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "knuckleboom/core/math/vector.hpp"
#include "view/cameras.hpp"
#include "view/geometry.hpp"
#include "view/quality.hpp"
#include "view/scene_description.hpp"
#include "view/worksite.hpp"

namespace knuckleboom::view {

struct EmulationSceneDescription {
  MachineLook host, emulated;
  WorksiteLook site;
  std::filesystem::path assets;  // folder
};

// In the host's world.
struct EmulationPoses {
  std::array<Pose, kMaxLinks> host, emulated;  // of the bodies moved by joints
  Pose emulated_base;                          // world of the emulated machine
  Pose tip;                                    // of the peg: its end face
  Pose target;                                 // target from the emulated machine
  Vec3 force_W = Vec3::Zero();                 // of the worksite on the peg [N]
  bool stopped = false;
};

// Panes of the scene: the host to the right; to the left both machines above and the peg below.
enum class Pane { kHost, kBoth, kPeg };
inline constexpr int kPanes = 3;

class EmulationScene {
 public:
  EmulationScene(const EmulationSceneDescription& description, Quality quality,
                 bool software_renderer);
  ~EmulationScene();
  EmulationScene(const EmulationScene&) = delete;
  EmulationScene& operator=(const EmulationScene&) = delete;

  void show(const EmulationPoses& poses);
  // Draws into the left part of the current framebuffer: scene_width of width [pixels]. Waits for
  // completion.
  void frame(int width, int height, int scene_width);

  Orbit& orbit();  // of the host's pane
  void home();     // back to the initial camera
  void set_ghost(bool on);
  bool ghost() const;

  CameraView view(Pane pane) const;
  // Lower left corner and size in a scene of this size [pixels, y upwards].
  struct Rectangle {
    int x, y, width, height;
  };
  static Rectangle rectangle(Pane pane, int scene_width, int height);
  // End of the force arrow, for its label; the pane of both machines has none.
  Vec3 arrow_end_W(Pane pane) const;

  const Pose& site() const;  // see WorksiteLook
  Quality quality() const;
  const std::vector<std::string>& notes() const;  // one message each

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace knuckleboom::view
