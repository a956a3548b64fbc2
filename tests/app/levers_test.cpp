// knuckleboom levers, end to end, on a machine without levers.

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace knuckleboom::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class Levers : public testing::Test {
 protected:
  Outcome levers(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "levers");
    return run(arguments, {"XDG_CONFIG_HOME=" + folder_.path().string(), "DISPLAY="});
  }
  void SetUp() override {
    if (levers({"--list"}).output.find("no lever or game controller") == std::string::npos)
      GTEST_SKIP() << "a lever is attached";
  }
  const TemporaryFolder folder_;
};

TEST_F(Levers, saySoWhenThereAreNone) {
  const Outcome list = levers({});
  EXPECT_EQ(list.status, 0);
  EXPECT_THAT(list.errors, IsEmpty());
  for (const char* action : {"calibrate", "bind"}) {
    const Outcome outcome = levers({action});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("no lever or game controller is attached"));
  }
  EXPECT_THAT(folder_.entries(), IsEmpty());
}

TEST_F(Levers, goOnWithDefaultsWhenTheUsersFileIsBroken) {
  std::filesystem::create_directories(folder_ / "knuckleboom");
  const auto file = folder_ / "knuckleboom/levers.toml";
  write_text(file, "[[device]]\nslot = \"left\"\nguid = \"nonsense\"\n");
  const Outcome list = levers({"--list"});
  EXPECT_EQ(list.status, 0);
  EXPECT_THAT(list.errors, HasSubstr("levers.toml:3:8: 'guid' is \"nonsense\""));
  EXPECT_THAT(list.errors, HasSubstr("going on with defaults"));
  const Outcome bind = levers({"bind"});
  EXPECT_EQ(bind.status, 2);
  EXPECT_THAT(bind.errors, HasSubstr("it would be written over"));
  EXPECT_THAT(content_of(file), HasSubstr("nonsense"));
}

TEST_F(Levers, tellWhichLeverOfTheFileIsMissing) {
  const auto file = folder_ / "desk.toml";
  write_text(file,
             "[[device]]\nslot = \"left\"\nname = \"Stick\"\n"
             "guid = \"030000004f0400000ab1000011010000\"\n");
  const Outcome outcome = levers({"--file", file.string()});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("the left lever (Stick) is not plugged in"));
}

TEST_F(Levers, areTunedIntoAFileOfTheirOwn) {
  const std::string file = (folder_ / "mine.toml").string();
  const Outcome tuned = levers({"tune", "--machine", "forwarder", "-o", file});
  EXPECT_EQ(tuned.status, 0) << tuned.errors;
  EXPECT_THAT(tuned.output, HasSubstr("drive with it by --levers " + file));
  EXPECT_THAT(content_of(file),
              testing::ContainsRegex("start_V = \\[0\\.[3-9][0-9], 0\\.[3-9][0-9]\\]"));
  // The grapple's both ways, last, from jaws half open.
  EXPECT_THAT(tuned.output,
              testing::ContainsRegex("grapple +open +0\\.[5-9][0-9] V +10\\.00 V +[0-9.]+ rad/s\n"
                                     " +closed +0\\.[5-9][0-9] V"));
  EXPECT_THAT(
      content_of(file),
      testing::ContainsRegex("grapple = \"close\"\n(.*\n)*full = 1\nstart_V = \\[0\\.[5-9]"));
  EXPECT_EQ(run({"check", file}, {}).status, 0);
  const std::string before = content_of(file);
  EXPECT_THAT(levers({"tune", "--machine", "forwarder", "--levers", file, "-o", file}).output,
              HasSubstr("mine-2.toml"));
  EXPECT_EQ(content_of(file), before);
  EXPECT_THAT(levers({"--machine", "forwarder"}).errors, HasSubstr("go with 'levers tune'"));
  EXPECT_THAT(levers({"tune", "--list"}).errors, HasSubstr("are about devices"));
  const Outcome nowhere = levers({"tune", "-o", (folder_ / "no/such/mine.toml").string()});
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_THAT(nowhere.output, IsEmpty());  // before anything is measured
}

TEST_F(Levers, refuseWhatMakesNoSense) {
  EXPECT_THAT(levers({"--device", "1"}).errors, HasSubstr("goes with 'levers calibrate'"));
  EXPECT_THAT(levers({"--file", "nowhere.toml"}).errors, HasSubstr("there is no such file"));
  EXPECT_EQ(levers({"bend"}).status, 2);
}

}  // namespace
}  // namespace knuckleboom::test
