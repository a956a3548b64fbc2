// Learners, their sessions and reports, end to end: a home of its own, sessions driven headless.
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "endpoint/pin.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "learners/database.hpp"
#include "program.hpp"
#include "support/paths.hpp"

namespace knuckleboom::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Learners : public testing::Test {
 protected:
  Learners() {
    // The head reaches no target; after the time limit the attempt has failed.
    write_text(folder_ / "hands.csv", "t_s,left_y,right_y\n0.5,0.3,0\n1.5,0,-0.4\n2.5,0,0\n");
  }
  Outcome knuckleboom(const std::vector<std::string>& arguments) const {
    return run(arguments, home());
  }
  std::vector<std::string> home() const {
    return {"XDG_DATA_HOME=" + data().string(), "XDG_CONFIG_HOME=" + (folder_ / "config").string()};
  }
  Outcome learners(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "learners");
    return knuckleboom(arguments);
  }
  Outcome drive(const std::string& learner, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"drive",      "reach",      "--input", file("hands.csv"),
                                          "--headless", "--duration", "4"};
    if (!learner.empty()) arguments.insert(arguments.end(), {"--learner", learner});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return knuckleboom(arguments);
  }
  fs::path data() const { return folder_ / "data"; }
  fs::path database() const { return data() / "knuckleboom/learners.db"; }
  fs::path sessions() const { return data() / "knuckleboom/sessions"; }
  std::string file(const char* name) const { return (folder_ / name).string(); }
  bool any_byte_says(const std::string& what) const {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(data()))
      if (entry.path().string().find(what) != std::string::npos ||
          (entry.is_regular_file() && content_of(entry.path()).find(what) != std::string::npos))
        return true;
    return false;
  }
  std::size_t session_files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(sessions()), fs::directory_iterator()));
  }

  const TemporaryFolder folder_;
};

// A drawn variant, countersigned by who was there: on this computer, in replay and in the list.
TEST_F(Learners, areExaminedBeforeAnInstructor) {
  const auto in_shell = [&](const std::string& pin, const std::string& command) {
    return Program({"-c", "echo " + pin + " | \"$0\" station " + command, KNUCKLEBOOM_BINARY},
                   home(), "/bin/sh")
        .wait();
  };
  ASSERT_EQ(learners({"add", "Anna"}).status, 0);
  ASSERT_EQ(learners({"set", "Anna", "crane_speed=0.5", "ghost=1", "coach=1"}).status, 0);
  const Outcome exam = knuckleboom({"drive", "tank", "--exam", "--learner", "Anna", "--headless",
                                    "--duration", "1", "--session", file("exam.h5")});
  ASSERT_EQ(exam.status, 0);
  EXPECT_THAT(exam.errors,
              HasSubstr("Anna's settings do not hold in it: with hints, crane speed 50 %"));
  EXPECT_EQ(io::read_session(folder_ / "exam.h5").header.option("settings"), nullptr);
  EXPECT_THAT(knuckleboom({"replay", file("exam.h5"), "--headless"}).output,
              HasSubstr("T3 signed: nobody has countersigned"));
  EXPECT_THAT(in_shell("4711", "countersign " + file("exam.h5")).errors,
              HasSubstr("'knuckleboom station set-pin' sets one"));
  ASSERT_EQ(in_shell("4711", "set-pin").status, 0);
  EXPECT_THAT(in_shell("4712", "countersign " + file("exam.h5")).errors,
              HasSubstr("that is not the PIN; nothing is signed"));
  EXPECT_THAT(in_shell("4711", "countersign " + file("exam.h5")).output,
              HasSubstr("T4 invigilated"));
  EXPECT_THAT(learners({"show", "Anna"}).output, HasSubstr("T4"));
  EXPECT_THAT(knuckleboom({"replay", file("exam.h5"), "--headless"}).output,
              HasSubstr("T4 invigilated"));
}

// Who names a learner who has a PIN must know it.
TEST_F(Learners, WithAPinAreAskedForIt) {
  ASSERT_EQ(drive("Anna").status, 0);
  const std::size_t before = session_files();
  {
    learners::Database anna(database(), learners::Access::kWrite);
    anna.set_pin_hash(*anna.find("Anna"), endpoint::pin_hash("471100"));
  }
  const auto drive_with = [&](const std::string& pin) {
    return Program({"-c",
                    "echo " + pin +
                        " | \"$0\" drive reach --headless --duration 1 --input \"$1\" "
                        "--learner Anna",
                    KNUCKLEBOOM_BINARY, file("hands.csv")},
                   home(), "/bin/sh")
        .wait();
  };
  const Outcome wrong = drive_with("471101");
  EXPECT_NE(wrong.status, 0);
  EXPECT_THAT(wrong.errors, HasSubstr("that is not the PIN of Anna; nothing was driven"));
  EXPECT_EQ(session_files(), before);
  EXPECT_EQ(drive_with("471100").status, 0);
  EXPECT_EQ(session_files(), before + 1);
}

TEST_F(Learners, areNoneAtFirst) {
  const Outcome outcome = learners({});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("Nobody is filed yet"));
  EXPECT_FALSE(fs::exists(data()));
  EXPECT_THAT(learners({"show", "Anna"}).errors, HasSubstr("there is no learner 'Anna'"));
}

TEST_F(Learners, areToldThatNothingIsRecordedWithoutAFolder) {
  const Outcome outcome =
      run({"drive", "reach", "--headless", "--duration", "0.1", "--learner", "Anna"},
          {"XDG_DATA_HOME=", "HOME=here"});
  EXPECT_THAT(outcome.errors,
              AllOf(HasSubstr("what Anna does is not recorded"), HasSubstr("--session FILE.h5"),
                    Not(HasSubstr("recorded, but"))));
}

TEST_F(Learners, areFiledListedComparedAndExported) {
  EXPECT_THAT(drive("Anna Öberg").output, HasSubstr("session file"));
  drive("Anna Öberg");
  drive("=Bo");
  const Outcome list = learners({});
  EXPECT_THAT(list.output,
              AllOf(HasSubstr("Anna Öberg  "), HasSubstr("2 sessions, 0 with a pass")));
  const Outcome show = learners({"show", "Anna Öberg"});
  EXPECT_THAT(show.output, AllOf(HasSubstr("Anna Öberg: 2 sessions"), HasSubstr("reach"),
                                 HasSubstr("1 broken off"), HasSubstr(".h5")));
  EXPECT_THAT(learners({"show", "Anna"}).errors, HasSubstr("there is no learner 'Anna'"));
  EXPECT_THAT(list.output, HasSubstr("2 attempts broken off"));
  EXPECT_THAT(
      learners({"progress"}).output,
      testing::ContainsRegex("reach on harvester_wheeled: 2 learners\n.*"
                             "too few attempts to say: 2\n  =Bo +0 of 1 +1.*\n"
                             "  Anna ..?berg +0 of 2 +2.*\n"
                             "time of each attempt \\[s\\]\n  =Bo +B\n  Anna ..?berg +B B\n"));
  EXPECT_THAT(learners({"progress", "--exercise", "path"}).errors,
              HasSubstr("nobody has begun the exercise 'path'"));
  EXPECT_THAT(learners({"coach", "Anna Öberg"}).output,
              AllOf(HasSubstr("Anna Öberg: 2 attempts in 2 sessions"), HasSubstr("nothing to say"),
                    HasSubstr("of at least 8 cycles from grab to grab")));
  EXPECT_THAT(learners({"compare", "Anna Öberg", "=Bo"}).output,
              HasSubstr("There is no exercise that both Anna Öberg and =Bo have finished."));
  EXPECT_THAT(learners({"compare", "Anna Öberg", "=Bo", "--exercise", "reach"}).errors,
              HasSubstr("have not both finished the exercise 'reach', nor any other"));
  EXPECT_THAT(learners({"compare", "=Bo", "=bo"}).errors,
              HasSubstr("'=Bo' is both of the learners"));
  EXPECT_EQ(learners({"export", "--all", "-o", file("all.csv")}).status, 0);
  EXPECT_THAT(content_of(folder_ / "all.csv"),
              AllOf(HasSubstr("learner,started,exercise"), HasSubstr("\r\nAnna Öberg,2"),
                    HasSubstr("\r\n'=Bo,2")));
  EXPECT_EQ(learners({"export", "=Bo", "--output", file("bo.csv")}).status, 0);
  EXPECT_THAT(content_of(folder_ / "bo.csv"), Not(HasSubstr("Anna")));
  EXPECT_EQ(
      learners({"export", "--all", "-o", file("all.json"), "--xapi", "https://s.example/k"}).errors,
      "");
  const std::string statements = content_of(folder_ / "all.json");
  EXPECT_THAT(content_of(folder_ / "all.csv"), HasSubstr(",work_crane_OUT_n,work_crane_OUT_s"));
  EXPECT_THAT(statements, AllOf(HasSubstr("https://s.example/k/extension/elements"),
                                HasSubstr("\"crane_OUT_s\""), Not(HasSubstr("\"raw\""))));
  EXPECT_THAT(statements, AllOf(HasSubstr("verbs/attempted"), HasSubstr("verbs/terminated"),
                                Not(HasSubstr("Anna")), Not(HasSubstr("Bo"))));
  for (const char* wrong :
       {"s.example", "https:///k", "https://s.example/", "https://s.example/a b"})
    EXPECT_EQ(learners({"export", "--all", "-o", file("no.json"), "--xapi", wrong}).status, 2);
  EXPECT_EQ(
      learners({"export", "--all", "-o", file("no.csv"), "--xapi", "https://s.example"}).status, 2);
  EXPECT_THAT(learners({"export", "--output", file("no.csv")}).errors,
              HasSubstr("export needs a learner's name, or --all"));
  EXPECT_THAT(learners({"export", "=Bo", "--all", "-o", file("no.csv")}).errors,
              HasSubstr("not both"));
}

TEST_F(Learners, deletesEverythingOfOnePerson) {
  drive("Xanthippe");
  drive("Xanthippe");
  drive("Bo");
  // One that was recorded while the database could not be used says nothing about who drove.
  fs::rename(database(), file("away.db"));
  fs::create_directories(database());
  const Outcome unfiled = drive("Xanthippe");
  EXPECT_EQ(unfiled.status, 0);
  EXPECT_THAT(unfiled.errors, HasSubstr("recorded, but not filed"));
  fs::remove(database());
  fs::rename(file("away.db"), database());
  ASSERT_EQ(session_files(), 4U);

  const Outcome asked = learners({"delete", "Xanthippe"});
  EXPECT_EQ(asked.status, 2);
  EXPECT_THAT(asked.errors, HasSubstr("2 filed sessions and the 2 files above"));
  EXPECT_EQ(session_files(), 4U);
  ASSERT_TRUE(any_byte_says("Xanthippe"));

  const Outcome done = learners({"delete", "Xanthippe", "--yes"});
  EXPECT_EQ(done.status, 0) << done.errors;
  EXPECT_FALSE(any_byte_says("Xanthippe"));
  EXPECT_EQ(session_files(), 2U);
  EXPECT_THAT(learners({}).output, AllOf(HasSubstr("Bo"), Not(HasSubstr("Xanthippe")),
                                         HasSubstr("deleted so far: 1 learner with 2 sessions")));
  EXPECT_EQ(learners({"delete", "Xanthippe", "--yes"}).status, 2);
}

TEST_F(Learners, deletesNothingOfOthersAtFiledPlaces) {
  const auto filed_at = [&](const char* name) {
    drive("Xanthippe", {"--session", file(name)});
    return fs::path(file(name));
  };
  const fs::path text = filed_at("text.h5"), others = filed_at("others.h5"),
                 own = filed_at("own.h5"), newer = filed_at("newer.h5");
  write_text(text, "what somebody has written there since");
  drive("Bo", {"--session", file("bo.h5")});
  fs::rename(file("bo.h5"), others);
  std::string bytes = content_of(newer);
  bytes.replace(bytes.find("session 1"), 9, "session 9");
  write_text(newer, bytes);
  const Outcome done = learners({"delete", "Xanthippe", "--yes"});
  EXPECT_EQ(done.status, 0) << done.errors;
  EXPECT_THAT(done.errors, AllOf(HasSubstr(text.string() + " is not a session that can be read"),
                                 HasSubstr(others.string() + " holds another session now")));
  EXPECT_EQ(content_of(text), "what somebody has written there since");
  EXPECT_TRUE(fs::exists(others));
  EXPECT_FALSE(fs::exists(own));
  EXPECT_FALSE(fs::exists(newer));  // of a newer format, with her key in it
  EXPECT_FALSE(any_byte_says("Xanthippe"));
}

TEST_F(Learners, importsFindsOwnersAndRenames) {
  drive("", {"--session", file("one.h5")});
  EXPECT_THAT(learners({"import", file("one.h5")}).errors, HasSubstr("give one with --learner"));
  EXPECT_THAT(learners({"import", file("one.h5"), "--learner", "Anna"}).output,
              HasSubstr("is filed under Anna"));
  EXPECT_THAT(learners({"import", file("one.h5"), "--learner", "Anna"}).output,
              HasSubstr("is already filed under Anna"));
  EXPECT_THAT(learners({"import", file("one.h5"), "--learner", "Bo"}).errors,
              HasSubstr("this session is filed under 'Anna'"));
  drive("Cecilia", {"--session", file("two.h5")});
  EXPECT_THAT(learners({"import", file("two.h5"), "--learner", "Anna"}).errors,
              HasSubstr("the session is of 'Cecilia'"));
  EXPECT_EQ(learners({"rename", "Cecilia", "Dora"}).status, 0);
  EXPECT_THAT(learners({"import", file("two.h5")}).output,
              HasSubstr("is already filed under Dora"));
  EXPECT_EQ(learners({"add", "dora"}).status, 2);
  EXPECT_EQ(learners({"import", file("hands.csv"), "--learner", "Anna"}).status, 2);
}

// Names are in one table; files have an id. What somebody drives is chained to what was filed before.
TEST_F(Learners, namesAreInTheDatabaseAlone) {
  drive("Xanthippe", {"--session", file("one.h5"), "--instructor", "no 7"});
  drive("Xanthippe", {"--session", file("two.h5")});
  for (const char* name : {"one.h5", "two.h5"})
    EXPECT_EQ(content_of(folder_ / name).find("Xanthippe"), std::string::npos);
  EXPECT_THAT(learners({"show", "Xanthippe"}).output,
              AllOf(HasSubstr("T1: the levers came from a file"),
                    Not(HasSubstr("came before one of these"))));
  EXPECT_THAT(
      learners({"export", "Xanthippe", "-o", file("x.csv"), "--separator", ";", "--decimal", ","})
          .errors,
      IsEmpty());
  EXPECT_THAT(content_of(folder_ / "x.csv"), HasSubstr(";no 7;"));
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"-o", file("x.ods")},
                                             {"-o", file("x.csv"), "--decimal", ","},
                                             {"-o", file("x.csv"), "--separator", "#"}}) {
    std::vector<std::string> arguments = {"export", "Xanthippe"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(learners(arguments).status, 2);
  }
  // A row taken out by hand shows, and so does one that was made better.
  sqlite3* by_hand = nullptr;
  ASSERT_EQ(sqlite3_open(database().c_str(), &by_hand), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(by_hand, "DELETE FROM sessions WHERE id = 1; UPDATE attempts SET passed = 1;",
                   nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_close(by_hand);
  EXPECT_THAT(learners({"show", "Xanthippe"}).output,
              AllOf(HasSubstr("1 session came before one of these and is not filed here"),
                    HasSubstr("T0: its row in the database is not as it was filed here")));
}

TEST_F(Learners, areBackedUpAndRestored) {
  drive("Anna");
  EXPECT_EQ(learners({"backup", "-o", file("copy.db")}).status, 0);
  EXPECT_THAT(learners({"backup", "-o", file("copy.db")}).errors, HasSubstr("left alone"));
  learners({"add", "Bo"});
  learners({"delete", "Anna", "--yes"});
  const Outcome asked = learners({"restore", file("copy.db")});
  EXPECT_EQ(asked.status, 2);
  EXPECT_THAT(asked.output, HasSubstr("Bo"));
  EXPECT_THAT(learners({"show", "Anna"}).errors, HasSubstr("no learner 'Anna'"));
  EXPECT_EQ(learners({"restore", file("copy.db"), "--yes"}).status, 0);
  EXPECT_THAT(learners({}).output, AllOf(HasSubstr("Anna"), Not(HasSubstr("Bo"))));
  write_text(folder_ / "none.db", "no database at all, but long enough to look at it.");
  const Outcome none = learners({"restore", file("none.db"), "--yes"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.errors, AllOf(HasSubstr("this copy cannot be read, and nothing was changed"),
                                 Not(HasSubstr("move it away"))));
  EXPECT_THAT(learners({"restore", database().string(), "--yes"}).errors,
              HasSubstr("that is what is filed now"));
  EXPECT_THAT(learners({}).output, HasSubstr("Anna"));
  EXPECT_THAT(learners({}).output, HasSubstr("Anna"));
  // A database that cannot be looked at is not empty.
  fs::remove(database());
  fs::create_symlink("learners.db", database());
  EXPECT_EQ(learners({}).status, 2);
  EXPECT_THAT(learners({}).errors, HasSubstr("cannot be"));
}

TEST_F(Learners, theTrainerNeverStopsBecauseOfTheDatabase) {
  drive("Anna");
  const std::string sound = content_of(database());
  for (const std::string& content : {std::string("no database at all, but long enough to look at."),
                                     sound.substr(0, sound.size() / 2)}) {
    write_text(database(), content);
    const Outcome outcome = drive("Anna");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.output, HasSubstr("session file"));
    EXPECT_THAT(outcome.errors, HasSubstr("recorded, but not filed"));
    EXPECT_EQ(learners({}).status, 2);
  }
  write_text(database(), sound);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(database().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  const Outcome outcome = drive("Anna");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.errors, HasSubstr("another program is writing"));
  sqlite3_close(other);
}

TEST_F(Learners, refusesWhatMakesNoSense) {
  EXPECT_THAT(drive("Anna", {"--no-record"}).errors, HasSubstr("--no-record records nothing"));
  EXPECT_THAT(
      knuckleboom({"drive", "reach", "--demonstrate", "--headless", "--learner", "A"}).errors,
      HasSubstr("not a demonstration"));
  EXPECT_EQ(drive("a\x1B[2J").status, 2);
  EXPECT_THAT(drive("Anna", {"--instructor", "a\nb"}).errors,
              HasSubstr("--instructor takes a text"));
  EXPECT_EQ(learners({"burn"}).status, 2);
  EXPECT_EQ(learners({"show"}).status, 2);
}

// --- Report ---------------------------------------------------------------------

TEST_F(Learners, reportIsWrittenWholeAndSaysWho) {
  drive("Anna <script>", {"--session", file("one.h5")});
  drive("Anna <script>", {"--session", file("two.h5")});
  const Outcome outcome = knuckleboom(
      {"report", file("one.h5"), file("two.h5"), "--expert", file("two.h5"), "-o", file("r.html")});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  const std::string html = content_of(folder_ / "r.html");
  EXPECT_THAT(html, AllOf(HasSubstr("<h1>Reach</h1>"), HasSubstr("Broken off"),
                          HasSubstr("Anna &lt;script&gt;"), Not(HasSubstr("<script")),
                          HasSubstr("Comparison"), HasSubstr("class=\"own\"")));
  EXPECT_THAT(folder_.entries(), testing::IsSupersetOf({"one.h5", "r.html", "two.h5"}));

  EXPECT_THAT(knuckleboom({"report", file("one.h5"), "-o", file("one.h5")}).errors,
              HasSubstr("its name ends in .html"));
  EXPECT_EQ(knuckleboom({"report", file("one.h5"), "-o", file("r.txt")}).status, 2);
  EXPECT_FALSE(fs::exists(file("r.txt")));
  EXPECT_THAT(
      knuckleboom({"report", file("one.h5"), "-o", file("r.html"), "--attempt", "2"}).errors,
      HasSubstr("the session has one only"));
  EXPECT_EQ(knuckleboom({"report", file("hands.csv"), "-o", file("no.html")}).status, 2);
  EXPECT_EQ(knuckleboom({"report", file("one.h5"), "-o", file("no/where.html")}).status, 2);
  EXPECT_FALSE(fs::exists(file("no.html")));
}

TEST_F(Learners, reportTakesASessionWithoutATick) {
  EXPECT_EQ(knuckleboom({"drive", "free_play", "--headless", "--duration", "0", "--session",
                         file("none.h5")})
                .status,
            0);
  EXPECT_EQ(knuckleboom({"report", file("none.h5"), "-o", file("r.html")}).status, 0);
  EXPECT_THAT(content_of(folder_ / "r.html"), HasSubstr("No lever was moved"));
}

}  // namespace
}  // namespace knuckleboom::test
