#include "learners/database.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "knuckleboom/io/diagnostic.hpp"
#include "support/session_recording.hpp"

namespace knuckleboom::learners {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

FiledSession session(const std::string& recording, const std::string& started,
                     const std::string& exercise = "reach") {
  FiledSession out;
  out.recording = recording;
  out.file = "/data/" + recording + ".h5";
  out.started = started;
  out.exercise = exercise;
  out.machine = "harvester_grapple";
  out.duration_s = 61.5;
  out.passed = true;
  out.results = {{1, false, true, {{"time_s", 50.25}, {"collisions", 2.0}}},
                 {3, true, true, {{"time_s", 33.5}, {"collisions", 0.0}}},
                 {4, false, false, {}}};
  return out;
}

// The message thrown by the statement.
template <class Statement>
std::string fault_of(Statement statement) {
  try {
    statement();
  } catch (const io::FileError& error) {
    return error.what();
  }
  return "no fault";
}

class LearnersDatabase : public testing::Test {
 protected:
  Database open(Access access = Access::kWrite) const { return Database(file_, access); }
  // By SQLite alone, as another program.
  void tamper(const std::string& sql) const {
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open(file_.c_str(), &other), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(other, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(other);
  }
  bool any_byte_says(const std::string& what) const {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_.path()))
      if (entry.is_regular_file() && bytes_of(entry.path()).find(what) != std::string::npos)
        return true;
    return false;
  }

  test::TemporaryFolder folder_;
  const fs::path file_ = folder_ / "data/learners.db";
};

TEST_F(LearnersDatabase, KeepsWhatIsFiled) {
  {
    Database database = open();
    const Learner anna = database.add("Anna");
    EXPECT_EQ(anna.key.size(), 32U);
    EXPECT_TRUE(database.file(anna, session("b", "2026-11-28T06:40:12Z")));
    EXPECT_TRUE(database.file(anna, session("a", "2026-11-27T06:40:12Z", "logs")));
    database.add("Bo");
  }
  const Database database = open(Access::kRead);
  const std::vector<Summary> all = database.list();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].learner.name, "Anna");
  EXPECT_EQ(all[0].sessions, 2);
  EXPECT_EQ(all[0].passed, 2);
  EXPECT_EQ(all[0].first, "2026-11-27T06:40:12Z");
  EXPECT_EQ(all[0].last, "2026-11-28T06:40:12Z");
  EXPECT_EQ(all[1].sessions, 0);
  EXPECT_EQ(all[1].first, "");

  const std::vector<FiledSession> sessions = database.sessions(all[0].learner);
  ASSERT_EQ(sessions.size(), 2U);
  EXPECT_EQ(sessions[0].recording, "a");  // the older one first
  const FiledSession& one = sessions[1];
  EXPECT_EQ(one.file, "/data/b.h5");
  EXPECT_EQ(one.exercise, "reach");
  EXPECT_EQ(one.machine, "harvester_grapple");
  EXPECT_EQ(one.duration_s, 61.5);
  EXPECT_TRUE(one.passed);
  ASSERT_EQ(one.results.size(), 3U);
  EXPECT_FALSE(one.results[2].finished);
  EXPECT_EQ(one.results[0].attempt, 1);
  EXPECT_FALSE(one.results[0].passed);
  EXPECT_EQ(one.results[1].attempt, 3);
  EXPECT_TRUE(one.results[1].passed);
  EXPECT_TRUE(one.results[1].finished);
  EXPECT_THAT(one.results[1].figures,
              testing::UnorderedElementsAre(testing::Pair("time_s", 33.5),
                                            testing::Pair("collisions", 0.0)));
  EXPECT_EQ(database.sessions(all[0].learner, "logs").size(), 1U);
  EXPECT_EQ(database.owner_of("a")->name, "Anna");
  EXPECT_FALSE(database.owner_of("c"));
  EXPECT_EQ(database.find("aNNA")->id, all[0].learner.id);
  EXPECT_EQ(database.find_by_key(all[0].learner.key)->name, "Anna");
}

TEST_F(LearnersDatabase, IsEmptyWhereThereIsNone) {
  const Database database = open(Access::kRead);
  EXPECT_TRUE(database.list().empty());
  EXPECT_FALSE(database.find("Anna"));
  EXPECT_FALSE(database.owner_of("a"));
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(LearnersDatabase, IsForItsOwnerAlone) {
  open().add("Anna");
  struct stat status {};
  ASSERT_EQ(stat(file_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  ASSERT_EQ(stat(file_.parent_path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
}

TEST_F(LearnersDatabase, FilesASessionOnce) {
  Database database = open();
  const Learner anna = database.add("Anna"), bo = database.add("Bo");
  EXPECT_TRUE(database.file(anna, session("a", "2026-11-28T06:40:12Z")));
  FiledSession moved = session("a", "2026-11-28T06:40:12Z");
  moved.file = "/elsewhere/a.h5";
  EXPECT_FALSE(database.file(anna, moved));
  EXPECT_EQ(database.sessions(anna).size(), 1U);
  EXPECT_EQ(database.sessions(anna)[0].file, "/elsewhere/a.h5");
  EXPECT_EQ(fault_of([&] { database.file(bo, moved); }),
            "/elsewhere/a.h5: this session is filed under 'Anna'");
  EXPECT_TRUE(database.sessions(bo).empty());
}

// Each session names the one before it, which no clock that is set back can undo.
TEST_F(LearnersDatabase, KeepsTheOrderOfTheChain) {
  Database database = open();
  const Learner anna = database.add("Anna");
  const auto file = [&](const char* id, const char* started, const char* previous) {
    FiledSession one = session(id, started);
    one.digest = std::string("digest of ") + id;
    one.previous = *previous == '\0' ? "" : std::string("digest of ") + previous;
    database.file(anna, one);
  };
  file("a", "2026-11-28T06:40:12Z", "");
  file("b", "2099-11-28T06:50:12Z", "a");  // the clock was wrong
  file("c", "2026-11-28T07:00:12Z", "b");
  file("d", "2026-11-27T07:00:12Z", "c");   // and was set back
  file("old", "2026-11-01T07:00:12Z", "");  // imported later
  std::string order;
  for (const FiledSession& one : database.sessions(anna)) order += one.recording + " ";
  EXPECT_EQ(order, "old a b c d ");
}

TEST_F(LearnersDatabase, RefusesNamesTwiceAndNoNames) {
  Database database = open();
  const Learner anna = database.add("  Anna Öberg ");
  EXPECT_EQ(anna.name, "Anna Öberg");
  EXPECT_THAT(fault_of([&] { database.add("ANNA Öberg"); }), HasSubstr("'Anna Öberg' already"));
  EXPECT_THAT(fault_of([&] { database.add(" \t"); }), HasSubstr("needs a name"));
  EXPECT_THAT(fault_of([&] { database.add("a\x1B[31m"); }), HasSubstr("control characters"));
  EXPECT_THAT(fault_of([&] { database.add("\xFF"); }), HasSubstr("UTF-8"));
  // Marks that are not seen, or turn the text around them.
  for (const char* mark :
       {"\u202E", "\u200F", "\u2067", "\u061C", "\u200B", "\u2028", "\uFEFF", "\n"})
    EXPECT_THAT(fault_of([&] { database.add(std::string("An") + mark + "na"); }),
                HasSubstr("writing direction"));
  EXPECT_THAT(fault_of([&] { database.add(std::string(201, 'x')); }), HasSubstr("200 bytes"));
  EXPECT_EQ(database.find_or_add("anna Öberg").id, anna.id);
  // Quotes are part of a name.
  const std::string evil = "Robert'); DROP TABLE learners;--";
  EXPECT_EQ(database.add(evil).name, evil);
  EXPECT_EQ(database.find(evil)->name, evil);
  EXPECT_EQ(database.list().size(), 2U);
}

TEST_F(LearnersDatabase, RenamesWithoutATrace) {
  Database database = open();
  const Learner anna = database.add("Xanthippe");
  database.file(anna, session("a", "2026-11-28T06:40:12Z"));
  database.add("Bo");
  EXPECT_THAT(fault_of([&] { database.rename(anna, "bo"); }), HasSubstr("'Bo' already"));
  database.rename(anna, "Kim");
  EXPECT_EQ(database.find("Kim")->key, anna.key);
  EXPECT_EQ(database.sessions(*database.find("Kim")).size(), 1U);
  EXPECT_FALSE(any_byte_says("Xanthippe"));
  database.rename(*database.find("Kim"), "KIM");  // its own name in other letters
  EXPECT_EQ(database.find("kim")->name, "KIM");
}

// Capitals and accents of any script: the pairs are from Unicode's CaseFolding.txt.
TEST_F(LearnersDatabase, KnowsANameInCapitals) {
  Database database = open();
  const Learner one = database.add("Ärla Weiß");
  EXPECT_EQ(database.find("ärla weiß")->id, one.id);
  EXPECT_EQ(database.find("ÄRLA WEISS")->id, one.id);
  EXPECT_EQ(database.find("A\xCC\x88rla Weiß")->id, one.id);  // A and combining dots
  EXPECT_FALSE(database.find("Arla Weiß"));
  EXPECT_EQ(database.find_or_add("äRLA WEIß").id, one.id);
  EXPECT_THAT(fault_of([&] { database.add("ärla weiss"); }), HasSubstr("'Ärla Weiß' already"));
  EXPECT_EQ(database.add("Żółć").name, "Żółć");
  EXPECT_EQ(database.find("ŻÓŁĆ")->name, "Żółć");
  EXPECT_EQ(database.add("Σίσυφος").name, "Σίσυφος");
  EXPECT_EQ(database.find("ΣΊΣΥΦΟΣ")->name, "Σίσυφος");
  database.add("Zoe");
  database.add("élan");
  std::vector<std::string> names;
  for (const Summary& summary : database.list()) names.push_back(summary.learner.name);
  EXPECT_EQ(names, (std::vector<std::string>{"Zoe", "Ärla Weiß", "élan", "Żółć", "Σίσυφος"}));
}

// As the program wrote it before: two spellings of one name are two learners, and stay so.
TEST_F(LearnersDatabase, TakesOverOneOfTheFirstFormat) {
  fs::create_directories(file_.parent_path());
  tamper(R"SQL(
    CREATE TABLE learners (id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE COLLATE NOCASE, key TEXT NOT NULL UNIQUE);
    CREATE TABLE sessions (id INTEGER PRIMARY KEY AUTOINCREMENT,
      learner INTEGER NOT NULL REFERENCES learners(id) ON DELETE CASCADE,
      recording TEXT NOT NULL UNIQUE, file TEXT NOT NULL, started TEXT NOT NULL,
      exercise TEXT NOT NULL, machine TEXT NOT NULL, duration REAL NOT NULL,
      passed INTEGER NOT NULL);
    CREATE TABLE attempts (session INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
      attempt INTEGER NOT NULL, passed INTEGER NOT NULL,
      PRIMARY KEY (session, attempt)) WITHOUT ROWID;
    CREATE TABLE figures (session INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
      attempt INTEGER NOT NULL, key TEXT NOT NULL, value REAL,
      PRIMARY KEY (session, attempt, key)) WITHOUT ROWID;
    INSERT INTO learners VALUES (1, 'Ärla', 'k1'), (2, 'ärla', 'k2'), (3, 'Bo', 'k3');
    INSERT INTO sessions VALUES (1, 2, 'r', '/data/r.h5', 't', 'reach', 'm', 1.0, 1);
    INSERT INTO attempts VALUES (1, 1, 1);
    PRAGMA application_id = 1265517165;
    PRAGMA user_version = 1;
  )SQL");
  {
    const Database database = open(Access::kRead);
    EXPECT_EQ(database.find("ärla")->key, "k2");
    EXPECT_EQ(database.find("Ärla")->key, "k1");
    EXPECT_EQ(database.find("ÄRLA")->key, "k1");
    EXPECT_EQ(database.find("BO")->key, "k3");
  }
  Database database = open();
  const auto sessions = database.sessions(*database.find("ärla"));
  ASSERT_EQ(sessions.size(), 1U);
  ASSERT_EQ(sessions[0].results.size(), 1U);
  EXPECT_TRUE(sessions[0].results[0].finished);
  EXPECT_EQ(sessions[0].trust, 1);
  EXPECT_EQ(sessions[0].why, "filed by an older program");
  EXPECT_FALSE(database.file(*database.find("ärla"), sessions[0]));
  EXPECT_EQ(database.add("Cé").name, "Cé");
}

TEST_F(LearnersDatabase, TakesOverOneOfTheSecondFormatAtT1) {
  fs::create_directories(file_.parent_path());
  tamper(R"SQL(
    CREATE TABLE learners (id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE COLLATE NOCASE, key TEXT NOT NULL UNIQUE, folded TEXT NOT NULL);
    CREATE INDEX learners_by_folded ON learners(folded);
    CREATE TABLE sessions (id INTEGER PRIMARY KEY AUTOINCREMENT,
      learner INTEGER NOT NULL REFERENCES learners(id) ON DELETE CASCADE,
      recording TEXT NOT NULL UNIQUE, file TEXT NOT NULL, started TEXT NOT NULL,
      exercise TEXT NOT NULL, machine TEXT NOT NULL, duration REAL NOT NULL,
      passed INTEGER NOT NULL);
    CREATE INDEX sessions_by_learner ON sessions(learner, started);
    CREATE TABLE attempts (session INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
      attempt INTEGER NOT NULL, passed INTEGER NOT NULL, finished INTEGER NOT NULL,
      PRIMARY KEY (session, attempt)) WITHOUT ROWID;
    CREATE TABLE figures (session INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
      attempt INTEGER NOT NULL, key TEXT NOT NULL, value REAL,
      PRIMARY KEY (session, attempt, key)) WITHOUT ROWID;
    INSERT INTO learners VALUES (1, 'Ärla', 'k1', 'ärla');
    INSERT INTO sessions VALUES (1, 1, 'r', '/data/r.h5', 't', 'reach', 'm', 1.0, 1);
    INSERT INTO attempts VALUES (1, 1, 1, 1), (1, 2, 0, 0);
    INSERT INTO figures VALUES (1, 1, 'time_s', 61.5);
    PRAGMA application_id = 1265517165;
    PRAGMA user_version = 2;
  )SQL");
  Database database = open();
  const auto sessions = database.sessions(*database.find("ärla"));
  ASSERT_EQ(sessions.size(), 1U);
  EXPECT_EQ(sessions[0].trust, 1);
  EXPECT_EQ(sessions[0].why, "filed by an older program");
  ASSERT_EQ(sessions[0].results.size(), 2U);
  EXPECT_EQ(sessions[0].results[0].figures[0].second, 61.5);
  EXPECT_EQ(sessions[0].results[0].curve_key, "");
  EXPECT_EQ(database.deleted().learners, 0);
  // Its file was computed again meanwhile: the row is another one, under the same number.
  FiledSession now = sessions[0];
  now.trust = 3;
  now.digest = "abc";
  now.why.clear();
  now.results[0].key = "k";
  EXPECT_FALSE(database.file(*database.find("ärla"), now));
  const auto later = database.sessions(*database.find("ärla"));
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later[0].id, sessions[0].id);
  EXPECT_EQ(later[0].trust, 3);
  EXPECT_EQ(later[0].results[0].key, "k");
  EXPECT_EQ(later[0].results[0].figures, sessions[0].results[0].figures);
  EXPECT_EQ(database.last_digest("k1"), "abc");
  // Less trust changes nothing.
  now.trust = 1;
  now.digest = "def";
  database.file(*database.find("ärla"), now);
  EXPECT_EQ(database.last_digest("k1"), "abc");
}

TEST_F(LearnersDatabase, DeletesToTheLastByte) {
  Database database = open();
  const Learner gone = database.add("Xanthippe"), stays = database.add("Bo");
  for (int i = 0; i < 60; ++i) {
    FiledSession one = session("gone" + std::to_string(i), "2026-11-28T06:40:12Z");
    one.file = "/data/Xanthippe/" + std::to_string(i) + ".h5";
    database.file(gone, one);
    database.file(stays, session("stays" + std::to_string(i), "2026-11-28T06:40:12Z"));
  }
  ASSERT_TRUE(any_byte_says("Xanthippe"));
  const Database other = open(Access::kRead);  // another program that has it open
  EXPECT_EQ(other.list().size(), 2U);
  database.remove(gone);
  EXPECT_FALSE(any_byte_says("Xanthippe"));
  EXPECT_FALSE(any_byte_says(gone.key));
  EXPECT_FALSE(any_byte_says("gone17"));
  ASSERT_EQ(other.list().size(), 1U);
  EXPECT_EQ(other.list()[0].sessions, 60);
  EXPECT_EQ(other.sessions(stays).size(), 60U);
  EXPECT_EQ(other.sessions(stays)[7].results.size(), 3U);
}

TEST_F(LearnersDatabase, TakesTwoTrainersAtOnce) {
  constexpr int kEach = 15;
  std::atomic<int> faults{0};
  const auto trainer = [&](const std::string& name) {
    for (int i = 0; i < kEach; ++i) {
      try {
        Database database = open();
        const Learner learner = database.find_or_add(name);
        database.file(learner, session(name + std::to_string(i), "2026-11-28T06:40:12Z"));
        database.file(database.find_or_add("Both"),
                      session("both" + name + std::to_string(i), "2026-11-28T06:40:12Z"));
      } catch (const io::FileError& error) {
        ADD_FAILURE() << error.what();
        ++faults;
      }
    }
  };
  std::thread a(trainer, "Anna"), b(trainer, "Bo");
  a.join();
  b.join();
  EXPECT_EQ(faults, 0);
  const Database database = open(Access::kRead);
  ASSERT_EQ(database.list().size(), 3U);
  EXPECT_EQ(database.list()[0].sessions, kEach);
  EXPECT_EQ(database.list()[1].sessions, kEach);
  EXPECT_EQ(database.list()[2].sessions, 2 * kEach);
}

TEST_F(LearnersDatabase, SaysThatAnotherProgramHoldsIt) {
  open().add("Anna");
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(file_.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(fault_of([&] { Database(file_, Access::kWrite, 50).add("Bo"); }),
            file_.string() +
                ": another program is writing to the database of learners just now; try again");
  sqlite3_close(other);
  open().add("Bo");
}

TEST_F(LearnersDatabase, KeepsQuizzesAndPinsAndTakesOverTheThirdFormat) {
  {
    Database database = open();
    const Learner anna = database.add("Anna");
    EXPECT_EQ(database.pin_hash(anna), "");
    database.set_pin_hash(anna, "h1");
    database.file(anna, {"danger_zone", "2026-11-28T06:40:12Z", 8, 10, false});
    database.file(anna, {"danger_zone", "2026-11-28T06:50:12Z", 10, 10, true, "seal"});
    database.file(anna, session("a", "2026-11-28T06:40:12Z"));
    database.add("Bo");
  }
  EXPECT_EQ(open(Access::kRead).pin_hash(*open().find("Anna")), "h1");
  const std::vector<QuizTaken> taken = open(Access::kRead).quizzes(*open().find("Anna"));
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].correct, 8);
  EXPECT_EQ(taken[1].taken, "2026-11-28T06:50:12Z");
  EXPECT_TRUE(!taken[0].passed && taken[1].passed);
  EXPECT_EQ(taken[0].seal + taken[1].seal, "seal");
  // As a program before seals left it.
  tamper("ALTER TABLE quizzes DROP COLUMN seal; PRAGMA user_version = 5");
  EXPECT_EQ(open(Access::kRead).quizzes(*open().find("Anna")).at(1).seal, "");
  EXPECT_TRUE(open().quizzes(*open().find("Bo")).empty());
  // As a program before quizzes left it.
  tamper(
      "DROP TABLE settings; DROP TABLE notes; DROP TABLE quizzes; ALTER TABLE learners DROP COLUMN "
      "pin; PRAGMA user_version = 3");
  EXPECT_EQ(open(Access::kRead).sessions(*open().find("Anna")).size(), 1U);
  EXPECT_TRUE(open().quizzes(*open().find("Anna")).empty());
  Database database = open();
  database.file(*database.find("Anna"), {"q", "t", 1, 1, true});
  // Nothing of her remains.
  database.remove(*database.find("Anna"));
  EXPECT_TRUE(database.quizzes({1, "", ""}).empty());
}

TEST_F(LearnersDatabase, KeepsSettingsAndNotesAndTakesOverTheFourthFormat) {
  const std::map<std::string, double> hers = {{"crane_speed", 0.7}, {"swing.dead_zone", 0.08}};
  {
    Database database = open();
    const Learner anna = database.add("Anna"), bo = database.add("Bo");
    EXPECT_TRUE(database.settings(anna).empty());
    database.set_settings(anna, {{"ramps", 2.0}});
    database.set_settings(anna, hers);
    database.set_settings(bo, {{"ramps", 0.5}});
    database.file(anna, session("a", "2026-11-28T06:40:12Z"));
    database.add(Note{0, "a", "", 1500, "2026-11-28T08:00:00Z", "too fast here"});
    database.add(Note{0, "a", anna.key, 200, "2026-11-28T08:01:00Z", "good start"});
    database.add(Note{0, "unfiled", anna.key, 1, "2026-11-28T08:02:00Z", "kept by her key"});
    database.add(Note{0, "b", bo.key, 7, "2026-11-28T08:03:00Z", "of another"});
  }
  {
    Database database = open();
    EXPECT_EQ(database.settings(*database.find("Anna")), hers);
    const std::vector<Note> notes = database.notes("a");
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_EQ(notes[0].text, "good start");
    EXPECT_EQ(notes[1].tick, 1500);
    database.remove_note(notes[0].id);
    EXPECT_EQ(database.notes("a").size(), 1U);
    database.remove(*database.find("Anna"));
    EXPECT_TRUE(database.notes("a").empty() && database.notes("unfiled").empty());
    EXPECT_EQ(database.notes("b").size(), 1U);
    EXPECT_EQ(database.settings(*database.find("Bo")).at("ramps"), 0.5);
  }
  for (const char* gone : {"crane_speed", "too fast here", "kept by her key"})
    EXPECT_FALSE(any_byte_says(gone)) << gone;
  // As a program before settings left it.
  tamper(
      "DROP TABLE settings; DROP TABLE notes; ALTER TABLE quizzes DROP COLUMN seal; PRAGMA "
      "user_version = 4");
  EXPECT_EQ(open(Access::kRead).list().size(), 1U);
  EXPECT_TRUE(open().settings(*open().find("Bo")).empty());
  EXPECT_TRUE(open().notes("b").empty());
}

TEST_F(LearnersDatabase, SaysWhatIsWrongWithTheFile) {
  open().add("Anna");
  const std::string sound = bytes_of(file_);
  const auto write = [&](const std::string& bytes) {
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << bytes;
  };

  tamper("PRAGMA user_version = 7");
  for (const Access access : {Access::kRead, Access::kWrite})
    EXPECT_THAT(fault_of([&] { open(access); }),
                HasSubstr("a newer version of the program (format 7; this one knows 6)"));
  tamper("PRAGMA user_version = 1; PRAGMA application_id = 7");
  EXPECT_THAT(fault_of([&] { open(); }), HasSubstr("this is no database of learners"));

  write("just a text that is long enough to be read as a header, and then some more of it........");
  for (const Access access : {Access::kRead, Access::kWrite})
    EXPECT_THAT(fault_of([&] { open(access); }), HasSubstr("this is no database of learners"));

  // Any damage: a sentence or a sound answer, never a crash.
  for (std::size_t i = 0; i < sound.size(); i += 391) {
    std::string damaged = sound;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x5A);
    write(damaged);
    const std::string fault = fault_of([&] {
      Database database = open();
      for (const Summary& one : database.list()) database.sessions(one.learner);
      database.find_or_add("Bo");
    });
    EXPECT_THAT(fault, Not(HasSubstr("\n"))) << i;
  }
  for (std::size_t size = 0; size < sound.size(); size += 512) {
    write(sound.substr(0, size));
    fault_of([&] { open().list(); });
  }

  // An empty file becomes a database, and is none while it is only read.
  write("");
  EXPECT_TRUE(open(Access::kRead).list().empty());
  EXPECT_EQ(open().add("Bo").name, "Bo");
}

TEST_F(LearnersDatabase, SaysThatTheDiskIsFull) {
  Database database = open();
  const Learner anna = database.add("Anna");
  // A file that may not grow does as a disk that is full.
  const std::uintmax_t size = fs::file_size(file_);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_IGN);
  rlimit less = before;
  less.rlim_cur = size;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &less), 0);
  std::string fault = "no fault";
  for (int i = 0; i < 200 && fault == "no fault"; ++i)
    fault = fault_of(
        [&] { database.file(anna, session("a" + std::to_string(i), "2026-11-28T06:40:12Z")); });
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_THAT(fault, testing::AnyOf(HasSubstr("is full"), HasSubstr("the disk fails or is full")));
  // Earlier entries are valid, and there is space again.
  EXPECT_TRUE(database.file(anna, session("again", "2026-11-28T06:40:12Z")));
  EXPECT_NO_THROW(open(Access::kRead).list());
}

TEST_F(LearnersDatabase, SaysThatTheFolderCannotBeMade) {
  std::ofstream(folder_ / "data") << "a file in the way";
  EXPECT_THAT(fault_of([&] { open(); }), HasSubstr("the folder cannot be made"));
  fs::remove(folder_ / "data");
  fs::create_directories(file_);  // a folder where the file should be
  EXPECT_THAT(fault_of([&] { open(); }),
              HasSubstr("this is a folder where the database of learners should be"));
}

}  // namespace
}  // namespace knuckleboom::learners
