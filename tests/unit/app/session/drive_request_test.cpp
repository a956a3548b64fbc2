// Options of drive, and the words they are made of.
#include "app/session/drive_request.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "app/shell/exit_status.hpp"

namespace knuckleboom::app {
namespace {

std::string complaint(const DriveOptions& options) {
  try {
    request_of(options);
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

TEST(DriveRequest, readsSizesAndPresses) {
  DriveOptions o;
  o.window = "1920x1080";
  o.presses = {"W@2+1.5", "F1@0.5"};
  const DriveRequest request = request_of(o);
  EXPECT_EQ(request.width, 1920);
  EXPECT_EQ(request.height, 1080);
  ASSERT_EQ(request.presses.size(), 2U);
  EXPECT_EQ(request.presses[0].key, "F1");
  EXPECT_EQ(request.presses[1].key, "W");
  EXPECT_DOUBLE_EQ(request.presses[1].at_s, 2.0);
  EXPECT_DOUBLE_EQ(request.presses[1].hold_s, 1.5);
}

TEST(DriveRequest, saysWhatIsWrong) {
  for (const char* size :
       {"1280", "x720", "1280x", "1280x720x3", "10x10", "-1280x720", "99999x720"}) {
    DriveOptions o;
    o.window = size;
    EXPECT_NE(complaint(o).find(size), std::string::npos) << size;
  }
  DriveOptions session;
  session.session = "a.kbs";
  EXPECT_NE(complaint(session).find("ends in .h5"), std::string::npos);
  DriveOptions rate;
  rate.rate_Hz = 100.0;
  EXPECT_NE(complaint(rate).find("250 to 2000"), std::string::npos);
  DriveOptions control;
  control.control = "valves";
  EXPECT_NE(complaint(control).find("valve"), std::string::npos);
  DriveOptions at;
  at.at_s = 3.0;
  EXPECT_NE(complaint(at).find("--screenshot"), std::string::npos);
  DriveOptions late;
  late.screenshot = "a.png";
  late.at_s = 9.0;
  late.duration_s = 5.0;
  EXPECT_NE(complaint(late).find("beyond"), std::string::npos);
  for (const char* press : {"W@-1", "W@1+-1", "W@1e300", "W@1+1e300", "W@nan"}) {
    DriveOptions o;
    o.presses = {press};
    EXPECT_NE(complaint(o).find(press), std::string::npos) << press;
  }
  DriveOptions endless;
  endless.duration_s = std::nan("");
  EXPECT_NE(complaint(endless).find("--duration"), std::string::npos);
  DriveOptions never;
  never.screenshot = "a.png";
  never.at_s = std::nan("");
  EXPECT_NE(complaint(never).find("--at"), std::string::npos);
  DriveOptions frames;
  frames.headless = true;
  frames.frames = 3;
  EXPECT_FALSE(complaint(frames).empty());
  DriveOptions press;
  press.presses = {"@3"};
  EXPECT_FALSE(complaint(press).empty());
}

// An exam's variant is drawn anew each time, for a learner who is named.
TEST(DriveRequest, AnExamDrawsAVariant) {
  DriveOptions o;
  o.exam = true;
  o.exercise = "tank";
  EXPECT_NE(complaint(o).find("--learner"), std::string::npos);
  o.learner = "Anna";
  const auto first = request_of(o).choice.variant, second = request_of(o).choice.variant;
  ASSERT_TRUE(first && second);
  EXPECT_GE(*first, 1U);
  EXPECT_NE(*first, *second);
  o.exam = false;
  EXPECT_FALSE(request_of(o).choice.variant);
}

TEST(DriveRequest, wordsComeBack) {
  for (const auto mode : {command::ControlMode::kValve, command::ControlMode::kJointRate,
                          command::ControlMode::kBoomTip})
    EXPECT_EQ(control_of(word_of(mode), ""), mode);
  for (const auto camera :
       {view::CameraKind::kCab, view::CameraKind::kOutside, view::CameraKind::kSide,
        view::CameraKind::kTip, view::CameraKind::kFree})
    EXPECT_EQ(camera_of(word_of(camera), ""), camera);
}

}  // namespace
}  // namespace knuckleboom::app
