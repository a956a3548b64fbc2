// Folders of sessions, and handling of the files found there.
#include "app/trainer/session_folder.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recording/journal_blocks.hpp"
#include "support/session_recording.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

TEST(RecordingChoice, takesNoNameThatIsThere) {
  const test::TemporaryFolder folder;
  DriveRequest request;
  request.record_input = folder / "a.csv";
  request.session = folder / "a.h5";
  RecordingChoice first = recording_choice(request, 1, true);
  EXPECT_EQ(first.input, folder / "a.csv");
  EXPECT_EQ(first.file, folder / "a.h5");
  EXPECT_THAT(first.remarks, IsEmpty());

  write(folder / "a.csv", "x");
  write(folder / "a.h5.journal", "x");
  write(folder / "a-2.h5", "x");
  first = recording_choice(request, 1, true);
  EXPECT_EQ(first.input, folder / "a-2.csv");
  EXPECT_EQ(first.file, folder / "a-3.h5");
  EXPECT_THAT(first.remarks, SizeIs(2));
  EXPECT_EQ(recording_choice(request, 4, true).input, folder / "a-4.csv");
}

// An input file begins with its exercise; what was taken over does not.
TEST(RecordingChoice, recordsNoInputOfWhatWasTakenOver) {
  const test::TemporaryFolder folder;
  DriveRequest request;
  request.record_input = folder / "a.csv";
  request.session = folder / "a.h5";
  const RecordingChoice choice = recording_choice(request, 2, true, true);
  EXPECT_TRUE(choice.input.empty());
  EXPECT_EQ(choice.file, folder / "a-2.h5");
  ASSERT_THAT(choice.remarks, testing::Not(IsEmpty()));
  EXPECT_THAT(choice.remarks.front(), HasSubstr("--record-input"));
}

TEST(CutOffSessions, areSetAsideOnceIfTheyCannotBeRead) {
  const test::TemporaryFolder folder;
  write(folder / "b.h5.journal", "no journal");
  write(folder / "c.h5.journal", "");
  write(folder / "c.h5.journal.unreadable", "of another day");
  const std::vector<std::string> sentences = keep_cut_off_sessions(folder.path());
  ASSERT_THAT(sentences, SizeIs(2));
  EXPECT_THAT(sentences[0], HasSubstr("b.h5.journal.unreadable"));
  EXPECT_THAT(sentences[1], HasSubstr("c.h5.journal-2.unreadable"));
  EXPECT_TRUE(fs::exists(folder / "b.h5.journal.unreadable"));
  EXPECT_EQ(fs::file_size(folder / "c.h5.journal.unreadable"), 14U);
  EXPECT_THAT(keep_cut_off_sessions(folder.path()), IsEmpty());
}

// Another version of the program can read it.
TEST(CutOffSessions, stayWhereTheyAreIfAnotherVersionWroteThem) {
  const test::TemporaryFolder folder;
  const std::string newer("\x63\0\0\0 and what it may hold then", 30);
  write(folder / "d.h5.journal", io::journal_block(io::JournalKind::kHeader, 0, newer));
  const std::vector<std::string> sentences = keep_cut_off_sessions(folder.path());
  ASSERT_THAT(sentences, SizeIs(1));
  EXPECT_THAT(sentences[0], HasSubstr("another version"));
  EXPECT_TRUE(fs::exists(folder / "d.h5.journal"));
}

// Other programs call their files so as well.
TEST(CutOffSessions, leaveWhatIsNotOurs) {
  const test::TemporaryFolder folder;
  const auto old = [&](const char* name) {
    write(folder / name, "somebody's notes");
    fs::last_write_time(folder / name, fs::file_time_type::clock::now() - std::chrono::hours(48));
    return folder / name;
  };
  const fs::path diary = old("diary.journal"), copy = old("a.h5.journal.old.tmp"),
                 plain = old("a.h5.journal.tmp"), table = old("b.csv.12.tmp");
  const fs::path ours = old("a.h5.journal.4711.tmp");
  fs::create_directory(folder / "c.h5.journal.12.tmp");
  EXPECT_THAT(keep_cut_off_sessions(folder.path()), IsEmpty());
  for (const fs::path& file : {diary, copy, plain, table}) EXPECT_TRUE(fs::exists(file)) << file;
  EXPECT_TRUE(fs::exists(folder / "c.h5.journal.12.tmp"));
  EXPECT_FALSE(fs::exists(ours));
}

}  // namespace
}  // namespace knuckleboom::app
