// The picture: machine, wood and overlays in the OpenGL context that is current when a Scene is made.
// Stays on that context's thread; a Scene of a lost context is dropped and made anew.
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
  bool path = true;       // to follow, with the point where the tip should be
  bool drop_line = true;  // from the tip straight down to the ground
  bool trail = false;     // where the tip has been
  bool inset = true;      // second, small picture of the tip
};

// Of the last frame, shadow map and inset included.
struct SceneStatistics {
  int draw_calls = 0;
  int vertices = 0;
  int triangles = 0;
};

class Scene {
 public:
  // Quality as resolve() takes it. What is missing in the assets is told by notes(), not by an exception.
  Scene(const SceneDescription& description, Quality quality, bool software_renderer);
  ~Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  // What to draw next: between two snapshots (alpha 0: before, 1: after).
  void show(const training::SessionSnapshot& before, const training::SessionSnapshot& after,
            double alpha);
  // Draws into the current framebuffer of this size [pixels]; waits until it is drawn.
  void frame(int width, int height);

  void set_camera(CameraKind kind);
  CameraKind camera() const;
  Orbit& orbit();  // of the free camera
  void set_overlays(const OverlaySettings& settings);
  const OverlaySettings& overlays() const;

  // Of the last show(): what the camera sees, and the tip's camera of the inset.
  CameraView view() const;
  CameraView inset_view() const;
  // Lower left corner and size of the inset in a picture of this size [pixels, y upwards].
  struct Rectangle {
    int x, y, width, height;
  };
  static Rectangle inset_rectangle(int width, int height);

  Quality quality() const;
  SceneStatistics statistics() const;
  const std::vector<std::string>& notes() const;  // one sentence each

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace knuckleboom::view
