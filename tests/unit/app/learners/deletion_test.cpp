// All data of a person is found wherever it is, and nothing else.
#include "app/learners/deletion.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "knuckleboom/recording/session_journal.hpp"
#include "support/session_recording.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

class Deletion : public testing::Test {
 protected:
  // A session file as it is when a program goes away: a journal.
  io::SessionJournal begin(const fs::path& file, const std::string& name, const std::string& key) {
    described_.header.learner = name;
    described_.header.learner_id = key;
    io::SessionJournal journal(file, described_.header);
    journal.add_state(0, described_.session->initial_state());
    journal.flush(10);
    return journal;
  }
  fs::path left(const char* name, const std::string& learner, const std::string& key) {
    const fs::path file = sessions() / name;
    return begin(file, learner, key).journal_file();
  }
  fs::path sessions() const { return folder_.path(); }

  test::TemporaryFolder folder_;
  test::DescribedSession described_ = test::described_session("reach");
  const learners::Learner anna_{1, "Anna", "0123456789abcdef0123456789abcdef"};
};

TEST_F(Deletion, FindsWhatIsNamedByKeyOrName) {
  const fs::path by_key = left("a.h5", "Old name", anna_.key);
  const fs::path by_name = left("b.h5", "Anna", "");
  left("c.h5", "Anna", "another");  // of the same name in another database
  left("d.h5", "Bo", "");
  left("e.h5", "", "");
  std::ofstream(sessions() / "note.txt") << "Anna";
  const fs::path half_made = sessions() / "f.h5.4711.tmp";
  std::ofstream(half_made) << "... " << anna_.key << " ...";
  std::ofstream(sessions() / "broken.h5") << "Anna";
  const Belongings own = belongings_of(anna_, {}, sessions());
  EXPECT_THAT(own.files, UnorderedElementsAre(by_key, by_name, half_made));
  EXPECT_THAT(remove_files(own.files), IsEmpty());
  EXPECT_FALSE(fs::exists(by_key));
  EXPECT_TRUE(fs::exists(sessions() / "note.txt"));
}

TEST_F(Deletion, WaitsForTheEndOfARecording) {
  {
    const io::SessionJournal live = begin(sessions() / "a.h5", "Anna", anna_.key);
    EXPECT_THROW(belongings_of(anna_, {}, sessions()), io::FileError);
    EXPECT_THAT(belongings_of({2, "Bo", "b"}, {}, sessions()).files, IsEmpty());
  }
  EXPECT_EQ(belongings_of(anna_, {}, sessions()).files.size(), 1U);
}

TEST_F(Deletion, TellsWhatWasMovedAndWhatIsSomebodyElses) {
  test::TemporaryFolder elsewhere;
  learners::FiledSession filed;
  filed.recording = "gone";
  filed.file = elsewhere / "gone.h5";
  learners::FiledSession other;
  other.recording = "not the one that is there";
  other.file = begin(elsewhere / "other.h5", "Bo", "b").journal_file();
  learners::FiledSession own;
  own.file = begin(elsewhere / "own.h5", "", "").journal_file();  // imported: names nobody
  own.recording = described_.header.id;
  other.recording += described_.header.id;
  const Belongings found = belongings_of(anna_, {filed, other, own}, sessions());
  EXPECT_THAT(found.missing, ElementsAre(filed.file));
  EXPECT_THAT(found.others, ElementsAre(Pair(other.file, HasSubstr("holds another session now"))));
  EXPECT_THAT(found.files, ElementsAre(own.file));
}

// Whatever it is that cannot be read at the place of a filed session: hers only with her key in it.
TEST_F(Deletion, LeavesWhatCannotBeReadUnlessItHasTheKey) {
  test::TemporaryFolder elsewhere;
  std::vector<learners::FiledSession> filed;
  const auto put = [&](const char* name, const std::string& content) {
    learners::FiledSession& one = filed.emplace_back();
    one.recording = std::string("recording of ") + name;
    one.file = elsewhere / name;
    std::ofstream(one.file, std::ios::binary) << content;
    return one.file;
  };
  const std::string bo = "fedcba9876543210fedcba9876543210";
  const std::string newer = "knuckleboom session 99\nbytes 5\n";
  const fs::path text = put("text.h5", "Anna's shopping list");
  const fs::path foreign = put("foreign.h5", "\x89HDF\r\n\x1a\n of another program");
  const fs::path empty = put("empty.h5", "");
  const fs::path newer_of_bo = put("newer_of_bo.h5", newer + bo);
  const fs::path archive = put("archive.h5", anna_.key + " and " + bo);
  const fs::path newer_of_anna = put("newer_of_anna.h5", newer + anna_.key);
  // Cut in two by any piece that is read at a time.
  const fs::path damaged =
      put("damaged.h5", std::string((std::size_t{1} << 20) - 7, 'x') + anna_.key);
  const fs::path folder = elsewhere / "folder.h5";
  fs::create_directory(folder);
  filed.emplace_back().file = folder;
  const fs::path pipe = elsewhere / "pipe.h5";  // opening it would block without end
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  filed.emplace_back().file = pipe;

  const Belongings found = belongings_of(anna_, filed, sessions(), {anna_.key, bo});
  EXPECT_THAT(found.files, UnorderedElementsAre(newer_of_anna, damaged));
  EXPECT_THAT(found.missing, IsEmpty());
  EXPECT_THAT(remove_files(found.files), IsEmpty());
  const std::vector<fs::path> left = {text, foreign, empty, newer_of_bo, archive, folder, pipe};
  ASSERT_EQ(found.others.size(), left.size());
  for (const fs::path& path : left) {
    EXPECT_TRUE(fs::exists(path)) << path;
    EXPECT_THAT(found.others,
                testing::Contains(Pair(path, testing::StartsWith(path.string() + " "))));
  }
}

// In the folder of sessions too, and what only looks as if a program had left it half made.
TEST_F(Deletion, LeavesForeignFilesInTheFolder) {
  const fs::path newer = sessions() / "newer.h5";
  std::ofstream(newer) << "knuckleboom session 99\n" << anna_.key;
  const fs::path aside = sessions() / "a.h5.journal.unreadable";
  std::ofstream(aside) << "damaged " << anna_.key;
  for (const char* name : {"copy.bak", "notes.txt", "all.tar", "a.h5.tmp", "b.csv.17.tmp"})
    std::ofstream(sessions() / name) << anna_.key;
  EXPECT_THAT(belongings_of(anna_, {}, sessions()).files, UnorderedElementsAre(newer, aside));
}

TEST_F(Deletion, FollowsALinkToWhatIsFiled) {
  test::TemporaryFolder elsewhere;
  const fs::path real = begin(elsewhere / "real.h5", "Anna", anna_.key).journal_file();
  learners::FiledSession filed;
  filed.recording = described_.header.id;
  filed.file = elsewhere / "link.h5";
  fs::create_symlink(real, filed.file);
  EXPECT_THAT(remove_files(belongings_of(anna_, {filed}, sessions()).files), IsEmpty());
  EXPECT_FALSE(fs::exists(real));
  EXPECT_FALSE(fs::is_symlink(filed.file));
}

TEST_F(Deletion, SaysWhatCouldNotBeDeleted) {
  fs::create_directories(sessions() / "full.h5/inside");
  const auto sentences = remove_files({sessions() / "full.h5", sessions() / "not there.h5"});
  ASSERT_EQ(sentences.size(), 1U);
  EXPECT_THAT(sentences[0], testing::HasSubstr("full.h5 could not be deleted: "));
}

}  // namespace
}  // namespace knuckleboom::app
