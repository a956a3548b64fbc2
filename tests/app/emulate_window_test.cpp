// knuckleboom emulate --live with its window and screenshots, by SDL's offscreen driver.
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace knuckleboom::test {
namespace {

using testing::HasSubstr;

Outcome live(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"emulate", "peg_in_hole", "--live"});
  return run(patiently(arguments), {"SDL_VIDEODRIVER=offscreen", "LP_NUM_THREADS=1"});
}

bool is_png(const std::filesystem::path& file) {
  return content_of(file).starts_with("\x89PNG\r\n");
}

class EmulateWindow : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string picture_ = (folder_ / "picture.png").string();
  std::string commands_ = (folder_ / "commands.txt").string();
};

TEST_F(EmulateWindow, FastRunIsDrawnAtItsEndWithoutADisplay) {
  write_text(commands_, "0 run\n2 stop\n");
  const Outcome outcome = live({"--no-pace", "--commands", commands_, "--screenshot", picture_});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_TRUE(is_png(picture_));
}

// Rendering does not change the results.
TEST_F(EmulateWindow, RunHasTheSameBitsWithAPicture) {
  write_text(commands_, "0 run\n1.5 stop\n");
  const auto state = [](const Outcome& outcome) {
    const std::size_t at = outcome.output.find("State after it: ");
    return at == std::string::npos ? std::string() : outcome.output.substr(at, 33);
  };
  const Outcome without = live({"--no-pace", "--commands", commands_});
  const Outcome with = live({"--no-pace", "--commands", commands_, "--screenshot", picture_});
  EXPECT_FALSE(state(without).empty());
  EXPECT_EQ(state(without), state(with));
}

TEST_F(EmulateWindow, LiveRunDrawsPicturesWhileItTicks) {
  write_text(commands_, "0.1 run\n");
  const Outcome outcome =
      live({"--window", "--duration", "1", "--commands", commands_, "--screenshot", picture_});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("1000 ticks"));
  EXPECT_TRUE(is_png(picture_));
}

TEST_F(EmulateWindow, WithoutADisplayTheRunGoesOnInTheTerminal) {
  const Outcome outcome = live({"--window", "--duration", "0.2"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("there is no display"));
  EXPECT_THAT(outcome.output, HasSubstr("200 ticks"));
}

TEST_F(EmulateWindow, MistakesAreNamed) {
  write_text(commands_, "0 run\n");
  Outcome outcome = live({"--window", "--no-pace", "--commands", commands_});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("--window shows real time"));
  outcome = live({"--screenshot", (folder_ / "picture.jpg").string()});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr(".png"));
}

}  // namespace
}  // namespace knuckleboom::test
