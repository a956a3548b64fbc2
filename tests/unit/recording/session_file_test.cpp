// Recorded sessions read back as written.
#include "knuckleboom/recording/session_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/state_file.hpp"
#include "knuckleboom/recording/session_journal.hpp"
#include "knuckleboom/recording/session_texts.hpp"
#include "knuckleboom/version.hpp"
#include "support/forge.hpp"
#include "support/paths.hpp"
#include "support/same_bytes.hpp"
#include "support/session_recording.hpp"

namespace knuckleboom::io {
namespace {

// A figure that is not measured is no number, in the file as well.
bool same_number(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

using training::InputEvent;
using training::InputEventKind;

class SessionFile : public testing::Test {
 protected:
  static constexpr std::int64_t kTicks = 4321;

  SessionFile()
      : described_(test::described_session("logs")),
        input_(test::random_input(7, kTicks)),
        file_(folder_ / "one.h5") {
    described_.header.learner = "Åsa Öberg";
    described_.header.learner_id = "17";
    described_.header.options = {{"control", "boom_tip"}, {"rate", "1000"}};
    last_ = test::record_session(described_, input_, file_);
  }

  test::TemporaryFolder folder_;
  test::DescribedSession described_;
  std::vector<InputEvent> input_;
  std::filesystem::path file_;
  training::SessionState last_{};
};

TEST_F(SessionFile, KeepsTheHeader) {
  const SessionRecord record = read_session(file_);
  const SessionHeader &wanted = described_.header, &got = record.header;
  EXPECT_EQ(got.program, this_program());
  EXPECT_EQ(got.processor, this_processor());
  EXPECT_EQ(got.id, wanted.id);
  EXPECT_EQ(got.id.size(), 32U);
  EXPECT_EQ(got.start_utc, wanted.start_utc);
  EXPECT_EQ(got.learner, "Åsa Öberg");
  EXPECT_EQ(got.learner_id, "17");
  EXPECT_EQ(got.parent_tick, -1);
  EXPECT_EQ(got.exercise, "logs");
  EXPECT_EQ(got.machine_hash, wanted.machine_hash);
  EXPECT_EQ(got.levers_hash, wanted.levers_hash);
  EXPECT_EQ(got.exercise_hash, wanted.exercise_hash);
  EXPECT_EQ(got.rate_Hz, 1000.0);
  EXPECT_EQ(got.layout, wanted.layout);
  // A row has only those places for wood that these two logs can need.
  EXPECT_LT(got.layout.bytes, sizeof(training::SessionState) - 250000U);
  EXPECT_EQ(got.options, wanted.options);
  ASSERT_EQ(got.texts.size(), wanted.texts.size());
  for (std::size_t i = 0; i < got.texts.size(); ++i) {
    EXPECT_EQ(got.texts[i].role, wanted.texts[i].role);
    EXPECT_EQ(got.texts[i].name, wanted.texts[i].name);
    EXPECT_EQ(got.texts[i].text, wanted.texts[i].text);
  }
  ASSERT_EQ(got.channels.size(), wanted.channels.size());
  for (std::size_t i = 0; i < got.channels.size(); ++i) {
    EXPECT_EQ(got.channels[i].name, wanted.channels[i].name);
    EXPECT_EQ(got.channels[i].unit, wanted.channels[i].unit);
    EXPECT_EQ(got.channels[i].description, wanted.channels[i].description);
  }
  ASSERT_EQ(got.figures.size(), wanted.figures.size());
  for (std::size_t i = 0; i < got.figures.size(); ++i) {
    EXPECT_EQ(got.figures[i].name, wanted.figures[i].name);
    EXPECT_EQ(got.figures[i].unit, wanted.figures[i].unit);
    EXPECT_EQ(got.figures[i].description, wanted.figures[i].description);
  }
}

TEST_F(SessionFile, KeepsEveryInputBitByBit) {
  const SessionRecord record = read_session(file_);
  EXPECT_TRUE(record.end.complete);
  EXPECT_EQ(record.end.end_tick, kTicks);
  EXPECT_EQ(record.end.lost, 0);
  EXPECT_EQ(record.end.end_hash, state::hash(last_));
  ASSERT_EQ(record.inputs.size(), input_.size());
  for (std::size_t i = 0; i < input_.size(); ++i) {
    EXPECT_EQ(record.inputs[i].tick, input_[i].tick);
    EXPECT_EQ(record.inputs[i].kind, input_[i].kind);
    EXPECT_EQ(record.inputs[i].command.kind, input_[i].command.kind);
    EXPECT_EQ(record.inputs[i].command.value, input_[i].command.value);
    EXPECT_TRUE(test::same_bytes(record.inputs[i].input, input_[i].input));
  }
}

TEST_F(SessionFile, GivesTheSameSessionAgain) {
  const SessionRecord record = read_session(file_);
  const auto session = make_session(record.header);
  training::SessionState state = session->initial_state();
  training::SessionSnapshot snapshot{};
  training::InputPlayback playback(record.inputs);
  const auto apply = [&](const training::Command& command) { session->apply(command, state); };
  std::size_t hash = 0, stored = 0, row = 0;
  const auto channels = training::session_channels(*session);
  std::vector<std::vector<float>> columns;
  for (const auto& channel : channels) columns.push_back(record.channel(channel.name));
  snapshot = session->snapshot(state);
  for (;;) {
    if (hash < record.hashes.size() && record.hashes[hash].tick == state.tick) {
      EXPECT_EQ(record.hashes[hash].value, state::hash(state)) << state.tick;
      ++hash;
    }
    if (stored < record.state_ticks.size() && record.state_ticks[stored] == state.tick) {
      EXPECT_TRUE(test::same_bytes(record.state(stored, *session), state)) << state.tick;
      ++stored;
    }
    if (row < record.channel_ticks.size() && record.channel_ticks[row] == state.tick) {
      for (std::size_t i = 0; i < channels.size(); ++i)
        EXPECT_PRED2(same_number, columns[i][row], static_cast<float>(channels[i].value(snapshot)))
            << channels[i].name << " at " << state.tick;
      if (row == 5) {
        const std::vector<float> one = record.channel_row(row);
        for (std::size_t i = 0; i < channels.size(); ++i)
          EXPECT_PRED2(same_number, one[i], columns[i][row]);
      }
      ++row;
    }
    const command::OperatorInput levers = playback.advance(state.tick, apply);
    if (state.tick == record.end.end_tick) break;
    session->step(levers, state, snapshot);
  }
  EXPECT_TRUE(test::same_bytes(state, last_));
  EXPECT_EQ(hash, record.hashes.size());
  EXPECT_EQ(hash, 1U + 43U);  // the first, then every 100 ticks
  EXPECT_EQ(stored, 1U + 4U);
  EXPECT_EQ(row, 1U + 4321U / 20U);
  ASSERT_EQ(record.attempts.back().end_tick, kTicks);
  EXPECT_EQ(record.attempts.back().figures[1], last_.score.score.path_m);
}

TEST_F(SessionFile, IsNotWhatItWasWhenAByteChanges) {
  std::string bytes;
  {
    std::ifstream in(file_, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  const auto sentence = [&](const std::string& content) -> std::string {
    const std::filesystem::path path = folder_ / "other.h5";
    std::ofstream(path, std::ios::binary) << content;
    try {
      read_session(path);
    } catch (const FileError& error) {
      return error.what();
    }
    return "read";
  };
  EXPECT_EQ(sentence(bytes), "read");
  std::string other = bytes;
  other[bytes.size() / 2] ^= 4;
  EXPECT_THAT(sentence(other), testing::HasSubstr("damaged"));
  EXPECT_THAT(sentence(bytes.substr(0, bytes.size() - 1)), testing::HasSubstr("cut short"));
  EXPECT_THAT(sentence(bytes.substr(0, 100)), testing::HasSubstr("cut short"));
  EXPECT_THAT(sentence(bytes + "x"), testing::HasSubstr("too long"));
  EXPECT_THAT(sentence(""), testing::HasSubstr("not a session file"));
  other = bytes;
  other[20] = '2';
  EXPECT_THAT(sentence(other), testing::HasSubstr("format 2"));
}

// Where the files lay is nobody's business; the machine's base is found all the same.
TEST(SessionFolders, AreNotKept) {
  const test::TemporaryFolder folder;
  const std::filesystem::path config = std::filesystem::path(KNUCKLEBOOM_SOURCE_DIR) / "config";
  const std::filesystem::path own = folder / "where_nobody_looks";
  std::filesystem::create_directories(own);
  std::filesystem::copy(config / "exercises", own / "tasks",
                        std::filesystem::copy_options::recursive);
  for (const char* machine : {"harvester", "harvester_wheeled"}) {
    std::filesystem::create_directories(own / "made" / machine);
    std::filesystem::copy(config / "machines" / machine, own / "made" / machine);
  }
  test::DescribedSession described = test::described_session("logs");
  ASSERT_EQ(described.header.machine, "harvester_wheeled");
  const std::filesystem::path levers = config / "levers" / (described.header.levers + ".toml");
  read_session_texts(own / "tasks/logs.toml", own / "made/harvester_wheeled/machine.toml", levers,
                     described.header);
  describe(*described.session, described.header);
  const std::filesystem::path file = folder / "one.h5";
  test::record_session(described, test::random_input(2, 300), file);
  const std::string bytes = test::content_of(file);
  for (const std::string& place :
       {std::string("where_nobody_looks"), folder.path().string(), config.string()})
    EXPECT_EQ(bytes.find(place), std::string::npos) << place;
  std::vector<std::string> remarks;
  const SessionRecord record = read_session(file);
  EXPECT_NE(make_session(record.header, &remarks), nullptr);
  EXPECT_THAT(remarks, testing::IsEmpty());
}

// A recording from a newer program: what is not known is named and left out, but only there.
TEST(SessionTexts, LeaveOutKeysOfANewerProgram) {
  test::DescribedSession described = test::described_session("reach");
  for (SessionText& text : described.header.texts)
    if (text.role == "exercise") text.text = "quantum_drive = true\n" + text.text;
  std::vector<std::string> remarks;
  EXPECT_NE(make_session(described.header, &remarks), nullptr);
  ASSERT_EQ(remarks.size(), 2U);
  EXPECT_THAT(remarks[0], testing::AllOf(testing::HasSubstr("'quantum_drive' of "),
                                         testing::HasSubstr("reach.toml line 1")));
  EXPECT_THAT(remarks[1], testing::HasSubstr("the text of its exercise file is not the one"));
  const SessionText& own = described.header.texts.front();
  EXPECT_THROW(read_exercise_text(own.text, own.name), FileError);
}

}  // namespace
}  // namespace knuckleboom::io
