// Rendering without a display: visible errors.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "forest_scene.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "view/scene.hpp"
#include "view/screenshot.hpp"
#include "view/window.hpp"

namespace knuckleboom {
namespace {

using view::CameraKind;
using view::Quality;

// Harvester, working to the front left.
constexpr double kWork[kMaxLinks] = {0.25, 0.45, -1.35};

std::filesystem::path picture_folder() {
  const std::filesystem::path folder = std::filesystem::current_path() / "pictures";
  std::filesystem::create_directories(folder);
  return folder;
}

class Picture : public testing::Test {
 protected:
  void SetUp() override {
    try {
      view::WindowRequest request;
      request.offscreen = true;
      window_.emplace(request);
    } catch (const view::WindowError& error) {
      GTEST_SKIP() << error.what();
    }
  }
  std::optional<view::Window> window_;
};

TEST_F(Picture, ofEveryCamera) {
  const char* wanted = std::getenv("KNUCKLEBOOM_QUALITY");
  const Quality quality =
      wanted == nullptr ? Quality::kMedium : static_cast<Quality>(std::atoi(wanted));
  const machine::MachineModel machine = test::machine_from_file("harvester");
  view::SceneDescription description = test::forest_scene(machine);
  description.targets = test::reach_targets();
  view::Scene scene(description, quality, true);
  training::SessionSnapshot snapshot = test::snapshot_at(machine, kWork, description);
  snapshot.task.target = 0;
  snapshot.task.steps = 3;
  for (int kind = 0; kind < view::kCameraKinds; ++kind) {
    scene.set_camera(static_cast<CameraKind>(kind));
    scene.show(snapshot, snapshot, 1.0);
    scene.frame(1280, 720);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 20; ++i) {
      scene.show(snapshot, snapshot, 1.0);
      scene.frame(1280, 720);
    }
    const double s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto st = scene.statistics();
    std::printf("%s: %.1f fps, %d draw calls, %d vertices, %d triangles\n",
                view::name(static_cast<CameraKind>(kind)), 20.0 / s, st.draw_calls, st.vertices,
                st.triangles);
    io::write_file(
        picture_folder() / (std::string(view::name(static_cast<CameraKind>(kind))) + ".png"),
        view::png_of(view::read_pixels(1280, 720)));
  }
}

}  // namespace
}  // namespace knuckleboom
