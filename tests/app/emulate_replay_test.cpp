// knuckleboom emulate --replay, end to end.

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/recording/emulation_recording.hpp"
#include "program.hpp"
#include "support/hil_run.hpp"

namespace knuckleboom::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class EmulateReplay : public testing::Test {
 protected:
  static constexpr std::int64_t kTicks = 2500;

  EmulateReplay() : file_((folder_ / "run.kbe").string()) {
    const io::EmulationTexts texts =
        shipped_emulation_texts("peg_on_plane", {"sensor.delay_ticks=2"});
    const auto loop = io::make_hil_bench(texts);
    state_ = state::hash(record_emulation(texts, *loop, outside_run(*loop, kTicks, 3), file_));
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
  io::EmulationRecordingHeader header = io::read_emulation_recording(file_).header;
  header.made_from.assignments.emplace_back("site.friction=0.2000001");
  header.program = "knuckleboom 0.0.1 (another)";
  const std::string other = (folder_ / "other.kbe").string();
  {
    const io::EmulationRecording recording = io::read_emulation_recording(file_);
    io::EmulationRecordingWriter writer(other, header);
    for (const io::StateHash& hash : recording.hashes) writer.add(hash);
    for (const io::EmulationTickCommand& command : recording.commands) writer.add(command);
    io::EmulationFrames frames(recording);
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

// --- Live, over a bad wire --------------------------------------------------------

class RecordedLive : public testing::Test {
 protected:
  explicit RecordedLive(int port = 47431) {
    write_text(folder_ / "signals.toml", R"(
udp = "udp:127.0.0.1:)" + std::to_string(port) +
                                             R"("

[[signal]]
name = "tip.x"
direction = "out"
least = -2
most = 2

[[signal]]
name = "operator.x"
direction = "in"
source = "network"
least = -0.03
most = 0.03
stale_ms = 30
plant = { follows = "tip.x", gain = -0.4, offset = 0.01, lag_s = 0.1 }

[[signal]]
name = "operator.z"
direction = "in"
source = "network"
least = -0.02
most = 0.02
stale_ms = 30
plant = { offset = 0.006 }
)");
    write_text(folder_ / "commands.txt",
               "0.3 run\n0.8 set control.bandwidth_Hz 3\n1 source operator.z simulated\n"
               "1.2 hold\n1.4 run\n");
  }
  std::string file(const char* name) const { return (folder_ / name).string(); }
  // Late, lost and repeated packets, and silences.
  std::vector<std::string> peer_arguments() const {
    return with_key({"--signals", file("signals.toml"), "--duration", "60", "--loss", "0.1",
                     "--jitter", "3", "--repeat", "0.1", "--silence", "50", "--silence-every",
                     "0.5"});
  }
  std::vector<std::string> live(const char* duration) const {
    return with_key(patiently({"emulate", "peg_on_plane", "--live", "--signals",
                               file("signals.toml"), "--commands", file("commands.txt"),
                               "--duration", duration, "--record", file("run.kbe"), "--log",
                               file("live.csv"), "--log-signals", "tip.*,operator.*,mode"}));
  }

  const TemporaryFolder folder_;
};

TEST_F(RecordedLive, HasTheSameBitsWithoutTheWire) {
  Program peer(peer_arguments(), {}, peer_binary());
  const Outcome live_run = run(live("2"));
  peer.send(SIGTERM);
  peer.wait();
  EXPECT_EQ(live_run.status, 0) << live_run.output << live_run.errors;
  EXPECT_THAT(live_run.output, Not(HasSubstr("Packets: 0 received")));
  const std::string said = "State after it: ";
  const std::string state = live_run.output.substr(live_run.output.find(said) + said.size(), 16);
  const Outcome outcome = run({"emulate", "--replay", file("run.kbe"), "--log", file("again.csv"),
                               "--log-signals", "tip.*,operator.*,mode"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("21 of 21 equal"), HasSubstr(state),
                                    HasSubstr("2000 ticks, 2.000 s")));
  EXPECT_EQ(content_of(file("again.csv")), content_of(file("live.csv")));
  EXPECT_GT(io::read_emulation_recording(file("run.kbe")).frames, 300);
  // A second run under the name is refused, and the first stays.
  const std::string before = content_of(file("run.kbe"));
  const Outcome second = run(live("0.1"));
  EXPECT_EQ(second.status, 2);
  EXPECT_THAT(second.errors, HasSubstr("give another name"));
  EXPECT_EQ(content_of(file("run.kbe")), before);
}

class KilledLive : public RecordedLive {
 protected:
  KilledLive() : RecordedLive(47435) {}
};

TEST_F(KilledLive, ReadsUpToTheLastSecond) {
  Program peer(peer_arguments(), {}, peer_binary());
  std::optional<Program> bench(std::in_place, live("60"));
  const auto start = std::chrono::steady_clock::now();
  std::error_code ignored;
  while (!std::filesystem::exists(file("run.kbe"), ignored) &&
         std::chrono::steady_clock::now() - start < std::chrono::seconds(20))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::this_thread::sleep_for(std::chrono::milliseconds(2300));
  bench->send(SIGKILL);
  // The status line of each second says how far it had come: "2.00 s  running ...".
  double told_s = 0.0;
  std::istringstream lines(bench->wait().output);
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t at = line.find(" s  "); at != std::string::npos && at < 8)
      told_s = std::stod(line);
  peer.send(SIGTERM);
  peer.wait();
  const Outcome outcome = run({"emulate", "--replay", file("run.kbe")});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("cut off"));
  EXPECT_THAT(outcome.output, Not(HasSubstr(" 0 of ")));
  const io::EmulationRecording recording = io::read_emulation_recording(file("run.kbe"));
  EXPECT_GT(recording.end.end_tick, 0);
  EXPECT_GE(1e-3 * static_cast<double>(recording.end.end_tick), told_s - 1.0);
}

}  // namespace
}  // namespace knuckleboom::test
