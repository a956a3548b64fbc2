// All data of a person is found wherever it is, and nothing else.
#include "app/learners/deletion.hpp"

#include <filesystem>
#include <fstream>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/recording/session_journal.hpp"
#include "support/session_recording.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
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
  learners::FiledSession broken;
  broken.file = elsewhere / "broken.h5";
  std::ofstream(broken.file) << "Anna";
  other.recording += described_.header.id;
  const Belongings found = belongings_of(anna_, {filed, other, own, broken}, sessions());
  EXPECT_THAT(found.missing, ElementsAre(filed.file));
  EXPECT_THAT(found.others, ElementsAre(other.file));
  EXPECT_THAT(found.files, ElementsAre(own.file, broken.file));
}

TEST_F(Deletion, SaysWhatCouldNotBeDeleted) {
  fs::create_directories(sessions() / "full.h5/inside");
  const auto sentences = remove_files({sessions() / "full.h5", sessions() / "not there.h5"});
  ASSERT_EQ(sentences.size(), 1U);
  EXPECT_THAT(sentences[0], testing::HasSubstr("full.h5 could not be deleted: "));
}

}  // namespace
}  // namespace knuckleboom::app
