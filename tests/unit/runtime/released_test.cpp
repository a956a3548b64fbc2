// Recordings of released programs are read, checked and recomputed.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/recording/session_file.hpp"
#include "knuckleboom/runtime/emulation_replayer.hpp"
#include "knuckleboom/runtime/recompute.hpp"
#include "knuckleboom/runtime/replayer.hpp"
#include "support/paths.hpp"
#include "support/session_recording.hpp"

namespace knuckleboom::runtime {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kReleased = fs::path(KNUCKLEBOOM_SOURCE_DIR) / "tests" / "data" / "released";

// States were bytes in memory then, and hashes were taken over them.
class Released : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string packed = (kReleased / GetParam()).string() + ".gz";
    const std::string command = "gzip -dc '" + packed + "' > '" + file().string() + "'";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  fs::path file() const { return folder_ / GetParam(); }

 private:
  test::TemporaryFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(Formats, Released, testing::Values("session_6.h5", "torn_6.h5.journal"),
                         [](const auto& one) { return std::string(one.param).substr(0, 4); });

// Its figures were taken by other rules, and they are part of its states.
TEST_P(Released, SessionShowsItsChannels) {
  Replayer replayer(io::read_session(file()));
  EXPECT_EQ(replayer.record().header.layout.version, 6U);
  EXPECT_EQ(replayer.source(), Replayer::Source::kChannels);
  ASSERT_FALSE(replayer.remarks().empty());
  EXPECT_THAT(replayer.remarks().back(), HasSubstr("--recompute"));
  while (replayer.step()) {
  }
  EXPECT_GT(replayer.tick(), 1000);
  EXPECT_EQ(replayer.hashes_compared(), 0);
  replayer.seek(1234);
  EXPECT_EQ(replayer.tick(), 1234);
}

TEST_P(Released, SessionIsComputedAgain) {
  const Recomputed again = recompute(io::read_session(file()));
  EXPECT_THAT(again.sentence, HasSubstr("channels are as they were recorded"));
  EXPECT_GT(again.record.header.layout.version, 6U);
  Replayer replayer(again.record);
  while (replayer.step()) {
  }
  EXPECT_EQ(replayer.mismatch_count(), 0);
  EXPECT_GT(replayer.hashes_equal(), 10);
}

TEST(ReleasedLoop, RecordingOfFormat1ReplaysWithEqualHashes) {
  EmulationReplayer replayer(io::read_emulation_recording(kReleased / "emulation_1.kbe"));
  EXPECT_EQ(replayer.recording().header.layout.version, 1U);
  while (replayer.step()) {
  }
  EXPECT_GT(replayer.hashes_compared(), 10);
  EXPECT_EQ(replayer.hashes_equal(), replayer.hashes_compared());
  EXPECT_TRUE(replayer.end_is_equal());
}

}  // namespace
}  // namespace knuckleboom::runtime
