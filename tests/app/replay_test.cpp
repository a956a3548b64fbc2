// knuckleboom replay, end to end, and the recordings it is made for.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/reader_build.hpp"
#include "program.hpp"
#include "support/paths.hpp"

namespace knuckleboom::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace fs = std::filesystem;

class ReplayCommand : public testing::Test {
 protected:
  std::vector<std::string> environment() const {
    return {"SDL_VIDEODRIVER=offscreen", "SDL_AUDIODRIVER=dummy", "LP_NUM_THREADS=1",
            "XDG_CONFIG_HOME=" + (folder_ / "config").string(),
            "XDG_DATA_HOME=" + (folder_ / "data").string()};
  }
  Outcome knuckleboom(const std::vector<std::string>& arguments) const {
    return run(arguments, environment());
  }
  Outcome replay(const std::string& file) const {
    return knuckleboom({"replay", file, "--headless"});
  }
  std::string file(const char* name) const { return (folder_ / name).string(); }
  // These tests do not check the rendering.
  static std::vector<std::string> live(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "drive");
    arguments.insert(arguments.end(), {"--window", "320x320", "--quality", "low", "--fps", "10"});
    return arguments;
  }
  // The only entry of a folder that ends like this.
  static fs::path only(const fs::path& folder, const std::string& end) {
    fs::path found;
    int count = 0;
    if (fs::exists(folder))
      for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (entry.path().string().ends_with(end)) {
          found = entry.path();
          ++count;
        }
    EXPECT_EQ(count, 1) << folder << end;
    return found;
  }

  const TemporaryFolder folder_;
};

TEST_F(ReplayCommand, refusesNumbersThatAreNone) {
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--speed", "nan"},
                                             {"--speed", "inf"},
                                             {"--speed", "0.05"},
                                             {"--speed", "11"},
                                             {"--from", "nan"},
                                             {"--duration", "nan"},
                                             {"--at", "nan"},
                                             {"--loop", "nan-2"}}) {
    std::vector<std::string> arguments = {"replay", file("none.h5"), "--headless"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    const Outcome outcome = knuckleboom(arguments);
    EXPECT_EQ(outcome.status, 2) << wrong[0] << wrong[1];
    EXPECT_THAT(outcome.errors, HasSubstr(wrong[0] == "--loop" ? "none.h5" : wrong[0]));
  }
}

// Driven live, with changes of control and model and a restart on the way.
TEST_F(ReplayCommand, findsTheSameBitsInALiveSession) {
  const Outcome drive =
      knuckleboom(live({"reach", "--duration", "4", "--sessions", file("mine"), "--press",
                        "W@0.5+1.2", "--press", "M@1.0", "--press", "I@1.5+1", "--press", "V@2",
                        "--press", "A@2.2+0.8", "--press", "F5@3", "--press", "D@3.2+0.5"}));
  ASSERT_EQ(drive.status, 0) << drive.errors;
  const fs::path session = only(folder_ / "mine", ".h5");
  EXPECT_THAT(session.filename().string(),
              ContainsRegex("^[0-9-]+T[0-9]+-[0-9]+-[0-9]+_reach_[0-9a-f]+.h5$"));
  EXPECT_EQ(told(drive.output, "session file"), session.string());
  const Outcome again = replay(session.string());
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_THAT(again.errors, IsEmpty());
  EXPECT_EQ(told(again.output, "state"), told(drive.output, "state"));
  EXPECT_THAT(told(again.output, "hashes"), ContainsRegex("^([0-9]+) of [0-9]+ equal"));
  EXPECT_THAT(told(again.output, "recording"), HasSubstr("lever positions and commands"));
}

TEST_F(ReplayCommand, needsNoneOfTheFilesTheSessionWasMadeFrom) {
  const fs::path config = fs::path(KNUCKLEBOOM_SOURCE_DIR) / "config";
  // A machine with a base, an exercise and levers of the user's own.
  write_text(folder_ / "machine.toml",
             "base = \"" + (config / "machines/harvester_grapple/machine.toml").string() + "\"\n" +
                 "[supply]\nsource = \"a test\"\npump_bar = 190\n");
  fs::copy_file(config / "exercises/reach.toml", folder_ / "own.toml");
  fs::copy_file(config / "levers/excavator.toml", folder_ / "hands.toml");
  write_text(folder_ / "hands.csv", "t_s,left_y,right_y\n0.5,0.6,0\n1.5,0,-0.8\n2.5,0,0\n");
  const Outcome drive = knuckleboom(
      {"drive", file("own.toml"), "--machine", file("machine.toml"), "--levers", file("hands.toml"),
       "--rate", "500", "--fidelity", "full", "--control", "joint_rate", "--headless", "--input",
       file("hands.csv"), "--duration", "4", "--session", file("session.h5")});
  ASSERT_EQ(drive.status, 0) << drive.errors;
  for (const char* name : {"machine.toml", "own.toml", "hands.toml", "hands.csv"})
    fs::remove(folder_ / name);
  const Outcome again = replay(file("session.h5"));
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_EQ(told(again.output, "state"), told(drive.output, "state"));
  EXPECT_EQ(told(again.output, "length"), "2000 ticks, 4.000 s");
  EXPECT_EQ(told(again.output, "hashes"), "21 of 21 equal");
}

// Summary, replay and report say why it was over, and the replay has the same bits.
TEST_F(ReplayCommand, saysWhoWasInDanger) {
  write_text(folder_ / "road.toml",
             "name = \"road\"\ntitle = \"Road\"\nmachine = \"forwarder\"\nlevers = \"nordic\"\n"
             "[start.boom]\nposition_rad = 0.75\nport_b_MPa = 3\n"
             "[start.stick]\nposition_rad = -1.3\nport_a_MPa = 1\n"
             "[task]\nkind = \"free\"\n[[visitor]]\nname = \"anna\"\nkind = \"person\"\n"
             "from_s = 0.5\nspeed_m_per_s = 2\n[[visitor.point]]\nposition_m = [0, 21]\n"
             "[[visitor.point]]\nposition_m = [0, 10]\n");
  write_text(folder_ / "hands.csv", "t_s,left_x\n0.2,0.4\n");
  const Outcome drive =
      knuckleboom({"drive", file("road.toml"), "--headless", "--input", file("hands.csv"),
                   "--duration", "5", "--session", file("road.h5")});
  ASSERT_EQ(drive.status, 0) << drive.errors;
  // Inside after another half a second; 3 s later he has come 6 m nearer.
  EXPECT_EQ(told(drive.output, "danger"),
            "The work went on with a person 14 m away, inside the danger zone.");
  EXPECT_THAT(told(drive.output, "result"), HasSubstr("failed"));
  const Outcome again = replay(file("road.h5"));
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_EQ(told(again.output, "state"), told(drive.output, "state"));
  ASSERT_EQ(knuckleboom({"report", file("road.h5"), "-o", file("road.html")}).status, 0);
  EXPECT_THAT(content_of(folder_ / "road.html"),
              HasSubstr("The work went on with a person 14 m away, inside the danger zone."));
}

// A session keeps the species of its trees: another density afterwards changes nothing in it.
TEST_F(ReplayCommand, knowsTheTreesThatWereFelled) {
  const fs::path config = folder_ / "settings";
  fs::copy(kConfig, config, fs::copy_options::recursive);
  std::vector<std::string> variables = environment();
  variables.push_back("KNUCKLEBOOM_CONFIG=" + config.string());
  const Outcome driven = run({"drive", "felling", "--demonstrate", "--headless", "--duration", "22",
                              "--session", file("felling.h5")},
                             variables);
  ASSERT_EQ(driven.status, 0) << driven.errors;
  EXPECT_EQ(told(driven.output, "Done"), "1") << driven.output;
  for (const char* name : {"spruce", "pine", "birch"}) {
    const fs::path species = config / "species" / (std::string(name) + ".toml");
    std::string text = content_of(species);
    text.replace(text.find("density_kg_per_m3 = ") + 20, 3, "500");
    write_text(species, text);
  }
  const Outcome again = run({"replay", file("felling.h5"), "--headless"}, variables);
  EXPECT_EQ(again.status, 0) << again.output << again.errors;
  EXPECT_EQ(told(again.output, "state"), told(driven.output, "state"));
}

TEST_F(ReplayCommand, completesARecordingThatWasKilled) {
  Program program(
      live({"reach", "--duration", "60", "--sessions", file("mine"), "--press", "W@0.2+50"}),
      environment());
  fs::path journal;
  for (int i = 0; i < 400 && journal.empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (!fs::exists(folder_ / "mine")) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "mine"))
      if (entry.path().extension() == ".journal" && entry.file_size() > 200000)
        journal = entry.path();
  }
  ASSERT_FALSE(journal.empty());
  // During recording it can be replayed and is not changed.
  const Outcome meanwhile = replay(journal.string());
  EXPECT_EQ(meanwhile.status, 0) << meanwhile.errors;
  EXPECT_THAT(meanwhile.errors, HasSubstr("recorded just now"));
  EXPECT_TRUE(fs::exists(journal));
  program.send(SIGKILL);
  EXPECT_EQ(program.wait().status, 128 + SIGKILL);

  const Outcome again = replay(journal.string());
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_THAT(again.errors, HasSubstr("was cut off; what it holds is now in"));
  EXPECT_THAT(again.errors, HasSubstr("the recording was cut off after"));
  EXPECT_FALSE(fs::exists(journal));
  const fs::path session = only(folder_ / "mine", ".h5");
  EXPECT_EQ(replay(session.string()).status, 0);
}

TEST_F(ReplayCommand, looksInTheUsersFolder) {
  fs::create_directories(folder_ / "data/knuckleboom/sessions");
  ASSERT_EQ(knuckleboom({"drive", "reach", "--headless", "--duration", "1", "--session",
                         file("data/knuckleboom/sessions/first.h5")})
                .status,
            0);
  EXPECT_EQ(replay("first").status, 0);
  EXPECT_EQ(replay("first.h5").status, 0);
  const Outcome none = replay("second");
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.errors, "knuckleboom: second: there is no such file here or in " +
                             file("data/knuckleboom/sessions") + "; expected a session\n");
}

TEST_F(ReplayCommand, refusesWhatIsNoSessionWithASentence) {
  ASSERT_EQ(knuckleboom({"drive", "reach", "--headless", "--duration", "1", "--session",
                         file("session.h5")})
                .status,
            0);
  {
    std::fstream session(folder_ / "session.h5", std::ios::in | std::ios::out | std::ios::binary);
    session.seekp(20000);
    session.put('!').put('?');
  }
  const Outcome damaged = replay(file("session.h5"));
  EXPECT_EQ(damaged.status, 2);
  EXPECT_THAT(damaged.errors, HasSubstr("session.h5: the session file is damaged"));
  write_text(folder_ / "text.h5", "no session\n");
  const Outcome text = replay(file("text.h5"));
  EXPECT_EQ(text.status, 2);
  EXPECT_THAT(text.errors, HasSubstr("this is not a session file"));
  EXPECT_EQ(replay(folder_.path().string()).status, 2);
}

TEST_F(ReplayCommand, refusesAReaderOfAnotherBuild) {
  // It would drop the parts of a session that only this program's own reader knows.
  for (const char* part : {"knuckleboom", "knuckleboom-session-reader"})
    fs::copy(fs::path(KNUCKLEBOOM_BINARY).parent_path() / part, file(part));
  std::string reader = content_of(file("knuckleboom-session-reader"));
  const std::size_t sum = reader.find(io::kReaderBuild);
  ASSERT_NE(sum, std::string::npos);
  reader[sum] = 'S';
  write_text(file("knuckleboom-session-reader"), reader);
  ASSERT_EQ(knuckleboom({"drive", "reach", "--headless", "--duration", "1", "--session",
                         file("session.h5")})
                .status,
            0);
  Program other({"replay", file("session.h5"), "--headless"}, {}, file("knuckleboom"));
  const Outcome refused = other.wait();
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.errors, HasSubstr("is of another build of version"));
}

TEST_F(ReplayCommand, recordsNothingUnasked) {
  // An offscreen window is not visible; runs without a visible window are not recorded.
  ASSERT_EQ(knuckleboom(live({"reach", "--duration", "1"})).status, 0);
  ASSERT_EQ(knuckleboom({"drive", "reach", "--headless", "--duration", "1"}).status, 0);
  EXPECT_FALSE(fs::exists(folder_ / "data"));
  const Outcome both =
      knuckleboom({"drive", "reach", "--headless", "--no-record", "--session", file("x.h5")});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.errors, HasSubstr("--no-record"));
}

// An unwritable folder does not end the exercise, and is reported.
TEST_F(ReplayCommand, anExerciseThatCannotBeRecordedGoesOn) {
  write_text(folder_ / "file", "in the way");
  const Outcome drive =
      knuckleboom(live({"reach", "--duration", "1.5", "--sessions", file("file")}));
  EXPECT_EQ(drive.status, 1);
  EXPECT_THAT(drive.errors, HasSubstr("the session is not recorded"));
  EXPECT_THAT(told(drive.output, "result"), Not(IsEmpty()));
}

}  // namespace
}  // namespace knuckleboom::test
