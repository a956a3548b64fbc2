// Session files are read by another process: what goes wrong there is one sentence here, and the next file is
// read all the same. This program lies beside a reader that fails when it is told to.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "knuckleboom/recording/session_file.hpp"
#include "recording/session_child.hpp"
#include "recording/session_guard.hpp"
#include "support/forge.hpp"
#include "support/session_recording.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class SessionProcess : public testing::Test {
 protected:
  SessionProcess() : sound_(folder_ / "sound.h5") {
    test::record_session(test::described_session("reach"), test::random_input(3, 500), sound_);
  }
  // A file with a right checksum at which the library fails in a certain way: tests/support/reader.
  fs::path failing(const std::string& mark) {
    const fs::path file = folder_ / "failing.h5";
    test::put_content(file, std::string(kGuardBytes, ' ') + mark);
    test::seal_session(file);
    return file;
  }
  static std::string sentence(SessionFiles& files, const fs::path& file) {
    try {
      files.read(file);
    } catch (const FileError& error) {
      return error.what();
    }
    return "read";
  }

  const test::TemporaryFolder folder_;
  const fs::path sound_;
};

TEST_F(SessionProcess, ReadsManyFilesOneAfterTheOther) {
  SessionFiles files;
  for (int i = 0; i < 3; ++i) {
    const SessionRecord record = files.read(sound_);
    EXPECT_EQ(record.end.end_tick, 500);
    EXPECT_TRUE(record.remarks.empty());
    const SessionOutline outline = files.outline(sound_);
    EXPECT_EQ(outline.header.id, record.header.id);
    ASSERT_EQ(outline.attempts.size(), record.attempts.size());
    EXPECT_EQ(outline.attempts.back().end_tick, record.attempts.back().end_tick);
  }
}

TEST_F(SessionProcess, ACrashIsASentence) {
  SessionFiles files;
  EXPECT_THAT(sentence(files, failing("TEST: CRASH")),
              AllOf(HasSubstr("failing.h5: "), HasSubstr("the HDF5 library crashed over it")));
  EXPECT_EQ(sentence(files, sound_), "read");
}

TEST_F(SessionProcess, ALoopIsASentence) {
  SessionFiles files;
  EXPECT_EQ(sentence(files, sound_), "read");
  EXPECT_THAT(sentence(files, failing("TEST: LOOP")), HasSubstr("does not come to an end"));
  EXPECT_EQ(sentence(files, sound_), "read");
}

TEST_F(SessionProcess, MayNotStartAnything) {
  SessionFiles files;
  EXPECT_THAT(sentence(files, failing("TEST: SYSTEM")),
              HasSubstr("wanted more of the system than reading needs"));
}

TEST_F(SessionProcess, WhatIsNoHdf5IsASentence) {
  SessionFiles files;
  EXPECT_THAT(sentence(files, failing("nothing of the sort")), HasSubstr("cannot be understood"));
  EXPECT_THAT(sentence(files, failing("")), HasSubstr("cannot be"));
  EXPECT_EQ(sentence(files, sound_), "read");
}

TEST_F(SessionProcess, IsRefusedWhereItCannotBeStarted) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::close(next);
  // One for the file itself; none for a socket.
  const rlimit few{static_cast<rlim_t>(next) + 1, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  SessionFiles files;
  const std::string refused = sentence(files, sound_);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_THAT(refused, HasSubstr("read in a process of its own, and that cannot be started"));
  EXPECT_EQ(sentence(files, sound_), "read");
}

}  // namespace
}  // namespace knuckleboom::io
