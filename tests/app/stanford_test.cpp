// knuckleboom stanford: messages read back by a script that was written from their description alone.
#include <cmath>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/io/exercise_file.hpp"
#include "program.hpp"

namespace knuckleboom::test {
namespace {

using testing::HasSubstr;

// "NAME VALUE" in the script's output; NaN without it.
double sum_of(const std::string& text, const std::string& name) {
  const std::size_t at = ("\n" + text).find("\n" + name + " ");
  return at == std::string::npos ? std::nan("") : std::stod(text.substr(at + name.size() + 1));
}

struct Read {
  int status;
  std::string text;
};
Read read_back(const std::string& message) {
  const std::string out = message + ".txt";
  const int status =
      std::system(("/usr/bin/python3 " KNUCKLEBOOM_SOURCE_DIR "/tests/stanford/read_stanford.py " +
                   message + " > " + out + " 2>&1")
                      .c_str());
  return {status, content_of(out)};
}

TEST(Stanford, TimesOfASessionAreItsWorkElements) {
  if (std::system("/usr/bin/python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "no python3";
  const TemporaryFolder folder;
  const std::string session = (folder / "s.h5").string(), mom = (folder / "s.mom").string(),
                    json = (folder / "s.json").string();
  const Outcome drive = run({"drive", "strip_road", "--demonstrate", "--headless", "--duration",
                             "20", "--session", session});
  ASSERT_EQ(drive.status, 0) << drive.errors;
  EXPECT_THAT(drive.output, HasSubstr("Work of the carrier"));
  ASSERT_EQ(run({"judge", session, "--summary", json}).status, 0);
  const Outcome written = run({"stanford", session, "-o", mom});
  ASSERT_EQ(written.status, 0) << written.errors;
  const Read read = read_back(mom);
  ASSERT_EQ(read.status, 0) << read.text;
  const std::string judged = content_of(json);
  const double moved = json_number(judged, "work_drive_MOVE_s"),
               idle = json_number(judged, "work_drive_IDLE_s"),
               time = json_number(judged, "time_s");
  EXPECT_GT(moved, 5.0);
  EXPECT_NEAR(moved + idle, time, 1e-9);  // each tick belongs to one element
  EXPECT_NEAR(sum_of(read.text, "travel_s"), moved, 1.0);
  EXPECT_EQ(sum_of(read.text, "travel_s") + sum_of(read.text, "processing_s"), std::round(time));
  EXPECT_NEAR(sum_of(read.text, "driven_m"), json_number(judged, "driven_m"), 1.0);
  // It must not pass for that of a real machine.
  std::string real = content_of(mom);
  real.replace(real.find(" (simulated)"), 12, "");
  write_text(folder / "real.mom", real);
  EXPECT_NE(read_back((folder / "real.mom").string()).status, 0);
  EXPECT_EQ(run({"stanford", session, "-o", (folder / "s.fpr").string()}).status, 2);
  EXPECT_THAT(run({"stanford", session, "-o", (folder / "s.hpr").string()}).errors,
              HasSubstr("no log was cut off"));
  EXPECT_THAT(run({"stanford", session, "-o", (folder / "s.xml").string()}).errors,
              HasSubstr("the ending says what is written"));
}

TEST(Stanford, LoadsAreTheLogsInTheLoadSpace) {
  if (std::system("/usr/bin/python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "no python3";
  const TemporaryFolder folder;
  const std::string session = (folder / "s.h5").string(), fpr = (folder / "s.fpr").string();
  const Outcome drive = run(
      {"drive", "grid", "--demonstrate", "--headless", "--duration", "45", "--session", session});
  ASSERT_EQ(drive.status, 0) << drive.errors;
  ASSERT_THAT(drive.output, HasSubstr("1 of 30 done"));
  const Outcome written = run({"stanford", session, "-o", fpr});
  ASSERT_EQ(written.status, 0) << written.errors;
  const Read read = read_back(fpr);
  ASSERT_EQ(read.status, 0) << read.text;
  const training::Exercise grid = io::read_exercise(kConfig + "/exercises/grid.toml").exercise;
  const world::Log& log = grid.world.logs[static_cast<std::size_t>(grid.log_tasks.front().log)];
  const double volume = std::acos(-1.0) * log.radius * log.radius * log.length;
  EXPECT_EQ(sum_of(read.text, "loads"), 1.0);
  EXPECT_EQ(sum_of(read.text, "unloaded"), 0.0);  // it is still aboard at the end
  EXPECT_NEAR(sum_of(read.text, "volume_m3"), volume, 1e-3 * volume);
  EXPECT_NEAR(sum_of(read.text, "mass_kg"), volume * log.density, 1.0);
}

TEST(Stanford, AHarvestIsTheLogsThatWereCut) {
  if (std::system("/usr/bin/python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "no python3";
  const TemporaryFolder folder;
  const std::string session = (folder / "s.h5").string(), hpr = (folder / "s.hpr").string();
  const Outcome drive = run(
      {"drive", "feed", "--demonstrate", "--headless", "--duration", "30", "--session", session});
  ASSERT_EQ(drive.status, 0) << drive.errors;
  const Outcome written = run({"stanford", session, "-o", hpr});
  ASSERT_EQ(written.status, 0) << written.errors;
  const Read read = read_back(hpr);
  ASSERT_EQ(read.status, 0) << read.text;
  EXPECT_EQ(sum_of(read.text, "stems"), 1.0);
  EXPECT_GE(sum_of(read.text, "logs"), 2.0);
  EXPECT_GT(sum_of(read.text, "length_cm"), 900.0);
  const double over = sum_of(read.text, "volume_sob_m3"),
               under = sum_of(read.text, "volume_sub_m3");
  EXPECT_GT(under, 0.8 * over);
  EXPECT_LT(under, over);
  // Two logs of 4.9 and 4.3 m from a spruce of 24 cm.
  EXPECT_NEAR(over, 0.36, 0.1);
}

}  // namespace
}  // namespace knuckleboom::test
