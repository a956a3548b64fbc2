// Positions of panels and mouse actions on them. Needs no window: ImGui only generates triangles.
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <imgui.h>

#include "view/panels/banners.hpp"
#include "view/panels/gui.hpp"
#include "view/panels/help.hpp"
#include "view/panels/instruments.hpp"
#include "view/panels/menu.hpp"
#include "view/panels/painter.hpp"

namespace knuckleboom::view::panels {
namespace {

class Panels : public testing::TestWithParam<std::pair<int, int>> {
 protected:
  void SetUp() override {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = ImVec2(width(), height());
    ImFont* font = io.Fonts->AddFontDefault();
    io.Fonts->Build();
    ImGui::NewFrame();
    fonts_ = {font, font, font, font, font};
    painter_ = std::make_unique<Painter>(*ImGui::GetBackgroundDrawList(), fonts_,
                                         scale_for(GetParam().first, GetParam().second), width(),
                                         height());
  }
  void TearDown() override {
    painter_.reset();
    ImGui::EndFrame();
    ImGui::DestroyContext();
  }

  float width() const { return static_cast<float>(GetParam().first); }
  float height() const { return static_cast<float>(GetParam().second); }
  static const ImVector<ImDrawVert>& drawn() { return ImGui::GetBackgroundDrawList()->VtxBuffer; }
  void expect_all_inside() const {
    for (const ImDrawVert& v : drawn()) {
      ASSERT_GE(v.pos.x, -1.0F);
      ASSERT_GE(v.pos.y, -1.0F);
      ASSERT_LE(v.pos.x, width() + 1.0F);
      ASSERT_LE(v.pos.y, height() + 1.0F);
    }
  }

  Fonts fonts_;
  std::unique_ptr<Painter> painter_;
};

// As much as a machine can have.
struct Full {
  InstrumentFaces faces;
  training::SessionSnapshot now;
  InstrumentReadings readings;

  Full() {
    std::memset(static_cast<void*>(&now), 0, sizeof now);
    now.sim.joint_count = kMaxLinks;
    now.sim.actuator_count = kMaxActuators;
    for (int i = 0; i < kMaxLinks; ++i) faces.joints.push_back({"joint", true, -1.0, 1.0});
    for (int i = 0; i < kMaxActuators; ++i) faces.actuators.push_back({"actuator", 25e6, 10.0});
    faces.lever_function.fill("function");
    now.task.steps = 8;
    now.task.time_left_s = 20.0;
    readings.task = "Log 3 of 8: bring it to the red bunk";
    readings.mode = "Boom tip";
    readings.fidelity = "Full model";
    for (int i = 0; i < 13; ++i) readings.figures.push_back({"figure", "12.3", "", {}});
  }
};

TEST_P(Panels, leaveTheMiddleOfThePictureFree) {
  const Full full;
  draw_instruments(*painter_, InstrumentLevel::kFull, full.faces, full.now, full.readings);
  ASSERT_FALSE(drawn().empty());
  expect_all_inside();
  const ImVec2 from(width() * 0.2F, height() * 0.13F);
  const ImVec2 to(width() * 0.8F, height() * 0.95F);
  for (const ImDrawVert& v : drawn())
    EXPECT_FALSE(v.pos.x > from.x && v.pos.x < to.x && v.pos.y > from.y && v.pos.y < to.y)
        << v.pos.x << ", " << v.pos.y;
}

TEST_P(Panels, drawNothingWhenOff) {
  const Full full;
  draw_instruments(*painter_, InstrumentLevel::kOff, full.faces, full.now, full.readings);
  EXPECT_TRUE(drawn().empty());
}

// Two lines of the machine's card and the words at the lower edge tell of the grapple.
TEST_P(Panels, sayNothingOfAGrappleThatIsNotThere) {
  Full full;
  const auto size = [&](InstrumentLevel level) {
    const int before = drawn().size();
    draw_instruments(*painter_, level, full.faces, full.now, full.readings);
    return drawn().size() - before;
  };
  const int with_full = size(InstrumentLevel::kFull);
  const int with_few = size(InstrumentLevel::kCompact);
  full.faces.grapple = false;
  EXPECT_LT(size(InstrumentLevel::kFull), with_full);
  EXPECT_LT(size(InstrumentLevel::kCompact), with_few);
}

// A machine with fewer names than its snapshot has joints, and numbers that are none.
TEST_P(Panels, survivesWhatDoesNotFitTogether) {
  Full full;
  full.faces.joints.resize(1);
  full.faces.actuators.clear();
  full.now.sim.joint[0].position = std::nan("");
  full.now.sim.tip_W[2] = INFINITY;
  draw_instruments(*painter_, InstrumentLevel::kFull, full.faces, full.now, full.readings);
  expect_all_inside();
}

TEST_P(Panels, keepALongMessageInThePicture) {
  std::vector<Message> messages(30, {Tone::kWarning, std::string(300, 'x')});
  messages[1] = {Tone::kSpoken, messages[1].text, "Instructor"};
  for (Message& message : messages)
    for (std::size_t i = 7; i < message.text.size(); i += 8) message.text[i] = ' ';
  for (const MessagePlace place : {MessagePlace::kTop, MessagePlace::kBelowTask,
                                   MessagePlace::kBesideCard, MessagePlace::kBottom})
    draw_messages(*painter_, messages, place);
  ASSERT_FALSE(drawn().empty());
  expect_all_inside();
}

// The instructor reads the pressures beside his card.
TEST_P(Panels, leaveThePressuresFreeOfTheCard) {
  Menu menu;
  menu.title = "Instructor";
  menu.subtitle = "one\ntwo\nthree";
  for (int i = 0; i < 10; ++i) menu.rows.push_back({.id = i, .label = "row"});
  constexpr float kHydraulicsEnd = 12.0F + 224.0F;
  const FreeCorner corner = free_corner(InstrumentLevel::kFull);
  draw_side_menu(*painter_, menu, {}, corner.x, corner.y);
  ASSERT_FALSE(drawn().empty());
  const float scale = scale_for(GetParam().first, GetParam().second);
  for (const ImDrawVert& v : drawn()) ASSERT_GT(v.pos.x, kHydraulicsEnd * scale);
  expect_all_inside();
}

Menu one_choice_and_an_action() {
  Menu menu;
  menu.title = "Menu";
  menu.rows.push_back({.id = 1, .label = "Machine", .choices = {{"a"}, {"b"}, {"c"}}});
  menu.rows.push_back({.id = 2, .label = "Quit"});
  return menu;
}

TEST_P(Panels, followTheMouse) {
  Menu menu = one_choice_and_an_action();
  float bottom = 0.0F;
  const auto click = [&](float x, float y) {
    return draw_rows(*painter_, menu, {x, y, true, true}, 100.0F, 100.0F, 400.0F, bottom);
  };
  EXPECT_EQ(click(400.0F, 110.0F).changed, 1);
  EXPECT_EQ(menu.find(1)->chosen, 1);
  EXPECT_EQ(click(120.0F, 110.0F).changed, 1);
  EXPECT_EQ(menu.find(1)->chosen, 0);
  EXPECT_EQ(click(120.0F, 140.0F).activated, 2);
  EXPECT_EQ(menu.selected, 1);
  EXPECT_EQ(click(50.0F, 140.0F).activated, -1);  // beside
}

// A mouse that lies still over a row must not hold the selection against the keys.
TEST_P(Panels, letAMouseAtRestAlone) {
  Menu menu = one_choice_and_an_action();
  float bottom = 0.0F;
  draw_rows(*painter_, menu, {120.0F, 140.0F, false, false}, 100.0F, 100.0F, 400.0F, bottom);
  EXPECT_EQ(menu.selected, 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Panels,
                         testing::Values(std::pair(1280, 720), std::pair(1920, 1080),
                                         std::pair(3840, 2160), std::pair(1024, 768)));

}  // namespace
}  // namespace knuckleboom::view::panels
