// Session files and journals that are truncated, changed or foreign: a message each, and never
// anything else.
//
// 2500 files and 300 journals; `./dev long` asks for 10 000 of each by KNUCKLEBOOM_MUTATIONS in the
// environment (4 minutes).
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/recording/session_file.hpp"
#include "knuckleboom/recording/session_journal.hpp"
#include "support/session_recording.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  std::string operator()(std::string bytes) {
    const std::size_t size = bytes.size();
    const std::size_t at = below(size), length = 1 + below(std::min<std::size_t>(size - at, 400));
    switch (below(8)) {
      case 0:  // a bit
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:  // a bit near the beginning
        bytes[below(std::min<std::size_t>(size, 700))] ^= static_cast<char>(1 << below(8));
        break;
      case 2:  // cut
        bytes.resize(at);
        break;
      case 3:  // noise
        for (std::size_t i = at; i < at + length; ++i) bytes[i] = static_cast<char>(below(256));
        break;
      case 4:  // a hole, as file systems leave them
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), length, '\0');
        break;
      case 5:  // longer
        bytes.insert(at, std::string(length, static_cast<char>(below(256))));
        break;
      case 6:  // a piece in another place
        bytes.replace(at, length, bytes.substr(below(size), length));
        break;
      default:  // another digit in the first lines
        bytes[below(std::min<std::size_t>(size, 80))] = static_cast<char>('0' + below(10));
        break;
    }
    return bytes;
  }

 private:
  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }
  std::mt19937 random_;
};

int mutations_asked(int normally) {
  const char* const asked = std::getenv("KNUCKLEBOOM_MUTATIONS");
  return asked != nullptr ? std::atoi(asked) : normally;
}

// The name of the file, a colon, one sentence.
void expect_sentence(const fs::path& path, const std::string& text) {
  EXPECT_TRUE(text.starts_with(path.string() + ": ")) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  EXPECT_GT(text.size(), path.string().size() + 20) << text;
  EXPECT_LT(text.size(), path.string().size() + 300) << text;
}

TEST(SessionMutations, OfSessionFilesAreRefusedWithASentence) {
  const test::TemporaryFolder folder;
  const fs::path sound = folder / "sound.h5", path = folder / "mutated.h5";
  test::record_session(test::described_session("reach"), test::random_input(1, 300), sound);
  const std::string bytes = content_of(sound);
  Mutator mutate(20261128);
  std::map<std::string, int> sentences;
  const int wanted = mutations_asked(2500);
  int mutations = 0;
  while (mutations < wanted) {
    const std::string mutated = mutate(bytes);
    if (mutated == bytes) continue;
    ++mutations;
    write(path, mutated);
    try {
      read_session(path);
      ADD_FAILURE() << "a changed file was read";
    } catch (const FileError& error) {
      const std::string text = error.what();
      expect_sentence(path, text);
      ++sentences[text.substr(path.string().size() + 2, 30)];
    }
    if (testing::Test::HasFailure()) break;
  }
  for (const auto& [text, count] : sentences) std::printf("%6d  %s...\n", count, text.c_str());
  // The valid one is read as before.
  EXPECT_EQ(read_session(sound).end.end_tick, 300);
}

TEST(SessionMutations, OfJournalsCostWhatIsBehindThem) {
  const test::TemporaryFolder folder;
  const fs::path path = folder / "mutated.h5.journal";
  const test::DescribedSession described = test::described_session("reach");
  std::string bytes;
  {
    SessionJournal journal(folder / "one.h5", described.header);
    training::SessionState state = described.session->initial_state();
    training::SessionSnapshot snapshot = described.session->snapshot(state);
    const auto channels = training::session_channels(*described.session);
    for (const training::InputEvent& input : test::random_input(4, 400)) {
      journal.add(input);
      if (input.tick % 100 == 0) journal.add(StateHash{input.tick, 1});
      if (input.tick % 80 != 0) continue;
      state.tick = input.tick;
      std::vector<float> row;
      for (const auto& channel : channels)
        row.push_back(static_cast<float>(channel.value(snapshot)));
      journal.add_state(input.tick, state);
      journal.add_row(input.tick, row);
      journal.add(SessionEvent{input.tick, "bookmark", {}, "here"});
      journal.flush(input.tick);
    }
    bytes = content_of(journal.journal_file());
  }
  const int wanted = mutations_asked(300);
  Mutator mutate(7);
  int refused = 0, shorter = 0, whole = 0;
  for (int i = 0; i < wanted && !testing::Test::HasFailure(); ++i) {
    write(path, mutate(bytes));
    try {
      const SessionRecord record = read_session(path);
      EXPECT_FALSE(record.end.complete);
      ASSERT_LE(record.end.end_tick, 400);
      ++(record.end.end_tick < 400 ? shorter : whole);
      for (const training::InputEvent& input : record.inputs)
        EXPECT_LE(input.tick, record.end.end_tick);
      if (!record.state_ticks.empty()) {
        EXPECT_EQ(record.state(record.state_ticks.size() - 1, *described.session).tick,
                  record.state_ticks.back());
      }
    } catch (const FileError& error) {
      expect_sentence(path, error.what());
      ++refused;
    }
  }
  std::printf("%d journals: %d refused, %d shorter, %d whole\n", wanted, refused, shorter, whole);
  EXPECT_GT(shorter, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace knuckleboom::io
