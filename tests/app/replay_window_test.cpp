// knuckleboom replay with its window, end to end: by SDL's offscreen driver and its silent sound.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/recording/session_file.hpp"
#include "program.hpp"

namespace knuckleboom::test {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

class ReplayPicture : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    session_ = (*folder_ / "reach.h5").string();
    const Outcome outcome = program({"drive", "reach", "--demonstrate", "--headless", "--duration",
                                     "20", "--session", session_});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
  }
  static void TearDownTestSuite() { delete folder_; }

  static Outcome program(const std::vector<std::string>& arguments) {
    return run(arguments, {"SDL_VIDEODRIVER=offscreen", "SDL_AUDIODRIVER=dummy",
                           "XDG_CONFIG_HOME=" + (*folder_ / "config").string(),
                           "XDG_DATA_HOME=" + (*folder_ / "data").string(), "LP_NUM_THREADS=1"});
  }
  static Outcome replay(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"replay", session_, "--window", "640x360", "--quality",
                                         "low", "--fps", "30"});
    return program(arguments);
  }
  // Seconds behind "shown to" in the summary.
  static double shown_to(const Outcome& outcome) {
    const std::size_t at = outcome.output.find("shown to");
    return at == std::string::npos ? -1.0 : std::strtod(outcome.output.c_str() + at + 8, nullptr);
  }

  static TemporaryFolder* folder_;
  static std::string session_;
};
TemporaryFolder* ReplayPicture::folder_ = nullptr;
std::string ReplayPicture::session_;

// In the place of ffmpeg: counts what it gets, and makes the file that its last argument names.
constexpr const char* kCounter = R"(#!/bin/sh
for last; do :; done
wc -c > "${last#file:}"
)";

TEST_F(ReplayPicture, becomesAVideoPictureByPicture) {
  const fs::path bin = *folder_ / "bin";
  fs::create_directories(bin);
  write_text(bin / "ffmpeg", kCounter);
  fs::permissions(bin / "ffmpeg", fs::perms::owner_all);
  const std::string path = std::string("PATH=") + bin.string() + ":" + std::getenv("PATH");
  const std::string video = (*folder_ / "v.mp4").string();
  const std::vector<std::string> arguments = {"replay",    session_, "--window", "320x320",
                                              "--quality", "low",    "--from",   "19.8",
                                              "--video",   video};
  const std::vector<std::string> home = {"SDL_VIDEODRIVER=offscreen", "SDL_AUDIODRIVER=dummy",
                                         "XDG_CONFIG_HOME=" + (*folder_ / "config").string(),
                                         "LP_NUM_THREADS=1", path};
  const Outcome outcome = run(arguments, home);
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  // From 19.80 s to 20.00 s, 25 a second, both ends among them, three bytes a point.
  EXPECT_THAT(told(outcome.output, "video"), HasSubstr("6 pictures"));
  EXPECT_EQ(std::stol(content_of(video)), 6L * 320 * 320 * 3);
  EXPECT_THAT(run(arguments, home).errors, HasSubstr("there is such a file already"));
  EXPECT_EQ(std::stol(content_of(video)), 6L * 320 * 320 * 3);
}

TEST_F(ReplayPicture, saysWhatAVideoNeeds) {
  const std::string video = (*folder_ / "no.mp4").string();
  const Outcome outcome =
      run({"replay", session_, "--window", "320x320", "--quality", "low", "--video", video},
          {"SDL_VIDEODRIVER=offscreen", "SDL_AUDIODRIVER=dummy", "PATH=/nowhere",
           "XDG_CONFIG_HOME=" + (*folder_ / "config").string(), "LP_NUM_THREADS=1"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("--video needs the program ffmpeg"));
  EXPECT_FALSE(fs::exists(video));
}

TEST_F(ReplayPicture, showsAnInstantWithCurvesAndComparesOnTheWay) {
  const std::string png = (*folder_ / "r.png").string();
  const Outcome outcome = replay({"--from", "3", "--plot", "tip_z_m", "--plot", "boom_port_a_Pa",
                                  "--frames", "12", "--screenshot", png});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("states as recorded"));
  EXPECT_GT(fs::file_size(png), 20'000U);
  EXPECT_GT(shown_to(outcome), 3.0);
}

TEST_F(ReplayPicture, obeysItsKeys) {
  // Paused: End, 10 s and 1 s back, a tick back.
  const Outcome outcome =
      replay({"--paused", "--press", "End@0.3", "--press", "Left@0.5", "--press", "PageUp@0.7",
              "--press", "PageDown@0.9", "--duration", "1.6"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  const io::SessionRecord record = io::read_session(session_);
  ASSERT_FALSE(record.events.empty());
  // An event before 19 s and the one after that.
  double before = -1.0, after = -1.0;
  for (const io::SessionEvent& event : record.events) {
    const double s = static_cast<double>(event.tick) * 1e-3;
    if (s < 19.0) before = s;
  }
  for (const io::SessionEvent& event : record.events)
    if (const double s = static_cast<double>(event.tick) * 1e-3; s > before && after < 0.0)
      after = s;
  EXPECT_NEAR(shown_to(outcome), after > 0.0 ? after : before, 1e-6);
}

TEST_F(ReplayPicture, repeatsASection) {
  const Outcome outcome =
      replay({"--from", "5", "--loop", "5-5.5", "--speed", "5", "--duration", "2"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_GE(shown_to(outcome), 5.0);
  EXPECT_LT(shown_to(outcome), 5.5);
}

// The lever key is held for a thousandth of a second: it moves the lever for one picture, however
// slow.
TEST_F(ReplayPicture, handsTheMachineOver) {
  const std::string own = (*folder_ / "own.h5").string();
  const Outcome outcome =
      replay({"--from", "6", "--paused", "--press", "Return@0.5", "--press", "P@2", "--press",
              "D@2.5+0.001", "--duration", "4", "--session", own});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  const io::SessionRecord parent = io::read_session(session_);
  const io::SessionRecord child = io::read_session(own);
  EXPECT_EQ(child.header.parent_id, parent.header.id);
  EXPECT_EQ(child.header.parent_tick, 6000);
  EXPECT_EQ(child.header.first_tick, 6000);
  EXPECT_GT(child.end.end_tick, 6500);
  // Its first state is bit for bit the parent's state of that tick.
  const auto at = std::find(parent.state_ticks.begin(), parent.state_ticks.end(), 6000);
  ASSERT_NE(at, parent.state_ticks.end());
  const auto session = io::make_session(parent.header);
  const training::SessionState then =
      parent.state(static_cast<std::size_t>(at - parent.state_ticks.begin()), *session);
  const training::SessionState first = child.state(0, *session);
  EXPECT_EQ(std::memcmp(&then, &first, sizeof then), 0);
  // The levers start from their recorded positions: no step in the first ticks.
  ASSERT_GT(child.inputs.size(), 3U);
  const Outcome check = program({"replay", own, "--headless"});
  EXPECT_EQ(check.status, 0) << check.errors;
}

// Not continued: there is nothing to keep.
TEST_F(ReplayPicture, leavesNothingOfATakeOverThatWasLeft) {
  const fs::path own = *folder_ / "left.h5";
  const Outcome outcome = replay({"--from", "6", "--paused", "--press", "Return@0.5", "--duration",
                                  "3", "--session", own.string()});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_FALSE(fs::exists(own));
  EXPECT_FALSE(fs::exists(own.string() + ".journal"));
}

// However slow the frames are: actions due before the end are done before the end.
TEST_F(ReplayPicture, doesWhatIsDueBeforeItEnds) {
  const fs::path own = *folder_ / "due.h5";
  const Outcome outcome = replay({"--from", "3", "--paused", "--press", "Return@0.001", "--press",
                                  "P@0.002", "--duration", "0.003", "--session", own.string()});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(io::read_session(own).header.parent_tick, 3000);
}

// Not even the original session, whatever the requested name.
TEST_F(ReplayPicture, writesOverNothing) {
  const std::uintmax_t size = fs::file_size(session_);
  const Outcome outcome = replay({"--from", "2", "--paused", "--press", "Return@0.5", "--press",
                                  "P@1.5", "--duration", "2.5", "--session", session_});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(fs::file_size(session_), size);
  EXPECT_EQ(io::read_session(*folder_ / "reach-2.h5").header.parent_tick, 2000);
  const Outcome device =
      program({"drive", "reach", "--headless", "--duration", "1", "--session", "/dev/null"});
  EXPECT_EQ(device.status, 2);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(ReplayPicture, saysWhatItCannotDo) {
  Outcome outcome = replay({"--plot", "boom_pressure", "--frames", "2"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("no channel 'boom_pressure'; there are boom_rad"));
  outcome = replay({"--loop", "7-3", "--frames", "2"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("its end must come after its begin"));
  outcome = program({"replay", "nothing.h5"});
  EXPECT_EQ(outcome.status, 2);
}

}  // namespace
}  // namespace knuckleboom::test
