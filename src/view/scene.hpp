// The scene: machine, forest and overlays in the OpenGL context that is current at its
// construction. Used on that context's thread; after a lost context it is destroyed and built
// again.
//
//   Window window(...); Scene scene(description, Quality::kAuto, window.software_renderer());
//   each frame: scene.show(before, after, alpha); scene.frame(w, h); <ImGui by its OpenGL 3 backend>;
//               window.swap();
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "knuckleboom/core/training/session_snapshot.hpp"
#include "view/cameras.hpp"
#include "view/quality.hpp"
#include "view/scene_description.hpp"

namespace knuckleboom::view {

struct OverlaySettings {
  bool targets = true;    // of the exercise
  bool path = true;       // to follow, with the tip's target point
  bool drop_line = true;  // from the tip straight down to the ground
  bool trail = false;     // past positions of the tip
  bool inset = true;      // second, small view of the tip
};

// Counts of the last frame, including shadow map and inset.
struct SceneStatistics {
  int draw_calls = 0;
  int vertices = 0;
  int triangles = 0;
};

class Scene {
 public:
  // Quality as for resolve(). Missing assets are reported by notes(), not by an exception.
  Scene(const SceneDescription& description, Quality quality, bool software_renderer);
  ~Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  // Sets the next frame: between two snapshots (alpha 0: before, 1: after).
  void show(const training::SessionSnapshot& before, const training::SessionSnapshot& after,
            double alpha);
  // Another crane of the same machine, seen through: between two snapshots, until hide_ghost().
  void show_ghost(const training::SessionSnapshot& before, const training::SessionSnapshot& after,
                  double alpha);
  void hide_ghost();
  // Draws into the current framebuffer of this size [pixels]; waits for completion.
  void frame(int width, int height);

  void set_camera(CameraKind kind);
  CameraKind camera() const;
  Orbit& orbit();  // of the free camera
  void set_overlays(const OverlaySettings& settings);
  const OverlaySettings& overlays() const;

  // Views of the last show(): the main camera, and the inset's camera of the tip.
  CameraView view() const;
  CameraView inset_view() const;
  // Lower left corner and size of the inset in a frame of this size [pixels, y upwards].
  struct Rectangle {
    int x, y, width, height;
  };
  static Rectangle inset_rectangle(int width, int height);

  Quality quality() const;
  SceneStatistics statistics() const;
  const std::vector<std::string>& notes() const;  // one message each

 private:
  CameraView view_of(CameraKind kind) const;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace knuckleboom::view
