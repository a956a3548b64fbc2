// The picture itself, drawn without a display: what a person could see to be wrong.
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "support/forest_scene.hpp"
#include "view/scene.hpp"
#include "view/screenshot.hpp"
#include "view/window.hpp"

namespace knuckleboom {
namespace {

using view::CameraKind;
using view::Quality;

// Harvester, working to the front left.
constexpr double kWork[kMaxLinks] = {0.25, 0.45, -1.35};
// Further to the left, the boom higher.
constexpr double kAside[kMaxLinks] = {0.5, 0.6, -1.2};

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

// Share of the pixels in which two pictures differ by more than a shade.
double difference(const view::Pixels& a, const view::Pixels& b) {
  const std::size_t pixels = a.rgb.size() / 3;
  std::size_t different = 0;
  for (std::size_t i = 0; i < pixels; ++i)
    for (std::size_t c = 3 * i; c < 3 * i + 3; ++c)
      if (std::abs(int{a.rgb[c]} - int{b.rgb[c]}) > 12) {
        ++different;
        break;
      }
  return static_cast<double>(different) / static_cast<double>(pixels);
}

// Colours in steps of 16.
std::size_t colours(const view::Pixels& pixels) {
  std::set<int> found;
  for (std::size_t i = 0; i + 2 < pixels.rgb.size(); i += 3)
    found.insert((pixels.rgb[i] >> 4) << 8 | (pixels.rgb[i + 1] >> 4) << 4 |
                 pixels.rgb[i + 2] >> 4);
  return found.size();
}

TEST_F(Picture, everyCameraShowsTheMachineAndItsMotion) {
  const machine::MachineModel machine = test::machine_from_file("harvester");
  view::SceneDescription description = test::forest_scene(machine);
  description.targets = test::reach_targets();
  view::Scene scene(description, Quality::kMedium, true);
  const auto at = [&](const double(&q)[kMaxLinks]) {
    training::SessionSnapshot snapshot = test::snapshot_at(machine, q, description);
    snapshot.task.target = 0;
    snapshot.task.steps = 3;
    return snapshot;
  };
  const training::SessionSnapshot work = at(kWork), aside = at(kAside);
  for (int kind = 0; kind < view::kCameraKinds; ++kind) {
    const std::string name = view::name(static_cast<CameraKind>(kind));
    scene.set_camera(static_cast<CameraKind>(kind));
    const auto draw = [&](const training::SessionSnapshot& snapshot) {
      for (int i = 0; i < 2; ++i) {
        scene.show(snapshot, snapshot, 1.0);
        scene.frame(1280, 720);
      }
      return view::read_pixels(1280, 720);
    };
    const view::Pixels first = draw(work);
    std::ofstream(picture_folder() / (name + ".png"), std::ios::binary) << view::png_of(first);
    EXPECT_GT(colours(first), 100U) << name << ": hardly anything is to be seen";
    EXPECT_GT(scene.statistics().triangles, 10000) << name;
    EXPECT_LT(difference(first, draw(work)), 0.001) << name << ": it moves by itself";
    const double moved = difference(first, draw(aside));
    EXPECT_GT(moved, 0.01) << name << ": the machine has moved, and the picture has not";
    EXPECT_LT(difference(first, draw(work)), 0.001) << name << ": it does not come back";
  }
}

}  // namespace
}  // namespace knuckleboom
