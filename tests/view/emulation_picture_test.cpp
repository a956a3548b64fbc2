// Rendering of an emulation without a display: visible errors.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <SDL2/SDL.h>
#include <gtest/gtest.h>

#include "app/emulation/live_picture.hpp"
#include "app/emulation/load_emulation.hpp"
#include "app/emulation/scene_from_emulation.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "view/emulation_scene.hpp"
#include "view/screenshot.hpp"
#include "view/window.hpp"

namespace knuckleboom {
namespace {

using view::Pane;

constexpr int kWidth = 1280, kHeight = 720, kSceneWidth = 900;

struct Rgb {
  int r, g, b;
};
bool is_force(Rgb c) { return c.r > 180 && c.g < 70 && c.b > 60 && c.b < 160; }
bool is_paint(Rgb c) { return c.r > 150 && c.g > 80 && c.g < c.r && c.b < c.g / 2; }
bool is_section(Rgb c) { return c.r > 90 && 2 * c.g < c.r + 20 && c.b < c.g; }
bool is_peg(Rgb c) { return c.r > 165 && std::abs(c.r - c.g) < 12 && c.b < c.g - 4; }
bool is_ghost(Rgb c) { return c.b > c.r + 40 && c.b > c.g + 15; }

template <typename Is>
int count(const view::Pixels& pixels, const view::EmulationScene::Rectangle& r, Is is) {
  int found = 0;
  for (int y = r.y; y < r.y + r.height; ++y)
    for (int x = r.x; x < r.x + r.width; ++x) {
      const auto at = 3 * static_cast<std::size_t>((pixels.height - 1 - y) * pixels.width + x);
      found += is({pixels.rgb[at], pixels.rgb[at + 1], pixels.rgb[at + 2]}) ? 1 : 0;
    }
  return found;
}

using EmulationRect = view::EmulationScene::Rectangle;

void keep(const view::Pixels& pixels, const std::string& name) {
  const std::filesystem::path folder = std::filesystem::current_path() / "pictures";
  std::filesystem::create_directories(folder);
  io::write_file(folder / (name + ".png"), view::png_of(pixels));
}

class EmulationPicture : public testing::Test {
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

  void load(const std::string& name, double until_s) {
    app::EmulateOptions options;
    options.scenario = name;
    emulation_ = std::make_unique<emulation::Emulation>(app::load_emulation(options).plan);
    state_ = emulation_->initial_state();
    while (emulation_->time(state_) < until_s) emulation_->step(state_);
    scene_ = std::make_unique<view::EmulationScene>(app::scene_description(*emulation_, {}),
                                                    view::Quality::kMedium, true);
  }

  view::Pixels draw(const std::string& name) {
    scene_->show(app::scene_poses(*emulation_, state_));
    scene_->frame(kWidth, kHeight, kSceneWidth);
    view::Pixels pixels = view::read_pixels(kWidth, kHeight);
    keep(pixels, name);
    return pixels;
  }

  template <typename Is>
  int in(const view::Pixels& pixels, Pane pane, Is is) {
    return count(pixels, view::EmulationScene::rectangle(pane, kSceneWidth, kHeight), is);
  }

  std::optional<view::Window> window_;
  std::unique_ptr<emulation::Emulation> emulation_;
  std::unique_ptr<view::EmulationScene> scene_;
  emulation::EmulationState state_{};
};

TEST_F(EmulationPicture, ShowsHostPegCutAndForce) {
  load("peg_in_hole", 0.05);
  const view::Pixels before = draw("emulation_free");
  EXPECT_GT(in(before, Pane::kHost, is_paint), 8000);
  EXPECT_GT(in(before, Pane::kBoth, is_paint), 100);
  EXPECT_GT(in(before, Pane::kPeg, is_peg), 4000);
  EXPECT_GT(in(before, Pane::kPeg, is_section), 15000);
  EXPECT_EQ(in(before, Pane::kPeg, is_force), 0);
  while (state_.contact_W[2] < 20.0 && !emulation_->finished(state_)) emulation_->step(state_);
  for (int i = 0; i < 2000; ++i) emulation_->step(state_);
  const view::Pixels pressed = draw("emulation_pressed");
  EXPECT_GT(in(pressed, Pane::kPeg, is_force), 500);
  EXPECT_GT(in(pressed, Pane::kHost, is_force), 200);
  // The peg is in the hole: less of it shows, but the cut lets one see its end.
  EXPECT_GT(in(pressed, Pane::kPeg, is_peg), 4000);
}

TEST_F(EmulationPicture, GhostCanBeLeftOut) {
  load("crane_on_plane", 0.05);
  const view::Pixels with = draw("emulation_crane");
  EXPECT_GT(in(with, Pane::kBoth, is_ghost), 3000);
  scene_->set_ghost(false);
  EXPECT_LT(in(draw("emulation_no_ghost"), Pane::kBoth, is_ghost), 100);
}

TEST_F(EmulationPicture, ForceArrowPointsOutOfTheMaterial) {
  load("peg_on_plane", 0.0);
  state_.contact_W[0] = 0.0;
  state_.contact_W[2] = 50.0;
  draw("emulation_arrow");
  for (const Pane pane : {Pane::kHost, Pane::kPeg}) {
    const auto r = view::EmulationScene::rectangle(pane, kSceneWidth, kHeight);
    double x0 = 0.0, y0 = 0.0, x1 = 0.0, y1 = 0.0;
    const Vec3 tip(state_.tip.p[0], state_.tip.p[1], state_.tip.p[2]);
    ASSERT_TRUE(view::project(scene_->view(pane), tip, r.width, r.height, x0, y0));
    ASSERT_TRUE(
        view::project(scene_->view(pane), scene_->arrow_end_W(pane), r.width, r.height, x1, y1));
    EXPECT_LT(y1, y0 - 60.0);
    EXPECT_GT(y1, 0.0);
    EXPECT_NEAR(x1, x0, 10.0);
  }
}

// --- The window -------------------------------------------------------------------------------------

class EmulationWindow : public testing::Test {
 protected:
  void SetUp() override {
    app::EmulateOptions options;
    options.scenario = "peg_in_hole";
    bench_ = std::make_unique<emulation::HilBench>(app::load_emulation(options).plan);
    state_ = std::make_unique<emulation::HilState>(bench_->initial_state());
    try {
      app::LivePictureRequest request;
      request.offscreen = true;
      picture_ = std::make_unique<app::LivePicture>(*bench_, request);
    } catch (const view::WindowError& error) {
      GTEST_SKIP() << error.what();
    }
    frame();
  }

  void command(emulation::HilCommandKind kind) { bench_->apply({kind, 0, 0.0}, *state_); }
  void run_until(double t_s) {
    for (int tick = 0; bench_->time(*state_) < t_s; ++tick) {
      bench_->step(*state_, {});
      picture_->remember(*state_);
    }
  }
  bool frame() { return picture_->frame(*state_, {}, "the newest event"); }
  // Share of the picture's part.
  double share(const std::string& name, view::panels::Rect part, bool (*is)(Rgb)) {
    const view::Pixels pixels = picture_->picture(*state_, {}, "the newest event");
    keep(pixels, name);
    const EmulationRect r{static_cast<int>(part.x),
                          kHeight - static_cast<int>(part.y + part.height),
                          static_cast<int>(part.width), static_cast<int>(part.height)};
    return count(pixels, r, is) / static_cast<double>(part.width * part.height);
  }
  void press(float x, float y) {
    SDL_Event event{};
    event.type = SDL_MOUSEBUTTONDOWN;
    event.button.button = SDL_BUTTON_LEFT;
    event.button.x = static_cast<int>(x);
    event.button.y = static_cast<int>(y);
    SDL_PushEvent(&event);
    frame();
    asked_ = picture_->commands();
    frame();  // and lets go
  }
  void key(SDL_Scancode scancode) {
    SDL_Event event{};
    event.type = SDL_KEYDOWN;
    event.key.keysym.scancode = scancode;
    SDL_PushEvent(&event);
    event.type = SDL_KEYUP;
    SDL_PushEvent(&event);
    frame();
    asked_ = picture_->commands();
  }

  static constexpr view::panels::Rect kBanner{910.0F, 4.0F, 360.0F, 60.0F};
  std::unique_ptr<emulation::HilBench> bench_;
  std::unique_ptr<emulation::HilState> state_;
  std::unique_ptr<app::LivePicture> picture_;
  std::vector<std::string> asked_;
};

using Commands = std::vector<std::string>;

TEST_F(EmulationWindow, BannerHasTheColourOfTheMode) {
  const auto green = [](Rgb c) { return c.g > c.r + 50 && c.g > c.b + 30; };
  const auto amber = [](Rgb c) { return c.r > 140 && c.g > 80 && c.b < 60; };
  const auto red = [](Rgb c) { return c.r > 170 && c.g < 60 && c.b < 60; };
  EXPECT_LT(share("bench_ready", kBanner, red), 0.01);
  command(emulation::HilCommandKind::kRun);
  run_until(0.5);
  EXPECT_GT(share("bench_running", kBanner, green), 0.7);
  command(emulation::HilCommandKind::kHold);
  EXPECT_GT(share("bench_holding", kBanner, amber), 0.7);
  command(emulation::HilCommandKind::kStop);
  EXPECT_GT(share("bench_stopped", kBanner, red), 0.7);
  // The scene has a red frame as well.
  EXPECT_GT(share("bench_stopped", {0.0F, 0.0F, 900.0F, 4.0F}, red), 0.95);
}

TEST_F(EmulationWindow, SpaceEscAndTheBigButtonStop) {
  key(SDL_SCANCODE_SPACE);
  EXPECT_EQ(asked_, Commands{"stop"});
  key(SDL_SCANCODE_ESCAPE);
  EXPECT_EQ(asked_, Commands{"stop"});
  press(1090.0F, 680.0F);
  EXPECT_EQ(asked_, Commands{"stop"});
}

TEST_F(EmulationWindow, SwitchesAskOnlyForWhatIsPossible) {
  constexpr float kSwitches = 621.0F;
  press(950.0F, kSwitches);
  EXPECT_EQ(asked_, Commands{"run"});
  press(1040.0F, kSwitches);  // hold: nothing runs
  EXPECT_EQ(asked_, Commands{});
  press(1230.0F, kSwitches);
  EXPECT_EQ(asked_, Commands{"snapshot"});
  command(emulation::HilCommandKind::kStop);
  press(1130.0F, kSwitches);
  EXPECT_EQ(asked_, Commands{"reset"});
}

TEST_F(EmulationWindow, SliderTunes) {
  // Somewhere in the list of tunables there are sliders; each press on one asks for its value.
  int tuned = 0;
  for (float y = 440.0F; y < 560.0F; y += 6.0F) {
    press(1150.0F, y);
    for (const std::string& command : asked_) {
      EXPECT_TRUE(command.starts_with("set ")) << command;
      ++tuned;
    }
  }
  EXPECT_GT(tuned, 2);
}

TEST_F(EmulationWindow, ClosesWithTheWindow) {
  EXPECT_TRUE(frame());
  SDL_Event event{};
  event.type = SDL_QUIT;
  SDL_PushEvent(&event);
  EXPECT_FALSE(frame());
}

// Force and error along x, y and z are drawn in red, green and blue, between the axis and the legend.
TEST_F(EmulationWindow, ShowsARunWithItsCurves) {
  constexpr EmulationRect kCurves{970, kHeight - 440, 230, 340};
  const auto near = [](Rgb c, Rgb to) {
    return std::abs(c.r - to.r) < 30 && std::abs(c.g - to.g) < 30 && std::abs(c.b - to.b) < 30;
  };
  const auto red = [near](Rgb c) { return near(c, {238, 96, 84}); };
  const auto green = [near](Rgb c) { return near(c, {120, 204, 110}); };
  const auto blue = [near](Rgb c) { return near(c, {104, 160, 250}); };
  const view::Pixels before = picture_->picture(*state_, {}, "nothing yet");
  command(emulation::HilCommandKind::kRun);
  run_until(12.0);
  const view::Pixels after = picture_->picture(*state_, {}, "12 s: the chamfer is met");
  keep(after, "hil_run");
  EXPECT_GT(count(after, kCurves, red), count(before, kCurves, red) + 50);
  EXPECT_GT(count(after, kCurves, green), count(before, kCurves, green) + 50);
  EXPECT_GT(count(after, kCurves, blue), count(before, kCurves, blue) + 200);
}

}  // namespace
}  // namespace knuckleboom
