// The log of a start, and the file for those who look for a fault.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace knuckleboom::test::log_test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class Logs : public testing::Test {
 protected:
  std::vector<std::string> home(const std::string& level = "") const {
    return {"HOME=" + folder_.path().string(), "XDG_CONFIG_HOME=" + file("config"),
            "XDG_DATA_HOME=" + file("data"), "XDG_STATE_HOME=" + file("state"),
            "KNUCKLEBOOM_LOG=" + level};
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::vector<fs::path> logs() const {
    std::vector<fs::path> out;
    const fs::path folder = folder_ / "state/knuckleboom/logs";
    if (fs::exists(folder))
      for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path());
    return out;
  }
  std::string log() const { return logs().empty() ? "" : content_of(logs().front()); }

  const TemporaryFolder folder_;
};

const std::vector<std::string> kDrill = {"drive", "reach", "--headless", "--duration", "0.1"};

TEST_F(Logs, HoldWhatARunFoundAndNamesNobody) {
  std::vector<std::string> arguments = kDrill;
  arguments.insert(arguments.end(), {"--learner", "Anna Muster"});
  const Outcome outcome = run(arguments, home());
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  ASSERT_THAT(logs(), SizeIs(1));
  EXPECT_THAT(log(), AllOf(HasSubstr("knuckleboom drive: knuckleboom "), HasSubstr(" info "),
                           HasSubstr("result"), HasSubstr("~/data/knuckleboom")));
  EXPECT_THAT(log(), AllOf(Not(HasSubstr("Anna")), Not(HasSubstr(folder_.path().string()))));
  EXPECT_EQ(fs::status(folder_ / "state/knuckleboom/logs").permissions(), fs::perms::owner_all);
  EXPECT_EQ(run({"learners", "show", "Anna Mustre"}, home()).status, 2);
  for (const fs::path& one : logs())
    EXPECT_THAT(content_of(one), AllOf(Not(HasSubstr("Muster")), Not(HasSubstr("Mustre"))));
}

TEST_F(Logs, KeepTheLevelAskedFor) {
  const std::vector<std::string> wrong = {"run", "nothing_of_that_name"};
  EXPECT_EQ(run(wrong, home("off")).status, 2);
  EXPECT_THAT(logs(), SizeIs(0));
  std::vector<std::string> loud = wrong;
  loud.insert(loud.begin(), {"--log-level", "warning"});
  EXPECT_EQ(run(loud, home("off")).status, 2);
  EXPECT_THAT(log(), AllOf(HasSubstr(" warning "), HasSubstr("nothing_of_that_name")));
  EXPECT_EQ(run({"--log-level", "loud", "list", "machines"}, home()).status, 2);
  EXPECT_EQ(run({"list", "machines"}, home()).status, 0);
  EXPECT_THAT(logs(), SizeIs(1));  // nothing to say
}

TEST_F(Logs, AreBounded) {
  for (int k = 100; k < 310; ++k)
    folder_.write("state/knuckleboom/logs/20200101-000000-" + std::to_string(k) + ".log", "old");
  run({"run", "nothing_of_that_name"}, home());
  EXPECT_THAT(logs(), SizeIs(200));
  EXPECT_FALSE(fs::exists(folder_ / "state/knuckleboom/logs/20200101-000000-110.log"));
  EXPECT_TRUE(fs::exists(folder_ / "state/knuckleboom/logs/20200101-000000-111.log"));
  // However few: 40 MiB in all, a full file of the next start among them.
  folder_.write("state/knuckleboom/logs/20200101-000000-200.log", std::string(39 << 20, '.'));
  run({"run", "nothing_of_that_name"}, home());
  EXPECT_FALSE(fs::exists(folder_ / "state/knuckleboom/logs/20200101-000000-200.log"));
  EXPECT_TRUE(fs::exists(folder_ / "state/knuckleboom/logs/20200101-000000-201.log"));
  for (const fs::path& one : logs())
    if (!one.filename().string().starts_with("20200101")) {
      EXPECT_EQ(fs::status(one).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    }
}

TEST_F(Logs, NeverStopTheProgram) {
  folder_.write("state/knuckleboom/logs", "no folder");
  EXPECT_EQ(run(kDrill, home()).status, 0);
  fs::remove(folder_ / "state/knuckleboom/logs");
  // No byte can be written to any file: a full disk.
  const std::string command = "ulimit -f 0; exec " + std::string(KNUCKLEBOOM_BINARY) +
                              " drive reach --headless --duration 0.1 --no-record";
  const Outcome full = Program({"-c", command}, home(), "/bin/sh").wait();
  EXPECT_EQ(full.status == 0 || full.status == 1, true) << full.status;  // 1: nor could the output
}

TEST_F(Logs, SurviveAKill) {
  write_text(folder_ / "c.txt", "0.05 run\n");
  Program live(patiently({"emulate", "peg_on_plane", "--live", "--commands", file("c.txt")}),
               home());
  for (int k = 0; k < 200 && log().find("running") == std::string::npos; ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  live.send(SIGKILL);
  live.wait();
  EXPECT_THAT(log(), HasSubstr("running: as asked"));
}

TEST_F(Logs, ArePackedForAReport) {
  std::vector<std::string> arguments = kDrill;
  arguments.insert(arguments.end(), {"--learner", "Anna Muster"});
  run(arguments, home());
  run({"replay", "Anna Muster.h5"}, home());  // its complaint has the name
  run({"run", "nothing_of_that_name"}, home());
  folder_.write("config/knuckleboom/trainer.toml", "volume = 0.5\n");
  run({"key", "make"}, home());
  const std::string tar = file("problem.tar");
  const Outcome outcome = run({"report-problem", "-o", tar}, home());
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_LT(outcome.output.find("versions.txt"), outcome.output.find("written: "));
  const Outcome listed = Program({"-tf", tar}, home(), "/bin/tar").wait();
  EXPECT_THAT(listed.output, AllOf(HasSubstr("knuckleboom-problem/versions.txt"),
                                   HasSubstr("trainer.toml"), HasSubstr("logs/20")));
  EXPECT_THAT(listed.output, Not(HasSubstr("key")));
  const std::string all = content_of(tar);
  EXPECT_THAT(all, HasSubstr("nothing_of_that_name"));
  EXPECT_THAT(all, AllOf(Not(HasSubstr(folder_.path().string())), Not(HasSubstr("Muster"))));
  const Outcome again = run({"report-problem", "-o", tar}, home());
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.errors, HasSubstr("left alone"));
  EXPECT_EQ(content_of(tar), all);
}

}  // namespace
}  // namespace knuckleboom::test::log_test
