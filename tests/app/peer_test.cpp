// knuckleboom-peer as a process of its own, by itself and beside the trainer.
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "support/paths.hpp"

namespace knuckleboom::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Outcome peer(const std::vector<std::string>& arguments) {
  return Program(arguments, {}, peer_binary()).wait();
}

TEST(Peer, ChecksBothEnds) {
  const Outcome outcome = peer({"--check", "1", "--jitter", "2", "--loss", "0.01", "--silence",
                                "100", "--silence-every", "0.4"});
  EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("passed"));
}

TEST(Peer, PlaysABench) {
  const Outcome outcome =
      peer(with_key({"--signals", KNUCKLEBOOM_SOURCE_DIR "/config/signals/bench.toml", "--duration",
                     "0.3", "--loss", "0.5"}));
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("300 ticks"));
  EXPECT_THAT(outcome.output, HasSubstr("boom_spool: 0 (stale)"));
}

TEST(Peer, SaysWhatIsWrong) {
  const auto refused = [](const std::vector<std::string>& arguments) {
    const Outcome outcome = peer(arguments);
    EXPECT_EQ(outcome.status, 2);
    return outcome.errors;
  };
  EXPECT_THAT(refused({}), HasSubstr("say what to play"));
  EXPECT_THAT(refused({"--levers", "udp:nowhere", "--without-key"}), HasSubstr("is no endpoint"));
  EXPECT_THAT(refused({"--levers", "udp:10.9.8.7:5", "--without-key"}),
              HasSubstr("say where to listen"));
  EXPECT_THAT(refused({"--signals", "nothing.toml"}), HasSubstr("nothing.toml"));
  EXPECT_THAT(
      refused({"--levers", "udp:127.0.0.1:47401", "--key", "nothing.key"}),
      HasSubstr("there is no key file nothing.key; 'knuckleboom key make nothing.key' makes one; "
                "--without-key"));
  EXPECT_THAT(refused({"--loss", "2"}), HasSubstr("--loss"));
  EXPECT_THAT(refused({"--check", "1", "--latency", "nan"}), HasSubstr("is no number from"));
}

// A home of its own, so that no user's settings take part.
class TrainerWithStand : public testing::Test {
 protected:
  Outcome drive(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "drive");
    return run(arguments, {"SDL_VIDEODRIVER=offscreen", "SDL_AUDIODRIVER=dummy",
                           "XDG_CONFIG_HOME=" + file("config"), "XDG_DATA_HOME=" + file("data"),
                           "LP_NUM_THREADS=1"});
  }
  std::string file(const char* name) const { return (folder_ / name).string(); }

  const TemporaryFolder folder_;
};

TEST_F(TrainerWithStand, IsDrivenOverTheNetworkAndReplaysTheSameBits) {
  // Through the centre again and again: the stand is heard at any time.
  std::string wave = "t_s,left_x,right_y\n";
  for (int k = 0; k < 400; ++k)
    wave += std::to_string(0.2 * k) + (k % 2 == 0   ? ",0,0\n"
                                       : k % 4 == 1 ? ",0.5,-0.3\n"
                                                    : ",-0.6,0.4\n");
  write_text(folder_ / "wave.csv", wave);
  const std::string address = "udp:127.0.0.1:47411";
  Program stand(with_key({"--levers", address, "--input", file("wave.csv"), "--jitter", "2",
                          "--loss", "0.02"}),
                {}, peer_binary());
  const Outcome live = drive(
      with_key({"reach", "--window", "640x360", "--quality", "low", "--fps", "10", "--duration",
                "4", "--levers-from", address, "--record-input", file("live.csv")}));
  ASSERT_EQ(live.status, 0) << live.errors;
  stand.send(SIGTERM);
  EXPECT_EQ(stand.wait().status, 0);
  EXPECT_THAT(content_of(folder_ / "live.csv"), HasSubstr(",0.5,,,,-0.3"));
  const std::string hash = told(live.output, "state");
  ASSERT_THAT(hash, Not(IsEmpty()));
  const Outcome replay = drive({"--headless", "--input", file("live.csv")});
  ASSERT_EQ(replay.status, 0) << replay.errors;
  EXPECT_EQ(told(replay.output, "state"), hash);
}

TEST_F(TrainerWithStand, RefusesWhatDoesNotGoTogether) {
  const auto refused = [this](const std::vector<std::string>& arguments) {
    const Outcome outcome = drive(arguments);
    EXPECT_EQ(outcome.status, 2);
    return outcome.errors;
  };
  const std::string address = "udp:127.0.0.1:47421";
  EXPECT_THAT(refused({"reach", "--levers-from", "udp:10.9.8.7:5", "--without-key"}),
              HasSubstr("say where to listen"));
  EXPECT_THAT(refused({"reach", "--levers-from", address}),
              HasSubstr("config/knuckleboom/wire.key' makes one"));
  EXPECT_THAT(refused({"reach", "--headless", "--levers-from", address}),
              HasSubstr("needs real time"));
  EXPECT_THAT(refused({"reach", "--demonstrate", "--levers-from", address}),
              HasSubstr("both move the levers"));
}

}  // namespace
}  // namespace knuckleboom::test
