// knuckleboom drive, end to end: without a display, by SDL's offscreen driver and its silent sound, and
// in a window of a virtual display.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <osg/Image>
#include <osgDB/ReadFile>
#include <sys/stat.h>

#include "endpoint/pin.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "learners/database.hpp"
#include "program.hpp"
#include "support/paths.hpp"

namespace knuckleboom::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace fs = std::filesystem;

// A separate home, so that no user's settings are used.
class Drive : public testing::Test {
 protected:
  std::vector<std::string> environment(const std::string& sound = "dummy") const {
    return {"SDL_VIDEODRIVER=offscreen", "SDL_AUDIODRIVER=" + sound,
            "XDG_CONFIG_HOME=" + (folder_ / "config").string(),
            "XDG_DATA_HOME=" + (folder_ / "data").string(), "LP_NUM_THREADS=1"};
  }
  // Small and plain: the tests check behaviour, not appearance.
  static std::vector<std::string> small(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--window", "640x360", "--quality", "low", "--fps", "10"});
    return arguments;
  }
  Outcome drive(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "drive");
    return run(arguments, environment());
  }
  std::string file(const char* name) const { return (folder_ / name).string(); }

  const TemporaryFolder folder_;
};

// Approximate number of colours of an image.
std::size_t colours_of(const std::string& file) {
  const osg::ref_ptr<osg::Image> image = osgDB::readRefImageFile(file);
  if (!image.valid()) return 0;
  std::set<int> colours;
  for (int y = 0; y < image->t(); y += 3)
    for (int x = 0; x < image->s(); x += 3) {
      const unsigned char* p = image->data(x, y);
      colours.insert((p[0] >> 3) << 10 | (p[1] >> 3) << 5 | p[2] >> 3);
    }
  return colours.size();
}

TEST_F(Drive, namesAnExerciseThatIsNotThere) {
  const Outcome outcome = drive({"rech", "--headless"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.errors, "knuckleboom: there is no exercise 'rech'; did you mean 'reach'?\n");
  EXPECT_THAT(outcome.output, IsEmpty());
}

TEST_F(Drive, runsHeadlessWithTheSameResultEachTime) {
  write_text(folder_ / "hands.csv", "t_s,left_y,right_y\n0.5,0.6,0\n1.5,0,-0.8\n2.5,0,0\n");
  const std::vector<std::string> arguments = {"reach",           "--headless", "--input",
                                              file("hands.csv"), "--duration", "4"};
  const Outcome once = drive(arguments);
  ASSERT_EQ(once.status, 0) << once.errors;
  EXPECT_EQ(told(once.output, "ticks"), "4000, 4.000 s");
  EXPECT_EQ(told(drive(arguments).output, "state"), told(once.output, "state"));
  // The levers had an effect.
  const Outcome idle = drive({"reach", "--headless", "--duration", "4"});
  EXPECT_NE(told(idle.output, "state"), told(once.output, "state"));
  EXPECT_EQ(told(idle.output, "result"), "not begun");
}

TEST_F(Drive, saysWhenAFaultNeverCame) {
  const Outcome outcome =
      drive({"reach", "--headless", "--duration", "0.5", "--fault", "boom_cylinder_leak@60"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.errors, HasSubstr("--fault boom_cylinder_leak@60 never came: the run ended "
                                        "at 0.5 s; --duration makes it longer\n"));
}

// Its J3 goes from 1.13 to 2.01 rad, and no exercise places it: that is not what is wrong.
TEST_F(Drive, saysThatLeversMoveNothingOfAMachine) {
  const Outcome outcome =
      drive({"free_play", "--machine", "rescue_leg", "--headless", "--duration", "0.2"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.errors,
            "knuckleboom: lever pattern 'nordic' moves nothing of machine 'rescue_leg'; choose "
            "another one. 'knuckleboom bench rescue_leg' drives any machine joint by joint\n");
}

// Seen and steered live, with changes of control and model on the way; then the recording alone.
TEST_F(Drive, repeatsALiveSessionFromItsRecordingBitByBit) {
  const Outcome live =
      drive(small({"reach", "--duration", "4", "--record-input", file("live.csv"), "--press",
                   "W@0.5+1.2", "--press", "M@1.0", "--press", "I@1.5+1", "--press", "V@2",
                   "--press", "A@2.2+0.8", "--press", "F5@3", "--press", "D@3.2+0.5"}));
  ASSERT_EQ(live.status, 0) << live.errors;
  const std::string hash = told(live.output, "state");
  ASSERT_THAT(hash, Not(IsEmpty()));
  const std::string recording = content_of(folder_ / "live.csv");
  EXPECT_THAT(recording, HasSubstr("control_mode:joint_rate"));
  EXPECT_THAT(recording, HasSubstr("restart"));
  EXPECT_THAT(recording, HasSubstr(",end"));

  const Outcome replay =
      drive({"--headless", "--input", file("live.csv"), "--record-input", file("again.csv")});
  ASSERT_EQ(replay.status, 0) << replay.errors;
  EXPECT_EQ(told(replay.output, "state"), hash);
  EXPECT_EQ(told(replay.output, "ticks"), told(live.output, "ticks"));
  // Live again, with the thread's own playback.
  const Outcome again = drive(small({"--input", file("live.csv")}));
  EXPECT_EQ(told(again.output, "state"), hash) << again.errors;
}

TEST_F(Drive, recordsWhatTheCommandLineChanges) {
  const Outcome live = drive(small({"reach", "--duration", "1.5", "--control", "boom_tip",
                                    "--fidelity", "full", "--rate", "500", "--levers", "excavator",
                                    "--record-input", file("live.csv"), "--press", "W@0.3+0.5"}));
  ASSERT_EQ(live.status, 0) << live.errors;
  const Outcome replay = drive({"--headless", "--input", file("live.csv")});
  EXPECT_EQ(told(replay.output, "state"), told(live.output, "state")) << replay.errors;
}

TEST_F(Drive, endsAfterSoManyPictures) {
  const Outcome outcome = drive(small({"reach", "--frames", "5"}));
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(told(outcome.output, "pictures"), testing::StartsWith("5, "));
}

TEST_F(Drive, writesPictures) {
  ASSERT_EQ(drive(small({"reach", "--screenshot", file("live.png"), "--at", "0.5"})).status, 0);
  EXPECT_GT(colours_of(file("live.png")), 200U);
  // Without a window too, in the language that is asked for; the terminal stays English.
  std::vector<std::string> pictures, results;
  for (const char* language : {"en", "fi"}) {
    const Outcome outcome =
        drive(small({"reach", "--headless", "--duration", "0.3", "--language", language,
                     "--screenshot", file("headless.png"), "--at", "0.2"}));
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_GT(colours_of(file("headless.png")), 200U);
    pictures.push_back(content_of(file("headless.png")));
    results.push_back(outcome.output);
  }
  EXPECT_NE(pictures[0], pictures[1]);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_THAT(results[1], HasSubstr("not begun"));
}

TEST_F(Drive, showsEachPage) {
  for (const char* key : {"F1@0.3", "Escape@0.3", "P@0.3"}) {
    const Outcome outcome = drive(
        small({"reach", "--press", key, "--duration", "1", "--screenshot", file("page.png")}));
    EXPECT_EQ(outcome.status, 0) << key << outcome.errors;
    EXPECT_GT(colours_of(file("page.png")), 100U) << key;
  }
}

// From the menu into an exercise, back to the menu, and out, by keys alone.
TEST_F(Drive, canBeUsedByKeysAlone) {
  const Outcome outcome =
      drive(small({"--menu", "--duration", "20", "--press", "Up@0.5", "--press", "Up@0.7",
                   "--press", "Return@0.9", "--press", "W@2+0.5", "--press", "Escape@3", "--press",
                   "Up@3.3", "--press", "Return@3.6"}));
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, Not(HasSubstr("no exercise was begun")));
  EXPECT_THAT(outcome.output, HasSubstr("Free play"));
}

// An exercise that is passed by touching a lever, under the name of the first one of the course.
constexpr const char* kTouch = R"(name = "reach"
title = "Touch"
machine = "harvester_wheeled"
levers = "nordic"
load_space = false
[start.boom]
position_rad = 0.65
port_b_MPa = 3
[start.stick]
position_rad = -1.4
port_a_MPa = 1
[start.extension]
position_m = 0.5
port_a_bar = 4
[task]
kind = "reach"
[[target]]
position_m = [4, 0, 3]
radius_m = 50
dwell_s = 0.1
[limits]
collisions = { most = 0 }
)";

// Two questions in the place of ten.
constexpr const char* kTwoQuestions = R"(name = "danger_zone"
title = "Danger zone"
least_right = 2
[[question]]
text = "One?"
answers = ["right", "wrong"]
[[question]]
text = "Two?"
answers = ["right", "wrong"]
)";

// Keys one after the other.
class Keys {
 public:
  explicit Keys(double at_s) : at_s_(at_s) {}
  Keys& press(const std::string& key, double then_s = 0.15) {
    out_.emplace_back("--press");
    out_.push_back(fmt::format("{}@{:.2f}+0.05", key, at_s_));
    at_s_ += then_s;
    return *this;
  }
  // Which opens a page: the keys after it are meant for that one.
  Keys& open(double then_s = 0.6) { return press("Return", then_s); }
  std::vector<std::string> arguments() const { return out_; }
  std::string end() const { return fmt::format("{:.2f}", at_s_); }

 private:
  double at_s_;
  std::vector<std::string> out_;
};

// From the menu alone: makes a learner, answers the questions, passes the exercise twice, and goes on to the second
// lesson. The course is the shipped one.
TEST_F(Drive, leadsANewLearnerThroughTheFirstLessonByKeysAlone) {
  fs::create_directories(folder_ / "own/exercises");
  fs::create_directories(folder_ / "own/quizzes");
  write_text(folder_ / "own/exercises/reach.toml", kTouch);
  write_text(folder_ / "own/quizzes/danger_zone.toml", kTwoQuestions);
  Keys keys(1.0);
  for (int i = 0; i < 4; ++i) keys.press("Up");
  keys.open();
  for (const char* key : {"U", "N", "A"}) keys.press(key);
  keys.open();         // joins: back in the menu, on the course
  keys.open().open();  // the course, its first lesson
  keys.open();         // the questions
  keys.press("Return", 0.4).press("Return", 0.4);
  keys.press("Down", 0.4).press("Return", 0.4).press("Return");  // the right one has moved down
  keys.open();     // back to the lesson, on its exercise
  keys.open(3.5);  // starts
  keys.press("W", 3.5);
  keys.open(1.0);  // again
  keys.press("W", 3.5);
  keys.open(3.5);  // on with the course
  std::vector<std::string> arguments = keys.arguments();
  arguments.insert(arguments.end(),
                   {"drive", "--menu", "--duration", keys.end(), "--screenshot", file("end.png")});
  std::rotate(arguments.begin(), arguments.end() - 6, arguments.end());
  std::vector<std::string> home = environment();
  home.push_back("KNUCKLEBOOM_CONFIG=" + file("own"));
  const Outcome outcome = run(small(arguments), home);
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("Touch"), HasSubstr("Follow the path")))
      << outcome.errors;
  const Outcome shown = run({"learners", "show", "una"}, home);
  EXPECT_THAT(shown.output, AllOf(HasSubstr("2 passed"), HasSubstr("T3"))) << shown.errors;
  const learners::Database database(folder_ / "data/knuckleboom/learners.db",
                                    learners::Access::kRead);
  const auto quizzes = database.quizzes(*database.find("una"));
  ASSERT_EQ(quizzes.size(), 1U);
  EXPECT_EQ(quizzes[0].correct, 2);
  EXPECT_TRUE(quizzes[0].passed);
}

// A row near the end of the main menu, before anything was driven.
TEST_F(Drive, showsKeysAndLeversFromTheMenu) {
  const Outcome outcome =
      drive(small({"--menu", "--duration", "1.5", "--press", "Up@0.3", "--press", "Up@0.5",
                   "--press", "Up@0.7", "--press", "Return@0.9"}));
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
}

TEST_F(Drive, keepsTheRecordingWhenInterrupted) {
  std::vector<std::string> arguments =
      small({"drive", "reach", "--duration", "60", "--record-input", file("live.csv"), "--press",
             "W@0.2+30"});
  Program program(arguments, environment());
  std::this_thread::sleep_for(std::chrono::seconds(4));
  program.send(SIGINT);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.status, 130) << outcome.errors;
  EXPECT_THAT(content_of(folder_ / "live.csv"), HasSubstr(",end"));
  const Outcome replay = drive({"--headless", "--input", file("live.csv")});
  EXPECT_EQ(told(replay.output, "state"), told(outcome.output, "state")) << replay.errors;
}

// A demonstration is recorded while it is done.
TEST_F(Drive, keepsADemonstrationAsFarAsItCame) {
  Program program({"drive", "logs", "--demonstrate", "--headless", "--session", file("cut.h5")},
                  environment());
  std::this_thread::sleep_for(std::chrono::seconds(2));
  program.send(SIGTERM);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.status, 130) << outcome.output;
  EXPECT_THAT(outcome.errors, HasSubstr("stopped before the end"));
  EXPECT_GT(std::stoi(told(outcome.output, "ticks")), 500) << outcome.output;
  const Outcome replay = run({"replay", file("cut.h5")}, environment());
  EXPECT_EQ(replay.status, 0) << replay.output << replay.errors;
  EXPECT_EQ(told(replay.output, "state"), told(outcome.output, "state"));
}

TEST_F(Drive, goesOnWithoutTheUsersBrokenFiles) {
  fs::create_directories(folder_ / "config/knuckleboom");
  write_text(folder_ / "config/knuckleboom/trainer.toml", "exercise = [\n");
  write_text(folder_ / "config/knuckleboom/levers.toml", "[[device]]\nslott = 1\n");
  const Outcome outcome = drive(small({"reach", "--frames", "3"}));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.errors, HasSubstr("trainer.toml:1"));
  EXPECT_THAT(outcome.errors, HasSubstr("levers.toml:"));
}

TEST_F(Drive, goesOnWithoutSound) {
  std::vector<std::string> arguments = small({"drive", "reach", "--frames", "3"});
  const Outcome outcome = run(arguments, environment("nonsense"));
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(told(outcome.output, "sound"), HasSubstr("no sound"));
}

TEST_F(Drive, saysWhenTheRecordingCannotBeWritten) {
  const Outcome outcome =
      drive(small({"reach", "--frames", "3", "--record-input", file("nowhere/deep/live.csv")}));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("live.csv"));
}

TEST_F(Drive, withoutADisplayIsHeadlessAndSaysSo) {
  const Outcome outcome = run({"drive", "reach"}, environment());
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("there is no display"));
  EXPECT_EQ(told(outcome.output, "ticks"), "10000, 10.000 s");
}

// Six figures, within 0.1 % of those that a script computes from the file; it shares no code with the program.
void expect_figures_of_a_script(const std::string& session) {
  const std::string python = "/usr/bin/python3 ", out = session + ".txt";
  if (std::system((python + "-c 'import h5py' 2>/dev/null").c_str()) != 0) return;  // python3-h5py
  const std::string script =
      std::string(KNUCKLEBOOM_SOURCE_DIR) + "/tests/figures/figures_of_session.py ";
  EXPECT_EQ(std::system((python + script + session + " > " + out + " 2>&1").c_str()), 0)
      << content_of(out);
  EXPECT_THAT(content_of(out), HasSubstr("1 together "));
}

// The same levers on a machine with a temporary fault give another motion, and the recording
// contains the fault.
TEST_F(Drive, breaksTheMachineByTheClock) {
  const Outcome sound = drive(
      {"reach", "--demonstrate", "--headless", "--duration", "12", "--session", file("sound.h5")});
  expect_figures_of_a_script(file("sound.h5"));
  const Outcome broken = drive({"reach", "--demonstrate", "--headless", "--duration", "12",
                                "--fault", "boom_hose_a_burst@4", "--clear-fault",
                                "boom_hose_a_burst@6", "--session", file("f.h5")});
  ASSERT_EQ(broken.status, 0) << broken.errors;
  EXPECT_NE(told(sound.output, "state"), told(broken.output, "state"));
  const Outcome replayed = run({"replay", file("f.h5"), "--headless"}, environment());
  EXPECT_EQ(replayed.status, 0) << replayed.errors;
  EXPECT_EQ(told(replayed.output, "state"), told(broken.output, "state"));
  const Outcome wrong = drive({"reach", "--headless", "--fault", "boom_hose_burst@4"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.errors, HasSubstr("there is no fault 'boom_hose_burst'"));
  EXPECT_EQ(drive({"reach", "--headless", "--fault", "boom_hose_a_burst"}).status, 2);
}

// Thinking behind the menu takes time where a fault is to be found: 3 s go on, where a pause would end them after 0.8 s.
TEST_F(Drive, goesOnBehindTheMenuWhileAFaultIsSought) {
  const Outcome outcome = drive(small({"fault_hunt", "--press", "W@0.3+0.3", "--press",
                                       "Escape@0.8", "--press", "P@1.2", "--duration", "3"}));
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_GT(std::stoi(told(outcome.output, "ticks")), 1300) << outcome.output;
}

// The recording alone gives the same draw of faults.
TEST_F(Drive, recordsTheSeedOfTheFaults) {
  const auto hunt = [this](std::vector<std::string> more) {
    more.insert(more.begin(), {"fault_hunt", "--headless", "--demonstrate", "--duration", "40"});
    return drive(more);
  };
  const Outcome usual = hunt({});
  std::string seed;
  Outcome other;
  for (int i = 1; i < 6 && seed.empty(); ++i) {
    other = hunt({"--fault-seed", std::to_string(i), "--record-input", file("other.csv")});
    ASSERT_EQ(other.status, 0) << other.errors;
    if (told(other.output, "state") != told(usual.output, "state"))
      seed = std::to_string(i);
    else
      fs::remove(file("other.csv"));
  }
  ASSERT_THAT(seed, Not(IsEmpty()));
  EXPECT_THAT(content_of(file("other.csv")), HasSubstr("# fault_seed: " + seed));
  const Outcome again = drive({"--headless", "--input", file("other.csv")});
  EXPECT_EQ(told(again.output, "state"), told(other.output, "state")) << again.errors;
}

TEST_F(Drive, writesOverNoRecordingOfInput) {
  write_text(folder_ / "hands.csv", "t_s,left_y\n0.5,0.6\n1.5,0\n");
  const std::string before = content_of(file("hands.csv"));
  const Outcome outcome = drive({"reach", "--headless", "--duration", "2", "--input",
                                 file("hands.csv"), "--record-input", file("hands.csv")});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("hands.csv is there already"));
  EXPECT_EQ(content_of(file("hands.csv")), before);
  EXPECT_EQ(told(outcome.output, "recording"), file("hands-2.csv"));
  EXPECT_THAT(content_of(file("hands-2.csv")), HasSubstr(",end"));
  const Outcome live =
      drive(small({"reach", "--duration", "1", "--record-input", file("hands.csv")}));
  EXPECT_EQ(live.status, 0) << live.errors;
  EXPECT_EQ(content_of(file("hands.csv")), before);
  EXPECT_THAT(told(live.output, "recording"), HasSubstr("hands-3.csv"));
}

// Ticks of the restarts and of the faults that begin.
std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> restarts_and_faults(
    const std::string& session) {
  std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> out;
  for (const training::InputEvent& input : io::read_session(session).inputs) {
    if (input.kind != training::InputEventKind::kCommand) continue;
    if (input.command.kind == training::CommandKind::kRestart) out.first.push_back(input.tick);
    if (input.command.kind == training::CommandKind::kFault) out.second.push_back(input.tick);
  }
  return out;
}

TEST_F(Drive, breaksTheMachineInEveryAttempt) {
  write_text(folder_ / "twice.csv", "tick,left_y,command\n100,0.5,\n1500,,restart\n4000,,end\n");
  const Outcome headless = drive({"reach", "--headless", "--input", file("twice.csv"), "--fault",
                                  "boom_hose_a_burst@0.75", "--fault", "swing_sticking_spool@2",
                                  "--session", file("h.h5"), "--record-input", file("again.csv")});
  ASSERT_EQ(headless.status, 0) << headless.errors;
  const auto [restarts, faults] = restarts_and_faults(file("h.h5"));
  EXPECT_EQ(restarts, (std::vector<std::int64_t>{1500}));
  EXPECT_EQ(faults, (std::vector<std::int64_t>{750, 2250, 3500}));
  EXPECT_EQ(told(drive({"--headless", "--input", file("again.csv")}).output, "state"),
            told(headless.output, "state"));

  // Live, exact to the tick and not to the frame.
  const Outcome live =
      drive(small({"reach", "--duration", "5", "--fault", "boom_hose_a_burst@0.75", "--press",
                   "F5@2.5", "--session", file("l.h5"), "--record-input", file("l.csv")}));
  ASSERT_EQ(live.status, 0) << live.errors;
  const auto [again, broken] = restarts_and_faults(file("l.h5"));
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(broken, (std::vector<std::int64_t>{750, again.front() + 750}));
  EXPECT_EQ(told(drive({"--headless", "--input", file("l.csv")}).output, "state"),
            told(live.output, "state"));
}

// The data saved on a full disk grows with its size, second by second.
TEST_F(Drive, keepsAllButASecondOnAFullDisk) {
  std::vector<double> ends;
  for (int kilobytes = 800; kilobytes <= 1200; kilobytes += 100) {
    const std::string session = file(("full" + std::to_string(kilobytes) + ".h5").c_str());
    const std::string command =
        "ulimit -f " + std::to_string(kilobytes) + "; XDG_DATA_HOME=" + file("data") +
        " " KNUCKLEBOOM_BINARY " drive reach --headless --duration 60 --session " + session +
        " > /dev/null 2> " + file("errors.txt");
    EXPECT_EQ(WEXITSTATUS(std::system(("bash -c '" + command + "'").c_str())), 1);
    EXPECT_THAT(content_of(file("errors.txt")), HasSubstr("not recorded any more"));
    ends.push_back(io::read_session(session + ".journal").duration_s());
  }
  const double step = (ends.back() - ends.front()) / static_cast<double>(ends.size() - 1);
  for (std::size_t i = 1; i < ends.size(); ++i) EXPECT_NEAR(ends[i] - ends[i - 1], step, 1.0);
}

// The exit status reports a failed recording, even after a replay.
TEST_F(Drive, doesNotForgetAFailedRecordingInAReplay) {
  std::string command = "ulimit -f 300; exec " KNUCKLEBOOM_BINARY;
  for (const std::string& word :
       small({"drive", "reach", "--duration", "9", "--session", file("full.h5"), "--press",
              "Escape@4", "--press", "Up@4.4", "--press", "Up@4.7", "--press", "Up@5", "--press",
              "Return@5.3", "--press", "Escape@7"}))
    command += " " + word;
  for (const std::string& word : environment()) command = "export " + word + "; " + command;
  command += " > " + file("out.txt") + " 2> " + file("errors.txt");
  EXPECT_EQ(WEXITSTATUS(std::system(("bash -c '" + command + "'").c_str())), 1)
      << content_of(file("errors.txt"));
  EXPECT_THAT(content_of(file("errors.txt")), HasSubstr("not recorded any more"));
}

TEST_F(Drive, refusesPipesInPlaceOfFiles) {
  for (const char* name : {"p.h5", "p.csv", "p.png", "p"})
    ASSERT_EQ(::mkfifo(file(name).c_str(), 0600), 0);
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"replay", file("p.h5"), "--headless"},
           {"report", file("p.h5"), "-o", file("r.html")},
           {"verify", file("p")},
           {"learners", "import", file("p.h5")},
           {"drive", "--headless", "--session", file("p.h5")},
           {"drive", "--headless", "--input", file("p.csv")},
           {"drive", "--headless", "--record-input", file("p.csv")},
           {"drive", "--headless", "--screenshot", file("p.png")}}) {
    const Outcome outcome = run(arguments, environment());
    EXPECT_EQ(outcome.status, 2) << arguments.front();
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
    EXPECT_THAT(outcome.errors, HasSubstr(file("p"))) << arguments.front();
  }
}

// A paused session stays paused behind a page that opens and closes.
TEST_F(Drive, staysPausedBehindTheInstructorsCard) {
  const Outcome outcome =
      drive(small({"reach", "--press", "P@1", "--press", "F2@1.5", "--press", "F2@2", "--press",
                   "F1@2.4", "--press", "F1@2.8", "--duration", "4"}));
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const double ticks = std::strtod(told(outcome.output, "ticks").c_str(), nullptr);
  EXPECT_GT(ticks, 0.0);
  EXPECT_LT(ticks, 2000.0);
}

// F2; Where: boom; Begin it; bookmark.
TEST_F(Drive, givesTheInstructorFaultsAndBookmarks) {
  const Outcome outcome =
      drive(small({"reach",      "--press",    "F2@0.5",   "--press",   "Right@1",   "--press",
                   "Right@1.3",  "--press",    "Down@1.6", "--press",   "Down@1.9",  "--press",
                   "Return@2.2", "--press",    "Down@2.6", "--press",   "Down@2.9",  "--press",
                   "Return@3.2", "--duration", "4.5",      "--session", file("i.h5")}));
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const io::SessionRecord record = io::read_session(file("i.h5"));
  std::vector<std::string> kinds;
  for (const io::SessionEvent& event : record.events)
    if (event.kind != "aid") kinds.push_back(event.kind + " " + event.text);
  EXPECT_THAT(kinds, testing::ElementsAre("fault boom_sticking_spool", "bookmark bookmark"));
}

// The keys that begin a fault do nothing; then the PIN, and "Bookmark".
TEST_F(Drive, opensTheInstructorsCardByThePinAlone) {
  endpoint::set_pin(folder_ / "config/knuckleboom/instructor.pin", "1234");
  std::vector<std::string> arguments = {"reach"};
  double at_s = 0.2;
  for (const char* key : {"F2", "Right", "Right", "Down", "Down", "Return", "F2", "F2", "1", "2",
                          "3", "4", "Return", "Down", "Down", "Down", "Return"})
    arguments.insert(arguments.end(), {"--press", fmt::format("{}@{:.1f}", key, at_s += 0.2)});
  arguments.insert(arguments.end(), {"--duration", "4", "--session", file("i.h5")});
  const Outcome outcome = drive(small(arguments));
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  std::vector<std::string> kinds;
  for (const io::SessionEvent& event : io::read_session(file("i.h5")).events)
    if (event.kind != "aid") kinds.push_back(event.kind + " " + event.text);
  EXPECT_THAT(kinds, testing::ElementsAre("bookmark bookmark"));
}

TEST_F(Drive, withADisplayThatDoesNotAnswerIsHeadlessAndSaysSo) {
  const Outcome outcome =
      run({"drive", "reach"}, {"SDL_VIDEODRIVER=", "WAYLAND_DISPLAY=", "SDL_AUDIODRIVER=dummy",
                               "DISPLAY=:7777", "XDG_CONFIG_HOME=" + file("config")});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("the display cannot be reached"));
  EXPECT_EQ(told(outcome.output, "ticks"), "10000, 10.000 s");
}

TEST_F(Drive, drawsInAWindow) {
  if (std::system("command -v xvfb-run >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "xvfb-run is not installed";
  const std::string command =
      "SDL_AUDIODRIVER=dummy XDG_CONFIG_HOME=" + file("config") + " XDG_DATA_HOME=" + file("data") +
      " timeout 60 xvfb-run -a -s '-screen 0 800x600x24' " KNUCKLEBOOM_BINARY
      " drive reach --window 640x360 --quality low --frames 20 --screenshot " +
      file("window.png") + " > " + file("out.txt") + " 2> " + file("errors.txt");
  ASSERT_EQ(std::system(command.c_str()), 0) << content_of(file("errors.txt"));
  EXPECT_GT(colours_of(file("window.png")), 200U);
  EXPECT_THAT(told(content_of(file("out.txt")), "pictures"), testing::StartsWith("20, "));
}

constexpr const char* kDisplayGoesAway = R"(
cd "$1"
Xvfb -displayfd 3 -screen 0 800x600x24 3> number 2> x.txt & server=$!
wait_for() {
  i=0
  until eval "$1"; do
    sleep 0.1
    i=$((i + 1))
    if [ $i -gt 400 ]; then kill -9 $server; exit 9; fi
  done
}
wait_for '[ -s number ]'
DISPLAY=:$(cat number) XDG_CONFIG_HOME=$PWD/config XDG_DATA_HOME=$PWD/data SDL_AUDIODRIVER=dummy "$2" drive reach \
  --window 640x360 --quality low --duration 50 --press W@0.2+40 --record-input gone.csv \
  > out.txt 2> errors.txt & program=$!
wait_for 'grep -q ",1," gone.csv.*.tmp 2> /dev/null'
kill -9 $server
wait $program
)";

// Xlib ends a program whose display goes away; the recording must be there all the same.
TEST_F(Drive, keepsTheRecordingWhenTheDisplayGoesAway) {
  if (std::system("command -v Xvfb >/dev/null 2>&1") != 0) GTEST_SKIP() << "Xvfb is not installed";
  write_text(folder_ / "run.sh", kDisplayGoesAway);
  const std::string command = "sh " + file("run.sh") + " " + folder_.path().string() +
                              " " KNUCKLEBOOM_BINARY " 2>/dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1) << content_of(file("errors.txt"));
  EXPECT_THAT(content_of(file("errors.txt")), HasSubstr("the display went away"));
  EXPECT_THAT(content_of(file("gone.csv")), HasSubstr(",end"));
  EXPECT_EQ(drive({"--headless", "--input", file("gone.csv")}).status, 0);
}

}  // namespace
}  // namespace knuckleboom::test
