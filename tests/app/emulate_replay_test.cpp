// knuckleboom emulate --replay, end to end.

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/io/loop_recording.hpp"
#include "program.hpp"
#include "support/loop_run.hpp"

namespace knuckleboom::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class EmulateReplay : public testing::Test {
 protected:
  static constexpr std::int64_t kTicks = 2500;

  EmulateReplay() : file_((folder_ / "run.kbe").string()) {
    const io::EmulationTexts texts = shipped_loop_texts("peg_on_plane", {"sensor.delay_ticks=2"});
    const auto loop = io::make_loop(texts);
    state_ = io::hash_of(record_loop(texts, *loop, outside_run(*loop, kTicks, 3), file_));
  }
  std::string changed(const std::string& name, const std::string& content) {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  const TemporaryFolder folder_;
  std::string file_;
  std::uint64_t state_ = 0;
};

TEST_F(EmulateReplay, HasTheSameBits) {
  const Outcome outcome = run({"emulate", "--replay", file_});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("peg_on_plane: flexible_arm by hydraulic_host"),
                                    HasSubstr("2500 ticks, 2.500 s; end of the test"),
                                    HasSubstr("26 of 26 equal")));
  char digits[17] = {};
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(state_));
  EXPECT_THAT(outcome.output, HasSubstr(digits));
}

TEST_F(EmulateReplay, OfWhatIsLeftOfARecording) {
  const std::string whole = content_of(file_);
  const std::string cut = changed("cut.kbe", whole.substr(0, whole.size() - 5000));
  const Outcome outcome = run({"emulate", "--replay", cut});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("2000 ticks"), HasSubstr("21 of 21 equal")));
  EXPECT_THAT(outcome.errors, HasSubstr("cut off or still goes on; it is whole up to 2.000 s"));
  EXPECT_THAT(run({"check", cut}).output, HasSubstr("2.000 s, cut off"));
}

// As another build would: the same recording, of a bench that is a little stiffer.
TEST_F(EmulateReplay, SaysWhereItDiffers) {
  io::LoopRecordingHeader header = io::read_loop_recording(file_).header;
  header.made_from.assignments.emplace_back("site.friction=0.2000001");
  header.program = "knuckleboom 0.0.1 (another)";
  const std::string other = (folder_ / "other.kbe").string();
  {
    const io::LoopRecording recording = io::read_loop_recording(file_);
    io::LoopRecordingWriter writer(other, header);
    for (const io::StateHash& hash : recording.hashes) writer.add(hash);
    for (const io::LoopTickCommand& command : recording.commands) writer.add(command);
    io::LoopFrames frames(recording);
    for (std::int64_t k = 0; k < kTicks; ++k) writer.add(k, frames.at(k));
    writer.close(recording.end);
  }
  const Outcome outcome = run({"emulate", "--replay", other});
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.errors, AllOf(HasSubstr("recorded by knuckleboom 0.0.1 (another); this is"),
                                    HasSubstr("the replay differs from the recording at tick 0")));
  EXPECT_THAT(outcome.output, HasSubstr("0 of 26 equal"));
}

TEST_F(EmulateReplay, PointsToTheRightCommand) {
  EXPECT_THAT(run({"check", file_}).output,
              HasSubstr("ok (recording of emulation peg_on_plane, 2.500 s, whole)"));
  Outcome outcome = run({"replay", file_});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("'knuckleboom emulate --replay " + file_ + "'"));
  outcome = run({"emulate", file_});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("'knuckleboom emulate --replay " + file_ + "'"));
  outcome = run({"emulate"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("emulate needs the name of an emulation"));
  EXPECT_THAT(run({"emulate", "peg_on_plane", "--replay", file_}).errors,
              HasSubstr("leave out the emulation"));
  EXPECT_EQ(run({"emulate", "--replay", file_, "--set", "site.friction=0"}).status, 2);

  outcome = run({"emulate", "--replay", changed("text.kbe", "name = \"peg\"\n")});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("no recording of an emulation"));
  outcome = run({"emulate", "--replay", (folder_ / "nowhere.kbe").string()});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("there is no such file"));
}

}  // namespace
}  // namespace knuckleboom::test
